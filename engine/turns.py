"""What every action must keep to: the phase, the turn, and the cards that one holds."""

from collections.abc import Collection

from engine.cards import Card
from engine.refusals import refusal
from engine.state import Phase, State, clockwise

_WAITS_FOR = {
    Phase.DRAW: ("R4", "waits-for-draw"),
    Phase.DEAL: ("R5", "waits-for-deal"),
    Phase.EXCHANGE: ("R9", "waits-for-exchange"),
    Phase.PLAY: ("R12", "waits-for-play"),
    Phase.OVER: ("R22", "game-over"),
}


def expect(state: State, phase: Phase) -> None:
    """Raise IllegalMove if the game waits for something else."""
    if state.phase is not phase:
        rule, reason = _WAITS_FOR[state.phase]
        raise refusal(rule, reason)


def acting(state: State, seat: int, phase: Phase, rule: str) -> int:
    """The place of the seat that acts; raise IllegalMove if it is not this seat's turn to do so."""
    expect(state, phase)
    if seat == state.turn:
        return state.place(seat)
    if seat not in [known.seat for known in state.seats]:
        raise refusal("R1", "no-such-seat", seat=seat)
    if state.seats[state.place(seat)].out:
        raise refusal("R21", "out")
    if phase is Phase.EXCHANGE and seat not in still_to_exchange(state):
        raise refusal("R9", "exchange-had")
    raise refusal(rule, "not-your-turn", turn=state.turn)


def held(hand: tuple[Card, ...], chosen: Collection[Card], rule: str) -> tuple[Card, ...]:
    """The chosen cards, low to high; raise IllegalMove if one is not in the hand or is chosen twice."""
    cards = tuple([card for card in hand if card in chosen])
    if len(cards) != len(chosen):
        foreign = tuple(card for card in chosen if card not in hand)
        if foreign:
            raise refusal(rule, "not-your-cards", cards=foreign)
        twice = tuple(card for card in cards if tuple(chosen).count(card) > 1)
        raise refusal(rule, "card-twice", cards=twice)
    return cards


def still_to_exchange(state: State) -> tuple[int, ...]:
    """The seat whose exchange it is and those after it."""
    assert state.dealer is not None
    assert state.turn is not None
    order = clockwise(state, state.dealer)
    return order[order.index(state.turn) :]
