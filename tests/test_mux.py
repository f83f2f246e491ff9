"""TCA9548A: the model of the chip, and the driver for which a channel is a bus."""

import errno
import random
import threading

import pytest

from drivers.tca9548a import ABSENT_TRIES, Muxes
from hardware.errors import BusError
from hardware.sim.bus import SimI2CBus, Transfer
from hardware.sim.panel import Panel
from hardware.sim.ssd1306 import SSD1306
from hardware.sim.tca9548a import TCA9548A

OFF = b"\x00\xae"


class Tree:
    """Two muxes on one bus, three panels behind each, all at 0x3C. ``panels``: by mux address and channel."""

    def __init__(self, seed: int = 0) -> None:
        self.bus = SimI2CBus(seed=seed)
        self.bus.log = []
        self.muxes = {address: TCA9548A(address) for address in (0x70, 0x71)}
        self.panels: dict[tuple[int, int], Panel] = {}
        for address, mux in self.muxes.items():
            self.bus.attach(mux)
            for channel in range(3):
                panel = SSD1306(0x3C, name=f"0x{address:02X}/{channel}")
                mux.channels[channel].attach(panel)
                self.panels[address, channel] = panel
        self.driver = Muxes(self.bus, self.muxes)

    def misdirected(self, place: tuple[int, int], transfers: list[Transfer]) -> list[Transfer]:
        """Those transfers to 0x3C that reached anything but the panel at this place, or nothing."""
        return [
            transfer
            for transfer in transfers
            for message in transfer.messages
            if message.address == 0x3C and message.reached not in ((self.panels[place],), ())
        ]


def test_channel_changes_at_stop() -> None:
    """Selection and data in one transfer do not reach the new channel: the switch closes at STOP."""
    tree = Tree()
    mux = tree.muxes[0x70]
    mux.write(b"\x01")
    assert mux.open_channels() == ()
    mux.stop(True)
    assert mux.open_channels() == (mux.channels[0],)


def test_several_channels_may_be_open() -> None:
    """With several bits set, a write reaches all the chips behind those channels; the log shows it."""
    tree = Tree()
    tree.bus.write(0x70, b"\x05")
    tree.bus.write(0x71, b"\x02")
    tree.bus.write(0x3C, OFF)
    assert tree.bus.log is not None
    reached = tree.bus.log[-1].messages[0].reached
    assert reached == (tree.panels[0x70, 0], tree.panels[0x70, 2], tree.panels[0x71, 1])


def test_reset_closes_all() -> None:
    """A reset pulse closes all channels, and the register reads zero."""
    tree = Tree()
    tree.bus.write(0x70, b"\x05")
    assert tree.bus.read(0x70, 1) == b"\x05"
    tree.muxes[0x70].reset()
    with pytest.raises(BusError):
        tree.bus.write(0x3C, OFF)
    assert tree.bus.read(0x70, 1) == b"\x00"


def test_blocked_channel_holds_the_bus() -> None:
    """While a channel is open on which something holds the wires, only the mux itself is heard."""
    tree = Tree()
    tree.muxes[0x70].blocked.add(1)
    tree.bus.write(0x70, b"\x02")
    with pytest.raises(BusError) as caught:
        tree.bus.write(0x3C, OFF)
    assert caught.value.errno == errno.ETIMEDOUT
    tree.bus.write(0x70, b"\x01")
    tree.bus.write(0x3C, OFF)


def test_all_closed_before_the_first_select() -> None:
    """Muxes found open are all closed before a channel is opened, so that nothing reaches two panels."""
    tree = Tree()
    tree.bus.write(0x70, b"\xff")
    tree.bus.write(0x71, b"\xff")
    tree.bus.log = []
    tree.driver.channel(0x71, 2).write(0x3C, OFF)
    sent = [(m.address, m.data) for t in tree.bus.log for m in t.messages if not m.reading]
    assert sent == [(0x70, b"\x00"), (0x71, b"\x00"), (0x71, b"\x04"), (0x3C, OFF)]
    assert tree.misdirected((0x71, 2), tree.bus.log) == []


def test_select_only_when_it_differs() -> None:
    """One channel is selected once; a change within a mux costs one select, to another mux one more."""
    tree = Tree()
    channel = tree.driver.channel(0x70, 0)
    channel.write(0x3C, OFF)
    before = tree.bus.traffic
    channel.write(0x3C, OFF)
    assert tree.bus.traffic.since(before).transfers == 1
    tree.driver.channel(0x70, 1).write(0x3C, OFF)
    assert tree.bus.traffic.since(before).transfers == 3
    tree.driver.channel(0x71, 1).write(0x3C, OFF)
    assert tree.bus.traffic.since(before).transfers == 6


