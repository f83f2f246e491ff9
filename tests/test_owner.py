"""The owner of a bus: faults of one panel, what they cost the others, recovery, refresh, threads."""

import errno
import itertools
import random
import threading
import time

import pytest
from rig_hardware import Bell, Rig, noise, two_panels

from drivers.oled import Oled
from drivers.owner import BusOwner
from hardware.frame import BLANK, pack
from hardware.sim.bus import SimI2CBus, Transfer
from hardware.sim.sh1106 import SH1106
from hardware.sim.ssd1306 import SSD1306

ERRORS = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.ENXIO, errno.EAGAIN, errno.EBUSY]


def to_panel(log: list[Transfer] | None) -> list[Transfer]:
    """Transfers of a log that are meant for panels."""
    assert log is not None
    return [transfer for transfer in log if transfer.messages[0].address in (0x3C, 0x3D)]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(3))
def test_failing_panel_is_named_and_comes_back(error: int, seed: int) -> None:
    """Any error, from the n-th transfer to one seat on, flags that seat and no other is touched.

    Once transfers succeed it is painted by itself, within the time of a probe.
    """
    rig = Rig(seed=seed)
    rig.step()
    fault = rig.bus.fail(error, device=rig.sim.panel(3), skip=random.Random(seed).randint(0, 3))
    for number in range(4):
        shown = {seat: rig.show(seat, noise(10 * number + seat)) for seat in rig.board.seats}
        rig.step()
        others = {seat: frame for seat, frame in shown.items() if seat != 3}
        assert {seat: rig.visible(seat) for seat in others} == others
    assert "screen of seat 3 (mux hub, channel 2, 0x3C) does not answer" in str(
        rig.board.seats[3].screen.fault
    )
    assert [seat for seat in rig.board.seats if rig.board.seats[seat].screen.fault] == [3]
    rig.bus.heal(fault)
    rig.run(5.1)
    assert rig.board.seats[3].screen.fault is None
    assert rig.visible(3) == shown[3]


def test_short_fault_is_retried_at_once() -> None:
    """A fault that strikes twice is over before anybody notices: the third try paints the frame."""
    rig = Rig()
    rig.step()
    rig.bus.fail(errno.EIO, device=rig.sim.panel(2), times=2)
    shown = rig.show(2, noise(1))
    rig.step()
    assert rig.visible(2) == shown
    assert rig.board.seats[2].screen.fault is None


def test_three_tries_then_probes() -> None:
    """A panel that always fails gets three tries for a frame, then one every five seconds."""
    rig = Rig("direct-2")
    rig.step()
    rig.bus.fail(device=rig.sim.panel(1))
    rig.bus.log = []
    rig.show(1, noise(1))
    rig.step()
    assert len(to_panel(rig.bus.log)) == 3
    for number in range(20):
        rig.show(1, noise(number))
        rig.step()
    assert len(to_panel(rig.bus.log)) == 3
    rig.bus.log = []
    rig.run(60.0)
    assert len(to_panel(rig.bus.log)) == 12


def test_slow_panel_gets_a_tenth_of_the_time() -> None:
    """A panel on which each transfer hangs for a second costs at most one second in any ten.

    So long an adapter waits that does not let itself be told to give up sooner.
    """
    rig = Rig()
    rig.bus.timeout = 1.0
    rig.run(1.0)
    rig.bus.fail(errno.ETIMEDOUT, device=rig.sim.panel(4), delay=1.0)
    waits: list[tuple[float, float]] = []
    end = rig.now + 120
    while rig.now < end:
        rig.show(4, noise(int(rig.now * 10)))
        before, began = rig.bus.traffic.waited, rig.now
        rig.run(0.1)
        if rig.bus.traffic.waited > before:
            waits.append((began, rig.bus.traffic.waited - before))
    assert len(waits) >= 10
    assert all(waited == pytest.approx(1.0, abs=0.001) for _, waited in waits)
    assert all(later - earlier >= 10 for (earlier, _), (later, _) in itertools.pairwise(waits))


