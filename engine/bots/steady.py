"""A bot that plays by sound rules of thumb."""

from engine.cards import Card
from engine.moves import AnyExchange, Exchange, Play
from engine.rules import matches_or_beats
from engine.views import View

BURDEN = {2: -6, 3: -4, 4: -2, 5: 1, 6: 3, 7: 4, 8: 5, 9: 6, 10: 6, 11: 5, 12: 4, 13: 3, 14: 2}
"""How much one wants to be rid of a rank before the final trick.

Low cards are wanted: one should be the last, and the others can be played without heading. Cards in the
middle are the worst: too high to keep, too low to head what others have headed. The highest go
whenever one likes.
"""

WORTH_EXCHANGING = range(5, 13)
"""Ranks from 5 to Q: lower ones are wanted for the end, K and A to get the lead."""

LOWEST_WEIGHT = 2
"""For each rank by which the lowest card kept is higher."""
LEAD_OF_SEVERAL = 2
"""For each further card led: a lead of several is hard to head, and takes low cards away from the others."""
HEADING = 6
"""For heading a trick: who takes it leads next, and can play what no trick would have taken."""


class SteadyBot:
    """Sheds its burdens early, heads and leads with what it can afford, and holds a low card to the end."""

    def choose(self, view: View, /) -> Exchange | Play:
        """The legal action that leaves the best hand, by the weights above."""
        choice = view.choices[0]
        if isinstance(choice, AnyExchange):
            return self._exchange(view, choice)
        best, best_value = choice, self._value(view, choice)
        for other in view.choices[1:]:
            if isinstance(other, Play) and (value := self._value(view, other)) > best_value:
                best, best_value = other, value
        return best

    def _exchange(self, view: View, choice: AnyExchange) -> Exchange:
        burdens = [card for card in view.hand if card.rank in WORTH_EXCHANGING]
        burdens.sort(key=lambda card: BURDEN[card.rank], reverse=True)
        return Exchange(choice.seat, tuple(sorted(burdens[: choice.at_most])))

    def _value(self, view: View, play: Play) -> int:
        rest = [card for card in view.hand if card not in play.cards]
        if not rest:
            return 0
        value = -_burden(rest)
        if view.best is None:
            value += LEAD_OF_SEVERAL * (len(play.cards) - 1)
        elif matches_or_beats([card.rank for card in play.cards], [card.rank for card in view.best.cards]):
            value += HEADING
        return value


def _burden(hand: list[Card]) -> int:
    """What a hand, sorted low to high, still weighs."""
    return sum([BURDEN[card.rank] for card in hand]) + LOWEST_WEIGHT * hand[0].rank
