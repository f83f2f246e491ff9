"""The sheet of the strip that shares out the bus, and of the mux."""

from firmware.wiring.plan import PI, STRIP, Plan, Terminal, Wire, mux_name
from firmware.wiring.sheet import FAINT, GREY, MARGIN, TICK, WIDTH, Sheet
from firmware.wiring.signals import GROUND, POWER, SCL, SDA

RAILS = {POWER.name: 78.0, GROUND.name: 88.0, SDA.name: 98.0, SCL.name: 108.0}
RAIL_LEFT, RAIL_RIGHT = 40.0, WIDTH - MARGIN
SOURCE, COLUMNS = 18.0, 58.0
"""The Pi's pins, and where the other wires' holes begin."""
ABOVE = 62.0
MUX_LEFT = 34.0
MUX_TOP, MUX_BOTTOM, SEATS_TOP = 134.0, 166.0, 184.0
CHANNELS = 8


def draw_bus(sheet: Sheet, plan: Plan, sheet_of: dict[int | None, int]) -> None:
    """Draw strip and mux. ``sheet_of``: number of the sheet where a seat's wires go on."""
    _rails(sheet, plan)
    if plan.profile.muxes:
        sheet.box(
            MUX_LEFT,
            MUX_TOP,
            RAIL_RIGHT - MUX_LEFT,
            MUX_BOTTOM - MUX_TOP,
            fill="#e8f0fb",
            line=0.4,
            corner=1.5,
        )
    groups = _groups(plan)
    unit = (RAIL_RIGHT - COLUMNS) / sum(len(wires) for wires in groups.values())
    left = COLUMNS
    for seat, wires in groups.items():
        width = min(unit, 9.0) * len(wires)
        pitch = width / (len(wires) + 0.5)
        places = [(left + pitch * (nth + 0.6), wire) for nth, wire in enumerate(wires)]
        if seat is None:
            _downward(sheet, places)
        else:
            _upward(sheet, places, (left, width), f"seat {seat}", f"sheet {sheet_of[seat]}")
        left += unit * len(wires)
    for name, mux in plan.profile.muxes.items():
        _mux(sheet, plan, name, mux.address, sheet_of)
    _list(sheet, plan, 216.0 if plan.profile.muxes else 132.0)


def _groups(plan: Plan) -> dict[int | None, list[Wire]]:
    """The wires that leave the strip, by the seat that they go to; None: to the mux."""
    groups: dict[int | None, list[Wire]] = {}
    for wire in plan.wires:
        if wire.start.part == STRIP:
            groups.setdefault(wire.seat, []).append(wire)
    return groups


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


def _upward(
    sheet: Sheet, places: list[tuple[float, Wire]], span: tuple[float, float], label: str, page: str
) -> None:
    left, width = span
    sheet.box(left + 0.6, ABOVE - 13, width - 1.2, 9, fill=FAINT, corner=1)
    sheet.text(left + width / 2, ABOVE - 9.2, label, 2.9, "middle", bold=True)
    sheet.text(left + width / 2, ABOVE - 5.8, page, 2.3, "middle")
    for x, wire in places:
        _tap(sheet, x, wire, ABOVE - 4)
        sheet.text(x + 1.2, ABOVE + 3, str(wire.number), 2.3, bold=True)


def _downward(sheet: Sheet, places: list[tuple[float, Wire]]) -> None:
    for x, wire in places:
        _tap(sheet, x, wire, MUX_TOP)
        sheet.text(x + 1.2, MUX_TOP - 6, str(wire.number), 2.3, bold=True)
        sheet.text(x, MUX_TOP + 4.6, wire.end.pin, 2.5, "middle", bold=True)


def _tap(sheet: Sheet, x: float, wire: Wire, end: float) -> None:
    y = RAILS[wire.start.pin]
    sheet.wire([(x, y), (x, end)], wire)
    sheet.disc(x, y, 1.2, fill="#ffffff")


def _mux(sheet: Sheet, plan: Plan, name: str, address: int, sheet_of: dict[int | None, int]) -> None:
    left = MUX_LEFT
    middle = (left + RAIL_RIGHT) / 2
    sheet.text(middle, MUX_TOP + 13, f"mux {name}: TCA9548A at 0x{address:02X}", 4, "middle", bold=True)
    sheet.text(
        middle, MUX_TOP + 18.5, "RST stays open, and so do A0, A1, A2 where no wire is drawn", 2.6, "middle"
    )
    pitch = (RAIL_RIGHT - left - 6) / CHANNELS
    for channel in range(CHANNELS):
        center = left + 3 + (channel + 0.5) * pitch
        seats: list[int] = []
        for pin, x in ((f"SD{channel}", center - 4.3), (f"SC{channel}", center + 4.3)):
            wires = [wire for wire in plan.wires if wire.start == Terminal(mux_name(name), pin)]
            for wire in wires:
                sheet.wire([(x, MUX_BOTTOM), (x, SEATS_TOP)], wire)
            if wires:
                numbers = ", ".join(str(wire.number) for wire in wires)
                sheet.text(x + 1.2, MUX_BOTTOM + 5, numbers, 2.3, bold=True)
                seats = [wire.seat for wire in wires if wire.seat is not None]
            sheet.text(
                x, MUX_BOTTOM - 2, pin, 2.5, "middle", bold=bool(wires), fill="#000000" if wires else GREY
            )
        if seats:
            sheet.box(center - pitch / 2 + 0.8, SEATS_TOP, pitch - 1.6, 9, fill=FAINT, corner=1)
            sheet.text(center, SEATS_TOP + 3.8, f"seat {seats[0]}", 2.9, "middle", bold=True)
            sheet.text(center, SEATS_TOP + 7.2, f"sheet {sheet_of[seats[0]]}", 2.3, "middle")


def _list(sheet: Sheet, plan: Plan, y: float) -> None:
    columns = (
        ("done", 12.0),
        ("no.", 23.0),
        ("signal", 31.0),
        ("colour", 45.0),
        ("from", 75.0),
        ("to", 130.0),
    )
    rows = [
        (TICK, str(wire.number), wire.signal.name, wire.signal, str(wire.start), str(wire.end))
        for wire in plan.wires_of(None)
    ]
    sheet.table(y, columns, rows, 5.4)
