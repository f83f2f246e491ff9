"""Games whose process is killed, gone on with by the next process: run as a program, prints what came of it.

``killed_games.py points FOLDER``: killed before and after every statement that the journal's database gets.
``killed_games.py moments FOLDER N``: killed at N random moments, the journal on its own thread. Each game is
checked against one that nobody interrupted; the first difference ends the program with a message.
"""

import os
import random
import select
import signal
import sqlite3
import sys
import time
from pathlib import Path

from table_rig import Rig

from engine.notation import loads
from engine.rules import Rules
from engine.views import Phase
from firmware.chance import Shuffler
from firmware.table.journal import Journal
from firmware.table.scenes import LobbyScene, ResumeScene
from firmware.table.store import Store
from hardware.seat import Button

RULES = Rules(limit=12, first_hand=4)
SEED = 1


class Acknowledged(Journal):
    """Says on a pipe what has been written, as soon as play may go on."""

    def __init__(self, store, pipe):
        super().__init__(store, date=str, patience_s=60.0)
        self._pipe = pipe

    def begin(self, text, secret):
        super().begin(text, secret)
        self._say(text.splitlines())

    def write(self, *lines, closes=False):
        super().write(*lines, closes=closes)
        self._say(lines)

    def _say(self, lines):
        assert not self._failed, self._failed
        os.write(self._pipe, "".join(f"{line}\n" for line in lines).encode())


class Deadly(sqlite3.Connection):
    """Kills its process before or after the statement whose turn it is: even numbers before, odd after."""

    done = 0
    deadly = -1

    def execute(self, *args):
        self._pass()
        result = super().execute(*args)
        self._pass()
        return result

    def _pass(self):
        if Deadly.done == Deadly.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        Deadly.done += 1


def connect(path):
    """A database connection as the store makes it, deadly when told."""
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False, factory=Deadly)


def play(folder, pipe, threaded):
    """One game, from wherever the journal says that it stands, to its end: its last state."""
    journal = Acknowledged(Store(folder / "journal.db", connect=connect), pipe)
    if threaded:
        journal.start()
    rig = Rig((1, 2), chance=Shuffler(SEED), journal=journal, saved=journal.saved, rules=RULES)
    if isinstance(rig.scene(1), ResumeScene):
        rig.press(1, Button.PLAY)
    elif isinstance(rig.scene(1), LobbyScene):
        rig.sit_and_start(1, 2)
    while rig.session.state.phase is not Phase.OVER:
        rig.move_on()
    journal.close()
    return rig.session.state


def killed(folder, deadly, lines, delay_s, threaded):
    """Play in a process that is killed: at a statement, or a delay after it has acknowledged so many lines.

    The lines that it acknowledged, and END if it came to the end.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        Deadly.done, Deadly.deadly = 0, deadly
        play(folder, writer, threaded)
        os.write(writer, b"END\n")
        os._exit(0)
    os.close(writer)
    said = b""
    while part := (b"" if 0 <= lines <= said.count(b"\n") else os.read(reader, 65536)):
        said += part
    if 0 <= lines <= said.count(b"\n"):
        said += _until(reader, delay_s)
        os.kill(child, signal.SIGKILL)
        while part := os.read(reader, 65536):
            said += part
    os.close(reader)
    _, status = os.waitpid(child, 0)
    assert os.WIFEXITED(status) or os.WTERMSIG(status) == signal.SIGKILL, "the game failed by itself"
    return said.decode().splitlines()


def _until(reader, delay_s):
    """What comes within the delay."""
    said, end = b"", time.monotonic() + delay_s
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(reader, 65536)
        if not part:
            break
        said += part
    return said


def clear(folder):
    """No game yet."""
    for file in folder.iterdir():
        file.unlink()


def check(folder, whole, deadly=-1, lines=-1, delay_s=0.0, threaded=False):
    """One game, killed and gone on with. True if it was killed before its end."""
    clear(folder)
    acknowledged = killed(folder, deadly, lines, delay_s, threaded)
    ended = acknowledged[-1:] == ["END"]
    store = Store(folder / "journal.db")
    assert store.open() == "", "the journal was damaged"
    saved = store.newest()
    store.close()
    lines = saved.text.splitlines() if saved else []
    told = [line for line in acknowledged if line and line != "END"]
    written = [line for line in lines if line]
    assert written[: len(told)] == told, f"acknowledged, but not written: {told[len(written) :]}"
    extra = written[len(told) :]
    assert len([line for line in extra if line.startswith("@")]) <= 1, f"more than one extra: {extra}"
    nowhere = os.open(os.devnull, os.O_WRONLY)
    state = play(folder, nowhere, threaded)
    os.close(nowhere)
    store.open()
    record = loads(store.newest().text)
    store.close()
    assert state == whole[0], "another end than without the interruption"
    assert record.actions == whole[1], "an action was lost, doubled or changed"
    assert record.noted("late") == []
    assert len(record.noted("resumed")) == (
        bool(written) and not any(line.startswith("result") for line in written)
    )
    return not ended


def main(mode, folder, count="0"):
    """Run the checks; print how many games were killed, and how long an uninterrupted one took."""
    folder = Path(folder)
    clear(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    Deadly.done = 0
    began = time.monotonic()
    threaded = mode == "moments"
    state = play(folder, nowhere, threaded)
    took = time.monotonic() - began
    points = Deadly.done
    store = Store(folder / "journal.db")
    store.open()
    text = store.newest().text
    lines, whole = text.count("\n"), (state, loads(text).actions)
    store.close()
    hits = 0
    if mode == "points":
        for point in range(points):
            hits += check(folder, whole, deadly=point)
        assert hits == points, f"{points} points, {hits} kills"
    else:
        dice = random.Random(22)
        for _ in range(2 * int(count)):  # some games end before their moment has come
            place, delay = dice.randrange(lines), dice.uniform(0, 2 * took / lines)
            hits += check(folder, whole, lines=place, delay_s=delay, threaded=True)
            if hits == int(count):
                break
    sys.stdout.write(f"{hits} killed, {len(whole[1])} actions, {took:.3f} s a game\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
