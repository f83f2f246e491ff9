"""Bots: legal at every turn, fair in what they know, and strong enough."""

from random import Random

import pytest
from tables import by_chance, own, played, table

from engine.bots import BOTS, Bot
from engine.bots.steady import BURDEN, SteadyBot
from engine.bots.uniform import RandomBot
from engine.game import apply, new_game
from engine.moves import Exchange, Play
from engine.rules import Rules
from engine.state import Phase, State
from engine.views import view


def game(bots: dict[int, Bot], chance: Random, rules: Rules | None = None) -> State:
    """The end of a game of these bots."""
    state = new_game(sorted(bots), rules or Rules())
    while state.phase is not Phase.OVER:
        action = (
            by_chance(state, chance)
            if state.turn is None
            else bots[state.turn].choose(view(state, state.turn))
        )
        state = apply(state, action)[0]
    return state


def wins(players: int, games: int, rules: Rules | None = None) -> float:
    """Won by one steady bot, each seat in turn, against random ones."""
    won = 0.0
    for number in range(games):
        chance = Random(number)
        own_seat = number % players + 1
        bots: dict[int, Bot] = {
            seat: SteadyBot() if seat == own_seat else RandomBot(chance) for seat in range(1, players + 1)
        }
        winners = game(bots, chance, rules).winners
        won += (own_seat in winners) / len(winners)
    return won


def test_names() -> None:
    """There are two bots, named random and steady, made in the same way."""
    assert list(BOTS) == ["random", "steady"]
    assert isinstance(BOTS["random"](Random(1)), RandomBot)
    assert isinstance(BOTS["steady"](Random(1)), SteadyBot)


def test_steady_wins_against_five_random() -> None:
    """Steady wins at least nine of ten games against five random players, at any seat."""
    assert wins(players=6, games=100) >= 90


def test_steady_wins_against_one_random() -> None:
    """Steady wins at least 97 of 100 games against one random player."""
    assert wins(players=2, games=200) >= 194


def test_steady_wins_by_house_rules() -> None:
    """With the house rules on, steady still wins at least four of five games against three random players."""
    rules = Rules(must_head=True, limit=30, first_hand=10, last_tied_only=True, piles_return=True)
    assert wins(players=4, games=60, rules=rules) >= 48


@pytest.mark.parametrize("name", BOTS)
def test_choices_are_legal(name: str) -> None:
    """A bot's every action is one that the rules allow, in games of all sizes and rules."""
    for seed in range(15):
        chance = Random(seed)
        rules = Rules(must_head=seed % 2 == 0, first_hand=chance.randint(2, 11), limit=chance.randint(5, 42))
        bots = {seat: BOTS[name](chance) for seat in range(1, 3 + seed % 5)}
        assert game(bots, chance, rules).winners


class OneCaller:
    """Chance that counts how it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def randrange(self, stop: int, /) -> int:
        self.asked.append(stop)
        return stop - 1


def test_random_uses_the_chance_it_is_given() -> None:
    """The random bot takes each number from the chance given to it, and nothing else."""
    state = table({1: "2 3 K", 2: "4 5 6"}, phase=Phase.EXCHANGE, stock="Q A")
    chance = OneCaller()
    assert RandomBot(chance).choose(view(state, 1)) == Exchange(1, own(state, 1, "3 K"))
    assert chance.asked == [1, 3, 3, 2]


def test_random_reaches_everything() -> None:
    """The random bot makes every legal play, and exchanges every number of cards."""
    chance = Random(2)
    state = table({1: "5 5 6 7", 2: "8 9 10 J"})
    plays = {RandomBot(chance).choose(view(state, 1)) for _ in range(200)}
    assert plays == set(view(state, 1).choices)
    state = table({1: "2 3 K", 2: "4 5 6"}, phase=Phase.EXCHANGE, stock="Q A")
    exchanges = {len(RandomBot(chance).choose(view(state, 1)).cards) for _ in range(200)}
    assert exchanges == {0, 1, 2}


def test_steady_exchanges_the_middle() -> None:
    """Steady exchanges cards of the middle, the worst first, and keeps low cards, kings and aces."""
    state = table(
        {1: "2 4 5 9 10 Q K A", 2: "3 3 3 4 6 6 7 7"}, phase=Phase.EXCHANGE, stock="2 2 2 8 8 8 8 A"
    )
    assert SteadyBot().choose(view(state, 1)) == Exchange(1, own(state, 1, "5 9 10 Q"))
    state = table({1: "2 4 5 9 10 Q K A", 2: "3 3 3 4 6 6 7 7"}, phase=Phase.EXCHANGE, stock="2 2")
    assert SteadyBot().choose(view(state, 1)) == Exchange(1, own(state, 1, "9 10"))


def test_steady_leads_high_and_keeps_low() -> None:
    """Steady leads what burdens it, several of a rank rather than one, and keeps its lowest card."""
    state = table({1: "2 J J J", 2: "3 4 5 6"})
    assert SteadyBot().choose(view(state, 1)) == Play(1, own(state, 1, "J J J"))
    state = table({1: "2 K", 2: "3 4"})
    assert SteadyBot().choose(view(state, 1)) == Play(1, own(state, 1, "K"))


def test_steady_heads_when_it_can_keep_low() -> None:
    """Steady heads rather than lose its low card, and plays the lowest when it cannot head."""
    state = played(table({1: "9 3", 2: "2 Q"}), "9")[0]
    assert SteadyBot().choose(view(state, 2)) == Play(2, own(state, 2, "Q"))
    state = played(table({1: "A 3", 2: "2 Q"}), "A")[0]
    assert SteadyBot().choose(view(state, 2)) == Play(2, own(state, 2, "2"))


def test_steady_is_the_same_for_the_same_view() -> None:
    """Steady uses no chance: equal views give equal actions."""
    chance = Random(9)
    state = new_game((1, 2, 3))
    while state.phase is not Phase.OVER:
        if state.turn is not None:
            seen = view(state, state.turn)
            assert SteadyBot().choose(seen) == SteadyBot().choose(seen)
        state = apply(state, by_chance(state, chance))[0]


def test_every_rank_has_its_burden() -> None:
    """Steady has an opinion of all thirteen ranks."""
    assert sorted(BURDEN) == list(range(2, 15))
