"""What is joined to what on a board, worked out from its profile."""

from collections.abc import Iterator

from firmware.errors import UsageError
from firmware.wiring import header
from firmware.wiring.plan import (
    PI,
    POD,
    STRIP,
    Join,
    Part,
    Plan,
    Terminal,
    Wire,
    button_name,
    expander_name,
    lamp_name,
    mux_name,
    panel_name,
    resistor_name,
)
from firmware.wiring.pod_joins import pod_joins, pod_parts, pod_seat
from firmware.wiring.signals import BUTTONS, GROUND, INTERRUPT, LAMP, POWER, RESET, SCL, SDA, Signal
from hardware.profile import Bit, ExpanderProfile, Profile, ScreenProfile, WiredSeat
from hardware.seat import Button


def plan_of(profile: Profile) -> Plan:
    """Work out parts and wires; those of a pod once, however many pods there are.

    Raise UsageError for a board that the drawings have no room for: another bus than that at header pins 3
    and 5, several buses, several muxes; and for a pin map of the pods that they do not know.
    """
    parts: list[Part] = []
    joins: list[tuple[int | None, Join]] = []
    if profile.wired:
        _check_bus(profile)
        parts += [Part(PI, "pi"), Part(STRIP, "strip")]
        parts += [Part(mux_name(name), "mux") for name in profile.muxes]
        parts += [Part(expander_name(name), "expander") for name in profile.expanders]
        joins += [(None, join) for join in _table_joins(profile)]
    grounds = _seat_grounds(profile)
    for seat in profile.wired:
        parts += _seat_parts(seat)
        joins += [(seat.number, join) for join in _panel_joins(seat)]
        joins += [(seat.number, join) for join in _button_joins(profile, seat, grounds[seat.number])]
        joins += [(seat.number, join) for join in _lamp_joins(profile, seat, grounds[seat.number])]
    if profile.pods:
        pod = pod_seat()
        parts += pod_parts(pod)
        joins += [(POD, join) for join in pod_joins(pod)]
    wires = tuple(Wire(number, *join, seat=whose) for number, (whose, join) in enumerate(joins, 1))
    return Plan(profile, tuple(parts), wires)


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


def _on_expander(bit: Bit) -> Terminal:
    return Terminal(expander_name(bit.expander), f"GP{'AB'[bit.number // 8]}{bit.number % 8}")


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
        # Breakouts pull A0 to A2 down themselves, so only bits that are 1 need a wire.
        for bit in _address_bits(mux.address):
            yield POWER, Terminal(STRIP, POWER.name), Terminal(mux_name(name), f"A{bit}")
        if mux.reset is not None:
            yield RESET, _on_pi(mux.reset), Terminal(mux_name(name), "RST")
    for name, expander in profile.expanders.items():
        yield from _expander_joins(expander_name(name), expander)


def _expander_joins(part: str, expander: ExpanderProfile) -> Iterator[Join]:
    """The bare chip: no input may float (DS20001952, table 2-1)."""
    supply, ground = Terminal(part, "VDD"), Terminal(part, "VSS")
    yield POWER, Terminal(STRIP, POWER.name), supply
    yield GROUND, Terminal(STRIP, GROUND.name), ground
    yield SCL, Terminal(STRIP, SCL.name), Terminal(part, "SCL")
    yield SDA, Terminal(STRIP, SDA.name), Terminal(part, "SDA")
    yield POWER, supply, Terminal(part, "RESET")
    high = _address_bits(expander.address)
    for bit in range(3):
        yield (
            (POWER, supply, Terminal(part, f"A{bit}"))
            if bit in high
            else (GROUND, ground, Terminal(part, f"A{bit}"))
        )
    if expander.interrupt is not None:
        yield INTERRUPT, Terminal(part, "INTA"), _on_pi(expander.interrupt)


def _address_bits(address: int) -> tuple[int, ...]:
    """Which of the three address pins are high."""
    return tuple(bit for bit in range(3) if address >> bit & 1)


