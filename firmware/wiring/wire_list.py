"""The list of a sheet's wires, to tick off."""

from collections.abc import Sequence

from firmware.wiring.plan import Wire
from firmware.wiring.sheet import GREY, MARGIN, WIDTH, Sheet, fitting

TICK, NUMBER, SIGNAL, COLOUR, FROM, TO = 12.0, 23.0, 31.0, 47.0, 77.0, 134.0
"""Left edges of the columns."""
PITCH, SIZE = 5.4, 2.7


def list_wires(sheet: Sheet, y: float, wires: Sequence[Wire]) -> None:
    """Draw the list; ``y`` is the base line of its headings."""
    headings = {"done": TICK, "no.": NUMBER, "signal": SIGNAL, "colour": COLOUR, "from": FROM, "to": TO}
    for heading, x in headings.items():
        sheet.text(x, y, heading, SIZE, bold=True)
    sheet.line([(MARGIN, y + 1.5), (WIDTH - MARGIN, y + 1.5)], 0.4)
    for index, wire in enumerate(wires, 1):
        base = y + 1 + index * PITCH
        sheet.box(TICK, base - 2.6, 3, 3)
        sheet.text(NUMBER, base, str(wire.number), SIZE)
        sheet.text(SIGNAL, base, wire.signal.name, SIZE)
        sheet.sample(COLOUR, base - 1, 9, wire.signal)
        sheet.text(COLOUR + 11, base, wire.signal.colour, SIZE)
        for x, words, end in ((FROM, str(wire.start), TO), (TO, str(wire.end), WIDTH - MARGIN)):
            sheet.text(x, base, words, fitting(words, SIZE, end - x))
        sheet.line([(MARGIN, base + 1.5), (WIDTH - MARGIN, base + 1.5)], 0.1, stroke=GREY)
