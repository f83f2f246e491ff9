"""What a bot is."""

from typing import Protocol

from engine.moves import Exchange, Play
from engine.views import View


class Chance(Protocol):
    """Where a bot gets its chance from; ``random.Random`` is one."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 up to, but not including, ``stop``."""
        ...


class Bot(Protocol):
    """A player by program. It knows what a player at its seat knows, and no more."""

    def choose(self, view: View, /) -> Exchange | Play:
        """A legal action for the seat whose view this is. It must be that seat's turn."""
        ...
