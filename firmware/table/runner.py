"""One round of the table: edges in, scenes out to the screens that changed."""

import logging

from firmware.table.scenes import Scene
from firmware.table.screens import draw
from firmware.table.session import Session
from firmware.table.words import Words
from hardware.seat import Board

log = logging.getLogger(__name__)


class Runner:
    """Runs a session on a board. It has no clock: whoever calls ``step`` says what time it is."""

    def __init__(self, board: Board, session: Session, words: Words) -> None:
        self._board = board
        self._session = session
        self._words = words
        self._version = -1
        self._shown: dict[int, Scene] = {}
        self._lit: dict[int, bool] = {}
        self._faults: dict[int, str | None] = {}

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now`` (seconds, monotonic).

        Return when to be called next, if nothing wakes the board before; None: not before a wake.
        """
        for edge in self._board.poll(now):
            self._session.edge(edge)
        self._session.tick(now)
        self._note_faults()
        if self._session.version != self._version:
            self._version = self._session.version
            self._show()
        self._board.flush(now)
        times = [at for at in (self._session.deadline(), self._board.deadline()) if at is not None]
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

    def _note_faults(self) -> None:
        for number, seat in self._board.seats.items():
            fault = seat.fault
            if fault != self._faults.get(number):
                self._faults[number] = fault
                self._session.fault(number, fault is not None)
                log.warning("seat %d: %s", number, fault or "works again")
