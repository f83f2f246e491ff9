"""What a seat has: a screen, four buttons and perhaps a lamp, and the board that bundles the seats."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from PIL import Image

WIDTH, HEIGHT = 128, 64
"""Pixels of every seat's screen."""


class Button(Enum):
    """The four buttons of a seat."""

    LEFT = "left"
    RIGHT = "right"
    MARK = "mark"
    PLAY = "play"


@dataclass(frozen=True, slots=True)
class Edge:
    """A button went down or up, free of bounce. ``at``: seconds, monotonic."""

    seat: int
    button: Button
    down: bool
    at: float


class Screen(Protocol):
    """A 128×64 screen, one bit a pixel. Calls return at once: the bus's owner transfers, the latest wins."""

    def show(self, image: Image.Image) -> None:
        """Show a mode ``"1"``, 128×64 image. The image is the screen's from then on."""
        ...

    def set_contrast(self, level: int) -> None:
        """Set the brightness, 0 to 255."""
        ...

    def set_power(self, on: bool) -> None:
        """Light the panel, with the latest image, or put it to sleep."""
        ...

    @property
    def fault(self) -> str | None:
        """What is wrong with this screen, in words for an operator; None if it works."""
        ...


class Buttons(Protocol):
    """Where presses come from: the buttons of one seat, or all of one chip. One thread calls it."""

    @property
    def fault(self) -> str | None:
        """What is wrong with these buttons, in words for an operator; None if they work."""
        ...

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is something to poll."""
        ...

    def poll(self, now: float) -> list[Edge]:
        """Edges up to ``now``, in order of time."""
        ...

    def deadline(self) -> float | None:
        """When ``poll`` must be called next even if nothing wakes; None: not before a wake."""
        ...

    def close(self) -> None:
        """Let the pins go. A second call does nothing."""
        ...


class Lamp(Protocol):
    """A seat's turn lamp."""

    def set(self, on: bool) -> None:
        """Switch it."""
        ...


@dataclass(frozen=True, slots=True)
class Seat:
    """One place at the table. ``number``: 1 to 6, clockwise; ``label``: what stands on the table's rim.

    ``buttons`` may be asked for their fault; what they do comes from the board. None: the screen's fault says
    it all.
    """

    number: int
    label: str
    screen: Screen
    lamp: Lamp | None
    buttons: Buttons | None = None

    @property
    def fault(self) -> str | None:
        """What is wrong with this seat, in words for an operator; None if all of it works."""
        faults = [self.screen.fault]
        if self.buttons is not None and self.buttons.fault is not None:
            faults.append(f"buttons of seat {self.number}: {self.buttons.fault}")
        return "; ".join(fault for fault in faults if fault is not None) or None


class Board(Protocol):
    """All seats, and the time that they need. Time is handed in: seconds, monotonic, never going back.

    A caller's round: ``poll(now)`` for edges, ``show`` what changed, ``flush(now)``; again when ``wake`` is
    called or ``deadline()`` has come.
    """

    @property
    def seats(self) -> Mapping[int, Seat]:
        """The seats by number, ascending."""
        ...

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is something to poll."""
        ...

    def poll(self, now: float) -> list[Edge]:
        """Edges of all seats up to ``now``, in order of time; checks levels that are due to be checked."""
        ...

    def flush(self, now: float) -> None:
        """Transfer what is to be shown, on this thread; after ``start``, wake the buses' own threads."""
        ...

    def deadline(self) -> float | None:
        """When ``poll`` or ``flush`` must be called next even if nothing wakes; None: not before a wake."""
        ...

    @property
    def down(self) -> tuple[str, ...]:
        """What is wrong with buses as a whole, in words for an operator; nothing if all work."""
        ...

    def start(self) -> None:
        """Give each bus its own thread."""
        ...

    def close(self) -> None:
        """Blank the screens, let all pins and buses go. A second call does nothing."""
        ...
