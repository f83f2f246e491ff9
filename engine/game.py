"""The game as a state machine: what an action makes of a state, and which actions are legal."""

from engine.dealing import deal, draw, exchange
from engine.moves import Action, AnyExchange, Choice, Deal, Draw, Exchange, Play
from engine.rules import follows, leads
from engine.soundness import broken_invariants
from engine.state import Phase, State, Step, clockwise, drawing, new_game, undealt, undrawn
from engine.tricks import play

__all__ = [
    "State",
    "Step",
    "apply",
    "broken_invariants",
    "clockwise",
    "drawing",
    "legal_actions",
    "new_game",
    "undealt",
    "undrawn",
]


def apply(state: State, action: Action) -> Step:
    """The game after an action. Raise IllegalMove if the rules refuse it; ``state`` never changes."""
    match action:
        case Play():
            return play(state, action)
        case Exchange():
            return exchange(state, action)
        case Deal():
            return deal(state, action)
        case Draw():
            return draw(state, action)
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
