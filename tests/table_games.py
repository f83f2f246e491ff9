"""Whole games at a session without wires, and the records that they leave."""

from table_rig import Rig

from engine.rules import Rules
from engine.views import Phase
from firmware.table.fairness import Sealed
from hardware.seat import Button


class Kept:
    """A journal in memory: ``records`` are the games' texts, ``secrets`` what each was dealt from."""

    saving = True

    def __init__(self):
        self.games = []
        self.secrets = []
        self.closed = []

    @property
    def records(self):
        """One text a game."""
        return ["\n".join(lines) + "\n" for lines in self.games]

    def date(self):
        return "2026-03-01T19:05:00+01:00"

    def begin(self, text, secret):
        self.games.append([text])
        self.secrets.append(secret)
        self.closed.append(False)

    def write(self, *lines, closes=False):
        self.games[-1] += lines
        self.closed[-1] |= closes

    def leave(self):
        pass

    def tick(self, now):
        return False

    def deadline(self):
        return None


def sealed(seed):
    """Fair chance whose entropy repeats."""
    made = iter(range(1000))
    return Sealed(lambda count: (seed * 1000 + next(made)).to_bytes(count, "big"))


def play(seed=1, *, seats=(1, 2, 3), rules=Rules(limit=12), journal=None, games=1, **options):  # noqa: B008
    """Games from the first press to the end: the rig, its journal kept."""
    kept = journal or Kept()
    rig = Rig(seats, chance=sealed(seed), journal=kept, rules=rules, **options)
    rig.sit_and_start(*seats)
    for game in range(games):
        if game:
            rig.press(seats[0], Button.PLAY)
        while rig.session.state.phase is not Phase.OVER:
            rig.move_on()
    return rig, kept
