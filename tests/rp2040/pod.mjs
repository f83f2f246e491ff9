// A Raspberry Pi Pico in the emulator rp2040js, driven over standard input and output, an order and an answer a line.
// Usage: node pod.mjs RP2040JS BOOTROM FIRMWARE FILES (the package's folder, the boot ROM's words as JSON, two images).
//
// An order: {run: µs of the chip's time, rx: hex bytes for UART 1, closed: GPIOs pulled to ground, panel: its address}.
// An answer: {now: µs since power, tx: [[at, byte]...] from UART 1, i2c: [[at, address, hex, whole]...], high: GPIOs that
// are driven high, functions: of each GPIO (datasheet 2.19.2), dog: {on, us, fed}, resets: [[at, reason]...], baud, prompt: text from UART 0}.
// The chip knows no other time than its own: between two orders it stands still.
import fs from 'node:fs';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , folder, bootrom, firmware, files] = process.argv;
const { RP2040, GPIOPinState } = await import(pathToFileURL(`${folder}/dist/esm/index.js`));
const FILES_AT = (2048 - 1408) * 1024; // where MicroPython keeps its files on 2 MiB of flash
const WATCHDOG = 0x40058, ROSC = 0x40060; // keys of the emulator's peripherals: address bits 31 to 12
const PINS = 30;

// UART as an Arm PL011 with its FIFOs (RP2040 datasheet 4.2): the emulator's own sends in no time and holds its transmit
// interrupt for ever. A byte takes as long as the baud rate says, in both directions.
const DR = 0x00, IFLS = 0x34, FIFO = 32, RX = 1 << 4, TX = 1 << 5, TIMEOUT = 1 << 6;
const LEVELS = [4, 8, 16, 24, 28];

function uart(chip, number, sent) {
  const u = chip.uart[number], clock = chip.clock, queue = [], coming = [];
  const bits = (count) => count * 1e9 / u.baudRate;
  let levels = 0x12;
  const receiveLevel = () => LEVELS[levels >> 3 & 7], sendLevel = () => LEVELS[levels & 7];
  const flag = (bit, set) => {
    u.interruptStatus = set ? u.interruptStatus | bit : u.interruptStatus & ~bit;
    u.checkInterrupts();
  };
  u.checkInterrupts = () => chip.setInterrupt(u.irq, !!(u.interruptStatus & u.interruptMask));
  Object.defineProperty(u, 'flags', { get: () =>
    (queue.length ? 0 : 1 << 7) | (u.rxFIFO.full ? 1 << 6 : 0) | (queue.length >= FIFO ? 1 << 5 : 0) |
    (u.rxFIFO.empty ? 1 << 4 : 0) | (queue.length ? 1 << 3 : 0) });

  const shifting = clock.createAlarm(() => {
    sent(queue.shift());
    if (queue.length === sendLevel()) flag(TX, true);
    if (queue.length) shifting.schedule(bits(10));
  });
  u.onByte = (byte) => {
    if (queue.length >= FIFO) return; // lost, as on the chip
    queue.push(byte);
    if (queue.length > sendLevel()) flag(TX, false);
    if (queue.length === 1) shifting.schedule(bits(10));
  };

  const silence = clock.createAlarm(() => { if (!u.rxFIFO.empty) flag(TIMEOUT, true); });
  const arriving = clock.createAlarm(() => {
    const byte = coming.shift();
    if (u.enabled && u.rxEnabled) u.rxFIFO.push(byte); // lost if it is full, as on the chip
    if (u.rxFIFO.itemCount >= receiveLevel()) flag(RX, true);
    silence.schedule(bits(32));
    if (coming.length) arriving.schedule(bits(10));
  });
  const receive = (bytes) => {
    if (bytes.length && !coming.length) arriving.schedule(bits(10));
    coming.push(...bytes);
  };

  const read = u.readUint32.bind(u), write = u.writeUint32.bind(u);
  u.readUint32 = (offset) => {
    if (offset === IFLS) return levels;
    const before = u.interruptStatus, value = read(offset);
    if (offset === DR) {
      u.interruptStatus = before;
      if (u.rxFIFO.itemCount < receiveLevel()) flag(RX, false);
      if (u.rxFIFO.empty) flag(TIMEOUT, false); else silence.schedule(bits(32));
    }
    return value;
  };
  u.writeUint32 = (offset, value) => offset === IFLS ? levels = value : write(offset, value);
  return { receive, baud: () => u.baudRate };
}

// The I2C controller of the panel at the speed of its clock registers; whoever is called `panel` acknowledges.
const TX_EMPTY = 1 << 4;

