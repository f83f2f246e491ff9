"""A profile's whole board: the drivers on simulated wires, used as the table uses it."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from gpiozero import DigitalInputDevice
from rig_hardware import Bell, Rig, noise

from drivers.board import open_board
from drivers.linepins import line_pins
from hardware.frame import BLANK, pack
from hardware.profile import board_names, load_profile, parse_profile
from hardware.seat import Board, Button, Seat
from hardware.sim.tree import SimBoard


@pytest.mark.parametrize("name", [name for name in board_names() if load_profile(name).wired])
def test_every_bundled_board(name: str) -> None:
    """Each bundled board with wires comes to life: seats with labels, own screens, buttons and lamps."""
    rig = Rig(name)
    board: Board = rig.board
    assert list(board.seats) == [seat.number for seat in rig.profile.wired]
    rig.step()
    shown = {number: rig.show(number, noise(number)) for number in board.seats}
    rig.step()
    for number, seat in board.seats.items():
        assert isinstance(seat, Seat)
        assert seat.label == rig.profile.seats[number - 1].label
        assert rig.visible(number) == shown[number]
        if seat.lamp is not None:
            seat.lamp.set(True)
            rig.step()
            assert rig.sim.lamp(number) is True
            seat.lamp.set(False)
            rig.step()
            assert rig.sim.lamp(number) is False
        for button in Button:
            rig.sim.press(number, button)
            edges = rig.run(0.06)
            rig.sim.release(number, button)
            edges += rig.run(0.06)
            assert [(e.seat, e.button, e.down) for e in edges] == [
                (number, button, True),
                (number, button, False),
            ]
    rig.board.close()


def test_mux_driven_by_the_kernel() -> None:
    """Behind a mux that the kernel drives each seat has its own bus and thread; all paint bit for bit."""
    text = (Path(__file__).parents[1] / "hardware/boards/direct-6-usermux.toml").read_text("utf-8")
    rig = Rig(parse_profile(text.replace('"user"', '"kernel"'), "kernel.toml"))
    rig.bus.log = []
    bell = Bell()
    rig.sim.watch(bell.ring)
    rig.board.start()
    for number in range(20):
        shown = {seat: rig.show(seat, noise(10 * number + seat)) for seat in rig.board.seats}
    bell.wait_until(lambda: {seat: rig.visible(seat) for seat in shown} == shown)
    assert len([thread for thread in threading.enumerate() if thread.name.startswith("bus hub/")]) == 6
    rig.board.close()
    assert rig.sim.muxes["hub"].mask == 0
    assert all(len(message.reached) == 1 for transfer in rig.bus.log for message in transfer.messages)


def test_nothing_is_sent_before_the_first_flush() -> None:
    """Opening a board touches pins but no bus."""
    rig = Rig()
    assert rig.bus.traffic.transfers == 0


def test_edges_of_all_seats_in_order() -> None:
    """One poll gives the edges of all seats in order of time."""
    rig = Rig(bounce_ms=0)
    rig.step()
    for seat in (5, 1, 3):
        rig.sim.press(seat, Button.PLAY)
        rig.sim.advance(rig.now)
        rig.now += 0.002
    rig.now += 0.1
    edges = rig.step()
    assert [edge.seat for edge in edges] == [5, 1, 3]
    assert [edge.at for edge in edges] == sorted(edge.at for edge in edges)


def test_press_wakes_the_board() -> None:
    """A press wakes whoever listens to the simulated board, an edge wakes whoever listens to the drivers."""
    rig = Rig()
    woken: list[str] = []
    rig.sim.listen(lambda: woken.append("sim"))
    rig.board.listen(lambda: woken.append("board"))
    rig.sim.press(1, Button.LEFT)
    assert woken == ["sim"]
    rig.sim.advance(rig.now)
    assert "board" in woken


def test_watcher_hears_of_its_seat_only() -> None:
    """Whoever watches the board is told the seat whose picture changed, as each piece of it arrives."""
    rig = Rig()
    rig.step()
    told: list[int] = []
    rig.sim.watch(told.append)
    rig.show(4, noise(1))
    rig.step()
    assert told == [4, 4, 4]
    rig.show(4, noise(1))
    rig.step()
    assert told == [4, 4, 4]


def test_close_twice() -> None:
    """Closing darkens panels and lamps; as a context manager it does so even after an exception."""
    rig = Rig("direct-2")
    lamp = rig.board.seats[1].lamp
    assert lamp is not None
    lamp.set(True)
    rig.show(1, noise(1))
    rig.step()
    with pytest.raises(RuntimeError, match="game over"), rig.board:
        raise RuntimeError("game over")
    assert rig.visible(1) == BLANK
    assert rig.sim.lamp(1) is False
    rig.board.close()


def test_busy_pin_costs_its_seat_alone(caplog: pytest.LogCaptureFixture) -> None:
    """A pin that somebody else holds is told as its seat's fault, with the pin; the other seat works."""
    profile = load_profile("direct-2")
    sim = SimBoard(profile)
    now = [0.0]
    factory = line_pins(sim.lines, lambda: now[0])
    holder = DigitalInputDevice(5, pull_up=True, pin_factory=factory)
    board = open_board(profile, sim.adapters, factory, clock=lambda: now[0])
    board.flush(0.0)
    assert "buttons of seat 1" in str(board.seats[1].fault)
    assert "GPIO5" in str(board.seats[1].fault)
    assert board.seats[2].fault is None
    assert "buttons of seat 1: pin GPIO5 is already in use" in caplog.text
    # Seat 1's other pins were let go, and seat 2's are heard.
    DigitalInputDevice(6, pull_up=True, pin_factory=factory).close()
    sim.press(2, Button.LEFT)
    edges = []
    for at in (0.0, 0.1, 0.2):
        now[0] = at
        sim.advance(at)
        edges += board.poll(at)
    assert [(edge.seat, edge.button) for edge in edges] == [(2, Button.LEFT)]
    board.close()
    holder.close()


