"""What goes over a socket: hello, frames, and the page's presses (docs/web.md, "The socket")."""

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from hardware.seat import HEIGHT, WIDTH, Button

VERSION = 3
"""Of the protocol. A page that meets another one asks to be reloaded."""

FRAME_BYTES = 2 + WIDTH * HEIGHT // 8
"""Seat, lamp and pod, picture."""

ENDED = "games"
"""Another game has ended: the list of games is another one."""

MESSAGE_BYTES = 64
"""The longest message that a page may send."""

POD_ACTS = ("unplug", "plug", "reset", "garble", "clear")
"""What a page can have done to a simulated pod; ``clear`` ends ``garble``."""

UNPLUGGED, GARBLED = 4, 8
"""Bits beside the lamp."""

_BUTTONS = frozenset(button.value for button in Button)


class PodState(NamedTuple):
    """Whether a simulated pod's cable is plugged in, and whether its line is garbled."""

    plugged: bool
    garbled: bool


class Seats(Protocol):
    """What the page asks of a table to show it. All calls come from the server's thread."""

    @property
    def seats(self) -> Sequence[int]:
        """The seats' numbers, 1 to 6, clockwise as seen from above."""
        ...

    def label(self, seat: int) -> str:
        """What stands on the rim at this seat."""
        ...

    def picture(self, seat: int) -> bytes:
        """What one sees on the panel now: 1024 bytes in page order (SSD1306 datasheet, section 8.7)."""
        ...

    def lamp(self, seat: int) -> bool | None:
        """Whether the seat's turn lamp is lit; None if it has no lamp."""
        ...

    def pod(self, seat: int) -> PodState | None:
        """How the seat's pod is; None if the seat has none."""
        ...


def hello(table: Seats, seats: Sequence[int], alive_s: float) -> str:
    """A socket's first message: the ``seats`` it shows, and that something comes every ``alive_s``."""
    return json.dumps(
        {
            "protocol": VERSION,
            "alive_s": alive_s,
            "seats": [
                {"seat": seat, "label": table.label(seat), "pod": table.pod(seat) is not None}
                for seat in seats
            ],
        }
    )


def frame(table: Seats, seat: int) -> bytes:
    """What one seat shows: its number, its lamp (0 off, 1 lit, 2 none), then the picture's 1024 bytes.

    With the lamp: 4 if the seat's pod is unplugged, 8 if its line is garbled.
    """
    lamp, pod = table.lamp(seat), table.pod(seat)
    second = 2 if lamp is None else int(lamp)
    if pod is not None:
        second |= (0 if pod.plugged else UNPLUGGED) | (GARBLED if pod.garbled else 0)
    return bytes((seat, second)) + table.picture(seat)


def parse_pod(message: str | bytes, table: Seats, seats: Collection[int]) -> tuple[int, str] | None:
    """Read ``pod SEAT ACT``: seat and act; None: it says something else.

    Raises ValueError with a reason (that repeats nothing of the message) if that cannot be done.
    """
    words = message.split(" ") if isinstance(message, str) else []
    if len(words) != 3 or words[0] != "pod":
        return None
    if words[1] not in {str(seat) for seat in seats if table.pod(seat) is not None}:
        raise ValueError("this socket has no such pod")
    if words[2] not in POD_ACTS:
        raise ValueError(f"nothing that can be done to a pod: {', '.join(POD_ACTS)} are")
    return int(words[1]), words[2]


def parse(message: str | bytes, seats: Collection[int]) -> tuple[bool, int, str]:
    """Read ``press SEAT BUTTON`` or ``release SEAT BUTTON``: down or not, seat, button.

    Raises ValueError with a reason (that repeats nothing of the message) for everything else.
    """
    if not isinstance(message, str):
        raise ValueError("a binary message: only text is understood")
    words = message.split(" ")
    if len(words) != 3 or words[0] not in ("press", "release"):
        raise ValueError("not understood: press SEAT BUTTON or release SEAT BUTTON is")
    verb, seat, button = words
    if seat not in {str(number) for number in seats}:
        raise ValueError("this socket has no such seat")
    if button not in _BUTTONS:
        raise ValueError(f"no such button: {', '.join(sorted(_BUTTONS))} are")
    return verb == "press", int(seat), button
