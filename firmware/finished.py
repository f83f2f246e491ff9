"""The finished games of a table, for its page: those in its journal, or those of this run."""

from collections import deque
from collections.abc import Callable
from pathlib import Path

from firmware.history import closed, records
from firmware.saving import today
from firmware.table.journal import Journal

KEPT_IN_MEMORY = 500
"""So many games are kept without a journal: the last ones, of six players some 5 MB in all."""


class JournalGames:
    """The finished games in the journal ``path`` (``firmware.web.games.Games``), which ``journal`` writes."""

    def __init__(self, journal: Journal, path: Path) -> None:
        self._path = path
        self.watch = journal.watch

    def records(self) -> dict[int, str]:
        """Their records by number, oldest first. Raise UsageError if the journal cannot be read."""
        return records(self._path)


class MemoryGames:
    """A journal that keeps the games of this run while it runs, and nothing on a disk.

    It is both: what the session writes to (``firmware.table.book.Journal``), and the page's
    ``firmware.web.games.Games``. Games are numbered from 1.
    """

    saving = True
    saved = None
    news = ""

    def __init__(self) -> None:
        self._running: list[str] = []
        self._number = 0
        self._finished: deque[tuple[int, str]] = deque(maxlen=KEPT_IN_MEMORY)
        self._ended: Callable[[], None] = lambda: None

    def records(self) -> dict[int, str]:
        """The records of the finished games by number, oldest first. Call it from any thread."""
        return dict(self._finished.copy())

    def watch(self, ended: Callable[[], None]) -> None:
        """From now on call ``ended``, from the session's thread, when a game has ended."""
        self._ended = ended

    def date(self) -> str:
        """Date and time of day, for people to read."""
        return today()

    def begin(self, text: str, secret: str) -> None:
        """A game begins. Its secret comes with its last lines."""
        self._number += 1
        self._running = [f"{text}\n"]

    def write(self, *lines: str, closes: bool = False) -> None:
        """Lines of the game; ``closes``: it is over."""
        self._running += [f"{line}\n" for line in lines]
        if closes and closed(self._running):
            self._finished.append((self._number, "".join(self._running)))
            self._running = []
            self._ended()

    def leave(self) -> None:
        """The result has been seen."""

    def tick(self, now: float) -> bool:
        """Nothing changes."""
        return False

    def deadline(self) -> float | None:
        """Never."""
        return None
