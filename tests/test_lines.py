"""Simulated lines and the simulated board: pulls, contacts that bounce, fingers, lamps."""

import itertools
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.buttons import PinButtons
from drivers.linepins import line_pins
from hardware.profile import load_profile
from hardware.seat import Button
from hardware.sim.lines import SimLine, bounce
from hardware.sim.tree import SimBoard


def test_pull_contact_and_drive() -> None:
    """A contact wins over the pull, an output over both."""
    line = SimLine(4)
    line.set_pull("up")
    assert line.level
    line.touch(True, 1.0)
    assert not line.level
    line.drive(True)
    assert line.level
    line.drive(None)
    line.touch(False, 2.0)
    line.set_pull("down")
    assert not line.level


def test_contact_to_supply() -> None:
    """A button wired to the supply pulls its line high against a pull-down."""
    line = SimLine(4, contact_level=True)
    line.set_pull("down")
    line.touch(True, 0.0)
    assert line.level


def test_unknown_pull() -> None:
    """A pull that does not exist is refused."""
    with pytest.raises(ValueError, match="sideways"):
        SimLine(4).set_pull("sideways")


def test_changes_are_told_once_with_their_time() -> None:
    """Whoever watches hears each change of level with its time, and no repetition."""
    line = SimLine(4)
    line.set_pull("up")
    heard: list[tuple[float, bool]] = []
    line.watch(lambda at, level: heard.append((at, level)))
    for at, closed in [(1.0, True), (1.5, True), (2.0, False)]:
        line.touch(closed, at)
    line.watch(None)
    line.touch(True, 3.0)
    assert heard == [(1.0, False), (2.0, True)]


@given(st.integers(0, 2**32), st.booleans(), st.floats(0, 0.05))
def test_bounce_begins_and_ends_closed(seed: int, closed: bool, seconds: float) -> None:
    """A bounce train starts at once, alternates, stays within its time and ends where it should."""
    train = bounce(random.Random(seed), closed, 5.0, seconds)
    assert train[0] == (5.0, closed)
    assert train[-1][1] == closed
    assert all(5.0 <= at <= 5.0 + seconds for at, _ in train)
    assert [at for at, _ in train] == sorted(at for at, _ in train)
    assert all(one[1] != other[1] for one, other in itertools.pairwise(train))


def levels(board: SimBoard, pin: int) -> list[tuple[float, bool]]:
    """Collects the changes of a line."""
    heard: list[tuple[float, bool]] = []
    board.lines[pin].set_pull("up")
    board.lines[pin].watch(lambda at, level: heard.append((at, level)))
    return heard


def test_press_takes_effect_when_time_passes() -> None:
    """A press waits for the board to be advanced, then bounces in time; the board says what is due when."""
    board = SimBoard(load_profile("direct-2"), bounce_ms=8, seed=4)
    heard = levels(board, 5)
    board.press(1, Button.LEFT)
    assert heard == []
    board.advance(10.0)
    assert heard == [(10.0, False)]
    while (due := board.deadline()) is not None:
        board.advance(due)
    assert len(heard) > 2
    assert heard[-1][1] is False
    assert all(at <= 10.008 for at, _ in heard)


def test_fingers_are_slow() -> None:
    """A press and release at one instant become a stroke that a finger can make; the next press waits."""
    board = SimBoard(load_profile("direct-2"), bounce_ms=0, stroke_ms=40)
    heard = levels(board, 5)
    for now in (1.0, 1.05):
        board.advance(now)
        board.press(1, Button.LEFT)
        board.release(1, Button.LEFT)
        board.advance(now)
    board.advance(2.0)
    assert [at for at, _ in heard] == pytest.approx([1.0, 1.04, 1.08, 1.12])
    assert [level for _, level in heard] == [False, True, False, True]


def through(board: SimBoard, end: float) -> int:
    """Advance from deadline to deadline up to ``end``; how often that was."""
    steps = 0
    while (due := board.deadline()) is not None and due <= end:
        board.advance(due)
        steps += 1
    board.advance(end)
    return steps


@pytest.mark.parametrize("gap_ms", [0, 1, 20, 40, 60, 100])
@pytest.mark.parametrize("stroke_ms", [0, 1, 30])
def test_quick_clicks_are_strokes(gap_ms: int, stroke_ms: int) -> None:
    """One click is one stroke, however quick; two are two if a finger can make two, 100 ms apart."""
    board = SimBoard(load_profile("direct-2"), bounce_ms=3)
    now = [1.0]
    buttons = PinButtons(1, {Button.LEFT: 5}, line_pins(board.lines, lambda: now[0]))
    edges: list[bool] = []

    def wait(ms: int) -> None:
        for _ in range(ms):
            now[0] += 0.001
            board.advance(now[0])
            edges.extend(edge.down for edge in buttons.poll(now[0]))

    wait(1)
    for clicks in (1, 2):
        edges.clear()
        for click in range(clicks):
            wait(gap_ms if click else 0)
            board.press(1, Button.LEFT)
            wait(stroke_ms)
            board.release(1, Button.LEFT)
        wait(200)
        if stroke_ms + gap_ms >= 100 or clicks == 1:
            assert edges == [True, False] * clicks
        assert edges in ([True, False], [True, False] * 2)
    buttons.close()


