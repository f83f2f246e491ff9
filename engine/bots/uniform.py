"""A bot that plays by chance alone."""

from engine.bots.bot import Chance
from engine.moves import AnyExchange, Exchange, Play
from engine.views import View


class RandomBot:
    """Takes any legal play, each as likely; exchanges any number of cards, each number as likely."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def choose(self, view: View, /) -> Exchange | Play:
        """Any legal action."""
        choice = view.choices[self._chance.randrange(len(view.choices))]
        if not isinstance(choice, AnyExchange):
            return choice
        left = list(view.hand)
        away = [
            left.pop(self._chance.randrange(len(left)))
            for _ in range(self._chance.randrange(choice.at_most + 1))
        ]
        return Exchange(choice.seat, tuple(sorted(away)))
