"""The game on the table: every action is applied, stamped and written before anybody sees what it did."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.cards import Card
from engine.game import State, apply, drawing, new_game, undealt, undrawn
from engine.header import parse_player
from engine.moves import Action, Deal, Draw, Event
from engine.notation import Header, Player, action_line, header_text, loads, read_header, replay, result_line
from engine.rules import Rules
from engine.views import Phase
from firmware.table.fairness import Source, counted, seal_of
from hardware.seat import Edge

PRESSES_KEPT = 32
"""Presses before a game that count for its packs: the last so many."""


class Chance(Protocol):
    """Where packs come from."""

    def prepare(self) -> Source:
        """Another game is to come: where its packs will come from."""
        ...

    def resume(self, source: Source, sizes: Sequence[int]) -> None:
        """Go on with a game in which so many cards have been shuffled each time.

        Raise ValueError if it was dealt in another way.
        """
        ...

    def shuffled(self, cards: Sequence[Card], message: str = "") -> tuple[Card, ...]:
        """The same cards in a chance order; ``message`` is what players have added to it."""
        ...


class Journal(Protocol):
    """Where a game is written, before anybody is shown what an action did.

    It never raises, and never blocks for long.
    """

    saving: bool
    """False from a while after the disk has failed until all is written"""

    def date(self) -> str:
        """Date and time of day, for people to read; empty if nobody knows."""
        ...

    def begin(self, text: str, secret: str) -> None:
        """A game begins: its first lines, and the secret that the record will have at the end."""
        ...

    def write(self, *lines: str, closes: bool = False) -> None:
        """Lines of the game, all or none of them; ``closes``: it is over or given up."""
        ...

    def leave(self) -> None:
        """The result of the game that is over has been seen."""
        ...

    def tick(self, now: float) -> bool:
        """Note that time has passed; True if ``saving`` has changed."""
        ...

    def deadline(self) -> float | None:
        """When ``tick`` must be called next."""
        ...


class Log(Protocol):
    """Who follows the games: told of each action before anybody is shown what it did."""

    def begin(self, seats: Sequence[int], rules: Rules) -> None:
        """A game begins."""
        ...

    def append(self, action: Action) -> None:
        """The action was accepted."""
        ...

    def end(self, winners: Sequence[int]) -> None:
        """The game is over."""
        ...


class Unwritten:
    """A journal that keeps nothing, for games that nobody needs again."""

    saving = True

    def date(self) -> str:
        """Nobody knows."""
        return ""

    def begin(self, text: str, secret: str) -> None:
        """Nothing is kept."""

    def write(self, *lines: str, closes: bool = False) -> None:
        """Nothing is kept."""

    def leave(self) -> None:
        """Nothing is kept."""

    def tick(self, now: float) -> bool:
        """Nothing changes."""
        return False

    def deadline(self) -> float | None:
        """Never."""
        return None


@dataclass(frozen=True, slots=True)
class Saved:
    """A game out of the journal: its record so far, and its secret if it has one."""

    text: str = field(repr=False)
    secret: str = field(repr=False)
    over: bool
    """the game has ended, but nobody has left its result yet"""
    deals: int
    """how many deals it has had"""

    def source(self) -> Source:
        """Where its packs come from."""
        header = read_header(self.text)
        return Source(header.commitment, self.secret, header.simulated)

    def players(self) -> tuple[Player, ...]:
        """Who sat where in the end."""
        record = loads(self.text)
        changes = [parse_player(line) for line in record.noted("player")]
        return tuple({player.seat: player for player in (*record.header.players, *changes)}.values())


class SavedGameError(ValueError):
    """A saved game that this table cannot go on with; the message says why."""


class Book:
    """One game after the other. ``state`` is the one that is on, or over; None when there is none."""

    def __init__(self, chance: Chance, journal: Journal, log: Log | None = None) -> None:
        self.state: State | None = None
        self.journal = journal
        self._chance = chance
        self._log = log
        self._source: Source | None = None
        self._since = 0.0
        self._base = 0
        """the stamp of ``_since``"""
        self._presses: deque[str] = deque(maxlen=PRESSES_KEPT)
        self._transcript: list[str] = []
        """lines of the record that count for the packs: presses and actions"""

    @property
    def playing(self) -> bool:
        """Whether a game is on that is not over."""
        return self.state is not None and self.state.phase is not Phase.OVER

    @property
    def seal(self) -> str:
        """The short form of the commitment, of this game or else of the next; empty if it has none."""
        return seal_of(self._source.commitment) if self._source and self._source.commitment else ""

    def ready(self, now: float) -> None:
        """See to it that the next game's packs are committed to before anybody presses for it."""
        if self._source is None:
            self._source = self._chance.prepare()
            self._since, self._base = now, 0
            self._presses.clear()

    def press(self, edge: Edge) -> None:
        """A press before a game counts for its packs."""
        if edge.down and not self.playing and self._source is not None:
            self._presses.append(f"{edge.seat}{edge.button.value[0]}{self._stamp(edge.at)}")

    def begin(self, rules: Rules, players: Sequence[Player], now: float) -> None:
        """A game of these players begins, and the first dealer is drawn for (R4)."""
        self.ready(now)
        assert self._source is not None
        header = Header(
            tuple(player.seat for player in players),
            rules,
            tuple(players),
            version=2,
            began=self.journal.date(),
            commitment=self._source.commitment,
            simulated=self._source.simulated,
        )
        if self._log is not None:
            self._log.begin(header.seats, rules)
        self._transcript = [f"presses {' '.join(self._presses)}"] if self._presses else []
        first = header_text(header) + "".join(self._transcript)
        self.journal.begin(first.removesuffix("\n"), self._source.secret)
        self.state = new_game(header.seats, rules)
        self._draw(now)

    def _draw(self, now: float) -> None:
        """Draw cards for first dealer until one is chosen (R4)."""
        while self.state is not None and self.state.phase is Phase.DRAW:
            pack = self._chance.shuffled(undrawn(self.state), self._message("draw", now))
            self.apply(Draw(pack[: len(drawing(self.state))]), now)

    def deal(self, now: float) -> tuple[Event, ...]:
        """Shuffle and deal."""
        assert self.state is not None
        pack = self._chance.shuffled(undealt(self.state), self._message("deal", now))
        return self.apply(Deal(pack), now)

    def apply(self, action: Action, now: float) -> tuple[Event, ...]:
        """Take an action and write it. Raise IllegalMove, with nothing changed or written, if it is none."""
        assert self.state is not None
        assert self._source is not None
        state, events = apply(self.state, action)
        line = action_line(action, self._stamp(now))
        if self._log is not None:
            self._log.append(action)
            if state.phase is Phase.OVER:
                self._log.end(state.winners)
        self._transcript.append(counted(line))
        if state.phase is Phase.OVER:
            self.journal.write(line, result_line(state), *_reveal(self._source), closes=True)
            self._source = None
            self.ready(now)
        else:
            self.journal.write(line)
        self.state = state
        return events

    def seated(self, player: Player) -> None:
        """Somebody else sits at a seat of the game from here on."""
        if self.playing:
            self.journal.write(str(player))

    def leave(self) -> None:
        """The game that is over is put away."""
        self.journal.leave()
        self.state = None

    def resume(self, saved: Saved, now: float) -> None:
        """Go on with a saved game. Raise SavedGameError if chance cannot."""
        state, stamps = self.check(saved)
        if not saved.over:
            self._source, self._since, self._base = saved.source(), now, max(stamps, default=0)
            self._transcript = [part for line in saved.text.splitlines() if (part := counted(line))]
            self.journal.write("resumed")
        self.state = state
        self._draw(now)

    def check(self, saved: Saved) -> tuple[State, list[int]]:
        """The state of a saved game and its stamps. Raise SavedGameError if chance cannot go on with it."""
        header = read_header(saved.text)
        state = new_game(header.seats, header.rules)
        sizes, stamps = [], []
        for step in replay(saved.text):
            if isinstance(step.action, Draw | Deal):
                sizes.append(len(undrawn(state) if isinstance(step.action, Draw) else undealt(state)))
            state = step.state
            stamps.append(step.at or 0)
        if not saved.over:
            try:
                self._chance.resume(saved.source(), sizes)
            except ValueError as problem:
                raise SavedGameError(f"the saved game cannot go on: {problem}") from problem
        return state, stamps

    def abandon(self, saved: Saved) -> None:
        """Give a saved game up: what it was dealt from is revealed."""
        self.journal.write("abandoned", *_reveal(saved.source()), closes=True)
        self.journal.leave()

    def _stamp(self, now: float) -> int:
        return self._base + max(0, round((now - self._since) * 1_000_000))

    def _message(self, word: str, now: float) -> str:
        """What a shuffle is mixed with: all that was pressed and done so far, and when this was asked for."""
        return "\n".join([*self._transcript, f"@{self._stamp(now)} {word}"])


def _reveal(source: Source) -> tuple[str, ...]:
    return (f"reveal {source.secret}",) if source.secret else ()
