"""The page that each panel shows in the self-test: one image a seat, drawn by pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass

from PIL import Image

from firmware.table.canvas import Canvas, large, medium, small
from firmware.table.words import Words
from hardware.seat import HEIGHT, WIDTH, Button

CORNERS = {"A": (3, 3), "B": (WIDTH - 8, 3), "C": (3, HEIGHT - 10), "D": (WIDTH - 8, HEIGHT - 10)}
"""A letter in each corner: a panel that is mirrored, turned or shifted shows it."""
BIG = 2
"""How many times larger than the large font the seat's number is."""
NUMBER_Y = 2
BAR_X, BAR_Y, BAR_WIDTH = 12, 32, 104
BOX_X, BOX_Y, BOX_WIDTH, BOX_HEIGHT = 13, 47, 25, 14


@dataclass(frozen=True, slots=True)
class Page:
    """What a seat's panel shows. ``down``: buttons that are pressed now; ``seen``: that have been.

    ``asks``: this panel is the one that asks for its PLAY.
    """

    seat: int
    label: str
    down: frozenset[Button] = frozenset()
    seen: frozenset[Button] = frozenset()
    asks: bool = False


def draw(page: Page, words: Words) -> Image.Image:
    """Draw the page: a border of one pixel, a letter in each corner, the seat's number, and its buttons."""
    _ = words.gettext
    canvas = Canvas()
    canvas.box(0, 0, WIDTH, HEIGHT, filled=False)
    for letter, (x, y) in CORNERS.items():
        canvas.text(x, y, letter, small())
    _number(canvas, page)
    if page.asks:
        canvas.box(BAR_X, BAR_Y, BAR_WIDTH, 13)
        canvas.centred(BAR_X + 1, BAR_Y, BAR_WIDTH - 2, _("Hold PLAY here"), medium(), dark=True)
    else:
        canvas.centred(BAR_X, BAR_Y + 3, BAR_WIDTH, _("Press every button"), small())
    for place, (button, name) in enumerate(_names(words).items()):
        _button(canvas, BOX_X + place * (BOX_WIDTH + 1), name, button in page.down, button in page.seen)
    return canvas.image


def asks(picture: bytes) -> bool:
    """Whether a panel that shows this (1,024 bytes, page order) asks: both ends of the bar are lit."""
    row = BAR_Y // 8 * WIDTH
    return picture[row + BAR_X] == picture[row + BAR_X + BAR_WIDTH - 1] == 0xFF


def _names(words: Words) -> Mapping[Button, str]:
    _ = words.gettext
    return {Button.LEFT: "←", Button.RIGHT: "→", Button.MARK: _("MARK"), Button.PLAY: _("PLAY")}


def _number(canvas: Canvas, page: Page) -> None:
    """The seat's number, large; beside it the label on the table's rim, if that is another."""
    stencil = large().stencil(str(page.seat))
    size = (stencil.width * BIG, stencil.height * BIG)
    canvas.image.paste(1, ((WIDTH - size[0]) // 2, NUMBER_Y), stencil.resize(size, Image.Resampling.NEAREST))
    if page.label != str(page.seat):
        canvas.centred(76, 10, 42, page.label, small())


def _button(canvas: Canvas, x: int, name: str, down: bool, seen: bool) -> None:
    canvas.box(x, BOX_Y, BOX_WIDTH, BOX_HEIGHT, filled=down)
    canvas.centred(x + 1, BOX_Y + 2, BOX_WIDTH - 2, name, small(), dark=down)
    if seen:  # a line below the name
        canvas.box(x + 3, BOX_Y + BOX_HEIGHT - 4, BOX_WIDTH - 6, 2, lit=not down)
