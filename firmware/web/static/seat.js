// One seat on the page: its panel, its lamp, its four buttons.

const WIDTH = 128;
const HEIGHT = 64;
const LIT = 0xffffeed2; // ABGR: the bluish white of a small OLED
const DARK = 0xff0c0805;
const LAMP = ["off", "lit", "none"];
const TAP_MS = 60;

export class SeatView {
  constructor({ seat, label }, fingers) {
    this.seat = seat;
    const template = document.getElementById("seat");
    this.element = template.content.firstElementChild.cloneNode(true);
    this.element.dataset.seat = seat;
    const name = label === String(seat) ? "" : label;
    this.element.setAttribute("aria-label", `Seat ${seat} ${name}`.trim());
    this.#find(".number").textContent = seat;
    this.#find(".label").textContent = name;
    this.#find("canvas").setAttribute("aria-label", `Screen of seat ${seat}`);
    const alone = this.#find(".alone");
    alone.href = `/seat/${seat}`;
    alone.setAttribute("aria-label", `Open seat ${seat} alone`);
    this.lamp = this.#find(".lamp");
    this.context = this.#find("canvas").getContext("2d", { alpha: false });
    this.image = this.context.createImageData(WIDTH, HEIGHT);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.buttons = new Map();
    for (const button of this.element.querySelectorAll("button")) {
      button.setAttribute("aria-label", `${button.querySelector(".name").textContent}, seat ${seat}`);
      this.buttons.set(button.dataset.button, button);
      this.#wire(button, fingers);
    }
  }

  // Draw 1024 bytes in the panel's page order: a byte is eight pixels of a column, the lowest bit on top.
  draw(lamp, picture) {
    for (let index = 0; index < picture.length; index += 1) {
      const x = index % WIDTH;
      const top = Math.floor(index / WIDTH) * 8;
      for (let bit = 0; bit < 8; bit += 1) {
        this.pixels[(top + bit) * WIDTH + x] = (picture[index] >> bit) & 1 ? LIT : DARK;
      }
    }
    this.context.putImageData(this.image, 0, 0);
    this.lamp.dataset.lamp = LAMP[lamp];
    this.lamp.setAttribute("aria-label", `Turn lamp ${LAMP[lamp]}`);
  }

  showDown(button, down) {
    this.buttons.get(button).toggleAttribute("data-down", down);
  }

  #find(selector) {
    return this.element.querySelector(selector);
  }

  #wire(button, fingers) {
    const name = button.dataset.button;
    button.addEventListener("pointerdown", (event) => {
      this.element.focus({ preventScroll: true }); // not every browser does with a click
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      fingers.press(`pointer ${event.pointerId}`, this.seat, name);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      button.addEventListener(end, (event) => fingers.release(`pointer ${event.pointerId}`));
    }
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    // A screen reader clicks without a pointer: that is a short stroke.
    button.addEventListener("click", (event) => {
      if (event.detail !== 0) return;
      fingers.press(`click ${name}`, this.seat, name);
      setTimeout(() => fingers.release(`click ${name}`), TAP_MS);
    });
  }
}
