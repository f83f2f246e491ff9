"""One board made of several: seats on wires and seats on pods at one table."""

import contextlib
from collections.abc import Callable, Mapping, Sequence

from hardware.seat import Board, Edge, Seat


class JoinedBoard:
    """The seats of all ``boards``. Raise ValueError if two boards have one in common."""

    def __init__(self, boards: Sequence[Board]) -> None:
        self._boards = tuple(boards)
        seats: dict[int, Seat] = {}
        for board in self._boards:
            for number, seat in board.seats.items():
                if seats.setdefault(number, seat) is not seat:
                    raise ValueError(f"seat {number} is on two boards")
        self._seats = dict(sorted(seats.items()))

    @property
    def seats(self) -> Mapping[int, Seat]:
        """The seats by number, ascending."""
        return self._seats

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is something to poll."""
        for board in self._boards:
            board.listen(wake)

    def poll(self, now: float) -> list[Edge]:
        """Edges of all seats, in order of time."""
        edges = [edge for board in self._boards for edge in board.poll(now)]
        edges.sort(key=lambda edge: edge.at)
        return edges

    def flush(self, now: float) -> None:
        """Transfer what is to be shown."""
        for board in self._boards:
            board.flush(now)

    def deadline(self) -> float | None:
        """When ``poll`` or ``flush`` must be called next even if nothing wakes."""
        return min((at for board in self._boards if (at := board.deadline()) is not None), default=None)

    @property
    def down(self) -> tuple[str, ...]:
        """What is wrong with buses as a whole."""
        return tuple(fault for board in self._boards for fault in board.down)

    def start(self) -> None:
        """Start them all."""
        for board in self._boards:
            board.start()

    def close(self) -> None:
        """Close them all, in the reverse order; a failure of one does not keep the others open."""
        with contextlib.ExitStack() as stack:
            for board in self._boards:
                stack.callback(board.close)
