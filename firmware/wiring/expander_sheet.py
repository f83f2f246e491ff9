"""The sheet of one expander: an MCP23017 with all that is wired to it."""

from firmware.wiring.pages import aim_of
from firmware.wiring.pinout import CHIP_PLACES
from firmware.wiring.plan import Plan, Terminal, Wire, expander_name
from firmware.wiring.rows_sheet import Rows, draw_rows
from firmware.wiring.sheet import MARGIN, WIDTH, Sheet
from firmware.wiring.wire_list import list_wires

TOP, PITCH = 50.0, 9.0


def draw_expander(sheet: Sheet, plan: Plan, name: str) -> None:
    """Draw the expander that the profile calls ``name``."""
    part = expander_name(name)
    rows = Rows(part, CHIP_PLACES, left=89.0, right=121.0, top=TOP, pitch=PITCH)
    bottom = TOP + 13 * PITCH
    sheet.box(92, TOP - 6, 26, bottom - TOP + 12, fill="#3a3a3a", corner=1)
    sheet.disc(105, TOP - 6, 2.5, fill="#ffffff")
    sheet.text(106.2, (TOP + bottom) / 2, "MCP23017", 4, "middle", bold=True, fill="#ffffff", turned=True)
    address = f"0x{plan.profile.expanders[name].address:02X}"
    sheet.text(111.5, (TOP + bottom) / 2, address, 3, "middle", fill="#ffffff", turned=True)
    draw_rows(sheet, plan, rows)
    list_wires(sheet, 182, [wire for wire in plan.wires_of_part(part) if wire.seat is None])
    _grounds(sheet, plan, [wire for wire in plan.wires if wire.seat and wire.start == Terminal(part, "VSS")])
    sheet.lines(
        MARGIN,
        282,
        (
            "Seen from above, notch up. A capacitor of 100 nF joins pins 9 and 10, close to the chip.",
            "The wires of buttons and lamps are listed on their seats' sheets.",
        ),
        2.8,
    )


def _grounds(sheet: Sheet, plan: Plan, wires: list[Wire]) -> None:
    """The seats' grounds, on the rail of VSS."""
    y, left, right = 271.0, 40.0, WIDTH - MARGIN
    sheet.box(left, y - 3.2, right - left, 6.4, fill="#f3dfc1", corner=1)
    sheet.text(left + 3, y + 1.1, "rail of pin 10, VSS", 3, bold=True)
    for index, wire in enumerate(wires):
        x = 100 + index * 16
        sheet.goal(x - 7, y - 20, 14, 9, aim_of(plan, wire, wire.start))
        sheet.wire([(x, y), (x, y - 11)], wire)
        sheet.disc(x, y, 1.2, fill="#ffffff")
        sheet.text(x + 1.2, y - 5.5, str(wire.number), 2.3, bold=True)
