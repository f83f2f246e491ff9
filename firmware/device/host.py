"""The Raspberry Pi as the host of a board: its kernel's buses and pins."""

import logging
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, NoReturn

from drivers.latebus import LateBus
from drivers.libraries import LIBRARIES, check_library
from drivers.pi import LibraryError, PinError, bus_speed, open_bus, open_pins
from drivers.serialports import SerialPorts
from firmware.bindings import Bindings
from firmware.exits import CannotRunError, Exit
from hardware.profile import Profile

log = logging.getLogger(__name__)


class NoPins:
    """Stands for a pin factory on a computer whose header cannot be had: no pin of it can be, either."""

    def __init__(self, problem: PinError) -> None:
        self._problem = problem

    def __getattr__(self, name: str) -> NoReturn:
        raise self._problem


def libraries_for(profile: Profile) -> Sequence[str]:
    """The libraries that a board needs: without wires, only that for the lines to the pods."""
    return tuple(LIBRARIES) if profile.wired else ("pyserial",)


class PiHost:
    """A computer with a header (``firmware.live.Host``), or any with USB for a board that has pods only.

    Buses are opened when they are first used: they may appear later. Raise CannotRunError for libraries that
    do not work, and if the board's buttons are on a header that cannot be had.
    """

    def __init__(self, profile: Profile, bindings: Bindings) -> None:
        self.profile = profile
        self.bindings = bindings
        names = dict.fromkeys((*profile.buses, *profile.bus_names()))
        self.buses = {name: LateBus(partial(open_bus, profile, name), name) for name in names}
        self.ports = SerialPorts(profile.pod_paths)
        self.pins: Any = None
        self._closing = ExitStack()
        try:
            for name in libraries_for(profile):
                check_library(name)
            if profile.wired:
                self.pins = self._closing.enter_context(open_pins())
        except LibraryError as problem:
            raise CannotRunError(Exit.LIBRARY, str(problem)) from problem
        except PinError as problem:
            reason = problem.strerror or str(problem)
            if any(seat.buttons.by_button() for seat in profile.wired):
                raise CannotRunError(Exit.PINS, reason) from problem
            log.warning("%s: the table does without pins", reason)
            self.pins = NoPins(problem)
        for bus in self.buses.values():
            self._closing.callback(bus.close)

    def set_speed(self, name: str) -> int | None:
        """The clock in Hz that the device tree sets a bus to; None if it does not say."""
        bus = self.profile.buses.get(name)
        return None if bus is None or bus.number is None else bus_speed(bus.number)

    def draw(self) -> int:
        """16 random bits."""
        return secrets.randbits(16)

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
        self._closing.close()
