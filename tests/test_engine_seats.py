"""Who deals, leads and has the turn, whatever seats are taken and whoever is out."""

from itertools import combinations
from random import Random

import pytest
from tables import by_chance, played, table

from engine.game import apply, clockwise, new_game
from engine.moves import Dealt, Play, Played, TrickTaken
from engine.rules import Rules
from engine.state import Phase, State

RANKS = ("3", "4", "5", "6", "7", "8")


def lost_by(state: State, loser: int) -> State:
    """The state after a deal of one card each, which this seat loses."""
    while state.phase is Phase.PLAY:
        assert state.turn is not None
        card = state.seats[state.place(state.turn)].hand
        state = apply(state, Play(state.turn, card))[0]
    assert state.dealer == loser
    return state


def deal_to(seats: tuple[int, ...], loser: int, piles: dict[int, str], first: int) -> State:
    """Seats with one card each, led by ``first``; the king is the loser's."""
    start = seats.index(first)
    order = seats[start:] + seats[:start]
    hands = {seat: "K" if seat == loser else low for seat, low in zip(order, RANKS, strict=False)}
    return table(hands, piles=piles, rules=Rules(limit=22))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_turns_for_all_seats_and_outs(count: int) -> None:
    """R3, R12: for all seats taken, all subsets out and all who lead, each player acts once, clockwise."""
    for seats in combinations(range(1, 7), count):
        for outs in range(count - 1):
            for out in combinations(seats, outs):
                playing = tuple(seat for seat in seats if seat not in out)
                for first in playing:
                    last = playing[playing.index(first) - 1]
                    piles = dict(zip(out, ("A A", "A A", "K Q 2", "K Q 2"), strict=False))
                    state = deal_to(playing, last, piles, first)
                    acted = []
                    while state.phase is Phase.PLAY:
                        assert state.turn in playing
                        acted.append(state.turn)
                        state = apply(state, by_chance(state, Random(0)))[0]
                    start = playing.index(first)
                    assert tuple(acted) == playing[start:] + playing[:start]
                    assert clockwise(state, state.dealer or 0)[-1] == last


DEALERS = [
    # seats, piles before, who loses, who is out then, who deals next, who gets the first card and leads
    ("nobody out", (1, 2, 3, 4), {}, 2, (), 2, 3),
    ("loser out, deals once more", (1, 2, 3, 4), {2: "A 2"}, 2, (2,), 2, 3),
    ("loser before the dealer out", (1, 2, 3, 4), {3: "A 2"}, 3, (3,), 3, 4),
    ("dealer loses and is out", (1, 2, 3, 4), {4: "A 2"}, 4, (4,), 4, 1),
    ("loser at the highest seat", (2, 4, 6), {6: "A 2"}, 6, (6,), 6, 2),
    ("three to two players", (1, 3, 5), {3: "A 2"}, 3, (3,), 3, 5),
    ("two players, nobody out", (2, 5), {}, 5, (), 5, 2),
]


@pytest.mark.parametrize(("seats", "piles", "loser", "out", "dealer", "first"), [row[1:] for row in DEALERS])
def test_next_dealer(
    seats: tuple[int, ...], piles: dict[int, str], loser: int, out: tuple[int, ...], dealer: int, first: int
) -> None:
    """R6, R21: the loser deals next, also if out by it; the next player still in is first to get cards."""
    chance = Random(3)
    state = lost_by(deal_to(seats, loser, piles, seats[0]), loser)
    assert tuple(known.seat for known in state.seats if known.out) == out
    assert state.dealer == dealer
    state, events = apply(state, by_chance(state, chance))
    assert isinstance(events[0], Dealt)
    assert events[0].dealer == dealer
    assert state.turn == first
    while state.phase is Phase.EXCHANGE:
        state = apply(state, by_chance(state, chance))[0]
    assert state.turn == first


def test_two_out_at_once() -> None:
    """R19, R21: two tied who both go out: the later of them deals once more, and the two left play on."""
    hands = {1: "Q", 2: "3", 3: "Q", 4: "4"}
    state = played(table(hands, piles={1: "A 2", 3: "K 3"}), "Q", "3", "Q", "4")[0]
    assert [known.out for known in state.seats] == [True, False, True, False]
    assert state.dealer == 3
    state = apply(state, by_chance(state, Random(0)))[0]
    assert (state.turn, [len(known.hand) for known in state.seats]) == (4, [0, 10, 0, 10])


def test_dealer_out_is_gone_after_the_deal() -> None:
    """R21: a dealer who is out deals that one deal; the next is dealt by its loser."""
    chance = Random(5)
    state = played(table({1: "3", 2: "4", 3: "K"}, piles={3: "A 2"}), "3", "4", "K")[0]
    deals = 0
    while state.phase is not Phase.OVER and deals < 3:
        state, events = apply(state, by_chance(state, chance))
        for event in events:
            if isinstance(event, Dealt):
                deals += 1
                assert event.dealer == 3 if deals == 1 else event.dealer in (1, 2)
            if isinstance(event, Played | TrickTaken):
                assert event.seat != 3


@pytest.mark.parametrize("seed", range(40))
def test_never_somebody_out(seed: int) -> None:
    """R3, R21: through whole games no turn, trick or lead falls to a seat that is out."""
    chance = Random(seed)
    state = new_game(range(1, 3 + seed % 5), Rules(limit=10 + seed % 20))
    while state.phase is not Phase.OVER:
        state, events = apply(state, by_chance(state, chance))
        out = {known.seat for known in state.seats if known.out}
        if state.phase is Phase.PLAY:
            assert not {event.seat for event in events if isinstance(event, Played | TrickTaken)} & out
        assert state.turn not in out
        assert len(out) < len(state.seats) or state.phase is Phase.OVER
