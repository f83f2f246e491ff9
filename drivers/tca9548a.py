"""TCA9548A: each channel of the mux is a bus."""

import errno
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hardware.bus import I2CBus
from hardware.errors import BusError

CHANNELS = 8
NONE_OPEN = 0x00
"""Control register: bit n opens channel n (datasheet 8.6.2)."""

ABSENT = (errno.EREMOTEIO, errno.ENXIO)
"""What adapters report for an address that nobody acknowledges."""
ABSENT_TRIES = 8
"""After so many in a row nobody is there, rather than a bad contact."""
NO_MUX_TRIES = 3
"""After so many masks that it did not keep, a chip is no mux."""


class Muxes:
    """All muxes of one bus. At most one channel of one of them is open: a write reaches one branch."""

    def __init__(self, bus: I2CBus, addresses: Iterable[int]) -> None:
        self._bus = bus
        self._lock = threading.RLock()
        self._masks: dict[int, int | None] = dict.fromkeys(addresses)
        self._not_kept: dict[int, int] = dict.fromkeys(self._masks, 0)

    def channel(self, address: int, number: int) -> "Channel":
        """A channel of the mux at this address, as a bus. Raise ValueError for a channel that no mux has."""
        if address not in self._masks or not 0 <= number < CHANNELS:
            raise ValueError(f"no mux at 0x{address:02X} with a channel {number}")
        return Channel(self._bus, self, address, number)

    def forget(self) -> None:
        """Something on the bus failed: nobody knows any more which channels are open."""
        with self._lock:
            self._masks = dict.fromkeys(self._masks)

    @contextmanager
    def selected(self, address: int, number: int) -> Iterator[None]:
        """Within it, this channel alone is open and nobody else selects. An error forgets what is open."""
        with self._lock:
            if self._not_kept[address] >= NO_MUX_TRIES:
                raise BusError(
                    errno.ENODEV, f"another chip than a mux is at 0x{address:02X}; it is left alone"
                )
            try:
                self._select(address, 1 << number)
                yield
            except OSError:
                self.forget()
                raise

    def _select(self, address: int, mask: int) -> None:
        known = self._masks[address]
        if known == mask:
            return
        for other, open_ in self._masks.items():
            if self._not_kept[other] < NO_MUX_TRIES and (
                open_ is None or (other != address and open_ != NONE_OPEN)
            ):
                self._close(other)
        self._masks[address] = None
        self._bus.write(address, bytes([mask]))
        # Another chip at a mux's address may acknowledge, but does not give its mask back.
        if known is None:
            answer = self._bus.read(address, 1)[0]
            if answer != mask:
                self._not_kept[address] += 1
                raise BusError(
                    errno.ENODEV,
                    f"the chip at 0x{address:02X} is not a mux: wrote 0x{mask:02X}, read back 0x{answer:02X}",
                )
            self._not_kept[address] = 0
        self._masks[address] = mask

    def _close(self, address: int) -> None:
        for tries_left in range(ABSENT_TRIES - 1, -1, -1):
            try:
                self._bus.write(address, bytes([NONE_OPEN]))
            except OSError as error:
                # Nothing can be open behind a mux that is not there. After any other error it may well be.
                if error.errno not in ABSENT:
                    raise
                if not tries_left:
                    return
            else:
                self._masks[address] = NONE_OPEN
                return


class Channel:
    """One channel, used as a bus. Selection and transfer are indivisible."""

    def __init__(self, bus: I2CBus, muxes: Muxes, address: int, number: int) -> None:
        self._bus = bus
        self._muxes = muxes
        self._place = address, number

    def write(self, address: int, data: bytes) -> None:
        """Write ``data`` to the 7-bit ``address`` on this channel."""
        with self._muxes.selected(*self._place):
            self._bus.write(address, data)

    def read(self, address: int, count: int) -> bytes:
        """Read ``count`` bytes from the 7-bit ``address`` on this channel."""
        with self._muxes.selected(*self._place):
            return self._bus.read(address, count)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write, then read, as one transfer on this channel."""
        with self._muxes.selected(*self._place):
            return self._bus.write_read(address, data, count)
