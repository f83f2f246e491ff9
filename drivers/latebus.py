"""An I2C bus that need not be there yet: opened when it is first used, and again after it has failed."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from drivers.tca9548a import ABSENT
from hardware.bus import I2CBus

Answer = TypeVar("Answer")


class LateBus:
    """A bus (``hardware.bus.I2CBus``) whose device node may be absent, forbidden or gone for a while.

    ``open_bus`` opens it or raises BusError, as ``drivers.pi.open_bus`` does: then the transfer that needed
    it fails with that error, and the next one tries again. ``name`` is the bus's name for people.
    """

    def __init__(self, open_bus: Callable[[], AbstractContextManager[I2CBus]], name: str) -> None:
        self.name = name
        self.absent = False
        """whether it could not be opened when it was last needed"""
        self._open_bus = open_bus
        self._bus: I2CBus | None = None
        self._node = ExitStack()

    def write(self, address: int, data: bytes) -> None:
        """Write ``data`` to the 7-bit ``address``."""
        self._transfer(lambda bus: bus.write(address, data))

    def read(self, address: int, count: int) -> bytes:
        """Read ``count`` bytes from the 7-bit ``address``."""
        return self._transfer(lambda bus: bus.read(address, count))

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write ``data``, then after a repeated START read ``count`` bytes, as one transfer."""
        return self._transfer(lambda bus: bus.write_read(address, data, count))

    def open(self) -> None:
        """Open the node now, unless it is open. Raise what ``open_bus`` raises."""
        if self._bus is None:
            self.absent = True
            self._bus = self._node.enter_context(self._open_bus())
            self.absent = False

    def close(self) -> None:
        """Close the node; the next transfer would open it anew. A second call does nothing."""
        self._bus = None
        self._node.close()

    def _transfer(self, transfer: Callable[[I2CBus], Answer]) -> Answer:
        self.open()
        assert self._bus is not None
        try:
            return transfer(self._bus)
        except OSError as error:
            # A node whose adapter was removed fails for ever, even when the adapter is back.
            if error.errno not in ABSENT:
                self.close()
            raise
