"""A session with hands at its buttons and a time of its own, for tests that need no wires."""

from engine.views import Phase
from firmware.chance import FixedPack, Shuffler, bots
from firmware.table.scenes import GameScene
from firmware.table.session import Session
from hardware.seat import Button, Edge

STROKE_S = 0.08


class Rig:
    """Presses buttons of a session and lets time pass."""

    def __init__(self, seats=(1, 2, 3), *, seed=1, pack=None, chance=None, fill=None, **options):
        self.session = Session(
            seats,
            chance=chance or (FixedPack(pack) if pack else Shuffler(seed)),
            bots=bots(seed),
            fill=fill,
            **options,
        )
        self.now = 10.0
        self.session.tick(self.now)
        self.wait(1.0)

    def wait(self, seconds):
        """Let time pass, timers included."""
        end = self.now + seconds
        while (due := self.session.deadline()) is not None and due <= end:
            self.now = max(due, self.now)
            self.session.tick(self.now)
        self.now = end
        self.session.tick(self.now)

    def down(self, seat, button):
        """A button goes down, now."""
        self.session.edge(Edge(seat, button, True, self.now))

    def up(self, seat, button):
        """A button comes up, now."""
        self.session.edge(Edge(seat, button, False, self.now))

    def press(self, seat, button, stroke_s=STROKE_S, rest_s=0.5):
        """One stroke, and a rest after it."""
        self.down(seat, button)
        self.wait(stroke_s)
        self.up(seat, button)
        self.wait(rest_s)

    def scene(self, seat):
        """What the seat's screen shows."""
        return self.session.scene(seat)

    def view(self, seat):
        """The view in the seat's scene."""
        scene = self.scene(seat)
        assert isinstance(scene, GameScene)
        return scene.view

    def sit_and_start(self, *seats):
        """The seats sit down, the first of them starts."""
        for seat in seats:
            self.press(seat, Button.LEFT)
        self.press(seats[0], Button.PLAY)

    def mark(self, seat, cards):
        """Move the cursor to and fro until just these cards are marked."""
        wanted = set(cards) ^ self.scene(seat).picking.marked
        for card in sorted(wanted):
            while self.scene(seat).view.hand[self.scene(seat).picking.cursor] != card:
                self.press(seat, Button.RIGHT, rest_s=0.01)
            self.press(seat, Button.MARK)

    def move_on(self):
        """Whoever must press does something legal: deals, keeps all, or plays the first choice."""
        state = self.session.state
        if state.phase is Phase.DEAL:
            self.press(state.dealer, Button.PLAY)
        elif state.phase is Phase.EXCHANGE:
            self.press(state.turn, Button.PLAY)
        else:
            seat = state.turn
            if self.scene(seat).looks:
                self.press(seat, Button.RIGHT, rest_s=0.01)
            self.mark(seat, self.view(seat).choices[0].cards)
            self.press(seat, Button.PLAY)

    def play_to(self, phase):
        """Move on until the game waits for this phase, or is over."""
        while self.session.state.phase not in (phase, Phase.OVER):
            self.move_on()