def test_slow_panel_gets_its_picture_in_the_end() -> None:
    """A panel of which each transfer takes 40 ms is painted over several turns: what was sent is kept."""
    rig = Rig()
    rig.step()
    rig.bus.fail(0, device=rig.sim.panel(4), delay=0.04)
    shown = rig.show(4, noise(1))
    before = rig.bus.traffic
    rig.run(0.1)
    assert rig.visible(4) != shown
    rig.run(6.0)
    assert rig.visible(4) == shown
    assert rig.bus.traffic.since(before).bytes <= 1100


def test_slow_panel_that_loses_its_power_shows_no_noise() -> None:
    """Its set-up takes several turns; whenever it loses its power between two, none of its memory shines."""
    for tenths in range(46, 86, 4):
        rig = Rig(refresh=8.0, seed=tenths)
        rig.sim.unplug(4)
        shown = rig.show(4, noise(1))
        rig.run(0.2)
        rig.sim.plug(4)
        rig.bus.fail(0, device=rig.sim.panel(4), delay=0.03)
        seen: list[bytes] = []
        rig.sim.watch(lambda _, rig=rig, seen=seen: seen.append(rig.visible(4)))  # type: ignore[misc]
        rig.run(tenths / 10)
        rig.sim.panel(4).power_on_reset()
        rig.run(15.0)
        rig.bus.heal()
        rig.run(15.0)
        assert rig.visible(4) == shown
        assert all(byte in (0, wanted) for frame in seen for byte, wanted in zip(frame, shown, strict=True))


def test_dead_from_the_start() -> None:
    """A panel that never answers is flagged, the others come up, and it is painted once it is plugged in."""
    rig = Rig()
    rig.sim.unplug(5)
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.step()
    assert {seat for seat in shown if rig.visible(seat) == shown[seat]} == {1, 2, 3, 4, 6}
    assert rig.board.seats[5].screen.fault
    rig.sim.plug(5)
    rig.run(5.1)
    assert rig.visible(5) == shown[5]
    assert rig.board.seats[5].screen.fault is None


def test_unplugged_in_play_shows_no_noise() -> None:
    """A panel pulled and put back shows nothing but whole frames of its own: never its random memory."""
    rig = Rig()
    seen: list[bytes] = []
    rig.sim.watch(lambda seat: seen.append(rig.visible(seat)) if seat == 2 else None)
    frames = [rig.show(2, noise(1))]
    rig.step()
    rig.sim.unplug(2)
    frames.append(rig.show(2, noise(2)))
    rig.run(3.0)
    rig.sim.plug(2)
    rig.run(6.0)
    assert rig.visible(2) == frames[1]
    assert set(seen) <= {BLANK, *frames}


@pytest.mark.parametrize("chip", ["ssd1306", "sh1106", "ssd1309"])
def test_silent_reset_is_repaired(chip: str) -> None:
    """A panel that lost its set-up in a power dip, without an error, is right again within 10 s.

    On the way it shows no pixel of its random memory.
    """
    rig = Rig(two_panels(f'chip = "{chip}"'), refresh=8.0)
    shown = rig.show(1, noise(1))
    rig.run(3.0)
    rig.sim.panel(1).power_on_reset()
    seen: list[bytes] = []
    rig.sim.watch(lambda seat: seen.append(rig.visible(seat)))
    rig.run(10.0)
    assert rig.visible(1) == shown
    assert set(seen) <= {shown, BLANK}


def test_refresh_is_spread_and_unseen() -> None:
    """A refresh paints each panel every eight seconds, never two at once, and nobody sees it."""
    rig = Rig(refresh=8.0)
    for seat in rig.board.seats:
        rig.show(seat, noise(seat))
    rig.step()
    seen: list[int] = []
    rig.sim.watch(seen.append)
    before = rig.bus.traffic
    bursts = []
    end = rig.now + 80
    while rig.now < end:
        at = rig.bus.traffic.bytes
        rig.run(0.2)
        bursts.append(rig.bus.traffic.bytes - at)
    assert seen == []
    assert max(bursts) < 1200
    assert 55 <= sum(burst > 1000 for burst in bursts) <= 62
    assert rig.bus.traffic.since(before).bytes < 62 * 1200


