"""House rules H1 to H5, and which values they may have."""

from collections.abc import Mapping
from typing import Any

import pytest
from tables import choices, drawn, letters, own, played, table

from engine.cards import PACK, points
from engine.game import apply, undealt
from engine.moves import CardKept, Deal, Dealt, IllegalMove, Play, WentOut
from engine.rules import FIRST_HANDS, LIMITS, Rules
from engine.state import Phase


def test_must_head() -> None:
    """H1: whoever can match or beat the best play has to; the lowest are refused."""
    state = played(table({1: "7 9 Q", 2: "2 8 A"}, rules=Rules(must_head=True)), "7")[0]
    assert choices(state) == ["8", "A"]


def test_must_head_refuses_the_lowest() -> None:
    """H1: playing the lowest although able to head names the house rule and what must be beaten."""
    state = played(table({1: "7 9", 2: "2 A"}, rules=Rules(must_head=True)), "7")[0]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Play(2, own(state, 2, "2")))
    assert (refused.value.rule, refused.value.reason) == ("H1", "must-head")
    assert str(refused.value) == "You can match or beat 7, so you have to."


def test_must_head_leaves_the_lowest_to_others() -> None:
    """H1: who cannot match or beat plays the lowest, as ever."""
    state = played(table({1: "Q 9", 2: "2 4"}, rules=Rules(must_head=True)), "Q")[0]
    assert choices(state) == ["2"]


def test_must_head_counts_lowest_that_head() -> None:
    """H1: lowest cards that match or beat are a way to head."""
    state = played(table({1: "7 9", 2: "7 A"}, rules=Rules(must_head=True)), "7")[0]
    assert choices(state) == ["7", "A"]


@pytest.mark.parametrize(("limit", "out"), [(10, True), (11, False)])
def test_limit(limit: int, out: bool) -> None:
    """H2: a player is out at the limit chosen, not below it."""
    state, events = played(table({1: "3", 2: "Q", 3: "4"}, rules=Rules(limit=limit)), "3", "Q", "4")
    assert (WentOut(2, 10) in events) is out
    assert state.seats[1].out is out


@pytest.mark.parametrize("size", FIRST_HANDS)
def test_first_hand(size: int) -> None:
    """H3: the first deal has as many cards each as chosen; later deals go by the card kept (R6)."""
    events = apply(drawn((1, 2), "9 K", Rules(first_hand=size)), Deal(PACK))[1]
    assert events == (Dealt(dealer=2, size=size, stock=52 - 2 * size),)


def test_last_tied_only() -> None:
    """H4: with a tie in the final trick only the last of the tied keeps the card."""
    rules = Rules(last_tied_only=True)
    state, events = played(table({1: "Q", 2: "5", 3: "Q", 4: "7"}, rules=rules), "Q", "5", "Q", "7")
    assert [event.seat for event in events if isinstance(event, CardKept)] == [3]
    assert [known.points for known in state.seats] == [0, 0, 10, 0]
    assert state.result
    assert (state.result.loser, len(undealt(state))) == (3, 51)


def test_piles_return() -> None:
    """H5: an eliminated player's score pile goes back to the pack; the points stay known."""
    rules = Rules(piles_return=True)
    hands = {1: "3", 2: "K", 3: "4"}
    state, events = played(table(hands, piles={1: "5", 2: "A 2"}, rules=rules), "3", "K", "4")
    assert WentOut(2, 23) in events
    assert [letters(known.pile) for known in state.seats] == ["5", "", ""]
    assert [known.points for known in state.seats] == [5, 23, 0]
    assert len(undealt(state)) == 51
    assert apply(state, Deal(undealt(state)))[0].phase is Phase.EXCHANGE


def test_piles_return_still_decides_ties() -> None:
    """H5, R23: with all out together the lowest score wins, though their piles have gone back."""
    rules = Rules(piles_return=True)
    state = played(table({1: "A", 2: "A"}, piles={1: "K 5", 2: "K 4"}, rules=rules), "A", "A")[0]
    assert state.winners == (2,)
    assert len(undealt(state)) == 52


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"limit": 1}, "limit is 1: it must be a whole number from 2 to 42"),
        ({"limit": 43}, "limit is 43: it must be a whole number from 2 to 42"),
        ({"limit": "22"}, "limit is '22': it must be a whole number from 2 to 42"),
        ({"limit": True}, "limit is True: it must be a whole number from 2 to 42"),
        ({"first_hand": 1}, "first_hand is 1: it must be a whole number from 2 to 11"),
        ({"first_hand": 12}, "first_hand is 12: it must be a whole number from 2 to 11"),
        ({"must_head": 1}, "must_head is 1: it must be True or False"),
        ({"last_tied_only": None}, "last_tied_only is None: it must be True or False"),
        ({"piles_return": "yes"}, "piles_return is 'yes': it must be True or False"),
    ],
)
def test_wrong_values(wrong: Mapping[str, Any], message: str) -> None:
    """H1 to H5: another value is refused, naming option, value and what is allowed."""
    with pytest.raises(ValueError, match="it must be") as refused:
        Rules(**wrong)
    assert str(refused.value) == message


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_leave_cards_to_deal(limit: int) -> None:
    """H2, R8: at every limit that can be chosen the pack has a card for each player, whatever was kept.

    The most cards that can be out of the pack: whoever is in has fewer points than the limit, and so had
    whoever is out before the last card kept. But for one card of each who is out, all kept cards together
    count at most the limit less one a player; most of them fit in if they are the lowest of the pack.
    """
    for players in range(2, 7):
        for playing in range(2, players + 1):
            left = players * (limit - 1)
            kept = players - playing
            for value in sorted(points(card.rank) for card in PACK):
                left -= value
                if left < 0:
                    break
                kept += 1
            assert 52 - kept >= playing


def test_rules_are_values() -> None:
    """Rules compare by their values, and the defaults are the game as the sheets give it."""
    assert Rules() == Rules(must_head=False, limit=22, first_hand=7, last_tied_only=False, piles_return=False)
