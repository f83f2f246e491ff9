"""The simulated I2C bus: who hears a transfer, what it costs, and how it fails."""

import contextlib
import errno
from collections.abc import Callable

import pytest

from hardware.bus import TIMEOUT_SECONDS
from hardware.errors import BusError
from hardware.sim.bus import NO_ANSWER, SimI2CBus
from hardware.sim.ssd1306 import SSD1306
from hardware.sim.tca9548a import TCA9548A

ERRORS = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.ENXIO, errno.EAGAIN, errno.EBUSY]


def test_absent_address_is_not_acknowledged() -> None:
    """Writing to an address where no chip is fails after the address byte, as Linux reports it."""
    bus = SimI2CBus()
    bus.attach(SSD1306(0x3C))
    with pytest.raises(BusError, match="0x3D") as caught:
        bus.write(0x3D, b"\x00\xae")
    assert caught.value.errno == NO_ANSWER
    assert (bus.traffic.bytes, bus.traffic.failed) == (1, 1)


def test_bytes_and_bit_times() -> None:
    """A byte takes nine bit times, START and STOP one each, a repeated START one more."""
    bus = SimI2CBus(100_000)
    bus.attach(SSD1306(0x3C))
    bus.write(0x3C, b"\x00\xae")
    assert (bus.traffic.transfers, bus.traffic.written, bus.traffic.bits) == (1, 3, 3 * 9 + 2)
    assert bus.traffic.seconds(bus.speed) == pytest.approx(29e-5)
    before = bus.traffic
    bus.write_read(0x3C, b"\x00", 2)
    after = bus.traffic.since(before)
    assert (after.transfers, after.written, after.read, after.bits) == (1, 2, 3, 5 * 9 + 3)


def test_clock_moves_with_transfers() -> None:
    """Whoever keeps virtual time is told how long each transfer took, failed ones too."""
    took: list[float] = []
    bus = SimI2CBus(400_000, passed=took.append)
    bus.attach(SSD1306(0x3C))
    bus.write(0x3C, b"\x00\xae")
    bus.fail(errno.ETIMEDOUT, delay=0.02)
    with pytest.raises(BusError):
        bus.write(0x3C, b"\x00\xae")
    assert took == pytest.approx([29 / 400_000, 0.02 + 11 / 400_000])


@pytest.mark.parametrize(
    ("trouble", "bytes_heard"),
    [
        (lambda bus: bus.fail(0, delay=0.06), 0),
        (lambda bus: bus.fail(errno.ETIMEDOUT, delay=1.0), 0),
        (lambda bus: bus.fail(0, delay=0.03), 890),
        (lambda bus: setattr(bus, "speed", 100_000), 554),
    ],
)
def test_an_adapter_gives_up(trouble: Callable[[SimI2CBus], object], bytes_heard: int) -> None:
    """Whatever makes a transfer long, after 50 ms it is broken off; what came through until then is heard."""
    took: list[float] = []
    bus = SimI2CBus(400_000, passed=took.append)
    bus.attach(SSD1306(0x3C))
    bus.log = []
    trouble(bus)
    with pytest.raises(BusError) as caught:
        bus.write(0x3C, b"\x40" + bytes(1024))
    assert caught.value.errno == errno.ETIMEDOUT
    assert took == pytest.approx([TIMEOUT_SECONDS], abs=0.0001)
    assert [len(message.data) for message in bus.log[0].messages] == pytest.approx([bytes_heard], abs=3)


@pytest.mark.parametrize("error", ERRORS)
def test_fails_on_demand(error: int) -> None:
    """The n-th transfer to an address fails with the errno asked for, so many times, then all is well."""
    bus = SimI2CBus()
    bus.attach(SSD1306(0x3C))
    bus.attach(SSD1306(0x3D))
    fault = bus.fail(error, address=0x3C, skip=2, times=1)
    for number in range(5):
        bus.write(0x3D, b"\x00\xe3")
        if number == 2:
            with pytest.raises(BusError) as caught:
                bus.write(0x3C, b"\x00\xe3")
            assert caught.value.errno == error
        else:
            bus.write(0x3C, b"\x00\xe3")
    assert fault.hits == 1


def test_failing_half_way() -> None:
    """A transfer may break off after some bytes: those have reached the chip."""
    bus = SimI2CBus()
    panel = SSD1306(0x3C)
    bus.attach(panel)
    bus.write(0x3C, b"\x00\x20\x00\xa1")
    before = panel.memory()
    bus.fail(device=panel, after=3, times=1)
    with pytest.raises(BusError):
        bus.write(0x3C, b"\x40" + bytes(255 - byte for byte in before[:5]))
    assert panel.memory()[:2] == bytes(255 - byte for byte in before[:2])
    assert panel.memory()[2:] == before[2:]


def test_probability_and_healing() -> None:
    """A bad contact fails some transfers, the same ones for the same seed, until it is healed."""

    def outcomes(seed: int) -> list[bool]:
        bus = SimI2CBus(seed=seed)
        bus.attach(SSD1306(0x3C))
        fault = bus.fail(probability=0.3)
        worked = []
        for _ in range(200):
            before = bus.traffic.failed
            with contextlib.suppress(BusError):
                bus.write(0x3C, b"\x00\xe3")
            worked.append(bus.traffic.failed == before)
        bus.heal(fault)
        bus.write(0x3C, b"\x00\xe3")
        return worked

    first = outcomes(1)
    assert outcomes(1) == first
    assert 30 < first.count(False) < 90


def test_unplugged_chip() -> None:
    """A chip pulled off the wires no longer acknowledges."""
    bus = SimI2CBus()
    panel = SSD1306(0x3C)
    bus.attach(panel)
    panel.connected = False
    with pytest.raises(BusError):
        bus.read(0x3C, 1)


def test_log_says_who_was_reached() -> None:
    """The log holds each transfer's messages, and all chips that heard them: two at one address both do."""
    bus = SimI2CBus()
    one, other = SSD1306(0x3C), SSD1306(0x3C)
    bus.attach(one)
    bus.attach(other)
    bus.log = []
    bus.write(0x3C, b"\x00\x8d\x14\xaf")
    assert one.lit
    assert other.lit
    (transfer,) = bus.log
    assert transfer.error is None
    assert transfer.messages[0].reached == (one, other)
    assert transfer.messages[0].data == b"\x00\x8d\x14\xaf"


def test_wires_are_pulled_low_by_anyone() -> None:
    """When two chips answer at once, a bit is high only if neither pulls it low."""
    bus = SimI2CBus()
    one, other = TCA9548A(0x70), TCA9548A(0x70)
    bus.attach(one)
    bus.attach(other)
    bus.write(0x70, b"\x06")
    one.reset()
    one.write(b"\x0c")
    assert bus.read(0x70, 1) == b"\x04"
