"""The status check of a state: every invariant of the game, and which of them are broken."""

from engine.cards import PACK, RANKS, Card, points
from engine.rules import matches_or_beats
from engine.state import Phase, SeatState, State

_PACK = frozenset(PACK)
_POINTS = {rank: points(rank) for rank in RANKS}


def broken_invariants(state: State) -> tuple[str, ...]:
    """What is wrong with a state, one sentence each that names rule and seat; nothing if it is sound."""
    broken: list[str] = []
    if state.phase is Phase.EXCHANGE or state.phase is Phase.PLAY:
        _check_cards(state, broken)
        _check_turn(state, broken)
        if state.phase is Phase.PLAY:
            _check_trick(state, broken)
    else:
        _check_between_deals(state, broken)
    _check_dealer(state, broken)
    _check_score(state, broken)
    return tuple(broken)


def _check_cards(state: State, broken: list[str]) -> None:
    """52 cards, each in exactly one place."""
    lying = list(state.stock)
    for plays in (state.trick, *[trick.plays for trick in state.tricks]):
        for played in plays:
            lying += played.cards
    for known in state.seats:
        hand = known.hand
        lying += hand
        lying += known.discarded
        lying += known.pile
        if list(hand) != sorted(hand):
            broken.append(f"the hand of seat {known.seat} is not sorted")
        if len(known.drawn) != len(known.discarded) or len(known.drawn) != (known.exchanged or 0):
            broken.append(f"seat {known.seat} has not drawn as many cards as it discarded (R9)")
        if known.out and (hand or known.discarded):
            broken.append(f"seat {known.seat} is out and holds cards (R21)")
    distinct = set(lying)
    if len(distinct) != len(lying) or distinct != _PACK:
        broken.append(_misplaced(lying))


def _check_between_deals(state: State, broken: list[str]) -> None:
    """Nobody acts, and all cards but those in the piles are in the pack."""
    if state.turn is not None:
        broken.append(f"seat {state.turn} has the turn while nobody acts")
    if state.stock or state.trick:
        broken.append("cards lie on the table between deals (R20)")
    for known in state.seats:
        if known.hand or known.discarded or known.drawn or known.exchanged is not None:
            broken.append(f"seat {known.seat} holds cards between deals (R20)")
    kept = [card for known in state.seats for card in known.pile]
    if len(set(kept)) != len(kept) or not _PACK.issuperset(kept):
        broken.append(_misplaced(kept, in_pack=set(PACK) - set(kept)))


def _misplaced(lying: list[Card], in_pack: set[Card] | None = None) -> str:
    twice = sorted({card for card in lying if lying.count(card) > 1})
    foreign = [card for card in lying if card not in _PACK]
    nowhere = sorted(_PACK.difference(lying, in_pack or ()))
    lists = ((twice, "in two places"), (foreign, "of no pack"), (nowhere, "nowhere"))
    return "cards are " + ", ".join(f"{what}: {' '.join(map(str, cards))}" for cards, what in lists if cards)


def _check_turn(state: State, broken: list[str]) -> None:
    """Somebody in the game has the turn, with an exchange to make or in the order of the trick."""
    for known in state.seats:
        if known.seat == state.turn:
            break
    else:
        broken.append(f"seat {state.turn} has the turn and is not in the game")
        return
    if known.out:
        broken.append(f"seat {state.turn} has the turn and is out (R3)")
    elif state.phase is Phase.EXCHANGE:
        if not state.stock or known.exchanged is not None or state.trick or state.tricks:
            broken.append(f"seat {state.turn} has the turn and no exchange to make (R9, R11)")
    elif state.stock:
        for known in state.seats:
            if known.exchanged is None and not known.out:
                broken.append(f"seat {known.seat} has had no exchange though the stock has cards (R9)")


def _check_dealer(state: State, broken: list[str]) -> None:
    """The dealer is known after the draw: who drew highest, then who lost the deal before."""
    drawing = state.phase is Phase.DRAW
    if (state.dealer is None) is not drawing:
        broken.append(f"the dealer is {state.dealer} in phase {state.phase.value} (R4)")
    if state.deals == 0:
        if not drawing and (state.phase is not Phase.DEAL or state.result):
            broken.append(f"the number of the deal is 0 in phase {state.phase.value}")
        return
    if drawing:
        broken.append(f"the number of the deal is {state.deals} in the draw for first dealer (R4)")
    for known in state.seats:
        if known.drew:
            broken.append(f"the card that seat {known.seat} drew for first dealer still lies there (R4)")
    if state.result and state.dealer != state.result.loser and state.phase is not Phase.OVER:
        broken.append(f"seat {state.dealer} deals, but seat {state.result.loser} lost the deal before (R6)")


def _check_score(state: State, broken: list[str]) -> None:
    """Points are those of the pile; out is who has the limit; somebody has won exactly when it is over."""
    staying = []
    for known in state.seats:
        if known.out and state.rules.piles_return:
            if known.pile:
                broken.append(f"seat {known.seat} is out and its pile has not gone back (H5)")
        elif known.points != sum([_POINTS[card.rank] for card in known.pile]):
            broken.append(f"seat {known.seat} has {known.points} points, but other cards in its pile (R18)")
        if known.out is not (known.points >= state.rules.limit):
            broken.append(f"seat {known.seat} has {known.points} points, out is {known.out} (R21, H2)")
        if not known.out:
            staying.append(known.seat)
    over = state.phase is Phase.OVER
    if over is not (len(staying) < 2):
        broken.append(f"{len(staying)} players are in the game in phase {state.phase.value} (R22)")
    if bool(state.winners) is not over or (over and staying and list(state.winners) != staying):
        broken.append(
            f"winners are {state.winners}, in the game are {staying}, phase {state.phase.value} (R22)"
        )


def _check_trick(state: State, broken: list[str]) -> None:
    """All began the trick with as many cards, play clockwise, and head when they say so (R12 to R16)."""
    playing = [known for known in state.seats if not known.out]
    if not state.trick:
        if len({len(known.hand) for known in playing}) != 1 or not playing[0].hand:
            broken.append("the players do not begin the trick with as many cards each")
        if state.tricks and state.turn != state.tricks[-1].taker:
            broken.append(f"seat {state.turn} leads, but did not take the trick before (R12)")
        return
    best = state.trick[0]
    led = len(best.cards)
    has_played = [played.seat for played in state.trick]
    if len({len(known.hand) + led * (known.seat in has_played) for known in playing}) != 1:
        broken.append("the players did not begin the trick with as many cards each")
    order = _clockwise_from(best.seat, playing)
    if [*has_played, state.turn] != order[: len(has_played) + 1]:
        broken.append(f"seats {has_played} have played and seat {state.turn} has the turn (R3)")
    if best.cards[0].rank != best.cards[-1].rank or not best.heads:
        broken.append("the lead is not of one rank, or does not head (R13)")
    for played in state.trick[1:]:
        if len(played.cards) != led:
            broken.append(f"seat {played.seat} played another number of cards than were led (R15)")
            return
        ranks, to_beat = [card.rank for card in played.cards], [card.rank for card in best.cards]
        if played.heads is not matches_or_beats(ranks, to_beat):
            broken.append(f"seat {played.seat} heads wrongly (R15)")
        if played.heads:
            best = played


def _clockwise_from(seat: int, playing: list[SeatState]) -> list[int]:
    seats = [known.seat for known in playing]
    place = seats.index(seat) if seat in seats else 0
    return seats[place:] + seats[:place]
