"""The journal's file: what it holds, what is done with damage, a disk that fails, and how large it gets."""

import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from table_games import play, sealed
from table_rig import Rig

from engine.game import broken_invariants
from engine.notation import dumps, loads
from engine.rules import Rules
from engine.views import Phase
from firmware.table.journal import LINES_A_MINUTE, PATIENCE_S, TOLD_S, Journal, JournalError, open_journal
from firmware.table.rows import SCHEMA, crc
from firmware.table.scenes import GameScene, LobbyScene, ResumeScene
from firmware.table.screens import draw
from firmware.table.store import CAP_BYTES, Store
from firmware.table.words import catalogue
from firmware.verify import unfair
from hardware.seat import Button

DATE = "2026-03-01T19:05:00+01:00"
CARD = re.compile(r"\b(10|[2-9JQKA])[cdhs]\b")


def opened(folder, **options):
    """The journal in this folder, writing in the caller's thread."""
    return Journal(Store(folder / "journal.db", **options), date=lambda: DATE)


def begun(journal, seed=1, steps=8, *, seats=(1, 2, 3), **options):
    """A game at this journal after so many steps."""
    rig = Rig(
        (1, 2, 3), chance=sealed(seed), journal=journal, saved=journal.saved, news=journal.news, **options
    )
    rig.sit_and_start(*seats)
    for _ in range(steps):
        rig.move_on()
    return rig


def rows(folder):
    """All lines in the file, with their numbers."""
    db = sqlite3.connect(f"file:{folder / 'journal.db'}?mode=ro", uri=True)
    found = db.execute("SELECT seq, text FROM line ORDER BY seq").fetchall()
    db.close()
    return found


def names(folder):
    """The files in a folder."""
    return sorted(file.name for file in folder.iterdir())


# What it holds


def test_a_game_is_in_the_file_line_by_line(fast_folder):
    """Each line of the record is a row, numbered without a gap, and together they are the record."""
    journal = opened(fast_folder)
    rig = begun(journal, steps=20)
    found = rows(fast_folder)
    assert [seq for seq, _ in found] == list(range(1, len(found) + 1))
    text = "\n".join(line for _, line in found) + "\n"
    record = loads(text)
    assert dumps(record) == text
    assert len(record.actions) == 20 + len([line for _, line in found if " draw " in line])
    assert record.header.began == DATE
    assert text.rstrip("\n").split("\n")[-1] == found[-1][1]
    assert rig.session.state.deals == 1
    journal.close()


def test_the_file_is_safe_and_private(fast_folder):
    """WAL, synchronous FULL, this program's mark and the schema's version; only its owner may read it."""
    journal = opened(fast_folder)
    db = journal._store._db
    pragmas = ("journal_mode", "synchronous", "user_version", "application_id")
    assert [db.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas] == ["wal", 2, SCHEMA, 0x54574F32]
    begun(journal)
    assert {file.stat().st_mode & 0o777 for file in fast_folder.iterdir()} == {0o600}
    journal.close()


def test_an_action_is_written_before_the_state_changes(fast_folder):
    """When an action is in the file for others to read, the session still shows the state before it."""
    journal = opened(fast_folder)
    rig = begun(journal, steps=0)
    write, seen = journal.write, []

    def watched(*lines, closes=False):
        write(*lines, closes=closes)
        assert [text for _, text in rows(fast_folder)][-len(lines) :] == list(lines)
        seen.append(rig.session.state)

    journal.write = watched
    for done in range(12):
        before = rig.session.state
        rig.move_on()
        assert seen[done] is before
        assert rig.session.state is not before
    journal.close()


def test_refused_actions_leave_the_file_as_it_is(fast_folder):
    """A play against the rules, or out of turn, writes nothing."""
    journal = opened(fast_folder)
    rig = begun(journal, steps=0)
    rig.play_to(Phase.PLAY)
    before = rows(fast_folder)
    seat = rig.session.state.turn
    hand = rig.view(seat).hand
    rig.mark(seat, (hand[0], hand[-1]))
    for presser in (seat, seat % 3 + 1):
        rig.press(presser, Button.PLAY)
        assert rig.scene(presser).notice is not None
    assert rows(fast_folder) == before
    journal.close()


