"""A bot that plays by sound rules of thumb."""

from engine.moves import Exchange, Play
from engine.views import View


class SteadyBot:
    """Placeholder."""

    def choose(self, view: View, /) -> Exchange | Play:
        choice = view.choices[0]
        return choice if isinstance(choice, Play) else Exchange(choice.seat, ())
