"""What a seat may know: the border of secrecy."""

from dataclasses import dataclass
from enum import Enum

from engine.cards import Card
from engine.moves import Choice, Played
from engine.rules import Rules


class Phase(Enum):
    """What the game waits for."""

    DRAW = "draw"
    """cards for first dealer (R4): a ``Draw``"""
    DEAL = "deal"
    """a shuffled pack (R5 to R8): a ``Deal``"""
    EXCHANGE = "exchange"
    """an ``Exchange`` of the seat whose turn it is (R9)"""
    PLAY = "play"
    """a ``Play`` of the seat whose turn it is (R12 to R18)"""
    OVER = "over"
    """nothing: the game has ended (R22, R23)"""


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick: its plays in order, and who took it."""

    plays: tuple[Played, ...]
    taker: int


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended: the final trick, which cards were kept, who lost it (R18, R19), who went out (R21)."""

    final: tuple[Played, ...]
    kept: tuple[tuple[int, Card], ...]
    loser: int
    out: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody knows of one seat."""

    seat: int
    cards: int
    """how many cards it holds"""
    exchanged: int | None
    """how many cards it exchanged in this deal; None before its turn, or if its turn passed (R11)"""
    pile: tuple[Card, ...]
    points: int
    out: bool
    drew: tuple[Card, ...]
    """its cards in the draw for first dealer, one a round (R4); empty once a deal has begun"""


@dataclass(frozen=True, slots=True)
class View:
    """All that one seat may know of a game, for its screen or its bot."""

    seat: int | None
    """whose view; None for somebody who only watches"""
    rules: Rules
    phase: Phase
    deals: int
    """number of the deal, 1 for the first; 0 before it"""
    dealer: int | None
    turn: int | None
    """who must act; None if the game waits for chance, or is over"""
    hand: tuple[Card, ...]
    """own cards, low to high"""
    discarded: tuple[Card, ...]
    """own discards of this deal"""
    drawn: tuple[Card, ...]
    """own cards drawn from the stock in this deal"""
    choices: tuple[Choice, ...]
    """what this seat may do now; empty unless it is its turn"""
    stock: int
    seats: tuple[SeatView, ...]
    """every seat of the game, clockwise from the lowest number, those that are out too"""
    trick: tuple[Played, ...]
    """plays of the trick under way, in order"""
    best: Played | None
    """the play that must be matched or beaten; None before the lead"""
    tricks: tuple[Trick, ...]
    """finished tricks of this deal (between deals: of the deal just ended), the final one included"""
    result: DealResult | None
    """how the last finished deal ended; None before that"""
    winners: tuple[int, ...]

    def of(self, seat: int) -> SeatView:
        """What everybody knows of this seat. Raise KeyError if it is not in the game."""
        for known in self.seats:
            if known.seat == seat:
                return known
        raise KeyError(seat)
