"""Rules R12 to R17: leads, follows and who takes a trick."""

from random import Random

import pytest
from tables import by_chance, choices, hand, own, played, ranks, table

from engine.game import apply, legal_actions
from engine.moves import IllegalMove, Play, Played, TrickTaken
from engine.rules import matches_or_beats
from engine.state import Phase


def test_first_lead() -> None:
    """R12: the player left of the dealer leads the first trick, whether or not the dealer is out."""
    state = table({5: "2", 1: "3", 4: "A"}, piles={2: "A A", 3: "K K 2", 4: "Q 2"}, dealer=4)
    state = played(state, "2", "3", "A")[0]
    assert (state.dealer, state.seats[state.place(4)].out) == (4, True)
    chance = Random(0)
    while state.phase is not Phase.PLAY:
        state = apply(state, by_chance(state, chance))[0]
    assert state.turn == 5


def test_taker_leads_the_next() -> None:
    """R12: whoever took a trick leads the next."""
    state, events = played(table({1: "5 6", 2: "4 9", 3: "8 J"}), "5", "9", "J")
    assert events[-1] == TrickTaken(3, tuple(event for event in events if isinstance(event, Played)))
    assert (state.turn, state.trick, state.best) == (3, (), None)


def test_what_may_be_led() -> None:
    """R13: a lead is one card, or cards of one rank; a set of ranks is listed once, whatever its suits."""
    state = table({1: "5 5 5 7 7 K", 2: "2 2 3 3 4 4"})
    assert choices(state) == ["5", "5 5", "5 5 5", "7", "7 7", "K"]


def test_lead_of_two_ranks() -> None:
    """R13: cards of different ranks cannot be led together."""
    state = table({1: "5 6 7", 2: "8 9 10"})
    with pytest.raises(IllegalMove) as refused:
        apply(state, Play(1, own(state, 1, "5 6")))
    assert (refused.value.rule, refused.value.reason) == ("R13", "one-rank")


def test_lead_of_nothing() -> None:
    """R13: a lead has at least one card."""
    with pytest.raises(IllegalMove) as refused:
        apply(table({1: "5 6", 2: "8 9"}), Play(1, ()))
    assert (refused.value.rule, refused.value.reason) == ("R13", "no-cards")


def test_a_lead_leaves_a_card() -> None:
    """R14: 5,5,5 alone may lead 5 or 5,5, never 5,5,5."""
    state = table({1: "5 5 5", 2: "6 7 8"})
    assert choices(state) == ["5", "5 5"]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Play(1, own(state, 1, "5 5 5")))
    assert (refused.value.rule, refused.value.reason) == ("R14", "leave-one")
    assert str(refused.value) == "Keep at least one card for the final trick."


def test_the_last_card_leads_the_final_trick() -> None:
    """R14: the one card left may, and must, be led: that is the final trick."""
    state = table({1: "5", 2: "6"})
    assert choices(state) == ["5"]
    assert played(state, "5", "6")[0].phase is Phase.DEAL


@pytest.mark.parametrize(
    ("play", "best", "stands"),
    [
        ("6 7", "6 6", True),
        ("8 9", "6 7", True),
        ("Q K A", "J Q Q", True),
        ("J Q Q", "J J J", True),
        ("7", "7", True),
        ("10", "7", True),
        ("2", "10", False),
        ("4 5", "6 7", False),
        ("2 2 3", "J Q Q", False),
        ("5 A", "6 6", False),
        ("6 6", "6 7", False),
    ],
)
def test_match_or_beat(play: str, best: str, stands: bool) -> None:
    """R15a: a play stands if each of its cards, sorted, is at least as high as the one at its place."""
    assert matches_or_beats(ranks(play), ranks(best)) is stands


def test_follow_choices() -> None:
    """R15: the lowest cards, or any cards that match or beat the best play so far, of whatever ranks."""
    state = played(table({1: "6 6 Q", 2: "4 5 7"}, stock="2"), "6 6")[0]
    assert choices(state) == ["4 5"]
    state = played(table({1: "6 6 Q Q", 2: "4 6 7 8"}, stock="2"), "6 6")[0]
    assert choices(state) == ["4 6", "6 7", "6 8", "7 8"]


def test_follows_are_listed_once() -> None:
    """R1, R15: a hand with several cards of a rank has each set of ranks to follow with once."""
    state = played(table({1: "5 5 Q Q Q", 2: "6 6 6 7 7"}), "5 5")[0]
    assert choices(state) == ["6 6", "6 7", "7 7"]


