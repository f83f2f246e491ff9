"""A week at a table: power cuts, a clock that jumps, nights in which nobody plays."""

import random
import re
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from board_rig import BoardRig
from table_games import sealed

from engine.game import broken_invariants
from engine.notation import loads
from engine.views import Phase
from firmware.history import games
from firmware.table.journal import Journal
from firmware.table.scenes import GameScene, LobbyScene, ResumeScene
from firmware.table.store import Store
from firmware.verify import unfair
from hardware.seat import Button

ROOT = Path(__file__).parents[1]
CAP = 12 * 1024
DAY_S = 86_400.0
CET = timezone(timedelta(hours=1))


class WallClock:
    """What the table is told to be date and time: it goes with the table's time, and is set by hand."""

    def __init__(self):
        self.start = datetime(2026, 3, 1, 19, 5, tzinfo=CET)
        self.passed = 0.0

    def __call__(self):
        return (self.start + timedelta(seconds=self.passed)).isoformat(timespec="seconds")

    def jump(self, **by):
        self.start += timedelta(**by)


def files(folder):
    """Every file with its content and the time at which it was last written."""
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir()}


def test_a_week_of_evenings(fast_folder):
    """Seven days at a simulated board with real drivers: the power is cut every few hours, in play or at
    rest, and the wall clock jumps by +9 h or -14 d in mid-turn.

    After each cut the same state is there; invariants hold after every action; nothing is written while
    nobody plays; no file outgrows its cap; at the end every game is fair and its stamps rise.
    """
    dice, wall = random.Random(22), WallClock()
    folder, spent, cuts, resumed, idle_s, largest = fast_folder / "0", 0.0, 0, 0, 0.0, 0
    folder.mkdir()
    last, late = None, 0
    while spent < 7 * DAY_S:
        journal = Journal(Store(folder / "journal.db", cap_bytes=CAP), date=wall)
        assert journal.news == ""
        rig = BoardRig(chance=sealed(cuts), journal=journal, saved=journal.saved)
        assert rig.session._book.state in (None, last)
        if isinstance(rig.scene(1), ResumeScene):
            rig.press(1, Button.PLAY)
            resumed += 1
            assert rig.session.state == last
        if isinstance(rig.scene(1), LobbyScene):
            rig.sit_and_start(1, 2)
        for _ in range(dice.randrange(2, 20)):
            if rig.session.state.phase is Phase.OVER:
                rig.press(1, Button.PLAY)
                rig.wait(1.0)
            before = rig.session.state
            if dice.random() < 0.2:
                wall.jump(**dice.choice(({"hours": 9}, {"days": -14})))
                rig.wait(dice.uniform(0, 2))
                assert rig.session.state is before
            rig.move_on()
            assert isinstance(rig.scene(1), GameScene)
            assert broken_invariants(rig.session.state) == ()
        last = rig.session.state
        written = files(folder)
        wall.jump(hours=9)
        idle = dice.uniform(600, 9 * 3600)
        if cuts == 0:
            rig.wait(600)
        rig.doze(idle)
        assert rig.session.state is last
        assert files(folder) == written
        idle_s += idle
        spent += rig.now
        wall.passed = spent
        cuts += 1
        after = fast_folder / str(cuts)  # the power is cut: what the disk has is all that is left
        after.mkdir()
        for name in written:
            if not name.endswith("-shm"):
                shutil.copy(folder / name, after)
        rig.close()
        journal.close()
        shutil.rmtree(folder)
        folder = after
        largest = max(largest, (folder / "journal.db").stat().st_size)
        assert sum(file.stat().st_size for file in folder.iterdir()) < 2 * CAP + 1_200_000 + 64 * 1024
    found = games(folder / "journal.db")
    assert found[0].number > 1, "no game has made room for another"
    assert largest < CAP + 32 * 1024
    for game in found:
        assert list(unfair(game.text)) == []
        assert list(loads(game.text).stamps) == sorted(loads(game.text).stamps)
        late += len(game.record.noted("late"))
    assert late == 0
    assert cuts >= 20
    assert resumed >= 10
    assert idle_s > 5 * DAY_S


CLOCKS = re.compile(
    r"time\.time(_ns)?\(|datetime\.(now|today|utcnow)|date\.today|localtime|gmtime|CLOCK_REALTIME"
)


@pytest.mark.parametrize("package", ["engine", "drivers", "hardware", "firmware"])
def test_one_function_alone_reads_the_wall_clock(package):
    """Date and time of day are read in one place, for records; so no timer can follow them when they jump."""
    readers = {
        str(file.relative_to(ROOT))
        for file in (ROOT / package).rglob("*.py")
        if CLOCKS.search(file.read_text(encoding="utf-8")) and "sim" not in file.parts
    }
    assert readers == ({"firmware/saving.py"} if package == "firmware" else set())
