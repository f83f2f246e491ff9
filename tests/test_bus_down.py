"""A bus on which nobody answers any more: how it is noticed, brought back, and what goes on meanwhile."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from rig_hardware import Rig, noise

from drivers.latebus import LateBus
from hardware.bus import I2CBus
from hardware.errors import BusError
from hardware.seat import Button

ERRORS = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.ENXIO, errno.EAGAIN, errno.EBUSY, errno.ENODEV]
BOARDS = ["direct-2", "direct-6-usermux", "expander-6"]
NOTICED_S = 3.0
BACK_S = 6.0


def lit(board: str, **options: object) -> tuple[Rig, dict[int, bytes]]:
    """A board that has shown a picture at each seat for a while, and the pictures."""
    rig = Rig(board, refresh=8.0, bounce_ms=0, **options)
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.run(1.3)
    assert {seat: rig.visible(seat) for seat in shown} == shown
    return rig, shown


def until(rig: Rig, true: Callable[[], bool], most: float) -> float:
    """Seconds until something is so; fail if it takes longer than ``most``."""
    began = rig.now
    while not true():
        assert rig.now - began <= most, f"not within {most} s"
        rig.run(0.05)
    return rig.now - began


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(("error", "delay"), [*((error, 0.0) for error in ERRORS), (errno.ETIMEDOUT, 1.0)])
def test_a_dead_bus_is_noticed_and_comes_back(board: str, error: int, delay: float) -> None:
    """From some time on all transfers fail, on a table where nothing happens: within 3 s the bus is down.

    Every seat says so. When transfers succeed again all are repainted, without a restart.
    """
    rig, shown = lit(board)
    rig.bus.fail(error, delay=delay)
    until(rig, lambda: bool(rig.board.down), NOTICED_S)
    assert rig.board.down[0].startswith("bus main is down: ")
    assert all("bus main is down" in str(seat.screen.fault) for seat in rig.board.seats.values())
    rig.run(20.0)
    rig.bus.heal()
    for panel in rig.board.seats:
        rig.sim.panel(panel).power_on_reset()
    until(rig, lambda: all(seat.fault is None for seat in rig.board.seats.values()), BACK_S + 4 * delay)
    assert rig.board.down == ()
    assert {seat: rig.visible(seat) for seat in shown} == shown


def test_a_kernels_channels_go_down_with_their_trunk() -> None:
    """Behind the kernel's mux each channel is a bus: all are down with the trunk, and come back with it."""
    rig, shown = lit("direct-6")
    rig.bus.fail(errno.ETIMEDOUT)
    until(rig, lambda: len(rig.board.down) == 6, NOTICED_S)
    assert all(seat.fault for seat in rig.board.seats.values())
    rig.bus.heal()
    until(rig, lambda: rig.board.down == (), BACK_S)
    rig.run(0.5)
    assert {seat: rig.visible(seat) for seat in shown} == shown


def test_buttons_on_the_header_work_meanwhile() -> None:
    """While the bus is down buttons on GPIO are heard as ever."""
    rig, _ = lit("direct-2")
    rig.bus.fail(errno.EIO)
    until(rig, lambda: bool(rig.board.down), NOTICED_S)
    for number in range(5):
        seat = 1 + number % 2
        began = rig.now
        rig.sim.press(seat, Button.PLAY)
        edges = rig.run(0.1)
        rig.sim.release(seat, Button.PLAY)
        edges += rig.run(0.1)
        assert [(edge.seat, edge.down) for edge in edges] == [(seat, True), (seat, False)]
        assert edges[0].at - began < 0.001


def test_a_dead_bus_is_left_in_peace() -> None:
    """While it is down the bus is tried once in three seconds, with a few transfers at most."""
    rig, _ = lit("direct-6-usermux")
    rig.bus.fail(errno.EIO)
    until(rig, lambda: bool(rig.board.down), NOTICED_S)
    rig.run(1.0)
    for seat in rig.board.seats:
        rig.show(seat, noise(100 + seat))
    before = rig.bus.traffic
    rig.run(30.0)
    assert rig.bus.traffic.since(before).transfers <= 10 * 3 * 6


def test_a_missing_panel_is_no_dead_bus() -> None:
    """As long as one chip answers, the bus is up, however many panels are away."""
    rig, _ = lit("direct-6-usermux")
    for seat in (1, 2, 3, 4, 5, 6):
        rig.sim.unplug(seat)
        rig.run(6.0)
        assert rig.board.down == ()
    assert all(seat.fault for seat in rig.board.seats.values())


def test_a_panel_that_times_out_is_no_dead_bus() -> None:
    """One panel that lets the adapter wait for a second does not bring the bus down for the others."""
    rig, _ = lit("direct-2")
    rig.bus.fail(errno.ETIMEDOUT, device=rig.sim.panel(1), delay=1.0)
    rig.show(1, noise(9))
    shown = rig.show(2, noise(10))
    rig.run(2.0)
    assert rig.board.down == ()
    assert rig.visible(2) == shown


# The ladder


