"""Stands in for MicroPython's module machine: pins, I2C and watchdog are lines of text over two pipes.

The pipes' numbers are in PICO_IN and PICO_OUT, the chip's number in PICO_ID. Lines to the pod:
``pin 10 0 40`` (a level, 40 ms or more after the last one), ``i2c 0`` (nobody answers), ``i2c 1``, ``fail``
(the program meets a fault), ``stop`` (it stands still) until ``go``. Lines from the pod: ``i2c 3c 00ae`` (a
write), ``pin 15 1``, ``dog 8000`` (let out), ``fed`` (once a second at most), ``reset``. The process ends
with its pipes. Runs on MicroPython and CPython.
"""

import os
import select
import sys
import time

_incoming = open("/dev/fd/" + str(os.getenv("PICO_IN")), "rb", 0)  # noqa: SIM115
_outgoing = open("/dev/fd/" + str(os.getenv("PICO_OUT")), "wb", 0)  # noqa: SIM115
_poll = select.poll()
_poll.register(_incoming, select.POLLIN)
_levels: dict[int, int] = {}
_bus = [1]
_stopped = [False]
_waiting: list[list[str]] = []
"""the line that is next, if it is read already"""
_moved = [0.0]
"""when a level changed last"""
_line = bytearray()


def _tell(text: str) -> None:
    _outgoing.write((text + "\n").encode())


def _listen() -> None:
    """Take in one line at most: what comes fast, as the bounce of a contact, is seen bit by bit."""
    while _waiting or _stopped[0] or _poll.poll(0):
        if not _waiting:
            byte = _incoming.read(1)
            if not byte:  # whoever simulates the board is gone, by whatever way
                sys.exit()
            if byte != b"\n":
                _line.extend(byte)
                continue
            _waiting.append(bytes(_line).decode().split())
            _line[:] = b""
        words = _waiting[0]
        if words[0] == "pin":
            now = time.time()
            if 0 <= now - _moved[0] < int(words[3]) / 1000 and not _stopped[0]:
                return
            _moved[0] = now
            _levels[int(words[1])] = int(words[2])
        _waiting.clear()
        if words[0] == "fail":
            raise ValueError("made to fail")
        if words[0] == "i2c":
            _bus[0] = int(words[1])
        elif words[0] in ("stop", "go"):
            _stopped[0] = words[0] == "stop"
        if not _stopped[0]:
            return


class Pin:
    """A pin. Inputs are high until a line says otherwise, as with a pull-up."""

    IN, OUT, PULL_UP = 0, 1, 1

    def __init__(self, number: int, mode: int = IN, pull: int | None = None, value: int = 0) -> None:
        self._number = number
        self._out = value if mode == Pin.OUT else None
        if mode == Pin.OUT:
            _tell("pin " + str(number) + " " + str(value))

    def value(self, level: int | None = None) -> int:
        """Read the level, or drive it."""
        if level is None:
            _listen()
            return _levels.get(self._number, 1)
        level = int(level)
        if level != self._out:
            self._out = level
            _tell("pin " + str(self._number) + " " + str(level))
        return level


class I2C:
    """An I2C bus whose writes are told."""

    def __init__(self, number: int, scl: Pin, sda: Pin, freq: int) -> None:
        self._freq = freq

    def writeto(self, address: int, data: bytes) -> int:
        """Write to a chip. Raise OSError (ENODEV) while nobody answers."""
        _listen()
        if not _bus[0]:
            raise OSError(19)
        _tell("i2c " + hex(address)[2:] + " " + "".join([f"{byte:02x}" for byte in data]))
        return len(data)


class WDT:
    """A watchdog that never bites."""

    def __init__(self, timeout: int) -> None:
        self._told = 0.0
        _tell("dog " + str(timeout))

    def feed(self) -> None:
        """It was fed."""
        now = time.time()
        if now - self._told >= 1:
            self._told = now
            _tell("fed")


def unique_id() -> bytes:
    """The chip's number."""
    digits = str(os.getenv("PICO_ID"))
    return bytes([int(digits[place : place + 2], 16) for place in range(0, len(digits), 2)])


def reset() -> None:
    """Start anew: whoever runs this process does that."""
    _tell("reset")
    sys.exit()
