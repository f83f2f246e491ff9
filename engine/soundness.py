"""The status check of a state: every invariant of the game, and which of them are broken."""

from engine.state import State


def broken_invariants(state: State) -> tuple[str, ...]:
    """What is wrong with a state, one sentence each; nothing if it is sound."""
    return ()