def test_ten_idle_minutes_write_nothing(fast_folder):
    """While nobody plays no file changes, in the lobby and in a game."""
    journal = opened(fast_folder)
    rig = begun(journal, steps=5)
    before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in fast_folder.iterdir()}
    rig.wait(600)
    rig.press(1, Button.LEFT)
    assert {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in fast_folder.iterdir()} == before
    assert rig.session.deadline() is None
    journal.close()


# Damage


def empty(file):
    """0 bytes."""
    file.write_bytes(b"")


def all_nul(file):
    """The same length, all NUL."""
    file.write_bytes(bytes(file.stat().st_size))


def cut(file):
    """Half of it."""
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip_page(number):
    """All bits of one page turned."""

    def flip(file):
        data = bytearray(file.read_bytes())
        start = number * 4096
        data[start : start + 4096] = bytes(byte ^ 255 for byte in data[start : start + 4096])
        file.write_bytes(data)

    flip.__name__ = f"flip_page_{number}"
    return flip


def flip_bit_of_a_card(file):
    """One bit in the text of a line: the database's structure stays whole."""
    data = bytearray(file.read_bytes())
    data[data.index(b" deal ") + 7] ^= 1
    file.write_bytes(data)


DAMAGES = (empty, all_nul, cut, flip_page(0), flip_page(2), flip_page(4), flip_bit_of_a_card)


def two_games(folder):
    """A journal with a finished game, which is in the copy, and the beginning of another: both texts."""
    journal = opened(folder)
    play(journal=journal)
    finished = journal._store.newest().text
    begun(journal, 2)
    running = journal._store.newest().text
    journal.close()
    return finished, running


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_set_aside_and_the_copy_is_used(fast_folder, damage, caplog):
    """The damaged file keeps its content under a telling name, the copy is in its place, players are told;
    the game that was on is there up to the damage: all of it, if only an older game is hit."""
    finished, running = two_games(fast_folder)
    damage(fast_folder / "journal.db")
    bad = (fast_folder / "journal.db").read_bytes()
    journal = opened(fast_folder)
    assert (fast_folder / "journal.damaged-1.db").read_bytes() == bad
    assert journal.news == "journal-damaged"
    kept = "\n".join(text for _, text in rows(fast_folder)) + "\n"
    assert kept.startswith(finished)
    assert (finished + running).startswith(kept)
    if damage in (flip_bit_of_a_card, empty):
        assert kept == finished + (running if damage is flip_bit_of_a_card else "")
    rig = Rig((1, 2, 3), chance=sealed(3), journal=journal, saved=journal.saved, news=journal.news)
    assert {rig.scene(seat).notice.reason for seat in (1, 2, 3)} == {"journal-damaged"}
    rig.press(1, Button.MARK)
    assert isinstance(rig.scene(1), LobbyScene if kept == finished else ResumeScene)
    assert "is damaged" in caplog.text
    assert not CARD.search(caplog.text)
    assert not [name for name in names(fast_folder) if name.startswith("journal.tmp")]
    journal.close()


def power_cut(folder, after):
    """What is on the disk when the power fails."""
    after.mkdir()
    for name in ("journal.db", "journal.db-wal", "journal.copy"):
        if (folder / name).exists():
            shutil.copy(folder / name, after)


@pytest.mark.parametrize("place", range(6))
def test_of_a_running_game_all_lines_before_the_damage_are_kept(fast_folder, place, caplog):
    """Power cut in a long game, one page of the file flipped: the game goes on from its last line before the
    damage, to a fair end, with the line numbers that it had; or it is not there at all."""
    folder, after = fast_folder / "before", fast_folder / "after"
    journal = opened(folder)
    play(journal=journal, games=2)
    before = [line for _, line in rows(folder)]
    rig = begun(journal, 2, 120, rules=Rules(limit=42))
    running = rows(folder)[len(before) :]
    rig.session._book.journal._store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    power_cut(folder, after)
    journal.close()
    pages = (after / "journal.db").stat().st_size // 4096
    assert pages >= 6
    flip_page(pages - 1 - place)(after / "journal.db")
    journal = opened(after)
    assert journal.news == "journal-damaged"
    kept = [row for row in rows(after) if row[0] >= running[0][0]]
    assert kept == running[: len(kept)]
    if place == 0:
        assert len(running) // 2 < len(kept) < len(running)
    assert (journal.saved is None or journal.saved.over) == (not kept)
    if kept:
        rig = Rig((1, 2, 3), chance=sealed(3), journal=journal, saved=journal.saved, news=journal.news)
        rig.press(1, Button.PLAY)
        rig.press(1, Button.PLAY)
        rig.play_to(Phase.OVER)
        assert list(unfair(journal._store.newest().text)) == []
    assert not CARD.search(caplog.text)
    journal.close()


