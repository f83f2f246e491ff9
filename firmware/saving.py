"""The journal of a program that runs a table: opened, given a thread, and closed with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from firmware.errors import UsageError
from firmware.table.journal import Journal, JournalError, open_journal

DEFAULT_PATH = Path("/var/lib/twentytwo/journal.db")
"""Where a table on its board keeps its games if nobody says otherwise."""


def today() -> str:
    """Date and time of day with the offset, as records write them: for people to read."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


@contextmanager
def journal_in(path: Path, *, threaded: bool) -> Iterator[Journal]:
    """The journal in this file, while the block runs; ``threaded`` for real time.

    Hand ``journal``, ``journal.saved`` and ``journal.news`` to the session. Raise UsageError for a file that
    is not a journal of this version.
    """
    try:
        journal = open_journal(path, date=today)
    except JournalError as problem:
        raise UsageError(str(problem)) from problem
    if threaded:
        journal.start()
    try:
        yield journal
    finally:
        journal.close()
