"""The rows of the journal's database: what they say, and which of a damaged file's can be trusted."""

import logging
import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from engine.notation import loads
from firmware.table.book import Saved
from firmware.table.fairness import commitment_of

log = logging.getLogger(__name__)

APPLICATION_ID = 0x54574F32
"""Says in the file that it is this program's."""

SCHEMA = 1
"""Version of the tables. A file of a later one is refused, not misread."""

OPEN, OVER, LEFT = 0, 1, 2
"""What a game is: on; over, its result still shown; over or given up, and left."""

TABLES = {
    "game": "CREATE TABLE game (first INTEGER PRIMARY KEY, secret TEXT NOT NULL, status INTEGER NOT NULL)",
    "line": "CREATE TABLE line (seq INTEGER PRIMARY KEY, text TEXT NOT NULL, crc INTEGER NOT NULL)",
}
"""All that is in the database, and how it was made."""

LARGEST_BYTES = 64 * 1024 * 1024
"""What is larger is no journal: it is neither copied nor read."""

Connect = Callable[[str], sqlite3.Connection]


def crc(seq: int, text: str) -> int:
    """What a line's row says besides its number and its text."""
    return zlib.crc32(f"{seq} {text}".encode())


def open_rows(db: sqlite3.Connection) -> None:
    """Make a database safe to read, whoever wrote it. Raise ValueError if it is not as a journal is made.

    What looks like a table may be a view whose rows never end; a trigger or an index is run, too. Letters
    that are none any more are replaced: SQLite would call them an operation that may work the next time.
    """
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    found = db.execute("SELECT name, sql FROM sqlite_master WHERE substr(name, 1, 7) != 'sqlite_'")
    if sorted(found.fetchmany(len(TABLES) + 1), key=repr) != sorted(TABLES.items()):
        raise ValueError("its tables are not a journal's")


def fits(secret: object, commitment: str) -> bool:
    """Whether a secret is the one that a game has committed to, if it has."""
    if not isinstance(secret, str):
        return False
    try:
        return not commitment or commitment_of(bytes.fromhex(secret)) == commitment
    except ValueError:
        return False


def newest(db: sqlite3.Connection) -> Saved | None:
    """The newest game, if it is on or its result has not been left yet."""
    row = db.execute("SELECT first, secret, status FROM game ORDER BY first DESC LIMIT 1").fetchone()
    if row is None or row[2] == LEFT:
        return None
    lines = [text for (text,) in db.execute("SELECT text FROM line WHERE seq >= ? ORDER BY seq", row[:1])]
    deals = sum(line.split()[1:2] == ["deal"] for line in lines)
    return Saved("\n".join(lines) + "\n", row[1], row[2] == OVER, deals)


@dataclass(frozen=True, slots=True)
class Intact:
    """The game that was on in a damaged file, as far as it is as it was written."""

    first: int
    secret: str = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)

    def add_to(self, db: sqlite3.Connection) -> None:
        """Write the game, with the numbers that its lines had, unless the database has it already."""
        (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM line").fetchone()
        if last >= self.first:
            return
        db.execute("BEGIN")
        db.execute("UPDATE game SET status = ?", (LEFT,))
        db.execute("INSERT INTO game VALUES (?, ?, ?)", (self.first, self.secret, OPEN))
        for seq, line in enumerate(self.lines, self.first):
            db.execute("INSERT INTO line VALUES (?, ?, ?)", (seq, line, crc(seq, line)))
        db.execute("COMMIT")


def intact_game(path: Path, scratch: Path, connect: Connect) -> Intact | None:
    """The game that was on in a damaged file, up to the damage; None if there is none, or no secret for it.

    It is read from a copy, ``scratch``, which is removed again: the file stays as it is.
    """
    beside = [(Path(f"{path}{end}"), Path(f"{scratch}{end}")) for end in ("", "-wal")]
    try:
        for source, copy in beside:
            if source.exists():
                if source.stat().st_size > LARGEST_BYTES:
                    return None
                with open(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                    file.write(source.read_bytes())
        with closing(connect(str(scratch))) as db:
            open_rows(db)
            return _intact(db)
    except (sqlite3.Error, OSError, ValueError, TypeError, OverflowError):
        return None  # damaged rows can hold anything; what was wrong with the file has been told
    finally:
        remove(scratch)


def inode_of(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to; None: to none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def remove(path: Path) -> None:
    """Remove a database, and what SQLite may have left beside it."""
    for end in ("-wal", "-shm", ""):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _intact(db: sqlite3.Connection) -> Intact | None:
    row = db.execute("SELECT first, secret, status FROM game ORDER BY first DESC LIMIT 1").fetchone()
    if row is None or row[2] != OPEN:
        return None
    first, secret, _ = row
    lines: list[str] = []
    try:
        while found := db.execute(
            "SELECT text, crc FROM line WHERE seq = ?", (seq := first + len(lines),)
        ).fetchone():
            if crc(seq, found[0]) != found[1]:
                break
            lines.append(found[0])
    except sqlite3.DatabaseError:
        pass  # the damage: what is before it is whole
    if not lines:
        return None
    record = loads("\n".join(lines) + "\n")
    if not fits(secret, record.header.commitment):
        return None
    if record.ended or record.noted("abandoned"):
        return None
    log.warning("of the game that was on %d lines are intact", len(lines))
    return Intact(first, secret, tuple(lines))
