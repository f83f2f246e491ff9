"""A whole simulated table: simulated chips and wires, the real drivers on them, and the table's program."""

import threading
from collections.abc import Callable

from drivers.board import open_board
from drivers.linepins import LinePinFactory
from firmware.table.runner import Runner
from firmware.table.session import Session
from firmware.table.words import Words
from hardware.profile import Profile
from hardware.sim.tree import SimBoard


class Simulation:
    """Steps through time as it is told to. ``wires`` are the simulated chips, with the buttons to press."""

    def __init__(self, profile: Profile, session: Session, words: Words, *, seed: int = 0) -> None:
        self.wires = SimBoard(profile, seed=seed)
        self.now = 0.0
        factory = LinePinFactory(self.wires.lines, self._clock)
        self.board = open_board(profile, self.wires.buses, factory, clock=self._clock)
        self.runner = Runner(self.board, session, words)

    def _clock(self) -> float:
        return self.now

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now`` (seconds). Return when to come again; None: not before a press."""
        self.now = now
        self.wires.advance(now)
        times = [at for at in (self.runner.step(now), self.wires.deadline()) if at is not None]
        return min(times, default=None)

    def run_until(self, end: float) -> None:
        """Step from deadline to deadline up to ``end``, as fast as the machine can."""
        due = self.step(self.now)
        while due is not None and due <= end:
            due = self.step(max(due, self.now))
        self.step(end)

    def close(self) -> None:
        """Let the board go."""
        self.board.close()


class Live:
    """Runs a simulation in real time, on a thread of its own.

    ``clock``: seconds, monotonic. ``ended`` is called from that thread if it ends because of a fault.
    """

    def __init__(self, simulation: Simulation, clock: Callable[[], float], ended: Callable[[], None]) -> None:
        self._simulation = simulation
        self._clock = clock
        self._ended = ended
        self._wake = threading.Event()
        self._stop = False
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="table")

    def start(self) -> None:
        """Begin."""
        self._simulation.wires.listen(self._wake.set)
        self._simulation.board.listen(self._wake.set)
        self._thread.start()

    def stop(self) -> None:
        """End, wait until it has ended, and raise the fault that ended it, if any."""
        self._stop = True
        self._wake.set()
        self._thread.join()
        self._simulation.close()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._stop:
                self._wake.clear()
                due = self._simulation.step(self._clock())
                self._wake.wait(None if due is None else max(0.0, due - self._clock()))
        except Exception as failure:  # noqa: BLE001 - kept, and raised by stop()
            self._failure = failure
            self._ended()