def _seat_grounds(profile: Profile) -> dict[int, Terminal]:
    """Where each seat's ground comes from.

    For a seat on the header it is the free ground pin nearest to its own pins, on their side; for one on an
    expander it is that chip's.
    """
    free = [pin for pin in header.GROUND_PINS if pin != header.BUS_GROUND_PIN]
    grounds = {}
    for seat in profile.wired:
        bits = seat.buttons.bits()
        if bits:
            grounds[seat.number] = Terminal(expander_name(bits[Button.LEFT].expander), "VSS")
            continue
        pins = [header.pin_of(gpio).number for gpio in _gpios(seat)]
        nearest = min(free, key=lambda ground: (sum(_distance(ground, pin) for pin in pins), ground))
        free.remove(nearest)
        grounds[seat.number] = Terminal(PI, str(nearest))
    return grounds


def _gpios(seat: WiredSeat) -> tuple[int, ...]:
    lamp = () if seat.lamp_pin is None else (seat.lamp_pin,)
    return (*seat.buttons.by_button().values(), *lamp)


def _distance(pin: int, other: int) -> int:
    """Rows between two header pins; the far side counts as if it were beyond the header's end."""
    return abs((pin + 1) // 2 - (other + 1) // 2) + (0 if pin % 2 == other % 2 else 20)


def _seat_parts(seat: WiredSeat) -> Iterator[Part]:
    yield Part(panel_name(seat.number), "panel", seat.number)
    for button in Button:
        yield Part(button_name(seat.number, button), "button", seat.number)
    if seat.lamp is not None:
        yield Part(resistor_name(seat.number), "resistor", seat.number)
        yield Part(lamp_name(seat.number), "lamp", seat.number)


def _panel_joins(seat: WiredSeat) -> Iterator[Join]:
    panel = panel_name(seat.number)
    yield GROUND, Terminal(STRIP, GROUND.name), Terminal(panel, "GND")
    yield POWER, Terminal(STRIP, POWER.name), Terminal(panel, "VCC")
    yield SCL, _bus_end(seat.screen, SCL), Terminal(panel, "SCL")
    yield SDA, _bus_end(seat.screen, SDA), Terminal(panel, "SDA")


def _bus_end(screen: ScreenProfile, signal: Signal) -> Terminal:
    if screen.mux is None:
        return Terminal(STRIP, signal.name)
    return Terminal(mux_name(screen.mux), f"{'SD' if signal is SDA else 'SC'}{screen.channel}")


def _button_joins(profile: Profile, seat: WiredSeat, ground: Terminal) -> Iterator[Join]:
    sources = {button: _on_pi(gpio) for button, gpio in seat.buttons.by_button().items()}
    sources |= {button: _on_expander(bit) for button, bit in seat.buttons.bits().items()}
    for button in Button:
        yield BUTTONS[button], sources[button], Terminal(button_name(seat.number, button), "a")
    # The buttons' other contacts are chained, so that one core of the cable serves all four.
    signal, last = _common(profile, ground)
    for button in Button:
        contact = Terminal(button_name(seat.number, button), "b")
        yield signal, last, contact
        last = contact


def _common(profile: Profile, ground: Terminal) -> tuple[Signal, Terminal]:
    """What a pressed button's pin is joined to."""
    return (GROUND, ground) if profile.active == "low" else (POWER, Terminal(STRIP, POWER.name))


def _lamp_joins(profile: Profile, seat: WiredSeat, ground: Terminal) -> Iterator[Join]:
    if seat.lamp_pin is not None:
        source = _on_pi(seat.lamp_pin)
    elif seat.lamp_bit is not None:
        source = _on_expander(seat.lamp_bit)
    else:
        return
    lamp, resistor = lamp_name(seat.number), resistor_name(seat.number)
    yield LAMP, source, Terminal(resistor, "a")
    yield LAMP, Terminal(resistor, "b"), Terminal(lamp, "long leg")
    last = Terminal(button_name(seat.number, Button.PLAY), "b") if profile.active == "low" else ground
    yield GROUND, last, Terminal(lamp, "short leg")