function bus(chip, panel, done) {
  const i2c = chip.i2c[0];
  const later = (bits, what) => {
    const one = (i2c.sclHighPeriod + i2c.sclLowPeriod) * 1e9 / chip.clkSys;
    chip.clock.createAlarm(what).schedule(bits * one);
  };
  let transfer = null;
  i2c.onStart = () => later(1, () => i2c.completeStart());
  i2c.onConnect = (address) => later(9, () => {
    const there = address === panel();
    transfer = { address, bytes: [], there };
    i2c.completeConnect(there);
    // What nobody takes is flushed, so the FIFO is empty (datasheet 4.3); without this the chip would wait in vain.
    if (!there) i2c.setInterrupts(TX_EMPTY);
  });
  i2c.onWriteByte = (byte) => later(9, () => { transfer.bytes.push(byte); i2c.completeWrite(true); });
  i2c.onStop = () => later(1, () => {
    if (transfer) done(transfer.address, transfer.bytes, transfer.there);
    transfer = null;
    i2c.completeStop();
  });
}

let seed = 22; // the ring oscillator's random bit (datasheet 2.17): the emulator has none, and all starts would be alike
const randomBit = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 31;

class Pico {
  constructor(flash, before) {
    const chip = this.chip = new RP2040();
    this.born = before;
    this.answer = { tx: [], i2c: [], resets: [], prompt: '' };
    this.panel = 0;
    this.fed = 0;
    this.end = null;
    chip.logger = { debug() {}, info() {}, warn() {}, error(name, text) { console.error(name, text); } };
    chip.loadBootrom(new Uint32Array(JSON.parse(fs.readFileSync(bootrom))));
    chip.flash.set(flash);
    uart(chip, 0, (byte) => { this.answer.prompt += String.fromCharCode(byte); });
    this.uart = uart(chip, 1, (byte) => this.answer.tx.push([this.now(), byte]));
    bus(chip, () => this.panel, (address, bytes, whole) =>
      this.answer.i2c.push([this.now(), address, Buffer.from(bytes).toString('hex'), whole]));
    const rosc = chip.peripherals[ROSC], other = rosc.readUint32.bind(rosc);
    rosc.readUint32 = (offset) => offset === 0x1c ? randomBit() : other(offset);
    const dog = this.dog = chip.peripherals[WATCHDOG], write = dog.writeUint32.bind(dog);
    dog.writeUint32 = (offset, value) => {
      if (offset === 0x04) this.fed += 1;
      write(offset, value);
    };
    dog.onWatchdogTrigger = () => {
      this.end = dog.reason === 1 ? 'watchdog' : 'program';
      dog.alarm.enable = false; // or the emulator would call this again and again at the same moment
    };
    chip.core.PC = 0x10000000; // the second boot stage: the ROM would find it there
  }

  now() { return this.born + this.chip.clock.micros; }

  // Run until a time, or until something resets the chip; whether that was so.
  run(until) {
    const { chip, chip: { clock, core } } = this, end = (until - this.born) * 1000;
    while (clock.nanos < end && !this.end) {
      if (!core.waiting) clock.tick(core.executeInstruction() * 1e9 / chip.clkSys);
      else clock.tick(Math.min(clock.nextAlarm ? clock.nanosToNextAlarm : Infinity, end - clock.nanos));
    }
    return this.end;
  }
}

const image = new Uint8Array(2048 * 1024).fill(0xff);
image.set(fs.readFileSync(firmware), 0);
image.set(fs.readFileSync(files), FILES_AT);
let pico = new Pico(image, 0);

function obey({ run, rx = '', closed = [], panel = 0 }) {
  const until = pico.now() + run;
  let { answer } = pico;
  answer.tx = []; answer.i2c = []; answer.resets = []; answer.prompt = '';
  pico.uart.receive(Buffer.from(rx, 'hex'));
  do {
    pico.panel = panel;
    for (let pin = 0; pin < PINS; pin += 1) {
      const { [pin]: gpio } = pico.chip.gpio;
      gpio.setInputValue(!closed.includes(pin) && gpio.pullupEnabled);
    }
    if (pico.run(until)) {
      // All of the chip starts anew, and finds the flash as it is.
      answer.resets.push([pico.now(), pico.end]);
      const next = new Pico(pico.chip.flash.slice(0, image.length), pico.now());
      next.answer = answer;
      pico = next;
    }
  } while (pico.now() < until);
  const high = pico.chip.gpio.filter((gpio) => gpio.value === GPIOPinState.High).map((gpio) => gpio.index);
  const functions = pico.chip.gpio.map((gpio) => gpio.functionSelect);
  const pulledUp = pico.chip.gpio.filter((gpio) => gpio.pullupEnabled).map((gpio) => gpio.index);
  const { timer } = pico.dog;
  const dog = { on: pico.dog.enable, us: timer.counter / 2, fed: pico.fed };
  return { now: pico.now(), ...answer, high, pulled_up: pulledUp, functions, dog, baud: pico.uart.baud() };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(obey(JSON.parse(line)))}\n`);
}
