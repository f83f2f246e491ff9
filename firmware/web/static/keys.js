// The keyboard: digits choose a seat, the other keys press the chosen seat's buttons.

const BUTTONS = new Map([
  ["ArrowLeft", "left"],
  ["ArrowRight", "right"],
  ["ArrowUp", "mark"],
  [" ", "mark"],
  ["m", "mark"],
  ["M", "mark"],
  ["Enter", "play"],
]);

// What these keys do anyway, where the focus is on it.
const OWN = new Map([
  ["Enter", "a, #open-games, .pod *"],
  [" ", "#open-games, .pod *"],
]);

// `chosen()` gives the seat that the keys press; `choose(seat)` is told of a digit key, and returns whether there
// is such a seat.
export function listenToKeys(fingers, chosen, choose) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      fingers.releaseAll(); // the browser may keep the end of such a stroke to itself
      return;
    }
    if (document.querySelector("dialog[open]")) return; // the keys are its own
    const button = BUTTONS.get(event.key);
    if (button) {
      if (OWN.has(event.key) && event.target.closest?.(OWN.get(event.key))) return;
      event.preventDefault();
      if (!event.repeat) fingers.press(`key ${event.code}`, chosen(), button);
    } else if (/^[1-9]$/.test(event.key) && choose(Number(event.key))) {
      event.preventDefault();
    }
  });
  addEventListener("keyup", (event) => fingers.release(`key ${event.code}`));
}
