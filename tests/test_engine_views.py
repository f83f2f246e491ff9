"""What a seat may know, and what it may not."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import by_chance, played, table

from engine.cards import PACK, Card
from engine.game import apply, broken_invariants, legal_actions, new_game
from engine.moves import Exchange
from engine.rules import Rules
from engine.state import Phase, SeatState, State
from engine.views import View, view

chances = st.integers(0, 2**32).map(Random)


def in_mid_game(chance: Random) -> State:
    """Any state of any game."""
    rules = Rules(
        must_head=chance.random() < 0.5, limit=chance.randint(2, 42), first_hand=chance.randint(2, 11)
    )
    state = new_game(sorted(chance.sample(range(1, 7), chance.randint(2, 6))), rules)
    for _ in range(chance.randrange(120)):
        if state.phase is Phase.OVER:
            break
        state = apply(state, by_chance(state, chance))[0]
    return state


def hidden_cards(state: State, seat: int | None) -> list[Card]:
    """All that this seat may not tell apart: the stock, and what others hold and have discarded."""
    hidden = [*state.stock]
    for known in state.seats:
        if known.seat != seat:
            hidden += [*known.hand, *known.discarded]
    return hidden


def mixed(state: State, seat: int | None, chance: Random) -> State:
    """The same state as this seat knows it, with all that is hidden from it dealt anew."""
    hidden = hidden_cards(state, seat)
    chance.shuffle(hidden)
    left: Iterator[Card] = iter(hidden)

    def take(count: int) -> tuple[Card, ...]:
        return tuple(next(left) for _ in range(count))

    seats = []
    for known in state.seats:
        if known.seat == seat:
            seats.append(known)
            continue
        hand = tuple(sorted(take(len(known.hand))))
        discarded = tuple(sorted(take(len(known.discarded))))
        seats.append(
            SeatState(
                known.seat,
                hand,
                discarded,
                tuple(sorted(chance.sample(hand, min(len(known.drawn), len(hand)))))
                + known.drawn[len(hand) :],
                known.exchanged,
                known.pile,
                known.points,
                known.out,
                known.drew,
            )
        )
    return State(
        state.rules,
        tuple(seats),
        state.phase,
        state.turn,
        state.dealer,
        state.deals,
        take(len(state.stock)),
        state.trick,
        state.tricks,
        state.result,
        state.winners,
    )


@settings(max_examples=300, deadline=None)
@given(chance=chances)
def test_views_do_not_depend_on_hidden_cards(chance: Random) -> None:
    """States that differ only in what others hold, discarded or drew, or in the stock, give equal views."""
    state = in_mid_game(chance)
    for seat in (None, *(known.seat for known in state.seats)):
        other = mixed(state, seat, chance)
        assert view(other, seat) == view(state, seat)
        assert repr(view(other, seat)) == repr(view(state, seat))


def cards_in(value: object) -> set[Card]:
    """Every card that a view names anywhere."""
    if isinstance(value, Card):
        return {value}
    if isinstance(value, tuple | list):
        return {card for part in value for card in cards_in(part)}
    if hasattr(value, "__dataclass_fields__"):
        return {card for name in value.__dataclass_fields__ for card in cards_in(getattr(value, name))}
    return set()


@settings(max_examples=300, deadline=None)
@given(chance=chances)
def test_views_name_no_hidden_card(chance: Random) -> None:
    """A view names own and public cards only, wherever one looks in it; a spectator's only public ones."""
    state = in_mid_game(chance)
    for seat in (None, *(known.seat for known in state.seats)):
        known = view(state, seat)
        if state.phase in (Phase.EXCHANGE, Phase.PLAY):
            # The final trick of the deal before is still shown, and its cards are in the pack again.
            seen = cards_in(known) - cards_in(known.result)
            assert not seen & set(hidden_cards(state, seat))


@settings(max_examples=100, deadline=None)
@given(chance=chances)
def test_view_shows_own_cards_and_choices(chance: Random) -> None:
    """A seat sees its own hand, discards and draws, and its choices when it is its turn; nobody else does."""
    state = in_mid_game(chance)
    for known in state.seats:
        seen = view(state, known.seat)
        assert (seen.hand, seen.discarded, seen.drawn) == (known.hand, known.discarded, known.drawn)
        assert seen.choices == (legal_actions(state) if state.turn == known.seat else ())
    watched = view(state, None)
    assert (watched.hand, watched.discarded, watched.drawn, watched.choices) == ((), (), (), ())


@settings(max_examples=100, deadline=None)
@given(chance=chances)
def test_view_shows_what_everybody_knows(chance: Random) -> None:
    """Everybody sees numbers of cards held and exchanged, piles, points, tricks, turn and dealer."""
    state = in_mid_game(chance)
    for seat in (None, state.seats[0].seat):
        seen = view(state, seat)
        assert (seen.stock, seen.turn, seen.dealer, seen.deals) == (
            len(state.stock),
            state.turn,
            state.dealer,
            state.deals,
        )
        assert (seen.trick, seen.tricks, seen.best, seen.winners) == (
            state.trick,
            state.tricks,
            state.best,
            state.winners,
        )
        for known in state.seats:
            public = seen.of(known.seat)
            assert (public.cards, public.exchanged) == (len(known.hand), known.exchanged)
            assert (public.pile, public.points, public.out) == (known.pile, known.points, known.out)


def test_exchange_hides_the_cards() -> None:
    """Others learn how many cards were exchanged, and not which."""
    state = table({1: "2 3 K", 2: "4 5 6"}, phase=Phase.EXCHANGE, stock="Q A A")
    cards = state.seats[0].hand
    seen = [view(apply(state, Exchange(1, cards[a:b]))[0], 2) for a, b in ((0, 2), (1, 3))]
    assert seen[0] == seen[1]
    assert seen[0].of(1).exchanged == 2


def test_own_discards_until_the_next_deal() -> None:
    """A seat sees its own discards and draws through the deal, and no longer when the deal is over."""
    state = table({1: "2 K", 2: "4 5"}, phase=Phase.EXCHANGE, stock="Q A")
    king = state.seats[0].hand[1]
    state = apply(apply(state, Exchange(1, (king,)))[0], Exchange(2, ()))[0]
    assert view(state, 1).discarded == (king,)
    assert [card.rank for card in view(state, 1).drawn] == [12]
    state = played(state, "Q", "4", "2", "5")[0]
    assert (view(state, 1).discarded, view(state, 1).drawn) == ((), ())


def test_unknown_seat() -> None:
    """A view of a seat that is not in the game is refused by its number."""
    state = new_game((1, 2))
    with pytest.raises(ValueError, match="seat 3 is not in this game"):
        view(state, 3)
    with pytest.raises(KeyError):
        view(state, 1).of(3)


def test_views_can_be_compared_and_hashed() -> None:
    """Views are values: equal content compares equal, so that a screen can tell when nothing has changed."""
    state = new_game((1, 2))
    assert view(state, 1) == view(state, 1)
    assert view(state, 1) != view(state, 2)
    assert isinstance(hash(view(state, 1)), int)
    assert isinstance(view(state, 1), View)


@settings(max_examples=50, deadline=None)
@given(chance=chances)
def test_mixing_keeps_states_sound(chance: Random) -> None:
    """The dealing anew that these tests rely on makes states that could be, and that differ."""
    state = in_mid_game(chance)
    seat = state.seats[0].seat
    assert broken_invariants(mixed(state, seat, chance)) == ()
    if len(hidden_cards(state, seat)) > 20:
        assert mixed(state, seat, chance) != state
    assert {card for known in state.seats for card in known.hand} <= set(PACK)