@pytest.mark.parametrize("clocked", [False, True])
def test_a_flood_of_presses_is_no_more_than_a_finger_can_do(clocked: bool) -> None:
    """Of 20,000 presses within a second a finger makes a stroke each 80 ms, and ends with them.

    The other seats' strokes come at once, and each advance has little to do.
    """
    now = [1.0]
    board = SimBoard(load_profile("direct-2"), bounce_ms=3, clock=(lambda: now[0]) if clocked else None)
    heard, other = levels(board, 5), levels(board, 21)
    steps = 0
    for burst in range(20):
        if burst == 10:
            board.press(2, Button.LEFT)
            board.release(2, Button.LEFT)
        for _ in range(1000):
            board.press(1, Button.LEFT)
            board.release(1, Button.LEFT)
        now[0] += 0.05
        steps += through(board, now[0])
    moves = 1 + 1.0 / 0.04
    assert moves * 0.9 <= len({round(at / 0.04) for at, _ in heard}) <= moves + 1
    assert steps <= 9 * (moves + 2)
    assert other[0][0] == pytest.approx(1.5, abs=0.051)
    assert other[-1][0] <= other[0][0] + 0.044
    ended = len(heard)
    through(board, now[0] + 0.1)
    assert board.deadline() is None
    assert heard[-1][1] is True
    assert len(heard) - ended <= 2 * 9
    through(board, now[0] + 1000)
    assert heard[-1][0] <= now[0] + 0.1


@settings(max_examples=200)
@given(st.lists(st.tuples(st.booleans(), st.floats(0, 0.1)), max_size=40), st.booleans())
def test_the_last_wish_holds(wishes: list[tuple[bool, float]], clocked: bool) -> None:
    """Whatever a finger is asked, it is within 0.1 s where it was last asked to be."""
    now = [1.0]
    board = SimBoard(load_profile("direct-2"), bounce_ms=5, clock=(lambda: now[0]) if clocked else None)
    heard = levels(board, 5)
    for down, seconds in wishes:
        (board.press if down else board.release)(1, Button.LEFT)
        now[0] += seconds
        through(board, now[0])
    through(board, now[0] + 0.1)
    assert board.deadline() is None
    assert board.lines[5].closed == bool(wishes and wishes[-1][0])
    assert [at for at, _ in heard] == sorted(at for at, _ in heard)


def test_release_ends_the_bouncing_of_a_press() -> None:
    """A contact that opens while it still bounces from closing ends open."""
    for seed in range(20):
        board = SimBoard(load_profile("direct-2"), bounce_ms=200, stroke_ms=1, seed=seed)
        heard = levels(board, 5)
        board.press(1, Button.LEFT)
        board.advance(1.0)
        board.advance(1.01)
        board.release(1, Button.LEFT)
        board.advance(1.02)
        board.advance(9.0)
        assert heard[-1][1] is True


def test_press_has_its_own_time() -> None:
    """With a clock, a press counts from when the finger went down, not from when the board was advanced."""
    now = [1.0]
    board = SimBoard(load_profile("direct-2"), bounce_ms=0, clock=lambda: now[0])
    heard = levels(board, 5)
    board.press(1, Button.LEFT)
    now[0] = 1.25
    board.release(1, Button.LEFT)
    now[0] = 1.5
    board.advance(1.5)
    assert heard == [(1.0, False), (1.25, True)]


def test_any_thread_may_press() -> None:
    """Presses from several threads all arrive, while another advances; the listener is woken for each."""
    board = SimBoard(load_profile("direct-6-usermux"), bounce_ms=0, stroke_ms=0)
    woken = threading.Semaphore(0)
    board.listen(woken.release)
    pins = {seat: board.profile.seats[seat - 1].buttons.play for seat in range(1, 7)}
    heard = {seat: levels(board, pin) for seat, pin in pins.items() if isinstance(pin, int)}
    made = {seat: threading.Semaphore(0) for seat in heard}

    def tap(seat: int) -> None:
        for _ in range(20):
            for act in (board.press, board.release):
                act(seat, Button.PLAY)
                assert made[seat].acquire(timeout=10)

    threads = [threading.Thread(target=tap, args=(seat,)) for seat in heard]
    for thread in threads:
        thread.start()
    told = dict.fromkeys(heard, 0)
    while sum(told.values()) < 240:
        assert woken.acquire(timeout=10)
        board.advance(0.0)
        for seat, changes in heard.items():
            for _ in range(told[seat], len(changes)):
                made[seat].release()
            told[seat] = len(changes)
    for thread in threads:
        thread.join()
    assert all([level for _, level in changes] == [False, True] * 20 for changes in heard.values())


def test_lamp_follows_its_line() -> None:
    """A lamp is on while its line is driven high; whoever watches is told; a seat without one has None."""
    board = SimBoard(load_profile("direct-2"))
    told: list[int] = []
    board.watch(told.append)
    assert board.lamp(1) is False
    board.lines[26].drive(True)
    assert board.lamp(1) is True
    board.lines[26].drive(None)
    assert board.lamp(1) is False
    assert told == [1, 1]
    assert SimBoard(load_profile("direct-6-usermux")).lamp(1) is None


def test_same_seed_same_board() -> None:
    """Memory at power-up and bounce are the same for the same seed."""

    def made(seed: int) -> tuple[bytes, list[tuple[float, bool]]]:
        board = SimBoard(load_profile("direct-2"), seed=seed, bounce_ms=10)
        heard = levels(board, 5)
        board.press(1, Button.LEFT)
        board.advance(0.0)
        board.advance(1.0)
        return board.panel(1).memory(), heard

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_replugged_panel_starts_dark() -> None:
    """A panel that was pulled and put back is dark, with its set-up lost."""
    board = SimBoard(load_profile("direct-2"))
    board.buses["main"].write(0x3C, b"\x00\x8d\x14\xaf")
    assert board.panel(1).visible() != bytes(1024)
    board.unplug(1)
    assert board.panel(1).visible() == bytes(1024)
    board.plug(1)
    assert board.panel(1).visible() == bytes(1024)
    assert not board.panel(1).lit
