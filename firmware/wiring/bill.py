"""The bill of materials: everything to buy for a board, how much of it, and the current that it draws."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from firmware.wiring.currents import HUB, HUB_LIMIT, LAMP_OHM, Load, loads_of
from firmware.wiring.plan import PI, STRIP, Plan, panel_name
from firmware.wiring.pod_joins import pod_seat
from firmware.wiring.reach import ADDED_OHM, WEAK_PANEL_OHM, weak_panels

SEAT_METRES = 0.6
"""Cable from the middle of a table to a seat at its rim."""
LINK_METRES = 0.3
"""Hook-up wire for the links between a seat's buttons."""
EXPANDER_METRES = 1.0
"""Hook-up wire from the strip to an expander, four of 0.2 m at most, and for the links between its pins."""
POD_METRES = 1.5
"""Hook-up wire within a pod."""


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
    return (
        *_pi(plan, loads),
        *_chips(plan, loads),
        *_expanders(plan, loads),
        *_pods(plan, loads),
        *_seats(plan, loads),
        *_wiring(plan),
    )


def _pi(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    pi = "Raspberry Pi Zero 2 W, 3, 4 or 5"
    if plan.profile.wired:
        yield Item(1, "pc", pi, "with its 40-pin header soldered on", (loads["pull-ups of SDA and SCL"],))
    else:
        yield Item(1, "pc", pi, "its header stays empty")
    yield Item(1, "pc", "power supply for that Pi", "5.1 V; Zero 2 W and 3: 2.5 A, 4: 3 A, 5: 5 A")
    yield Item(1, "pc", "microSD card", "8 GB or more")


def _chips(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    profile = plan.profile
    if not profile.wired:
        return
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


def _pods(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    count = len(plan.profile.pods)
    if not count:
        return
    note = f"{count} sockets or more, with a supply of its own: 5 V, {HUB_LIMIT / 1000:g} A"
    yield Item(1, "pc", "USB hub, powered", note, (loads[HUB],))
    yield Item(1, "pc", "adapter, micro-USB plug to USB socket", "for a Zero 2 W only")
    yield Item(count, "pc", "USB cable, A to micro-B", "must carry data; 2 m, or as far as the seat is")
    note = "or Pico H or Pico 2, with MicroPython 1.24 or later; one for each pod"
    yield Item(count, "pc", "Raspberry Pi Pico", note, (loads["Pico"],))
    screen = pod_seat().screen
    chip = screen.chip.upper()
    note = f"I2C, four pins, runs on 3.3 V; address 0x{screen.address:02X}; one for each pod"
    yield Item(count, "pc", f"OLED panel 128×64 {chip}, pod", note, (loads[f"panel {chip} of a pod"],))


def _seats(plan: Plan, loads: dict[str, Load]) -> Iterator[Item]:
    seats = plan.profile.wired
    for chip in dict.fromkeys(seat.screen.chip for seat in seats):
        load = loads[f"panel {chip.upper()}"]
        addresses = sorted({f"0x{seat.screen.address:02X}" for seat in seats if seat.screen.chip == chip})
        note = f"I2C, four pins, runs on 3.3 V; address {' and '.join(addresses)}"
        yield Item(load.count, "pc", f"OLED panel 128×64 {chip.upper()}", note, (load,))
    if seats and weak_panels(plan):
        note = f"only for panels whose own pull-ups are {WEAK_PANEL_OHM // 1000} kΩ (marked 103)"
        yield Item(2 * len(seats), "pc", f"resistor {ADDED_OHM / 1000:g} kΩ", note)
    note = "closes while pressed; 12 mm or larger, with two or four legs"
    yield _item("push button", note, loads, "pressed button")
    if any(load in loads for load in ("lamp", "lamp at an expander", "lamp of a pod")):
        leds = _item("LED", "red, orange or yellow, 3 or 5 mm", loads, "lamp")
        yield leds
        yield Item(leds.quantity, "pc", f"resistor {LAMP_OHM} Ω", "0.25 W, one for each LED")


def _item(what: str, note: str, loads: dict[str, Load], load: str) -> Item:
    """An item of which some may be at the header, some at an expander, some in pods."""
    names = (load, f"{load} at an expander", f"{load} of a pod")
    found = tuple(loads[name] for name in names if name in loads)
    return Item(sum(one.count for one in found), "pc", what, note, found)


def _wiring(plan: Plan) -> Iterator[Item]:
    seats, pods = plan.profile.wired, len(plan.profile.pods)
    if pods:
        metres, note = round(pods * POD_METRES, 1), f"within the pods, {POD_METRES:g} m each"
        yield Item(metres, "m", "hook-up wire for the pods", f"{note}; solid core, 0.5 mm")
    if seats:
        yield from _cables(plan)
    yield Item(1, "m", "heat-shrink tube", "2 mm, over every soldered joint in a cable")


def _cables(plan: Plan) -> Iterator[Item]:
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
    profile = plan.profile
    links = round(len(seats) * LINK_METRES + 1 + len(profile.expanders) * EXPANDER_METRES, 1)
    chips = [name for name, some in (("mux", profile.muxes), ("expanders", profile.expanders)) if some]
    note = f"links between buttons{', and strip to ' if chips else ''}{' and '.join(chips)}"
    yield Item(links, "m", "hook-up wire", f"{note}; solid core, 0.5 mm")


def _button_cores(plan: Plan, seat: int) -> int:
    """Wires that come from elsewhere to a seat's buttons and lamp."""
    own = {part.name for part in plan.parts if part.seat == seat}
    return sum(
        wire.start.part not in own and wire.end.part != panel_name(seat) for wire in plan.wires_of(seat)
    )
