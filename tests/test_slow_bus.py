"""A bus at 100 kHz, as a Raspberry Pi has it unless it is told otherwise: the table is slower, and plays."""

import errno

import msgspec
import pytest
from PIL import ImageChops
from rig_hardware import Rig, noise

from hardware.bus import TIMEOUT_SECONDS
from hardware.profile import load_profile
from hardware.seat import Button

BOARDS = ["direct-6", "direct-6-usermux", "expander-6", "direct-2"]
SLOW_HZ = 100_000


def slow_rig(board: str) -> Rig:
    """A board whose profile says 400 kHz, on a bus that does not know of it; every panel has a picture."""
    rig = Rig(board, refresh=8.0, bounce_ms=0)
    rig.bus.speed = SLOW_HZ
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.run(1.0)
    assert {seat: rig.visible(seat) for seat in shown} == shown
    return rig


def until_shown(rig: Rig, seat: int, frame: bytes) -> float:
    """Seconds until a seat shows a frame, on the wires' own time."""
    seen: list[float] = []
    rig.sim._changed[:] = [lambda _: seen.append(rig.now) if rig.visible(seat) == frame else None]
    began = rig.now
    while not seen:
        rig.step()
        assert rig.now - began < 2
    return seen[0] - began


@pytest.mark.parametrize("board", BOARDS)
def test_frames_are_bit_exact(board: str) -> None:
    """Whatever is drawn is shown, bit for bit, and no piece of a frame takes as long as the adapter waits."""
    rig = slow_rig(board)
    took: list[float] = []
    passed = rig.bus._passed
    assert passed is not None

    def note(seconds: float) -> None:
        took.append(seconds)
        passed(seconds)

    rig.bus._passed = note
    for number in range(10):
        shown = {seat: rig.show(seat, noise(10 * number + seat)) for seat in rig.board.seats}
        rig.run(1.0)
        assert {seat: rig.visible(seat) for seat in shown} == shown
        assert [seat.fault for seat in rig.board.seats.values() if seat.fault] == []
    assert max(took) <= 0.7 * TIMEOUT_SECONDS
    assert rig.bus.traffic.failed == 0


@pytest.mark.parametrize("board", ["direct-6-usermux", "expander-6", "direct-2"])
@pytest.mark.parametrize("hangs", [False, True])
def test_a_small_change_waits_for_no_whole_frame(board: str, hangs: bool) -> None:
    """A frame takes 93 ms, or a panel hangs: another seat's cursor moves within 100 ms all the same."""
    rig = slow_rig(board)
    if hangs:
        rig.bus.fail(errno.ETIMEDOUT, device=rig.sim.panel(1), skip=2)
    for number in range(20):
        rig.show(1, noise(100 + number))
        moved = noise(2)
        moved.paste(ImageChops.invert(moved.crop((8 * number % 64, 48, 8 * number % 64 + 8, 64))), (8, 48))
        assert until_shown(rig, 2, rig.show(2, moved)) <= 0.1
        rig.run(0.3)


def test_every_stroke_is_seen() -> None:
    """Presses of 40 ms on the expanders come through while all panels are painted without end."""
    rig = slow_rig("expander-6")
    pressed = 0
    for number in range(60):
        for seat in rig.board.seats:
            rig.show(seat, noise(100 * number + seat))
        seat = 1 + number % 6
        rig.sim.press(seat, Button.MARK)
        edges = rig.run(0.04)
        rig.sim.release(seat, Button.MARK)
        edges += rig.run(0.16)
        assert [(edge.seat, edge.down) for edge in edges] == [(seat, True), (seat, False)]
        pressed += 1
    assert pressed == 60


def test_a_profile_that_knows_it_gets_smaller_pieces() -> None:
    """At 10 kHz, the slowest that a profile may say, the adapter has time for each piece, too."""
    profile = load_profile("direct-2")
    slow = {name: msgspec.structs.replace(bus, speed=10_000) for name, bus in profile.buses.items()}
    rig = Rig(msgspec.structs.replace(profile, buses=slow))
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.run(10.0)
    assert {seat: rig.visible(seat) for seat in shown} == shown
    assert rig.bus.traffic.failed == 0
