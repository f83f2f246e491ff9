"""The state of a game: all there is to know of it, as one value that never changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from engine.cards import PACK, Card
from engine.moves import Event, Played
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
    """How a deal ended: the final trick, the cards kept, who lost it (R18, R19) and who went out (R21)."""

    final: tuple[Played, ...]
    kept: tuple[tuple[int, Card], ...]
    loser: int
    out: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatState:
    """What lies at one seat."""

    seat: int
    hand: tuple[Card, ...] = ()
    """low to high"""
    discarded: tuple[Card, ...] = ()
    """face down, out of play until the deal is over (R10); low to high"""
    drawn: tuple[Card, ...] = ()
    """which cards its exchange brought, low to high; they lie in the hand, or have been played"""
    exchanged: int | None = None
    """how many cards it exchanged; None before its turn, or if its turn passed (R11)"""
    pile: tuple[Card, ...] = ()
    points: int = 0
    """of the cards it has kept, also when its pile has gone back to the pack (H5)"""
    out: bool = False
    drew: tuple[Card, ...] = ()
    """its cards in the draw for first dealer, one a round (R4); empty once a deal has begun"""


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment. Only ``new_game`` and ``apply`` make one."""

    rules: Rules
    seats: tuple[SeatState, ...]
    """clockwise from the lowest number, those that are out too"""
    phase: Phase = Phase.DRAW
    turn: int | None = None
    """who must act; None if the game waits for chance, or is over"""
    dealer: int | None = None
    """of this deal, or between deals of the next; None before the first is chosen. May be out (R21)."""
    deals: int = 0
    """number of the deal, 1 for the first; 0 before it"""
    stock: tuple[Card, ...] = ()
    """top card first"""
    trick: tuple[Played, ...] = ()
    """plays of the trick under way, in order"""
    tricks: tuple[Trick, ...] = ()
    """finished tricks of this deal (between deals: of the deal just ended), the final one included"""
    result: DealResult | None = None
    """how the last finished deal ended"""
    winners: tuple[int, ...] = ()

    @property
    def best(self) -> Played | None:
        """The play to match or beat: the last that did so itself (R15, R16). None before the lead."""
        for played in reversed(self.trick):
            if played.heads:
                return played
        return None

    def place(self, seat: int) -> int:
        """Where a seat stands in ``seats``. Raise KeyError if it is not in the game."""
        for place, known in enumerate(self.seats):
            if known.seat == seat:
                return place
        raise KeyError(seat)


Step = tuple[State, tuple[Event, ...]]
"""The state after an action, and what everybody at the table saw happen."""


def new_game(seats: Sequence[int], rules: Rules = Rules()) -> State:  # noqa: B008 (Rules never change)
    """A game that waits for the draw for first dealer.

    ``seats`` are 2 to 6 different numbers from 1 to 6, rising, which is clockwise (R1, R3). Raise ValueError
    for anything else.
    """
    numbers = tuple(seats)
    if any(type(number) is not int or not 1 <= number <= 6 for number in numbers):
        raise ValueError(f"seats are {numbers}: each must be a number from 1 to 6")
    if not 2 <= len(numbers) <= 6:
        raise ValueError(f"seats are {numbers}: a game has 2 to 6 players")
    if any(after <= before for before, after in pairwise(numbers)):
        raise ValueError(f"seats are {numbers}: each must be higher than the one before")
    return State(rules, tuple(SeatState(number) for number in numbers))


def clockwise(state: State, after: int) -> tuple[int, ...]:
    """The seats still in the game, clockwise, beginning left of ``after`` (R3), which may be out itself."""
    place = state.place(after) + 1
    return tuple([known.seat for known in state.seats[place:] + state.seats[:place] if not known.out])


def drawing(state: State) -> tuple[int, ...]:
    """The seats that draw a card now for first dealer, clockwise from the lowest number: at first all, then
    those tied for highest (R4). None once the dealer is known."""
    if state.phase is not Phase.DRAW:
        return ()
    return highest_drawn(state.seats)


def highest_drawn(seats: tuple[SeatState, ...]) -> tuple[int, ...]:
    """The seats whose card was the highest in the last round of the draw; before the first, all (R4)."""
    rounds = max(len(known.drew) for known in seats)
    if rounds == 0:
        return tuple(known.seat for known in seats)
    last = [known for known in seats if len(known.drew) == rounds]
    highest = max(known.drew[-1].rank for known in last)
    return tuple(known.seat for known in last if known.drew[-1].rank == highest)


def undrawn(state: State) -> tuple[Card, ...]:
    """The cards of which the seats that draw now may get one each, low to high: those not drawn yet.

    Should they be too few for another round, all drawn cards go back first.
    """
    left = set(PACK)
    for drawn in range(max(len(known.drew) for known in state.seats)):
        cards = {known.drew[drawn] for known in state.seats if drawn < len(known.drew)}
        left = (left if len(cards) <= len(left) else set(PACK)) - cards
    return PACK if len(left) < len(drawing(state)) else tuple(sorted(left))


def undealt(state: State) -> tuple[Card, ...]:
    """The cards that a deal must contain, low to high: all that lie in no score pile (R7, H5)."""
    kept = {card for known in state.seats for card in known.pile}
    return tuple(card for card in PACK if card not in kept)
