"""Gestures and the choice of cards."""

import pytest

from engine.cards import cards
from engine.game import apply, new_game, undealt, undrawn
from engine.moves import Deal, Draw, Exchange, Play
from engine.views import view
from firmware.table.controls import HOLD_S, Gesture, Gestures, Kind, Picking, chosen, suggestion
from hardware.seat import Button, Edge


def strokes(*edges):
    """Feed edges (button, down, at) of seat 1; return all gestures, holds as their time comes."""
    gestures = Gestures()
    found = []
    for button, down, at in edges:
        found += gestures.due(at)
        gesture = gestures.edge(Edge(1, button, down, at))
        found += [gesture] if gesture else []
    return found


def test_left_and_right_tap_when_pressed():
    """The cursor moves with the press, not with the release."""
    assert strokes((Button.LEFT, True, 1.0)) == [Gesture(1, Button.LEFT, Kind.TAP, 1.0, 1.0)]
    assert len(strokes((Button.RIGHT, True, 1.0), (Button.RIGHT, False, 3.0))) == 1


def test_a_short_stroke_taps_on_release_only():
    """A stroke shorter than the hold time is one tap, when it ends."""
    assert strokes((Button.PLAY, True, 1.0)) == []
    assert strokes((Button.PLAY, True, 1.0), (Button.PLAY, False, 1.2)) == [
        Gesture(1, Button.PLAY, Kind.TAP, 1.0, 1.2)
    ]


def test_a_long_stroke_is_one_hold_and_its_release_is_silent():
    """A stroke of the hold time or more is one hold, at that time; the release adds nothing."""
    found = strokes((Button.MARK, True, 1.0), (Button.MARK, False, 5.0))
    assert found == [Gesture(1, Button.MARK, Kind.HOLD, 1.0, 1.0 + HOLD_S)]


def test_a_hold_that_nobody_timed_still_counts_once():
    """If no timer ran during a long stroke, its release brings the hold."""
    gestures = Gestures()
    gestures.edge(Edge(1, Button.MARK, True, 1.0))
    gesture = gestures.edge(Edge(1, Button.MARK, False, 5.0))
    assert gesture is not None
    assert gesture.kind is Kind.HOLD
    assert gestures.due(9.0) == []


def test_a_repeated_press_is_no_second_press():
    """Thirty "down" without an "up" are one stroke."""
    downs = [(Button.PLAY, True, 1.0 + i / 100) for i in range(30)]
    assert len(strokes(*downs, (Button.PLAY, False, 1.4))) == 1


def test_a_release_without_a_press_does_nothing():
    """An "up" that no "down" came before is no gesture."""
    assert strokes((Button.PLAY, False, 1.0)) == []


def test_two_seats_hold_independently():
    """One seat's stroke does not end another's."""
    gestures = Gestures()
    gestures.edge(Edge(1, Button.PLAY, True, 1.0))
    gestures.edge(Edge(2, Button.PLAY, True, 1.5))
    assert [gesture.seat for gesture in gestures.due(1.0 + HOLD_S)] == [1]
    assert gestures.deadline() == 1.5 + HOLD_S


HAND = cards("2c 5c 5d 5h Ks")


def test_the_cursor_goes_round_the_ends_of_the_hand():
    """Left of the first card is the last."""
    assert Picking(0).moved(-1, HAND).cursor == 4
    assert Picking(4).moved(1, HAND).cursor == 0


def test_without_marks_the_card_at_the_cursor_is_chosen():
    """One press of PLAY plays the card at the cursor; marked cards go before it."""
    assert Picking(1).cards(HAND) == cards("5c")
    assert Picking(1, frozenset(cards("Ks 2c"))).cards(HAND) == cards("2c Ks")


def test_a_changed_hand_keeps_only_marks_and_cursor_that_fit():
    """Marks on cards that have gone are dropped, the cursor stays on a card."""
    assert Picking(4, frozenset(cards("5c Ks"))).within(cards("2c 5c")) == Picking(1, frozenset(cards("5c")))
    assert Picking(4).within(()).cursor == 0


@pytest.fixture
def dealt():
    """Two players; seat 1 holds 3 3 3 5 5 K A and leads, after the exchange of both."""
    state = new_game((1, 2))
    draws = sorted(undrawn(state))
    state, _ = apply(state, Draw((draws[0], draws[-1])))
    mine, other = cards("3c 3d 3h 5c 5d Ks As"), cards("2c 2d 4c 4d 6c 6d 9s")
    first = [card for pair in zip(mine, other, strict=True) for card in pair]
    rest = [card for card in undealt(state) if card not in first]
    state, _ = apply(state, Deal((*first, *rest)))
    return state


def test_play_exchanges_the_marked_cards_and_none_without_marks(dealt):
    """In the exchange the card at the cursor alone is not given away by accident."""
    seen = view(dealt, 1)
    assert chosen(seen, Picking(2)) == Exchange(1, ())
    assert chosen(seen, Picking(0, frozenset(cards("Ks")))) == Exchange(1, cards("Ks"))


def test_a_held_mark_suggests_cards_and_takes_them_back(dealt):
    """It marks the set at the cursor to lead, the lowest to follow, the highest to exchange; again: none."""
    assert suggestion(view(dealt, 1), Picking()).marked == frozenset(view(dealt, 1).hand)
    state, _ = apply(dealt, Exchange(1, ()))
    state, _ = apply(state, Exchange(2, ()))
    lead = suggestion(view(state, 1), Picking(4))
    assert lead.marked == frozenset(cards("5c 5d"))
    assert suggestion(view(state, 1), lead).marked == frozenset()
    state, _ = apply(state, Play(1, cards("5c 5d")))
    assert suggestion(view(state, 2), Picking(5)).marked == frozenset(cards("2c 2d"))