def test_no_refresh_unless_asked() -> None:
    """By default an idle board sends nothing at all."""
    rig = Rig()
    rig.step()
    before = rig.bus.traffic
    rig.run(600.0)
    assert rig.bus.traffic == before


@pytest.mark.parametrize("timeout", [0.05, 1.0])
def test_channel_that_holds_the_bus(timeout: float) -> None:
    """A channel on which something holds the wires costs its own seat alone, and is not opened again.

    Only an operator's retry opens it: then the seat is painted, if it has been mended, or is out again.
    """
    rig = Rig()
    rig.step()
    hub = rig.sim.muxes["hub"]
    hub.blocked.add(2)
    rig.bus.timeout = timeout
    rig.bus.log = []
    began = rig.now
    for number in range(8):
        shown = {seat: rig.show(seat, noise(10 * number + seat)) for seat in rig.board.seats}
        rig.run(3.0)
        assert [seat for seat in shown if rig.visible(seat) != shown[seat]] == [3]
        assert [seat for seat in shown if rig.board.seats[seat].fault] == [3]
        assert "channel 2 of the mux at 0x70 held the bus: mend it and try again" in str(
            rig.board.seats[3].fault
        )
    opened = [t for t in rig.bus.log if t.messages[0].address == 0x70 and t.messages[0].data == b"\x04"]
    assert len(opened) == 2  # the frame's, and one to see what is wrong
    assert rig.bus.traffic.waited <= 2 * timeout
    assert rig.now - began < 30
    rig.board.retry(3)
    rig.run(0.1)
    assert rig.board.seats[3].fault
    hub.blocked.clear()
    rig.run(20.0)
    assert rig.board.seats[3].fault
    rig.board.retry(3)
    rig.run(0.1)
    assert rig.board.seats[3].fault is None
    assert rig.visible(3) == shown[3]


@pytest.mark.parametrize("deafen", [False, True])
def test_reset_pin_frees_the_bus(deafen: bool) -> None:
    """With the mux's RESET pin a channel that holds the bus is got rid of, even if nobody else is heard.

    Its seat is tried again now and then, at most one second in ten, and comes back by itself.
    """
    rig = Rig("expander-6")
    rig.step()
    hub = rig.sim.muxes["hub"]
    held = hub.deafened if deafen else hub.blocked
    held.add(2)
    rig.bus.timeout = 1.0
    for number in range(8):
        shown = {seat: rig.show(seat, noise(10 * number + seat)) for seat in rig.board.seats}
        before = rig.bus.traffic.waited
        rig.run(10.0)
        assert rig.bus.traffic.waited - before <= (2.0 if number == 0 else 1.0)
        assert [seat for seat in shown if rig.visible(seat) != shown[seat]] == [3]
        assert [seat for seat in shown if rig.board.seats[seat].fault] == [3]
    held.clear()
    rig.run(20.0)
    assert rig.board.seats[3].fault is None
    assert rig.visible(3) == shown[3]


def test_another_chip_at_the_muxs_address() -> None:
    """Where the mux should be is another chip: all seats behind it say so, and it is left alone."""
    rig = Rig()
    rig.sim.muxes["hub"].connected = False
    rig.bus.attach(SSD1306(0x70))
    rig.run(1.0)
    assert "is not a mux" in str(rig.board.seats[1].screen.fault)
    assert all("mux" in str(seat.screen.fault) for seat in rig.board.seats.values())
    before = rig.bus.traffic
    rig.run(60.0)
    assert rig.bus.traffic == before
    assert "it is left alone" in str(rig.board.seats[1].screen.fault)


