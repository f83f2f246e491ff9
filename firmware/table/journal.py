"""The journal: games are written before they are shown, by a thread for which play never waits long."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from firmware.table.book import Saved
from firmware.table.store import Entry, JournalError, Store, StoreFailed

__all__ = ["Journal", "JournalError", "open_journal"]

log = logging.getLogger(__name__)

PATIENCE_S = 0.035
"""How long an action may wait to be written before it is shown all the same.

An answer may take 0.1 s from the button to the panel; the button's settling and the wires need up to 65 ms.
"""

TOLD_S = 1.0
"""When writing has failed for so long, the players are told."""

RETRY_S = 0.25
"""How often a disk that failed is tried again."""

LINES_A_MINUTE = 10
"""So many lines about the disk are logged in a minute at most, however often it fails and works again."""


class Journal:
    """Writes games to a store (``firmware.table.book.Journal``), on a thread of its own after ``start``.

    Before that it writes in the caller's, which suits virtual time. ``date`` gives date and time of day for
    people to read. ``saved``: the game to go on with; ``news``: the reason of a notice that players must
    get, or nothing.
    """

    def __init__(self, store: Store, *, date: Callable[[], str], patience_s: float = PATIENCE_S) -> None:
        self.date = date
        self.saving = True
        self.news = ""
        self.saved: Saved | None = None
        self._store = store
        self._patience_s = patience_s
        self._pending: deque[Entry] = deque()
        self._game: list[Entry] = []
        """what has been written of the newest game, should the file be lost"""
        self._raced = 0
        """how many actions were shown while they were being written, which the record does not say yet"""
        self._copy_due = False
        self._reopen = False
        """whether the file has to be checked, or made, before it is written"""
        self._failed = ""
        """why nothing can be written; empty while all is well"""
        self._warned = False
        """whether the log says that nothing can be written"""
        self._now = 0.0
        self._logged: deque[float] = deque(maxlen=LINES_A_MINUTE)
        self._since: float | None = None
        """when ``tick`` first saw that something waits"""
        self._look_at = 0.0
        self._changed = threading.Condition()
        self._stop = False
        self._thread: threading.Thread | None = None
        self._ended: Callable[[], None] = lambda: None
        try:
            self.news = store.open(salvage=True)
            self.saved = store.newest()
            if self.saved is not None:
                self._game = [Entry(tuple(self.saved.text.splitlines()), self.saved.secret, self.saved.over)]
        except StoreFailed as problem:
            self._reopen = True
            self._note_failure(str(problem))

    # For the session

    def begin(self, text: str, secret: str) -> None:
        """A game begins."""
        self._put(Entry((text,), begins=secret))

    def write(self, *lines: str, closes: bool = False) -> None:
        """Lines of the game, all or none of them."""
        self._put(Entry(lines, closes=closes))

    def leave(self) -> None:
        """The result of the game that is over has been seen."""
        self._put(Entry((), leaves=True))

    def tick(self, now: float) -> bool:
        """Note that time has passed (seconds, monotonic); True if ``saving`` has changed."""
        self._now = now
        if now >= self._look_at:
            self._look_at = now + RETRY_S
            if self._thread is None and self._failed:
                self._flush()
        behind = bool(self._failed)
        if not behind:
            self._since = None
        elif self._since is None:
            self._since = now
        saving = self._since is None or now < self._since + TOLD_S
        changed = saving != self.saving
        self.saving = saving
        return changed

    def deadline(self) -> float | None:
        """When ``tick`` must be called next."""
        if not self._failed:
            return None if self.saving else self._look_at
        return self._look_at if self._since is not None else 0.0

    # For whoever shows the finished games

    def watch(self, ended: Callable[[], None]) -> None:
        """From now on call ``ended``, from the thread that writes, when a finished game is in the file."""
        self._ended = ended

    # The thread

    def start(self) -> None:
        """Real time begins: write on a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="journal")
        self._thread.start()

    def close(self) -> None:
        """Write what waits, if the disk allows it, and let the file go. A second call does nothing."""
        with self._changed:
            self._say_raced()
        if self._thread is not None:
            with self._changed:
                self._stop = True
                self._changed.notify_all()
            self._thread.join()
            self._thread = None
        elif self._pending:
            self._flush()
        self._store.close()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stop or self._pending)
            done = self._flush()
            with self._changed:
                if self._stop and (not done or not self._pending):
                    return
                if not done:
                    self._changed.wait_for(lambda: self._stop, RETRY_S)

    # Writing

    def _put(self, entry: Entry) -> None:
        with self._changed:
            self._pending.append(entry)
            if self._thread is not None:
                self._changed.notify_all()
                if not self._failed:
                    self._changed.wait_for(
                        lambda: self._failed or entry not in self._pending, self._patience_s
                    )
                if entry in self._pending:
                    entry.late = True
                    self._failed = self._failed or "it is slow"
                return
        if not self._flush():
            entry.late = True

    def _flush(self) -> bool:
        """Write what waits. False if the disk does not take it."""
        try:
            if self._reopen:
                self._store.open()
                self._reopen = False
                self._requeue()
            self._written(self._store.settle())
            with self._changed:
                self._say_raced()
                self._declare()
                batch = list(self._pending)
            if batch:
                self._store.write(batch)
        except (StoreFailed, JournalError) as problem:
            self._reopen = self._reopen or (isinstance(problem, StoreFailed) and problem.lost)
            self._note_failure(str(problem))
            return False
        self._written(len(batch))
        if self._copy_due and not self._pending:
            self._copy()
        return True

    def _requeue(self) -> None:
        """If the file has been replaced by one without the running game, write all of that again."""
        newest = self._store.newest()
        if self._game and not (newest and newest.text.startswith(self._game[0].lines[0])):
            with self._changed:
                self._pending.extendleft(reversed(self._game))
                self._game = []

    def _written(self, count: int) -> None:
        """So many entries, from the first, are in the file."""
        with self._changed:
            entries = [self._pending.popleft() for _ in range(count)]
            for entry in entries:
                self._remember(entry)
            self._raced += sum(_actions(entry) for entry in entries if entry.late and not entry.declared)
            if any(entry.closes for entry in entries):
                self._say_raced()  # else with the next action: a slow disk needs as long for this line alone
            if not self._pending:
                self._note_success()
            self._changed.notify_all()
        if any(entry.closes for entry in entries):
            self._ended()

    def _say_raced(self) -> None:
        """Have the record say which actions were shown while they were being written, before what waits."""
        if self._raced:
            self._pending.appendleft(Entry((f"late {self._raced}",)))
            self._raced = 0

    def _declare(self) -> None:
        """Put a line after actions that were shown before they could be written, to say how many they are."""
        entries, self._pending, late = self._pending, deque[Entry](), 0
        for entry in entries:
            if entry.declares:
                continue
            if late and entry.begins is not None:
                self._pending.append(Entry((f"late {late}",), declares=True))
                late = 0
            self._pending.append(entry)
            if entry.late:
                late += _actions(entry)
                entry.declared = True
        if late:
            self._pending.append(Entry((f"late {late}",), declares=True))

    def _remember(self, entry: Entry) -> None:
        if entry.begins is not None or entry.leaves:
            self._game = []
        if not entry.leaves:
            self._game.append(entry)
        self._copy_due = self._copy_due or entry.closes

    def _copy(self) -> None:
        self._copy_due = False
        try:
            self._store.copy()
        except StoreFailed as problem:
            log.warning("no copy of the journal: %s", problem)

    def _note_failure(self, reason: str) -> None:
        if reason != self._failed:
            self._warned = self._log("the journal is not saved: %s", reason)
        with self._changed:
            self._failed = reason
            self._changed.notify_all()

    def _note_success(self) -> None:
        if self._warned:
            self._log("the journal is saved again")
        self._failed, self._warned = "", False

    def _log(self, text: str, *details: str) -> bool:
        """Log a line unless there were many in the last minute. Whether it was."""
        if len(self._logged) == LINES_A_MINUTE and self._logged[0] > self._now - 60.0:
            return False
        self._logged.append(self._now)
        log.warning(text, *details)
        return True


def _actions(entry: Entry) -> int:
    return sum(line.startswith("@") for line in entry.lines)


def open_journal(path: Path, *, date: Callable[[], str]) -> Journal:
    """The journal in this file, which is made if need be. Raise JournalError for a file that is not ours."""
    return Journal(Store(path), date=date)
