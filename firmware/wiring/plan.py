"""What is joined to what: the parts and wires of a board, worked out from its profile."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from firmware.errors import UsageError
from firmware.wiring import header
from firmware.wiring.signals import BUTTONS, GROUND, LAMP, POWER, SCL, SDA, Signal
from hardware.profile import MuxProfile, Profile, ScreenProfile, SeatProfile
from hardware.seat import Button

PI, STRIP = "Pi", "strip"
"""Names of the parts that every board has: the Pi's header, and the strip that shares out the bus."""

Kind = Literal["pi", "strip", "mux", "panel", "button", "lamp", "resistor"]


@dataclass(frozen=True, slots=True)
class Part:
    """A thing that wires end at. ``seat``: whose it is; None: the table's."""

    name: str
    kind: Kind
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """One pin of one part. On the Pi it is the header pin's number as text."""

    part: str
    pin: str

    def __str__(self) -> str:
        """In words for a table: ``Pi pin 7 (GPIO4)``, ``mux SD0``."""
        if self.part != PI:
            return f"{self.part} {self.pin}"
        pin = header.HEADER[int(self.pin) - 1]
        return f"Pi pin {self.pin} ({pin.name})"


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

    def at(self, part: str, pin: str) -> Wire | None:
        """The first wire at a terminal."""
        terminal = Terminal(part, pin)
        return next((wire for wire in self.wires if terminal in (wire.start, wire.end)), None)


Join = tuple[Signal, Terminal, Terminal]


def plan_of(profile: Profile) -> Plan:
    """Work out parts and wires.

    Raise UsageError for a board that the drawings have no room for: another bus than that at header pins 3
    and 5, several buses, several muxes.
    """
    _check_bus(profile)
    parts = [Part(PI, "pi"), Part(STRIP, "strip"), *(Part(mux_name(name), "mux") for name in profile.muxes)]
    joins: list[tuple[int | None, Join]] = [(None, join) for join in _table_joins(profile)]
    grounds = _seat_grounds(profile)
    for seat in profile.seats:
        parts += _seat_parts(seat)
        joins += [(seat.number, join) for join in _panel_joins(seat)]
        joins += [(seat.number, join) for join in _button_joins(profile, seat, grounds[seat.number])]
        joins += [(seat.number, join) for join in _lamp_joins(profile, seat, grounds[seat.number])]
    wires = tuple(Wire(number, *join, seat=whose) for number, (whose, join) in enumerate(joins, 1))
    return Plan(profile, tuple(parts), wires)


def mux_name(name: str) -> str:
    """What drawings call the mux that the profile calls ``name``."""
    return f"mux {name}"


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


def _check_bus(profile: Profile) -> None:
    # Only this bus is at known header pins: others are put on pins by overlays that a profile does not name.
    if len(profile.buses) != 1:
        names = ", ".join(profile.buses)
        raise UsageError(
            f"board {profile.name} has {len(profile.buses)} I2C buses ({names}); drawings exist for boards "
            "with one bus, on header pins 3 and 5"
        )
    if len(profile.muxes) > 1:
        names = ", ".join(profile.muxes)
        raise UsageError(
            f"board {profile.name} has {len(profile.muxes)} muxes ({names}); drawings exist for one"
        )
    for name, bus in profile.buses.items():
        if bus.number not in (None, 1):
            raise UsageError(
                f"board {profile.name}: bus {name} is number {bus.number}; drawings exist for number 1, "
                "which is at header pins 3 and 5"
            )


def _on_pi(gpio: int) -> Terminal:
    return Terminal(PI, str(header.pin_of(gpio).number))


def _table_joins(profile: Profile) -> Iterator[Join]:
    rails = (
        (POWER, header.POWER_PIN),
        (GROUND, header.BUS_GROUND_PIN),
        (SDA, header.SDA_PIN),
        (SCL, header.SCL_PIN),
    )
    for signal, pin in rails:
        yield signal, Terminal(PI, str(pin)), Terminal(STRIP, signal.name)
    for name, mux in profile.muxes.items():
        for signal, pin_name in ((POWER, "VIN"), (GROUND, "GND"), (SDA, "SDA"), (SCL, "SCL")):
            yield signal, Terminal(STRIP, signal.name), Terminal(mux_name(name), pin_name)
        yield from _address_joins(name, mux)


