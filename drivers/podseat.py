"""A seat that has a pod: what its screen and lamp are to show, and its edges, pod or no pod."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PIL import Image

from drivers.podlink import Edge as ToldEdge
from drivers.podlink import PodLink, Settings
from hardware.frame import BLANK, pack
from hardware.link import BUTTONS
from hardware.seat import Button, Edge, Seat
from hardware.stream import Stream

BY_NUMBER = tuple(Button(name) for name in BUTTONS)
"""The buttons as pods number them."""


@dataclass(frozen=True, slots=True)
class PodPlace:
    """A seat that has a pod. ``pod``: its id, 16 hexadecimal digits; "": the one that is chosen by its PLAY.

    ``fixed``: no other pod may take its place. ``rotate``: 180 if the pod is mounted upside down (its own
    firmware/pod/pins.py may turn the panel, too).
    """

    number: int
    label: str
    pod: str = ""
    rotate: int = 0
    lamp: bool = True
    fixed: bool = False


class PodScreen:
    """A pod's panel as a seat's screen (``hardware.seat.Screen``): it keeps what is wanted, pod or no pod."""

    def __init__(self, rotate: int, wake: Callable[[], None]) -> None:
        self.picture = BLANK
        self.settings = Settings()
        self._rotate = rotate
        self._wake = wake
        self._fault: str | None = None

    def show(self, image: Image.Image) -> None:
        """Show a mode ``"1"``, 128×64 image. Raise ValueError for another one."""
        self.picture = pack(image, self._rotate)
        self._wake()

    def set_contrast(self, level: int) -> None:
        """Set the brightness, 0 to 255. Raise ValueError for a level outside."""
        if not 0 <= level <= 255:
            raise ValueError(f"a brightness is 0 to 255, not {level}")
        self.settings = Settings(self.settings.lamp, level, self.settings.power)
        self._wake()

    def set_power(self, on: bool) -> None:
        """Light the panel or put it to sleep."""
        self.settings = Settings(self.settings.lamp, self.settings.contrast, on)
        self._wake()

    @property
    def fault(self) -> str | None:
        """What is wrong with the pod; None if it works."""
        return self._fault

    def report(self, fault: str | None) -> None:
        """Set what ``fault`` tells."""
        self._fault = fault


class PodLamp:
    """A pod's lamp (``hardware.seat.Lamp``)."""

    def __init__(self, screen: PodScreen, wake: Callable[[], None]) -> None:
        self._screen = screen
        self._wake = wake

    def set(self, on: bool) -> None:
        """Switch it."""
        settings = self._screen.settings
        self._screen.settings = Settings(on, settings.contrast, settings.power)
        self._wake()


class Line:
    """An open line with whatever is at its other end."""

    def __init__(self, stream: Stream, link: PodLink) -> None:
        self.stream = stream
        self.link = link
        self.waiting = b""
        """the rest of a frame for which there was no room"""

    @property
    def pod(self) -> str:
        """The pod's id; "" before it has said hello."""
        return self.link.hello.pod_id.hex() if self.link.hello is not None else ""


class Place:
    """A seat, the pod that it is bound to, and the line on which that pod is."""

    def __init__(self, place: PodPlace, wake: Callable[[], None], now: float) -> None:
        self.number = place.number
        self.bound = place.pod.lower()
        self.fixed = place.fixed
        self.screen = PodScreen(place.rotate, wake)
        self.lamp = PodLamp(self.screen, wake) if place.lamp else None
        self.seat = Seat(place.number, place.label, self.screen, self.lamp)
        self.line: Line | None = None
        self.alone_since = now
        self.well_since: float | None = now
        self.recovered_at = float("-inf")
        self._down: set[int] = set()
        self._last_at = now

    @property
    def holding(self) -> bool:
        """Whether a button is down, as far as the pod has told."""
        return bool(self._down)

    def edges(self, told: Sequence[ToldEdge], now: float) -> list[Edge]:
        """The seat's edges: those told that change anything, and releases that were never told."""
        found = [self._edge(button, down, at) for button, down, at in told if down != (button in self._down)]
        assert self.line is not None
        levels = self.line.link.levels
        if levels is not None and self._down:
            found += [
                self._edge(button, False, now) for button in sorted(self._down) if not levels >> button & 1
            ]
        return found

    def _edge(self, button: int, down: bool, at: float) -> Edge:
        (self._down.add if down else self._down.remove)(button)
        self._last_at = max(self._last_at, at)
        return Edge(self.number, BY_NUMBER[button], down, self._last_at)
