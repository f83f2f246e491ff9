"""Bus time for chips in trouble: so little of it that those that work hardly wait."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ALLOWANCE_SECONDS = 0.02
"""So much in any ``WINDOW_SECONDS``; then they are left until those that work have had their turns.

One more transfer may follow that nothing but the adapter's time-out ends (``hardware.bus.TIMEOUT_SECONDS``).
So a chip that goes bad costs the others 0.07 s at most.
"""
WINDOW_SECONDS = 0.1
"""What works is to wait no longer."""
GRACE_SECONDS = 0.01
"""A transfer takes too long if it takes more than this and its bytes at ..."""
SLOWEST_HZ = 80_000
"""... this speed: a bus that was left at its default runs at 100 kHz."""
BITS_A_BYTE = 9
"""On the wire: eight and the acknowledgement."""


def patience(count: int, speed: int) -> float:
    """Seconds that a transfer of so many bytes may take on a bus of ``speed`` Hz: then its chip is slow."""
    return GRACE_SECONDS + count * BITS_A_BYTE / min(speed, SLOWEST_HZ)


class Queue:
    """A lock that is handed on in the order of asking: who lets it go and asks again comes last."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()  # released by whoever is before us

    def __exit__(self, *error: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False


class Allowance:
    """What chips in trouble may have of the time of one trunk, also if its channels have owners of their own.

    ``clock``: seconds, monotonic. From any thread.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.wires = Queue()
        """held during a transfer: what a chip takes is not to hold what others on the trunk take before it"""
        self._clock = clock
        self._spent: deque[tuple[float, float]] = deque()
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    def spend(self, seconds: float) -> None:
        """A chip in trouble has just taken so much."""
        now = self._clock()
        with self._lock:
            while self._spent and self._spent[0][0] + WINDOW_SECONDS <= now:
                self._spent.popleft()
            self._spent.append((now, seconds))

    @property
    def free_at(self) -> float:
        """From when on there is some left, past or to come."""
        total = 0.0
        with self._lock:
            for at, seconds in reversed(self._spent):
                total += seconds
                if total >= ALLOWANCE_SECONDS:
                    return at + WINDOW_SECONDS
        return float("-inf")

    @property
    def used(self) -> bool:
        """Whether there is nothing left now."""
        return self.free_at > self._clock()

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """A chip known to be in trouble has its turn within it; False: another one on the trunk has."""
        mine = self._turn.acquire(blocking=False)
        try:
            yield mine
        finally:
            if mine:
                self._turn.release()
