"""The Raspberry Pi as the host of a board: its kernel's buses and pins."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from drivers.latebus import LateBus
from drivers.libraries import LIBRARIES, check_library
from drivers.pi import LibraryError, PinError, open_bus, open_pins
from firmware.exits import CannotRunError, Exit
from hardware.profile import Profile


class PiHost:
    """A computer with a header (``firmware.live.Host``).

    Buses are opened when they are first used: they may appear later. Raise CannotRunError for libraries that
    do not work, and for pins that cannot be had.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.buses = {name: LateBus(partial(open_bus, profile, name), name) for name in profile.bus_names()}
        try:
            for name in LIBRARIES:
                check_library(name)
            self.pins: Any = open_pins()
        except LibraryError as problem:
            raise CannotRunError(Exit.LIBRARY, str(problem)) from problem
        except PinError as problem:
            raise CannotRunError(Exit.PINS, problem.strerror or str(problem)) from problem

    def clock(self) -> float:
        """Seconds, monotonic."""
        return time.monotonic()

    def listen(self, wake: Callable[[], None]) -> None:
        """Nothing here happens by itself."""

    def advance(self, now: float) -> None:
        """Nothing here happens by itself."""

    def deadline(self) -> float | None:
        """Never."""
        return None

    def close(self) -> None:
        """Let pins and buses go. A second call does nothing."""
        self.pins.close()
        for bus in self.buses.values():
            bus.close()
