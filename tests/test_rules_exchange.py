"""Rules R9 to R11: the exchange."""

import pytest
from tables import drawn, hand, own, table

from engine.cards import PACK
from engine.game import apply, legal_actions, undealt
from engine.moves import AnyExchange, Deal, Dealt, Exchange, Exchanged, ExchangePassed, IllegalMove
from engine.rules import Rules
from engine.state import Phase, State

KEEP_ALL = ()


def exchange_table(stock: str, rules: Rules | None = None) -> State:
    """Three players with three cards each; seat 3 deals, seat 1 begins."""
    hands = {1: "2 3 K", 2: "4 5 6", 3: "7 8 9"}
    return table(hands, phase=Phase.EXCHANGE, stock=stock, rules=rules)


def test_order_of_the_exchange() -> None:
    """R9: from the dealer's left each player has one exchange, and after the last the tricks begin."""
    state = apply(drawn((2, 3, 5), "4 K 6"), Deal(PACK))[0]
    order = []
    while state.phase is Phase.EXCHANGE:
        assert state.turn is not None
        order.append(state.turn)
        state, events = apply(state, Exchange(state.turn, KEEP_ALL))
        assert events == (Exchanged(order[-1], 0),)
    assert order == [5, 2, 3]
    assert (state.phase, state.turn) == (Phase.PLAY, 5)


def test_exchange_draws_from_the_top() -> None:
    """R9: as many cards as were discarded come from the top of the stock, and the hand stays sorted."""
    state = exchange_table(stock="Q A 2 2")
    top = state.stock
    state, events = apply(state, Exchange(1, own(state, 1, "K 2")))
    assert events == (Exchanged(1, 2),)
    assert hand(state, 1) == "3 Q A"
    seat = state.seats[0]
    assert (seat.exchanged, seat.drawn) == (2, top[:2])
    assert state.stock == top[2:]


def test_nobody_has_to_exchange() -> None:
    """R9: an exchange of no cards keeps the hand and the stock as they are."""
    state = exchange_table(stock="Q A")
    after = apply(state, Exchange(1, KEEP_ALL))[0]
    assert (hand(after, 1), after.stock, after.turn) == (hand(state, 1), state.stock, 2)
    assert after.seats[0].exchanged == 0


def test_whole_hand_may_be_exchanged() -> None:
    """R9: any number of cards may go, the whole hand included."""
    state = exchange_table(stock="Q A 2 2")
    assert hand(apply(state, Exchange(1, own(state, 1, "2 3 K")))[0], 1) == "2 Q A"


@pytest.mark.parametrize(("stock", "at_most"), [("Q", 1), ("Q A", 2), ("Q Q Q A", 3)])
def test_at_most_what_the_stock_holds(stock: str, at_most: int) -> None:
    """R9: an exchange is described, never listed: any cards, at most as many as stock and hand hold."""
    assert legal_actions(exchange_table(stock)) == (AnyExchange(1, at_most),)


def test_more_than_the_stock_is_refused() -> None:
    """R9: nobody can exchange more cards than the stock holds."""
    state = exchange_table(stock="Q A")
    with pytest.raises(IllegalMove) as refused:
        apply(state, Exchange(1, own(state, 1, "2 3 K")))
    assert (refused.value.rule, refused.value.reason) == ("R9", "too-many")
    assert refused.value.details == {"stock": 2}
    assert str(refused.value) == "The stock has 2: you cannot exchange more than that."


def test_discards_stay_out_until_the_deal_is_over() -> None:
    """R10, decided: discards never return to the stock in the same deal, and are in the pack of the next."""
    state = exchange_table(stock="Q A")
    away = own(state, 1, "K 3")
    state = apply(state, Exchange(1, away))[0]
    assert state.seats[0].discarded == tuple(sorted(away))
    assert not set(state.stock) & set(away)
    while state.phase is not Phase.DEAL:
        choice = legal_actions(state)[0]
        assert not isinstance(choice, AnyExchange)
        state = apply(state, choice)[0]
        if state.phase is Phase.PLAY:
            assert state.seats[0].discarded == tuple(sorted(away))
    assert state.seats[0].discarded == ()
    assert set(away) <= set(undealt(state))


def test_turns_pass_when_the_stock_is_empty() -> None:
    """R11: with the stock empty the players who are left have no exchange: they pass and are told so."""
    state = exchange_table(stock="Q A")
    state, events = apply(state, Exchange(1, own(state, 1, "2 3")))
    assert events == (Exchanged(1, 2), ExchangePassed(2), ExchangePassed(3))
    assert (state.phase, state.turn) == (Phase.PLAY, 1)
    assert [known.exchanged for known in state.seats[:3]] == [2, None, None]


def test_one_card_left_is_still_an_exchange() -> None:
    """R9, R11: a stock of one card is not empty: the next player may have that card."""
    state, events = apply(exchange_table(stock="Q A"), Exchange(1, own(exchange_table("Q A"), 1, "K")))
    assert events == (Exchanged(1, 1),)
    assert legal_actions(state) == (AnyExchange(2, 1),)


def test_no_stock_at_all() -> None:
    """R11: if the deal leaves no stock, nobody has an exchange and the tricks begin at once."""
    game = drawn((1, 2, 3, 4), "K 2 3 4", Rules(first_hand=11))
    pile = tuple(PACK[0:8])
    seats = (*game.seats[:3], type(game.seats[3])(4, pile=pile, points=16))
    state = State(game.rules, seats, Phase.DEAL, dealer=1)
    state, events = apply(state, Deal(undealt(state)))
    assert events == (Dealt(1, 11, 0), *(ExchangePassed(seat) for seat in (2, 3, 4, 1)))
    assert (state.phase, state.turn) == (Phase.PLAY, 2)


def test_one_exchange_each() -> None:
    """R9: whoever has had the exchange cannot have another in the same deal, nor when cards are played."""
    state = apply(exchange_table(stock="Q A 2"), Exchange(1, KEEP_ALL))[0]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Exchange(1, KEEP_ALL))
    assert (refused.value.rule, refused.value.reason) == ("R9", "exchange-had")
    state = apply(apply(state, Exchange(2, KEEP_ALL))[0], Exchange(3, KEEP_ALL))[0]
    with pytest.raises(IllegalMove) as refused:
        apply(state, Exchange(1, KEEP_ALL))
    assert refused.value.reason == "waits-for-play"
