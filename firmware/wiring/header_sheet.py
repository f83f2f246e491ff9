"""The sheet that shows the Pi's header with every wire that is plugged into it."""

from firmware.wiring.pinout import HEADER_PLACES
from firmware.wiring.plan import PI, Plan
from firmware.wiring.rows_sheet import Rows, draw_rows
from firmware.wiring.sheet import GREY, MARGIN, Sheet

ROWS = Rows(PI, HEADER_PLACES, left=99.0, right=111.0, top=52.0, pitch=9.6)


def draw_header(sheet: Sheet, plan: Plan) -> None:
    """Draw the header as it lies on the Pi."""
    _board(sheet)
    draw_rows(sheet, plan, ROWS)
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


def _board(sheet: Sheet) -> None:
    top, bottom = ROWS.top, ROWS.top + 19 * ROWS.pitch
    sheet.box(66, top - 9, 52, bottom - top + 18, fill="#eef6ee", stroke=GREY, corner=3)
    sheet.box(ROWS.left - 5, top - 5.5, 22, bottom - top + 11, fill="#d8d8d8", line=0.4, corner=1)
    sheet.text(92.5, top - 11, "microSD end of the Pi", 2.8, "middle", fill=GREY)
    sheet.text(92.5, bottom + 13, "USB and network end (Pi 3, 4, 5)", 2.8, "middle", fill=GREY)
