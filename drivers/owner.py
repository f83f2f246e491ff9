"""The owner of a bus: all traffic of one I2C bus, and no more of it for a failing chip than is fair."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from drivers.allowance import ALLOWANCE_SECONDS, WINDOW_SECONDS, Allowance, patience
from drivers.care import NEVER, Care, ExpanderCare, ScreenCare, Steps, one
from drivers.expander import Expander
from drivers.oled import Oled
from drivers.watchedbus import WatchedBus

log = logging.getLogger(__name__)

TRIES = 3
"""Attempts at one frame before a panel counts as failed."""
BUS_PROBE_SECONDS = 3.0
"""So long after everything was tried in vain to bring a bus back, it is tried again."""
NODE_PROBE_SECONDS = 1.0
"""The same while there is no device node: to look costs nothing."""
TURN_SECONDS = 0.05
"""A panel makes room for others that have something to show after so long."""
SHARE = 10
"""A failed or sluggish chip waits at least so many times longer than its last attempt took."""
ROUNDS = 4
"""So often in a flush every panel that works gets a turn, while it has something to show."""
PULSE_SECONDS = 0.75
"""After so long without traffic a panel is asked whether it is still there."""

Rung = tuple[str, Callable[[], None]]
"""A way to bring a bus back, and its name."""


class BusOwner:
    """Keeps the panels of one bus at what their seats want to show, and polls its expanders.

    Time is handed in to ``flush`` (seconds, monotonic); ``clock`` gives the same time, to see how long
    transfers take and for ``start``, after which a thread of its own does all the work. ``refresh``: every so
    many seconds each panel is set up and painted anew, since one that lost its set-up in a power dip says
    nothing, and a bus without traffic is asked whether it is there; None: never.

    ``bus``: tells when nobody on it answers. Then the ``ladder`` is climbed, a rung at a time until somebody
    does, and again three seconds later. ``speed``: Hz that the bus is configured to. ``allowance``: shared by
    all owners of one trunk's channels.
    """

    def __init__(
        self,
        name: str,
        *,
        clock: Callable[[], float],
        refresh: float | None = None,
        bus: WatchedBus | None = None,
        ladder: Sequence[Rung] = (),
        speed: int = 400_000,
        allowance: Allowance | None = None,
    ) -> None:
        self.name = name
        self.fault: str | None = None
        """what is wrong with the bus as a whole, in words for an operator; None if it works"""
        self._clock = clock
        self._refresh = refresh
        self._bus = bus
        self._ladder = ladder
        self._allowance = allowance or Allowance(clock)
        self._speed = speed
        self._next_climb = float("-inf")
        self._rung = 0
        self._last_pulse = float("-inf")
        self._pulses = 0
        self._screens: list[ScreenCare] = []
        self._expanders: list[ExpanderCare] = []
        self._retried: set[Oled] = set()
        self._wakened = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def add(self, screen: Oled) -> None:
        """Take a panel into care. Nothing is sent before the next flush."""
        screen.wake = self._wakened.set
        self._screens.append(ScreenCare(screen, self._refresh))

    def add_expander(self, expander: Expander) -> None:
        """Take an expander into care. Nothing is sent before the next flush."""
        expander.wake = self._wakened.set
        self._expanders.append(ExpanderCare(expander))

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
                self._attempt(care, self._clock(), partial(one, care.chip.darken))

    def _cares(self) -> Iterator[Care]:
        yield from self._expanders
        yield from self._screens

    def _deadline(self) -> float | None:
        if self._retried:
            return float("-inf")
        if self.fault is not None:
            return self._next_climb
        times = [care.due for care in self._cares()]
        times += [care.next_refresh for care in self._screens if care.next_refresh is not None]
        if self._refresh is not None and self._screens:
            times.append(self._last_pulse + PULSE_SECONDS)
        return None if (first := min(times, default=NEVER)) == NEVER else first

    def _flush(self, now: float) -> None:
        while self._retried:
            screen = self._retried.pop()
            self._next_climb = float("-inf")
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
            if care.healthy and not care.darkened:
                care.darkened = self._attempt(care, now, partial(one, care.screen.darken))
        self._poll_expanders()
        self._schedule_refreshes(now)
        for _ in range(ROUNDS):
            if not self._paint_round(now) or self._alone:
                break
        self._try_one(now)
        if self.fault is None and self._refresh is not None and now >= self._last_pulse + PULSE_SECONDS:
            self._pulse(now)

    def _paint_round(self, now: float) -> bool:
        """Give each panel that works a turn, if it has something to show; whether there was one."""
        waiting = [care for care in self._screens if care.healthy and care.waits]
        # Those go last that were in trouble lately: they may be again.
        waiting.sort(key=lambda care: care.trouble_at)
        for care in waiting:
            if self.fault is not None:
                return False
            if not care.darkened:
                continue
            self._last_pulse = now
            self._attempt(care, self._clock(), care.screen.transfers)
            self._poll_expanders()
        return bool(waiting)

    def _try_one(self, now: float) -> None:
        """Give one chip that failed or is slow a turn, if it is time: those that work go before the next."""
        bad = [care for care in self._cares() if not care.healthy and now >= care.due]
        if not bad or self.fault is not None:
            return
        with self._allowance.turn() as mine:
            free_at = self._allowance.free_at if mine else self._clock() + WINDOW_SECONDS
            if free_at > self._clock():
                for care in bad:
                    care.next_try = max(care.next_try, free_at)
            else:
                self._try(min(bad, key=lambda care: care.next_try), now)

    def _try(self, care: Care, now: float) -> None:
        if isinstance(care, ExpanderCare):
            self._poll(care)
        elif isinstance(care, ScreenCare):
            self._last_pulse = now
            if not care.darkened:
                care.darkened = self._attempt(care, now, partial(one, care.screen.darken))
            elif self._attempt(care, now, care.screen.transfers) and not care.screen.due:
                self._works(care)

    def _schedule_refreshes(self, now: float) -> None:
        if self._refresh is None:
            return
        for number, care in enumerate(self._screens, 1):
            if care.failed:
                continue
            if care.next_refresh is None:
                # Spread, so that the panels are not all painted anew at once.
                care.refreshed_at = now + self._refresh * (number / len(self._screens) - 1)
            elif now >= care.next_refresh:
                care.refreshed_at = now
                care.screen.forget()

    def _poll_expanders(self) -> None:
        """Poll those that work and are due: in the midst of a frame too, as no press waits for it."""
        for care in self._expanders:
            if self.fault is None and care.healthy and self._clock() >= care.due:
                self._poll(care)

    def _poll(self, care: ExpanderCare) -> None:
        if self._attempt(care, self._clock(), care.expander.transfers):
            self._works(care)
            slow = f"{care.chip.name} is slow: its buttons are asked now and then" if care.slow else None
            care.chip.report(slow)

    def _pulse(self, now: float) -> None:
        self._last_pulse = now
        working = [care for care in self._screens if not care.failed]
        if working and not self._allowance.used:
            care = working[self._pulses % len(working)]
            self._pulses += 1
            self._attempt(care, now, partial(one, care.screen.ping))

    def _works(self, care: Care) -> None:
        if care.failed:
            care.failed = False
            care.chip.report(None)

    def _attempt(self, care: Care, now: float, begin: Callable[[], Steps]) -> bool:
        """Take steps; whether nothing failed, at once or after some tries. There may be more to do."""
        took = 0.0
        for tries_left in range(0 if care.failed else TRIES - 1, -1, -1):
            try:
                self._take_turn(care, begin())
            except OSError as error:
                self._lose(care, care.took)
                took += care.took
                if tries_left == 0 or self._allowance.used:
                    self._failed(care, now, took, f"does not answer: {error.strerror or error}")
                    self._ask_others(care, took)
                    return False
            else:
                return True
        raise AssertionError("the last try returns")

    def _take_turn(self, care: Care, steps: Steps) -> None:
        """Take steps until all are done, the chip turns out to be sluggish, or others wait for too long."""
        care.took = 0.0
        sent = sluggish = False
        while (step := self._step(care, steps)) is not None:
            count, took = step
            sent = True
            sluggish |= took > patience(count, self._speed)
            if sluggish:
                self._lose(care, took)
                if self._allowance.used:
                    if isinstance(care, ScreenCare):
                        care.screen.suspect()
                    break
            if isinstance(care, ScreenCare):
                self._poll_expanders()
                if care.took >= TURN_SECONDS and self._others_wait(care):
                    break
        if sent:
            care.slow = sluggish
            if sluggish:
                care.next_try = self._clock() + SHARE * care.took

    def _step(self, care: Care, steps: Steps) -> tuple[int, float] | None:
        """Take one: the number of its bytes, and the seconds that it took; None if there is none."""
        with self._allowance.wires:
            before = self._clock()
            try:
                count = next(steps, None)
            finally:
                took = self._clock() - before
                care.took += took
        return None if count is None else (count, took)

    def _lose(self, care: Care, seconds: float) -> None:
        """Bus time went to a chip in trouble."""
        care.trouble_at = self._clock()
        self._allowance.spend(seconds)

    def _others_wait(self, care: Care) -> bool:
        return self._alone or any(
            other.healthy and other.waits for other in self._screens if other is not care
        )

    def _failed(self, care: Care, now: float, took: float, problem: str) -> None:
        care.next_try = now + max(care.pause, SHARE * took)
        care.chip.report(f"{care.chip.name} {problem}")
        care.failed = True
        if isinstance(care, ScreenCare):
            care.refreshed_at = None

    # The bus as a whole

    def _ask_others(self, failed: Care, took: float) -> None:
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
            if isinstance(care, ScreenCare):
                care.screen.forget()
                care.refreshed_at = None
        self._next_climb = self._clock() + (SHARE * took if self._alone else 0.0)

    def _anybody(self, but: Care | None = None) -> bool:
        """Whether any chip answers. After a wait for the adapter's time-out none does."""
        began = self._clock()
        for care in sorted(self._cares(), key=lambda care: care.trouble_at):
            if care is but:
                continue
            before = self._clock()
            try:
                care.chip.ping()
            except OSError:
                self._lose(care, self._clock() - before)
                if self._bus is not None and not self._bus.silent:
                    return True  # the chip is not there, but the mux before it is
                if self._clock() - began > ALLOWANCE_SECONDS:
                    return False
            else:
                return True
        return False

    def _climb(self, now: float) -> None:
        """Try to bring the bus back, if it is time."""
        if now < self._next_climb:
            return
        if self._alone and self._allowance.used:
            self._next_climb = self._allowance.free_at
            return
        began = self._clock()
        back = self._rung == 0 and self._anybody()
        while not back and self._rung < len(self._ladder) and not self._node_absent:
            if self._alone and self._clock() - began > ALLOWANCE_SECONDS:
                self._next_climb = self._clock() + SHARE * (self._clock() - began)
                return
            name, rung = self._ladder[self._rung]
            self._rung += 1
            with suppress(OSError):
                rung()
            back = self._anybody()
            if back:
                log.warning("bus %s: %s helped", self.name, name)
        self._rung = 0
        if not back:
            ended = self._clock()
            pause = NODE_PROBE_SECONDS if self._node_absent else BUS_PROBE_SECONDS
            self._next_climb = ended + (max(pause, SHARE * (ended - began)) if self._alone else pause)
            return
        log.warning("bus %s is up again", self.name)
        self.fault = None
        for care in self._cares():
            care.next_try = float("-inf")

    @property
    def _alone(self) -> bool:
        """Whether there is but one chip: its bus is a kernel's channel, and others wait for the trunk."""
        return len(self._screens) + len(self._expanders) == 1

    @property
    def _node_absent(self) -> bool:
        return self._bus is not None and self._bus.absent

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
