"""A chip's RESET or interrupt pin on a GPIO pin, through gpiozero."""

from collections.abc import Callable
from typing import Any


class ResetPin:
    """Low resets, high lets the chip work. It is pulsed once at the start. Raise gpiozero's errors."""

    def __init__(self, pin: int, factory: Any) -> None:
        from gpiozero import DigitalOutputDevice

        self._device: Any = DigitalOutputDevice(
            pin, active_high=False, initial_value=True, pin_factory=factory
        )
        self._device.off()

    def pulse(self) -> None:
        """Reset the chip. Six nanoseconds are enough for a TCA9548A (datasheet 6.6)."""
        self._device.on()
        self._device.off()

    def close(self) -> None:
        """Let the pin go. A second call does nothing."""
        self._device.close()


class InterruptPin:
    """Calls ``asserted`` when the pin falls, from whatever thread notices. Raise gpiozero's errors."""

    def __init__(self, pin: int, asserted: Callable[[], None], factory: Any) -> None:
        from gpiozero import DigitalInputDevice

        self._asserted = asserted
        # The chip's output is open-drain: the pull-up makes it high again.
        self._device: Any = DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
        self._device.pin.when_changed = self._changed

    def low(self) -> bool:
        """Whether the chip asserts it now."""
        return not self._device.pin.state

    def _changed(self, ticks: float, level: bool) -> None:
        if not level:
            self._asserted()

    def close(self) -> None:
        """Let the pin go. A second call does nothing."""
        self._device.close()