def test_busy_lamp_pin(caplog: pytest.LogCaptureFixture) -> None:
    """A lamp whose pin cannot be had is left out, and said so; all else works."""
    profile = load_profile("direct-2")
    sim = SimBoard(profile)
    factory = line_pins(sim.lines, lambda: 0.0)
    with DigitalInputDevice(26, pull_up=True, pin_factory=factory):
        board = open_board(profile, sim.adapters, factory, clock=lambda: 0.0)
        assert (board.seats[1].lamp, board.seats[1].fault) == (None, None)
        assert "lamp of seat 1: pin GPIO26 is already in use" in caplog.text
        board.close()


@pytest.mark.parametrize("name", ["direct-2", "expander-6"])
def test_stuck_button_is_told(name: str) -> None:
    """A button that is down from the start is its seat's fault until it is released, and plays no part."""
    sim = SimBoard(load_profile(name))
    sim.press(2, Button.MARK)
    sim.advance(100.0)
    rig = Rig(name, sim=sim)
    assert rig.run(0.3) == []
    assert "held down since the start, and ignored until released: mark" in str(rig.board.seats[2].fault)
    assert rig.board.seats[1].fault is None
    sim.release(2, Button.MARK)
    assert rig.run(0.3) == []
    assert rig.board.seats[2].fault is None
    sim.press(2, Button.MARK)
    assert [edge.down for edge in rig.run(0.3)] == [True]


def test_threaded_board() -> None:
    """After start each bus paints from its own thread; flush only wakes it, close ends it."""
    profile = load_profile("direct-2")
    sim = SimBoard(profile, strict=True)
    bell = Bell()
    factory = line_pins(sim.lines, time.monotonic)
    board = open_board(profile, sim.adapters, factory, clock=time.monotonic)
    board.start()
    sim.watch(bell.ring)
    board.seats[2].screen.show(noise(2))
    board.flush(time.monotonic())
    bell.wait_until(lambda: sim.panel(2).visible() == pack(noise(2)))
    board.close()
    assert sim.panel(2).visible() == BLANK
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("bus ")] == []


def test_threads_darken_what_a_crash_left_shining() -> None:
    """A table that starts anew darkens every panel at once, before it has anything to show."""
    profile = load_profile("direct-2")
    sim = SimBoard(profile, strict=True)
    crashed = open_board(profile, sim.adapters, line_pins(sim.lines, time.monotonic), clock=time.monotonic)
    for seat in (1, 2):
        crashed.seats[seat].screen.show(noise(seat))
    crashed.flush(time.monotonic())
    assert all(sim.panel(seat).visible() == pack(noise(seat)) for seat in (1, 2))
    bell = Bell()
    sim.watch(bell.ring)
    board = open_board(profile, sim.adapters, line_pins(sim.lines, time.monotonic), clock=time.monotonic)
    board.start()
    bell.wait_until(lambda: all(sim.panel(seat).visible() == BLANK for seat in (1, 2)))
    board.close()


def test_import_opens_nothing_and_warns_of_nothing() -> None:
    """On a computer without GPIO or I2C the drivers are imported without a warning."""
    program = (
        "import drivers.board, drivers.linepins, hardware.sim.tree, sys; assert 'luma' not in sys.modules"
    )
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stderr) == (0, "")
