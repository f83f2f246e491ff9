"""What a pod draws on when its program runs on this Python, in the place of MicroPython's framebuf."""

from PIL import Image, ImageDraw

from firmware.pod.screens import Canvas
from firmware.table.canvas import small
from hardware.frame import pack
from hardware.seat import HEIGHT, WIDTH

CELL = 8
"""Pixels from one character to the next; the font's own are narrower."""


class PodCanvas(Canvas):
    """Draws into ``buffer``: 1,024 bytes, page order. The letters are not those of MicroPython."""

    def __init__(self, buffer: bytearray) -> None:
        self._buffer = buffer
        self._image = Image.new("1", (WIDTH, HEIGHT))
        self._pen = ImageDraw.Draw(self._image)
        self._pen.fontmode = "1"

    def fill(self, colour: int) -> None:
        """Make all pixels dark (0) or lit (1)."""
        self._pen.rectangle((0, 0, WIDTH, HEIGHT), fill=colour)
        self._keep()

    def text(self, text: str, x: int, y: int, colour: int) -> None:
        """Write ASCII characters, one each 8 pixels; the first one's top left corner is at x, y."""
        for number, character in enumerate(text):
            self._pen.text((x + CELL * number + 1, y), character, fill=colour, font=small().face)
        self._keep()

    def rect(self, x: int, y: int, width: int, height: int, colour: int, fill: bool) -> None:
        """Draw a rectangle, or fill it."""
        corners = (x, y, x + width - 1, y + height - 1)
        self._pen.rectangle(corners, outline=colour, fill=colour if fill else None)
        self._keep()

    def _keep(self) -> None:
        self._buffer[:] = pack(self._image)
