"""Where the packs of a table come from, and the chance that its bots use."""

import random
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from engine.bots import BOTS, Bot
from engine.cards import PACK, Card, NotationError, cards
from firmware.errors import UsageError
from firmware.streams import shortened
from firmware.table.fairness import Sealed, Source
from firmware.textfile import read_text

LARGEST = 100_000
"""Bytes of a pack's file. The cards take some 200, the rest is for comments."""


class Shuffler:
    """Shuffles repeatably from a seed, or by chance that nobody can check: for simulated games only."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = secrets.SystemRandom() if seed is None else random.Random(seed)
        self._seed = seed
        self._games = 0

    def prepare(self) -> Source:
        """Another game is to come."""
        self._games += 1
        return self._start(self._games)

    def resume(self, source: Source, sizes: Sequence[int]) -> None:
        """Go on with a game in which so many cards have been shuffled each time.

        Raise ValueError if it was not dealt from this seed.
        """
        if self._seed is not None:
            game = source.simulated.removeprefix(f"seed {self._seed} game ")
            if not game.isdigit():
                raise ValueError(f"this game is {source.simulated or 'sealed'}, not of seed {self._seed}")
            self._games = int(game)
            self._start(self._games)
            for size in sizes:
                self._random.sample(range(size), size)

    def _start(self, game: int) -> Source:
        if self._seed is None:
            return Source(simulated="chance")
        self._random = random.Random(self._seed if game == 1 else f"{self._seed} {game}")
        return Source(simulated=f"seed {self._seed} game {game}")

    def shuffled(self, cards: Sequence[Card], message: str = "") -> tuple[Card, ...]:
        """The same cards; every order is as likely as any other. No ``message`` changes it."""
        return tuple(self._random.sample(cards, len(cards)))


def packs(seed: int | None = None) -> Sealed | Shuffler:
    """Where the packs of a table come from: committed to and revealed, or repeatable from a seed."""
    return Sealed(secrets.token_bytes) if seed is None else Shuffler(seed)


def bots(seed: int | None = None) -> dict[str, Callable[[], Bot]]:
    """How to make each bot. All use one source of chance: the operating system's, or a seed's."""
    dice = secrets.SystemRandom() if seed is None else random.Random(seed)
    return {name: partial(make, dice) for name, make in BOTS.items()}


class FixedPack:
    """Deals one and the same pack over and over, for repeatable simulated games: top card first."""

    def __init__(self, pack: Sequence[Card]) -> None:
        self._pack = tuple(pack)

    def prepare(self) -> Source:
        """Another game is to come."""
        return Source(simulated="pack")

    def resume(self, source: Source, sizes: Sequence[int]) -> None:
        """Go on with a game of this pack."""

    def shuffled(self, cards: Sequence[Card], message: str = "") -> tuple[Card, ...]:
        """These cards in the order of the fixed pack."""
        return tuple(card for card in self._pack if card in cards)


def read_pack(path: Path) -> FixedPack:
    """Read a pack from a text file: 52 cards, top first, parted by blanks; ``#`` begins a comment.

    Raise UsageError that names what is wrong.
    """
    text = read_text(path, "pack", LARGEST)
    try:
        pack = cards(" ".join(line.partition("#")[0] for line in text.splitlines()))
    except NotationError as problem:
        raise UsageError(f"{path} is not a pack: {shortened(str(problem), 200)}") from problem
    missing = [str(card) for card in PACK if card not in pack]
    if missing:
        raise UsageError(
            f"{path} is not a whole pack: {len(missing)} cards are missing, {missing[0]} the first of them"
        )
    for players in range(2, 7):
        if not _finds_a_dealer(pack, players):
            raise UsageError(
                f"{path}: {players} players would tie in the draw to its end: swap two cards of its top"
            )
    return FixedPack(pack)


def _finds_a_dealer(pack: tuple[Card, ...], players: int) -> bool:
    """Whether the draw for first dealer (R4) ends before the pack does."""
    top, drawing = 0, players
    while drawing > 1 and top + drawing <= len(pack):
        ranks = [card.rank for card in pack[top : top + drawing]]
        top, drawing = top + drawing, ranks.count(max(ranks))
    return drawing == 1
