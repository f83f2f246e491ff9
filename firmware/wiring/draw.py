"""All drawings of a board."""

from collections.abc import Mapping

from firmware.wiring.bus_sheet import draw_bus
from firmware.wiring.header_sheet import draw_header
from firmware.wiring.plan import Plan
from firmware.wiring.seat_sheet import draw_seat
from firmware.wiring.sheet import Sheet


def draw(plan: Plan, titles: Mapping[str, str]) -> dict[str, str]:
    """Text of each drawing by its file's name; ``titles`` in the order of the sheets: header, bus, seats."""
    names = list(titles)
    sheets = [
        Sheet(f"{plan.profile.name}: {title}", plan.profile.title, number, len(titles))
        for number, title in enumerate(titles.values(), 1)
    ]
    sheet_of: dict[int | None, int] = {None: 2}
    sheet_of |= {seat.number: seat.number + 2 for seat in plan.profile.seats}
    draw_header(sheets[0], plan, sheet_of)
    draw_bus(sheets[1], plan, sheet_of)
    for seat, sheet in zip(plan.profile.seats, sheets[2:], strict=True):
        draw_seat(sheet, plan, seat)
    return {name: sheet.svg() for name, sheet in zip(names, sheets, strict=True)}
