"""States and plays for the tests of the engine, written by ranks: suits are dealt out by themselves."""

from collections.abc import Iterable, Mapping
from random import Random

from engine.cards import PACK, RANK_LETTERS, Card, points
from engine.game import apply, broken_invariants, drawing, legal_actions, new_game, undealt, undrawn
from engine.moves import Action, AnyExchange, Deal, Draw, Event, Exchange, Play
from engine.rules import Rules
from engine.state import Phase, SeatState, State

RANK_OF = {letter: rank for rank, letter in RANK_LETTERS.items()}


def ranks(text: str) -> list[int]:
    """Ranks as numbers, from ``6 7 Q``."""
    return [RANK_OF[word] for word in text.split()]


def letters(cards: Iterable[Card]) -> str:
    """Ranks as ``6 7 Q``."""
    return " ".join(RANK_LETTERS[card.rank] for card in cards)


class Suits:
    """Gives each rank asked for its next suit."""

    def __init__(self) -> None:
        self.left = list(PACK)

    def take(self, text: str) -> tuple[Card, ...]:
        found = []
        for rank in ranks(text):
            card = next(card for card in self.left if card.rank == rank)
            self.left.remove(card)
            found.append(card)
        return tuple(found)


def table(
    hands: Mapping[int, str],
    *,
    dealer: int | None = None,
    turn: int | None = None,
    phase: Phase = Phase.PLAY,
    piles: Mapping[int, str] | None = None,
    stock: str | None = None,
    rules: Rules | None = None,
) -> State:
    """A sound state with these hands before the first lead (or exchange).

    Seats with a pile but no hand are out. The first of ``hands`` has the turn and the last deals, unless said
    otherwise. All other cards are the stock; with ``stock`` given they are the pile of one more seat, out.
    """
    rules, piles = rules or Rules(), piles or {}
    order = list(hands)
    suits = Suits()
    held = {seat: tuple(sorted(suits.take(text))) for seat, text in hands.items()}
    kept = {seat: suits.take(text) for seat, text in piles.items()}
    left = tuple(suits.left)
    if stock is not None:
        left = suits.take(stock)
        kept[next(seat for seat in (6, 5, 4, 3) if seat not in {*hands, *piles})] = tuple(suits.left)
    seats = tuple(
        SeatState(
            seat,
            hand=held.get(seat, ()),
            exchanged=0 if phase is Phase.PLAY and seat in hands else None,
            pile=kept.get(seat, ()),
            points=sum(points(card.rank) for card in kept.get(seat, ())),
            out=seat not in hands,
        )
        for seat in sorted({*hands, *kept})
    )
    state = State(rules, seats, phase, turn or order[0], dealer or order[-1], deals=1, stock=left)
    assert broken_invariants(state) == ()
    return state


def own(state: State, seat: int, text: str) -> tuple[Card, ...]:
    """Cards of these ranks out of a seat's hand."""
    left = list(state.seats[state.place(seat)].hand)
    found = []
    for rank in ranks(text):
        card = next(card for card in left if card.rank == rank)
        left.remove(card)
        found.append(card)
    return tuple(found)


def played(state: State, *texts: str) -> tuple[State, list[Event]]:
    """The state after each player in turn played these ranks, and all events."""
    events: list[Event] = []
    for text in texts:
        assert state.turn is not None
        state, caused = apply(state, Play(state.turn, own(state, state.turn, text)))
        events += caused
    return state, events


def choices(state: State) -> list[str]:
    """The legal plays by their ranks."""
    return [letters(choice.cards) for choice in legal_actions(state) if isinstance(choice, Play)]


def hand(state: State, seat: int) -> str:
    return letters(state.seats[state.place(seat)].hand)


def drawn(seats: Iterable[int], cards: str, rules: Rules | None = None) -> State:
    """A game after one round of the draw for first dealer."""
    return apply(new_game(tuple(seats), rules or Rules()), Draw(Suits().take(cards)))[0]


def by_chance(state: State, chance: Random) -> Action:
    """Any legal action, chance's own included."""
    if state.phase is Phase.DRAW:
        return Draw(tuple(chance.sample(undrawn(state), len(drawing(state)))))
    if state.phase is Phase.DEAL:
        pack = list(undealt(state))
        chance.shuffle(pack)
        return Deal(tuple(pack))
    choice = chance.choice(legal_actions(state))
    if isinstance(choice, AnyExchange):
        held = state.seats[state.place(choice.seat)].hand
        return Exchange(choice.seat, tuple(chance.sample(held, chance.randint(0, choice.at_most))))
    return choice
