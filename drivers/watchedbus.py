"""An I2C bus that remembers whether anybody on it answers."""

from collections.abc import Callable
from typing import TypeVar

from drivers.latebus import LateBus
from drivers.tca9548a import ABSENT
from hardware.bus import I2CBus

Answer = TypeVar("Answer")


class WatchedBus:
    """A bus (``hardware.bus.I2CBus``): each transfer goes to ``bus``, and its outcome is noted."""

    def __init__(self, bus: I2CBus) -> None:
        self._bus = bus
        self._deaf: set[int] = set()
        self._lost = False
        self.problem = ""
        """why the last failed transfer failed"""

    @property
    def silent(self) -> bool:
        """Whether it may be more than a chip: two were asked in vain, or the wires are to blame."""
        return len(self._deaf) > 1 or self._lost

    @property
    def dead(self) -> bool:
        """Whether two chips were asked in vain, and the wires are to blame."""
        return len(self._deaf) > 1 and self._lost

    @property
    def absent(self) -> bool:
        """Whether the device node could not be opened when it was last needed."""
        return isinstance(self._bus, LateBus) and self._bus.absent

    def reopen(self) -> None:
        """Let the device node go, if there is one: the next transfer opens it anew."""
        if isinstance(self._bus, LateBus):
            self._bus.close()

    def write(self, address: int, data: bytes) -> None:
        """Write ``data`` to the 7-bit ``address``."""
        self._noted(address, lambda: self._bus.write(address, data))

    def read(self, address: int, count: int) -> bytes:
        """Read ``count`` bytes from the 7-bit ``address``."""
        return self._noted(address, lambda: self._bus.read(address, count))

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write ``data``, then after a repeated START read ``count`` bytes, as one transfer."""
        return self._noted(address, lambda: self._bus.write_read(address, data, count))

    def _noted(self, address: int, transfer: Callable[[], Answer]) -> Answer:
        try:
            answer = transfer()
        except OSError as error:
            self.problem = error.strerror or str(error)
            self._lost |= error.errno not in ABSENT
            self._deaf.add(address)
            raise
        self._deaf.clear()
        self._lost = False
        return answer
