"""Who sits where: players, and bots by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.bots import Bot
from engine.notation import Player
from firmware.table.scenes import Sitter

PERSON = "person"
"""What a record calls a player who is no bot."""


class Seating:
    """The places of a table, clockwise.

    ``bots``: names of bots and how to make one; ``bot``: which one sits down; ``fill``: who sits first.
    """

    def __init__(
        self,
        seats: Sequence[int],
        bots: Mapping[str, Callable[[], Bot]],
        bot: str,
        fill: Mapping[int, str],
    ) -> None:
        self.seats = tuple(seats)
        self.players: set[int] = set()
        self.bots: dict[int, Bot] = {}
        self._names: dict[int, str] = {}
        self._make = bots
        self._bot = bot
        for seat, name in fill.items():
            self._place(seat, name)

    def sitter(self, seat: int) -> Sitter:
        """Who is at this seat."""
        if seat in self.players:
            return Sitter.PLAYER
        return Sitter.BOT if seat in self.bots else Sitter.NOBODY

    def taken(self) -> tuple[int, ...]:
        """The seats where somebody sits."""
        return tuple(seat for seat in self.seats if self.sitter(seat) is not Sitter.NOBODY)

    def player(self, seat: int) -> Player:
        """Who sits at a taken seat, as a record says it."""
        return Player(seat, PERSON if seat in self.players else self._names[seat])

    def sit(self, seat: int) -> None:
        """A player sits down, in the place of a bot if there is one."""
        self.bots.pop(seat, None)
        self.players.add(seat)

    def stand(self, seat: int) -> None:
        """The player leaves."""
        self.players.discard(seat)

    def put_bot(self, seat: int) -> None:
        """A bot sits down in the place of whoever sat there."""
        self._place(seat, self._bot)

    def add_bot(self) -> bool:
        """A bot sits down at the first free seat; False if there is none."""
        free = [seat for seat in self.seats if self.sitter(seat) is Sitter.NOBODY]
        if free:
            self.put_bot(free[0])
        return bool(free)

    def remove_bot(self) -> None:
        """The bot at the highest seat goes, if there is one."""
        if self.bots:
            del self.bots[max(self.bots)]

    def restore(self, players: Iterable[Player]) -> None:
        """Everybody sits as they did; a bot whose name is not known any more is the usual one."""
        for player in players:
            if player.kind == PERSON:
                self.sit(player.seat)
            else:
                self._place(player.seat, player.kind if player.kind in self._make else self._bot)

    def _place(self, seat: int, name: str) -> None:
        self.players.discard(seat)
        self.bots[seat] = self._make[name]()
        self._names[seat] = name
