"""The signals that run through the table's wires, each with a colour of its own."""

from dataclasses import dataclass

from hardware.seat import Button


@dataclass(frozen=True, slots=True)
class Signal:
    """What a wire carries.

    ``colour``: of the cable's core; all but the rare RESET are in every rainbow ribbon. ``core``: how it is
    drawn inside a black outline. ``dash``: in which pattern (mm on, off), so that it is told apart in black
    and white as well. A signal without ``core`` is drawn black.
    """

    name: str
    colour: str
    core: str | None
    dash: str = ""


POWER = Signal("3V3", "red", "#e02020")
GROUND = Signal("GND", "black", None)
SDA = Signal("SDA", "blue", "#2f6fe0", "3 1")
SCL = Signal("SCL", "yellow", "#ffd400", "1 0.6")
LAMP = Signal("LAMP", "grey", "#b8b8b8", "0.6 1.4")
INTERRUPT = Signal("INT", "brown", "#9a5b2c", "5 1 1 1")
RESET = Signal("RESET", "pink", "#ff9ecb", "1 2 3 2")
BUTTONS = {
    Button.LEFT: Signal("LEFT", "green", "#22b04a", "5 1"),
    Button.RIGHT: Signal("RIGHT", "violet", "#b060e0", "3 1 1 1"),
    Button.MARK: Signal("MARK", "white", "#ffffff"),
    Button.PLAY: Signal("PLAY", "orange", "#ff8a1f", "2 2"),
}

SIGNALS = (POWER, GROUND, SDA, SCL, *BUTTONS.values(), LAMP, INTERRUPT, RESET)