def test_a_write_ahead_log_that_was_not_merged_is_read_too(fast_folder):
    """After a power cut most of a game is in the write-ahead log: if the file is damaged it is kept."""
    folder, after = fast_folder / "before", fast_folder / "after"
    journal = opened(folder)
    play(journal=journal, games=2)
    journal._store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    begun(journal, 2, 20)
    running = journal._store.newest().text
    power_cut(folder, after)
    journal.close()
    flip_bit_of_a_card(after / "journal.db")
    journal = opened(after)
    assert (journal.news, journal.saved.text) == ("journal-damaged", running)
    journal.close()


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE game SET secret = '00' WHERE first > 1",
        "UPDATE game SET secret = x'00' WHERE first > 1",
        "UPDATE game SET first = first + 1 WHERE first > 1",
        "UPDATE line SET crc = 1 WHERE seq = (SELECT max(first) FROM game)",
        "UPDATE game SET status = 2 WHERE first > 1",
        "DELETE FROM game WHERE first > 1; UPDATE game SET status = 0",
    ],
)
def test_a_game_that_cannot_be_trusted_is_not_gone_on_with(fast_folder, forged):
    """Beside other damage: without its own secret, its first line, or its place among the games, the game
    that was on is not kept, and a finished one is not played again."""
    finished, _ = two_games(fast_folder)
    db = sqlite3.connect(fast_folder / "journal.db")
    db.executescript(f"{forged}; UPDATE line SET crc = 0 WHERE seq = 5;")
    db.close()
    journal = opened(fast_folder)
    assert journal.news == "journal-damaged"
    assert "\n".join(text for _, text in rows(fast_folder)) + "\n" == finished
    journal.close()


@pytest.mark.parametrize("damage", DAMAGES[:3], ids=lambda damage: damage.__name__)
def test_without_a_good_copy_the_journal_begins_anew_and_says_so(fast_folder, damage):
    """Both damaged: the file is set aside, play is possible, players are told."""
    two_games(fast_folder)
    damage(fast_folder / "journal.db")
    damage(fast_folder / "journal.copy")
    journal = opened(fast_folder)
    assert (journal.news, journal.saved) == ("journal-lost", None)
    assert (fast_folder / "journal.damaged-1.db").exists()
    begun(journal)
    journal.close()
    assert opened(fast_folder).saved is not None


def test_a_stale_temporary_file_does_no_harm(fast_folder):
    """What a cut left of a copy in the making is not taken for anything, nor its write-ahead log."""
    finished, _ = two_games(fast_folder)
    (fast_folder / "journal.tmp").write_bytes(b"SQLite format 3\0 and no more")
    (fast_folder / "journal.tmp-wal").write_bytes(bytes(4096))
    journal = opened(fast_folder)
    assert journal.news == ""
    assert journal.saved is not None
    assert finished in "\n".join(text for _, text in rows(fast_folder)) + "\n"
    assert not [name for name in names(fast_folder) if name.startswith("journal.tmp")]
    journal.close()


def test_a_missing_file_is_no_first_start_if_there_is_a_copy(fast_folder):
    """A journal that vanished is replaced by its copy, and players are told; without a copy it is new."""
    assert opened(fast_folder / "new").news == ""
    two_games(fast_folder)
    (fast_folder / "journal.db").unlink()
    journal = opened(fast_folder)
    assert journal.news == "journal-damaged"
    assert journal.saved.over
    journal.close()


def test_only_two_damaged_files_are_kept(fast_folder):
    """Of many damages the last two can be looked at; the numbers go on."""
    two_games(fast_folder)
    for _ in range(4):
        empty(fast_folder / "journal.db")
        opened(fast_folder).close()
    assert [name for name in names(fast_folder) if "damaged" in name] == [
        "journal.damaged-3.db",
        "journal.damaged-4.db",
    ]


