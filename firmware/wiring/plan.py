"""What a board is made of: parts, and the wires between their pins."""

from dataclasses import dataclass
from typing import Literal

from firmware.wiring.header import HEADER
from firmware.wiring.pinout import CHIP_PINS
from firmware.wiring.signals import Signal
from hardware.profile import Profile
from hardware.seat import Button

PI, STRIP = "Pi", "strip"
"""Names of the parts that every board has: the Pi's header, and the strip that shares out the bus."""

Kind = Literal["pi", "strip", "mux", "expander", "panel", "button", "lamp", "resistor"]


@dataclass(frozen=True, slots=True)
class Part:
    """A thing that wires end at. ``seat``: whose it is; None: the table's."""

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
        return f"{self.part} {self.pin}"


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire from ``start`` to ``end``. ``number`` counts from 1, in the order of assembly."""

    number: int
    signal: Signal
    start: Terminal
    end: Terminal
    seat: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole board. The strip is four rails of a stripboard: 3V3, GND, SDA, SCL."""

    profile: Profile
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]

    def wires_of(self, seat: int | None) -> tuple[Wire, ...]:
        """The wires of one seat, or those of the table itself."""
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
    return f"seat {seat} panel"


def button_name(seat: int, button: Button) -> str:
    """What drawings call a button: ``seat 3 LEFT``."""
    return f"seat {seat} {button.name}"


def lamp_name(seat: int) -> str:
    """What drawings call a seat's lamp."""
    return f"seat {seat} lamp"


def resistor_name(seat: int) -> str:
    """What drawings call the resistor of a seat's lamp."""
    return f"seat {seat} resistor"
