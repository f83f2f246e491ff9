"""The options of a game, and who heads a trick."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """House rules. Each field names its rule number; the defaults are the game as the sheets give it."""

    must_head: bool = False
    """H1: whoever can match or beat the best play has to."""
    limit: int = 22
    """H2: points at which a player is out."""
    first_hand: int = 7
    """H3: cards each in the first deal, 2 to 11."""
    last_tied_only: bool = False
    """H4: with a tie in the final trick only the last of the tied keeps their card."""
    piles_return: bool = False
    """H5: an eliminated player's score pile goes back to the pack."""
