"""A gpiozero pin factory over ``hardware.bus.Line`` objects, for lines that are no Raspberry Pi's."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from hardware.bus import Line


def line_pins(lines: Mapping[int, Line], clock: Callable[[], float]) -> Any:
    """Pins over lines, by GPIO number. ``clock`` gives gpiozero's ticks: seconds, monotonic."""
    return _factory()(lines, clock)


@functools.cache
def _factory() -> Any:
    """The class of the factory. gpiozero is only imported where there are pins."""
    from gpiozero.exc import PinInvalidPin, PinInvalidPull, PinSetInput
    from gpiozero.pins.mock import MockFactory, MockPin

    class LinePin(MockPin):  # type: ignore[misc]
        """gpiozero's mock pin, whose level is that of a line."""

        def __init__(self, factory: "LinePinFactory", info: Any) -> None:
            super().__init__(factory, info)
            self._line: Line = factory.line(info)
            self._line.watch(self._line_changed)
            self._state = self._line.level

        def close(self) -> None:
            """Let the line go."""
            self.when_changed = None
            self._line.watch(None)
            self._function = "input"
            self._line.drive(None)
            self._line.set_pull("floating")

        def _get_state(self) -> bool:
            return self._line.level

        def _set_state(self, value: float) -> None:
            if self._function != "output":
                raise PinSetInput(f"{self!r} is an input: its level cannot be set")
            self._line.drive(bool(value))

        def _set_function(self, value: str) -> None:
            self._function = value
            self._line.drive(self._line.level if value == "output" else None)

        def output_with_state(self, state: float) -> None:
            """Become an output of this level, without a glitch of the other."""
            self._function = "output"
            self._line.drive(bool(state))

        def _set_pull(self, value: str) -> None:
            if value not in ("floating", "up", "down"):
                raise PinInvalidPull(f"a pull is floating, up or down, not {value!r}")
            self._pull = value
            self._line.set_pull(value)

        def _line_changed(self, at: float, level: bool) -> None:
            if self._function == "input" and self._when_changed is not None:
                self._when_changed_at(at, level)

        def _when_changed_at(self, at: float, level: bool) -> None:
            changed = self.when_changed
            if changed is not None:
                changed(at, level)

    class LinePinFactory(MockFactory):  # type: ignore[misc]
        """Pins over lines, by GPIO number. ``clock`` gives gpiozero's ticks: seconds, monotonic."""

        def __init__(self, lines: Mapping[int, Line], clock: Callable[[], float]) -> None:
            # The revision of a Pi 3B and the pin class are given, so that no environment variable decides.
            super().__init__(revision="a02082", pin_class=LinePin)
            self._lines = lines
            self.ticks = clock

        def line(self, info: Any) -> Line:
            """The line of a pin. Raise gpiozero's PinInvalidPin if nothing is wired to it."""
            number = int(info.name.removeprefix("GPIO"))
            if number not in self._lines:
                raise PinInvalidPin(f"nothing is wired to {info.name}")
            return self._lines[number]

    return LinePinFactory
