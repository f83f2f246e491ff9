"""One round of the table: edges in, scenes out to the screens that changed."""

import logging

from firmware.table.rest import Light, Rest
from firmware.table.scenes import Scene
from firmware.table.screens import draw
from firmware.table.session import Session
from firmware.table.words import Words
from hardware.seat import Board

log = logging.getLogger(__name__)

LINES_A_MINUTE = 8
"""So often a seat's faults are logged: one with a bad contact comes and goes all evening."""


class Runner:
    """Runs a session on a board. It has no clock: whoever calls ``step`` says what time it is."""

    def __init__(self, board: Board, session: Session, words: Words) -> None:
        self._board = board
        self._session = session
        self._words = words
        self._rest = Rest()
        self._light = Light.BRIGHT
        self._version = -1
        self._shown: dict[int, Scene] = {}
        self._lit: dict[int, bool] = {}
        self._faults: dict[int, str | None] = {}
        self._logged: dict[int, list[float]] = {}

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now`` (seconds, monotonic).

        Return when to be called next, if nothing wakes the board before; None: not before a wake.
        """
        for edge in self._board.poll(now):
            if not self._rest.woken_by(edge):
                self._session.edge(edge)
        self._session.tick(now)
        self._rest.settle(now)
        self._note_faults(now)
        if self._session.version != self._version:
            self._version = self._session.version
            self._show()
        if self._rest.light is not self._light:
            self._light = self._rest.light
            self._shine()
        self._board.flush(now)
        timers = (self._session, self._rest, self._board)
        times = [at for timer in timers if (at := timer.deadline()) is not None]
        return min(times, default=None)

    def _show(self) -> None:
        for number, seat in self._board.seats.items():
            scene = self._session.scene(number)
            if self._shown.get(number) != scene:
                self._shown[number] = scene
                seat.screen.show(draw(scene, self._words))
            lit = self._session.lamp(number)
            if seat.lamp is not None and self._lit.get(number) != lit:
                self._lit[number] = lit
                seat.lamp.set(lit)

    def _shine(self) -> None:
        for seat in self._board.seats.values():
            seat.screen.set_power(self._light is not Light.DARK)
            if self._light is not Light.DARK:
                seat.screen.set_contrast(self._light.value)

    def _note_faults(self, now: float) -> None:
        for number, seat in self._board.seats.items():
            fault = seat.fault
            if fault != self._faults.get(number):
                self._faults[number] = fault
                self._session.fault(number, fault is not None)
                self._log(now, number, fault or "works again")

    def _log(self, now: float, seat: int, what: str) -> None:
        lately = [at for at in self._logged.get(seat, []) if at > now - 60]
        if len(lately) < LINES_A_MINUTE:
            lately.append(now)
            last = " (the next ones of this minute are left out)" if len(lately) == LINES_A_MINUTE else ""
            log.warning("seat %d: %s%s", seat, what, last)
        self._logged[seat] = lately
