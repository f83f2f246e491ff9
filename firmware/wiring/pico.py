"""The 40 pins of a Raspberry Pi Pico, Pico H or Pico 2: which number has which name, and where it lies.

Source: Raspberry Pi Pico datasheet, "Pinout".
"""

from firmware.wiring.pinout import Place

PICO_PINS = (
    *("GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7"),
    *("GP8", "GP9", "GND", "GP10", "GP11", "GP12", "GP13", "GND", "GP14", "GP15"),
    *("GP16", "GP17", "GND", "GP18", "GP19", "GP20", "GP21", "GND", "GP22", "RUN"),
    *("GP26", "GP27", "AGND", "GP28", "ADC_VREF", "3V3(OUT)", "3V3_EN", "GND", "VSYS", "VBUS"),
)
"""Names of the pins, from pin 1 on."""

POWER_PIN, PANEL_GROUND_PIN = 36, 38
"""3V3(OUT), and the ground pin beside it."""
GROUND_PINS = tuple(
    number for number, name in enumerate(PICO_PINS, 1) if name == "GND" and number != PANEL_GROUND_PIN
)

PICO_PLACES = tuple(
    Place(str(number), str(number), name, number <= 20, number - 1 if number <= 20 else 40 - number)
    for number, name in enumerate(PICO_PINS, 1)
)
"""The Pico from above with its USB socket up: pins 1 to 20 down the left, 21 to 40 up the right."""


def pico_pin(gpio: int) -> int:
    """The pin of a GPIO number. Raise ValueError if that is at no pin."""
    return PICO_PINS.index(f"GP{gpio}") + 1
