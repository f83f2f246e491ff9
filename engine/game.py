"""The game as a state machine: what an action makes of a state, and which actions are legal."""

from collections.abc import Collection

from engine.cards import Card, points
from engine.moves import (
    Action,
    AnyExchange,
    CardKept,
    Choice,
    Deal,
    DealerChosen,
    Dealt,
    Draw,
    Drawn,
    Event,
    Exchange,
    Exchanged,
    ExchangePassed,
    GameOver,
    Play,
    Played,
    TrickTaken,
    WentOut,
)
from engine.refusals import refusal
from engine.rules import can_head, follows, leads, matches_or_beats
from engine.soundness import broken_invariants
from engine.state import (
    DealResult,
    Phase,
    SeatState,
    State,
    Trick,
    clockwise,
    drawing,
    highest_drawn,
    new_game,
    undealt,
    undrawn,
)

__all__ = [
    "State",
    "apply",
    "broken_invariants",
    "clockwise",
    "drawing",
    "legal_actions",
    "new_game",
    "undealt",
    "undrawn",
]

Step = tuple[State, tuple[Event, ...]]
"""The state after an action, and what everybody at the table saw happen."""

_WAITS_FOR = {
    Phase.DRAW: ("R4", "waits-for-draw"),
    Phase.DEAL: ("R5", "waits-for-deal"),
    Phase.EXCHANGE: ("R9", "waits-for-exchange"),
    Phase.PLAY: ("R12", "waits-for-play"),
    Phase.OVER: ("R22", "game-over"),
}


def apply(state: State, action: Action) -> Step:
    """The game after an action. Raise IllegalMove if the rules refuse it; ``state`` never changes."""
    match action:
        case Play():
            return _play(state, action)
        case Exchange():
            return _exchange(state, action)
        case Deal():
            return _deal(state, action)
        case Draw():
            return _draw(state, action)
    raise TypeError(f"{action!r} is no action")


def legal_actions(state: State) -> tuple[Choice, ...]:
    """What the seat whose turn it is may do; nothing while the game waits for chance, or is over.

    Each set of ranks is listed once, as a Play of its lowest suits; ``apply`` takes any cards of these ranks.
    """
    if state.turn is None:
        return ()
    hand = state.seats[state.place(state.turn)].hand
    if state.phase is Phase.EXCHANGE:
        return (AnyExchange(state.turn, min(len(hand), len(state.stock))),)
    ranks = tuple([card.rank for card in hand])
    best = state.best
    if best is None:
        plays = leads(ranks)
    else:
        plays = follows(ranks, tuple([card.rank for card in best.cards]), state.rules.must_head)
    return tuple([Play(state.turn, tuple([hand[place] for place in play])) for play in plays])


# The draw for first dealer


def _draw(state: State, action: Draw) -> Step:
    _expect(state, Phase.DRAW)
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


# The deal


def _deal(state: State, action: Deal) -> Step:
    _expect(state, Phase.DEAL)
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


# The exchange


def _exchange(state: State, action: Exchange) -> Step:
    place = _acting(state, action.seat, Phase.EXCHANGE, "R9")
    known, stock = state.seats[place], state.stock
    away = _held(known.hand, action.cards, "R9")
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
    return _next_exchange(after, _still_to_exchange(state)[1:], Exchanged(known.seat, len(away)))


def _still_to_exchange(state: State) -> tuple[int, ...]:
    """The seat whose exchange it is and those after it."""
    assert state.dealer is not None
    assert state.turn is not None
    order = clockwise(state, state.dealer)
    return order[order.index(state.turn) :]


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


# The tricks


def _play(state: State, action: Play) -> Step:
    rule = "R15" if state.trick else "R13"
    place = _acting(state, action.seat, Phase.PLAY, rule)
    known, best = state.seats[place], state.best
    cards = _held(known.hand, action.cards, rule)
    if best is None:
        _check_lead(known.hand, cards)
        heads = True
    else:
        heads = _check_follow(known.hand, cards, best, state.rules.must_head)
    played = Played(known.seat, cards, heads)
    seat = SeatState(
        known.seat,
        tuple([card for card in known.hand if card not in cards]),
        known.discarded,
        known.drawn,
        known.exchanged,
        known.pile,
        known.points,
    )
    seats = (*state.seats[:place], seat, *state.seats[place + 1 :])
    plays = (*state.trick, played)
    turn = _next_to_play(seats, place)
    if turn != plays[0].seat:
        return _during_play(state, seats, turn, plays, state.tricks), (played,)
    taker = known.seat if heads or best is None else best.seat
    tricks = (*state.tricks, Trick(plays, taker))
    after = _during_play(state, seats, taker, (), tricks)
    taken = TrickTaken(taker, plays)
    if seat.hand:
        return after, (played, taken)
    ended, events = _end_deal(after)
    return ended, (played, taken, *events)


def _next_to_play(seats: tuple[SeatState, ...], place: int) -> int:
    """The next seat still in the game, clockwise from a place (R3). After a whole trick: who led it."""
    for known in seats[place + 1 :] + seats:
        if not known.out:
            return known.seat
    raise ValueError("nobody is in the game")


