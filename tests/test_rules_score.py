"""Rules R18 to R23: the final trick, points, who goes out and who wins."""

from random import Random

import pytest
from tables import by_chance, letters, played, table

from engine.game import apply, legal_actions, undealt
from engine.moves import CardKept, Deal, DealerChosen, GameOver, TrickTaken, WentOut
from engine.rules import Rules
from engine.state import Phase, State


def points_of(state: State) -> dict[int, int]:
    return {known.seat: known.points for known in state.seats}


def piles_of(state: State) -> dict[int, str]:
    return {known.seat: letters(known.pile) for known in state.seats}


def test_highest_card_is_kept() -> None:
    """R18: in the final trick everyone plays the one card left, and the highest card's player keeps it."""
    state, events = played(table({1: "5", 2: "Q", 3: "J"}), "5", "Q", "J")
    kept = [event for event in events if isinstance(event, CardKept)]
    assert [(event.seat, letters([event.card]), event.points) for event in kept] == [(2, "Q", 10)]
    assert piles_of(state) == {1: "", 2: "Q", 3: ""}
    assert points_of(state) == {1: 0, 2: 10, 3: 0}
    assert [event.seat for event in events if isinstance(event, TrickTaken)] == [2]
    assert state.tricks[-1].taker == 2


def test_tied_each_keep_their_card() -> None:
    """R19: tied for highest, each of the tied keeps their own card."""
    state, events = played(table({1: "Q", 2: "5", 3: "Q", 4: "Q"}), "Q", "5", "Q", "Q")
    assert [event.seat for event in events if isinstance(event, CardKept)] == [1, 3, 4]
    assert piles_of(state) == {1: "Q", 2: "", 3: "Q", 4: "Q"}
    assert len(undealt(state)) == 49


def test_last_of_the_tied_is_the_loser() -> None:
    """R19, decided: the last of the tied in order of play counts as the loser, and deals next."""
    state, events = played(table({3: "Q", 4: "5", 1: "Q", 2: "7"}), "Q", "5", "Q", "7")
    assert state.result
    assert state.result.loser == 1
    assert [seat for seat, _ in state.result.kept] == [3, 1]
    assert (state.dealer, events[-1]) == (1, DealerChosen(1))


def test_all_tied() -> None:
    """R19: should all tie, all keep their cards and the last to play is the loser."""
    state = played(table({2: "9", 3: "9", 5: "9", 6: "9"}), "9", "9", "9", "9")[0]
    assert points_of(state) == {2: 9, 3: 9, 5: 9, 6: 9}
    assert state.dealer == 6


def test_all_other_cards_go_back() -> None:
    """R20: hands, stock, discards and played cards are in the next pack; only kept cards are not."""
    state = played(table({1: "5 8", 2: "4 9"}), "5", "9", "4", "8")[0]
    assert state.phase is Phase.DEAL
    assert piles_of(state) == {1: "8", 2: ""}
    assert len(undealt(state)) == 51
    assert not any(known.hand or known.discarded or known.drawn for known in state.seats)
    assert (state.stock, state.trick) == ((), ())


@pytest.mark.parametrize(
    ("pile", "points", "out"), [("J 2", 21, False), ("K 3", 22, True), ("A 3", 23, True)]
)
def test_22_is_out(pile: str, points: int, out: bool) -> None:
    """R21: 21 points are still in the game, 22 or more are out."""
    state, events = played(table({1: "9", 2: "3", 3: "4"}, piles={1: pile}), "9", "3", "4")
    assert points_of(state)[1] == points
    assert state.seats[0].out is out
    assert [event for event in events if isinstance(event, WentOut)] == ([WentOut(1, points)] if out else [])
    assert state.result
    assert state.result.out == ((1,) if out else ())


def test_eliminated_loser_deals_once_more() -> None:
    """R21: an eliminated loser deals the next hand without getting cards, then is out for good."""
    state = played(table({1: "3", 2: "4", 3: "K"}, piles={3: "A 2"}), "3", "4", "K")[0]
    assert (state.phase, state.dealer, state.seats[2].out) == (Phase.DEAL, 3, True)
    state = apply(state, Deal(undealt(state)))[0]
    assert (state.dealer, state.turn) == (3, 1)
    assert [len(known.hand) for known in state.seats] == [10, 10, 0]
    chance = Random(1)
    while state.phase is not Phase.DEAL:
        assert state.turn in (1, 2)
        state = apply(state, by_chance(state, chance))[0]
    assert state.dealer in (1, 2)


def test_tied_player_out_does_not_deal() -> None:
    """R21: who goes out by a tie without being the loser leaves at once; the loser deals."""
    state, events = played(table({1: "Q", 2: "Q", 3: "4"}, piles={1: "A 2"}), "Q", "Q", "4")
    assert WentOut(1, 23) in events
    assert (state.phase, state.dealer) == (Phase.DEAL, 2)
    assert [known.out for known in state.seats] == [True, False, False]


def test_last_in_the_game_wins() -> None:
    """R22: with one player left in the game, that player has won and nothing can follow."""
    state, events = played(table({1: "3", 2: "K"}, piles={2: "K 2"}), "3", "K")
    assert events[-1] == GameOver((1,))
    assert (state.phase, state.winners, state.turn) == (Phase.OVER, (1,), None)
    assert legal_actions(state) == ()


def test_all_out_together() -> None:
    """R23: if all who are still in go out in the same hand, the lowest score among them wins."""
    hands = {1: "Q", 2: "Q", 4: "Q"}
    state, events = played(table(hands, piles={1: "A 5", 2: "A 2", 4: "K 3 4", 3: "K K 2"}), "Q", "Q", "Q")
    assert points_of(state) == {1: 26, 2: 23, 3: 22, 4: 27}
    assert events[-1] == GameOver((2,))
    assert state.result
    assert state.result.out == (1, 2, 4)


def test_lowest_share_the_win() -> None:
    """R23, decided: equal lowest scores among those who went out together share the win."""
    hands = {1: "Q", 2: "Q", 4: "Q"}
    state, events = played(table(hands, piles={1: "A 2", 2: "K 3", 4: "K 4"}), "Q", "Q", "Q")
    assert points_of(state) == {1: 23, 2: 23, 4: 24}
    assert events[-1] == GameOver((1, 2))
    assert state.winners == (1, 2)


def test_out_before_cannot_win() -> None:
    """R23: only those who were still in count: an earlier lower score does not win."""
    hands = {2: "A", 3: "A"}
    state = played(table(hands, piles={1: "K K 2", 2: "K 4", 3: "K 5"}), "A", "A")[0]
    assert points_of(state) == {1: 22, 2: 25, 3: 26}
    assert state.winners == (2,)


@pytest.mark.parametrize("turned", range(6))
def test_ties_do_not_depend_on_seat_numbers(turned: int) -> None:
    """R19, R23: the same cards at other seats, in the same order of play, end the same."""

    def seat(number: int) -> int:
        return (number - 1 + turned) % 6 + 1

    hands = {seat(number): text for number, text in ((1, "Q"), (2, "5"), (3, "Q"), (5, "Q"))}
    piles = {seat(1): "A 2", seat(2): "J 2", seat(3): "K 3", seat(5): "K 4"}
    state = played(table(hands, piles=piles), "Q", "5", "Q", "Q")[0]
    assert state.winners == (seat(2),)
    assert state.result
    assert state.result.loser == seat(5)
    rules = Rules(limit=23)
    state = played(table(hands, piles={**piles, seat(2): ""}, rules=rules), "Q", "5", "Q", "Q")[0]
    assert state.winners == (seat(2),)
