"""The options of a game, and which plays the rules allow: who may lead what, who heads a trick."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import ge

LIMITS = range(2, 43)
"""Limits that can be chosen (H2). Up to 42 the pack can always give each of six players a card (R7, R8)."""

FIRST_HANDS = range(2, 12)
"""First hands that can be chosen (H3): as many cards as a later hand can have (R6)."""


@dataclass(frozen=True, slots=True)
class Rules:
    """House rules. Each field names its rule number; the defaults are the game as the sheets give it.

    Raise ValueError, naming field, value and what is allowed, for anything else.
    """

    must_head: bool = False
    """H1: whoever can match or beat the best play has to."""
    limit: int = 22
    """H2: points at which a player is out, 2 to 42."""
    first_hand: int = 7
    """H3: cards each in the first deal, 2 to 11."""
    last_tied_only: bool = False
    """H4: with a tie in the final trick only the last of the tied keeps their card."""
    piles_return: bool = False
    """H5: an eliminated player's score pile goes back to the pack."""

    def __post_init__(self) -> None:
        for name in ("must_head", "last_tied_only", "piles_return"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise ValueError(f"{name} is {value!r}: it must be True or False")
        for name, allowed in (("limit", LIMITS), ("first_hand", FIRST_HANDS)):
            value = getattr(self, name)
            if type(value) is not int or value not in allowed:
                raise ValueError(
                    f"{name} is {value!r}: it must be a whole number from {allowed[0]} to {allowed[-1]}"
                )


# From here on hands and plays are ranks, sorted low to high: no rule reads a suit (R1).

Places = tuple[int, ...]
"""A play as places in a sorted hand, rising. Of cards of one rank it takes the first."""


def matches_or_beats(ranks: Sequence[int], best: Sequence[int]) -> bool:
    """Is each card at least as high as the one at its place in the best play (R15)? Both have one length."""
    return all(map(ge, ranks, best))


def can_head(hand: Sequence[int], best: Sequence[int]) -> bool:
    """Can a hand match or beat the best play? It can exactly if its highest cards do."""
    return matches_or_beats(hand[len(hand) - len(best) :], best)


def leads(hand: Sequence[int]) -> tuple[Places, ...]:
    """All leads, one per set of ranks: cards of one rank (R13) that leave at least one, or the last (R14)."""
    most = max(1, len(hand) - 1)
    found: list[Places] = []
    play: Places = ()
    for place, rank in enumerate(hand):
        play = (*play, place) if play and hand[place - 1] == rank else (place,)
        if len(play) <= most:
            found.append(play)
    return tuple(found)


def follows(hand: tuple[int, ...], best: tuple[int, ...], must_head: bool) -> tuple[Places, ...]:
    """All follows from a hand, one per set of ranks: the lowest cards (R15b; under H1 only if nothing heads),
    then all that match or beat the best play (R15a)."""
    heading = _heading(hand, best)
    lowest = tuple(range(len(best)))
    if heading and (must_head or heading[0] == lowest):
        return heading
    return (lowest, *heading)


def _heading(hand: tuple[int, ...], best: tuple[int, ...]) -> tuple[Places, ...]:
    """The plays that match or beat the best, lowest first."""
    plays: list[Places] = [()]
    for done, to_beat in enumerate(best):
        last = len(hand) - len(best) + done
        longer = []
        for play in plays:
            start = play[-1] + 1 if play else 0
            for place in range(start, last + 1):
                # A rank's next card is taken only after the one before it: so each set of ranks comes once.
                if hand[place] >= to_beat and (place == start or hand[place] != hand[place - 1]):
                    longer.append((*play, place))
        plays = longer
    return tuple(plays)
