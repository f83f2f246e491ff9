"""What a pod draws by itself: a title and lines of 15 characters of 8×8 pixels. On both Pythons."""


class Canvas:
    """What is drawn on: what is needed of MicroPython's framebuf.FrameBuffer, 128×64 bits."""

    def fill(self, colour: int) -> object:
        """Make all pixels dark (0) or lit (1)."""
        raise NotImplementedError

    def text(self, text: str, x: int, y: int, colour: int) -> object:
        """Write ASCII characters of 8×8 pixels; the first one's top left corner is at x, y."""
        raise NotImplementedError

    def rect(self, x: int, y: int, width: int, height: int, colour: int, fill: bool) -> object:
        """Draw a rectangle, or fill it."""
        raise NotImplementedError


BUTTONS = ("LEFT", "RIGHT", "MARK", "PLAY")
_CHARACTERS = 15
_FIRST_Y, _LINE_HEIGHT = 15, 9


def page(canvas: Canvas, title: str, *rest: str) -> None:
    """A title in reverse and up to five lines within a border, 15 characters each."""
    canvas.fill(0)
    # A border of one pixel shows at a glance if the panel's chip or its offset is set wrong.
    canvas.rect(0, 0, 128, 64, 1, False)
    canvas.rect(1, 1, 126, 12, 1, True)
    canvas.text(title, 4, 3, 0)
    for number, line in enumerate(rest):
        canvas.text(line, 4, _FIRST_Y + _LINE_HEIGHT * number, 1)


def alone(canvas: Canvas, name: str, build: str, down: int, stuck: int) -> None:
    """No table: what to check, and a box for each button, filled while it is down. Bits are by number."""
    hints = ("No table. Is it", "plugged in, and", "does it run?")
    for number, button in enumerate(BUTTONS):
        if stuck >> number & 1:
            hints = (button + " is down:", "let it go, or", "find the short.")
    page(canvas, "Pod " + name, *hints, build[:_CHARACTERS])
    for number, button in enumerate(BUTTONS):
        pressed = (down | stuck) >> number & 1
        canvas.rect(4 + 31 * number, 51, 27, 11, 1, bool(pressed))
        canvas.text(button[0], 14 + 31 * number, 53, 1 - pressed)


def offer(canvas: Canvas, seat: int) -> None:
    """The table does not know this pod, and would have it for a seat (0: for none)."""
    if seat:
        page(canvas, "New pod", "Press PLAY", "if this is", "", "   seat " + str(seat))
    else:
        page(canvas, "Spare pod", "All seats have", "their pods.")


def other_version(canvas: Canvas, table: tuple[int, int], pod: tuple[int, int]) -> None:
    """Table and pod speak no common protocol version (lowest, highest): which they do, and what to do."""
    page(
        canvas,
        "Other version",
        "Table has " + _span(table),
        "Pod has " + _span(pod),
        "At the table:",
        "twentytwo pod",
        "flash",
    )


def stopped(canvas: Canvas, error: str) -> None:
    """The firmware has failed: with what, and what to do."""
    first, second = error[:_CHARACTERS], error[_CHARACTERS : 2 * _CHARACTERS]
    page(canvas, "Pod stopped", first, second, "Unplug it, plug", "it in; if again", "flash it anew.")


def _span(versions: tuple[int, int]) -> str:
    lowest, highest = versions
    return str(lowest) if lowest == highest else str(lowest) + "-" + str(highest)
