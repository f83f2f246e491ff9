"""The status check of a state: every invariant of the game, and which of them are broken."""

from collections.abc import Iterator

from engine.cards import PACK, points
from engine.rules import matches_or_beats
from engine.state import Phase, SeatState, State

_PACK = frozenset(PACK)


def broken_invariants(state: State) -> tuple[str, ...]:
    """What is wrong with a state, one sentence each that names rule and seat; nothing if it is sound."""
    return (
        *_cards(state),
        *_turn(state),
        *_score(state),
        *(_tricks(state) if state.phase is Phase.PLAY else ()),
    )


def _cards(state: State) -> Iterator[str]:
    """52 cards, each in one place, and in a place that fits the phase."""
    under_way = state.phase in (Phase.EXCHANGE, Phase.PLAY)
    lying = [*state.stock]
    for played in state.trick:
        lying += played.cards
    if under_way:
        for trick in state.tricks:
            for played in trick.plays:
                lying += played.cards
    for known in state.seats:
        lying += known.hand
        lying += known.discarded
        if not under_way and (known.hand or known.discarded or known.drawn or known.exchanged is not None):
            yield f"seat {known.seat} holds cards between deals (R20)"
        if known.out and (known.hand or known.discarded):
            yield f"seat {known.seat} is out and holds cards (R21)"
        if len(known.drawn) != len(known.discarded) or (known.exchanged or 0) != len(known.drawn):
            yield f"seat {known.seat} has not drawn as many cards as it discarded (R9)"
        if len(known.hand) > 1 and list(known.hand) != sorted(known.hand):
            yield f"the hand of seat {known.seat} is not sorted"
    if not under_way and lying:
        yield "cards lie on the table between deals (R20)"
    if not under_way:
        lying = []
    for known in state.seats:
        lying += known.pile
    distinct = set(lying)
    if len(distinct) != len(lying):
        twice = sorted(card for card in distinct if lying.count(card) > 1)
        yield f"cards lie in two places: {' '.join(map(str, twice))}"
    if not distinct <= _PACK:
        yield "there are cards that no pack has"
    elif under_way and len(distinct) != len(PACK):
        yield f"cards are nowhere: {' '.join(str(card) for card in PACK if card not in distinct)}"


def _turn(state: State) -> Iterator[str]:
    """Somebody in the game has the turn exactly when a player must act; a dealer is known after the draw."""
    seats = {known.seat: known for known in state.seats}
    if state.phase in (Phase.EXCHANGE, Phase.PLAY):
        if state.turn not in seats:
            yield "nobody has the turn"
        elif seats[state.turn].out:
            yield f"seat {state.turn} has the turn and is out (R3)"
        elif state.phase is Phase.EXCHANGE and (not state.stock or seats[state.turn].exchanged is not None):
            yield f"seat {state.turn} has the turn and no exchange to make (R9, R11)"
    elif state.turn is not None:
        yield f"seat {state.turn} has the turn while nobody acts"
    if (state.dealer in seats) is (state.phase is Phase.DRAW):
        yield f"the dealer is {state.dealer} in phase {state.phase.value} (R4)"
    if (state.deals == 0) is not (
        state.phase is Phase.DRAW or (state.phase is Phase.DEAL and not state.result)
    ):
        yield f"the number of the deal is {state.deals} in phase {state.phase.value}"
    if state.deals and any(known.drew for known in state.seats):
        yield "cards of the draw for first dealer still lie there (R4)"
    if state.result and state.phase is not Phase.OVER and state.dealer != state.result.loser:
        yield f"seat {state.dealer} deals, but seat {state.result.loser} lost the deal before (R6)"


def _score(state: State) -> Iterator[str]:
    """Points are those of the pile; out is who has the limit; somebody has won exactly when it is over."""
    for known in state.seats:
        returned = known.out and state.rules.piles_return
        if (returned and known.pile) or (
            not returned and known.points != sum([points(card.rank) for card in known.pile])
        ):
            yield f"seat {known.seat} has {known.points} points, but other cards in its pile (R18, H5)"
        if known.out is not (known.points >= state.rules.limit):
            yield f"seat {known.seat} has {known.points} points, out is {known.out} (R21, H2)"
    staying = [known.seat for known in state.seats if not known.out]
    if (state.phase is Phase.OVER) is not (len(staying) < 2):
        yield f"{len(staying)} players are in the game in phase {state.phase.value} (R22)"
    if bool(state.winners) is not (state.phase is Phase.OVER):
        yield f"the winners are {state.winners} in phase {state.phase.value} (R22)"
    if staying and state.winners not in ((), tuple(staying)):
        yield f"the winners are {state.winners}, but still in is {staying} (R22)"


def _tricks(state: State) -> Iterator[str]:
    """All began the trick with as many cards, play clockwise, and head when they say so (R12 to R16)."""
    playing = [known for known in state.seats if not known.out]
    has_played = [played.seat for played in state.trick]
    led = len(state.trick[0].cards) if state.trick else 0
    sizes = {len(known.hand) + (led if known.seat in has_played else 0) for known in playing}
    if len(sizes) != 1 or 0 in sizes:
        yield f"the players began the trick with {sorted(sizes)} cards"
    if not state.trick:
        if state.tricks and state.turn != state.tricks[-1].taker:
            yield f"seat {state.turn} leads, but did not take the trick before (R12)"
        return
    if has_played != _clockwise_from(has_played[0], playing)[: len(has_played)]:
        yield f"seats played in the order {has_played} (R3)"
    elif _clockwise_from(has_played[-1], playing)[1:2] != [state.turn]:
        yield f"seat {state.turn} has the turn after seat {has_played[-1]} (R3)"
    best = state.trick[0]
    ranks = {card.rank for card in best.cards}
    if len(ranks) != 1 or not best.heads:
        yield "the lead is not of one rank, or does not head (R13)"
    for played in state.trick[1:]:
        if len(played.cards) != led:
            yield f"seat {played.seat} played another number of cards than were led (R15)"
            return
        pairs = [[card.rank for card in one.cards] for one in (played, best)]
        if played.heads is not matches_or_beats(pairs[0], pairs[1]):
            yield f"seat {played.seat} heads wrongly (R15)"
        if played.heads:
            best = played


def _clockwise_from(seat: int, playing: list[SeatState]) -> list[int]:
    seats = [known.seat for known in playing]
    place = seats.index(seat) if seat in seats else 0
    return seats[place:] + seats[:place]
