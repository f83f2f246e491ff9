"""Bus time for chips in trouble: how much there is, and what those that work have of it."""

import errno
import sys
import threading
from itertools import combinations

import pytest
from rig_hardware import Bell, Rig, noise

from drivers.allowance import ALLOWANCE_SECONDS, WINDOW_SECONDS, Allowance, Queue
from hardware.bus import TIMEOUT_SECONDS


class Clock:
    """Virtual time."""

    now = 100.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def test_it_is_used_up_and_comes_back() -> None:
    """Small amounts add up; what was taken a window ago counts no more."""
    clock = Clock()
    allowance = Allowance(clock)
    assert not allowance.used
    for _ in range(2):
        allowance.spend(0.4 * ALLOWANCE_SECONDS)
        clock.now += 0.25 * WINDOW_SECONDS
        assert not allowance.used
    allowance.spend(0.4 * ALLOWANCE_SECONDS)
    assert allowance.used
    assert allowance.free_at == pytest.approx(100.0 + WINDOW_SECONDS)
    clock.now = allowance.free_at
    allowance.spend(0.1 * ALLOWANCE_SECONDS)
    assert not allowance.used


def test_one_turn_at_a_time() -> None:
    """While one chip in trouble has its turn no other on the trunk gets one."""
    allowance = Allowance(Clock())
    with allowance.turn() as mine, allowance.turn() as other:
        assert (mine, other) == (True, False)
    with allowance.turn() as mine:
        assert mine


def test_the_wires_are_handed_on() -> None:
    """Who lets them go and asks again comes after those that have waited meanwhile."""
    wires = Queue()
    order: list[str] = []

    def other() -> None:
        with wires:
            order.append("other")

    thread = threading.Thread(target=other)
    with wires:
        thread.start()
        while not wires._waiting:
            pass
    with wires:
        order.append("again")
    thread.join()
    assert order == ["other", "again"]


@pytest.mark.parametrize("board", ["direct-6", "direct-6-usermux", "expander-6"])
def test_two_that_hang_at_once(board: str) -> None:
    """Two panels hang in the same round: each costs one time-out at once, and never again both together."""
    for first, second in combinations((1, 2, 3, 5), 2):
        rig = Rig(board, refresh=8.0, bounce_ms=0)
        rig.run(1.0)
        for seat in (first, second):
            rig.bus.fail(errno.ETIMEDOUT, device=rig.sim.panel(seat), delay=1.0)
        worst = 0.0
        for number in range(60):
            for seat in (first, second):
                rig.show(seat, noise(100 + number))
            frame = rig.show(4, noise(number))
            before, began = rig.bus.traffic.waited, rig.now
            while rig.visible(4) != frame:
                rig.step()
                assert rig.now - began < 1
            lost = rig.bus.traffic.waited - before
            assert lost <= (2 if number == 0 else 1) * TIMEOUT_SECONDS
            worst = max(worst, lost)
            rig.run(0.25)
        assert worst > 0


def test_waiting_for_other_channels_is_no_slowness(request: pytest.FixtureRequest) -> None:
    """Six channels that the kernel drives paint at once, each from its thread: none is taken for slow."""
    rig = Rig("direct-6", bounce_ms=0)
    bell = Bell()
    rig.sim.watch(bell.ring)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # the threads come in each other's way as often as can be
    request.addfinalizer(lambda: sys.setswitchinterval(before))
    rig.board.start()
    for number in range(20):
        shown = {seat: rig.show(seat, noise(10 * number + seat)) for seat in rig.board.seats}
        bell.wait_until(lambda shown=shown: {seat: rig.visible(seat) for seat in shown} == shown)  # type: ignore[misc]
    cares = [care for owner in rig.board._owners for care in owner._screens]
    rig.board.close()
    assert len(cares) == 6
    assert not any(care.slow or care.trouble_at > 0 for care in cares)
