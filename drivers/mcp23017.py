"""MCP23017, sixteen pins on I2C: its registers are written, read, and checked."""

from collections.abc import Iterator
from dataclasses import dataclass

from hardware.bus import I2CBus

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(0x00, 0x16, 2)
"""Addresses of port A's registers while IOCON.BANK is 0; port B's come next each (datasheet table 3-1)."""
REGISTERS = 0x16
IOCON_IN_BANK_1 = 0x05
"""Where IOCON is while BANK is 1; while BANK is 0, GPINTENB is there."""
MIRROR_OPEN_DRAIN = 0x44
"""IOCON: BANK 0, both INT pins alike, addresses count, INT open-drain, low while asserted (register 3-6)."""
OUTPUTS_ONLY = 0x8080
"""GPA7 and GPB7: as inputs they can corrupt what is read (datasheet, revision D)."""

BOTH = 2
"""A register of port A and the same of port B."""
PEEK_BYTES = 7
"""On the wire: two addresses of the chip, one of a register, and four registers."""
LOOK_BYTES = 25
"""On the wire, for all registers."""


class RegistersLost(Exception):
    """The chip does not hold what was written: it lost its power, or it is another chip."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What happened since the last look, if no more than that is known: pins as bits, GPA0 the lowest.

    ``flags``: pins that changed first on their port. ``levels``: both ports when that happened.
    """

    flags: int
    levels: int


@dataclass(frozen=True, slots=True)
class Look:
    """All registers: interrupts as in Captured, and the pins' ``levels`` now."""

    captured: Captured
    levels: int


class MCP23017:
    """One chip. ``inputs``: its pins that are buttons, as bits, GPA0 the lowest; all others are outputs.

    Inputs are pulled up, and interrupt on every change. All calls come from the bus's thread; they raise
    BusError if the bus fails. Raise ValueError for inputs that the chip does not have.
    """

    def __init__(self, bus: I2CBus, address: int, inputs: int) -> None:
        if inputs & OUTPUTS_ONLY or inputs >> 16:
            raise ValueError("GPA7 and GPB7 of an MCP23017 are outputs only")
        self._bus = bus
        self._address = address
        self._inputs = inputs

    def program(self, outputs: int) -> None:
        """Write all registers, whatever the chip's state; then nothing is pending. ``outputs``: levels."""
        for _ in self.programming(outputs):
            pass

    def programming(self, outputs: int) -> Iterator[int]:
        """The same, one transfer at each step: the number of its bytes."""
        # From BANK 1 back to 0; in BANK 0 this switches interrupts of port B off.
        yield self._write(IOCON_IN_BANK_1, 0)
        # Now that IOCON is where it should be: whatever SEQOP was, addresses count from here on.
        yield self._send(bytes([IOCON, MIRROR_OPEN_DRAIN]))
        # Levels before directions: a lamp must not flicker.
        yield self._write(OLAT, outputs)
        inputs, iocon = self._inputs, MIRROR_OPEN_DRAIN * 0x0101
        block = (inputs, 0, 0, 0, 0, iocon, inputs)  # IODIR to GPPU, all interrupts off
        yield self._send(bytes([IODIR]) + b"".join(pins.to_bytes(BOTH, "little") for pins in block))
        yield self._write(GPINTEN, inputs)
        self.look(outputs)
        yield LOOK_BYTES

    def set_outputs(self, outputs: int) -> int:
        """Set the levels of the outputs; return the bytes sent."""
        return self._write(OLAT, outputs)

    def peek(self) -> Captured:
        """Whether anything has happened: seven bytes on the wire. It clears the interrupt."""
        answer = self._bus.write_read(self._address, bytes([INTF]), 2 * BOTH)
        return Captured(_pins(answer, 0), _pins(answer, BOTH))

    def look(self, outputs: int) -> Look:
        """Everything: 25 bytes on the wire. It clears the interrupt.

        Raise RegistersLost if a register does not hold what was written, with ``outputs`` as the levels.
        """
        answer = self._bus.write_read(self._address, bytes([IODIR]), REGISTERS)
        expected = {
            IODIR: self._inputs,
            IPOL: 0,
            GPINTEN: self._inputs,
            DEFVAL: 0,
            INTCON: 0,
            IOCON: MIRROR_OPEN_DRAIN * 0x0101,
            GPPU: self._inputs,
            OLAT: outputs,
        }
        for register, value in expected.items():
            if _pins(answer, register) != value:
                raise RegistersLost(
                    f"register 0x{register:02X} holds 0x{_pins(answer, register):04X}, not 0x{value:04X}"
                )
        return Look(Captured(_pins(answer, INTF), _pins(answer, INTCAP)), _pins(answer, GPIO))

    def _write(self, register: int, pins: int) -> int:
        """Write a register of both ports; return the bytes sent."""
        return self._send(bytes([register, pins & 0xFF, pins >> 8]))

    def _send(self, data: bytes) -> int:
        self._bus.write(self._address, data)
        return len(data) + 1


def _pins(answer: bytes, at: int) -> int:
    return int.from_bytes(answer[at : at + BOTH], "little")
