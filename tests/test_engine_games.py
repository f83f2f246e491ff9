"""10,000 whole games by chance, each state checked."""

from collections import Counter
from random import Random

import pytest
from tables import by_chance

from engine.game import apply, broken_invariants, new_game
from engine.moves import CardKept, Dealt, GameOver, WentOut
from engine.rules import Rules
from engine.state import Phase

GAMES = 10_000
PARTS = 10
LONGEST = 3_000
"""Actions. Every deal gives somebody at least two points, so no game is endless."""


def rules_of(game: int, chance: Random) -> Rules:
    """House rules, mixed; a fourth of the games have none."""
    if game % 4 == 0:
        return Rules()
    return Rules(
        must_head=chance.random() < 0.5,
        limit=chance.choice((2, 4, 6, 9, 12, 16, 22, 42)),
        first_hand=chance.randint(2, 11),
        last_tied_only=chance.random() < 0.5,
        piles_return=chance.random() < 0.5,
    )


def players_of(chance: Random) -> list[int]:
    """2 to 6 seats; fewer players more often, as their games are shorter."""
    return sorted(chance.sample(range(1, 7), chance.choice((2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6))))


@pytest.mark.parametrize("part", range(PARTS))
def test_games_by_chance(part: int) -> None:
    """Invariants: in 10,000 games of 2 to 6 players with house rules mixed every state is sound."""
    seen: Counter[str] = Counter()
    for game in range(part * GAMES // PARTS, (part + 1) * GAMES // PARTS):
        chance = Random(game)
        state = new_game(players_of(chance), rules_of(game, chance))
        for _ in range(LONGEST):
            action = by_chance(state, chance)
            state, events = apply(state, action)
            broken = broken_invariants(state)
            assert not broken, f"game {game} after {action}: {broken}"
            if state.phase is Phase.OVER:
                break
        else:
            pytest.fail(f"game {game} does not end")
        assert isinstance(events[-1], GameOver)
        assert events[-1].winners == state.winners
        seen[f"{len(state.seats)} players"] += 1
        seen["shared"] += len(state.winners) > 1
        seen["together"] += sum(isinstance(event, WentOut) for event in events) > 1
        seen["tied"] += sum(isinstance(event, CardKept) for event in events) > 1
    assert all(seen[f"{count} players"] for count in range(2, 7))
    assert seen["shared"]
    assert seen["together"]
    assert seen["tied"]


def test_stocks_of_every_small_size() -> None:
    """R8, R11: deals that leave a stock of 0, 1 or 2 cards are played to their end."""
    seen: set[int] = set()
    chance = Random(22)
    while not {0, 1, 2} <= seen:
        state = new_game(range(1, 7), Rules(limit=42, first_hand=11))
        while state.phase is not Phase.OVER:
            state, events = apply(state, by_chance(state, chance))
            seen |= {event.stock for event in events if isinstance(event, Dealt)}


def test_same_actions_same_state() -> None:
    """A game is a function of its actions: applied again they give equal states and events."""
    chance = Random(1)
    state = new_game((1, 2, 4))
    steps = []
    while state.phase is not Phase.OVER:
        action = by_chance(state, chance)
        state, events = apply(state, action)
        steps.append((action, state, events))
    again = new_game((1, 2, 4))
    for action, after, events in steps:
        again, caused = apply(again, action)
        assert (again, caused) == (after, events)
