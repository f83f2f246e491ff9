"""A disk that fails under a whole table: from the button to the panel's memory, real drivers in between."""

import shutil
import sqlite3
import threading
import time
from functools import cache

import pytest
from board_rig import BoardRig
from table_games import sealed
from test_journal import Faults, file_size_limit, full, locked, opened, read_only, rows

from engine.notation import loads
from engine.views import Phase
from firmware.table import canvas
from firmware.table.journal import PATIENCE_S
from firmware.table.screens import draw
from firmware.table.words import catalogue
from firmware.verify import unfair
from hardware.frame import pack
from hardware.seat import Button

BOARD = "direct-6-usermux"
PLAYERS = (1, 2, 3)
ANSWER_S = 0.1
TOLD_S = 2.0
TROUBLE_S = 8.0


@pytest.fixture
def started():
    """Give journals threads of their own, which end with the test."""
    journals = []

    def begin(journal):
        journals.append(journal)
        journal.start()
        return journal

    yield begin
    Slow.gate.set()
    for journal in journals:
        journal.close()


@cache
def tag():
    """``Not saving`` as a dark text on a lit tag."""
    sheet = canvas.Canvas()
    width = canvas.small().width("Not saving") + 2
    sheet.box(0, 0, width, 9)
    sheet.text(1, 1, "Not saving", canvas.small(), dark=True)
    return sheet.image.convert("L").crop((0, 0, width, 9))


def not_saving(panel):
    """Whether a panel says that games are not saved: as its title, or on a tag at the left."""
    if panel.title == ("Not saving", True):
        return True
    return any(panel.image.crop((0, y, tag().width, y + 9)).tobytes() == tag().tobytes() for y in (40, 55))


class Watched(BoardRig):
    """Times each action up to the panel of who pressed: ``answers`` has the seconds on contacts and wires
    (virtual), and those in which the journal held it up (real)."""

    def __init__(self, journal, **options):
        super().__init__(BOARD, journal=journal, **options)
        self.answers = []
        self.held = []
        self._write = journal.write
        journal.write = self._timed
        self.changes = {}
        self.wires.watch(lambda seat: self.changes.setdefault(seat, []).append(self.now))

    def _timed(self, *lines, closes=False):
        began = time.monotonic()
        self._write(*lines, closes=closes)
        self.held[-1] += time.monotonic() - began

    def press(self, seat, button, stroke_s=0.08, rest_s=0.5):
        """A stroke; if it acts, every player's panel shows that at the end."""
        before = self.session.state
        self.down(seat, button)
        self.wait(stroke_s)
        self.changes.clear()
        released = self.now
        self.held.append(0.0)
        self.up(seat, button)
        self.wait(0.25)
        if before is not None and self.session.state is not before:
            shown = max(self.changes[seat]) - released
            self.answers.append((shown, self.held[-1]))
            for place in PLAYERS:
                assert self.pages(place) == pack(draw(self.scene(place), catalogue()))
        self.wait(max(0.0, rest_s - 0.25))


@pytest.mark.parametrize(
    "trouble", [file_size_limit, full, read_only, locked], ids=lambda fault: fault.__name__
)
def test_a_failing_disk_is_shown_and_holds_nobody_up(fast_folder, started, trouble):
    """8 s of a failing disk, the journal on its own thread: the panel of who presses shows the action within
    0.1 s of the button, as before, and every panel says "Not saving" within 2 s.

    Play goes on; when the disk is back the panels say nothing any more, all is written once, in order, and
    the record declares what was late.
    """
    faults = Faults()
    journal = started(opened(fast_folder, connect=faults))
    rig = Watched(journal, chance=sealed(1))
    rig.sit_and_start(*PLAYERS)
    for _ in range(6):
        rig.move_on()
    assert not any(not_saving(rig.see(seat)) for seat in PLAYERS)
    assert max(shown for shown, _ in rig.answers) <= ANSWER_S - PATIENCE_S
    if trouble in (full, read_only):
        journal._store.close()
    with trouble(faults, fast_folder):
        while not journal._failed:
            done = len(rows(fast_folder))
            rig.answers.clear()
            rig.move_on()
        start = rig.now
        rig.wait(TOLD_S)
        assert all(not_saving(rig.see(seat)) for seat in PLAYERS)
        while rig.now < start + TROUBLE_S:
            rig.move_on()
            assert all(not_saving(rig.see(seat)) for seat in PLAYERS)
        acted = len(rig.answers)
        assert acted >= 4
        assert max(shown for shown, _ in rig.answers) <= ANSWER_S - PATIENCE_S
        held = sorted(held for _, held in rig.answers)
        assert held[-1] < 10 * PATIENCE_S  # much more than it is, for a computer that has much to do
        assert held[acted // 2] < PATIENCE_S / 2  # the first waits for the disk, the others do not
    with journal._changed:
        assert journal._changed.wait_for(lambda: not journal._failed, timeout=30)
    rig.wait(1.0)
    assert not any(not_saving(rig.see(seat)) for seat in PLAYERS)
    assert len(rows(fast_folder)) >= done + acted
    rig.play_to(Phase.OVER)
    rig.close()
    journal.close()
    found = rows(fast_folder)
    assert [seq for seq, _ in found] == list(range(1, len(found) + 1))
    text = "\n".join(line for _, line in found) + "\n"
    record = loads(text)
    assert record.ended
    assert list(unfair(text)) == []
    late = sum(int(count) for count in record.noted("late"))
    assert late >= acted  # more on a computer that has much to do


def test_a_disk_that_fails_from_the_start_is_shown_before_a_game(fast_folder):
    """A folder that cannot be written: the panels say so before the first game, which is played all the same;
    saving begins by itself when it can."""
    faults = Faults()
    faults.pragma = "PRAGMA query_only = 1"
    journal = opened(fast_folder, connect=faults)
    rig = BoardRig(BOARD, journal=journal, chance=sealed(1))
    rig.wait(TOLD_S)
    assert all(not_saving(rig.see(seat)) for seat in rig.seats)
    rig.sit_and_start(*PLAYERS)
    rig.move_on()
    assert rig.see(1).hand
    faults.pragma = ""
    rig.wait(1.0)
    assert not any(not_saving(rig.see(seat)) for seat in rig.seats)
    assert journal._store.newest().text.count("@") == 2
    rig.press(2, Button.LEFT)
    rig.close()
    journal.close()


class Slow(sqlite3.Connection):
    """A disk that takes its time: a commit ends when the gate is opened."""

    gate = threading.Event()
    commits = 0

    def execute(self, statement, *args):
        if statement == "COMMIT":
            Slow.commits += 1
            assert Slow.gate.wait(30)
        return super().execute(statement, *args)


def slow(path):
    """A connection as the store makes it, to the slow disk."""
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False, factory=Slow)


