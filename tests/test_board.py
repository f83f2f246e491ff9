"""A profile's whole board: the drivers on simulated wires, used as the table uses it."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from gpiozero import GPIOPinInUse
from rig_hardware import Bell, Rig, noise

from drivers.board import open_board
from drivers.linepins import LinePinFactory
from hardware.frame import BLANK, pack
from hardware.profile import board_names, load_profile, parse_profile
from hardware.seat import Board, Button, Seat
from hardware.sim.tree import SimBoard


@pytest.mark.parametrize("name", board_names())
def test_every_bundled_board(name: str) -> None:
    """Each bundled profile comes to life: seats with labels, their own screens, buttons and lamps."""
    rig = Rig(name)
    board: Board = rig.board
    assert list(board.seats) == [seat.number for seat in rig.profile.seats]
    rig.step()
    shown = {number: rig.show(number, noise(number)) for number in board.seats}
    rig.step()
    for number, seat in board.seats.items():
        assert isinstance(seat, Seat)
        assert seat.label == rig.profile.seats[number - 1].label
        assert rig.visible(number) == shown[number]
        if seat.lamp is not None:
            seat.lamp.set(True)
            assert rig.sim.lamp(number) is True
            seat.lamp.set(False)
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
    """Whoever watches the board is told the seat whose picture changed, once a frame of one window."""
    rig = Rig()
    rig.step()
    told: list[int] = []
    rig.sim.watch(told.append)
    rig.show(4, noise(1))
    rig.step()
    assert told == [4]
    rig.show(4, noise(1))
    rig.step()
    assert told == [4]


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


def test_busy_pin_leaves_nothing_open() -> None:
    """If a pin cannot be had, opening fails by the pin's name and lets all other pins go."""
    profile = load_profile("direct-2")
    sim = SimBoard(profile)
    factory = LinePinFactory(sim.lines, lambda: 0.0)
    first = open_board(profile, sim.adapters, factory, clock=lambda: 0.0)
    with pytest.raises(GPIOPinInUse, match="5"):
        open_board(profile, sim.adapters, factory, clock=lambda: 0.0)
    first.close()
    open_board(profile, sim.adapters, factory, clock=lambda: 0.0).close()


def test_threaded_board() -> None:
    """After start each bus paints from its own thread; flush only wakes it, close ends it."""
    profile = load_profile("direct-2")
    sim = SimBoard(profile, strict=True)
    bell = Bell()
    factory = LinePinFactory(sim.lines, time.monotonic)
    board = open_board(profile, sim.adapters, factory, clock=time.monotonic)
    board.start()
    sim.watch(bell.ring)
    board.seats[2].screen.show(noise(2))
    board.flush(time.monotonic())
    bell.wait_until(lambda: sim.panel(2).visible() == pack(noise(2)))
    board.close()
    assert sim.panel(2).visible() == BLANK
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("bus ")] == []


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
