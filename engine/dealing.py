"""The draw for first dealer, the deal and the exchange (R4 to R11)."""

from engine.cards import points
from engine.moves import Deal, DealerChosen, Dealt, Draw, Drawn, Event, Exchange, Exchanged, ExchangePassed
from engine.refusals import refusal
from engine.state import Phase, SeatState, State, Step, clockwise, drawing, highest_drawn, undealt, undrawn
from engine.turns import acting, expect, held, still_to_exchange


def draw(state: State, action: Draw) -> Step:
    """A round of the draw for first dealer (R4)."""
    expect(state, Phase.DRAW)
    seats = drawing(state)
    if len(action.cards) != len(seats):
        raise refusal("R4", "draw-count", count=len(seats))
    allowed = set(undrawn(state))
    if not allowed.issuperset(action.cards) or len(set(action.cards)) != len(seats):
        wrong = [card for card in action.cards if card not in allowed or action.cards.count(card) > 1]
        raise refusal("R4", "draw-cards", cards=tuple(wrong))
    drew = dict(zip(seats, action.cards, strict=True))
    after = tuple(
        SeatState(known.seat, drew=(*known.drew, drew[known.seat]) if known.seat in drew else known.drew)
        for known in state.seats
    )
    events = tuple(Drawn(seat, card) for seat, card in drew.items())
    highest = highest_drawn(after)
    if len(highest) > 1:
        return State(state.rules, after), events
    chosen = State(state.rules, after, phase=Phase.DEAL, dealer=highest[0])
    return chosen, (*events, DealerChosen(highest[0]))


def deal(state: State, action: Deal) -> Step:
    """A deal of the shuffled pack (R5 to R8)."""
    expect(state, Phase.DEAL)
    assert state.dealer is not None
    pack, wanted = action.pack, undealt(state)
    if len(pack) != len(wanted) or set(pack) != set(wanted):
        missing = tuple(card for card in wanted if card not in pack)
        extra = tuple(card for card in pack if card not in wanted or pack.count(card) > 1)
        raise refusal("R7", "wrong-pack", missing=missing, extra=extra)
    order = clockwise(state, state.dealer)
    size = min(_hand_size(state), len(pack) // len(order))
    dealt = size * len(order)
    hands = {seat: tuple(sorted(pack[turn : dealt : len(order)])) for turn, seat in enumerate(order)}
    seats = tuple(
        SeatState(
            known.seat, hand=hands.get(known.seat, ()), pile=known.pile, points=known.points, out=known.out
        )
        for known in state.seats
    )
    after = State(
        state.rules,
        seats,
        phase=Phase.EXCHANGE,
        dealer=state.dealer,
        deals=state.deals + 1,
        stock=pack[dealt:],
        result=state.result,
    )
    event = Dealt(state.dealer, size, len(after.stock))
    return _next_exchange(after, order, event)


def _hand_size(state: State) -> int:
    """Cards each that the next deal should have: in the first (R5), then by the card the loser kept (R6)."""
    if state.result is None:
        return state.rules.first_hand
    return points(dict(state.result.kept)[state.result.loser].rank)


def exchange(state: State, action: Exchange) -> Step:
    """One seat's exchange (R9 to R11)."""
    place = acting(state, action.seat, Phase.EXCHANGE, "R9")
    known, stock = state.seats[place], state.stock
    away = held(known.hand, action.cards, "R9")
    if len(away) > len(stock):
        raise refusal("R9", "too-many", stock=len(stock))
    drawn = stock[: len(away)]
    seat = SeatState(
        known.seat,
        hand=tuple(sorted([card for card in known.hand if card not in away] + list(drawn))),
        discarded=away,
        drawn=tuple(sorted(drawn)),
        exchanged=len(away),
        pile=known.pile,
        points=known.points,
    )
    after = State(
        state.rules,
        (*state.seats[:place], seat, *state.seats[place + 1 :]),
        phase=Phase.EXCHANGE,
        dealer=state.dealer,
        deals=state.deals,
        stock=stock[len(away) :],
        result=state.result,
    )
    return _next_exchange(after, still_to_exchange(state)[1:], Exchanged(known.seat, len(away)))


def _next_exchange(state: State, waiting: tuple[int, ...], event: Event) -> Step:
    """Give the exchange to the first of those who wait. With the stock empty all of them pass (R11); when
    none is left, the seat left of the dealer leads (R12)."""
    assert state.dealer is not None
    passed = () if state.stock else tuple(ExchangePassed(seat) for seat in waiting)
    if waiting and not passed:
        phase, turn = Phase.EXCHANGE, waiting[0]
    else:
        phase, turn = Phase.PLAY, clockwise(state, state.dealer)[0]
    after = State(
        state.rules,
        state.seats,
        phase=phase,
        turn=turn,
        dealer=state.dealer,
        deals=state.deals,
        stock=state.stock,
        result=state.result,
    )
    return after, (event, *passed)
