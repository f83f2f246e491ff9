"""How many actions a second the engine does, beside a fixed loop in the same run.

    python bench/engine_speed.py [SECONDS]

Uniformly random self-play by the public ``legal_actions`` and ``apply``, both called at each decision; the
time that chance takes is counted. Times vary with the load of the machine, the ratio to the loop varies less.
"""

import sys
from random import Random
from time import process_time

from engine.bots import BOTS
from engine.game import apply, drawing, legal_actions, new_game, undealt, undrawn
from engine.moves import Action, AnyExchange, Deal, Draw, Exchange
from engine.state import Phase
from engine.views import view

LOOP = 200_000


def loop() -> float:
    """Turns a second of a loop that every Python runs alike: the yardstick."""
    begun = process_time()
    value = 1
    for turn in range(LOOP):
        value = (value * 31 + turn) % 1_000_003
    return LOOP / (process_time() - begun)


def by_chance(players: int, chance: Random) -> int:
    """One random game. How many actions it took."""
    state = new_game(range(1, players + 1))
    actions = 0
    while state.phase is not Phase.OVER:
        action: Action
        choices = legal_actions(state)
        if state.phase is Phase.DRAW:
            action = Draw(tuple(chance.sample(undrawn(state), len(drawing(state)))))
        elif state.phase is Phase.DEAL:
            pack = list(undealt(state))
            chance.shuffle(pack)
            action = Deal(tuple(pack))
        else:
            choice = choices[chance.randrange(len(choices))]
            if isinstance(choice, AnyExchange):
                hand = state.seats[state.place(choice.seat)].hand
                action = Exchange(choice.seat, tuple(chance.sample(hand, chance.randint(0, choice.at_most))))
            else:
                action = choice
        state, _ = apply(state, action)
        actions += 1
    return actions


def by_bots(players: int, chance: Random) -> int:
    """One game of steady bots, each given its view. How many actions it took."""
    state = new_game(range(1, players + 1))
    bot = BOTS["steady"](chance)
    actions = 0
    while state.phase is not Phase.OVER:
        action: Action
        if state.phase is Phase.DRAW:
            action = Draw(tuple(chance.sample(undrawn(state), len(drawing(state)))))
        elif state.phase is Phase.DEAL:
            pack = list(undealt(state))
            chance.shuffle(pack)
            action = Deal(tuple(pack))
        else:
            assert state.turn is not None
            action = bot.choose(view(state, state.turn))
        state, _ = apply(state, action)
        actions += 1
    return actions


def main() -> None:
    """Measure loop and games in turns, and print one line for each."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    for name, game in (("random, apply + legal_actions", by_chance), ("steady, view + bot + apply", by_bots)):
        for players in (2, 4, 6):
            chance = Random(22)
            actions, spent, loops = 0, 0.0, []
            while spent < seconds:
                loops.append(loop())
                begun = process_time()
                for _ in range(5):
                    actions += game(players, chance)
                spent += process_time() - begun
            rate, yardstick = actions / spent, sum(loops) / len(loops)
            print(
                f"{name}, {players} players: {rate:>7,.0f} actions a second, "
                f"the loop {yardstick:>11,.0f} turns a second: one action is {yardstick / rate:.0f} turns"
            )


if __name__ == "__main__":
    main()
