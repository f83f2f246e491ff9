"""A simulated finger: it moves no faster than a real one, and does what it was asked for last."""

import random
from collections import deque

from hardware.sim.lines import SimLine, bounce

MOST = 2
"""Movements that a finger keeps in mind: one stroke. It does not make up for more than it can do."""


class Finger:
    """The finger at one contact; it begins off it. Not safe for several threads.

    ``stroke``: seconds that it needs at least between two movements. ``bounce_time``: how many seconds its
    contact bounces at most after each.
    """

    def __init__(self, line: SimLine, stroke: float, bounce_time: float, chance: random.Random) -> None:
        self._line = line
        self._stroke = stroke
        self._bounce = bounce_time
        self._chance = chance
        self._down = False
        self._free_at = float("-inf")
        self._moves: list[tuple[float | None, bool]] = []
        """movements to come, by turns down and up; None: at the next ``plan``"""
        self._train: deque[tuple[float, bool]] = deque()

    def ask(self, closed: bool, at: float | None) -> None:
        """Go down or come up at this time or as soon after it as can be; None: at the next ``plan``.

        What was asked last always holds in the end. A stroke too fast for a finger is made at its own speed;
        those asked for meanwhile become one with it.
        """
        if closed == (self._moves[-1][1] if self._moves else self._down):
            return
        if len(self._moves) == MOST:
            self._moves.pop()  # the movement before it is the one that is asked for now
        else:
            self._moves.append((at, closed))

    def plan(self, now: float) -> None:
        """Give each movement its time."""
        free_at = self._free_at
        for index, (at, closed) in enumerate(self._moves):
            at = max(now if at is None else at, free_at)
            self._moves[index] = (at, closed)
            free_at = at + self._stroke

    def due(self) -> float | None:
        """When ``next`` has something; None: not before it is asked. Before ``plan`` that may be long ago."""
        times = [float("-inf") if at is None else at for at, _ in self._moves[:1]]
        if self._train:
            times.append(self._train[0][0])
        return min(times, default=None)

    def next(self) -> tuple[float, SimLine, bool]:
        """Take the contact's next change, once all is planned: when, where, whether it closes."""
        at, closed = self._moves[0] if self._moves else (None, self._down)
        if at is not None and not (self._train and self._train[0][0] < at):
            del self._moves[0]
            self._down, self._free_at = closed, at + self._stroke
            # A new movement ends the bouncing of the last one.
            self._train = deque(bounce(self._chance, closed, at, self._bounce))
        when, closed = self._train.popleft()
        return when, self._line, closed
