"""The owner of a bus: all traffic of one I2C bus, and no more of it for a failing panel than is fair."""

import logging
import threading
from collections.abc import Callable, Sequence

from drivers.oled import Oled

log = logging.getLogger(__name__)

TRIES = 3
"""Attempts at one frame before a panel counts as failed."""
PROBE_SECONDS = 5.0
"""A failed panel is tried once in this time."""
SLOW_SECONDS = 0.1
"""No second attempt after one that took so long: the bus belongs to others too."""
SHARE = 10
"""A failed panel waits at least so many times longer than its last attempt took."""


class _Care:
    """A panel, and how it has fared."""

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
        self._closing = False
        self._thread: threading.Thread | None = None

    def add(self, screen: Oled) -> None:
        """Take a panel into care."""
        screen.wake = self._wakened.set
        self._cares.append(_Care(screen))

    @property
    def threaded(self) -> bool:
        """Whether ``start`` was called."""
        return self._thread is not None

    def flush(self, now: float) -> None:
        """Transfer what is due, on this thread. Errors of the bus end up in the panels' ``fault``."""
        # After a crash the panels still show somebody's hand: darken all before painting any.
        for care in self._cares:
            if not care.darkened and now >= care.next_try:
                self._attempt(care, now, care.screen.darken)
                care.darkened = not care.failed
        for index, care in enumerate(self._cares):
            if care.next_refresh is not None and now >= care.next_refresh:
                care.screen.forget()
                care.next_refresh = None
            if care.darkened and care.screen.due and now >= care.next_try:
                self._attempt(care, now, care.screen.transfer)
            if self._refresh and care.next_refresh is None and not care.failed:
                # Spread over the time, so that no two panels are painted anew at once.
                care.next_refresh = now + self._refresh * (1 - index / len(self._cares) / 2)

    def deadline(self) -> float | None:
        """When ``flush`` must be called next if nothing is shown, for a probe or a refresh; None: never."""
        times = [care.next_try for care in self._cares if care.failed]
        times += [care.next_refresh for care in self._cares if care.next_refresh is not None]
        return min(times, default=None)

    def start(self) -> None:
        """Flush from a thread of its own from now on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"bus {self.name}", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Something is to be shown."""
        self._wakened.set()

    def close(self) -> None:
        """End the thread and darken the panels. A second call does nothing."""
        if self._closing:
            return
        self._closing = True
        self._wakened.set()
        if self._thread is not None:
            self._thread.join()
        for care in self._cares:
            if not care.failed:
                self._attempt(care, self._clock(), care.screen.darken)

    def _attempt(self, care: _Care, now: float, action: Callable[[], None]) -> None:
        began = self._clock()
        for tries_left in range(0 if care.failed else TRIES - 1, -1, -1):
            try:
                action()
            except OSError as error:
                took = self._clock() - began
                if tries_left and took < SLOW_SECONDS:
                    continue
                self._failed(care, now, took, error)
                return
            else:
                if care.failed:
                    log.warning("%s works again", care.screen.name)
                    care.failed = False
                    care.screen.report(None)
                return

    def _failed(self, care: _Care, now: float, took: float, error: OSError) -> None:
        care.screen.forget()
        care.next_try = now + max(PROBE_SECONDS, SHARE * took)
        problem = f"{care.screen.name} does not answer: {error.strerror or error}"
        if not care.failed:
            log.warning("%s", problem)
        care.failed = True
        care.screen.report(problem)

    def _run(self) -> None:
        while not self._closing:
            deadline = self.deadline()
            self._wakened.wait(None if deadline is None else max(0.0, deadline - self._clock()))
            self._wakened.clear()
            if not self._closing:
                self.flush(self._clock())


def flush_all(owners: Sequence[BusOwner], now: float) -> None:
    """Flush the owners that have no thread of their own."""
    for owner in owners:
        if owner.threaded:
            owner.wake()
        else:
            owner.flush(now)
