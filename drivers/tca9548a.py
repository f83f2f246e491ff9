"""TCA9548A: each channel of the mux is a bus."""

import errno
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

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
NOBODY = 0x3E
"""An address at which the table has no chip: no acknowledgement is a sign of free wires."""
STRIKES = 2
"""How often the bus may go down over a channel before the channel is taken to be the cause."""

Branch = tuple[int, int]
"""A mux's address and the number of a channel."""


class Muxes:
    """All muxes of one bus. At most one channel of one of them is open: a write reaches one branch.

    ``resets``: pulses the RESET pin of the mux at an address, where it is wired. A channel that holds the bus
    while it is open is got rid of in this way; without the pin it is not opened again until ``retry``.
    """

    def __init__(
        self,
        bus: I2CBus,
        addresses: Iterable[int],
        resets: Mapping[int, Callable[[], None]] | None = None,
    ) -> None:
        self._bus = bus
        self._resets = dict(resets or {})
        self._strikes: dict[Branch, int] = {}
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

    def reset(self) -> None:
        """Pulse all RESET pins that are wired: all channels behind them are closed."""
        with self._lock:
            for pulse in self._resets.values():
                pulse()
            self.forget()

    def retry(self, address: int, number: int) -> None:
        """Give a channel that held the bus another chance, and a mux that did not keep its mask."""
        with self._lock:
            self._strikes.pop((address, number), None)
            self._not_kept[address] = 0

    @contextmanager
    def selected(self, address: int, number: int, chip: int) -> Iterator[None]:
        """Within it, this channel alone is open and nobody else selects. An error forgets what is open.

        ``chip``: the address of the chip behind the channel that is meant.
        """
        with self._lock:
            if self._not_kept[address] >= NO_MUX_TRIES:
                raise BusError(
                    errno.ENODEV, f"another chip than a mux is at 0x{address:02X}; it is left alone"
                )
            if self._strikes.get((address, number), 0) >= STRIKES:
                raise _held(address, number)
            opened = False
            try:
                self._select(address, 1 << number, chip)
                opened = True
                yield
            except OSError as error:
                self.forget()
                if opened and error.errno == errno.ETIMEDOUT:
                    self._free(address, number)
                    if self._strikes.get((address, number), 0) >= STRIKES:
                        raise _held(address, number) from error
                raise
            else:
                self._strikes.pop((address, number), None)

    def _select(self, address: int, mask: int, chip: int) -> None:
        known = self._masks[address]
        if known == mask:
            return
        obeyed = True
        for other, open_ in self._masks.items():
            if self._not_kept[other] < NO_MUX_TRIES and (
                open_ is None or (other != address and open_ != NONE_OPEN)
            ):
                obeyed &= self._close(other)
        if not obeyed:
            self._check_closed(address, chip)
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

    def _free(self, address: int, number: int) -> None:
        """A chip behind this channel let the adapter wait in vain: does the channel hold the bus?"""
        if address in self._resets:
            self._resets[address]()
            return
        branch = address, number
        try:
            self._bus.write(address, bytes([NONE_OPEN]))
        except OSError:
            # The channel, or the bus as a whole: nobody can tell.
            self._strikes[branch] = self._strikes.get(branch, 0) + 1
            return
        try:
            self._bus.write(address, bytes([1 << number]))
            self._bus.read(NOBODY, 1)
        except OSError as error:
            if error.errno == errno.ETIMEDOUT:
                self._strikes[branch] = STRIKES
        with suppress(OSError):
            self._bus.write(address, bytes([NONE_OPEN]))

    def _check_closed(self, address: int, chip: int) -> None:
        """A mux does not answer. If a chip does, that mux is there, and has a channel open."""
        self._close(address)
        try:
            self._bus.read(chip, 1)
        except OSError as error:
            if error.errno in ABSENT:
                return
            raise
        raise BusError(
            errno.EBUSY, f"a mux does not answer, but has a channel open: 0x{chip:02X} is heard through it"
        )

    def _close(self, address: int) -> bool:
        """Whether the mux closed all its channels; False: it is not there."""
        self._masks[address] = None
        for tries_left in range(ABSENT_TRIES - 1, -1, -1):
            try:
                self._bus.write(address, bytes([NONE_OPEN]))
            except OSError as error:
                # Nothing can be open behind a mux that is not there. After any other error it may well be.
                if error.errno not in ABSENT:
                    raise
                if not tries_left:
                    return False
            else:
                self._masks[address] = NONE_OPEN
                return True
        raise AssertionError("the last try returns")


def _held(address: int, number: int) -> BusError:
    problem = f"channel {number} of the mux at 0x{address:02X} held the bus: mend it and try again"
    return BusError(errno.EHOSTDOWN, problem)


class Channel:
    """One channel, used as a bus. Selection and transfer are indivisible."""

    def __init__(self, bus: I2CBus, muxes: Muxes, address: int, number: int) -> None:
        self._bus = bus
        self._muxes = muxes
        self._place = address, number

    def write(self, address: int, data: bytes) -> None:
        """Write ``data`` to the 7-bit ``address`` on this channel."""
        with self._muxes.selected(*self._place, address):
            self._bus.write(address, data)

    def read(self, address: int, count: int) -> bytes:
        """Read ``count`` bytes from the 7-bit ``address`` on this channel."""
        with self._muxes.selected(*self._place, address):
            return self._bus.read(address, count)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write, then read, as one transfer on this channel."""
        with self._muxes.selected(*self._place, address):
            return self._bus.write_read(address, data, count)
