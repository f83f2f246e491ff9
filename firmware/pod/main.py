"""Binds the pod to the pins of its board and runs it. For MicroPython; on the board this is /main.py."""

import asyncio
import gc
import os
import select
import sys
from time import ticks_diff, ticks_ms  # type: ignore[attr-defined]

import framebuf  # type: ignore[import-not-found]
import machine  # type: ignore[import-not-found]
import micropython  # type: ignore[import-not-found]

from firmware.pod import app, loop, pins, screens
from firmware.pod.build import BUILD
from firmware.pod.panel import Panel

DOG_MS = 8000
"""Less than the 8,388 ms that an RP2040's watchdog can count (datasheet 4.7)."""


class Board(app.Outside):
    """The pins, the clock and the dog of this board."""

    def __init__(self) -> None:
        self._buttons = [
            machine.Pin(number, machine.Pin.IN, machine.Pin.PULL_UP)
            for number in (pins.LEFT, pins.RIGHT, pins.MARK, pins.PLAY)
        ]
        self._lamp = None if pins.LAMP is None else machine.Pin(pins.LAMP, machine.Pin.OUT, value=0)
        self.has_lamp = self._lamp is not None
        self._dog = None
        self._ticks = ticks_ms()
        self._now = 0

    def now(self) -> int:
        """Milliseconds since the start; the ticks that they are counted by wrap."""
        ticks = ticks_ms()
        self._now += ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now

    def levels(self) -> int:
        """Which buttons are down: they pull their pins to ground."""
        down = 0
        for number, pin in enumerate(self._buttons):
            if not pin.value():
                down |= 1 << number
        return down

    def lamp(self, on: bool) -> None:
        """Switch the lamp, if there is one."""
        if self._lamp is not None:
            self._lamp.value(on)

    def alive(self, met_table: bool) -> None:
        """Feed the dog. It is only let out once a table is there: until then the prompt stays in reach."""
        if self._dog is not None:
            self._dog.feed()
        elif met_table:
            # From here on a stray Ctrl-C is noise; a restart with UPDATE leads back to the prompt.
            micropython.kbd_intr(-1)
            self._dog = machine.WDT(timeout=DOG_MS)

    def restart(self, update: bool) -> None:
        """Start anew. All that an update needs: until a table says hello, no dog runs and Ctrl-C works."""
        machine.reset()

    def free_bytes(self) -> int:
        """Free memory."""
        return int(gc.mem_free())  # type: ignore[attr-defined]


class StreamPort(loop.Port):
    """The line as a MicroPython stream. It may block, so it is only used for as much as it is ready for."""

    def __init__(self, incoming: machine.UART, outgoing: machine.UART) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._reader = asyncio.StreamReader(incoming)
        self._readable = select.poll()
        self._readable.register(incoming, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(outgoing, select.POLLOUT)

    async def read(self) -> bytes:
        """Wait for a byte, and take along what is there behind it."""
        chunk = bytearray(await self._reader.read(1))
        while len(chunk) < 64 and self._readable.poll(0):
            chunk += self._incoming.read(1)
        return bytes(chunk)

    def write(self, data: bytes) -> int:
        """Byte by byte: room for one is all that can be asked for, and a full buffer would block."""
        sent = 0
        while sent < len(data) and self._writable.poll(0):
            self._outgoing.write(data[sent : sent + 1])
            sent += 1
        return sent


def port() -> StreamPort:
    """The line that the pins say."""
    if pins.UART is None:
        return StreamPort(sys.stdin.buffer, sys.stdout.buffer)
    number, tx, rx, baud = pins.UART
    uart = machine.UART(number, baud, tx=machine.Pin(tx), rx=machine.Pin(rx), rxbuf=1024, timeout=0)
    return StreamPort(uart, uart)


def main() -> None:
    """Run until somebody wants the prompt, or something fails."""
    board = Board()
    i2c = machine.I2C(pins.I2C, scl=machine.Pin(pins.SCL), sda=machine.Pin(pins.SDA), freq=pins.I2C_HZ)
    panel = Panel(i2c, pins.PANEL, pins.ADDRESS, turned=pins.UPSIDE_DOWN, offset=pins.OFFSET)
    own = bytearray(1024)
    canvas = framebuf.FrameBuffer(own, 128, 64, framebuf.MONO_VLSB)
    try:
        pod = app.Pod(
            board,
            panel,
            canvas,
            own,
            pod_id=(b"\0" * 8 + machine.unique_id())[-8:],
            boot=int.from_bytes(os.urandom(2), "little"),
            build=BUILD,
            settle_ms=pins.SETTLE_MS,
            down=board.levels(),
            now=board.now(),
        )
        asyncio.run(loop.Runner(pod, port(), board).run())
    except Exception as error:
        screens.stopped(canvas, type(error).__name__ + ": " + str(error))
        panel.show(own)
        panel.power = True
        for page in range(8):
            panel.changed(0, 127, page)
        while panel.step(board.now()):
            pass
        raise
    finally:
        micropython.kbd_intr(3)


if __name__ == "__main__":
    main()
