"""From button edges to gestures, and from gestures to a choice of cards, without a clock of its own."""

from dataclasses import dataclass, replace
from enum import Enum

from engine.cards import Card
from engine.moves import AnyExchange, Exchange, Play
from engine.views import Phase, View
from hardware.seat import Button, Edge

HOLD_S = 0.7
"""How long a button is held before it counts as a hold."""

IMMEDIATE = frozenset({Button.LEFT, Button.RIGHT})
"""Buttons that have no hold: they tap when pressed. The others tap when released before ``HOLD_S``."""


class Kind(Enum):
    """Kinds of gestures."""

    TAP = "tap"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Gesture:
    """A tap or a hold. ``began``: when the button went down; ``at``: when it counts (seconds, monotonic)."""

    seat: int
    button: Button
    kind: Kind
    began: float
    at: float


class Gestures:
    """Tells taps from holds. A stroke is one tap or one hold, never both."""

    def __init__(self) -> None:
        self._down: dict[tuple[int, Button], float] = {}

    def edge(self, edge: Edge) -> Gesture | None:
        """Take in one edge; return the tap that it completes, if any. A repeated press is no second press."""
        key = (edge.seat, edge.button)
        if edge.button in IMMEDIATE:
            return Gesture(*key, Kind.TAP, edge.at, edge.at) if edge.down else None
        if edge.down:
            self._down.setdefault(key, edge.at)
            return None
        began = self._down.pop(key, None)
        if began is None:
            return None
        kind = Kind.TAP if edge.at < began + HOLD_S else Kind.HOLD
        return Gesture(*key, kind, began, edge.at)

    def due(self, now: float) -> list[Gesture]:
        """Holds whose time has come by ``now``; the release that ends each of them will be silent."""
        held = [(key, began) for key, began in self._down.items() if now >= began + HOLD_S]
        for key, _ in held:
            del self._down[key]
        return [Gesture(*key, Kind.HOLD, began, began + HOLD_S) for key, began in held]

    def forget(self, seat: int) -> None:
        """Whatever the seat holds down is no stroke: its buttons cannot be heard."""
        for key in [key for key in self._down if key[0] == seat]:
            del self._down[key]

    def deadline(self) -> float | None:
        """When ``due`` has something to say, if no edge comes before."""
        return min(self._down.values()) + HOLD_S if self._down else None


@dataclass(frozen=True, slots=True)
class Picking:
    """Which card of a hand the cursor is at (an index, low to high), and which cards are marked."""

    cursor: int = 0
    marked: frozenset[Card] = frozenset()

    def moved(self, step: int, hand: tuple[Card, ...]) -> "Picking":
        """The cursor moved by ``step`` cards, round the ends of the hand."""
        return replace(self, cursor=(self.cursor + step) % len(hand)) if hand else self

    def toggled(self, hand: tuple[Card, ...]) -> "Picking":
        """The card at the cursor marked, or no longer."""
        return replace(self, marked=self.marked ^ {hand[self.cursor]}) if hand else self

    def within(self, hand: tuple[Card, ...]) -> "Picking":
        """The same for a hand that has changed: marks only on cards still held, the cursor on a card."""
        return Picking(max(0, min(self.cursor, len(hand) - 1)), self.marked & frozenset(hand))

    def cards(self, hand: tuple[Card, ...]) -> tuple[Card, ...]:
        """The marked cards, low to high; the card at the cursor if none is marked."""
        return tuple(card for card in hand if card in self.marked) or hand[self.cursor : self.cursor + 1]


def chosen(seen: View, picking: Picking) -> Exchange | Play:
    """What PLAY stands for: exchange the marked cards (R9); play them, or the card at the cursor (R13)."""
    assert seen.seat is not None
    if seen.phase is Phase.EXCHANGE:
        return Exchange(seen.seat, tuple(card for card in seen.hand if card in picking.marked))
    return Play(seen.seat, picking.cards(seen.hand))


def suggestion(seen: View, picking: Picking) -> Picking:
    """What a held MARK marks; none if just these are marked.

    To lead: all of the rank at the cursor (R13, R14). To follow: the lowest (R15). To exchange: the highest,
    as many as the stock can replace (R9).
    """
    hand = seen.hand
    if not hand:
        return picking
    if seen.phase is Phase.EXCHANGE:
        at_most = [choice.at_most for choice in seen.choices if isinstance(choice, AnyExchange)]
        count = min([seen.stock, len(hand), *at_most])
        cards = hand[len(hand) - count :]
    elif seen.best is not None:
        cards = hand[: len(seen.best.cards)]
    else:
        same = [card for card in hand if card.rank == hand[picking.cursor].rank]
        cards = tuple(same[: max(1, len(hand) - 1)])
    marked = frozenset(cards)
    return replace(picking, marked=frozenset() if marked == picking.marked else marked)
