"""A mux's channels as Linux offers them: each an I2C adapter of its own."""

import contextlib
import threading
from collections.abc import Iterator

from hardware.bus import I2CBus
from hardware.errors import BusError


class KernelMux:
    """The kernel's driver for a mux: it selects before each transfer and closes the mux after it.

    So it is set up with "disconnect on idle". One lock keeps selection, transfer and closing together.
    """

    def __init__(self, trunk: I2CBus, address: int) -> None:
        self.trunk = trunk
        self.address = address
        self.lock = threading.Lock()

    def channel(self, number: int) -> "KernelChannel":
        """The adapter of one channel."""
        return KernelChannel(self, number)


class KernelChannel:
    """One channel's adapter (``hardware.bus.I2CBus``), safe for several threads."""

    def __init__(self, mux: KernelMux, number: int) -> None:
        self._mux = mux
        self._mask = bytes([1 << number])

    def write(self, address: int, data: bytes) -> None:
        """Write to a chip on this channel."""
        with self._selected() as trunk:
            trunk.write(address, data)

    def read(self, address: int, count: int) -> bytes:
        """Read from a chip on this channel."""
        with self._selected() as trunk:
            return trunk.read(address, count)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write, then read, as one transfer on this channel."""
        with self._selected() as trunk:
            return trunk.write_read(address, data, count)

    @contextlib.contextmanager
    def _selected(self) -> Iterator[I2CBus]:
        mux = self._mux
        with mux.lock:
            mux.trunk.write(mux.address, self._mask)
            try:
                yield mux.trunk
            finally:
                # The kernel does not tell whether this worked.
                with contextlib.suppress(BusError):
                    mux.trunk.write(mux.address, b"\x00")
