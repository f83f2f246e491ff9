"""Drawing a part with two rows of pins, each with its wire to a box that says where it goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from firmware.wiring.pages import aim_of
from firmware.wiring.pinout import Place
from firmware.wiring.plan import Plan, Terminal
from firmware.wiring.sheet import GREY, MARGIN, WIDTH, Anchor, Sheet

GROUP_WIDTH = 22.0


@dataclass(frozen=True, slots=True)
class Rows:
    """A part and where its two rows of pins are drawn: ``top`` is the first row, ``pitch`` their distance."""

    part: str
    places: Sequence[Place]
    left: float
    right: float
    top: float
    pitch: float

    def at(self, place: Place) -> tuple[float, float]:
        """Middle of a pin."""
        return (self.left if place.left else self.right), self.top + place.row * self.pitch


def draw_rows(sheet: Sheet, plan: Plan, rows: Rows) -> None:
    """Draw pins, wires and boxes; the part's body must be there already."""
    for place in rows.places:
        _pin(sheet, plan, rows, place)
    for left in (True, False):
        side = sorted((place for place in rows.places if place.left is left), key=lambda place: place.row)
        _boxes(sheet, plan, rows, side)


def _pin(sheet: Sheet, plan: Plan, rows: Rows, place: Place) -> None:
    toward = -1 if place.left else 1
    x, y = rows.at(place)
    edge = MARGIN + GROUP_WIDTH if place.left else WIDTH - MARGIN - GROUP_WIDTH
    near: Anchor = "end" if place.left else "start"
    far: Anchor = "start" if place.left else "end"
    wire = plan.at(rows.part, place.pin)
    if wire is None:
        sheet.text(x + toward * 9, y + 1.05, place.name, 2.9, near, fill=GREY)
        sheet.pin(x, y, place.mark, used=False)
        return
    sheet.wire([(x, y), (edge, y)], wire)
    sheet.pin(x, y, place.mark)
    sheet.text(x + toward * 9, y - 1.6, place.name, 2.9, near)
    sheet.text(edge - toward * 2, y - 1.6, wire.signal.name, 2.9, far, bold=True)


def _boxes(sheet: Sheet, plan: Plan, rows: Rows, side: Sequence[Place]) -> None:
    """One box for each run of pins that go to the same; pins without a wire between them do not end it."""
    used = [
        (place, aim_of(plan, wire, Terminal(rows.part, place.pin)))
        for place in side
        if (wire := plan.at(rows.part, place.pin))
    ]
    x = MARGIN if side[0].left else WIDTH - MARGIN - GROUP_WIDTH
    for aim, run in groupby(used, key=lambda entry: entry[1]):
        heights = [rows.at(place)[1] for place, _ in run]
        sheet.goal(x, heights[0] - 4, GROUP_WIDTH, heights[-1] - heights[0] + 8, aim)
