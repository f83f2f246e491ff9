"""The pod's panel driver, on simulated chips."""

import random

import pytest

from firmware.pod.panel import RENEW_MS, RETRY_MS, Panel
from hardware.sim.bus import SimI2CBus
from hardware.sim.sh1106 import SH1106
from hardware.sim.ssd1306 import SSD1306


class Bus:
    """MicroPython's way to write, on a simulated bus."""

    def __init__(self, chip):
        self.wires = SimI2CBus()
        self.wires.attach(chip)

    def writeto(self, address, data):
        self.wires.write(address, data)
        return len(data)


class Rig:
    """A panel driver with its chip. ``picture`` is the buffer that is shown."""

    def __init__(self, kind=SSD1306, name="ssd1306", *, turned=False, offset=None, window=0, seed=1):
        self.chip = kind(0x3C, seed=seed, turned=turned, window=window, strict=True)
        self.bus = Bus(self.chip)
        self.panel = Panel(self.bus, name, 0x3C, turned=turned, offset=offset)
        self.picture = bytearray(random.Random(seed).randbytes(1024))
        self.panel.show(self.picture)

    def settle(self, now):
        """All that is to be sent at this time; how many pieces it was."""
        pieces = 0
        while self.panel.step(now):
            pieces += 1
            assert pieces < 50
        return pieces


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("kind", "name", "offset", "window"),
    [(SSD1306, "ssd1306", None, 0), (SH1106, "sh1106", None, 2), (SH1106, "sh1106", 0, 0)],
)
def test_picture_is_exact(kind, name, offset, window, turned):
    """Either chip, upright or upside down, with the usual window or another, shows the buffer bit for bit."""
    rig = Rig(kind, name, turned=turned, offset=offset, window=window)
    rig.settle(0)
    assert rig.chip.visible() == rig.picture
    assert rig.chip.contrast == 0xCF


def test_wrong_offset_is_visible():
    """An SH1106 driven as if it were an SSD1306 does not show the picture: its border falls off the glass."""
    rig = Rig(SH1106, "sh1106", offset=0, window=2)
    rig.settle(0)
    assert rig.chip.visible() != rig.picture


def test_only_changed_columns_are_sent():
    """After the first picture, a change of ten columns of a page costs 17 bytes on the bus; nothing, none."""
    rig = Rig()
    rig.settle(0)
    before = rig.bus.wires.traffic
    rig.settle(10)
    assert rig.bus.wires.traffic.since(before).bytes == 0
    rig.picture[3 * 128 + 20 : 3 * 128 + 30] = b"\xaa" * 10
    rig.panel.changed(20, 29, 3)
    rig.settle(20)
    assert rig.chip.visible() == rig.picture
    assert rig.bus.wires.traffic.since(before).bytes == (1 + 1 + 3) + (1 + 1 + 10)


def test_memory_is_written_before_the_light_goes_on():
    """A chip that has just got its power is lit only when its memory holds the picture."""
    rig = Rig()
    while rig.panel.step(0):
        assert not rig.chip.lit or rig.chip.visible() == rig.picture
    assert rig.chip.lit


def test_power_dip_is_made_good_within_ten_seconds():
    """A chip that silently lost set-up and memory shows the picture again within ten seconds."""
    rig = Rig()
    rig.settle(0)
    rig.chip.power_on_reset()
    now = 0
    while rig.chip.visible() != rig.picture:
        now += 2
        assert now < 10_000
        rig.panel.step(now)
        assert not rig.chip.lit or rig.chip.visible() == rig.picture


def test_renewing_does_not_flicker():
    """While a healthy panel is set up and painted anew, it shows the picture all the time."""
    rig = Rig()
    rig.settle(0)
    assert rig.panel.step(RENEW_MS)
    while rig.panel.step(RENEW_MS):
        assert rig.chip.visible() == rig.picture
    assert rig.chip.visible() == rig.picture


def test_absent_panel_is_tried_now_and_then():
    """A panel that is pulled off is noticed, costs a transfer in two seconds, and comes back by itself."""
    rig = Rig()
    rig.settle(0)
    rig.chip.connected = False
    rig.panel.changed(0, 0, 0)
    for now in range(0, 10_000, 2):
        rig.panel.step(now)
    assert rig.panel.silent
    assert rig.panel.faults == 1
    assert rig.bus.wires.traffic.failed <= 1 + 10_000 // RETRY_MS
    rig.chip.power_on_reset()
    rig.chip.connected = True
    rig.settle(10_000 + RETRY_MS)
    assert not rig.panel.silent
    assert rig.chip.visible() == rig.picture


def test_power_and_contrast():
    """Power off darkens at once, whatever else is to be sent; power on shows the picture as it is by then."""
    rig = Rig()
    rig.settle(0)
    rig.panel.power = False
    rig.panel.contrast = 9
    rig.picture[:] = bytes(1024)
    for page in range(8):
        rig.panel.changed(0, 127, page)
    rig.panel.step(10)
    assert not rig.chip.lit
    rig.settle(10)
    assert not rig.chip.lit
    rig.settle(RENEW_MS + 10)
    assert not rig.chip.lit
    rig.picture[5] = 0xFF
    rig.panel.changed(5, 5, 0)
    rig.panel.power = True
    rig.settle(RENEW_MS + 20)
    assert rig.chip.visible() == rig.picture
    assert rig.chip.contrast == 9


def test_change_during_a_transfer_is_not_lost():
    """What changes in a page while it is being sent is sent afterwards."""
    rig = Rig()
    rig.settle(0)
    write = rig.bus.writeto

    def meanwhile(address, data):
        if data[0] == 0x40 and rig.picture[700] != 0x3C:
            rig.picture[700] = 0x3C
            rig.panel.changed(700 % 128, 700 % 128, 700 // 128)
        return write(address, data)

    rig.bus.writeto = meanwhile
    rig.panel.changed(0, 127, 5)
    rig.settle(10)
    assert rig.chip.visible() == rig.picture
