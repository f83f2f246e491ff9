"""A 128×64 picture to draw on: texts that stay inside their boxes, and small playing cards."""

import gzip
import io
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from engine.cards import RANK_LETTERS, Card
from hardware.seat import HEIGHT, WIDTH

FONTS = Path(__file__).parent / "fonts"
SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
CARD_HEIGHT = 20
ELLIPSIS = "…"


class Font:
    """A bitmap font of one size. ``height``: pixels of a line, accents included."""

    def __init__(self, file: str, height: int) -> None:
        data = io.BytesIO(gzip.decompress((FONTS / file).read_bytes()))
        self.height = height
        self.face = ImageFont.truetype(data, height)
        self.stencil = lru_cache(maxsize=512)(self._stencil)  # screens repeat their words

    def width(self, text: str) -> int:
        """Pixels from the first to past the last character."""
        return int(self.face.getlength(text))

    def _stencil(self, text: str) -> Image.Image:
        """The text's pixels, to be painted through."""
        image = Image.new("1", (max(1, self.width(text)), self.height))
        pen = ImageDraw.Draw(image)
        pen.fontmode = "1"
        pen.text((0, 0), text, fill=1, font=self.face)
        return image

    def fit(self, text: str, width: int) -> str:
        """The text, or as much of it as fits the width, with an ellipsis."""
        if self.width(text) <= width:
            return text
        while text and self.width(text + ELLIPSIS) > width:
            text = text[:-1]
        return text.rstrip() + ELLIPSIS

    def wrap(self, text: str, width: int, lines: int) -> list[str]:
        """The text broken at blanks into at most ``lines`` lines of about one length.

        What does not fit ends in an ellipsis.
        """
        rows = self._rows(text, width)
        for narrower in range(width - 1, self.width("M"), -1):
            if len(closer := self._rows(text, narrower)) > len(rows):
                break
            rows = closer
        if len(rows) > lines:
            rows[lines - 1 :] = [" ".join(rows[lines - 1 :])]
        return [self.fit(row, width) for row in rows]

    def _rows(self, text: str, width: int) -> list[str]:
        """The text broken wherever the next word would go past the width."""
        rows = [""]
        for word in text.split():
            longer = f"{rows[-1]} {word}".strip()
            if rows[-1] and self.width(longer) > width:
                rows.append(word)
            else:
                rows[-1] = longer
        return rows


@cache
def small() -> Font:
    """5×7 pixels: 25 characters a line."""
    return Font("5x7.pcf.gz", 7)


@cache
def medium() -> Font:
    """6×12 pixels, bold: 21 characters a line."""
    return Font("ter-u12b_unicode.pcf.gz", 12)


@cache
def large() -> Font:
    """8×14 pixels, bold: 16 characters a line."""
    return Font("ter-u14b_unicode.pcf.gz", 14)


class Canvas:
    """What one screen will show. Coordinates count pixels from the upper left."""

    def __init__(self) -> None:
        self.image = Image.new("1", (WIDTH, HEIGHT))
        self._draw = ImageDraw.Draw(self.image)

    def text(self, x: int, y: int, text: str, font: Font, *, dark: bool = False) -> None:
        """Write from the left end; ``dark`` for lit ground."""
        stencil = font.stencil(unicodedata.normalize("NFC", text))
        self.image.paste(0 if dark else 1, (x, y), stencil)

    def centred(self, x: int, y: int, width: int, text: str, font: Font, *, dark: bool = False) -> None:
        """Write in the middle of a box, cut to its width."""
        text = font.fit(text, width)
        self.text(x + (width - font.width(text)) // 2, y, text, font, dark=dark)

    def box(self, x: int, y: int, width: int, height: int, *, filled: bool = True, lit: bool = True) -> None:
        """A filled box or its outline, lit or dark."""
        corner = (x + width - 1, y + height - 1)
        ink = 1 if lit else 0
        self._draw.rectangle((x, y, *corner), fill=ink if filled else None, outline=ink)

    def bar(self, y: int, text: str, *, lit: bool) -> None:
        """One line of text over the whole width, in the medium font, or the small one if it is long.

        ``lit``: dark on a lit bar, to be seen from afar.
        """
        font = medium() if medium().width(text) <= WIDTH - 2 else small()
        if lit:
            self.box(0, y, WIDTH, 12)
        self.centred(1, y + (12 - font.height) // 2, WIDTH - 2, text, font, dark=lit)

    def hint(self, left: str, right: str, row: int = 0) -> None:
        """The bottom line, or the ``row``-th above: what to press. The left part goes if both do not fit."""
        y = HEIGHT - 7 - 8 * row
        font = small()
        right = font.fit(right, WIDTH)
        self.text(WIDTH - font.width(right), y, right, font)
        room = WIDTH - font.width(right) - (5 if right else 0)
        if left and font.width(left) <= room:
            self.text(0, y, left, font)

    def card(self, x: int, y: int, card: Card, width: int = 10, *, filled: bool = False) -> None:
        """A playing card, ``width`` (10 or more) × 20 pixels; ``filled`` for a marked one."""
        self.box(x, y, width, CARD_HEIGHT)
        if not filled:
            self.box(x + 1, y + 1, width - 2, CARD_HEIGHT - 2, lit=False)
        for corner in (
            (x, y),
            (x + width - 1, y),
            (x, y + CARD_HEIGHT - 1),
            (x + width - 1, y + CARD_HEIGHT - 1),
        ):
            self._draw.point(corner, fill=0)
        letters = RANK_LETTERS[card.rank]
        if letters == "10":
            self._ten(x + (width - 8) // 2, y + 2, dark=filled)
        else:
            self.text(x + (width - 8) // 2, y - 1, letters, large(), dark=filled)
        self.text(x + (width - 4) // 2, y + 12, SUIT_SIGNS[card.suit], small(), dark=filled)

    def _ten(self, x: int, y: int, *, dark: bool) -> None:
        """The rank 10 as narrow as one letter."""
        ink = 0 if dark else 1
        self._draw.rectangle((x, y, x + 1, y + 8), fill=ink)
        self._draw.rectangle((x + 3, y + 1, x + 7, y + 7), outline=ink)
        self._draw.rectangle((x + 4, y, x + 6, y + 8), outline=ink)
        self._draw.rectangle((x + 4, y + 1, x + 6, y + 7), fill=1 - ink)
        self._draw.line((x + 4, y + 1, x + 4, y + 7), fill=ink)
        self._draw.line((x + 6, y + 1, x + 6, y + 7), fill=ink)
        self._draw.line((x + 5, y + 1, x + 5, y + 7), fill=1 - ink)
