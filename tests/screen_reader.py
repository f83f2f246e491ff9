"""Reads a panel as a person does: words and cards out of lit pixels, without knowing what was drawn."""

from functools import cache, cached_property, lru_cache

from PIL import Image

from engine.cards import PACK, Card
from firmware.table import canvas
from hardware.seat import HEIGHT, WIDTH

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,:;!?()-"
CARD_Y, MARKED_Y = 33, 30


class Reading:
    """What can be read off one panel."""

    def __init__(self, pages):
        columns = b"".join(pages[x::WIDTH] for x in range(WIDTH))  # 64 pixels each, LSB at the top
        upright = Image.frombytes("1", (HEIGHT, WIDTH), columns, "raw", "1;R")
        self.image = upright.transpose(Image.Transpose.TRANSPOSE).convert("L")

    def text(self, y, height=12):
        """The centred text in these rows, and whether it is dark on lit: ("You lead", True)."""
        for size in ("medium", "small"):
            found = _line(self.image.crop((0, y, WIDTH, y + height)), size)
            if found[0]:
                return found
        return "", False

    @cached_property
    def message(self):
        """The message in the middle of the screen during a hand."""
        return self.text(17)

    @cached_property
    def title(self):
        """The topmost line, as between deals."""
        return self.text(0)

    @cached_property
    def bottom(self):
        """The bottom line between deals."""
        return self.text(55, 9)

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """The cards at the bottom, from the left; none if there is no hand."""
        for count in range(1, 12):
            pitch = min(18, WIDTH // count)
            left = (WIDTH - pitch * count) // 2
            cards = []
            for index in range(count):
                x = left + index * pitch
                for y, filled in ((CARD_Y, False), (MARKED_Y, True)):
                    pixels = self.image.crop((x, y, x + pitch - 1, y + canvas.CARD_HEIGHT)).tobytes()
                    card = _cards(pitch - 1, filled).get(pixels)
                    if card is not None:
                        cards.append(card)
            if len(cards) == count:
                return tuple(cards)
        return ()


@lru_cache(maxsize=64)
def read(pages):
    """What can be read off a panel that shows these 1,024 bytes (page order)."""
    return Reading(pages)


@cache
def _glyphs(size):
    """Letter by its pixels, for one font."""
    font = {"medium": canvas.medium, "small": canvas.small}[size]()
    width = font.width("M")
    found = {}
    for letter in LETTERS:
        sheet = canvas.Canvas()
        sheet.text(0, 0, letter, font)
        found.setdefault(sheet.image.convert("L").crop((0, 0, width, font.height)).tobytes(), letter)
    return found, width, font.height


def _line(row, size):
    glyphs, width, font_height = _glyphs(size)
    lit = row.getpixel((0, 0)) == 255
    if lit:
        row = row.point(lambda value: 255 - value)
    top = (row.height - font_height) // 2
    used = row.getbbox()
    if top < 0 or used is None:
        return "", False
    for count in range(
        max(1, (used[2] - used[0]) // width), min(WIDTH // width, (used[2] - used[0]) // width + 3) + 1
    ):
        for box in (WIDTH - 2, WIDTH):
            left = (WIDTH - box) // 2 + (box - count * width) // 2
            if left > used[0] or left + count * width < used[2]:
                continue
            cells = [(left + i * width, top, left + (i + 1) * width, top + font_height) for i in range(count)]
            letters = [glyphs.get(row.crop(cell).tobytes()) for cell in cells]
            if all(letters) and used[1] >= top and used[3] <= top + font_height:
                return "".join(letters), lit
    return "", False


@cache
def _cards(width, filled):
    found = {}
    for card in PACK:
        sheet = canvas.Canvas()
        sheet.card(0, 0, card, width, filled=filled)
        found[sheet.image.convert("L").crop((0, 0, width, canvas.CARD_HEIGHT)).tobytes()] = card
    return found
