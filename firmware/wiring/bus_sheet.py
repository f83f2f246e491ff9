"""The sheet of the strip that shares out the bus, and of the mux."""

from firmware.wiring.pages import Aim, aim_of
from firmware.wiring.plan import PI, STRIP, Plan, Terminal, Wire, mux_name
from firmware.wiring.sheet import GREY, MARGIN, WIDTH, Sheet
from firmware.wiring.signals import GROUND, POWER, SCL, SDA
from firmware.wiring.wire_list import list_wires
from hardware.profile import MuxProfile

RAILS = {POWER.name: 78.0, GROUND.name: 88.0, SDA.name: 98.0, SCL.name: 108.0}
RAIL_LEFT, RAIL_RIGHT = 40.0, WIDTH - MARGIN
SOURCE, COLUMNS = 18.0, 55.0
"""The Pi's pins, and where the other wires' holes begin."""
ABOVE = 62.0
MUX_LEFT = 34.0
MUX_TOP, MUX_BOTTOM, SEATS_TOP = 134.0, 166.0, 184.0
CHANNELS = 8


def draw_bus(sheet: Sheet, plan: Plan) -> None:
    """Draw strip and mux."""
    _rails(sheet, plan)
    if plan.profile.muxes:
        width, height = RAIL_RIGHT - MUX_LEFT, MUX_BOTTOM - MUX_TOP
        sheet.box(MUX_LEFT, MUX_TOP, width, height, fill="#e8f0fb", line=0.4, corner=1.5)
    groups = _groups(plan)
    # The mux's pins have their names beside each other, so its wires stand further apart.
    shares = {aim: len(wires) * (1.3 if aim.label == "bus" else 1) for aim, wires in groups.items()}
    unit = (RAIL_RIGHT - COLUMNS) / sum(shares.values())
    left = COLUMNS
    for aim, wires in groups.items():
        width = min(unit, 9.0) * shares[aim]
        pitch = width / (len(wires) + 0.5)
        places = [(left + pitch * (nth + 0.6), wire) for nth, wire in enumerate(wires)]
        if aim.label == "bus":
            _downward(sheet, places)
        else:
            sheet.goal(left + 0.3, ABOVE - 13, width - 0.6, 9, aim)
            _upward(sheet, places, turned=pitch < 6)
        left += unit * shares[aim]
    for name, mux in plan.profile.muxes.items():
        _mux(sheet, plan, name, mux)
    own = [wire for wire in plan.wires_of(None) if not _elsewhere(wire)]
    list_wires(sheet, 216.0 if plan.profile.muxes else 132.0, own)


def _groups(plan: Plan) -> dict[Aim, list[Wire]]:
    """The wires that leave the strip, by where they go."""
    groups: dict[Aim, list[Wire]] = {}
    for wire in plan.wires:
        if wire.start.part == STRIP:
            groups.setdefault(aim_of(plan, wire, wire.start), []).append(wire)
    return groups


def _elsewhere(wire: Wire) -> bool:
    """Whether a wire is listed on an expander's sheet."""
    return any(end.part.startswith("expander ") for end in (wire.start, wire.end))


def _rails(sheet: Sheet, plan: Plan) -> None:
    sheet.text(MARGIN, 38, "strip: four rails of a stripboard", 4, bold=True)
    sheet.text(MARGIN, 43.5, "All holes along a rail are one point; cut no rail.", 2.8)
    for rail, y in RAILS.items():
        sheet.box(RAIL_LEFT, y - 3.2, RAIL_RIGHT - RAIL_LEFT, 6.4, fill="#f3dfc1", corner=1)
        sheet.text(RAIL_LEFT + 3, y + 1.1, rail, 3.2, bold=True)
    for wire in plan.wires:
        if (wire.start.part, wire.end.part) == (PI, STRIP):
            y = RAILS[wire.end.pin]
            sheet.wire([(SOURCE, y), (RAIL_LEFT + 1, y)], wire)
            sheet.pin(SOURCE, y, wire.start.pin)
            sheet.text(SOURCE + 5, y - 1.5, str(wire.number), 2.6, bold=True)
    sheet.text(SOURCE, RAILS[POWER.name] - 6, "Pi pin", 2.7, "middle")


