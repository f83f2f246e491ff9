"""A simulated I2C bus: it counts bytes and bit times, keeps a log if asked, and fails on demand."""

import errno
import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from hardware.bus import TIMEOUT_SECONDS
from hardware.errors import BusError

NO_ANSWER = errno.EREMOTEIO
"""What Linux reports when nobody acknowledges an address."""


class Device(Protocol):
    """A chip on the wires."""

    address: int
    connected: bool
    """False: pulled off the wires, or without power"""

    def write(self, data: bytes) -> None:
        """Bytes were written to the chip, in one message."""
        ...

    def read(self, count: int) -> bytes:
        """The chip is read."""
        ...

    def stop(self, whole: bool) -> None:
        """A transfer with this chip has ended; not ``whole``: it was broken off."""
        ...


class Mux(Device, Protocol):
    """A chip behind which there are more wires."""

    def open_channels(self) -> "Sequence[Segment]":
        """The wires that are connected through at the moment."""
        ...

    def holds(self) -> bool:
        """Whether an open channel holds the wires, so that nothing but this chip is heard."""
        ...

    def deafens(self) -> bool:
        """Whether an open channel holds the wires so that not even this chip is heard."""
        ...


class Segment:
    """Wires with chips on them: the trunk of a bus, or a channel of a mux."""

    def __init__(self) -> None:
        self.devices: list[Device] = []

    def attach(self, device: Device) -> None:
        """Put a chip on these wires."""
        self.devices.append(device)

    def detach(self, device: Device) -> None:
        """Take a chip off these wires."""
        self.devices.remove(device)

    def heard_by(self, address: int) -> Iterator[Device]:
        """All chips that acknowledge, through open channels too. Raise BusError if one holds the bus."""
        for device in self.devices:
            if not device.connected:
                continue
            mux = cast(Mux, device) if hasattr(device, "open_channels") else None
            if mux is not None and mux.deafens():
                raise BusError(errno.ETIMEDOUT, "a channel of the mux holds the bus")
            if device.address == address:
                yield device
            elif mux is not None:
                if mux.holds():
                    raise BusError(errno.ETIMEDOUT, "a channel of the mux holds the bus")
                for channel in mux.open_channels():
                    yield from channel.heard_by(address)


@dataclass(slots=True)
class Traffic:
    """What went over a bus: bytes, address bytes included, and the bit times of START, bytes and STOP."""

    transfers: int = 0
    failed: int = 0
    written: int = 0
    """bytes to chips, address bytes included"""
    read: int = 0
    """bytes from chips, address bytes of reads included"""
    bits: int = 0
    waited: float = 0.0
    """seconds lost to slow or held transfers"""

    @property
    def bytes(self) -> int:
        """Bytes in both directions."""
        return self.written + self.read

    def since(self, before: "Traffic") -> "Traffic":
        """The difference to an earlier copy."""
        return Traffic(*(getattr(self, name) - getattr(before, name) for name in self.__slots__))

    def seconds(self, speed: int) -> float:
        """How long it took on a bus of this speed in Hz."""
        return self.bits / speed + self.waited


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a transfer: what was written, or how much was read, and which chips heard it."""

    address: int
    data: bytes
    reading: bool
    reached: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Transfer:
    """From START to STOP. ``error``: errno of its failure, or None. ``number`` counts the bus's transfers."""

    number: int
    messages: tuple[Message, ...]
    error: int | None


@dataclass(slots=True)
class Fault:
    """Makes transfers fail; see ``SimI2CBus.fail``."""

    error: int
    address: int | None
    device: Device | None
    probability: float
    skip: int
    times: int | None
    after: int
    delay: float
    hits: int = field(default=0)
    """how many transfers it has made fail"""
    last: int = field(default=0)
    """number of the last of them"""