def settled(journal):
    """Wait until the journal's thread has written everything."""
    with journal._changed:
        assert journal._changed.wait_for(lambda: not journal._pending, timeout=30)


def test_a_slow_disk_never_blocks_play(fast_folder, started):
    """A commit that hangs: actions are shown on the panels all the same, the first after 35 ms, the others at
    once; "Not saving" comes after a second, and goes when the disk has taken all of them.

    The record says which actions were shown before they were written: just those.
    """
    Slow.gate.set()
    journal = started(opened(fast_folder, connect=slow))
    rig = Watched(journal, chance=sealed(1))
    rig.sit_and_start(*PLAYERS)
    rig.move_on()
    settled(journal)
    rig.wait(0.5)
    written = rows(fast_folder)
    Slow.gate.clear()
    rig.answers.clear()
    for _ in range(3):
        rig.move_on()
    assert len(rig.answers) == 3
    assert max(shown for shown, _ in rig.answers) <= ANSWER_S - PATIENCE_S
    assert sum(held for _, held in rig.answers) < 10 * PATIENCE_S
    assert rows(fast_folder) == written
    rig.wait(1.0)
    assert all(not_saving(rig.see(seat)) for seat in PLAYERS)
    Slow.gate.set()
    settled(journal)
    rig.wait(0.5)
    assert not any(not_saving(rig.see(seat)) for seat in PLAYERS)
    rig.close()
    journal.close()
    lines = [line for _, line in rows(fast_folder)][len(written) :]
    assert sum(line.startswith("@") for line in lines) == 3
    assert sum(int(line.split()[1]) for line in lines if line.startswith("late")) == 3


def test_a_disk_that_is_always_slow_is_not_asked_twice(fast_folder, started, caplog):
    """Each commit takes longer than an action waits: an action is one commit still, which also says that the
    one before was late; the last of them is said when the journal is closed. Nothing is logged."""
    Slow.gate.set()
    journal = started(opened(fast_folder, connect=slow))
    rig = BoardRig(chance=sealed(1), journal=journal)
    rig.sit_and_start(1, 2)
    rig.move_on()
    settled(journal)
    Slow.commits = 0
    for _ in range(4):
        Slow.gate.clear()
        rig.move_on()
        Slow.gate.set()
        settled(journal)
    assert Slow.commits == 4
    assert caplog.records == []
    rig.close()
    journal.close()
    lines = [line.partition(" ")[0][:1] for _, line in rows(fast_folder)][-8:]
    assert lines == ["@", "l"] * 4


def test_power_that_fails_before_a_slow_disk_has_written_loses_what_was_late(fast_folder, started):
    """The bound of the promise: an action that the disk did not take in time was shown before it was written.
    If the power fails before it is, the game goes on from the action before, as all screens then show."""
    Slow.gate.set()
    folder, after = fast_folder / "before", fast_folder / "after"
    journal = started(opened(folder, connect=slow))
    rig = BoardRig(chance=sealed(1), journal=journal)
    rig.sit_and_start(1, 2)
    for _ in range(4):
        rig.move_on()
    settled(journal)
    on_disk = rig.session.state
    Slow.gate.clear()
    rig.move_on()
    assert rig.session.state != on_disk
    after.mkdir()
    for name in ("journal.db", "journal.db-wal", "journal.copy"):
        shutil.copy(folder / name, after)
    Slow.gate.set()
    rig.close()
    journal.close()
    journal = opened(after)
    rig = BoardRig(chance=sealed(2), journal=journal, saved=journal.saved)
    rig.press(1, Button.PLAY)
    assert rig.session.state == on_disk
    rig.close()
    journal.close()