class Wedged:
    """A device node whose adapter hangs until it is opened anew."""

    def __init__(self, bus: I2CBus) -> None:
        self.opened = 0
        self.wedged = False
        self._bus = bus

    @contextmanager
    def open(self) -> Iterator[I2CBus]:
        """Open it."""
        self.opened += 1
        self.wedged = False
        yield self

    def _check(self) -> None:
        if self.wedged:
            raise BusError(errno.EREMOTEIO, "nobody acknowledges")

    def write(self, address: int, data: bytes) -> None:
        """Write, unless it hangs."""
        self._check()
        self._bus.write(address, data)

    def read(self, address: int, count: int) -> bytes:
        """Read, unless it hangs."""
        self._check()
        return self._bus.read(address, count)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write and read, unless it hangs."""
        self._check()
        return self._bus.write_read(address, data, count)


def test_first_the_node_is_opened_anew(caplog: pytest.LogCaptureFixture) -> None:
    """An adapter that answers to nobody until its node is opened again is brought back by just that."""
    cleared: list[str] = []
    rig = Rig("direct-6-usermux", refresh=8.0, clear_bus=cleared.append)
    node = Wedged(rig.sim.adapters["main"])
    rig.nodes = {"main": LateBus(node.open, "main")}
    rig.reopen()
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.run(1.3)
    assert node.opened == 1
    node.wedged = True
    rig.run(NOTICED_S)
    assert node.opened == 2
    assert "bus main: opening it anew helped" in caplog.text
    assert cleared == []
    assert all(seat.fault is None for seat in rig.board.seats.values())
    assert {seat: rig.visible(seat) for seat in shown} == shown


def test_then_the_muxes_are_reset() -> None:
    """A bus that is held until the mux is reset is freed by the mux's reset pin, and nothing more is done."""
    cleared: list[str] = []
    rig, shown = lit("expander-6", clear_bus=cleared.append)
    rig.bus.fail(errno.ETIMEDOUT)
    line = rig.sim.lines[17]
    reset = line.on_drive

    def freed() -> None:
        rig.bus.heal()
        assert reset is not None
        reset()

    line.on_drive = freed
    rig.run(NOTICED_S)
    assert cleared == []
    assert all(seat.fault is None for seat in rig.board.seats.values())
    assert {seat: rig.visible(seat) for seat in shown} == shown


def test_last_the_wires_are_cleared(caplog: pytest.LogCaptureFixture) -> None:
    """What nothing else heals is left to the hook that clears the wires; that it fails once is no end."""
    calls: list[str] = []

    def clear(name: str) -> None:
        calls.append(name)
        if len(calls) == 1:
            raise OSError(errno.EBUSY, "not now")
        rig.bus.heal()

    rig, shown = lit("direct-2", clear_bus=clear)
    rig.bus.fail(errno.ETIMEDOUT)
    until(rig, lambda: "bus main: clearing it helped" in caplog.text, NOTICED_S + BACK_S)
    assert calls == ["main", "main"]
    rig.run(0.5)
    assert {seat: rig.visible(seat) for seat in shown} == shown


def test_a_channel_that_silences_everybody() -> None:
    """Without a reset pin, a channel that takes the whole bus down twice is not opened a third time."""
    rig, shown = lit("direct-6-usermux", clear_bus=lambda name: rig.sim.muxes["hub"].reset())
    rig.bus.timeout = 0.5
    rig.sim.muxes["hub"].deafened.add(2)
    rig.run(60.0)
    before = rig.bus.traffic.waited
    rig.run(60.0)
    assert rig.bus.traffic.waited == before
    assert [seat for seat in shown if rig.board.seats[seat].fault] == [3]
    assert "held the bus" in str(rig.board.seats[3].fault)
    rig.sim.muxes["hub"].deafened.clear()
    rig.board.retry(3)
    rig.run(0.1)
    assert rig.board.seats[3].fault is None
    assert {seat: rig.visible(seat) for seat in shown} == shown


def test_an_outage_accuses_no_channel_for_good() -> None:
    """A bus that was down for a while, whatever channel was open, comes back with all of its seats."""
    rig, shown = lit("direct-6-usermux")
    for _ in range(6):
        rig.run(1.1)
        fault = rig.bus.fail(errno.ETIMEDOUT)
        rig.run(8.0)
        rig.bus.heal(fault)
        rig.run(BACK_S)
        assert all(seat.fault is None for seat in rig.board.seats.values())
        assert {seat: rig.visible(seat) for seat in shown} == shown


def test_a_node_that_appears_is_used_at_once() -> None:
    """While there is no device node it is looked for once a second: seats are lit soon after it is there."""
    there = False

    @contextmanager
    def opened() -> Iterator[I2CBus]:
        if not there:
            raise BusError(errno.ENOENT, "there is no I2C bus 1")
        yield rig.bus

    rig = Rig("direct-2", refresh=8.0)
    rig.nodes = {"main": LateBus(opened, "main")}
    rig.reopen()
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.run(20.3)
    assert "there is no I2C bus 1" in rig.board.down[0]
    there = True
    until(rig, lambda: {seat: rig.visible(seat) for seat in shown} == shown, 1.2)
    assert rig.board.down == ()