def _address_joins(name: str, mux: MuxProfile) -> Iterator[Join]:
    """Address bits that are 1. Breakouts pull A0 to A2 down themselves, so 0x70 needs no wire."""
    for bit in range(3):
        if mux.address >> bit & 1:
            yield POWER, Terminal(STRIP, POWER.name), Terminal(mux_name(name), f"A{bit}")


def _seat_grounds(profile: Profile) -> dict[int, Terminal]:
    """A ground pin of the header for each seat: the free one nearest to its own pins, on their side."""
    free = [pin for pin in header.GROUND_PINS if pin != header.BUS_GROUND_PIN]
    grounds = {}
    for seat in profile.seats:
        pins = [header.pin_of(gpio).number for gpio in _gpios(seat)]
        nearest = min(free, key=lambda ground: (sum(_distance(ground, pin) for pin in pins), ground))
        free.remove(nearest)
        grounds[seat.number] = Terminal(PI, str(nearest))
    return grounds


def _gpios(seat: SeatProfile) -> tuple[int, ...]:
    lamp = () if seat.lamp is None else (seat.lamp,)
    return (*seat.buttons.by_button().values(), *lamp)


def _distance(pin: int, other: int) -> int:
    """Rows between two header pins; the far side counts as if it were beyond the header's end."""
    return abs((pin + 1) // 2 - (other + 1) // 2) + (0 if pin % 2 == other % 2 else 20)


def _seat_parts(seat: SeatProfile) -> Iterator[Part]:
    yield Part(panel_name(seat.number), "panel", seat.number)
    for button in Button:
        yield Part(button_name(seat.number, button), "button", seat.number)
    if seat.lamp is not None:
        yield Part(resistor_name(seat.number), "resistor", seat.number)
        yield Part(lamp_name(seat.number), "lamp", seat.number)


def _panel_joins(seat: SeatProfile) -> Iterator[Join]:
    panel = panel_name(seat.number)
    yield GROUND, Terminal(STRIP, GROUND.name), Terminal(panel, "GND")
    yield POWER, Terminal(STRIP, POWER.name), Terminal(panel, "VCC")
    yield SCL, _bus_end(seat.screen, SCL), Terminal(panel, "SCL")
    yield SDA, _bus_end(seat.screen, SDA), Terminal(panel, "SDA")


def _bus_end(screen: ScreenProfile, signal: Signal) -> Terminal:
    if screen.mux is None:
        return Terminal(STRIP, signal.name)
    return Terminal(mux_name(screen.mux), f"{'SD' if signal is SDA else 'SC'}{screen.channel}")


def _button_joins(profile: Profile, seat: SeatProfile, ground: Terminal) -> Iterator[Join]:
    for button, gpio in seat.buttons.by_button().items():
        yield BUTTONS[button], _on_pi(gpio), Terminal(button_name(seat.number, button), "a")
    # The buttons' other contacts are chained, so that one core of the cable serves all four.
    signal, last = _common(profile, ground)
    for button in Button:
        contact = Terminal(button_name(seat.number, button), "b")
        yield signal, last, contact
        last = contact


def _common(profile: Profile, ground: Terminal) -> tuple[Signal, Terminal]:
    """What a pressed button's pin is joined to."""
    return (GROUND, ground) if profile.active == "low" else (POWER, Terminal(STRIP, POWER.name))


def _lamp_joins(profile: Profile, seat: SeatProfile, ground: Terminal) -> Iterator[Join]:
    if seat.lamp is None:
        return
    lamp, resistor = lamp_name(seat.number), resistor_name(seat.number)
    yield LAMP, _on_pi(seat.lamp), Terminal(resistor, "a")
    yield LAMP, Terminal(resistor, "b"), Terminal(lamp, "long leg")
    last = Terminal(button_name(seat.number, Button.PLAY), "b") if profile.active == "low" else ground
    yield GROUND, last, Terminal(lamp, "short leg")