def _upward(sheet: Sheet, places: list[tuple[float, Wire]], turned: bool) -> None:
    for x, wire in places:
        _tap(sheet, x, wire, ABOVE - 4)
        if turned:
            sheet.text(x + 2.9, ABOVE + 7, str(wire.number), 2.3, bold=True, turned=True)
        else:
            sheet.text(x + 1.1, ABOVE + 3, str(wire.number), 2.3, bold=True)


def _downward(sheet: Sheet, places: list[tuple[float, Wire]]) -> None:
    for x, wire in places:
        _tap(sheet, x, wire, MUX_TOP)
        sheet.text(x + 1.2, MUX_TOP - 6, str(wire.number), 2.3, bold=True)
        sheet.text(x, MUX_TOP + 4.6, wire.end.pin, 2.3, "middle")


def _tap(sheet: Sheet, x: float, wire: Wire, end: float) -> None:
    y = RAILS[wire.start.pin]
    sheet.wire([(x, y), (x, end)], wire)
    sheet.disc(x, y, 1.2, fill="#ffffff")


def _mux(sheet: Sheet, plan: Plan, name: str, mux: MuxProfile) -> None:
    part, middle = mux_name(name), (MUX_LEFT + RAIL_RIGHT) / 2
    sheet.text(middle, MUX_TOP + 13, f"{part}: TCA9548A at 0x{mux.address:02X}", 4, "middle", bold=True)
    left_open = "A0, A1, A2 stay open where no wire is drawn"
    if mux.reset is None:
        left_open = f"RST and {left_open}"
    sheet.text(middle, MUX_TOP + 18.5, left_open, 2.6, "middle")
    reset = plan.at(part, "RST")
    if reset is not None:
        y = MUX_TOP + 12
        sheet.wire([(SOURCE, y), (MUX_LEFT, y)], reset)
        sheet.pin(SOURCE, y, reset.start.pin)
        sheet.text(SOURCE + 5, y - 1.5, str(reset.number), 2.6, bold=True)
        sheet.text(MUX_LEFT + 2, y + 1, "RST", 2.5, bold=True)
    pitch = (RAIL_RIGHT - MUX_LEFT - 6) / CHANNELS
    for channel in range(CHANNELS):
        _channel(sheet, plan, part, channel, (MUX_LEFT + 3 + (channel + 0.5) * pitch, pitch))


def _channel(sheet: Sheet, plan: Plan, part: str, channel: int, span: tuple[float, float]) -> None:
    """A channel's two pins at the mux's lower edge; ``span``: its middle and its width."""
    center, pitch = span
    for pin, x in ((f"SD{channel}", center - 4.3), (f"SC{channel}", center + 4.3)):
        wires = [wire for wire in plan.wires if wire.start == Terminal(part, pin)]
        for wire in wires:
            sheet.wire([(x, MUX_BOTTOM), (x, SEATS_TOP)], wire)
        if wires:
            numbers = ", ".join(str(wire.number) for wire in wires)
            sheet.text(x + 1.2, MUX_BOTTOM + 5, numbers, 2.3, bold=True)
            aims = [aim_of(plan, wire, wire.start) for wire in wires]
            both = Aim(", ".join(aim.label for aim in aims), ", ".join(aim.place for aim in aims))
            sheet.goal(center - pitch / 2 + 0.8, SEATS_TOP, pitch - 1.6, 9, both)
        ink = "#000000" if wires else GREY
        sheet.text(x, MUX_BOTTOM - 2, pin, 2.5, "middle", bold=bool(wires), fill=ink)
