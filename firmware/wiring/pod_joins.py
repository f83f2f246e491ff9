"""What is joined to what in each pod, worked out from its pin map, firmware/pod/pins.py."""

from collections.abc import Iterator

from firmware.errors import UsageError
from firmware.pod import pins
from firmware.wiring.pico import GROUND_PINS, PANEL_GROUND_PIN, POWER_PIN, pico_pin
from firmware.wiring.plan import (
    PICO,
    POD,
    Join,
    Part,
    Terminal,
    button_name,
    lamp_name,
    panel_name,
    resistor_name,
)
from firmware.wiring.signals import BUTTONS, GROUND, LAMP, POWER, SCL, SDA
from hardware.profile import ButtonPins, ScreenProfile, WiredSeat
from hardware.seat import Button


def pod_seat() -> WiredSeat:
    """A pod as if it were a seat on wires: what its pin map says, with the Pico's GPIO numbers.

    Raise UsageError for a pin map that the drawings do not know.
    """
    if pins.UART is not None:
        raise UsageError("the pin map firmware/pod/pins.py has a UART; drawings exist for pods on USB")
    if pins.PANEL not in ("ssd1306", "sh1106") or pins.ADDRESS not in (0x3C, 0x3D):
        raise UsageError(
            f"the pin map firmware/pod/pins.py has a panel {pins.PANEL!r} at {pins.ADDRESS:#x}; drawings "
            "exist for ssd1306 and sh1106 at 0x3C and 0x3D"
        )
    screen = ScreenProfile(
        chip=pins.PANEL,  # type: ignore[arg-type]  # looked at above
        address=pins.ADDRESS,  # type: ignore[arg-type]
        rotate=180 if pins.UPSIDE_DOWN else 0,
    )
    buttons = ButtonPins(left=pins.LEFT, right=pins.RIGHT, mark=pins.MARK, play=pins.PLAY)
    return WiredSeat(POD, "pod", screen, buttons, pins.LAMP)


def pod_parts(pod: WiredSeat) -> Iterator[Part]:
    """The parts of each pod."""
    yield Part(PICO, "pico", POD)
    yield Part(panel_name(POD), "panel", POD)
    for button in Button:
        yield Part(button_name(POD, button), "button", POD)
    if pod.lamp is not None:
        yield Part(resistor_name(POD), "resistor", POD)
        yield Part(lamp_name(POD), "lamp", POD)


def pod_joins(pod: WiredSeat) -> Iterator[Join]:
    """The wires of each pod, in the order of assembly."""
    panel = panel_name(POD)
    yield GROUND, Terminal(PICO, str(PANEL_GROUND_PIN)), Terminal(panel, "GND")
    yield POWER, Terminal(PICO, str(POWER_PIN)), Terminal(panel, "VCC")
    yield SCL, _on_pico(pins.SCL), Terminal(panel, "SCL")
    yield SDA, _on_pico(pins.SDA), Terminal(panel, "SDA")
    for button, gpio in pod.buttons.by_button().items():
        yield BUTTONS[button], _on_pico(gpio), Terminal(button_name(POD, button), "a")
    last = Terminal(PICO, str(_ground(pod)))
    for button in Button:
        contact = Terminal(button_name(POD, button), "b")
        yield GROUND, last, contact
        last = contact
    if pod.lamp_pin is not None:
        yield LAMP, _on_pico(pod.lamp_pin), Terminal(resistor_name(POD), "a")
        yield LAMP, Terminal(resistor_name(POD), "b"), Terminal(lamp_name(POD), "long leg")
        yield GROUND, last, Terminal(lamp_name(POD), "short leg")


def _on_pico(gpio: int) -> Terminal:
    try:
        return Terminal(PICO, str(pico_pin(gpio)))
    except ValueError:
        raise UsageError(
            f"the pin map firmware/pod/pins.py has GPIO {gpio}, which a Pico has at no pin"
        ) from None


def _ground(pod: WiredSeat) -> int:
    """The ground pin nearest to the buttons, along the board's edge."""
    used = [pico_pin(gpio) for gpio in pod.buttons.by_button().values()]
    return min(GROUND_PINS, key=lambda ground: (sum(abs(ground - pin) for pin in used), ground))
