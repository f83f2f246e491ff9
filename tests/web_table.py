"""A table of plain memory behind the page, for the tests of the page and its server."""

import asyncio
import queue
import random
from collections.abc import Callable, Iterable

from conftest import WAIT_S

from firmware.finished import MemoryGames
from firmware.web.server import serve
from firmware.web.wire import PodState

Edge = tuple[int, str, bool]


class MemoryTable:
    """Seats whose pictures a test sets, and whose buttons' edges it reads. No lamp at seat 4."""

    def __init__(self, seats: Iterable[int] = (1, 2, 3, 4, 5, 6)) -> None:
        self.seats = tuple(seats)
        self.pods: dict[int, PodState] = {}
        self.acts: queue.Queue[tuple[int, str]] = queue.Queue()
        self.edges: queue.Queue[Edge] = queue.Queue()
        self._pictures = {seat: noise(seat) for seat in self.seats}
        self._lamps: dict[int, bool | None] = {seat: None if seat == 4 else False for seat in self.seats}
        self._watchers: list[Callable[[int], None]] = []

    def label(self, seat: int) -> str:
        return f"Place {seat}"

    def picture(self, seat: int) -> bytes:
        return self._pictures[seat]

    def lamp(self, seat: int) -> bool | None:
        return self._lamps[seat]

    def pod(self, seat: int) -> PodState | None:
        return self.pods.get(seat)

    def act_on_pod(self, seat: int, act: str) -> None:
        self.acts.put((seat, act))

    def press(self, seat: int, button: str) -> None:
        self._edge(seat, button, True)

    def release(self, seat: int, button: str) -> None:
        self._edge(seat, button, False)

    def watch(self, changed: Callable[[int], None]) -> None:
        self._watchers.append(changed)

    def show(self, seat: int, picture: bytes | None = None, lamp: bool | None = None) -> None:
        """Another picture, another lamp; either way whoever watches is told."""
        if picture is not None:
            self._pictures[seat] = picture
        if lamp is not None:
            self._lamps[seat] = lamp
        for changed in self._watchers:
            changed(seat)

    def next_edges(self, count: int) -> list[Edge]:
        """The next edges, in order."""
        return [self.edges.get(timeout=WAIT_S) for _ in range(count)]

    def serve(self, **options: object) -> Callable[[Callable[[str], None], asyncio.Event], object]:
        """What the fixture ``start`` starts: the real server on this table."""
        options = {"games": MemoryGames(), "port": 0, **options}
        return lambda ready, stop: serve(self, **options, ready=ready, stop=stop)

    def _edge(self, seat: int, button: str, down: bool) -> None:
        self.edges.put((seat, button, down))


def noise(seed: object) -> bytes:
    """A picture like no other: 1024 bytes in page order."""
    return random.Random(str(seed)).randbytes(1024)
