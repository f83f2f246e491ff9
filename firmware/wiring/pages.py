"""Which sheets a board's drawings have, and on which of them a wire goes on."""

from dataclasses import dataclass

from firmware.wiring.pinout import CHIP_PINS
from firmware.wiring.plan import PI, POD, STRIP, Plan, Terminal, Wire, expander_name, mux_name

CABLES = "cables"
"""Subject of the sheet that shows the USB cables."""


@dataclass(frozen=True, slots=True)
class Page:
    """A sheet. ``file``: its name without number and ending. ``subject``: a part, POD, the number of a seat,
    or CABLES."""

    title: str
    file: str
    subject: str | int


def pages_of(plan: Plan) -> tuple[Page, ...]:
    """All sheets in order: header, bus, expanders, seats; pod, cables."""
    profile = plan.profile
    pages: list[Page] = []
    if profile.wired:
        pages += [
            Page("the Pi's header", "header", PI),
            Page("bus and mux" if profile.muxes else "bus", "bus", STRIP),
        ]
    for name in profile.expanders:
        pages.append(Page(expander_name(name), f"expander-{name}", expander_name(name)))
    pages += [Page(f"seat {seat.number}", f"seat-{seat.number}", seat.number) for seat in profile.wired]
    if profile.pods:
        pages += [Page("each pod", "pod", POD), Page("cables to the pods", "cables", CABLES)]
    return tuple(pages)


def titles_by_file(plan: Plan) -> dict[str, str]:
    """Title of each drawing by its file's name, in the order of the sheets."""
    pages = pages_of(plan)
    digits = len(str(len(pages)))
    return {f"sheet-{number:0{digits}}-{page.file}.svg": page.title for number, page in enumerate(pages, 1)}


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a wire goes on: what it belongs to there, and which sheet, or which pin of the same part."""

    label: str
    place: str


def aim_of(plan: Plan, wire: Wire, here: Terminal) -> Aim:
    """Where a wire that is drawn at the terminal ``here`` goes on."""
    other = wire.end if wire.start == here else wire.start
    if other.part == here.part:
        return Aim(f"pin {CHIP_PINS.index(other.pin) + 1}", other.pin)
    if wire.seat is not None:
        return Aim(f"seat {wire.seat}", sheet_name(plan, wire.seat))
    if other.part in (STRIP, *(mux_name(name) for name in plan.profile.muxes)):
        return Aim("bus", sheet_name(plan, STRIP))
    return Aim(other.part, sheet_name(plan, other.part))


def sheet_name(plan: Plan, subject: str | int) -> str:
    """``sheet 3``: where a part or a seat is drawn."""
    number = next(number for number, page in enumerate(pages_of(plan), 1) if page.subject == subject)
    return f"sheet {number}"
