"""The status check notices each thing that may be wrong with a state."""

from dataclasses import replace
from random import Random

import pytest
from tables import by_chance, drawn, own, played, table

from engine.cards import PACK, Card
from engine.game import apply, broken_invariants, new_game, undealt
from engine.moves import Deal, Played
from engine.rules import Rules
from engine.state import Phase, SeatState, State

LEAD = table({1: "5 5 9", 2: "2 7 8", 3: "9 9 A"}, piles={4: "K K 3"}, dealer=4)
FOLLOW = played(LEAD, "5")[0]
THIRD = played(FOLLOW, "7")[0]
SECOND_TRICK = played(THIRD, "9")[0]
DRAW = new_game((1, 2, 3))
DEAL = drawn((1, 2), "9 K")
EXCHANGE = apply(DEAL, Deal(undealt(DEAL)))[0]
LOST = played(table({1: "3", 2: "K", 3: "4"}), "3", "K", "4")[0]
OVER = played(table({1: "3", 2: "K"}, piles={2: "K 2"}), "3", "K")[0]
RETURNED = played(
    table({1: "3", 2: "K", 3: "4"}, piles={2: "A 2"}, rules=Rules(piles_return=True)), "3", "K", "4"
)[0]


def with_seat(state: State, place: int, **changes: object) -> State:
    """The state with one seat changed."""
    seats = list(state.seats)
    seats[place] = replace(seats[place], **changes)  # type: ignore[arg-type]
    return replace(state, seats=tuple(seats))


def unplayed(state: State, **changes: object) -> State:
    """The state with the last play of the trick changed."""
    last: Played = replace(state.trick[-1], **changes)  # type: ignore[arg-type]
    return replace(state, trick=(*state.trick[:-1], last))


FIRST = EXCHANGE.seats[0].hand
BROKEN: list[tuple[str, State]] = [
    ("nowhere: As", replace(EXCHANGE, stock=EXCHANGE.stock[:-1])),
    ("in two places: 2c", replace(EXCHANGE, stock=(PACK[0], *EXCHANGE.stock[1:]))),
    ("of no pack: 15x", replace(EXCHANGE, stock=(Card(15, "x"), *EXCHANGE.stock[1:]))),
    ("in two places: 2c", with_seat(with_seat(DEAL, 0, pile=PACK[:1]), 1, pile=PACK[:1])),
    ("the hand of seat 1 is not sorted", with_seat(EXCHANGE, 0, hand=FIRST[::-1])),
    ("seat 1 has not drawn as many cards as it discarded", with_seat(EXCHANGE, 0, exchanged=1)),
    ("seat 4 is out and holds cards", with_seat(LEAD, 3, hand=PACK[:1])),
    ("seat 1 has the turn while nobody acts", replace(DEAL, turn=1)),
    ("cards lie on the table between deals", replace(DEAL, stock=PACK)),
    ("seat 1 holds cards between deals", with_seat(DEAL, 0, hand=PACK[:1])),
    ("seat 5 has the turn and is not in the game", replace(LEAD, turn=5)),
    ("seat None has the turn", replace(LEAD, turn=None)),
    ("seat 4 has the turn and is out", replace(LEAD, turn=4)),
    ("seat 1 has the turn and no exchange to make", with_seat(EXCHANGE, 0, exchanged=0)),
    ("seat 2 has had no exchange", with_seat(LEAD, 1, exchanged=None)),
    ("the dealer is None in phase deal", replace(DEAL, dealer=None)),
    ("the dealer is 1 in phase draw", replace(DRAW, dealer=1)),
    ("the number of the deal is 0 in phase exchange", replace(EXCHANGE, deals=0)),
    ("the number of the deal is 1 in the draw", replace(DRAW, deals=1)),
    ("the card that seat 1 drew", with_seat(EXCHANGE, 0, drew=PACK[:1])),
    ("seat 3 deals, but seat 2 lost", replace(LOST, dealer=3)),
    ("seat 2 is out and its pile has not gone back", with_seat(RETURNED, 1, pile=PACK[:1])),
    ("seat 2 has 9 points, but other cards", with_seat(LOST, 1, points=9)),
    ("seat 2 has 10 points, out is True", with_seat(LOST, 1, out=True)),
    ("seat 4 has 23 points, out is False", with_seat(LEAD, 3, out=False)),
    ("1 players are in the game in phase deal", replace(OVER, phase=Phase.DEAL, winners=())),
    ("winners are ()", replace(OVER, winners=())),
    ("winners are (2,)", replace(OVER, winners=(2,))),
    ("winners are (1,)", replace(LOST, winners=(1,))),
    (
        "do not begin the trick with as many cards",
        replace(with_seat(LEAD, 0, hand=own(LEAD, 1, "5 5")), stock=(*LEAD.stock, *own(LEAD, 1, "9"))),
    ),
    ("seat 1 leads, but did not take", replace(SECOND_TRICK, turn=1)),
    (
        "did not begin the trick with as many cards",
        replace(
            with_seat(FOLLOW, 2, hand=own(FOLLOW, 3, "9 9")), stock=(*FOLLOW.stock, *own(FOLLOW, 3, "A"))
        ),
    ),
    ("seats [1] have played and seat 3 has the turn", replace(FOLLOW, turn=3)),
    ("does not head", unplayed(FOLLOW, heads=False)),
    ("seat 2 played another number", unplayed(THIRD, cards=())),
    ("seat 2 heads wrongly", unplayed(THIRD, heads=False)),
]


@pytest.mark.parametrize(("sentence", "state"), BROKEN, ids=[sentence for sentence, _ in BROKEN])
def test_broken(sentence: str, state: State) -> None:
    """A state with one thing wrong is found out, in words that say what."""
    assert any(sentence in broken for broken in broken_invariants(state)), broken_invariants(state)


@pytest.mark.parametrize(
    "state", [LEAD, FOLLOW, THIRD, SECOND_TRICK, DRAW, DEAL, EXCHANGE, LOST, OVER, RETURNED]
)
def test_sound(state: State) -> None:
    """The states that these tests break are sound before."""
    assert broken_invariants(state) == ()


def test_everything_wrong_is_listed() -> None:
    """All that is wrong is listed, not only the first thing."""
    state = with_seat(replace(LOST, dealer=3), 1, points=9)
    assert len(broken_invariants(state)) == 2


@pytest.mark.parametrize("seed", range(30))
def test_lost_and_doubled_cards(seed: int) -> None:
    """In states of games by chance, any card taken away or doubled is found out."""
    chance = Random(seed)
    state = new_game(range(1, 3 + seed % 5))
    while state.phase is not Phase.OVER:
        state = apply(state, by_chance(state, chance))[0]
        for place, known in enumerate(state.seats):
            if known.hand:
                gone: SeatState = replace(known, hand=known.hand[1:])
                twice: SeatState = replace(known, hand=(*known.hand, known.hand[-1]))
                for wrong in (gone, twice):
                    seats = (*state.seats[:place], wrong, *state.seats[place + 1 :])
                    assert broken_invariants(replace(state, seats=seats))