def test_files_of_others_are_refused_and_left_alone(fast_folder):
    """A later schema and another program's database are errors that say what to do; no byte changes."""
    two_games(fast_folder)
    file = fast_folder / "journal.db"
    db = sqlite3.connect(file)
    db.execute(f"PRAGMA user_version = {SCHEMA + 6}")
    db.close()
    before = file.read_bytes()
    with pytest.raises(
        JournalError, match=r"written by a later version \(schema 7, this one knows 1\): install"
    ):
        open_journal(file, date=str)
    assert file.read_bytes() == before
    other = fast_folder / "other.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE photos (name)")
    db.commit()
    db.close()
    with pytest.raises(JournalError, match="another program's database: choose another file"):
        open_journal(other, date=str)
    assert names(fast_folder).count("other.db") == 1


def test_a_file_damaged_while_the_table_runs_is_replaced_and_the_game_written_again(fast_folder):
    """The running game is in memory: when the file turns out to be broken, all of it goes into the new."""
    journal = opened(fast_folder)
    rig = begun(journal, steps=6)
    text = journal._store.newest().text
    journal._store.close()
    for end in ("-wal", "-shm"):
        (fast_folder / f"journal.db{end}").unlink(missing_ok=True)
    all_nul(fast_folder / "journal.db")
    rig.move_on()
    rig.wait(2.0)
    assert not rig.scene(1).unsaved
    again = journal._store.newest().text
    assert again.startswith(text)
    assert len(loads(again).actions) == len(loads(text).actions) + 1
    assert "journal.damaged-1.db" in names(fast_folder)
    journal.close()


@pytest.mark.parametrize("instead", [None, b"", b"no database", "copy"])
def test_a_file_removed_while_it_is_open_is_noticed(fast_folder, instead):
    """Removed, or another put in its place: the running game is in the file that is there, all of it."""
    journal = opened(fast_folder)
    rig = begun(journal, steps=6)
    text = journal._store.newest().text
    file = fast_folder / "journal.db"
    other = shutil.copy(file, fast_folder / "other")
    for end in ("", "-wal", "-shm"):
        Path(f"{file}{end}").unlink()
    if instead == "copy":
        os.rename(other, file)
    elif instead is not None:
        file.write_bytes(instead)
    rig.move_on()
    rig.wait(2.0)
    assert not rig.scene(1).unsaved
    again = "\n".join(line for _, line in rows(fast_folder)) + "\n"
    assert text in again
    assert len(loads(journal._store.newest().text).actions) == len(loads(text).actions) + 1
    journal.close()


def test_a_folder_that_vanishes_while_the_table_runs_is_made_again(fast_folder):
    """If all files are gone, play goes on, and the running game is written anew, whole."""
    folder = fast_folder / "games"
    journal = opened(folder)
    rig = begun(journal, steps=6)
    journal._store.close()
    shutil.rmtree(folder)
    rig.move_on()
    rig.wait(2.0)
    assert not rig.scene(1).unsaved
    assert len(loads(journal._store.newest().text).actions) == 8
    journal.close()


# A disk that fails


class Faults:
    """Opens databases, or fails as told: by a limit of pages, or read-only."""

    def __init__(self):
        self.pragma = ""

    def __call__(self, path):
        db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA page_size = 512")  # of a new one: it is full the sooner
        if self.pragma:
            db.execute(self.pragma)
        return db


