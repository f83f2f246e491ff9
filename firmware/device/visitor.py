"""A simulated person at a simulated board: presses every button, and does what the panels ask for."""

from collections.abc import Iterator

from firmware.device.testpages import asks
from firmware.device.trials import HOLD_S
from firmware.simulation import SimHost
from hardware.seat import Button

START_S = 0.5
STROKE_S = 0.15
REST_S = 0.15
LOOK_S = 0.5
"""How often the person looks round the table."""


class Visitor:
    """Goes round the table once (``firmware.simulation.Happening``), then answers whichever panel asks.

    What counts is where a panel stands and what shines on it, not what the program means it to show.
    """

    def __init__(self, host: SimHost) -> None:
        self._host = host
        self._seats = [seat.number for seat in host.profile.seats]
        self._acts = self._go()
        self._next = host.clock() + START_S

    def advance(self, now: float) -> None:
        """Do what is due by ``now``."""
        while self._next <= now:
            self._next += next(self._acts)

    def deadline(self) -> float:
        """When the person does something next."""
        return self._next

    def _go(self) -> Iterator[float]:
        """Act, and yield the seconds until the next act."""
        for seat in self._seats:
            for button in Button:
                yield from self._press(seat, button, STROKE_S)
        while True:
            for seat in self._seats:
                if asks(self._host.wires.panel(seat).visible()):
                    yield from self._press(seat, Button.PLAY, HOLD_S + STROKE_S)
            yield LOOK_S

    def _press(self, seat: int, button: Button, seconds: float) -> Iterator[float]:
        self._host.wires.press(seat, button)
        yield seconds
        self._host.wires.release(seat, button)
        yield REST_S
