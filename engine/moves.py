"""Actions that change a game, choices that are open to a seat, and events that an action caused."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.cards import Card

_NOTHING: Mapping[str, object] = MappingProxyType({})


class IllegalMove(ValueError):
    """An action that the rules refuse. No state has changed.

    ``rule`` is the rule's number (``"R14"``); ``reason`` a stable key (``"leave-one"``), one of
    ``engine.refusals.REFUSALS``; ``details`` what its sentence names (``{"count": 2}``; cards as tuples).
    The message says in a player's words what is wrong and what would be right. It may name cards of the hand
    of the seat that acted, and is for that seat alone.
    """

    def __init__(
        self, rule: str, reason: str, message: str, details: Mapping[str, object] = _NOTHING
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.reason = reason
        self.details = details


# Actions. Chance is data: what was drawn or shuffled is part of the action (never a seed).


@dataclass(frozen=True, slots=True)
class Draw:
    """A round of the draw for first dealer (R4): a card for each seat of ``drawing(state)``, in order."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """The shuffled pack, top card first: every card that lies in no score pile, once (R5 to R8)."""

    pack: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A seat's one exchange (R9): these cards away, as many drawn from the stock. No cards: keep all."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """Cards played to a trick, as lead or as follow (R13 to R15), low to high."""

    seat: int
    cards: tuple[Card, ...]


Action = Draw | Deal | Exchange | Play


# Choices: what ``legal_actions`` lists. A Play stands for every play of the same ranks.


@dataclass(frozen=True, slots=True)
class AnyExchange:
    """Any cards of the hand may be exchanged, none included, at most ``at_most`` (R9)."""

    seat: int
    at_most: int


Choice = Play | AnyExchange


# Events: what everybody at the table saw happen. None of them names a hidden card.


@dataclass(frozen=True, slots=True)
class Drawn:
    """The seat drew this card, face up, for first dealer (R4)."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class DealerChosen:
    """This seat deals first (R4), or next as the loser of the hand before (R6)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """Every player in the game got ``size`` cards; ``stock`` are left (R5 to R8)."""

    dealer: int
    size: int
    stock: int


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The seat exchanged ``count`` cards (R9)."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class ExchangePassed:
    """The stock is empty: the seat's exchange passed by itself (R11)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Played:
    """The seat played these cards; ``heads`` if they set, matched or beat the best play (R13, R15)."""

    seat: int
    cards: tuple[Card, ...]
    heads: bool


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """The seat took the trick (R16)."""

    seat: int
    plays: tuple[Played, ...]


@dataclass(frozen=True, slots=True)
class CardKept:
    """The seat keeps this card in its score pile (R18, R19)."""

    seat: int
    card: Card
    points: int


@dataclass(frozen=True, slots=True)
class WentOut:
    """The seat reached the limit (R21)."""

    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game is over; several winners share it (R22, R23)."""

    winners: tuple[int, ...]


Event = (
    Drawn
    | DealerChosen
    | Dealt
    | Exchanged
    | ExchangePassed
    | Played
    | TrickTaken
    | CardKept
    | WentOut
    | GameOver
)
