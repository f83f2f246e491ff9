"""All drawings of a board."""

from firmware.wiring.bus_sheet import draw_bus
from firmware.wiring.cables_sheet import draw_cables
from firmware.wiring.expander_sheet import draw_expander
from firmware.wiring.header_sheet import draw_header
from firmware.wiring.pages import CABLES, pages_of, titles_by_file
from firmware.wiring.plan import PI, POD, STRIP, Plan, expander_name
from firmware.wiring.seat_sheet import draw_pod, draw_seat
from firmware.wiring.sheet import Sheet


def draw(plan: Plan) -> dict[str, str]:
    """Text of each drawing by its file's name."""
    profile = plan.profile
    titles = titles_by_file(plan)
    sheets = [
        Sheet(f"{profile.name}: {title}", profile.title, number, len(titles))
        for number, title in enumerate(titles.values(), 1)
    ]
    by_subject = dict(zip((page.subject for page in pages_of(plan)), sheets, strict=True))
    if profile.wired:
        draw_header(by_subject[PI], plan)
        draw_bus(by_subject[STRIP], plan)
    for name in profile.expanders:
        draw_expander(by_subject[expander_name(name)], plan, name)
    for seat in profile.wired:
        draw_seat(by_subject[seat.number], plan, seat)
    if profile.pods:
        draw_pod(by_subject[POD], plan)
        draw_cables(by_subject[CABLES], plan)
    return {file: sheet.svg() for file, sheet in zip(titles, sheets, strict=True)}
