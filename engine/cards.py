"""Cards, their ranks and suits, and the pack of 52."""

from typing import NamedTuple

JACK, QUEEN, KING, ACE = 11, 12, 13, 14
RANKS = tuple(range(2, ACE + 1))
"""Ranks, low to high (R1): 2 to 10, then jack, queen, king, ace."""

SUITS = "cdhs"
"""Clubs, diamonds, hearts, spades: for people to look at. No rule reads a suit (R1)."""

_LETTERS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
RANK_LETTERS = dict(zip(RANKS, _LETTERS, strict=True))
_RANK_OF = {letter: rank for rank, letter in RANK_LETTERS.items()}


class NotationError(ValueError):
    """A text that does not say what it should; the message names the place and what was expected.

    ``line`` is the line of a record, 1 for the first; None for a text that is a line or less.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class Card(NamedTuple):
    """One card. Cards sort by rank, then by suit. Equal cards are the same card: a pack holds one of each."""

    rank: int
    suit: str

    def __str__(self) -> str:
        """The card as written in records: rank letter and suit letter, as in ``10h`` or ``As``."""
        return f"{RANK_LETTERS.get(self.rank, self.rank)}{self.suit}"


def card(text: str) -> Card:
    """Read one card, as in ``10h`` or ``As``. Raise NotationError for anything else."""
    rank = _RANK_OF.get(text[:-1])
    if rank is None or text[-1] not in SUITS:
        raise NotationError(
            f"{text!r} is not a card: write a rank (2 to 10, J, Q, K, A) and a suit ({', '.join(SUITS)})"
        )
    return Card(rank, text[-1])


def cards(text: str) -> tuple[Card, ...]:
    """Read cards parted by blanks, in that order. Raise NotationError if one is no card or stands twice."""
    found = tuple(card(word) for word in text.split())
    if len(set(found)) != len(found):
        raise NotationError(f"a card stands twice in {text!r}")
    return found


PACK = tuple(Card(rank, suit) for rank in RANKS for suit in SUITS)
"""All 52 cards, low to high."""


def points(rank: int) -> int:
    """What a card of this rank counts (R2): 2 to 10 their number, J, Q and K 10, A 11."""
    return rank if rank <= 10 else 11 if rank == ACE else 10
