// What this page's fingers hold: a mouse, several touches and keys, each on one button of a seat.

export class Fingers {
  // `change(seat, button, down)` is called when a finger goes on a button and when the last one leaves it;
  // `ready()` says whether anything can be pressed now.
  constructor(change, ready) {
    this.change = change;
    this.ready = ready;
    this.held = new Map(); // finger (a pointer's or a key's name) -> {seat, button}
  }

  press(finger, seat, button) {
    this.release(finger); // its end was lost
    if (!this.ready()) return;
    this.held.set(finger, { seat, button });
    this.change(seat, button, true);
  }

  release(finger) {
    const place = this.held.get(finger);
    if (!place) return;
    this.held.delete(finger);
    const { seat, button } = place;
    const others = [...this.held.values()];
    if (!others.some((other) => other.seat === seat && other.button === button)) this.change(seat, button, false);
  }

  releaseAll() {
    for (const finger of [...this.held.keys()]) this.release(finger);
  }
}
