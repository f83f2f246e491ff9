"""What a seat may know: the border of secrecy."""

from dataclasses import dataclass

from engine.cards import Card
from engine.game import legal_actions
from engine.moves import Choice, Played
from engine.rules import Rules
from engine.state import DealResult, Phase, SeatState, State, Trick

__all__ = ["DealResult", "Phase", "SeatView", "Trick", "View", "view"]


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


def view(state: State, seat: int | None) -> View:
    """All that a seat may know of a game; for None, what somebody knows who only watches.

    Raise ValueError if the seat is not in the game. States that differ only in what others hold, have
    discarded or drawn, or in the stock's order give equal views.
    """
    own = SeatState(0)
    if seat is not None:
        if seat not in [known.seat for known in state.seats]:
            raise ValueError(f"seat {seat} is not in this game")
        own = state.seats[state.place(seat)]
    return View(
        seat=seat,
        rules=state.rules,
        phase=state.phase,
        deals=state.deals,
        dealer=state.dealer,
        turn=state.turn,
        hand=own.hand,
        discarded=own.discarded,
        drawn=own.drawn,
        choices=legal_actions(state) if seat is not None and seat == state.turn else (),
        stock=len(state.stock),
        seats=tuple([_seat_view(known) for known in state.seats]),
        trick=state.trick,
        best=state.best,
        tricks=state.tricks,
        result=state.result,
        winners=state.winners,
    )


def _seat_view(known: SeatState) -> SeatView:
    return SeatView(
        known.seat, len(known.hand), known.exchanged, known.pile, known.points, known.out, known.drew
    )
