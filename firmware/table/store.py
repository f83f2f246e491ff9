"""The journal's file: an SQLite database that is checked when opened, copied when a game ends, kept small."""

import logging
import os
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.cards import NotationError
from engine.moves import IllegalMove
from engine.notation import loads
from firmware.table.book import Saved
from firmware.table.rows import (
    APPLICATION_ID,
    LARGEST_BYTES,
    LEFT,
    OPEN,
    OVER,
    SCHEMA,
    TABLES,
    Connect,
    Intact,
    crc,
    fits,
    inode_of,
    intact_game,
    newest,
    open_rows,
    remove,
)

log = logging.getLogger(__name__)

CAP_BYTES = 4 * 1024 * 1024
"""When the file has grown beyond this, a new game pushes the oldest games out."""

KEPT_ASIDE = 2
"""So many damaged files are kept."""

CHECK_LOCK_S = 2.0
"""How long to wait at the start for another program to let the file go."""


_TEXT = bytes(range(32, 127)) + b"\t\r\n"
"""What a text begins with. A damaged journal does not, and has a copy beside it."""


class JournalError(Exception):
    """A file that this program must not touch; the message says which, and what to do."""


class StoreFailed(Exception):
    """Nothing was written; the message says why. ``lost``: the file is damaged, what it held is gone."""

    def __init__(self, reason: str, *, lost: bool = False) -> None:
        super().__init__(reason)
        self.lost = lost


class _Damaged(Exception):
    """What was read cannot be trusted."""


@dataclass(slots=True, eq=False)
class Entry:
    """What is written at once or not at all: lines of one game."""

    lines: tuple[str, ...] = field(repr=False)
    begins: str | None = field(default=None, repr=False)
    """the secret of the game that begins with these lines"""
    closes: bool = False
    """whether the game ends with them"""
    leaves: bool = False
    """whether the result has been seen"""
    late: bool = False
    """whether it was shown before it was written"""
    declared: bool = False
    """whether a line after it says so"""
    declares: bool = False
    """whether it is such a line"""


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


