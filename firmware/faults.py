"""Faults of a simulated board by plan: given one by one, or drawn from a seed."""

import heapq
import random
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from math import nan

from firmware.errors import UsageError
from firmware.faultkinds import KINDS, Kind, places
from firmware.simulation import SimHost
from firmware.streams import quoted, shortened
from hardware.bus import TIMEOUT_SECONDS
from hardware.profile import Profile
from hardware.tomlfile import no_such

SPEC = re.compile(r"(\w+):([^=@+]+)(?:=([^@+]+))?(?:@([^+]+))?(?:\+(.+))?")
HOW = "write it as KIND:PLACE[=VALUE][@START][+SECONDS], as unplug:3@5+10"

GAP_SECONDS = 4.0
"""Mean time between the beginnings of two faults that a seed draws."""
DRAWN_VALUES = {"slow": (0.002, 0.04), "flaky": (0.05, 0.9), "hang": (0.02, 0.05), "garble": (0.01, 0.3)}
"""Between which VALUE of a kind is drawn."""
DRAWN_PLACES = {
    "unplug": ("SEAT", "POD", "CHIP"),
    "reset": ("SEAT", "POD", "CHIP"),
    "slow": ("SEAT", "CHIP"),
    "flaky": ("SEAT", "CHIP"),
    "hang": ("SEAT",),
    "garble": ("POD",),
    "freeze": ("POD",),
}
"""The kinds that a seed draws, and where."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What fails, where, from when (seconds after the start) and how long (None: for ever)."""

    kind: str
    place: str
    value: str = ""
    start: float = 0.0
    seconds: float | None = None

    def __str__(self) -> str:
        value = f"={self.value}" if self.value else ""
        length = "" if self.seconds is None else f"+{self.seconds:g}"
        return f"{self.kind}:{self.place}{value}@{self.start:g}{length}"


def faults_help() -> str:
    """What the text of a fault may be, for people."""
    lines = [
        "A FAULT is KIND:PLACE[=VALUE][@START][+SECONDS], by default from the start (0) and for ever.",
        "PLACE is a seat's panel or pod (3) or button (3.play); or, by its name in the profile, a chip",
        "(hub), a bus (main) or a device node (main, hub/3):",
    ]
    for name, kind in KINDS.items():
        value = f"={kind.value}" if kind.value else ""
        lines.append(f"  {name}:{'|'.join(kind.places)}{value}".ljust(34) + kind.text)
    lines.append(f"Whatever takes longer than {TIMEOUT_SECONDS:g} s is given up then, and has timed out.")
    return "\n".join(lines)


def parse_fault(text: str, profile: Profile) -> Fault:
    """Read one fault, as ``unplug:3@5+10``. Raise UsageError that says what is wrong with it."""
    found = SPEC.fullmatch(text)
    fault = f"fault {quoted(text)}"
    if found is None:
        raise UsageError(f"{fault}: {HOW}")
    name, place, value, start, seconds = found.groups()
    if name not in KINDS:
        raise UsageError(f"{fault}: {no_such('kind', shortened(name, 60), KINDS)}")
    kind = KINDS[name]
    known = places(profile, kind.places)
    if place not in known:
        raise UsageError(f"{fault}: {no_such('place', shortened(place, 60), known)}")
    value = kind.value if value is None else value
    if problem := _problem(kind, value, profile):
        raise UsageError(f"{fault}: VALUE is {problem}, not {quoted(value)}")
    length = None if seconds is None else _seconds(fault, seconds)
    return Fault(name, place, value, _seconds(fault, start or "0"), length)


def _problem(kind: Kind, value: str, profile: Profile) -> str | None:
    """What a value must be, if this one will not do."""
    if kind.numbers is not None:
        lowest, highest = kind.numbers
        if lowest <= _number(value) <= highest:
            return None
        return f"a number from {lowest:g} to {highest:g}"
    names = places(profile, kind.names) if kind.names == ("SEAT",) else kind.names
    if value in names or not (value or names):
        return None
    return f"one of {', '.join(names)}" if names else "for other kinds"


def _seconds(fault: str, number: str) -> float:
    seconds = _number(number)
    if not 0 <= seconds < 1e9:
        raise UsageError(f"{fault}: {quoted(number)} is no number of seconds; {HOW}")
    return seconds


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


def drawn(seed: int, profile: Profile) -> Iterator[Fault]:
    """Faults without end, in order of time, each of which passes by itself. No place has two at a time."""
    chance = random.Random(seed)
    where = {name: places(profile, kinds) for name, kinds in DRAWN_PLACES.items()}
    kinds = [name for name in DRAWN_PLACES if where[name]]
    free_at: dict[str, float] = {}
    now = 0.0
    while True:
        now += chance.expovariate(1 / GAP_SECONDS)
        name = chance.choice(kinds)
        place = chance.choice(where[name])
        value = f"{chance.uniform(*DRAWN_VALUES[name]):.3f}" if name in DRAWN_VALUES else ""
        seconds = 0.0 if name == "reset" else chance.uniform(0.2, 12.0)
        if now >= free_at.get(place, 0.0):
            free_at[place] = now + seconds
            yield Fault(name, place, value, now, seconds)


class Plan:
    """Lets faults begin and end on a simulated board in its time (``firmware.simulation.Happening``).

    ``faults``: in order of their starts, which count from now. ``told`` is called with each as it begins.
    """

    def __init__(
        self, host: SimHost, faults: Iterable[Fault], told: Callable[[Fault], None] = lambda fault: None
    ) -> None:
        self._host = host
        self._zero = host.clock()
        self._coming = iter(faults)
        self._next = next(self._coming, None)
        self._told = told
        self._ends: list[tuple[float, int, ExitStack]] = []
        self._count = 0

    def advance(self, now: float) -> None:
        """Let begin and end what is due by ``now``."""
        while (due := self.deadline()) is not None and due <= now:
            if self._ends and self._ends[0][0] <= due:
                heapq.heappop(self._ends)[2].close()
            else:
                self._begin()

    def deadline(self) -> float | None:
        """When the next fault begins or ends."""
        times = [self._ends[0][0]] if self._ends else []
        if self._next is not None:
            times.append(self._zero + self._next.start)
        return min(times, default=None)

    def _begin(self) -> None:
        fault, self._next = self._next, next(self._coming, None)
        assert fault is not None
        self._told(fault)
        end = ExitStack()
        KINDS[fault.kind].begin(self._host, fault.place, fault.value, end)
        if fault.seconds is not None:
            self._count += 1
            heapq.heappush(self._ends, (self._zero + fault.start + fault.seconds, self._count, end))
