"""Whole hands and games in a real browser: the page's buttons and keys in, the page's canvases out."""

import threading

import pytest
from conftest import WAIT_S
from screen_reader import read
from test_browser_page import button, middle, wait_for_picture

from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.finished import MemoryGames
from firmware.simulation import Simulation
from firmware.simulator import Shown
from firmware.table.session import Session
from firmware.table.words import catalogue
from firmware.web.server import serve
from hardware.profile import load_profile

pytestmark = pytest.mark.browser


class Game:
    """A simulated table behind the real server; its time goes on only when the test says so."""

    def __init__(self, board, start, *, seed, **options):
        profile = load_profile(board)
        self.seats = tuple(seat.number for seat in profile.seats)
        self.session = Session(self.seats, chance=Shuffler(seed), bots=bots(seed), **options)
        self.simulation = Simulation(profile, self.session, catalogue(), seed=seed)
        self.wires = self.simulation.wires
        self._arrived = threading.Event()
        self.wires.listen(self._arrived.set)
        self.wait(1.0)
        shown = Shown(self.wires)
        self.address = start(
            lambda ready, stop: serve(shown, MemoryGames(), port=0, ready=ready, stop=stop)
        ).address

    def wait(self, seconds):
        """Let time pass at the table."""
        self.simulation.run_until(self.simulation.now + seconds)

    def stroke(self, down, up, stroke_s=0.08):
        """Do ``down`` on the page, let the stroke's time pass, do ``up``; each has to arrive at the wires."""
        for act, seconds in ((down, stroke_s), (up, 0.5)):
            self._arrived.clear()
            act()
            assert self._arrived.wait(WAIT_S), "the page's press did not arrive"
            self.wait(seconds)

    def see(self, page, seat):
        """What the seat's canvas shows, once it equals the panel's memory bit for bit."""
        memory = self.wires.panel(seat).visible()
        wait_for_picture(page, seat, memory)
        return read(memory)


def test_two_people_play_a_hand_by_clicking(start, open_page):
    """Two seats sit down, deal, exchange and play a whole hand with the mouse.

    Each click is decided by the pixels of the canvas, and every canvas equals its panel's memory.
    """
    game = Game("direct-2", start, seed=3)
    page = open_page(game.address)

    def click(seat, name, stroke_s=0.08):
        page.mouse.move(*middle(button(page, seat, name)))
        game.stroke(page.mouse.down, page.mouse.up, stroke_s)

    for seat in (1, 2):
        assert game.see(page, seat).text(36) == ("Any button: sit down", True)
        click(seat, "mark")
    click(1, "play")
    clicks = exchanged = 0
    while True:
        panels = {seat: game.see(page, seat) for seat in (1, 2)}
        if "keep" in panels[1].title[0] or panels[1].title[0].startswith("Tie"):
            break
        asked = [seat for seat, panel in panels.items() if panel.message[1] or panel.bottom[1]]
        assert len(asked) == 1
        seat = asked[0]
        text = panels[seat].message[0]
        if not panels[seat].hand and not panels[seat].bottom[1]:  # the trick just taken is shown
            click(seat, "left")
        if text.startswith("Exchange"):
            click(seat, "right")
            click(seat, "mark")
            exchanged += 1
        elif text.startswith(("Match", "Play low")):
            click(seat, "mark", 0.8)
        click(seat, "play")
        clicks += 1
    assert exchanged == 2
    assert clicks >= 9
    assert game.session.state.deals == 1
    game.simulation.close()


def test_a_person_plays_a_whole_game_against_three_bots_by_keyboard(start, open_page):
    """One seat is played with the keys that the page shows, to the end of the game."""
    game = Game(
        "direct-6-usermux",
        start,
        seed=8,
        fill={2: "steady", 3: "random", 4: "steady"},
        bot_delay_s=0.1,
        rules=Rules(limit=11),
    )
    page = open_page(game.address)
    page.keyboard.press("1")

    def key(name, stroke_s=0.08):
        game.stroke(lambda: page.keyboard.down(name), lambda: page.keyboard.up(name), stroke_s)

    key("m")
    key("Enter")
    mine = 0
    for _ in range(600):
        seen = game.see(page, 1)
        if seen.title[0].endswith(("wins!", "win!", "the win")):
            break
        text = seen.message[0] if seen.message[1] else ""
        if text.startswith(("Match", "Play low")):
            key("ArrowUp", 0.8)
        if text or seen.bottom == ("You deal: press PLAY", True):
            key("Enter")
            mine += 1
        else:
            game.wait(0.2)
    else:
        pytest.fail("the game does not end")
    assert mine >= 9
    for seat in game.seats:
        game.see(page, seat)
    game.simulation.close()
