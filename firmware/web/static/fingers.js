// What this page's fingers hold: a mouse, several touches and keys, each on one button of a seat.

export class Fingers {
  // `change(seat, button, down)` is called when the first finger goes on a button and when the last one leaves it;
  // `ready()` says whether anything can be pressed now.
  constructor(change, ready) {
    this.change = change;
    this.ready = ready;
    this.held = new Map(); // finger (a pointer's or a key's name) -> {seat, button}
  }

  press(finger, seat, button) {
    if (this.held.has(finger) || !this.ready()) return;
    const first = !this.#onto(seat, button);
    this.held.set(finger, { seat, button });
    if (first) this.change(seat, button, true);
  }

  release(finger) {
    const place = this.held.get(finger);
    if (!place) return;
    this.held.delete(finger);
    if (!this.#onto(place.seat, place.button)) this.change(place.seat, place.button, false);
  }

  releaseAll() {
    for (const finger of [...this.held.keys()]) this.release(finger);
  }

  #onto(seat, button) {
    return [...this.held.values()].some((place) => place.seat === seat && place.button === button);
  }
}
