"""Whole games at tables with pods that are pulled, exchanged, frozen, garbled and of another version."""

import logging
import threading
import time
from itertools import takewhile

import pytest
from needs import need_micropython
from pod_table import PodTable, mishaps
from test_pod_micropython import variant
from test_pod_processes import WAIT_S

from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.device.play import GameLog
from firmware.live import Table
from firmware.podprocesses import MAIN, running_pods
from firmware.simulation import SimHost
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware.frame import pack
from hardware.profile import load_profile

TABLES = {"mixed": ("mixed-4", 4, (3, 4)), "pods": ("pods-6", 3, (1, 2, 3))}


@pytest.fixture(autouse=True)
def _quiet():
    """Faults are what these tests are about: their warnings need no place in the output."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def game(name, seed, *, faults):
    """A whole game."""
    board, seats, pods = TABLES[name]
    table = PodTable(board, seats, seed, mishaps(seed, pods) if faults else iter(()))
    table.play()
    return table


@pytest.mark.parametrize(("name", "seed"), [("mixed", 3), ("pods", 1)])
def test_games_end_as_without_faults(name, seed):
    """People who look at their panels and press play the same game, action by action, with faults or without.

    All the while no seat shows a byte that was not meant for it, and a seat to which nothing has happened has
    no fault and shows what it should within 0.3 s. In the end every seat works and shows what it should.
    """
    calm, rough = game(name, seed, faults=False), game(name, seed, faults=True)
    assert rough.actions == calm.actions
    assert len(rough.happened) > 3
    assert len(rough.waits) > 10
    assert max(rough.waits) <= 0.3
    rough.heal()
    for seat in rough.seats:
        assert rough.table.board.seats[seat].fault is None
        assert rough.visible(seat) == rough.wanted[seat]
    for table in (calm, rough):
        table.close()
        assert not any(any(table.visible(seat)) for seat in table.seats)


def test_a_plan_has_everything():
    """The plans of these games have each kind of mishap several times, and repeat."""
    plans = [[*takewhile(lambda one: one.start < 400, mishaps(seed, (1, 2, 3)))] for seed in range(1, 9)]
    kinds = [mishap.kind for plan in plans for mishap in plan]
    for kind in ("unplug", "swap", "freeze", "host", "skew", "reset", "garble"):
        assert kinds.count(kind) >= 5
    assert [*takewhile(lambda one: one.start < 400, mishaps(1, (1, 2, 3)))] == plans[0]


# In real time, on the real MicroPython


def bots_only(seats, log):
    """A session of games among bots."""
    return Session(
        seats,
        chance=Shuffler(3),
        bots=bots(3),
        fill=dict.fromkeys(seats, "steady"),
        bot_delay_s=0.02,
        rules=Rules(limit=8),
        log=log,
    )


class Games(GameLog):
    """Counts the games, too."""

    finished = 0

    def end(self, winners):
        super().end(winners)
        self.finished += 1


class RealTable:
    """Bots play at six pods that are processes, in real time."""

    def __init__(self, micropython):
        self.log = Games(None)
        self.host = SimHost(
            load_profile("pods-6"), clock=time.monotonic, sleep=time.sleep, pods=running_pods(micropython)
        )
        seats = [seat.number for seat in self.host.profile.seats]
        self.table = Table(self.host, bots_only(seats, self.log), catalogue())
        self.wanted = {}
        self.pictures = {seat: set() for seat in seats}
        """all that was ever to be shown at each seat"""
        self.seen = {seat: set() for seat in seats}
        """all that shone there, whole"""
        for seat in seats:
            self._spy(seat)
        self.host.wires.watch(lambda seat: self.seen[seat].add(self.host.wires.panel(seat).visible()))
        self._woken = threading.Event()
        self.table.listen(self._woken.set)
        self.table.start()

    def _spy(self, seat):
        screen = self.table.board.seats[seat].screen
        show = screen.show

        def spied(picture):
            self.wanted[seat] = pack(picture)
            self.pictures[seat].add(self.wanted[seat])
            show(picture)

        screen.show = spied

    def until(self, so, seconds=WAIT_S):
        """Let time pass until something is so; whether it came about."""
        end = time.monotonic() + seconds
        while not so():
            now = time.monotonic()
            if now > end:
                return False
            due = self.table.step(now)
            self._woken.wait(0.01 if due is None else max(0.0, min(due - time.monotonic(), 0.01)))
            self._woken.clear()
        return True

    def settled(self):
        """Whether every seat works and shows what it should."""
        return all(
            seat.fault is None and self.host.wires.panel(number).visible() == self.wanted.get(number)
            for number, seat in self.table.board.seats.items()
        )

    def fault(self, seat):
        """What is wrong with a seat."""
        return self.table.board.seats[seat].fault or ""


@pytest.fixture
def real():
    """A table of pods in real time, on which bots play."""
    found = need_micropython()
    table = RealTable(found)
    yield table
    table.table.close()


@pytest.mark.micropython
def test_games_on_micropython_end_as_without_pods(real, tmp_path, capsys):
    """Six pods run their own program; all meet with mishaps in the midst of games.

    Two are exchanged, one stands still, one starts anew, one's line is garbled, one has another version: the
    games are those of a session without any board, and no seat ever shows another one's picture.
    """
    pods, program = real.host.wires.pods, real.host.ports.pods[6].process
    assert real.until(real.settled)
    pods[1].unplug()
    pods[2].unplug()
    pods[3].freeze(True)
    pods[5].garble(0.1)
    program.program = variant(tmp_path, "from hardware import link\nlink.LOWEST, link.HIGHEST = 7, 9")
    pods[6].unplug()
    pods[6].plug()
    assert real.until(lambda: real.fault(1) and real.fault(2))
    for seat in (2, 1):
        pods[seat].plug()
        assert real.until(lambda seat=seat: not real.fault(seat))
    assert real.until(lambda: "versions 7 to 9" in real.fault(6))
    pods[4].reset()
    assert real.until(lambda: "does not answer" in real.fault(3))
    before = real.log.finished

    pods[3].freeze(False)
    pods[5].garble(0.0)
    pods[6].unplug()
    program.program = MAIN
    pods[6].plug()
    assert real.until(lambda: real.log.finished > before, 60)
    assert real.until(real.settled)
    games = capsys.readouterr().out
    alone = GameLog(real.log.finished)
    session, now = bots_only(range(1, 7), alone), 0.0
    while not alone.full:
        session.tick(now)
        now = max(now, session.deadline())
    assert capsys.readouterr().out == games
    assert games.startswith("game 1: ")
    for seat, seen in real.seen.items():
        others = set.union(*(real.pictures[other] for other in real.pictures if other != seat))
        assert not seen & (others - real.pictures[seat])
