"""Why an action is refused: one English sentence a reason, which a front end may say in another language."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.cards import RANK_LETTERS, Card
from engine.moves import IllegalMove

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        # What the game waits for
        "game-over": "The game is over.",
        "waits-for-draw": "Not now: first everybody draws a card for first dealer.",
        "waits-for-deal": "Not now: first the cards are dealt.",
        "waits-for-exchange": "Not now: first everybody may exchange cards.",
        "waits-for-play": "Not now: the exchange is over, cards are being played.",
        # Who acts
        "no-such-seat": "Nobody sits at seat {seat} in this game.",
        "out": "You are out of the game.",
        "not-your-turn": "Wait: it is the turn of seat {turn}.",
        "exchange-had": "You have had your exchange in this deal.",
        # Which cards
        "card-twice": "The same card cannot be chosen twice: {cards}.",
        "not-your-cards": "You do not hold these cards: {cards}.",
        "too-many": "The stock has {stock}: you cannot exchange more than that.",
        "no-cards": "Choose the cards to lead: one, or some of one rank.",
        "one-rank": "Lead one card, or cards of one rank.",
        "leave-one": "Keep at least one card for the final trick.",
        "wrong-count": "Play as many cards as were led: {count}.",
        "head-or-lowest": "Match or beat {best}, or play your lowest: {lowest}.",
        "only-lowest": "You cannot match or beat {best}: play your lowest, {lowest}.",
        "must-head": "You can match or beat {best}, so you have to.",
        # Chance
        "draw-count": "Cards to draw, one each: {count}.",
        "draw-cards": "These cards cannot be drawn now: {cards}.",
        "wrong-pack": "This is not the pack to deal. Missing: {missing}. Too many: {extra}.",
    }
)
"""Reason to sentence. The names in braces are the keys of the refusal's ``details``."""


def refusal(rule: str, reason: str, **details: object) -> IllegalMove:
    """The error to raise for a reason of ``REFUSALS``. Cards in ``details`` are given as tuples."""
    return IllegalMove(
        rule, reason, REFUSALS[reason].format(**detail_texts(details)), MappingProxyType(details)
    )


def detail_texts(details: Mapping[str, object]) -> dict[str, str]:
    """A refusal's ``details`` as texts to fill its sentence with, in whatever language that is."""
    return {name: _text(name, value) for name, value in details.items()}


def ranks_text(cards: Iterable[Card]) -> str:
    """Cards by their ranks alone, as in ``6 7 Q``: what counts in a trick (R1)."""
    return " ".join(RANK_LETTERS[card.rank] for card in cards)


def _text(name: str, value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    if name in ("best", "lowest"):
        return ranks_text(value)
    return " ".join(map(str, value)) or "-"
