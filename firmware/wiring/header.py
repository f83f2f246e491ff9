"""The Raspberry Pi's 40-pin header: which number has which name.

The same on every model from the B+ on (raspberrypi.com documentation, "GPIO and the 40-pin header").
"""

from typing import NamedTuple


class HeaderPin(NamedTuple):
    """A pin: ``number`` as counted on the header, 1 to 40; ``name`` as printed; ``gpio``: its BCM number."""

    number: int
    name: str
    gpio: int | None


_GPIO = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25,
    23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
_POWER = {1: "3V3", 17: "3V3", 2: "5V", 4: "5V"}

GROUND_PINS = (6, 9, 14, 20, 25, 30, 34, 39)
POWER_PIN, BUS_GROUND_PIN, SDA_PIN, SCL_PIN = 1, 6, 3, 5
"""The four pins of the I2C bus: 3V3, the ground beside it, GPIO2 and GPIO3."""


def _pin(number: int) -> HeaderPin:
    gpio = _GPIO.get(number)
    return HeaderPin(number, _POWER.get(number, "GND") if gpio is None else f"GPIO{gpio}", gpio)


HEADER = tuple(_pin(number) for number in range(1, 41))
"""All pins in order of their numbers."""

_BY_GPIO = {pin.gpio: pin for pin in HEADER if pin.gpio is not None}


def pin_of(gpio: int) -> HeaderPin:
    """The header pin of a GPIO number, 0 to 27."""
    return _BY_GPIO[gpio]
