"""A disk that fails under a whole table: from the button to the panel's memory, real drivers in between."""

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
def test_a_failing_disk_is_shown_and_holds_nobody_up(fast_folder, trouble):
    """8 s of a failing disk, the journal on its own thread: the panel of who presses shows the action within
    0.1 s of the button, as before, and every panel says "Not saving" within 2 s.

    Play goes on; when the disk is back the panels say nothing any more, all is written once, in order, and
    the record declares what was late.
    """
    faults = Faults()
    journal = opened(fast_folder, connect=faults)
    journal.start()
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
    assert sum(int(count) for count in record.noted("late")) == acted


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