def _during_play(
    state: State,
    seats: tuple[SeatState, ...],
    turn: int,
    trick: tuple[Played, ...],
    tricks: tuple[Trick, ...],
) -> State:
    return State(
        state.rules,
        seats,
        Phase.PLAY,
        turn,
        state.dealer,
        state.deals,
        state.stock,
        trick,
        tricks,
        state.result,
    )


def _check_lead(hand: tuple[Card, ...], cards: tuple[Card, ...]) -> None:
    if not cards:
        raise refusal("R13", "no-cards")
    if cards[0].rank != cards[-1].rank:
        raise refusal("R13", "one-rank")
    if len(cards) == len(hand) > 1:
        raise refusal("R14", "leave-one")


def _check_follow(hand: tuple[Card, ...], cards: tuple[Card, ...], best: Played, must_head: bool) -> bool:
    """Whether a follow heads; raise IllegalMove if it does not and is not allowed as the lowest (R15, H1)."""
    if len(cards) != len(best.cards):
        raise refusal("R15", "wrong-count", count=len(best.cards))
    ranks = [card.rank for card in cards]
    to_beat = [card.rank for card in best.cards]
    if matches_or_beats(ranks, to_beat):
        return True
    held = [card.rank for card in hand]
    is_lowest = ranks == held[: len(ranks)]
    if is_lowest and not must_head:
        return False
    able = can_head(held, to_beat)
    if able and must_head:
        raise refusal("H1", "must-head", best=best.cards)
    if not is_lowest:
        reason = "head-or-lowest" if able else "only-lowest"
        raise refusal("R15", reason, best=best.cards, lowest=hand[: len(ranks)])
    return False


# The score


def _end_deal(state: State) -> Step:
    """Score the final trick just finished: who keeps a card, who goes out, and who deals next or has won."""
    final = state.tricks[-1]
    loser = final.taker
    highest = max(played.cards[0].rank for played in final.plays)
    kept = {
        played.seat: played.cards[0]
        for played in final.plays
        if played.cards[0].rank == highest and (played.seat == loser or not state.rules.last_tied_only)
    }
    events: list[Event] = [CardKept(seat, card, points(card.rank)) for seat, card in kept.items()]
    seats = tuple(
        _scored(known, kept.get(known.seat), state.rules.limit, state.rules.piles_return)
        for known in state.seats
    )
    playing = {played.seat for played in final.plays}
    went_out = [known for known in seats if known.out and known.seat in playing]
    events += [WentOut(known.seat, known.points) for known in went_out]
    result = DealResult(final.plays, tuple(kept.items()), loser, tuple(known.seat for known in went_out))
    winners = _winners(seats, went_out)
    events.append(GameOver(winners) if winners else DealerChosen(loser))
    after = State(
        state.rules,
        seats,
        phase=Phase.OVER if winners else Phase.DEAL,
        dealer=state.dealer if winners else loser,
        deals=state.deals,
        tricks=state.tricks,
        result=result,
        winners=winners,
    )
    return after, tuple(events)


def _scored(known: SeatState, card: Card | None, limit: int, piles_return: bool) -> SeatState:
    """A seat after the deal: its cards go back to the pack, but for one that it keeps (R18 to R21, H5)."""
    if card is None:
        return SeatState(known.seat, pile=known.pile, points=known.points, out=known.out)
    score = known.points + points(card.rank)
    out = score >= limit
    return SeatState(
        known.seat, pile=() if out and piles_return else (*known.pile, card), points=score, out=out
    )


def _winners(seats: tuple[SeatState, ...], went_out: list[SeatState]) -> tuple[int, ...]:
    """Who has won: the last in the game (R22), or the lowest of those who went out together (R23)."""
    staying = [known.seat for known in seats if not known.out]
    if staying:
        return tuple(staying) if len(staying) == 1 else ()
    lowest = min(known.points for known in went_out)
    return tuple(known.seat for known in went_out if known.points == lowest)


# What every action must keep to


def _expect(state: State, phase: Phase) -> None:
    if state.phase is not phase:
        rule, reason = _WAITS_FOR[state.phase]
        raise refusal(rule, reason)


def _acting(state: State, seat: int, phase: Phase, rule: str) -> int:
    """The place of the seat that acts; raise IllegalMove if it is not this seat's turn to do so."""
    _expect(state, phase)
    if seat == state.turn:
        return state.place(seat)
    if seat not in [known.seat for known in state.seats]:
        raise refusal("R1", "no-such-seat", seat=seat)
    if state.seats[state.place(seat)].out:
        raise refusal("R21", "out")
    if phase is Phase.EXCHANGE and seat not in _still_to_exchange(state):
        raise refusal("R9", "exchange-had")
    raise refusal(rule, "not-your-turn", turn=state.turn)


def _held(hand: tuple[Card, ...], chosen: Collection[Card], rule: str) -> tuple[Card, ...]:
    """The chosen cards, low to high; raise IllegalMove if one is not in the hand or is chosen twice."""
    cards = tuple([card for card in hand if card in chosen])
    if len(cards) != len(chosen):
        foreign = tuple(card for card in chosen if card not in hand)
        if foreign:
            raise refusal(rule, "not-your-cards", cards=foreign)
        twice = tuple(card for card in cards if tuple(chosen).count(card) > 1)
        raise refusal(rule, "card-twice", cards=twice)
    return cards
