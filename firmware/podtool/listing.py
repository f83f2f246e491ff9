"""Which pods are plugged in, what they are, and how they fare."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from drivers.podlink import FLASH
from firmware.bindings import DamagedError, read_bindings
from firmware.podtool.build import build_name
from firmware.podtool.ports import Found
from firmware.podtool.talk import ANSWER_S, Talk, unusable
from hardware.link import Hello
from hardware.profile import Profile

SETTLE_S = 0.05
"""A pod that has said hello has told by then whether its panel answers."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one line. ``pod``, ``build``, ``protocol``, ``panel``: empty if it said no hello."""

    path: str
    usb: str
    pod: str = ""
    build: str = ""
    protocol: str = ""
    panel: str = ""
    seat: int | None = None
    state: str = ""
    works: bool = False

    def json(self) -> Mapping[str, str | int | bool | None]:
        """It for programs."""
        return asdict(self)


def seats_by_pod(path: Path) -> tuple[dict[str, int], str]:
    """The seat of each pod in a file of bindings, and why it is not known, if it is not."""
    try:
        return {pod: seat for seat, pod in read_bindings(path).items()}, ""
    except FileNotFoundError:
        return {}, ""
    except OSError as problem:
        remedy = ": run this with sudo" if isinstance(problem, PermissionError) else ""
        return {}, f"the pods' seats are not known: {path}: {problem.strerror}{remedy}"
    except DamagedError as problem:
        return {}, f"the pods' seats are not known: {path}: {problem}"


def seats_of(profile: Profile, chosen: Mapping[str, int]) -> dict[str, int]:
    """The seat of each pod on a board: those that its profile names, then those that were chosen."""
    named = {seat.pod: seat.number for seat in profile.pods if seat.pod}
    free = {seat.number for seat in profile.pods if not seat.pod}
    return {**{pod: seat for pod, seat in chosen.items() if seat in free}, **named}


def look_at(found: Found, seats: Mapping[str, int]) -> Row:
    """Say hello on a line, and tell what answers."""
    bound = seats.get(found.usb_serial.lower())
    try:
        talk = Talk(found.path)
    except OSError as shut:
        return Row(found.path, found.usb, seat=bound, state=unusable(shut).removeprefix(f"{found.path} "))
    try:
        answered = talk.greet(ANSWER_S)
        if talk.link.up:
            talk.until(lambda: False, SETTLE_S)
        problem = talk.link.problem(float("inf"))
        hello = talk.link.hello
    except OSError as gone:
        return Row(found.path, found.usb, seat=bound, state=gone.strerror or str(gone))
    finally:
        talk.close()
    if hello is None or not answered:
        state = problem or "it does not answer"
        if not found.is_pod:
            state = f"no pod, or a new Pico: twentytwo pod flash {found.path}"
        return Row(found.path, found.usb, seat=bound, state=state)
    return _told(found, hello, seats, problem)


def _told(found: Found, hello: Hello, seats: Mapping[str, int], problem: str | None) -> Row:
    pod = hello.pod_id.hex()
    state = problem or "works"
    if problem is None and hello.build != build_name():
        state = f"works, but its build is not this program's {build_name()}: {FLASH} {found.path}"
    lowest, highest = hello.lowest, hello.highest
    return Row(
        found.path,
        found.usb,
        pod,
        hello.build,
        str(lowest) if lowest == highest else f"{lowest} to {highest}",
        f"{hello.columns}×{hello.rows}" if hello.columns else "",
        seats.get(pod),
        state,
        problem is None,
    )


def lines_of(rows: Iterable[Row]) -> list[str]:
    """The rows as a table for people, its first line the head."""
    cells = [("pod", "seat", "build", "link", "panel", "USB", "line")]
    states = ["state"]
    for row in rows:
        seat = "-" if row.seat is None else str(row.seat)
        known = (row.pod, seat, row.build, row.protocol, row.panel, row.usb, row.path)
        cells.append(tuple(cell or "-" for cell in known))  # type: ignore[arg-type]
        states.append(row.state)
    widths = [max(len(one[column]) for one in cells) for column in range(len(cells[0]))]
    return [
        re.sub(r" +$", "", "  ".join(cell.ljust(width) for cell, width in zip(one, widths, strict=True)))
        + f"  {state}"
        for one, state in zip(cells, states, strict=True)
    ]