def test_error_forgets_the_selection() -> None:
    """After any error the channel is selected anew, though it was selected before."""
    tree = Tree()
    channel = tree.driver.channel(0x70, 0)
    channel.write(0x3C, OFF)
    tree.bus.fail(errno.EIO, address=0x3C, times=1)
    with pytest.raises(BusError):
        channel.write(0x3C, OFF)
    tree.muxes[0x70].reset()
    channel.write(0x3C, OFF)
    assert tree.bus.log is not None
    assert tree.bus.log[-1].messages[0].reached == (tree.panels[0x70, 0],)


def test_read_and_write_read_select_too() -> None:
    """Reading goes through the channel as well."""
    tree = Tree()
    assert tree.driver.channel(0x70, 0).read(0x3C, 1) == b"\x43"
    assert tree.driver.channel(0x71, 0).write_read(0x3C, b"\x00", 1) == b"\x43"


def test_not_a_mux() -> None:
    """A chip at a mux's address that acknowledges but does not keep its mask is named; no data follow."""
    bus = SimI2CBus()
    bus.attach(SSD1306(0x70))
    bus.log = []
    channel = Muxes(bus, [0x70]).channel(0x70, 3)
    with pytest.raises(BusError, match=r"0x70 is not a mux: wrote 0x08, read back 0x43"):
        channel.write(0x3C, OFF)
    assert all(message.address == 0x70 for transfer in bus.log for message in transfer.messages)


def test_no_mux_is_left_alone() -> None:
    """After three masks not kept, a chip that is no mux is left alone until a retry; another works on."""
    bus = SimI2CBus()
    bus.attach(SSD1306(0x70))
    mux = TCA9548A(0x71)
    bus.attach(mux)
    mux.channels[0].attach(SSD1306(0x3C))
    muxes = Muxes(bus, [0x70, 0x71])
    for _ in range(3):
        with pytest.raises(BusError, match="not a mux"):
            muxes.channel(0x70, 0).write(0x3C, OFF)
    bus.log = []
    with pytest.raises(BusError, match="another chip than a mux is at 0x70"):
        muxes.channel(0x70, 1).write(0x3C, OFF)
    assert bus.log == []
    muxes.channel(0x71, 0).write(0x3C, OFF)
    assert {message.address for transfer in bus.log for message in transfer.messages} == {0x71, 0x3C}
    muxes.retry(0x70, 1)
    with pytest.raises(BusError, match="0x70 is not a mux"):
        muxes.channel(0x70, 1).write(0x3C, OFF)


def test_one_wrong_answer_is_forgiven() -> None:
    """A mask read back wrong once, as noise makes it, does not condemn a mux for good."""
    tree = Tree()
    intruder = SSD1306(0x70)
    for _ in range(5):
        tree.driver.forget()
        tree.bus.attach(intruder)
        with pytest.raises(BusError, match="not a mux"):
            tree.driver.channel(0x70, 2).write(0x3C, OFF)
        tree.bus.trunk.detach(intruder)
        tree.driver.channel(0x70, 2).write(0x3C, OFF)


def test_absent_mux_does_not_stop_the_other() -> None:
    """A mux that is not there has nothing open: the other one's panels work on."""
    tree = Tree()
    tree.muxes[0x71].connected = False
    tree.driver.channel(0x70, 0).write(0x3C, OFF)
    # And once the panels' address was asked, to be sure that nothing is open.
    assert tree.bus.traffic.failed == ABSENT_TRIES + 1


def test_a_mux_that_went_is_selected_anew() -> None:
    """What was open on a mux that did not answer meanwhile is not taken to be open still."""
    tree = Tree()
    tree.driver.channel(0x71, 1).write(0x3C, OFF)
    tree.muxes[0x71].connected = False
    tree.muxes[0x71].reset()
    tree.driver.channel(0x70, 0).write(0x3C, OFF)
    assert tree.bus.log is not None
    tree.bus.log.clear()
    with pytest.raises(BusError):
        tree.driver.channel(0x71, 1).write(0x3C, OFF)
    tree.muxes[0x71].connected = True
    tree.driver.channel(0x71, 1).write(0x3C, OFF)
    assert tree.misdirected((0x71, 1), tree.bus.log) == []


