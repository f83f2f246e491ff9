"""Whole games through button edges, real drivers and simulated chips, in virtual time."""

import random

import pytest
from screen_reader import read

from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.simulation import Simulation
from firmware.table.screens import draw
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware.frame import pack
from hardware.profile import load_profile
from hardware.seat import Button

ENGLISH = catalogue()


class Table:
    """A simulated table and fingers on its buttons."""

    def __init__(self, board="direct-6-usermux", *, seed=1, **options):
        profile = load_profile(board)
        self.seats = [seat.number for seat in profile.seats]
        self.session = Session(
            self.seats,
            chance=Shuffler(seed),
            bots=bots(seed),
            **options,
        )
        self.simulation = Simulation(profile, self.session, ENGLISH, seed=seed)
        self.wires = self.simulation.wires
        self.wait(1.0)

    def wait(self, seconds):
        """Let time pass."""
        self.simulation.run_until(self.simulation.now + seconds)

    def press(self, seat, button, stroke_s=0.08, rest_s=0.5):
        """A finger's stroke on a button, and a rest."""
        self.wires.press(seat, button)
        self.wait(stroke_s)
        self.wires.release(seat, button)
        self.wait(rest_s)

    def see(self, seat):
        """What shines on the seat's panel."""
        return read(self.wires.panel(seat).visible())

    def transferred(self):
        """Bytes on all buses so far."""
        return sum(bus.traffic.bytes for bus in self.wires.buses.values())


@pytest.fixture
def table():
    """Six seats behind a mux."""
    made = Table()
    yield made
    made.simulation.close()


def test_six_people_play_a_whole_game_by_what_they_see():
    """Six players sit down, start, deal, exchange, lead and follow until somebody wins.

    Each decides by the pixels of the own panel alone, and acts by the own buttons alone.
    """
    table = Table(seed=11)
    for seat in table.seats:
        assert table.see(seat).text(36) == ("Any button: sit down", True)
        table.press(seat, Button.MARK)
    table.press(1, Button.PLAY)
    deals = tricks = idle = 0
    for _ in range(5000):
        panels = {seat: table.see(seat) for seat in table.seats}
        over = panels[1].title[0]
        if over.endswith(("wins!", "win!", "the win")):
            break
        for seat, panel in panels.items():
            text, lit = panel.message
            if panel.bottom == ("You deal: press PLAY", True):
                table.press(seat, Button.PLAY)
                deals += 1
                break
            if not lit:
                continue
            if text.startswith("Exchange"):
                table.press(seat, Button.PLAY)
            elif "lead" in text:
                if not panel.hand:  # the trick just taken is shown
                    table.press(seat, Button.LEFT)
                    assert table.see(seat).hand
                table.press(seat, Button.PLAY)
                tricks += 1
            elif text.startswith(("Match", "Play low")):
                table.press(seat, Button.MARK, stroke_s=0.8)
                table.press(seat, Button.PLAY)
            elif text.startswith("Final"):
                assert len(panel.hand) == 1
                table.press(seat, Button.PLAY)
            else:
                pytest.fail(f"seat {seat} does not know what to do: {text!r}")
            break
        else:
            assert idle < 5, f"nobody is asked to do anything: {[panel.message for panel in panels.values()]}"
            idle += 1
            table.wait(1.0)  # a notice may cover the message for a while
            continue
        idle = 0
    else:
        pytest.fail("the game does not end")
    assert deals >= 3
    assert tricks > deals
    winners = [seat for seat, panel in panels.items() if panel.title[0] in ("You win!", over)]
    assert winners
    table.simulation.close()


@pytest.mark.parametrize("board", ["direct-6-usermux", "direct-2"])
def test_panels_hold_the_image_drawn_bit_for_bit(board):
    """After every step of a game each panel shows exactly the picture of its seat's scene."""
    table = Table(board, seed=3, rules=Rules(limit=10))
    for seat in table.seats:
        table.press(seat, Button.LEFT)
    dice = random.Random(5)
    for step in range(150):
        seat, button = (
            (1, Button.PLAY) if step == 0 else (dice.choice(table.seats), dice.choice(list(Button)))
        )
        table.press(seat, button, rest_s=dice.choice([0.01, 0.5]))
        for seat in table.seats:
            assert table.wires.panel(seat).visible() == pack(draw(table.session.scene(seat), ENGLISH))
    table.simulation.close()


def test_lamps_follow_the_turn():
    """On a board with lamps just the lamp of the seat that must act is lit."""
    table = Table("direct-2", seed=2)
    assert [table.wires.lamp(seat) for seat in (1, 2)] == [False, False]
    for seat in (1, 2):
        table.press(seat, Button.LEFT)
    table.press(1, Button.PLAY)
    for _ in range(12):
        lit = [seat for seat in (1, 2) if table.wires.lamp(seat)]
        assert len(lit) == 1
        assert table.session.lamp(lit[0])
        table.press(lit[0], Button.PLAY)
    table.simulation.close()


def test_a_table_at_rest_sends_nothing(table):
    """When nobody presses, not a byte goes over the wires."""
    for seat in (1, 2):
        table.press(seat, Button.LEFT)
    table.press(1, Button.PLAY)
    before = table.transferred()
    table.wait(60.0)
    assert table.transferred() == before