class SimI2CBus:
    """A bus with simulated chips on it, used like a real one (``hardware.bus.I2CBus``) from any thread.

    ``speed``: Hz. ``passed`` is called after each transfer with the seconds that it took, to move a virtual
    clock.
    """

    def __init__(
        self,
        speed: int = 400_000,
        *,
        name: str = "",
        seed: int = 0,
        passed: Callable[[float], None] | None = None,
    ) -> None:
        self.name = name
        self.speed = speed
        self.trunk = Segment()
        self.log: list[Transfer] | None = None
        """every transfer, if it is set to a list"""
        self.timeout = TIMEOUT_SECONDS
        """seconds after which the adapter gives a transfer up, be it held, slow or long"""
        self._traffic = Traffic()
        self._faults: list[Fault] = []
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._passed = passed
        self._began = 0.0

    def attach(self, device: Device) -> None:
        """Put a chip on the bus."""
        self.trunk.attach(device)

    @property
    def traffic(self) -> Traffic:
        """A copy of the counts so far."""
        with self._lock:
            return replace(self._traffic)

    def fail(
        self,
        error: int = NO_ANSWER,
        *,
        address: int | None = None,
        device: Device | None = None,
        probability: float = 1.0,
        skip: int = 0,
        times: int | None = None,
        after: int = 0,
        delay: float = 0.0,
    ) -> Fault:
        """From now on make transfers fail, those to an address, to one chip, or all.

        ``skip``: so many matching transfers pass first. ``times``: so many fail, then the fault is over
        (None: it stays until ``heal``). ``probability``: of each matching transfer. ``after``: bytes that
        still reach the chip. ``delay``: seconds that the failing transfer takes. ``error`` 0 makes it slow
        only. What would take longer than ``timeout`` is broken off then, with ETIMEDOUT.
        """
        fault = Fault(error, address, device, probability, skip, times, after, delay)
        with self._lock:
            self._faults.append(fault)
        return fault

    def heal(self, fault: Fault | None = None) -> None:
        """End one fault, or all."""
        with self._lock:
            self._faults = [] if fault is None else [other for other in self._faults if other is not fault]

    def write(self, address: int, data: bytes) -> None:
        """Write to a chip, as one transfer."""
        self._transfer(((address, bytes(data), 0),))

    def read(self, address: int, count: int) -> bytes:
        """Read from a chip, as one transfer."""
        return self._transfer(((address, b"", count),))

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write, then read after a repeated START, as one transfer."""
        return self._transfer(((address, bytes(data), 0), (address, b"", count)))

    def _transfer(self, messages: tuple[tuple[int, bytes, int], ...]) -> bytes:
        touched: list[Device] = []
        answer = b""
        with self._lock:
            self._began = before = self._traffic.seconds(self.speed)
            self._traffic.transfers += 1
            self._traffic.bits += 2  # START and STOP
            logged: list[Message] = []
            error: BusError | None = None
            try:
                for address, data, count in messages:
                    answer = self._message(address, data, count, touched, logged)
            except BusError as failure:
                self._traffic.failed += 1
                error = failure
            for device in touched:
                device.stop(error is None)
            if self.log is not None:
                number = error.errno if error else None
                self.log.append(Transfer(self._traffic.transfers, tuple(logged), number))
            took = self._traffic.seconds(self.speed) - before
        # Outside the lock: whoever is told may look at the bus.
        for device in touched:
            if told := getattr(device, "tell", None):
                told()
        if self._passed is not None:
            self._passed(took)
        if error is not None:
            raise error
        return answer

    def _message(
        self, address: int, data: bytes, count: int, touched: list[Device], logged: list[Message]
    ) -> bytes:
        traffic = self._traffic
        traffic.bits += 9 + (1 if logged else 0)
        if count:
            traffic.read += 1
        else:
            traffic.written += 1
        try:
            reached = tuple(self.trunk.heard_by(address))
        except BusError:
            traffic.waited += max(0.0, self._time_left())
            logged.append(Message(address, data, count > 0, ()))
            raise
        for fault in self._faults:
            if self._strikes(fault, address, reached):
                traffic.waited += min(fault.delay, max(0.0, self._time_left()))
                if not fault.error:
                    continue
                passed = data[: fault.after]
                self._deliver(reached if fault.after else (), passed, touched)
                logged.append(Message(address, passed, count > 0, reached if passed else ()))
                raise BusError(fault.error, f"{os.strerror(fault.error)} (made to fail)")
        fit = max(0, int(self._time_left() * self.speed / 9 + 1e-6))
        if reached and fit < max(len(data), count):
            self._deliver(reached if data[:fit] else (), data[:fit], touched)
            traffic.waited += max(0.0, self._time_left())
            logged.append(Message(address, data[:fit], count > 0, reached))
            raise BusError(errno.ETIMEDOUT, "the adapter gives up: the transfer takes too long")
        logged.append(Message(address, data, count > 0, reached))
        if not reached:
            raise BusError(NO_ANSWER, f"nobody acknowledges address 0x{address:02X}")
        if count:
            traffic.read += count
            traffic.bits += 9 * count
            touched += [device for device in reached if device not in touched]
            answers = [device.read(count) for device in reached]
            # An open-drain wire is low as soon as one chip pulls it.
            return bytes(_wired_and(column) for column in zip(*answers, strict=True))
        self._deliver(reached, data, touched)
        return b""

    def _time_left(self) -> float:
        """Seconds until the adapter gives this transfer up."""
        return self.timeout - (self._traffic.seconds(self.speed) - self._began)

    def _deliver(self, reached: tuple[Device, ...], data: bytes, touched: list[Device]) -> None:
        self._traffic.written += len(data)
        self._traffic.bits += 9 * len(data)
        for device in reached:
            if device not in touched:
                touched.append(device)
            device.write(data)

    def _strikes(self, fault: Fault, address: int, reached: tuple[Device, ...]) -> bool:
        if fault.last == self._traffic.transfers:  # it has slowed down this one already
            return False
        if fault.address not in (None, address) or (fault.device is not None and fault.device not in reached):
            return False
        if fault.skip:
            fault.skip -= 1
            return False
        if fault.times is not None and fault.hits >= fault.times:
            return False
        if fault.probability < 1 and self._random.random() >= fault.probability:
            return False
        fault.hits += 1
        fault.last = self._traffic.transfers
        return True


def _wired_and(column: tuple[int, ...]) -> int:
    level = 0xFF
    for byte in column:
        level &= byte
    return level
