"""The legal plays against their plain definition, tried out on every subset of a hand."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import letters, table

from engine.cards import PACK, RANK_LETTERS, Card
from engine.game import apply, legal_actions
from engine.moves import IllegalMove, Play
from engine.rules import Rules, can_head, follows, leads, matches_or_beats
from engine.state import State

hands = st.sets(st.sampled_from(PACK), min_size=1, max_size=11).map(lambda cards: tuple(sorted(cards)))


def by_definition(hand: tuple[Card, ...], best: tuple[Card, ...], must_head: bool) -> set[tuple[int, ...]]:
    """The ranks of every subset of the hand that R13 to R15 and H1 allow, straight from their words."""
    subsets = [tuple(chosen) for size in range(1, len(hand) + 1) for chosen in combinations(hand, size)]
    if not best:
        one_rank = [chosen for chosen in subsets if len({card.rank for card in chosen}) == 1]
        leaving = [chosen for chosen in one_rank if len(chosen) < len(hand) or len(hand) == 1]
        return {tuple(card.rank for card in chosen) for chosen in leaving}
    as_many = [tuple(card.rank for card in chosen) for chosen in subsets if len(chosen) == len(best)]
    heading = {
        ranks for ranks in as_many if all(ranks[place] >= best[place].rank for place in range(len(best)))
    }
    if must_head and heading:
        return heading
    return heading | {min(as_many)}


def at_turn(hand: tuple[Card, ...], best: tuple[Card, ...], must_head: bool) -> State:
    """Seat 2 to act with this hand, after seat 1 led these cards; or to lead itself."""
    rest = [card for card in PACK if card not in hand]
    other = (*best, *[card for card in rest if card not in best])[: len(hand)]
    state = table({1: "2", 2: "3"}, rules=Rules(must_head=must_head))
    one, two = state.seats
    stock = tuple(card for card in PACK if card not in hand and card not in other)
    seats = (
        type(one)(1, hand=tuple(sorted(other)), exchanged=0),
        type(two)(2, hand=hand, exchanged=0),
    )
    state = State(state.rules, seats, state.phase, turn=1 if best else 2, dealer=1, deals=1, stock=stock)
    return apply(state, Play(1, best))[0] if best else state


@settings(deadline=None)
@given(hand=hands, chance=st.randoms(use_true_random=False), must_head=st.booleans(), lead=st.booleans())
def test_choices_are_those_of_the_rules(
    hand: tuple[Card, ...], chance: Random, must_head: bool, lead: bool
) -> None:
    """R13 to R15, H1: ``legal_actions`` lists each set of ranks that the rules allow once, and no other."""
    best: tuple[Card, ...] = ()
    if not lead:
        ranks: dict[int, list[Card]] = {}
        for card in PACK:
            if card not in hand:
                ranks.setdefault(card.rank, []).append(card)
        cards = chance.choice(list(ranks.values()))
        most = min(len(cards), max(1, len(hand) - 1))
        best = tuple(cards[: chance.randint(1, most)])
    state = at_turn(hand, best, must_head)
    listed = [
        tuple(card.rank for card in choice.cards)
        for choice in legal_actions(state)
        if isinstance(choice, Play)
    ]
    assert len(listed) == len(set(listed))
    assert set(listed) == by_definition(hand, best, must_head)
    for size in range(len(hand) + 1):
        for chosen in combinations(hand, size) if len(hand) <= 7 else [tuple(chance.sample(hand, size))]:
            allowed = tuple(sorted(card.rank for card in chosen)) in listed
            try:
                apply(state, Play(2, chosen))
                assert allowed
            except IllegalMove:
                assert not allowed


@settings(deadline=None)
@given(hand=hands)
def test_number_of_leads(hand: tuple[Card, ...]) -> None:
    """R13, R14: there are as many leads as cards held; one fewer with two or more cards of one rank only."""
    ranks = tuple(card.rank for card in hand)
    assert len(leads(ranks)) == len(hand) - (len(hand) > 1 and len(set(ranks)) == 1)


@settings(deadline=None)
@given(hand=hands, chance=st.randoms(use_true_random=False))
def test_can_head_means_a_heading_follow_exists(hand: tuple[Card, ...], chance: Random) -> None:
    """R15a: a hand can head exactly if one of its follows does."""
    ranks = tuple(card.rank for card in hand)
    best = tuple(sorted(chance.choices(range(2, 15), k=chance.randint(1, len(hand)))))
    heading = [
        play for play in follows(ranks, best, False) if matches_or_beats([ranks[at] for at in play], best)
    ]
    assert can_head(ranks, best) is bool(heading)


def test_most_follows() -> None:
    """A lead has at most four cards, so a follow has at most 330 choices: any four of eleven ranks."""
    hand = tuple(range(3, 14))
    assert [len(follows(hand, (2,) * count, False)) for count in range(1, 5)] == [11, 55, 165, 330]


@pytest.mark.parametrize("rank", RANK_LETTERS)
def test_representative_has_the_lowest_suits(rank: int) -> None:
    """Each set of ranks is listed with the lowest suits held, in the order of the hand."""
    other = "2" if rank != 2 else "3"
    letter = RANK_LETTERS[rank]
    state = table({1: f"{letter} {letter} {letter} {other}", 2: "4 5 6 7" if rank > 7 else "8 9 10 J"})
    for choice in legal_actions(state):
        assert isinstance(choice, Play)
        held = [card for card in state.seats[0].hand if card.rank == choice.cards[0].rank]
        assert choice.cards == tuple(held[: len(choice.cards)])
        assert letters(choice.cards)
