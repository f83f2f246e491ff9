"""The bill of materials: everything to buy for a board, how much of it, and the current that it draws."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from firmware.wiring.currents import LAMP_OHM, Load, loads_of
from firmware.wiring.plan import PI, STRIP, Plan, panel_name
from firmware.wiring.reach import ADDED_OHM, WEAK_PANEL_OHM, weak_panels

SEAT_METRES = 0.6
"""Cable from the middle of a table to a seat at its rim."""
LINK_METRES = 0.3
"""Hook-up wire for the links between a seat's buttons."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the bill. ``unit`` is "pc" or "m". ``loads``: the currents that this draws."""

    quantity: float
    unit: str
    what: str
    note: str = ""
    loads: tuple[Load, ...] = ()


def bill_of(plan: Plan) -> tuple[Item, ...]:
    """The bill, in the order of assembly."""
    loads = {load.part: load for load in loads_of(plan)}
    return (*_pi(loads), *_chips(plan, loads), *_expanders(plan, loads), *_seats(plan, loads), *_wiring(plan))


def _pi(loads: dict[str, Load]) -> Iterator[Item]:
    pull_ups = loads["pull-ups of SDA and SCL"]
    yield Item(1, "pc", "Raspberry Pi Zero 2 W, 3, 4 or 5", "with its 40-pin header soldered on", (pull_ups,))
    yield Item(1, "pc", "power supply for that Pi", "5.1 V; Zero 2 W and 3: 2.5 A, 4: 3 A, 5: 5 A")
    yield Item(1, "pc", "microSD card", "8 GB or more")


def _chips(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    profile = plan.profile
    rails = Counter(end.pin for wire in plan.wires for end in (wire.start, wire.end) if end.part == STRIP)
    holes = max(rails.values())
    yield Item(1, "pc", "stripboard", f"the strip: 4 rails of {holes} holes or more, no rail cut")
    if profile.muxes:
        note = "3.3 V, address jumpers open: 0x70"
        yield Item(len(profile.muxes), "pc", "breakout board TCA9548A", note, (loads["mux TCA9548A"],))


def _expanders(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    count = len(plan.profile.expanders)
    if count:
        chip = (loads["expander MCP23017"],)
        yield Item(count, "pc", "MCP23017-E/SP", "the expander: 28 pins, 300 mil wide, to be soldered", chip)
        yield Item(count, "pc", "socket, 28 pins, 300 mil", "one for each MCP23017")
        yield Item(count, "pc", "ceramic capacitor 100 nF", "between VDD and VSS of each MCP23017")
        note = "16 rails of 10 holes or more, cut between the two rows of the socket"
        yield Item(count, "pc", "stripboard for an expander", note)


def _seats(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    seats = plan.profile.wired
    for chip in dict.fromkeys(seat.screen.chip for seat in seats):
        load = loads[f"panel {chip.upper()}"]
        addresses = sorted({f"0x{seat.screen.address:02X}" for seat in seats if seat.screen.chip == chip})
        note = f"I2C, four pins, runs on 3.3 V; address {' and '.join(addresses)}"
        yield Item(load.count, "pc", f"OLED panel 128×64 {chip.upper()}", note, (load,))
    if weak_panels(plan):
        note = f"only for panels whose own pull-ups are {WEAK_PANEL_OHM // 1000} kΩ (marked 103)"
        yield Item(2 * len(seats), "pc", f"resistor {ADDED_OHM / 1000:g} kΩ", note)
    note = "closes while pressed; 12 mm or larger, with two or four legs"
    yield _item("push button", note, loads, "pressed button")
    if any(seat.lamp is not None for seat in seats):
        leds = _item("LED", "red, orange or yellow, 3 or 5 mm", loads, "lamp")
        yield leds
        yield Item(leds.quantity, "pc", f"resistor {LAMP_OHM} Ω", "0.25 W, one for each LED")


def _item(what: str, note: str, loads: dict[str, Load], load: str) -> Item:
    """An item of which some may be at the header and some at an expander."""
    both = tuple(loads[name] for name in (load, f"{load} at an expander") if name in loads)
    return Item(sum(one.count for one in both), "pc", what, note, both)


def _wiring(plan: Plan) -> Iterator[Item]:
    seats = plan.profile.wired
    leads = sum(PI in (wire.start.part, wire.end.part) for wire in plan.wires)
    yield Item(
        leads, "pc", "jumper lead with a female end", "for the Pi's header; the other end is cut and soldered"
    )
    panels = round(len(seats) * SEAT_METRES, 1)
    yield Item(panels, "m", "flat cable, 4 cores", f"strip and mux to the panels, {SEAT_METRES:g} m a seat")
    for cores, count in sorted(Counter(_button_cores(plan, seat.number) for seat in seats).items()):
        metres = round(count * SEAT_METRES, 1)
        yield Item(
            metres, "m", f"cable, {cores} cores", f"Pi or expander to the buttons, {SEAT_METRES:g} m a seat"
        )
    links = round(len(seats) * LINK_METRES + 1, 1)
    yield Item(
        links, "m", "hook-up wire", "links between buttons, and Pi to strip and mux; solid core, 0.5 mm"
    )
    yield Item(1, "m", "heat-shrink tube", "2 mm, over every soldered joint in a cable")


def _button_cores(plan: Plan, seat: int) -> int:
    """Wires that come from elsewhere to a seat's buttons and lamp."""
    own = {part.name for part in plan.parts if part.seat == seat}
    return sum(
        wire.start.part not in own and wire.end.part != panel_name(seat) for wire in plan.wires_of(seat)
    )
