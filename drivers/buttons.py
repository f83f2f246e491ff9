"""A seat's buttons and lamp on GPIO pins, through gpiozero."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from drivers.edges import Edges, stuck_fault
from hardware.buttons import Debouncer
from hardware.seat import Button, Edge

GOOD_SECONDS = 0.09
"""So soon a lost edge is made good: the levels are looked at so often that they settle in time."""
STALE_SECONDS = 1.0
"""A pin's own time that is further off is not of our clock."""


class _Pin:
    """One button's pin: its callback only notes the edge, whatever thread it comes from."""

    def __init__(self, buttons: "PinButtons", button: Button, number: int) -> None:
        from gpiozero import DigitalInputDevice  # only where there are pins

        self.button = button
        self._buttons = buttons
        factory = buttons.factory
        self.device: Any = DigitalInputDevice(number, pull_up=buttons.active_low, pin_factory=factory)
        self._pin: Any = self.device.pin
        self.debouncer = Debouncer(buttons.settle_time, bool(self.device.value), factory.ticks())
        # The pin's own callback: a device's callbacks tell no time.
        self._pin.when_changed = self._changed

    def look(self) -> bool:
        """Whether it is down now. Past the device's layers, since this is what a table does at rest."""
        return bool(self._pin.state) != self._buttons.active_low

    def _changed(self, ticks: float, level: bool) -> None:
        now = self._buttons.factory.ticks()
        at = ticks if 0 <= now - ticks < STALE_SECONDS else now
        self._buttons.noted.append((self, bool(level) != self._buttons.active_low, at))
        self._buttons.wake()


class PinButtons:
    """The buttons of one seat (``hardware.seat.Buttons``).

    ``settle_ms``: how long a level must hold before it counts. Raise gpiozero's errors for pins that it
    cannot have.
    """

    def __init__(
        self,
        seat: int,
        pins: Mapping[Button, int],
        factory: Any,
        *,
        active_low: bool = True,
        settle_ms: float = 15,
    ) -> None:
        self.seat = seat
        self.factory = factory
        self.active_low = active_low
        self.settle_time = settle_ms / 1000
        self.wake: Callable[[], None] = lambda: None
        self.noted: deque[tuple[_Pin, bool, float]] = deque()
        self._pins: list[_Pin] = []
        self._look_seconds = GOOD_SECONDS - self.settle_time
        self._next_look = factory.ticks() + self._look_seconds
        self._edges = Edges(seat)
        try:
            for button, number in pins.items():
                self._pins.append(_Pin(self, button, number))
        except BaseException:
            self.close()
            raise

    @property
    def stuck(self) -> tuple[Button, ...]:
        """Buttons that have been down since the start: they are ignored until they are released."""
        return tuple(pin.button for pin in self._pins if pin.debouncer.stuck)

    @property
    def fault(self) -> str | None:
        """What is wrong with these buttons; None if they work."""
        return stuck_fault(self.stuck)

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is an edge to poll."""
        self.wake = wake

    def poll(self, now: float) -> list[Edge]:
        """Presses and releases that became certain up to ``now``, in order of time.

        An edge's time is since when the contact has held its level, but never before the edge reported last.
        """
        noted = self.noted
        while noted:
            pin, down, at = noted.popleft()
            pin.debouncer.feed(down, at)
        if now >= self._next_look:
            self._next_look = now + self._look_seconds
            for pin in self._pins:
                pin.debouncer.feed(pin.look(), now)
        return self._edges.of(
            (at, pin.button, down) for pin in self._pins for down, at in pin.debouncer.settle(now)
        )

    def deadline(self) -> float:
        """When ``poll`` must be called next."""
        return min(
            (deadline for pin in self._pins if (deadline := pin.debouncer.deadline) is not None),
            default=self._next_look,
        )

    def close(self) -> None:
        """Let the pins go. A second call does nothing."""
        for pin in self._pins:
            pin.device.close()
        self._pins.clear()


class NoButtons:
    """Buttons whose pins cannot be had: nothing comes from them (``hardware.seat.Buttons``)."""

    def __init__(self, fault: str) -> None:
        self.fault: str | None = fault

    def listen(self, wake: Callable[[], None]) -> None:
        """Nothing will wake."""

    def poll(self, now: float) -> list[Edge]:
        """Nothing."""
        return []

    def deadline(self) -> float | None:
        """Never."""
        return None

    def close(self) -> None:
        """Nothing to let go."""


class PinLamp:
    """A lamp on a pin that feeds it while high (``hardware.seat.Lamp``)."""

    def __init__(self, pin: int, factory: Any) -> None:
        from gpiozero import DigitalOutputDevice

        self._device: Any = DigitalOutputDevice(pin, pin_factory=factory)

    def set(self, on: bool) -> None:
        """Switch it."""
        self._device.value = on

    def close(self) -> None:
        """Switch it off and let the pin go. A second call does nothing."""
        if not self._device.closed:
            self._device.off()
        self._device.close()
