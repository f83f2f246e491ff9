"""drivers.pi on the kernel's own i2c-dev and mux driver, judged by what went over the wire."""

import errno
from collections.abc import Iterator

import pytest
from emulated import MUX, NACK, PANEL, READ, STOP, Wire

from drivers import pi
from hardware.errors import BusError


@pytest.fixture
def wire() -> Iterator[Wire]:
    """The wire, its log read up to now."""
    wire = Wire()
    yield wire
    wire.close()


@pytest.fixture
def trunk() -> Iterator[pi.KernelBus]:
    """The bus that the mux hangs on."""
    with pi.open_i2c(adapter="wire") as bus:
        yield bus


@pytest.fixture
def channel(trunk: pi.KernelBus) -> Iterator[pi.KernelBus]:
    """The bus that the kernel made of the mux's channel 3."""
    names = {name: number for number, name in pi.i2c_adapters().items()}
    with pi.open_i2c(names["i2c-0-mux (chan_id 3)"]) as bus:
        yield bus


def test_adapters() -> None:
    """The kernel's adapters are found with their names: the wire and the eight channels of its mux."""
    names = list(pi.i2c_adapters().values())
    assert names.count("wire") == 1
    assert sorted(name for name in names if "mux" in name) == [f"i2c-0-mux (chan_id {n})" for n in range(8)]


def test_long_write_is_one_transfer(wire: Wire, channel: pi.KernelBus) -> None:
    """A frame of 1,025 bytes is one message; the kernel opens channel 3 before it and closes it after it."""
    frame = bytes([0x40]) + bytes(range(256)) * 4
    channel.write(PANEL, frame)
    said = [[(m.address, m.flags, m.data) for m in transfer] for transfer in wire.transfers()]
    assert said == [[(MUX, STOP, b"\x08")], [(PANEL, STOP, frame)], [(MUX, STOP, b"\x00")]]


def test_write_read_is_one_transfer(wire: Wire, trunk: pi.KernelBus) -> None:
    """Write, repeated START and read end in one STOP; what was read is returned."""
    assert trunk.write_read(MUX, b"\x00", 2) == b"\x00\x00"
    ((first, second),) = wire.transfers()
    assert (first.address, first.flags, first.data) == (MUX, 0, b"\x00")
    assert (second.address, second.flags, second.data) == (MUX, READ | STOP, b"\x00\x00")


def test_read(wire: Wire, trunk: pi.KernelBus) -> None:
    """A read is one transfer of one message."""
    assert trunk.read(MUX, 1) == b"\x00"
    assert [(m.flags, m.data) for (m,) in wire.transfers()] == [(READ | STOP, b"\x00")]


def test_nobody_acknowledges(wire: Wire, channel: pi.KernelBus) -> None:
    """An absent chip is a BusError with the adapter's errno, the address and the bus; the mux is closed."""
    with pytest.raises(
        BusError, match=r"nobody acknowledges \(address 0x3D on i2c-\d \(i2c-0-mux .*3\)\)\)"
    ) as caught:
        channel.write(0x3D, b"\x00")
    assert caught.value.errno == errno.EREMOTEIO
    *_, failed, last = wire.transfers()
    assert [m.flags & NACK for m in failed] == [NACK]
    assert [(m.address, m.data) for m in last] == [(MUX, b"\x00")]


def test_closed_twice() -> None:
    """A bus is closed twice without harm, and then says that it is closed."""
    bus = pi.open_i2c(adapter="wire")
    bus.close()
    bus.close()
    with pytest.raises(BusError, match=r"i2c-0 \(wire\) is closed") as caught:
        bus.read(MUX, 1)
    assert caught.value.errno == errno.EBADF


def test_smbus_only() -> None:
    """An adapter that only speaks SMBus, as many PCs have, is refused when it is opened."""
    (number,) = [number for number, name in pi.i2c_adapters().items() if name.startswith("SMBus stub")]
    with pytest.raises(BusError, match="only speaks SMBus") as caught:
        pi.open_i2c(number)
    assert caught.value.errno == errno.EOPNOTSUPP


def test_speed_unknown() -> None:
    """This kernel has no device tree, so that a bus's clock is unknown."""
    assert pi.bus_speed(0) is None
