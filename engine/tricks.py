"""The tricks and the score (R12 to R23)."""

from engine.cards import Card, points
from engine.moves import CardKept, DealerChosen, Event, GameOver, Play, Played, TrickTaken, WentOut
from engine.refusals import refusal
from engine.rules import can_head, matches_or_beats
from engine.state import DealResult, Phase, SeatState, State, Step, Trick
from engine.turns import acting, held


def play(state: State, action: Play) -> Step:
    """One seat's play to the trick; the last play of the last trick ends the deal (R12 to R23)."""
    rule = "R15" if state.trick else "R13"
    place = acting(state, action.seat, Phase.PLAY, rule)
    known, best = state.seats[place], state.best
    cards = held(known.hand, action.cards, rule)
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
    in_hand = [card.rank for card in hand]
    is_lowest = ranks == in_hand[: len(ranks)]
    if is_lowest and not must_head:
        return False
    able = can_head(in_hand, to_beat)
    if able and must_head:
        raise refusal("H1", "must-head", best=best.cards)
    if not is_lowest:
        reason = "head-or-lowest" if able else "only-lowest"
        raise refusal("R15", reason, best=best.cards, lowest=hand[: len(ranks)])
    return False


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