def test_six_panels_start_within_their_budget():
    """From power-up to six pictures, set-up and darkening apart: at most 6,300 bytes."""
    table = Table()
    before = table.transferred()
    for seat in table.seats:
        table.press(seat, Button.LEFT, rest_s=0.0)
    for seat in table.seats:
        table.simulation.board.seats[seat].screen.show(
            draw(table.session.scene(seat), ENGLISH).point(lambda value: 255 - value)
        )
    start = table.transferred()
    assert start >= before
    table.simulation.board.flush(table.simulation.now)
    assert 0 < table.transferred() - start <= 6300
    table.simulation.close()


def test_a_move_of_the_cursor_takes_at_most_100_bytes():
    """In a hand of 11 cards a step of the cursor costs at most 100 bytes, mux select included."""
    table = Table("direct-6-usermux", seed=4, rules=Rules(first_hand=11))
    for seat in (1, 2):
        table.press(seat, Button.LEFT)
    table.press(1, Button.PLAY)
    dealer = next(seat for seat in (1, 2) if table.session.lamp(seat))
    table.press(dealer, Button.PLAY)
    seat = table.session.state.turn
    for _ in range(14):
        before = table.transferred()
        table.press(seat, Button.RIGHT)
        assert 0 < table.transferred() - before <= 100
    table.simulation.close()


def test_bouncing_contacts_never_act_twice():
    """With contacts that bounce for 10 ms each stroke still moves the cursor by one."""
    table = Table("direct-2", seed=6)
    for seat in (1, 2):
        table.press(seat, Button.LEFT)
    table.press(1, Button.PLAY)
    table.press(next(seat for seat in (1, 2) if table.session.lamp(seat)), Button.PLAY)
    for step in range(1, 30):
        table.press(1, Button.RIGHT, rest_s=0.1)
        assert table.session.scene(1).picking.cursor == step % 7
    table.simulation.close()


def test_an_unplugged_panel_is_named_and_comes_back(table):
    """The others see which seat has a fault; plugged in again, it shows its picture by itself within 10 s."""
    for seat in table.seats:
        table.press(seat, Button.LEFT)
    table.press(1, Button.PLAY)
    table.wires.unplug(3)
    dealer = table.session.state.dealer
    table.press(dealer, Button.PLAY)
    table.press(table.session.state.turn, Button.PLAY)
    assert table.session.scene(1).faults == (3,)
    table.wires.plug(3)
    table.wait(10.0)
    assert table.session.scene(1).faults == ()
    for seat in table.seats:
        assert table.wires.panel(seat).visible() == pack(draw(table.session.scene(seat), ENGLISH))


def test_seats_whose_buttons_fail_are_named_and_come_back():
    """Without their expander three seats have a fault, and their screens go on; plugged in, they play."""
    table = Table("expander-6")
    for seat in table.seats:
        table.press(seat, Button.LEFT)
    expander = table.wires.expanders["b"]
    expander.connected = False
    table.wait(2.0)
    assert table.session.scene(1).faults == (4, 5, 6)
    expander.power_on_reset()
    expander.connected = True
    table.wait(2.0)
    assert table.session.scene(1).faults == ()
    table.press(5, Button.PLAY)
    assert table.session.state is not None
    for seat in table.seats:
        assert table.wires.panel(seat).visible() == pack(draw(table.session.scene(seat), ENGLISH))


def test_screens_are_dimmed_and_go_dark_when_nobody_presses(table):
    """After 5 minutes all panels are dim, after 15 dark; nothing else changes."""
    for seat in (1, 2):
        table.press(seat, Button.LEFT)
    bright = {seat: table.wires.panel(seat).contrast for seat in table.seats}
    table.wait(298.0)
    assert {seat: table.wires.panel(seat).contrast for seat in table.seats} == bright
    table.wait(5.0)
    assert all(table.wires.panel(seat).contrast < bright[seat] / 4 for seat in table.seats)
    assert all(table.wires.panel(seat).lit for seat in table.seats)
    table.wait(600.0)
    assert not any(table.wires.panel(seat).lit for seat in table.seats)


@pytest.mark.parametrize("idle_s", [301.0, 901.0])
@pytest.mark.parametrize("button", [Button.PLAY, Button.LEFT])
def test_the_press_that_wakes_the_screens_does_nothing_else(table, button, idle_s):
    """The first press makes all panels as bright as before, and is no action; the second is one."""
    for seat in (1, 2):
        table.press(seat, Button.LEFT)
    bright = table.wires.panel(1).contrast
    before = {seat: table.session.scene(seat) for seat in table.seats}
    table.wait(idle_s)
    table.press(1, button)
    assert {seat: table.session.scene(seat) for seat in table.seats} == before
    for seat in table.seats:
        panel = table.wires.panel(seat)
        assert panel.lit
        assert panel.contrast == bright
        assert panel.visible() == pack(draw(before[seat], ENGLISH))
    table.press(1, Button.PLAY)
    assert table.session.state is not None


def test_a_bot_that_plays_on_does_not_wake_the_screens():
    """A table of bots alone goes dark as well, and what its panels keep in memory follows the game."""
    table = Table("direct-2", fill={1: "random", 2: "random"}, bot_delay_s=1.0)
    table.wait(1000.0)
    assert not any(table.wires.panel(seat).lit for seat in table.seats)
    table.press(1, Button.LEFT)
    for seat in table.seats:
        assert table.wires.panel(seat).visible() == pack(draw(table.session.scene(seat), ENGLISH))
    table.simulation.close()
