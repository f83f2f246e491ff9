"""Pieces that several screens of the table have in common."""

from collections.abc import Iterable

from engine.cards import Card
from engine.refusals import REFUSALS, detail_texts
from firmware.table.canvas import Canvas, small
from firmware.table.scenes import Notice
from firmware.table.words import Words
from hardware.seat import WIDTH


def columns(seats: Iterable[int]) -> list[tuple[int, int, int]]:
    """Seat, left edge and width of each seat's column."""
    numbers = list(seats)
    width = WIDTH // len(numbers)
    return [(seat, index * width, width) for index, seat in enumerate(numbers)]


def pile(canvas: Canvas, x: int, y: int, width: int, cards: tuple[Card, ...], *, filled: bool) -> None:
    """Cards in one column: side by side as far as they fit, else overlapping from the left."""
    step = min(11, (width - 11) // max(1, len(cards) - 1))
    left = x + (width - 10 - step * (len(cards) - 1)) // 2
    for index, card in enumerate(cards):
        canvas.card(left + index * step, y, card, filled=filled)


def unsaved_tag(canvas: Canvas, y: int, words: Words) -> None:
    """A tag at the left edge, in the place of a hint: the journal cannot be written."""
    text = words.gettext("Not saving")
    width = small().width(text) + 2
    canvas.box(0, y, width + 2, 9, lit=False)
    canvas.box(0, y, width, 9)
    canvas.text(1, y + 1, text, small(), dark=True)


def notice_text(notice: Notice, words: Words) -> str:
    """Why a press did nothing, in the player's language."""
    _ = words.gettext
    if notice.move is not None:
        return _(REFUSALS[notice.reason]).format(**detail_texts(notice.move.details))
    return {
        "two-needed": _("Two are needed to play"),
        "no-seat-free": _("No seat is free"),
        "bot-seat": _("A bot plays here. Hold PLAY to take over."),
        "watching": _("A game is on. You can sit down after it."),
        "no-exchange": _("The stock is empty: no exchange for you"),
        "dealer-deals": _("Wait: the dealer deals"),
        "out": _("You are out of this game"),
        "next-game": _("You play in the next game"),
        "journal-damaged": _("Bad journal: copy used"),
        "journal-lost": _("Bad journal: begun anew"),
    }[notice.reason]
