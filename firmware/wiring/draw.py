"""All drawings of a board."""

from firmware.wiring.bus_sheet import draw_bus
from firmware.wiring.expander_sheet import draw_expander
from firmware.wiring.header_sheet import draw_header
from firmware.wiring.pages import titles_by_file
from firmware.wiring.plan import Plan
from firmware.wiring.seat_sheet import draw_seat
from firmware.wiring.sheet import Sheet


def draw(plan: Plan) -> dict[str, str]:
    """Text of each drawing by its file's name."""
    profile = plan.profile
    titles = titles_by_file(plan)
    sheets = [
        Sheet(f"{profile.name}: {title}", profile.title, number, len(titles))
        for number, title in enumerate(titles.values(), 1)
    ]
    header, bus, *rest = sheets
    expanders, seats = rest[: len(profile.expanders)], rest[len(profile.expanders) :]
    draw_header(header, plan)
    draw_bus(bus, plan)
    for name, sheet in zip(profile.expanders, expanders, strict=True):
        draw_expander(sheet, plan, name)
    for seat, sheet in zip(profile.wired, seats, strict=True):
        draw_seat(sheet, plan, seat)
    return {file: sheet.svg() for file, sheet in zip(titles, sheets, strict=True)}
