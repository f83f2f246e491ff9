"""Edges of a seat's buttons, from what became certain of each contact."""

from collections.abc import Iterable, Sequence

from hardware.seat import Button, Edge

Change = tuple[float, Button, bool]
"""Since when a button has held its level (seconds, monotonic), which button, and whether it is down."""


class Edges:
    """Puts the changes of one seat's buttons in order of time: the edges that come of them never go back."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._last_at = float("-inf")

    def of(self, changes: Iterable[Change]) -> list[Edge]:
        """The edges. One that is said to be older than the last one is given the time of that."""
        edges = []
        for at, button, down in sorted(changes, key=lambda change: change[0]):
            self._last_at = max(at, self._last_at)
            edges.append(Edge(self._seat, button, down, self._last_at))
        return edges


def stuck_fault(stuck: Sequence[Button]) -> str | None:
    """Says which buttons have been down since the start."""
    if not stuck:
        return None
    names = ", ".join(button.value for button in stuck)
    return f"held down since the start, and ignored until released: {names}"
