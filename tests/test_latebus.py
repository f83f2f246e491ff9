"""A bus that is opened when it is needed: absent at first, gone for a while, forbidden."""

import errno
from contextlib import contextmanager
from functools import partial

import pytest

from drivers.latebus import LateBus
from drivers.pi import BusAbsent, open_i2c
from hardware.errors import BusError
from hardware.sim.bus import SimI2CBus
from hardware.sim.ssd1306 import SSD1306


class Node:
    """A device node that may be absent, over simulated wires with a panel at 0x3C."""

    def __init__(self):
        self.bus = SimI2CBus()
        self.bus.attach(SSD1306())
        self.there = True
        self.opened = self.closed = 0

    @contextmanager
    def open(self):
        """Open it, or raise what drivers.pi raises."""
        if not self.there:
            raise BusAbsent(errno.ENOENT, "there is no I2C bus 1")
        self.opened += 1
        yield self.bus
        self.closed += 1


def test_it_opens_at_the_first_transfer_and_only_once():
    """Nothing is opened before a transfer, and then one node serves all."""
    node = Node()
    bus = LateBus(node.open, "main")
    assert node.opened == 0
    bus.write(0x3C, b"\x00\xe3")
    assert bus.read(0x3C, 1) == b"\x43"
    assert bus.write_read(0x3C, b"\x00\xe3", 1) == b"\x43"
    assert (node.opened, node.closed) == (1, 0)
    bus.close()
    bus.close()
    assert (node.opened, node.closed) == (1, 1)


def test_an_absent_node_fails_each_transfer_until_it_appears():
    """The transfer fails with the opener's error, errno and reason; once the node is there, all is well."""
    node = Node()
    node.there = False
    bus = LateBus(node.open, "main")
    for _ in range(2):
        with pytest.raises(BusAbsent, match="no I2C bus 1") as caught:
            bus.write(0x3C, b"\x00\xe3")
        assert caught.value.errno == errno.ENOENT
    node.there = True
    bus.write(0x3C, b"\x00\xe3")
    assert node.opened == 1


def test_it_opens_anew_after_the_bus_has_failed_but_not_after_a_missing_answer():
    """A panel that is away leaves the node open; a broken or held bus is opened anew, which heals some."""
    node = Node()
    bus = LateBus(node.open, "main")
    with pytest.raises(BusError):
        bus.write(0x3D, b"\x00\xe3")
    assert (node.opened, node.closed) == (1, 0)
    for error in (errno.EIO, errno.ETIMEDOUT, errno.ENODEV, errno.EBADF):
        node.bus.fail(error, times=1)
        closed = node.closed
        with pytest.raises(BusError):
            bus.write(0x3C, b"\x00\xe3")
        assert node.closed == closed + 1
        bus.write(0x3C, b"\x00\xe3")
        assert node.opened == closed + 2


def test_a_real_node_that_appears_is_tried_anew(tmp_path):
    """Over device nodes as drivers.pi finds them: absent, then there, if no I2C bus; each transfer looks."""
    (tmp_path / "dev").mkdir()
    (tmp_path / "sys").mkdir()
    bus = LateBus(partial(open_i2c, 1, None, tmp_path / "sys", tmp_path / "dev"), "main")
    with pytest.raises(BusAbsent, match="no I2C bus 1"):
        bus.write(0x3C, b"\x00\xe3")
    (tmp_path / "dev/i2c-1").touch()
    with pytest.raises(BusError, match="is not an I2C bus"):
        bus.write(0x3C, b"\x00\xe3")