class Store:
    """One file, ``path``, and beside it the last good copy and what was set aside. One thread at a time.

    ``connect`` opens a database by its path.
    """

    def __init__(self, path: Path, *, cap_bytes: int = CAP_BYTES, connect: Connect = _connect) -> None:
        self.path = path
        self.copy_path = path.with_suffix(".copy")
        self._temporary = path.with_suffix(".tmp")
        self._cap = cap_bytes
        self._connect = connect
        self._db: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        """which file is open"""
        self._seq = 0
        """of the last line written"""
        self._doubt: tuple[int, int] | None = None
        """how many entries, and lines, of a transaction of which it is not known whether it succeeded"""

    # Opening

    def open(self, *, salvage: bool = False) -> str:
        """Check the file, or make it. Return the reason of the notice that players must get, or nothing.

        ``salvage``: of a damaged file keep the game that was on, as far as it is intact. Raise JournalError
        for a file that is not ours to touch, StoreFailed if it cannot be had now.
        """
        self.close()
        try:
            remove(self._temporary)
            if self.path.exists() and not self.path.is_file():
                # A device would be moved away for everybody, a pipe be read for ever.
                raise JournalError(f"{self.path} is no file: choose another one")
            news = self._sound(salvage) if self.path.exists() else self._replace(missing=True)
            self._db = self._opened(self.path)
            if news or self._doubt is None:
                (self._seq,) = self._db.execute("SELECT coalesce(max(seq), 0) FROM line").fetchone()
                self._doubt = None
        except (sqlite3.Error, OSError) as problem:
            self.close()
            raise StoreFailed(f"{self.path}: {_reason(problem)}") from problem
        return news

    def _sound(self, salvage: bool) -> str:
        """See to it that the file is sound: itself, or the copy in its place."""
        try:
            self._check(self.path)
        except _Damaged as damage:
            log.warning("%s is damaged: %s", self.path, damage)
            game = intact_game(self.path, self._temporary, self._connect) if salvage else None
            self._set_aside()
            return self._replace(missing=False, game=game)
        return ""

    def _check(self, path: Path) -> None:
        """Raise _Damaged if the file is not whole, JournalError if it is not ours."""
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise JournalError(f"{path} has {size:,} bytes, more than any journal: choose another file")
        with path.open("rb") as file:
            head = file.read(20)
        if head[:16] != b"SQLite format 3\0":
            if head and not head.translate(None, _TEXT) and not self.copy_path.exists():
                raise JournalError(f"{path} is a text and no journal: choose another file")
            raise _Damaged("it is empty" if size == 0 else "it is no database")
        if head[18:] not in (b"\1\1", b"\2\2"):  # with another version to write it could only be read
            raise _Damaged("its head is broken")
        try:
            with closing(self._connect(str(path))) as db:
                db.execute(f"PRAGMA busy_timeout = {CHECK_LOCK_S * 1000:.0f}")
                (application,) = db.execute("PRAGMA application_id").fetchone()
                (version,) = db.execute("PRAGMA user_version").fetchone()
                if application == APPLICATION_ID and version > SCHEMA:
                    raise JournalError(
                        f"{path} was written by a later version (schema {version}, this one knows {SCHEMA}): "
                        "install that version again, or move the file away"
                    )
                ours = _is_ours(db, application)
                if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                    raise _Damaged("its structure is broken")
                if not ours:
                    raise JournalError(f"{path} is another program's database: choose another file")
                for seq, text, stored in db.execute("SELECT seq, text, crc FROM line ORDER BY seq"):
                    if not isinstance(text, str) or crc(seq, text) != stored:
                        raise _Damaged(f"line {seq} is not as it was written")
                for first, status in db.execute("SELECT first, status FROM game"):
                    if status not in (OPEN, OVER, LEFT):
                        raise _Damaged(f"what game {first} is is not as it was written")
                saved = newest(db)
                if saved is not None and not fits(saved.secret, loads(saved.text).header.commitment):
                    raise _Damaged("the secret of its last game is not as it was written")
        except sqlite3.OperationalError as problem:
            # What waits for a lock, or for the disk, has codes of its own; this one will be so for ever.
            if getattr(problem, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR:
                raise
            raise _Damaged(str(problem)) from None
        except sqlite3.DatabaseError as problem:
            raise _Damaged(str(problem)) from None
        except (NotationError, IllegalMove):
            raise _Damaged("its last game cannot be played") from None  # the reason could name cards

    def _replace(self, *, missing: bool, game: Intact | None = None) -> str:
        """Put the last good copy, or an empty database, in the place of a file that is not there.

        ``game``: with this game after what the copy has.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        copied = self.copy_path.is_file()
        if copied:
            try:
                self._check(self.copy_path)
            except _Damaged as damage:
                log.warning("%s is damaged: %s", self.copy_path, damage)
                copied = False
        if copied:
            _write_durably(self._temporary, self.copy_path.read_bytes())
        else:
            self._make(self._temporary)
        if game is not None:
            with closing(self._connect(str(self._temporary))) as db:
                game.add_to(db)
        os.replace(self._temporary, self.path)
        _sync_folder(self.path.parent)
        if not copied:
            self.copy()
        return "journal-damaged" if copied or game else "" if missing else "journal-lost"

    def _make(self, path: Path) -> None:
        """A new database without a game, that nobody else can read."""
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(self._connect(str(path))) as db:
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {SCHEMA}")
            for table in TABLES.values():
                db.execute(table)

    def _set_aside(self) -> None:
        """Give a damaged file a name that says so, and let the oldest of these go."""
        pattern = re.compile(re.escape(self.path.stem) + r"\.damaged-(\d+)" + re.escape(self.path.suffix))
        aside = {
            int(found[1]) for file in self.path.parent.iterdir() if (found := pattern.fullmatch(file.name))
        }
        number = max(aside, default=0) + 1
        for end in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                os.replace(f"{self.path}{end}", f"{self._aside(number)}{end}")
            for old in sorted(aside)[: len(aside) + 1 - KEPT_ASIDE]:
                Path(f"{self._aside(old)}{end}").unlink(missing_ok=True)
        _sync_folder(self.path.parent)

    def _aside(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.stem}.damaged-{number}{self.path.suffix}")

    def _opened(self, path: Path) -> sqlite3.Connection:
        db = self._connect(str(path))
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA wal_autocheckpoint = 256")
            db.execute("PRAGMA journal_size_limit = 1048576")
            self._inode = inode_of(path)
        except sqlite3.Error:
            db.close()
            raise
        return db

    # Reading and writing

    def newest(self) -> Saved | None:
        """The newest game, if it is on or its result has not been left yet."""
        return newest(self._db) if self._db is not None else None

    def settle(self) -> int:
        """How many entries of the last ``write`` were written though it failed: all of them or none.

        Raise StoreFailed if that cannot be known yet.
        """
        if self._doubt is None:
            return 0
        try:
            (seq,) = self._ready().execute("SELECT coalesce(max(seq), 0) FROM line").fetchone()
        except (sqlite3.Error, OSError) as problem:
            raise self._failed(problem) from problem
        (count, lines), self._doubt = self._doubt, None
        if seq != self._seq + lines:
            return 0
        self._seq = seq
        return count

    def write(self, entries: Sequence[Entry]) -> None:
        """Write entries as one transaction, safe on the disk when this returns.

        Raise StoreFailed if it fails; ``settle`` then tells whether it was written after all.
        """
        seq = self._seq
        try:
            db = self._ready()
            db.execute("BEGIN IMMEDIATE")
            for entry in entries:
                seq = self._insert(db, entry, seq)
            self._doubt = (len(entries), seq - self._seq)
            db.execute("COMMIT")
        except (sqlite3.Error, OSError) as problem:
            raise self._failed(problem) from problem
        self._doubt = None
        self._seq = seq

    def _failed(self, problem: Exception) -> StoreFailed:
        """Let the file go, so that the next attempt opens it anew."""
        self.close()
        return StoreFailed(f"{self.path}: {_reason(problem)}", lost=type(problem) is sqlite3.DatabaseError)

    def _ready(self) -> sqlite3.Connection:
        there = inode_of(self.path)
        if there is None:
            raise sqlite3.DatabaseError("the file is gone")
        if self._db is None:
            self._db = self._opened(self.path)
        elif there != self._inode:  # SQLite would go on with one that nobody else has any more
            raise sqlite3.DatabaseError("another file is in its place")
        return self._db

    def _insert(self, db: sqlite3.Connection, entry: Entry, seq: int) -> int:
        """Write one entry after the line ``seq``. Return the last line's number."""
        if entry.leaves:
            db.execute("UPDATE game SET status = ? WHERE status = ?", (LEFT, OVER))
        if entry.begins is not None:
            db.execute("UPDATE game SET status = ? WHERE status != ?", (LEFT, LEFT))
            self._prune(db)
            db.execute("INSERT INTO game VALUES (?, ?, ?)", (seq + 1, entry.begins, OPEN))
        for line in entry.lines:
            seq += 1
            db.execute("INSERT INTO line VALUES (?, ?, ?)", (seq, line, crc(seq, line)))
        if entry.closes:
            db.execute("UPDATE game SET status = ? WHERE status = ?", (OVER, OPEN))
        return seq

    def _prune(self, db: sqlite3.Connection) -> None:
        """Push the oldest games out while the file is larger than its cap; the newest stays."""
        (size,) = db.execute("PRAGMA page_size").fetchone()
        while True:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
            (free,) = db.execute("PRAGMA freelist_count").fetchone()
            firsts = db.execute("SELECT first FROM game ORDER BY first LIMIT 2").fetchall()
            if (pages - free) * size <= self._cap or len(firsts) < 2:
                return
            (oldest,), (next_,) = firsts
            db.execute("DELETE FROM line WHERE seq < ?", (next_,))
            db.execute("DELETE FROM game WHERE first = ?", (oldest,))

    def copy(self) -> None:
        """Make the last good copy anew. Raise StoreFailed if it cannot be; the old one then stays."""
        try:
            remove(self._temporary)
            os.close(os.open(self._temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with (
                closing(self._connect(str(self.path))) as source,
                closing(self._connect(str(self._temporary))) as to,
            ):
                source.backup(to)
            os.replace(self._temporary, self.copy_path)
            _sync_folder(self.path.parent)
        except (sqlite3.Error, OSError) as problem:
            raise StoreFailed(f"{self.copy_path}: {_reason(problem)}") from problem

    def close(self) -> None:
        """Let the file go. A second call does nothing."""
        db, self._db = self._db, None
        if db is not None:
            with suppress(sqlite3.Error):
                db.close()


def _is_ours(db: sqlite3.Connection, application: int) -> bool:
    """Whether a database is a journal, and not another program's. Raise _Damaged if it was one."""
    try:
        open_rows(db)
    except ValueError as problem:
        if application == APPLICATION_ID:
            raise _Damaged(str(problem)) from None
        return False
    if application != APPLICATION_ID:
        raise _Damaged("its mark is not this program's, but its tables are")
    return True


def _reason(problem: Exception) -> str:
    """What went wrong, without the number that an OSError puts before its words."""
    return getattr(problem, "strerror", None) or str(problem)


def _write_durably(path: Path, data: bytes) -> None:
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make renames durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
