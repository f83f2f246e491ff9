// The socket to the table: it comes back by itself, and says when it is not there.

const PROTOCOL = 3;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

export class Link {
  // `on.hello(seats)`, `on.frame(seat, lamp, pod, picture)`, `on.ended()` when another game has ended, `on.state(name)`:
  // "connecting", "up", "lost" or "other".
  constructor(address, on) {
    this.address = address;
    this.on = on;
    this.socket = null;
    this.wait = FIRST_WAIT_MS;
    this.timer = null;
    this.aliveMs = 0;
  }

  open() {
    this.close();
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.#read(event.data);
    socket.onclose = () => this.#lost();
    this.socket = socket;
    this.#expect(LONGEST_WAIT_MS * 2);
  }

  close() {
    clearTimeout(this.timer);
    if (this.socket) {
      this.socket.onmessage = this.socket.onclose = null;
      this.socket.close();
      this.socket = null;
    }
  }

  // Whether the table has said hello: before and after that, nothing can be pressed.
  get up() {
    return this.aliveMs > 0;
  }

  send(text) {
    if (this.up) this.socket.send(text);
  }

  // A socket can be dead without anybody saying so (a phone that was carried away): then it falls silent.
  #expect(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#lost(), ms);
  }

  #lost() {
    this.close();
    this.aliveMs = 0;
    this.on.state("lost");
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
  }

  #read(data) {
    if (data instanceof ArrayBuffer) {
      const bytes = new Uint8Array(data);
      this.on.frame(bytes[0], bytes[1] & 3, bytes[1] >> 2, bytes.subarray(2));
    } else if (data === "games") {
      this.on.ended();
    } else if (data) {
      const hello = JSON.parse(data);
      if (hello.protocol !== PROTOCOL) {
        this.close();
        this.aliveMs = 0;
        this.on.state("other");
        return;
      }
      this.aliveMs = hello.alive_s * 1000;
      this.wait = FIRST_WAIT_MS;
      this.on.hello(hello.seats);
      this.on.state("up");
    }
    this.#expect(2.5 * this.aliveMs);
  }
}
