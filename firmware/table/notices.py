"""What screens show for a while over, or in the place of, what they show otherwise."""

from collections.abc import Iterable

from firmware.table.scenes import Notice

NOTICE_S = 6.0
"""How long a notice stays if its seat presses nothing."""

LOOK_S = 2.5
"""How long a trick just taken stays to be seen."""

NEWS_S = {"no-exchange": 3.0, "journal-damaged": 600.0, "journal-lost": 600.0}
"""Reasons of notices that no press has caused, and how long these stay."""

LASTING = frozenset({*NEWS_S, "bot-seat", "watching", "out", "next-game"})
"""Reasons that stay true whatever the table asks for next."""


class Notices:
    """The notices of all seats, and who looks at the trick just taken. Times are seconds, monotonic."""

    def __init__(self) -> None:
        self._notices: dict[int, tuple[Notice, float]] = {}
        self._looks: dict[int, float] = {}

    def of(self, seat: int) -> Notice | None:
        """The notice on the seat's screen."""
        return self._notices[seat][0] if seat in self._notices else None

    def looks(self, seat: int) -> bool:
        """Whether the seat's screen shows the trick just taken in the place of the hand."""
        return seat in self._looks

    def put(self, seat: int, notice: Notice, now: float) -> None:
        """Show a notice from ``now`` on."""
        self._notices[seat] = (notice, now + NEWS_S.get(notice.reason, NOTICE_S))

    def look(self, seats: Iterable[int], now: float) -> None:
        """Show the trick just taken at these seats."""
        self._looks = dict.fromkeys(seats, now + LOOK_S)

    def end_looks(self) -> None:
        """Every screen shows its hand again."""
        self._looks.clear()

    def pressed(self, seat: int) -> bool:
        """The seat pressed something: its screen shows what it shows otherwise. True if it showed a trick."""
        self._notices.pop(seat, None)
        return self._looks.pop(seat, None) is not None

    def outdated(self) -> None:
        """The table asks for something else now: notices that spoke of what it asked before go."""
        self._notices = {seat: kept for seat, kept in self._notices.items() if kept[0].reason in LASTING}

    def expire(self, now: float) -> bool:
        """Take away what has stayed long enough; True if there was any."""
        before = len(self._notices) + len(self._looks)
        self._notices = {seat: kept for seat, kept in self._notices.items() if now < kept[1]}
        self._looks = {seat: until for seat, until in self._looks.items() if now < until}
        return len(self._notices) + len(self._looks) < before

    def deadline(self) -> float | None:
        """When ``expire`` has something to do; None: not before another call."""
        times = [until for _, until in self._notices.values()]
        return min([*times, *self._looks.values()], default=None)
