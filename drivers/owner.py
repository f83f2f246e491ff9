"""The owner of a bus: all traffic of one I2C bus, and no more of it for a failing chip than is fair."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from drivers.expander import Expander
from drivers.oled import Oled
from drivers.watchedbus import WatchedBus

log = logging.getLogger(__name__)

TRIES = 3
"""Attempts at one frame before a panel counts as failed."""
PROBE_SECONDS = 5.0
"""A failed panel is tried once in this time."""
BUS_PROBE_SECONDS = 3.0
"""So long after everything was tried in vain to bring a bus back, it is tried again."""
EXPANDER_PROBE_SECONDS = 1.0
"""A failed expander is tried once in this time: the buttons of several seats wait for it."""
SLOW_SECONDS = 0.05
"""No further attempt after so long: the bus belongs to others too, which are to wait 0.1 s at most."""
SLUGGISH_SECONDS = 0.2
"""A panel that takes longer than this for one frame gets a share of the time, though it works."""
SHARE = 10
"""A failed or sluggish chip waits at least so many times longer than its last attempt took."""
PULSE_SECONDS = 0.75
"""After so long without traffic a panel is asked whether it is still there."""

Rung = tuple[str, Callable[[], None]]
"""A way to bring a bus back, and its name."""


class _Care:
    """A chip, and how it fares. ``pause``: seconds between two tries once it has failed."""

    def __init__(self, chip: Oled | Expander, pause: float) -> None:
        self.chip = chip
        self.pause = pause
        self.failed = False
        self.slow = False
        self.next_try = float("-inf")


class _ExpanderCare(_Care):
    def __init__(self, expander: Expander) -> None:
        super().__init__(expander, EXPANDER_PROBE_SECONDS)
        self.expander = expander

    @property
    def due(self) -> float:
        return self.next_try if self.failed else self.expander.deadline()


class _ScreenCare(_Care):
    def __init__(self, screen: Oled) -> None:
        super().__init__(screen, PROBE_SECONDS)
        self.screen = screen
        self.darkened = False
        self.next_refresh: float | None = None


class BusOwner:
    """Keeps the panels of one bus at what their seats want to show, and polls its expanders.

    Time is handed in to ``flush`` (seconds, monotonic); ``clock`` gives the same time, to see how long
    transfers take and for ``start``, after which a thread of its own does all the work. ``refresh``: every so
    many seconds each panel is set up and painted anew, since one that lost its set-up in a power dip says
    nothing, and a bus without traffic is asked whether it is there; None: never.

    ``bus``: tells when nobody on it answers. Then the ``ladder`` is climbed, a rung at a time until somebody
    does, and again three seconds later.
    """

    def __init__(
        self,
        name: str,
        *,
        clock: Callable[[], float],
        refresh: float | None = None,
        bus: WatchedBus | None = None,
        ladder: Sequence[Rung] = (),
    ) -> None:
        self.name = name
        self.fault: str | None = None
        """what is wrong with the bus as a whole, in words for an operator; None if it works"""
        self._clock = clock
        self._refresh = refresh
        self._bus = bus
        self._ladder = ladder
        self._next_climb = float("-inf")
        self._last_pulse = float("-inf")
        self._pulses = 0
        self._screens: list[_ScreenCare] = []
        self._expanders: list[_ExpanderCare] = []
        self._retried: set[Oled] = set()
        self._wakened = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def add(self, screen: Oled) -> None:
        """Take a panel into care. Nothing is sent before the next flush."""
        screen.wake = self._wakened.set
        screen.between = self._poll_expanders
        self._screens.append(_ScreenCare(screen))

    def add_expander(self, expander: Expander) -> None:
        """Take an expander into care. Nothing is sent before the next flush."""
        expander.wake = self._wakened.set
        self._expanders.append(_ExpanderCare(expander))

    def start(self) -> None:
        """From now on flush from a thread of its own, whenever there is something to do."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"bus {self.name}", daemon=True)
            self._thread.start()

    def flush(self, now: float) -> None:
        """Transfer what is due, on this thread; after ``start``, leave it to the bus's own.

        That one is woken by whatever there is to show, so that it sleeps while there is nothing. Errors of
        the bus raise nothing: they end up in the ``fault`` of panels, expanders and owner.
        """
        if self._thread is None:
            self._flush(now)

    def retry(self, screen: Oled) -> None:
        """Try a failed panel at once. From any thread."""
        self._retried.add(screen)
        self._wakened.set()

    def deadline(self) -> float | None:
        """When ``flush`` must be called next if nothing is shown; None: never."""
        return None if self._thread is not None else self._deadline()

    def close(self) -> None:
        """End the thread and darken panels and lamps. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            self._wakened.set()
            self._thread.join()
        for care in self._cares():
            if not care.failed:
                self._attempt(care, self._clock(), care.chip.darken)

    def _cares(self) -> Iterator[_Care]:
        yield from self._expanders
        yield from self._screens

    def _deadline(self) -> float | None:
        if self._retried:
            return float("-inf")
        if self.fault is not None:
            return self._next_climb
        times = [care.next_try for care in self._screens if care.failed or (care.slow and care.screen.due)]
        times += [care.due for care in self._expanders]
        times += [care.next_refresh for care in self._screens if care.next_refresh is not None]
        if self._refresh is not None and self._screens:
            times.append(self._last_pulse + PULSE_SECONDS)
        return min(times, default=None)

    def _flush(self, now: float) -> None:
        while self._retried:
            screen = self._retried.pop()
            for care in self._screens:
                if care.screen is screen:
                    care.next_try = float("-inf")
        if self.fault is not None:
            self._climb(now)
            return
        # After a crash the panels still show somebody's hand: darken all of them before painting the first.
        for care in self._screens:
            if self.fault is not None:
                return
            if not care.darkened and now >= care.next_try:
                care.darkened = self._attempt(care, now, care.screen.darken)
        self._poll_expanders()
        self._schedule_refreshes(now)
        # A slow panel comes last: the others must not wait for it.
        for care in sorted(self._screens, key=lambda care: care.slow):
            if self.fault is not None:
                return
            if care.darkened and care.screen.due and now >= care.next_try:
                self._last_pulse = now
                if self._attempt(care, now, care.screen.transfer):
                    self._works(care)
                self._poll_expanders()
        if self._refresh is not None and now >= self._last_pulse + PULSE_SECONDS:
            self._pulse(now)

    def _schedule_refreshes(self, now: float) -> None:
        if self._refresh is None:
            return
        for number, care in enumerate(self._screens, 1):
            if care.failed:
                continue
            if care.next_refresh is None:
                # Spread, so that the panels are not all painted anew at once.
                care.next_refresh = now + self._refresh * number / len(self._screens)
            elif now >= care.next_refresh:
                care.next_refresh = now + self._refresh
                care.screen.forget()

    def _poll_expanders(self) -> None:
        """Poll those that are due: between two transfers of a frame too, as no press waits for a picture."""
        if self.fault is not None:
            return
        for care in self._expanders:
            now = self._clock()
            if now >= care.due and self._attempt(care, now, partial(care.expander.poll, now)):
                self._works(care)

    def _pulse(self, now: float) -> None:
        self._last_pulse = now
        working = [care for care in self._screens if not care.failed]
        if working:
            care = working[self._pulses % len(working)]
            self._pulses += 1
            self._attempt(care, now, care.screen.ping)

    def _works(self, care: _Care) -> None:
        if care.failed:
            log.warning("%s works again", care.chip.name)
            care.failed = False
            care.chip.report(None)

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
                    self._ask_others(care)
                    return False
            else:
                took = self._clock() - began
                care.slow = took > SLUGGISH_SECONDS
                if care.slow:
                    care.next_try = now + SHARE * took
                return True
        raise AssertionError("the last try returns")

    def _failed(self, care: _Care, now: float, took: float, problem: str) -> None:
        care.next_try = now + max(care.pause, SHARE * took)
        care.chip.report(f"{care.chip.name} {problem}")
        if not care.failed:
            log.warning("%s %s", care.chip.name, problem)
        care.failed = care.slow = True
        if isinstance(care, _ScreenCare):
            care.next_refresh = None

    # The bus as a whole

    def _ask_others(self, failed: _Care) -> None:
        """Is it the chip, or the bus? If nobody else answers either, the bus is down."""
        if self._bus is None or not self._bus.silent or self.fault is not None or self._closed:
            return
        if not self._bus.dead and self._anybody(failed):
            return
        self.fault = f"bus {self.name} is down: {self._bus.problem}"
        log.warning("%s", self.fault)
        for care in self._cares():
            care.chip.report(f"{care.chip.name} does not answer; {self.fault}")
            care.failed = True
            if isinstance(care, _ScreenCare):
                care.screen.forget()
                care.next_refresh = None
        self._next_climb = self._clock()

    def _anybody(self, but: _Care | None = None) -> bool:
        """Whether any chip answers. After a wait for the adapter's time-out none does."""
        began = self._clock()
        for care in self._cares():
            if care is but:
                continue
            try:
                care.chip.ping()
            except OSError:
                if self._bus is not None and not self._bus.silent:
                    return True  # the chip is not there, but the mux before it is
                if self._clock() - began > SLOW_SECONDS:
                    return False
            else:
                return True
        return False

    def _climb(self, now: float) -> None:
        """Try to bring the bus back, if it is time."""
        if now < self._next_climb:
            return
        back = self._anybody()
        for name, rung in self._ladder:
            if back:
                break
            with suppress(OSError):
                rung()
            back = self._anybody()
            if back:
                log.warning("bus %s: %s helped", self.name, name)
        if not back:
            self._next_climb = self._clock() + BUS_PROBE_SECONDS
            return
        log.warning("bus %s is up again", self.name)
        self.fault = None
        for care in self._cares():
            care.next_try = float("-inf")

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
                for care in self._cares():
                    self._failed(care, now, 0.0, f"stopped by a fault of the program: {error!r}")