def test_only_own_panels() -> None:
    """Through faults, unplugged panels and restarts, what is sent to a panel reaches it alone."""
    for seed in range(3):
        rig = Rig(seed=seed)
        chance = random.Random(seed)
        seat_of = {rig.sim.panel(seat): seat for seat in rig.board.seats}
        own = {seat: {BLANK} for seat in rig.board.seats}
        rig.bus.log = []
        for number in range(40):
            seat = chance.choice(list(rig.board.seats))
            if chance.random() < 0.2:
                rig.bus.heal()
                rig.bus.fail(chance.choice(ERRORS), device=rig.sim.panel(seat), probability=0.3)
            if chance.random() < 0.1:
                chance.choice([rig.sim.unplug, rig.sim.plug])(seat)
            if chance.random() < 0.1:
                rig.sim.muxes["hub"].reset()
            if chance.random() < 0.05:
                rig.reopen()
            for each in rig.board.seats:
                own[each].add(rig.show(each, noise(1000 * number + each)))
            rig.run(chance.uniform(0, 3))
            for transfer in to_panel(rig.bus.log):
                (message,) = transfer.messages
                assert len(message.reached) <= 1
                if message.data[:1] == b"\x40" and len(message.data) == 343 and message.reached:
                    # A piece of a whole frame of a seat, told by its content.
                    assert any(message.data[1:] in frame for frame in own[seat_of[message.reached[0]]])
            rig.bus.log.clear()


def test_close_darkens_and_is_done_once() -> None:
    """Closing puts all panels out at once; a dead one does not hold it up, a second call sends nothing."""
    rig = Rig()
    for seat in rig.board.seats:
        rig.show(seat, noise(seat))
    rig.step()
    rig.sim.unplug(1)
    rig.board.close()
    assert all(rig.visible(seat) == BLANK for seat in rig.board.seats)
    before = rig.bus.traffic
    rig.board.close()
    assert rig.bus.traffic == before


# Threads


def test_thread_paints_without_flush() -> None:
    """With a thread of its own a bus paints what is shown, without anybody flushing."""
    bus = SimI2CBus()
    panel = SSD1306(strict=True)
    bus.attach(panel)
    owner = BusOwner("main", clock=time.monotonic)
    oled = Oled(bus, 0x3C, "ssd1306")
    owner.add(oled)
    bell = Bell()
    panel.changed = bell.ring
    owner.start()
    oled.show(noise(1))
    bell.wait_until(lambda: panel.visible() == pack(noise(1)))
    assert owner.deadline() is None
    owner.close()
    assert panel.visible() == BLANK
    assert not [thread for thread in threading.enumerate() if thread.name == "bus main"]


def test_frames_are_whole() -> None:
    """Six threads draw on six seats; each frame lies between its own select and the next."""
    rig = Rig()
    bell = Bell()
    rig.sim.watch(bell.ring)
    rig.bus.log = []
    rig.board.start()

    def draw(seat: int) -> None:
        for number in range(60):
            rig.show(seat, noise(100 * seat + number))

    threads = [threading.Thread(target=draw, args=(seat,)) for seat in rig.board.seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bell.wait_until(
        lambda: all(rig.visible(seat) == pack(noise(100 * seat + 59)) for seat in rig.board.seats)
    )
    rig.board.close()
    selected = b""
    window = 0
    for transfer in rig.bus.log:
        (message,) = transfer.messages
        if message.address == 0x70 and not message.reading:
            assert window == 0, "another channel was selected within a frame"
            selected = message.data
        elif message.data[:2] == b"\x00\x21":
            window = (message.data[3] - message.data[2] + 1) * (message.data[6] - message.data[5] + 1)
        elif message.data[:1] == b"\x40":
            window -= len(message.data) - 1
            assert window >= 0
            (panel,) = message.reached
            assert selected == bytes([1 << list(rig.sim._panels.values()).index(panel)])


def test_fault_of_the_program_does_not_kill_the_thread(caplog: pytest.LogCaptureFixture) -> None:
    """An exception that nobody expected is told as the panels' fault, and the bus's thread lives on."""
    bus = SimI2CBus()
    # An SH1106 wired as an SSD1306: the strict model raises what no driver expects.
    panel = SH1106(strict=True)
    bus.attach(panel)
    owner = BusOwner("main", clock=time.monotonic)
    oled = Oled(bus, 0x3C, "ssd1306", name="screen of seat 1")
    owner.add(oled)
    bell = Bell()
    caplog.handler.addFilter(lambda record: bell.ring() or True)
    owner.start()
    oled.show(noise(1))
    bell.wait_until(lambda: oled.fault is not None)
    assert "screen of seat 1 stopped by a fault of the program: Refused" in str(oled.fault)
    assert [thread for thread in threading.enumerate() if thread.name == "bus main"]
    owner.close()
