"""What a pod's picture is believed to be, and the shortest way to what it should be."""

from hardware import link
from hardware.frame import BLANK, Window, changes, cut
from hardware.seat import WIDTH

CONTENT = 128
"""Bytes of picture that go into one message at most: a longer one is less likely to survive a bad line."""
WINDOW_COST = 3
"""Bytes of a window beside its content."""
UNKNOWN = b"\xff" * link.PICTURE_BYTES


class PodPicture:
    """Turns the picture that is ``wanted`` (1,024 bytes, page order) into messages, the latest one wins.

    What was sent is believed to have arrived until ``lost`` says otherwise: messages put content at places,
    so a later one makes good whatever became of an earlier one. A new session begins with a blank picture.
    """

    def __init__(self) -> None:
        self.wanted = BLANK
        self.begin()

    def begin(self) -> None:
        """A session begins: the pod's picture is blank."""
        self._believed = BLANK
        self._doubtful = BLANK
        """a bit is set where nobody knows what the pod holds"""

    def doubt_all(self) -> None:
        """Nothing is known any more."""
        self._doubtful = UNKNOWN

    def lost(self, windows: tuple[Window, ...]) -> None:
        """A message with these windows was not acknowledged: it may have arrived or not."""
        doubtful = bytearray(self._doubtful)
        for window in windows:
            _fill(doubtful, window, UNKNOWN)
        self._doubtful = bytes(doubtful)

    @property
    def done(self) -> bool:
        """Whether there is nothing to send."""
        return self.wanted == self._believed and self._doubtful == BLANK

    def take(self) -> tuple[bytes, tuple[Window, ...]]:
        """Body and windows of the next message; it counts as sent."""
        wanted = self.wanted
        windows: list[Window] = []
        room = CONTENT + WINDOW_COST
        for left, right, top, bottom in changes(self._differing(wanted), wanted, cost=WINDOW_COST):
            pages = min((room - WINDOW_COST) // (right - left + 1), bottom - top + 1)
            if pages > 0:
                windows.append((left, right, top, top + pages - 1))
                room -= WINDOW_COST + pages * (right - left + 1)
            if pages <= bottom - top:
                break
        body = b""
        believed, doubtful = bytearray(self._believed), bytearray(self._doubtful)
        for window in windows:
            left, right, top, bottom = window
            content = cut(wanted, window)
            body += bytes([left, right, top << 4 | bottom]) + content
            _fill(believed, window, content)
            _fill(doubtful, window, BLANK)
        self._believed, self._doubtful = bytes(believed), bytes(doubtful)
        return body, tuple(windows)

    def _differing(self, wanted: bytes) -> bytes:
        """What the pod is believed to hold; where that is doubtful, the opposite of ``wanted``."""
        if self._doubtful == BLANK:
            return self._believed
        believed, doubtful = int.from_bytes(self._believed), int.from_bytes(self._doubtful)
        opposite = ~int.from_bytes(wanted)
        return (believed & ~doubtful | opposite & doubtful).to_bytes(link.PICTURE_BYTES)


def _fill(frame: bytearray, window: Window, content: bytes) -> None:
    """Put the beginning of ``content``, page by page, into a window of a frame."""
    left, right, top, bottom = window
    width = right - left + 1
    for number, page in enumerate(range(top, bottom + 1)):
        start = page * WIDTH + left
        frame[start : start + width] = content[number * width : (number + 1) * width]
