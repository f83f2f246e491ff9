"""The owner of a bus: all traffic of one I2C bus, and no more of it for a failing panel than is fair."""

import logging
import threading
from collections.abc import Callable

from drivers.oled import Oled

log = logging.getLogger(__name__)

TRIES = 3
"""Attempts at one frame before a panel counts as failed."""
PROBE_SECONDS = 5.0
"""A failed panel is tried once in this time."""
SLOW_SECONDS = 0.1
"""No further attempt after so long: the bus belongs to others too."""
SHARE = 10
"""A failed panel waits at least so many times longer than its last attempt took."""


class _Care:
    """A panel, and how it fares."""

    def __init__(self, screen: Oled) -> None:
        self.screen = screen
        self.darkened = False
        self.failed = False
        self.next_try = float("-inf")
        self.next_refresh: float | None = None


class BusOwner:
    """Keeps the panels of one bus at what their seats want to show.

    Time is handed in to ``flush`` (seconds, monotonic); ``clock`` gives the same time, to see how long
    transfers take and for ``start``, after which a thread of its own does all the work. ``refresh``: every so
    many seconds each panel is set up and painted anew, since one that lost its set-up in a power dip says
    nothing; None: never.
    """

    def __init__(self, name: str, *, clock: Callable[[], float], refresh: float | None = None) -> None:
        self.name = name
        self._clock = clock
        self._refresh = refresh
        self._cares: list[_Care] = []
        self._wakened = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def add(self, screen: Oled) -> None:
        """Take a panel into care. Nothing is sent before the next flush."""
        screen.wake = self._wakened.set
        self._cares.append(_Care(screen))

    def start(self) -> None:
        """From now on flush from a thread of its own, whenever there is something to show."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"bus {self.name}", daemon=True)
            self._thread.start()

    def flush(self, now: float) -> None:
        """Transfer what is due, on this thread; after ``start``, leave it to the bus's own.

        Errors of the bus raise nothing: they end up in the ``fault`` of the panels.
        """
        if self._thread is None:
            self._flush(now)
        else:
            self._wakened.set()

    def deadline(self) -> float | None:
        """When ``flush`` must be called next if nothing is shown; None: never."""
        return None if self._thread is not None else self._deadline()

    def close(self) -> None:
        """End the thread and darken the panels. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            self._wakened.set()
            self._thread.join()
        for care in self._cares:
            if not care.failed:
                self._attempt(care, self._clock(), care.screen.darken)

    def _deadline(self) -> float | None:
        times = [care.next_try for care in self._cares if care.failed]
        times += [care.next_refresh for care in self._cares if care.next_refresh is not None]
        return min(times, default=None)

    def _flush(self, now: float) -> None:
        # After a crash the panels still show somebody's hand: darken all of them before painting the first.
        for care in self._cares:
            if not care.darkened and now >= care.next_try:
                care.darkened = self._attempt(care, now, care.screen.darken)
        for number, care in enumerate(self._cares, 1):
            if self._refresh is not None and not care.failed:
                if care.next_refresh is None:
                    # Spread, so that the panels are not all painted anew at once.
                    care.next_refresh = now + self._refresh * number / len(self._cares)
                elif now >= care.next_refresh:
                    care.next_refresh = now + self._refresh
                    care.screen.forget()
            if care.darkened and care.screen.due and now >= care.next_try:
                if not self._attempt(care, now, care.screen.transfer):
                    continue
                if care.failed:
                    log.warning("%s works again", care.screen.name)
                    care.failed = False
                    care.screen.report(None)

    def _attempt(self, care: _Care, now: float, action: Callable[[], None]) -> bool:
        """Whether it succeeded, at once or after some tries."""
        began = self._clock()
        for tries_left in range(0 if care.failed else TRIES - 1, -1, -1):
            try:
                action()
            except OSError as error:
                took = self._clock() - began
                if tries_left == 0 or took >= SLOW_SECONDS:
                    self._failed(care, now, took, f"does not answer: {error.strerror or error}")
                    return False
            else:
                return True
        raise AssertionError("the last try returns")

    def _failed(self, care: _Care, now: float, took: float, problem: str) -> None:
        care.next_refresh = None
        care.next_try = now + max(PROBE_SECONDS, SHARE * took)
        care.screen.report(f"{care.screen.name} {problem}")
        if not care.failed:
            log.warning("%s %s", care.screen.name, problem)
        care.failed = True

    def _run(self) -> None:
        while not self._closed:
            deadline = self._deadline()
            self._wakened.wait(None if deadline is None else max(0.0, deadline - self._clock()))
            self._wakened.clear()
            if self._closed:
                break
            now = self._clock()
            try:
                self._flush(now)
            except Exception as error:  # a thread that dies silently would freeze its panels
                log.exception("bus %s", self.name)
                for care in self._cares:
                    self._failed(care, now, 0.0, f"stopped by a fault of the program: {error!r}")