def test_lowest_is_always_allowed() -> None:
    """R15b, decided: the lowest cards may be played also by one who could match or beat."""
    state = played(table({1: "7 9", 2: "2 A"}), "7")[0]
    assert choices(state) == ["2", "A"]
    two = own(state, 2, "2")
    state, events = played(state, "2")
    assert events[0] == Played(2, two, heads=False)
    assert state.turn == 1


def test_lowest_that_match_head() -> None:
    """R15b, decided: lowest cards that happen to match or beat the best play head, and are listed once."""
    state = played(table({1: "7 9", 2: "7 A"}), "7")[0]
    assert choices(state) == ["7", "A"]
    state, events = played(state, "7")
    assert isinstance(events[0], Played)
    assert events[0].heads
    assert state.turn == 2


def test_part_of_the_lowest_is_not_the_lowest() -> None:
    """R15b: all cards of a follow are the lowest: 4,4,9 follows 6,6 with 4,4 and never with 4,9."""
    state = played(table({1: "6 6 Q", 2: "4 4 9"}), "6 6")[0]
    assert choices(state) == ["4 4"]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Play(2, own(state, 2, "4 9")))
    assert refused.value.reason == "only-lowest"
    assert str(refused.value) == "You cannot match or beat 6 6: play your lowest, 4 4."


def test_neither_head_nor_lowest() -> None:
    """R15: the refusal says what to match or beat, and what the lowest are."""
    state = played(table({1: "6 6 Q Q", 2: "4 5 7 8"}), "6 6")[0]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Play(2, own(state, 2, "5 7")))
    assert (refused.value.rule, refused.value.reason) == ("R15", "head-or-lowest")
    assert refused.value.details == {"best": state.trick[0].cards, "lowest": own(state, 2, "4 5")}
    assert str(refused.value) == "Match or beat 6 6, or play your lowest: 4 5."


@pytest.mark.parametrize("text", ["", "7", "7 8 9"])
def test_follow_with_another_number(text: str) -> None:
    """R15: every follower plays exactly as many cards as were led."""
    state = played(table({1: "6 6 Q", 2: "7 8 9"}), "6 6")[0]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Play(2, own(state, 2, text)))
    assert (refused.value.rule, refused.value.reason) == ("R15", "wrong-count")
    assert refused.value.details == {"count": 2}


def test_only_the_best_play_counts() -> None:
    """R15a: what must be matched or beaten is the best play so far, not the lead."""
    state = played(table({1: "5 5", 2: "9 Q", 3: "7 8"}), "5", "9")[0]
    assert choices(state) == ["7"]


def test_last_to_match_takes() -> None:
    """R16, decided: 7, then 7, then lower: the second 7 takes the trick."""
    state, events = played(table({1: "7 8", 2: "7 9", 3: "2 K"}), "7", "7", "2")
    assert [event.seat for event in events if isinstance(event, TrickTaken)] == [2]
    assert state.turn == 2


def test_any_suit_in_any_order() -> None:
    """R1, R15: any cards of the ranks may be chosen, in any order; they are kept low to high."""
    state = played(table({1: "6 6 2", 2: "6 7 9"}), "6 6")[0]
    six, seven = own(state, 2, "6")[0], own(state, 2, "7")[0]
    after, events = apply(state, Play(2, (seven, six)))
    assert isinstance(events[0], Played)
    assert events[0].cards == (six, seven)
    assert after.turn == 2


def test_each_suit_of_a_rank_is_open() -> None:
    """R1: of two cards of one rank either may be played, though the ranks are listed once."""
    state = table({1: "5 5 9", 2: "2 3 4"})
    for card in own(state, 1, "5 5"):
        assert apply(state, Play(1, (card,)))[0].turn == 2
    assert choices(state).count("5") == 1


def test_worked_tricks() -> None:
    """R17: 7, 7, 10, 2 is the third's; 66, 67, 45, 89 is the fourth's; JJJ, JQQ, 223, QKA is the fourth's."""
    state = table({1: "4 5 7 8 Q K A", 2: "7 8 9 J J J 10", 3: "6 6 9 10 J Q Q", 4: "2 2 2 3 6 7 K"})
    takers = []
    for trick in (["7", "7", "10", "2"], ["6 6", "6 7", "4 5", "8 9"], ["J J J", "J Q Q", "2 2 3", "Q K A"]):
        for text in trick:
            assert text in choices(state)
            state, events = played(state, text)
        takers += [event.seat for event in events if isinstance(event, TrickTaken)]
    assert takers == [3, 2, 1]
    assert [hand(state, seat) for seat in (1, 2, 3, 4)] == ["8", "10", "9", "K"]
    assert legal_actions(state) == (Play(1, own(state, 1, "8")),)
