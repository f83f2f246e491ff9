"""What a board is made of: parts, and the wires between their pins."""

from dataclasses import dataclass
from typing import Literal

from firmware.wiring.header import HEADER
from firmware.wiring.pico import PICO_PINS
from firmware.wiring.pinout import CHIP_PINS
from firmware.wiring.signals import Signal
from hardware.profile import Profile
from hardware.seat import Button

PI, STRIP = "Pi", "strip"
"""Names of the parts that every board with seats on wires has: the Pi's header, and the strip that shares
out the bus."""
PICO = "Pico"
"""Name of the board in each pod."""
POD = 0
"""Stands in for the number of a seat in whatever each pod has."""

Kind = Literal["pi", "strip", "mux", "expander", "pico", "panel", "button", "lamp", "resistor"]


@dataclass(frozen=True, slots=True)
class Part:
    """A thing that wires end at. ``seat``: whose it is; POD: each pod's; None: the table's."""

    name: str
    kind: Kind
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """One pin of one part, by its name; on the Pi by the header pin's number."""

    part: str
    pin: str

    def __str__(self) -> str:
        """In words for a table: ``Pi pin 7 (GPIO4)``, ``expander a pin 21 (GPA0)``, ``mux hub SD0``."""
        if self.part == PI:
            return f"Pi pin {self.pin} ({HEADER[int(self.pin) - 1].name})"
        if self.part.startswith("expander "):
            return f"{self.part} pin {CHIP_PINS.index(self.pin) + 1} ({self.pin})"
        if self.part == PICO:
            return f"{PICO} pin {self.pin} ({PICO_PINS[int(self.pin) - 1]})"
        return f"{self.part} {self.pin}"


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire from ``start`` to ``end``. ``number`` counts from 1, in the order of assembly. ``seat`` as in
    Part."""

    number: int
    signal: Signal
    start: Terminal
    end: Terminal
    seat: int | None

    def far_from(self, near: Terminal) -> Terminal:
        """The end that is not ``near``."""
        return self.start if near == self.end else self.end


Join = tuple[Signal, Terminal, Terminal]
"""A wire to be: what it carries, and its two ends."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole board. The strip is four rails of a stripboard: 3V3, GND, SDA, SCL."""

    profile: Profile
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]

    def wires_of(self, seat: int | None) -> tuple[Wire, ...]:
        """The wires of one seat, of each pod (POD), or of the table itself (None)."""
        return tuple(wire for wire in self.wires if wire.seat == seat)

    def wires_of_part(self, part: str) -> tuple[Wire, ...]:
        """The wires that begin or end at a part."""
        return tuple(wire for wire in self.wires if part in (wire.start.part, wire.end.part))

    def at(self, part: str, pin: str) -> Wire | None:
        """The first wire at a terminal."""
        terminal = Terminal(part, pin)
        return next((wire for wire in self.wires if terminal in (wire.start, wire.end)), None)


def mux_name(name: str) -> str:
    """What drawings call the mux that the profile calls ``name``."""
    return f"mux {name}"


def expander_name(name: str) -> str:
    """What drawings call the expander that the profile calls ``name``."""
    return f"expander {name}"


def panel_name(seat: int) -> str:
    """What drawings call a seat's panel."""
    return f"{_owner(seat)} panel"


def button_name(seat: int, button: Button) -> str:
    """What drawings call a button: ``seat 3 LEFT``, ``pod LEFT``."""
    return f"{_owner(seat)} {button.name}"


def lamp_name(seat: int) -> str:
    """What drawings call a seat's lamp."""
    return f"{_owner(seat)} lamp"


def resistor_name(seat: int) -> str:
    """What drawings call the resistor of a seat's lamp."""
    return f"{_owner(seat)} resistor"


def _owner(seat: int) -> str:
    return "pod" if seat == POD else f"seat {seat}"