@contextmanager
def file_size_limit(faults, folder):
    """No file may grow: writes fail with an I/O error."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        yield "disk I/O error"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def full(faults, folder):
    """The database may have no more pages than it has."""
    faults.pragma = "PRAGMA max_page_count = 1"
    yield "database or disk is full"
    faults.pragma = ""


@contextmanager
def read_only(faults, folder):
    """The database is opened again and may only be read."""
    faults.pragma = "PRAGMA query_only = 1"
    yield "attempt to write a readonly database"
    faults.pragma = ""


@contextmanager
def locked(faults, folder):
    """Another process holds the write lock."""
    program = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('BEGIN IMMEDIATE'); "
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(folder / "journal.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        yield "database is locked"
        other.stdin.close()
        other.wait(timeout=30)


@pytest.mark.parametrize(
    "trouble", [file_size_limit, full, read_only, locked], ids=lambda fault: fault.__name__
)
def test_play_goes_on_without_the_disk_and_all_is_written_when_it_is_back(fast_folder, trouble, caplog):
    """8 s of a failing disk: told within 2 s, every answer within 0.1 s, then stored once each, in order.

    The lines that were shown before they were written are declared in the record.
    """
    faults = Faults()
    journal = opened(fast_folder, connect=faults)
    rig = begun(journal, steps=6)
    if trouble in (full, read_only):
        journal._store.close()
    words = catalogue()
    with trouble(faults, fast_folder) as reason:
        while not journal._failed:
            before = rows(fast_folder)
            rig.move_on()
        start, slowest, done = rig.now, 0.0, 1
        assert reason in caplog.text
        rig.wait(1.5)  # after the half second that the press took
        assert all(rig.scene(seat).unsaved for seat in (1, 2, 3))
        while rig.now < start + 8.0:
            began = time.process_time()
            rig.move_on()
            assert [draw(rig.scene(seat), words).size for seat in (1, 2, 3)] == [(128, 64)] * 3
            slowest = max(slowest, time.process_time() - began)
            done += 1
        assert slowest < 0.1
    rig.wait(1.0)
    assert not rig.scene(1).unsaved
    after = rows(fast_folder)
    assert after[: len(before)] == before
    assert [seq for seq, _ in after] == list(range(1, len(after) + 1))
    record = loads("\n".join(text for _, text in after) + "\n")
    assert sum(int(count) for count in record.noted("late")) == done
    assert len(record.actions) == len(loads("\n".join(text for _, text in before)).actions) + done
    rig.play_to(Phase.OVER)
    assert list(unfair(journal._store.newest().text)) == []
    assert not CARD.search(caplog.text)
    assert caplog.text.count("not saved") == 1
    journal.close()


def test_a_short_trouble_is_declared_but_not_shown(fast_folder):
    """Less than a second without the disk: no screen changes, the record says that a line was late."""
    faults = Faults()
    journal = opened(fast_folder, connect=faults)
    rig = begun(journal, steps=3)
    with locked(faults, fast_folder):
        rig.press(rig.session.state.turn, Button.PLAY, stroke_s=0.05, rest_s=TOLD_S / 4)
        assert not rig.scene(1).unsaved
    rig.wait(1.0)
    assert not rig.scene(1).unsaved
    journal.close()


def test_each_game_declares_its_own_gap(fast_folder):
    """If the disk fails from one game into the next, each record says how many of its actions were late."""
    faults = Faults()
    journal = opened(fast_folder, connect=faults)
    rig = begun(journal, steps=0, rules=Rules(limit=5, first_hand=3), seats=(1, 2))
    with locked(faults, fast_folder):
        first = 0
        while rig.session.state.phase is not Phase.OVER:
            rig.move_on()
            first += 1
        rig.press(1, Button.PLAY)
        rig.move_on()
    rig.wait(1.0)
    journal.close()
    texts = "\n".join(text for _, text in rows(fast_folder)).split("twentytwo 2\n")[1:]
    records = [loads(f"twentytwo 2\n{text}") for text in texts]
    late = [[int(count) for count in record.noted("late")] for record in records]
    assert late == [[first], [len(records[1].actions)]]


def test_a_folder_that_cannot_be_written_at_the_start_does_not_stop_play(fast_folder):
    """The table starts, says "not saving", and saves when it can."""
    faults = Faults()
    faults.pragma = "PRAGMA query_only = 1"
    journal = opened(fast_folder, connect=faults)
    rig = begun(journal, steps=3)
    rig.wait(2.0)
    assert isinstance(rig.scene(1), GameScene)
    assert rig.scene(1).unsaved
    faults.pragma = ""
    rig.wait(2.0)
    assert not rig.scene(1).unsaved
    assert journal._store.newest().text.count("@") >= 4
    journal.close()


def test_a_disk_that_fails_again_and_again_fills_no_log(fast_folder, caplog):
    """Four minutes in which the disk fails at every other action: ten lines a minute."""
    faults = Faults()
    journal = opened(fast_folder, connect=faults)
    rig = begun(journal, steps=3, rules=Rules(limit=42))
    started, minutes = rig.now, []
    while rig.now < started + 240:
        if rig.session.state.phase is Phase.OVER:
            rig.press(1, Button.PLAY)
        faults.pragma = "PRAGMA query_only = 1"
        journal._store.close()
        rig.move_on()
        faults.pragma = ""
        rig.wait(0.5)
        if rig.now > started + 60 * (len(minutes) + 1):
            minutes.append(len(caplog.records))
            caplog.clear()
    assert len(minutes) >= 3
    assert all(0 < count <= LINES_A_MINUTE + 2 for count in minutes)
    journal.close()


def test_a_transaction_of_which_nothing_is_known_is_not_written_twice(fast_folder):
    """If the disk reports a failure after it has taken a transaction, its lines are there once."""

    class Liar(sqlite3.Connection):
        lies = 0

        def execute(self, statement, *args):
            result = super().execute(statement, *args)
            if statement == "COMMIT" and Liar.lies:
                Liar.lies -= 1
                raise sqlite3.OperationalError("disk I/O error")
            return result

    def connect(path):
        return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False, factory=Liar)

    journal = opened(fast_folder, connect=connect)
    rig = begun(journal, steps=3)
    Liar.lies = 1
    rig.move_on()
    rig.wait(2.0)
    rig.move_on()
    texts = [text for _, text in rows(fast_folder)]
    actions = [text for text in texts if text.startswith("@")]
    assert not journal._failed
    assert len(actions) == len(set(actions)) == 6
    assert len(loads("\n".join(texts)).actions) == len(actions)
    journal.close()


# How large it gets


def test_the_oldest_games_make_room(fast_folder):
    """Beyond the cap a new game pushes the oldest out; the numbers go on, the newest games stay whole."""
    cap = 64 * 1024
    journal = opened(fast_folder, cap_bytes=cap)
    rig = Rig(
        (1, 2), chance=sealed(1), journal=journal, rules=Rules(limit=5), fill={1: "random", 2: "random"}
    )
    largest = 0
    while rig.session._book.state is None or rows(fast_folder)[-1][0] < 3000:
        rig.wait(60)
        largest = max(largest, (fast_folder / "journal.db").stat().st_size)
    found = rows(fast_folder)
    assert found[0][0] > 1000
    assert [seq for seq, _ in found] == list(range(found[0][0], found[-1][0] + 1))
    assert found[0][1].startswith("twentytwo 2")
    assert largest <= cap + 32 * 1024
    journal.close()


def test_a_week_with_power_cuts_and_clock_jumps(fast_folder):
    """Seven days of games in virtual time, the power cut 50 times, the clock turned by hours and days.

    After each cut the game goes on from what the disk had; invariants hold, the files stay under their cap.
    """
    cap = 128 * 1024
    dice = random.Random(7)
    dates = ["2026-03-01T19:05:00+01:00", "2026-03-02T04:05:00+01:00", "2026-02-15T19:05:00+01:00"]
    folder, week, spent, cuts, resumed = fast_folder / "0", 7 * 86_400, 0.0, 0, 0
    folder.mkdir()
    while spent < week:
        journal = Journal(Store(folder / "journal.db", cap_bytes=cap), date=lambda: dice.choice(dates))
        assert journal.news == ""
        saved = journal.saved
        rig = Rig(
            (1, 2, 3),
            chance=sealed(cuts),
            journal=journal,
            saved=saved,
            fill={1: "steady", 2: "random", 3: "steady"},
            bot_delay_s=90.0,
        )
        resumed += saved is not None
        end = rig.now + dice.uniform(600, 2 * week / 50)
        while rig.now < end:
            rig.wait(min(3600.0, end - rig.now))
            if rig.session.state is not None:
                assert broken_invariants(rig.session.state) == ()
        spent += rig.now - 11.0
        last = rig.session.state
        cuts += 1
        after = fast_folder / str(cuts)  # the power is cut: what the disk has is all that is left
        after.mkdir()
        for file in folder.iterdir():
            if not file.name.endswith("-shm"):
                shutil.copy(file, after)
        journal.close()
        shutil.rmtree(folder)
        folder = after
        assert sum(file.stat().st_size for file in folder.iterdir()) < 2 * cap + 1_200_000 + 64 * 1024
        store = Store(folder / "journal.db", cap_bytes=cap)
        assert store.open() == ""
        if last is not None and last.phase is not Phase.OVER:
            record = loads(store.newest().text)
            assert len(record.actions) > 0
        store.close()
    assert cuts >= 30
    assert resumed >= cuts // 2


def test_what_the_page_of_the_journal_says():
    """The numbers of docs/journal.md are those of the program."""
    page = (Path(__file__).parents[1] / "docs" / "journal.md").read_text(encoding="utf-8")
    assert f"{CAP_BYTES // 1024 // 1024} MiB" in page
    assert f"at most {PATIENCE_S * 1000:.0f} ms" in page


# Whatever is in its place


ENDLESS = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE line",
        "ALTER TABLE line RENAME COLUMN text TO texu",
        f"DROP TABLE line; CREATE VIEW line {ENDLESS.format('i AS seq, 1 AS text, 0 AS crc')}",
        f"DROP TABLE game; CREATE VIEW game {ENDLESS.format('i AS first, 1 AS secret, 0 AS status')}",
        "CREATE TRIGGER more BEFORE INSERT ON line BEGIN DELETE FROM game; END",
        "UPDATE line SET text = CAST(text AS BLOB) WHERE seq = 3",
        "UPDATE line SET text = CAST(x'ff41' AS TEXT) WHERE seq = 3",
        "UPDATE game SET status = 7",
        "UPDATE game SET status = x'00'",
        "UPDATE game SET secret = CAST(x'ff41' AS TEXT)",
        "UPDATE game SET secret = replace(secret, substr(secret, 9, 1), 'z')",
        "UPDATE game SET secret = '00'",
        "UPDATE game SET first = 9223372036854775807; INSERT INTO line VALUES (9223372036854775807, '', {})",
        "PRAGMA application_id = 1",
        "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'crc', 'crd')",
    ],
)
def test_whatever_is_in_the_rows_play_begins_at_once_and_is_saved(fast_folder, change):
    """Rows of any type, tables that are none, another secret: set aside, and told to the players."""
    journal = opened(fast_folder)
    begun(journal, steps=6)
    journal.close()
    last = 2**63 - 1
    db = sqlite3.connect(fast_folder / "journal.db", isolation_level=None)
    db.executescript(change.format(crc(last, "")))
    db.close()
    journal = opened(fast_folder)
    assert journal.news in ("journal-lost", "journal-damaged")
    assert "journal.damaged-1.db" in names(fast_folder)
    if journal.saved is None:
        begun(journal)
    journal.close()
    assert opened(fast_folder).saved is not None
    assert journal._failed == ""


@pytest.mark.parametrize("place", [18, 19, 47])
def test_a_header_that_says_nonsense_is_damage(fast_folder, place):
    """Formats that this SQLite cannot write, or not read: no waiting for a disk that will never be well."""
    journal = opened(fast_folder)
    begun(journal, steps=6)
    journal.close()
    content = bytearray((fast_folder / "journal.db").read_bytes())
    content[place] ^= 0x40
    (fast_folder / "journal.db").write_bytes(content)
    journal = opened(fast_folder)
    assert journal.news in ("journal-lost", "journal-damaged")
    if journal.saved is None:
        begun(journal)
    assert journal._failed == ""
    journal.close()


def test_what_is_no_file_stays_where_it_is(tmp_path):
    """A pipe, a folder, a link to a device: refused with a reason, and neither read nor moved."""
    file = tmp_path / "journal.db"
    for number, make in enumerate((os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path))):
        make(file)
        with pytest.raises(JournalError, match="is no file: choose another one"):
            open_journal(file, date=str)
        assert names(tmp_path) == ["journal.db"]
        file.rename(tmp_path.with_name(f"{tmp_path.name}-{number}"))


def test_a_text_of_others_stays_where_it_is(tmp_path):
    """A settings file named by mistake is not taken for a damaged journal, nor moved."""
    file = tmp_path / "table.toml"
    file.write_text('board = "pods-6"\n')
    with pytest.raises(JournalError, match="is a text and no journal: choose another file"):
        open_journal(file, date=str)
    assert names(tmp_path) == ["table.toml"]
    assert file.read_text() == 'board = "pods-6"\n'


def test_a_file_too_large_for_a_journal_stays_where_it_is(tmp_path):
    """8 GB are refused at once, before anything is read."""
    file = tmp_path / "journal.db"
    file.write_bytes(b"SQLite format 3\0")
    os.truncate(file, 8 << 30)
    with pytest.raises(JournalError, match="has 8,589,934,592 bytes, more than any journal"):
        open_journal(file, date=str)
    assert names(tmp_path) == ["journal.db"]
    file.unlink()


def test_a_pipe_in_the_place_of_the_copy_is_not_read(fast_folder):
    """It is replaced by a copy."""
    (fast_folder / "journal.db").write_bytes(b"no database")
    os.mkfifo(fast_folder / "journal.copy")
    journal = opened(fast_folder)
    assert journal.news == "journal-lost"
    assert (fast_folder / "journal.copy").is_file()
    journal.close()
