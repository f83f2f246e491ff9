"""Interfaces of the wires: an I2C bus and a GPIO line."""

from collections.abc import Callable
from typing import Protocol

TIMEOUT_SECONDS = 0.05
"""After so long an adapter gives a transfer up: nothing else can break one off, and all on its bus wait.

A transfer of the longest piece of a frame takes 31 ms at 100 kHz, the speed of a bus that nobody has set.
"""


class I2CBus(Protocol):
    """One I2C bus, or one channel of a mux: a channel is a bus.

    Each call is one transfer from START to STOP, and fails with ETIMEDOUT if that takes ``TIMEOUT_SECONDS``.
    All calls of one bus come from one thread, its owner's.
    Raise BusError (an OSError) when nobody acknowledges, the bus is held or the adapter gives up.
    """

    def write(self, address: int, data: bytes) -> None:
        """Write ``data`` to the 7-bit ``address``."""
        ...

    def read(self, address: int, count: int) -> bytes:
        """Read ``count`` bytes from the 7-bit ``address``."""
        ...

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write ``data``, then after a repeated START read ``count`` bytes, as one transfer."""
        ...


class Line(Protocol):
    """One GPIO line of the header, seen from outside: a button pulls its level, or a lamp follows it."""

    @property
    def level(self) -> bool:
        """True while the line is high."""
        ...

    def set_pull(self, pull: str) -> None:
        """Switch the pull resistor: ``"up"``, ``"down"`` or ``"floating"``."""
        ...

    def drive(self, level: bool | None) -> None:
        """Drive the line as an output, or let it go (None)."""
        ...

    def watch(self, changed: Callable[[float, bool], None] | None) -> None:
        """Call ``changed(at, level)`` on every change of level (``at``: seconds, monotonic); None ends it."""
        ...
