"""Where the pins of the header and of an MCP23017 lie: in two rows, as seen from above."""

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

CHIP_PINS = (
    *(f"GPB{bit}" for bit in range(8)),
    *("VDD", "VSS", "NC", "SCL", "SDA", "NC"),
    *("A0", "A1", "A2", "RESET", "INTB", "INTA"),
    *(f"GPA{bit}" for bit in range(8)),
)
"""Names of an MCP23017's 28 pins in its SPDIP package, from pin 1 on (DS20001952, package types)."""

CHIP_PLACES = tuple(
    Place(name, str(number), name, number <= 14, number - 1 if number <= 14 else 28 - number)
    for number, name in enumerate(CHIP_PINS, 1)
)
"""The chip with its notch up: pins 1 to 14 down the left, 15 to 28 up the right."""
