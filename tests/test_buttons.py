"""A seat's buttons and lamp through gpiozero, on simulated lines whose contacts bounce."""

import random
import warnings
from itertools import pairwise

import pytest
from gpiozero import Device, GPIOPinInUse
from gpiozero.exc import PinInvalidPin
from hypothesis import given, settings
from hypothesis import strategies as st
from rig_hardware import Rig

from drivers.buttons import GOOD_SECONDS, PinButtons, PinLamp
from drivers.linepins import line_pins
from hardware.profile import load_profile, parse_profile
from hardware.seat import Button, Edge
from hardware.sim.lines import SimLine
from hardware.sim.tree import SimBoard

PINS = {Button.LEFT: 5, Button.RIGHT: 6, Button.MARK: 13, Button.PLAY: 19}


class Lines:
    """Four lines and a seat's buttons on them, in virtual time."""

    def __init__(self, *, down: tuple[Button, ...] = (), active_low: bool = True) -> None:
        self.now = 10.0
        self.lines = {pin: SimLine(pin, contact_level=not active_low) for pin in PINS.values()}
        for button in down:
            self.lines[PINS[button]].touch(True, self.now)
        self.factory = line_pins(self.lines, lambda: self.now)
        self.buttons = PinButtons(3, PINS, self.factory, active_low=active_low, settle_ms=15)

    def touch(self, button: Button, closed: bool) -> None:
        """The contact closes or opens now."""
        self.lines[PINS[button]].touch(closed, self.now)

    def run(self, seconds: float) -> list[Edge]:
        """Poll at each deadline for so long."""
        end = self.now + seconds
        edges = self.buttons.poll(self.now)
        while self.now < end:
            self.now = min(end, self.buttons.deadline())
            edges += self.buttons.poll(self.now)
        return edges


def said(edges: list[Edge]) -> list[tuple[Button, bool]]:
    """Buttons and directions."""
    return [(edge.button, edge.down) for edge in edges]


def test_press_and_release() -> None:
    """A stroke gives a press and a release of its seat and button, timed from when the contact held."""
    lines = Lines()
    lines.touch(Button.MARK, True)
    assert lines.run(0.1) == [Edge(3, Button.MARK, True, 10.0)]
    lines.touch(Button.MARK, False)
    assert lines.run(0.1) == [Edge(3, Button.MARK, False, 10.1)]


def test_wired_to_the_supply() -> None:
    """With buttons that pull their pin high, pressed is high."""
    lines = Lines(active_low=False)
    assert lines.lines[5].pull == "down"
    lines.touch(Button.LEFT, True)
    assert said(lines.run(0.1)) == [(Button.LEFT, True)]


def test_stuck_from_the_start() -> None:
    """A button that is down at the start is named as stuck, and ignored until released once."""
    lines = Lines(down=(Button.PLAY,))
    assert lines.run(1.0) == []
    assert lines.buttons.stuck == (Button.PLAY,)
    lines.touch(Button.PLAY, False)
    assert lines.run(1.0) == []
    assert lines.buttons.stuck == ()
    lines.touch(Button.PLAY, True)
    assert said(lines.run(1.0)) == [(Button.PLAY, True)]


def test_chord_keeps_order() -> None:
    """Buttons pressed one after another while others are held are told in the order of their edges."""
    lines = Lines()
    edges = []
    for button in (Button.PLAY, Button.LEFT, Button.MARK):
        lines.touch(button, True)
        edges += lines.run(0.004)
    for button in (Button.LEFT, Button.PLAY, Button.MARK):
        edges += lines.run(0.05)
        lines.touch(button, False)
    edges += lines.run(0.1)
    assert said(edges) == [
        *((button, True) for button in (Button.PLAY, Button.LEFT, Button.MARK)),
        *((button, False) for button in (Button.LEFT, Button.PLAY, Button.MARK)),
    ]


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), bounce_ms=st.floats(0, 10))
def test_random_strokes_through_everything(seed: int, bounce_ms: float) -> None:
    """Strokes of 40 ms and more, bouncing up to 10 ms, at all seats at once: told once each."""
    chance = random.Random(seed)
    rig = Rig(bounce_ms=bounce_ms, seed=seed)
    rig.step()
    edges: list[Edge] = []
    expected: dict[tuple[int, Button], list[bool]] = {}
    for _ in range(15):
        seat, button = chance.randint(1, 6), chance.choice(list(Button))
        strokes = expected.setdefault((seat, button), [])
        if not strokes or not strokes[-1]:
            rig.sim.press(seat, button)
            strokes.append(True)
        else:
            rig.sim.release(seat, button)
            strokes.append(False)
        edges += rig.run(chance.uniform(0, 0.1))
    edges += rig.run(1.0)
    heard: dict[tuple[int, Button], list[bool]] = {}
    for edge in edges:
        heard.setdefault((edge.seat, edge.button), []).append(edge.down)
    assert heard == expected
    for seat in range(1, 7):
        times = [edge.at for edge in edges if edge.seat == seat]
        assert all(one <= other for one, other in pairwise(times))


def test_lost_edge_is_made_good() -> None:
    """A release whose edge never arrives is noticed by the look at the level, within 100 ms."""
    lines = Lines()
    lines.touch(Button.LEFT, True)
    lines.run(0.1)
    lines.lines[5]._watcher = None
    lines.touch(Button.LEFT, False)
    assert said(lines.run(0.1)) == [(Button.LEFT, False)]


