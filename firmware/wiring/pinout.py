"""Where the pins of a part lie: in two rows, as seen from above."""

from typing import NamedTuple

from firmware.wiring.header import HEADER

EXTRA = {2: "SDA", 3: "SCL", 0: "ID_SD", 1: "ID_SC"}
"""What a few GPIO are called besides their number."""


class Place(NamedTuple):
    """A pin: ``pin`` as in Terminal, ``mark`` stands in it, ``name`` beside it; ``row`` counts from 0, at
    the top."""

    pin: str
    mark: str
    name: str
    left: bool
    row: int


HEADER_PLACES = tuple(
    Place(
        str(pin.number),
        str(pin.number),
        f"{pin.name} {EXTRA[pin.gpio]}" if pin.gpio in EXTRA else pin.name,
        pin.number % 2 == 1,
        (pin.number - 1) // 2,
    )
    for pin in HEADER
)
"""The Pi's header with the microSD end up: odd pins on the left, even ones at the board's edge."""
