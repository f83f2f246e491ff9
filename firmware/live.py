"""A table on its host, and the thread that runs a program in real time until it ends or a signal comes."""

import os
import signal
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from drivers.pod import Ports
from firmware.bindings import Bindings
from firmware.seats import open_seats
from firmware.table.runner import Runner
from firmware.table.session import Session
from firmware.table.words import Words
from hardware.bus import I2CBus
from hardware.profile import Profile


class Host(Protocol):
    """The computer that a board's chips hang on: its buses, its pins and its time."""

    @property
    def profile(self) -> Profile:
        """The board."""
        ...

    @property
    def buses(self) -> Mapping[str, I2CBus]:
        """The buses by ``Profile.bus_names``, and the trunks of muxes that the kernel drives."""
        ...

    @property
    def pins(self) -> Any:
        """A gpiozero pin factory."""
        ...

    @property
    def ports(self) -> Ports:
        """The lines on which pods may be."""
        ...

    @property
    def bindings(self) -> Bindings:
        """Which pod has which seat."""
        ...

    def draw(self) -> int:
        """16 random bits, that nobody can know beforehand."""
        ...

    def clock(self) -> float:
        """Seconds, monotonic."""
        ...

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``advance`` has something to do."""
        ...

    def advance(self, now: float) -> None:
        """Let everything happen that happens by itself up to ``now``."""
        ...

    def deadline(self) -> float | None:
        """When ``advance`` must be called next even if nothing wakes."""
        ...

    def close(self) -> None:
        """Let buses and pins go. A second call does nothing."""
        ...


class Program(Protocol):
    """What runs in steps, in real time or in virtual time."""

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``step`` has something to do."""
        ...

    def start(self) -> None:
        """Real time begins: give each bus its own thread."""
        ...

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now`` (seconds, monotonic). Raise Finished to end.

        Return when to come again; None: not before a wake.
        """
        ...

    def close(self) -> None:
        """Darken what shines, and let everything go. A second call does nothing."""
        ...


class Finished(Exception):
    """A program's ``step`` has nothing more to do."""


class Table:
    """A board on its host, and the session that is played on it. ``refresh``: see ``drivers.owner``."""

    def __init__(self, host: Host, session: Session, words: Words, *, refresh: float | None = None) -> None:
        self.host = host
        self.board = open_seats(host, refresh=refresh)
        self.runner = Runner(self.board, session, words)

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``step`` has something to do."""
        self.host.listen(wake)
        self.board.listen(wake)

    def start(self) -> None:
        """Real time begins: give each bus its own thread."""
        self.board.start()

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now``. Return when to come again; None: not before a wake."""
        self.host.advance(now)
        times = [at for at in (self.runner.step(now), self.host.deadline()) if at is not None]
        return min(times, default=None)

    def close(self) -> None:
        """Darken the screens, let pins and buses go. A second call does nothing."""
        self.board.close()
        self.host.close()


class Live:
    """Runs a program in real time, on a thread of its own.

    ``clock``: seconds, monotonic. ``ended`` is called from that thread if it ends by itself, or by a fault.
    """

    def __init__(self, program: Program, clock: Callable[[], float], ended: Callable[[], None]) -> None:
        self._program = program
        self._clock = clock
        self._ended = ended
        self._wake = threading.Event()
        self._stop = False
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="table")

    def start(self) -> None:
        """Begin."""
        self._program.listen(self._wake.set)
        self._program.start()
        self._thread.start()

    def stop(self) -> None:
        """End, wait until it has ended, and raise the fault that ended it, if any."""
        self._stop = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._program.close()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._stop:
                self._wake.clear()
                due = self._program.step(self._clock())
                self._wake.wait(None if due is None else max(0.0, due - self._clock()))
        except Finished:
            self._ended()
        except Exception as failure:  # noqa: BLE001 - kept, and raised by stop()
            self._failure = failure
            self._ended()


def run_live(program: Program, clock: Callable[[], float]) -> None:
    """Run a program in real time until it has finished, or SIGTERM or SIGINT comes. Raise what it raises.

    Call it from the main thread.
    """
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    # A handler that set an Event could interrupt the very thread that holds its lock. A pipe has none.
    before = [(number, signal.signal(number, _noted)) for number in (signal.SIGTERM, signal.SIGINT)]
    fd = signal.set_wakeup_fd(waker)
    live = Live(program, clock, lambda: _note(waker))
    try:
        live.start()
        os.read(woken, 1)
    finally:
        try:
            live.stop()
        finally:
            signal.set_wakeup_fd(fd)
            for number, handler in before:
                signal.signal(number, handler)
            os.close(woken)
            os.close(waker)


def _noted(number: int, frame: object) -> None:
    """The signal's number is in the pipe by now."""


def _note(pipe: int) -> None:
    os.write(pipe, b"\0")


def run_virtually(program: Program, clock: Callable[[], float]) -> None:
    """Run a program in the virtual time of ``clock``, as fast as the computer can, until it has finished.

    Raise RuntimeError if nothing would ever happen any more.
    """
    try:
        due: float | None = clock()
        while due is not None:
            due = program.step(max(due, clock()))
        raise RuntimeError("the program waits for something that never comes")
    except Finished:
        pass
    finally:
        program.close()