def test_looks_are_rare() -> None:
    """An idle seat asks to be polled some thirteen times a second, no more."""
    lines = Lines()
    polls = 0
    while lines.now < 20.0:
        lines.now = lines.buttons.deadline()
        assert lines.buttons.poll(lines.now) == []
        polls += 1
    assert polls == pytest.approx(10.0 / (GOOD_SECONDS - 0.015), abs=2)


def test_callbacks_only_note() -> None:
    """An edge wakes the listener and waits for the poll: nothing else happens in the callback's thread."""
    lines = Lines()
    woken: list[int] = []
    lines.buttons.listen(lambda: woken.append(1))
    lines.touch(Button.LEFT, True)
    assert woken == [1]
    assert len(lines.buttons.noted) == 1
    assert lines.buttons.poll(lines.now) == []
    assert said(lines.run(0.02)) == [(Button.LEFT, True)]


def test_a_listener_that_raises_loses_no_press() -> None:
    """Whatever a listener does in the callback's thread, this press and later ones of all pins arrive."""
    lines = Lines()

    def broken() -> None:
        raise RuntimeError("no current event loop")

    lines.buttons.listen(broken)
    for button in Button:
        with pytest.raises(RuntimeError):
            lines.touch(button, True)
        assert said(lines.run(0.1)) == [(button, True)]


def test_a_table_that_stood_still_gets_all_presses() -> None:
    """After five seconds without a poll all strokes made meanwhile arrive, in order and with their times."""
    lines = Lines()
    strokes = []
    for number in range(20):
        button = list(Button)[number % 4]
        lines.now += 0.2
        strokes.append((button, True, lines.now))
        lines.touch(button, True)
        lines.now += 0.05
        strokes.append((button, False, lines.now))
        lines.touch(button, False)
    lines.now += 0.02
    edges = lines.buttons.poll(lines.now)
    assert [(edge.button, edge.down, edge.at) for edge in edges] == strokes


def test_foreign_clock_is_not_trusted() -> None:
    """An edge whose time is not of our clock counts from when it was heard."""
    lines = Lines()
    lines.lines[5].touch(True, 1_700_000_000.0)
    assert lines.run(0.1) == [Edge(3, Button.LEFT, True, 10.0)]


def test_burst_keeps_order() -> None:
    """A thousand presses that arrive at one poll are told in order, each once."""
    lines = Lines()
    for number in range(1000):
        lines.now = 11.0 + number * 0.05
        lines.touch(Button.PLAY, True)
        lines.now += 0.025
        lines.touch(Button.PLAY, False)
    edges = lines.run(0.1)
    assert [edge.down for edge in edges] == [True, False] * 1000
    assert [edge.at for edge in edges] == sorted(edge.at for edge in edges)


def test_pin_in_use() -> None:
    """A pin that somebody else has is refused by name, and the pins taken before it are let go."""
    lines = Lines()
    lines.buttons.close()
    other = PinLamp(19, lines.factory)
    with pytest.raises(GPIOPinInUse, match="19"):
        PinButtons(1, PINS, lines.factory)
    other.close()
    PinButtons(1, PINS, lines.factory).close()


def test_pin_without_a_line() -> None:
    """A pin to which nothing is wired is refused."""
    lines = Lines()
    with pytest.raises(PinInvalidPin, match="nothing is wired to GPIO4"):
        PinLamp(4, lines.factory)


def test_close_lets_pins_go() -> None:
    """Closed twice without harm; the lines float again and are no longer watched."""
    lines = Lines()
    lines.buttons.close()
    lines.buttons.close()
    assert all(line.pull == "floating" and line.driven is None for line in lines.lines.values())
    assert all(line._watcher is None for line in lines.lines.values())
    lines.touch(Button.LEFT, True)
    assert len(lines.buttons.noted) == 0


def test_lamp() -> None:
    """A lamp is off at first, drives its line high while on, and is off and let go when closed."""
    line = SimLine(12)
    lamp = PinLamp(12, line_pins({12: line}, lambda: 0.0))
    assert line.driven is False
    lamp.set(True)
    assert line.driven is True
    lamp.set(False)
    assert line.driven is False
    lamp.set(True)
    lamp.close()
    lamp.close()
    assert line.driven is None


def test_gpiozero_never_chooses_a_factory() -> None:
    """No default pin factory is looked for, so that a computer without GPIO warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Rig().run(1.0)
    assert Device.pin_factory is None


def test_active_high_board() -> None:
    """A profile with active = "high" works the same on a board wired so."""
    text = 'active = "high"\n' + (
        'title = "High"\n[buses.main]\nnumber = 1\n'
        '[[seats]]\nlabel = "1"\nscreen = { chip = "ssd1306", bus = "main", address = 0x3C }\n'
        "buttons = { left = 5, right = 6, mark = 13, play = 19 }\n"
        '[[seats]]\nlabel = "2"\nscreen = { chip = "ssd1306", bus = "main", address = 0x3D }\n'
        "buttons = { left = 21, right = 20, mark = 16, play = 12 }\n"
    )
    rig = Rig(parse_profile(text, "high.toml"))
    rig.sim.press(2, Button.RIGHT)
    assert said(rig.run(0.1)) == [(Button.RIGHT, True)]


def test_simulated_board_has_a_line_for_each_pin() -> None:
    """Every pin of a profile is on the simulated board, buttons and lamps."""
    board = SimBoard(load_profile("direct-2"))
    assert sorted(board.lines) == [5, 6, 12, 13, 16, 19, 20, 21, 25, 26]
