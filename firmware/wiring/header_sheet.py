"""The sheet that shows the Pi's header with every wire that is plugged into it."""

from itertools import groupby

from firmware.wiring.header import HEADER, HeaderPin
from firmware.wiring.plan import PI, Plan
from firmware.wiring.sheet import FAINT, GREY, MARGIN, WIDTH, Anchor, Sheet

TOP, PITCH = 52.0, 9.6
ODD, EVEN = 99.0, 111.0
GROUP_WIDTH = 22.0
EXTRA = {2: "SDA", 3: "SCL", 0: "ID_SD", 1: "ID_SC"}
"""What a few GPIO are called besides their number."""


def draw_header(sheet: Sheet, plan: Plan, sheet_of: dict[int | None, int]) -> None:
    """Draw the header as it lies on the Pi. ``sheet_of``: number of the sheet where a seat's wires go on."""
    _board(sheet)
    for pin in HEADER:
        _row(sheet, plan, pin)
    for side in (1, 0):
        _groups(sheet, plan, [pin for pin in HEADER if pin.number % 2 == side], sheet_of)
    sheet.legend(259, [wire.signal for wire in plan.wires])
    sheet.lines(
        MARGIN,
        274,
        (
            "Seen from above, header at the right edge. Pin 1, square, is the inner one at the microSD end.",
            "Put no wire on a 5V pin: one slip to a neighbour destroys the Pi. Pins 27 and 28 stay free too.",
            "The number in a pin counts along the header; GPIO numbers (BCM) are those of the software.",
        ),
        2.8,
    )


def _y(pin: HeaderPin) -> float:
    return TOP + (pin.number - 1) // 2 * PITCH


def _board(sheet: Sheet) -> None:
    bottom = TOP + 19 * PITCH
    sheet.box(66, TOP - 9, 52, bottom - TOP + 18, fill="#eef6ee", stroke=GREY, corner=3)
    sheet.box(ODD - 5, TOP - 5.5, EVEN - ODD + 10, bottom - TOP + 11, fill="#d8d8d8", line=0.4, corner=1)
    sheet.text(92.5, TOP - 11, "microSD end of the Pi", 2.8, "middle", fill=GREY)
    sheet.text(92.5, bottom + 13, "USB and network end (Pi 3, 4, 5)", 2.8, "middle", fill=GREY)


def _row(sheet: Sheet, plan: Plan, pin: HeaderPin) -> None:
    left = pin.number % 2 == 1
    toward = -1 if left else 1
    x, y = (ODD if left else EVEN), _y(pin)
    edge = MARGIN + GROUP_WIDTH if left else WIDTH - MARGIN - GROUP_WIDTH
    wire = plan.at(PI, str(pin.number))
    name = f"{pin.name} {EXTRA.get(pin.gpio, '')}" if pin.gpio in EXTRA else pin.name
    near: Anchor = "end" if left else "start"
    far: Anchor = "start" if left else "end"
    if wire is None:
        sheet.text(x + toward * 9, y + 1.05, name, 2.9, near, fill=GREY)
        sheet.pin(x, y, pin.number, used=False, square=pin.number == 1)
        return
    sheet.wire([(x, y), (edge, y)], wire)
    sheet.pin(x, y, pin.number, square=pin.number == 1)
    sheet.text(x + toward * 9, y - 1.6, name, 2.9, near)
    sheet.text(edge - toward * 2, y - 1.6, wire.signal.name, 2.9, far, bold=True)


def _groups(sheet: Sheet, plan: Plan, pins: list[HeaderPin], sheet_of: dict[int | None, int]) -> None:
    """One box for each run of pins of one seat; pins without a wire between them do not end it."""
    used = [(pin, wire) for pin in pins if (wire := plan.at(PI, str(pin.number)))]
    x = MARGIN if pins[0].number == 1 else WIDTH - MARGIN - GROUP_WIDTH
    for seat, run in groupby(used, key=lambda entry: entry[1].seat):
        rows = [_y(pin) for pin, _ in run]
        top, height = rows[0] - 4, rows[-1] - rows[0] + 8
        sheet.box(x, top, GROUP_WIDTH, height, fill=FAINT, corner=1)
        middle = top + height / 2
        sheet.text(
            x + GROUP_WIDTH / 2,
            middle - 0.3,
            "bus" if seat is None else f"seat {seat}",
            3,
            "middle",
            bold=True,
        )
        sheet.text(x + GROUP_WIDTH / 2, middle + 3, f"sheet {sheet_of[seat]}", 2.4, "middle")