def test_a_mux_that_is_open_but_does_not_answer_is_no_absent_mux() -> None:
    """A mux that acknowledges nothing, but has a channel open, is found out before anything is written."""
    tree = Tree()
    tree.driver.channel(0x71, 1).write(0x3C, OFF)
    fault = tree.bus.fail(errno.EREMOTEIO, device=tree.muxes[0x71])
    tree.driver.forget()
    assert tree.bus.log is not None
    tree.bus.log.clear()
    for _ in range(3):
        with pytest.raises(BusError, match="a mux does not answer, but has a channel open: 0x3C"):
            tree.driver.channel(0x70, 0).write(0x3C, OFF)
    assert not [t for t in tree.bus.log for m in t.messages if m.address == 0x3C and not m.reading]
    tree.bus.heal(fault)
    tree.driver.channel(0x70, 0).write(0x3C, OFF)
    assert tree.misdirected((0x70, 0), tree.bus.log[-1:]) == []


def test_a_channel_may_silence_everybody() -> None:
    """With such a channel open not even the mux is heard, until its reset pin is pulsed."""
    tree = Tree()
    mux = tree.muxes[0x70]
    mux.deafened.add(1)
    tree.bus.timeout = 0.5
    tree.bus.write(0x70, b"\x02")
    for address in (0x70, 0x71, 0x3C):
        with pytest.raises(BusError) as caught:
            tree.bus.write(address, b"\x00")
        assert caught.value.errno == errno.ETIMEDOUT
    assert tree.bus.traffic.waited == pytest.approx(1.5, abs=0.001)
    mux.hold_reset(True)
    mux.hold_reset(False)
    tree.bus.write(0x70, b"\x01")
    tree.bus.write(0x3C, OFF)


def test_bad_contact_is_not_absence() -> None:
    """A mux that misses some of its closings is closed before anything is sent behind the other."""
    tree = Tree()
    tree.bus.write(0x71, b"\x01")
    tree.bus.fail(address=0x71, times=ABSENT_TRIES - 1)
    tree.driver.channel(0x70, 0).write(0x3C, OFF)
    assert tree.muxes[0x71].mask == 0


def test_mux_in_unknown_state_stops_all() -> None:
    """A mux that fails otherwise than by absence may have a channel open: no panel is sent anything."""
    tree = Tree()
    tree.bus.write(0x71, b"\x01")
    tree.bus.fail(errno.EIO, address=0x71)
    tree.bus.log = []
    with pytest.raises(BusError):
        tree.driver.channel(0x70, 0).write(0x3C, OFF)
    assert all(message.address != 0x3C for transfer in tree.bus.log for message in transfer.messages)


@pytest.mark.parametrize("place", [(0x72, 0), (0x70, 8), (0x70, -1)])
def test_no_such_channel(place: tuple[int, int]) -> None:
    """A channel that no mux has is refused at once."""
    with pytest.raises(ValueError, match="no mux at"):
        Tree().driver.channel(*place)


@pytest.mark.parametrize("seed", range(5))
def test_no_write_goes_astray(seed: int) -> None:
    """Through random faults, resets, restarts and other errors, each write reaches its own panel or none."""
    tree = Tree(seed)
    chance = random.Random(seed)
    errors = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.ENXIO, errno.EAGAIN, errno.EBUSY]
    arrived = 0
    for _ in range(600):
        if chance.random() < 0.05:
            tree.bus.heal()
            tree.bus.fail(
                chance.choice(errors), address=chance.choice([None, 0x70, 0x71, 0x3C]), probability=0.2
            )
        if chance.random() < 0.03:
            tree.muxes[chance.choice([0x70, 0x71])].reset()
        if chance.random() < 0.02:
            tree.driver = Muxes(tree.bus, tree.muxes)
        place = chance.choice(list(tree.panels))
        tree.bus.log = []
        try:
            tree.driver.channel(*place).write(0x3C, OFF)
        except BusError:
            pass
        else:
            arrived += 1
        assert tree.misdirected(place, tree.bus.log) == []
    assert arrived > 300


def test_threads_do_not_mix_channels() -> None:
    """Six threads on six panels: each write reaches the panel of its own thread."""
    tree = Tree()
    failures: list[BaseException] = []

    def work(place: tuple[int, int], contrast: int) -> None:
        channel = tree.driver.channel(*place)
        try:
            for _ in range(50):
                channel.write(0x3C, bytes([0, 0x81, contrast]))
        except OSError as error:
            failures.append(error)

    threads = [
        threading.Thread(target=work, args=(place, 10 + number)) for number, place in enumerate(tree.panels)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [panel.contrast for panel in tree.panels.values()] == [10, 11, 12, 13, 14, 15]
    assert tree.bus.log is not None
    for transfer in tree.bus.log:
        message = transfer.messages[0]
        if message.address == 0x3C:
            assert [device.contrast for device in message.reached if isinstance(device, Panel)] == [
                message.data[2]
            ]
