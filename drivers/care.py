"""How each chip on a bus fares, and when it is to have its next turn."""

from collections.abc import Callable, Iterator

from drivers.expander import Expander
from drivers.oled import Oled

PROBE_SECONDS = 5.0
"""A failed panel is tried once in this time."""
EXPANDER_PROBE_SECONDS = 1.0
"""A failed expander is tried once in this time: the buttons of several seats wait for it."""
SLOW_REFRESHES = 4
"""A slow panel is refreshed so many times less often: it is dark meanwhile, for some seconds."""
NEVER = float("inf")

Steps = Iterator[int]
"""Transfers to a chip, one at each step, and the number of its bytes."""


def one(transfer: Callable[[], int]) -> Steps:
    """A single transfer as steps."""
    yield transfer()


class Care:
    """A chip, and how it fares. ``pause``: seconds between two tries once it has failed."""

    def __init__(self, chip: Oled | Expander, pause: float) -> None:
        self.chip = chip
        self.pause = pause
        self.failed = False
        self.slow = False
        self.next_try = float("-inf")
        self.trouble_at = float("-inf")
        """when it failed last or took too long"""
        self.took = 0.0
        """seconds that its transfers took in the last attempt"""

    @property
    def due(self) -> float:
        """When it is to have its next turn."""
        raise NotImplementedError

    @property
    def healthy(self) -> bool:
        """Whether it may have its turn whenever it has something to transfer."""
        return not (self.failed or self.slow)


class ExpanderCare(Care):
    """An expander."""

    def __init__(self, expander: Expander) -> None:
        super().__init__(expander, EXPANDER_PROBE_SECONDS)
        self.expander = expander

    @property
    def due(self) -> float:
        """When it is to have its next turn."""
        if self.failed:
            return self.next_try
        return max(self.next_try, self.expander.deadline()) if self.slow else self.expander.deadline()


class ScreenCare(Care):
    """A panel. ``refresh``: seconds from one refresh to the next."""

    def __init__(self, screen: Oled, refresh: float | None) -> None:
        super().__init__(screen, PROBE_SECONDS)
        self.screen = screen
        self.darkened = False
        self.refreshed_at: float | None = None
        self._refresh = refresh

    @property
    def next_refresh(self) -> float | None:
        """When it is to be set up and painted anew; None if that is not known yet, or never."""
        if self.refreshed_at is None or self._refresh is None:
            return None
        return self.refreshed_at + self._refresh * (SLOW_REFRESHES if self.slow else 1)

    @property
    def waits(self) -> bool:
        """Whether it has something to transfer."""
        return not self.darkened or self.screen.due

    @property
    def due(self) -> float:
        """When it is to have its next turn."""
        return self.next_try if self.failed or self.waits else NEVER
