// What can be done to a simulated pod: its cable pulled, its program started anew, its line garbled.

const UNPLUGGED = 1;
const GARBLED = 2;

const WORDS = ["Pod", "Pod: unplugged", "Pod: garbled", "Pod: unplugged"];

export class PodMenu {
  // `send(text)` brings a wish to the table. `element` is the seat's; the menu goes into its header.
  constructor(seat, element, send) {
    this.element = document.getElementById("pod").content.firstElementChild.cloneNode(true);
    this.summary = this.element.querySelector("summary");
    this.summary.setAttribute("aria-label", `Pod of seat ${seat}`);
    this.buttons = new Map();
    for (const button of this.element.querySelectorAll("button")) {
      this.buttons.set(button.dataset.act, button);
      button.addEventListener("click", () => {
        send(`pod ${seat} ${this.#act(button.dataset.act)}`);
        this.element.open = false;
        element.focus({ preventScroll: true });
      });
    }
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.element.open = false;
      this.summary.focus({ preventScroll: true });
    });
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(event.relatedTarget)) this.element.open = false;
    });
    element.querySelector(".alone").before(this.element);
    this.show(0);
  }

  // `state`: bits UNPLUGGED and GARBLED.
  show(state) {
    this.state = state;
    this.summary.textContent = WORDS[state];
    this.element.toggleAttribute("data-odd", state !== 0);
    this.buttons.get("plug").textContent = state & UNPLUGGED ? "Plug in" : "Unplug";
    this.buttons.get("garble").textContent = state & GARBLED ? "Clear its line" : "Garble its line";
    this.buttons.get("reset").disabled = Boolean(state & UNPLUGGED);
  }

  #act(name) {
    if (name === "plug") return this.state & UNPLUGGED ? "plug" : "unplug";
    if (name === "garble") return this.state & GARBLED ? "clear" : "garble";
    return name;
  }
}
