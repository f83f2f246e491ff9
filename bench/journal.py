"""What writing an action costs: time, fsyncs and bytes, beside the same game without a journal, in one run.

Run: .venv/bin/python bench/journal.py [FOLDER]   (FOLDER: where the journal is put, default a temporary one)

fsyncs are counted by strace if it is installed, in a run of its own.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine.rules import Rules
from engine.views import Phase
from firmware.chance import Shuffler, bots
from firmware.history import games
from firmware.saving import today
from firmware.table.journal import Journal, open_journal
from firmware.table.session import Session
from hardware.seat import Button, Edge

GAMES = 20
FILES = {"journal in the same thread": "one.db", "journal on its own thread": "two.db"}


class Player:
    """Presses PLAY for whoever must act, in virtual time; times each press that acts."""

    def __init__(self, journal: Journal | None) -> None:
        self.session = Session(
            (1, 2), chance=Shuffler(1), bots=bots(1), journal=journal, rules=Rules(), bot_delay_s=1.0
        )
        self.now = 10.0
        self.times: list[float] = []

    def press(self, seat: int, button: Button, stroke_s: float = 0.1) -> None:
        """One stroke, and a second's rest."""
        self.session.edge(Edge(seat, button, True, self.now))
        self.now += stroke_s
        before = self.session.state
        began = time.perf_counter()
        self.session.edge(Edge(seat, button, False, self.now))
        if self.session.state is not before:
            self.times.append(time.perf_counter() - began)
        self.now += 1.0
        self.session.tick(self.now)

    def play(self, rounds: int) -> None:
        """From sitting down to the end of so many games."""
        for seat in (1, 2):
            self.press(seat, Button.LEFT)
        for _ in range(rounds):
            self.press(1, Button.PLAY)
            while (state := self.session.state) is not None and state.phase is not Phase.OVER:
                seat = state.dealer if state.phase is Phase.DEAL else state.turn
                assert seat is not None
                if state.trick:
                    self.press(seat, Button.MARK, 0.8)
                self.press(seat, Button.PLAY)


def written() -> int:
    """Bytes that this process has given to write calls so far."""
    return int(re.findall(r"wchar: (\d+)", Path("/proc/self/io").read_text())[0])


def run(journal: Journal | None) -> Player:
    """Play with this journal, or none."""
    player = Player(journal)
    player.play(GAMES)
    return player


def show(name: str, times: list[float]) -> None:
    """One line of the result."""
    times = sorted(times)
    print(
        f"{name}: {len(times)} actions, median {statistics.median(times) * 1000:.2f} ms, "
        f"99 % {times[len(times) * 99 // 100] * 1000:.2f} ms, most {times[-1] * 1000:.2f} ms"
    )


def syncs(folder: Path) -> None:
    """Count fsyncs of the same games in another process, if strace is there."""
    strace = shutil.which("strace")
    if strace is None:
        print("fsyncs: not counted, there is no strace")
        return
    trace = folder / "trace"
    command = [strace, "-f", "-o", str(trace), "-e", "trace=fsync,fdatasync", sys.executable, __file__]
    subprocess.run([*command, "--only-journal", str(folder)], check=True)
    calls = len(re.findall(r"f(?:data)?sync\(\d+", trace.read_text()))
    print(f"fsyncs: {calls} in all")


def main(folder: Path, *, only_journal: bool) -> None:
    """Play the same games without a journal, and with one in this thread and in its own."""
    if only_journal:
        journal = open_journal(folder / "three.db", date=today)
        player = run(journal)
        journal.close()
        print(f"strace: {len(player.times)} actions and {GAMES} draws for dealer")
        return
    show("no journal", run(None).times)
    for name, file in FILES.items():
        before = written()
        journal = open_journal(folder / file, date=today)
        if "own" in name:
            journal.start()
        player = run(journal)
        journal.close()
        show(name, player.times)
        actions = len(player.times) + GAMES
        each = (written() - before) / actions
        late = sum(game.row()["late"] for game in games(folder / FILES[name]))
        print(f"  {each:,.0f} bytes an action, copies after each game included; {late} actions shown first")
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    print(f"  files: {sizes}")
    syncs(folder)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    only = "--only-journal" in arguments
    places = [Path(argument) for argument in arguments if not argument.startswith("--")]
    if places:
        os.makedirs(places[0], exist_ok=True)
        main(places[0], only_journal=only)
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made), only_journal=only)
