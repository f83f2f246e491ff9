"""MCP23017, sixteen pins on I2C, at register level (datasheet DS20001952, revision D)."""

import random
import threading
from collections.abc import Callable

from hardware.sim.lines import SimLine

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(11)
"""The registers of each port, in the order of their addresses (table 3-1)."""
REGISTERS = 11
PORTS = 2
BANK, MIRROR, SEQOP, INTPOL = 0x80, 0x40, 0x20, 0x02
"""Bits of IOCON (register 3-6): order of addresses, both INT pins alike, no counting, INT active high."""
READ_ONLY = (INTF, INTCAP)


class MCP23017:
    """Ports A and B. ``pins`` are their lines, GPA0 to GPA7 and GPB0 to GPB7: what is soldered to them.

    An input that nothing pulls reads as chance has it. ``interrupted(asserted)`` is called when the INTA pin
    changes. Safe for several threads.
    """

    def __init__(self, address: int = 0x20, *, name: str = "expander", seed: int = 0) -> None:
        self.address = address
        self.name = name
        self.connected = True
        self.interrupted: Callable[[bool], None] = lambda asserted: None
        self.changed: list[Callable[[], None]] = []
        """called after a transfer that changed an output"""
        self.pins = tuple(SimLine(number) for number in range(8 * PORTS))
        self._random = random.Random(seed)
        self._lock = threading.RLock()
        self._asserted = False
        self._outputs_changed = False
        for pin in self.pins:
            pin.watch(lambda at, level: self._pin_changed())
        self.power_on_reset()

    def power_on_reset(self) -> None:
        """Power came back: all pins are inputs without pull-ups, no interrupts (table 3-1)."""
        with self._lock:
            self._registers = [[0] * REGISTERS for _ in range(PORTS)]
            self._pointer = 0
            for port in self._registers:
                port[IODIR] = 0xFF
            for pin in self.pins:
                pin.set_pull("floating")
                pin.drive(None)
            self._outputs_changed = True
            # What INTCON 0 compares with: the pins as they were when the interrupt was cleared.
            self._reference = [self._levels(port) for port in range(PORTS)]
            self._signal()

    def register(self, number: int, port: int) -> int:
        """What a register holds; ``port``: 0 for A, 1 for B."""
        with self._lock:
            return self._registers[port][number]

    @property
    def interrupt(self) -> bool:
        """Whether INTA is asserted."""
        return self._asserted

    # The wire

    def write(self, data: bytes) -> None:
        """The first byte is an address, what follows goes there (3.2.1)."""
        with self._lock:
            if data:
                self._pointer = data[0]
            for byte in data[1:]:
                self._put(byte)
                self._count()

    def read(self, count: int) -> bytes:
        """From the address on that was written last."""
        with self._lock:
            answer = bytearray()
            for _ in range(count):
                answer.append(self._get())
                self._count()
            return bytes(answer)

    def stop(self, whole: bool) -> None:
        """Nothing waits for the end of a transfer."""

    def tell(self) -> None:
        """Call ``changed`` if the last transfer changed an output."""
        if self._outputs_changed:
            self._outputs_changed = False
            for changed in self.changed:
                changed()

    # Registers

    @property
    def _iocon(self) -> int:
        return self._registers[0][IOCON]

    def _place(self) -> tuple[int, int] | None:
        """Register and port that the pointer means; None: nothing is there."""
        if self._iocon & BANK:
            number, port = self._pointer & 0x0F, self._pointer >> 4
        else:
            number, port = self._pointer >> 1, self._pointer & 1
        return (number, port) if number < REGISTERS and port < PORTS else None

    def _count(self) -> None:
        if self._iocon & SEQOP:
            if not self._iocon & BANK:  # the two ports' registers alternate (3.2.1)
                self._pointer ^= 1
        elif not self._iocon & BANK:
            self._pointer = (self._pointer + 1) % (REGISTERS * PORTS)
        else:
            self._pointer = {0x0A: 0x10, 0x1A: 0x00}.get(self._pointer, self._pointer + 1)

    def _get(self) -> int:
        place = self._place()
        if place is None:
            return 0
        number, port = place
        if number == GPIO:
            value = self._levels(port)
            self._registers[port][GPIO] = value
        else:
            value = self._registers[port][number]
        if number in (INTCAP, GPIO):
            self._clear(port)
        return value

    def _put(self, byte: int) -> None:
        place = self._place()
        if place is None or place[0] in READ_ONLY:
            return
        number, port = place
        if number == IOCON:  # one register at two addresses
            for each in self._registers:
                each[IOCON] = byte & 0xFE
        else:
            # A write to the port goes to its latch (3.5.10).
            self._registers[port][OLAT if number == GPIO else number] = byte
        self._follow(port)
        self._check(port)

    def _follow(self, port: int) -> None:
        """The pins follow the registers."""
        registers = self._registers[port]
        for bit in range(8):
            pin = self.pins[8 * port + bit]
            pin.set_pull("up" if registers[GPPU] >> bit & 1 else "floating")
            level = None if registers[IODIR] >> bit & 1 else bool(registers[OLAT] >> bit & 1)
            if pin.driven != level:
                pin.drive(level)
                self._outputs_changed = True

    def _levels(self, port: int) -> int:
        """The port as its GPIO register shows it."""
        value = 0
        for bit in range(8):
            pin = self.pins[8 * port + bit]
            floats = pin.driven is None and not pin.closed and pin.pull == "floating"
            value |= (self._random.getrandbits(1) if floats else pin.level) << bit
        return value ^ self._registers[port][IPOL]

    # Interrupts (3.6)

    def _pin_changed(self) -> None:
        with self._lock:
            for port in range(PORTS):
                self._check(port)

    def _check(self, port: int) -> None:
        """The first interrupt of a port is captured; until it is cleared there is no further one."""
        registers = self._registers[port]
        if registers[GPINTEN] and not registers[INTF]:
            levels = self._levels(port)
            against = registers[DEFVAL] & registers[INTCON] | self._reference[port] & ~registers[INTCON]
            caused = (levels ^ against) & registers[GPINTEN]
            if caused:
                registers[INTF] = caused
                registers[INTCAP] = levels
        self._signal()

    def _clear(self, port: int) -> None:
        """Reading the capture or the port clears; a level that still differs from DEFVAL strikes again."""
        self._registers[port][INTF] = 0
        self._reference[port] = self._levels(port)
        self._check(port)

    def _signal(self) -> None:
        mirrored = self._iocon & MIRROR
        asserted = any(port[INTF] for port in (self._registers if mirrored else self._registers[:1]))
        if asserted != self._asserted:
            self._asserted = asserted
            self.interrupted(asserted)
