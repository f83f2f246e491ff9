"""Board profiles: which chips and pins make a table, read from TOML and checked before any is touched."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from hardware.errors import ProfileError
from hardware.profile_conflicts import FUNCTION_PINS as FUNCTION_PINS
from hardware.profile_conflicts import conflicts
from hardware.seat import Button
from hardware.tomlfile import TomlFile, nearest, read_text

Pin = Annotated[int, Meta(ge=0, le=27)]
"""A GPIO number (BCM), not the number of a header pin."""
BitName = Annotated[
    str, Meta(pattern=r"^[\w-]+\.GP[AB][0-7]\Z", description="an expander's pin, as 'a.GPA0' or 'a.GPB6'")
]
PodId = Annotated[
    str,
    Meta(
        pattern=r"^([0-9a-fA-F]{16})?\Z",
        description='a pod\'s number, 16 digits 0 to 9 and a to f, or "" for one that is chosen by its PLAY',
    ),
]
PodPath = Annotated[
    str,
    Meta(
        pattern=r"^(/[\w.:+@-]+)+/[\w.:+@*?-]+\Z",
        max_length=200,
        description="the path of a serial line, as '/dev/serial0' or '/dev/ttyUSB*', * and ? in its name",
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=60)]
Label = Annotated[str, Meta(min_length=1, max_length=12)]


class Bit(NamedTuple):
    """One pin of an expander: the expander's name, and 0 to 7 for GPA0 to GPA7, 8 to 15 for GPB0 to GPB7."""

    expander: str
    number: int

    def __str__(self) -> str:
        return f"{self.expander}.GP{'AB'[self.number // 8]}{self.number % 8}"


def bit_of(name: str) -> Bit:
    """The pin that a profile calls ``a.GPB3``."""
    expander, _, pin = name.rpartition(".")
    return Bit(expander, "AB".index(pin[2]) * 8 + int(pin[3]))


class BusProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An I2C bus: its device number (1 is ``/dev/i2c-1``) or its adapter's name, and its speed in Hz."""

    number: Annotated[int, Meta(ge=0, le=255)] | None = None
    adapter: Name | None = None
    speed: Annotated[int, Meta(ge=10_000, le=1_000_000)] = 400_000


class MuxProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A TCA9548A; ``driven``: by the kernel (each channel is a bus of its own) or by this program.

    ``reset``: the GPIO number that its RESET pin is wired to, if it is.
    """

    bus: Name
    address: Annotated[int, Meta(ge=0x70, le=0x77)] = 0x70
    driven: Literal["user", "kernel"] = "user"
    reset: Pin | None = None


class ExpanderProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An MCP23017; ``interrupt``: the GPIO number that its INTA or INTB is wired to, if one is."""

    bus: Name
    address: Annotated[int, Meta(ge=0x20, le=0x27)] = 0x20
    interrupt: Pin | None = None


class ScreenProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A panel: its chip, where it hangs (``bus``, or ``mux`` and ``channel``), how it is mounted.

    ``rotate``: 180 if it is mounted upside down. ``offset``: first visible column of an SH1106's 132.
    """

    chip: Literal["ssd1306", "sh1106", "ssd1309"]
    bus: Name | None = None
    mux: Name | None = None
    channel: Annotated[int, Meta(ge=0, le=7)] | None = None
    address: Literal[0x3C, 0x3D] = 0x3C
    rotate: Literal[0, 180] = 0
    offset: Annotated[int, Meta(ge=0, le=4)] | None = None

    @property
    def window(self) -> int:
        """First column of the chip's memory that can be seen."""
        if self.offset is not None:
            return self.offset
        return 2 if self.chip == "sh1106" else 0


class ButtonPins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The pins of a seat's four buttons: on the header, or on an expander."""

    left: Pin | BitName
    right: Pin | BitName
    mark: Pin | BitName
    play: Pin | BitName

    def by_button(self) -> dict[Button, int]:
        """GPIO number of each button that is on the header."""
        return {button: pin for button, pin in self._all().items() if isinstance(pin, int)}

    def bits(self) -> dict[Button, Bit]:
        """The expander's pin of each button that is on an expander."""
        return {button: bit_of(name) for button, name in self._all().items() if isinstance(name, str)}

    def _all(self) -> dict[Button, int | str]:
        return {button: getattr(self, button.value) for button in Button}


class SeatProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat as the file has it: either with ``screen`` and ``buttons``, or with ``pod``.

    ``number`` is its place in the file from 1, clockwise; ``label`` stands on the table's rim.
    """

    number: int
    label: Label
    screen: ScreenProfile | None = None
    buttons: ButtonPins | None = None
    lamp: Pin | BitName | None = None
    pod: PodId | None = None
    rotate: Literal[0, 180] | None = None


@dataclass(frozen=True, slots=True)
class WiredSeat:
    """A seat whose panel and buttons are wired to this computer."""

    number: int
    label: str
    screen: ScreenProfile
    buttons: ButtonPins
    lamp: int | str | None

    @property
    def lamp_pin(self) -> int | None:
        """GPIO number of the lamp, if it is on the header."""
        return self.lamp if isinstance(self.lamp, int) else None

    @property
    def lamp_bit(self) -> Bit | None:
        """The expander's pin of the lamp, if it is on one."""
        return bit_of(self.lamp) if isinstance(self.lamp, str) else None


@dataclass(frozen=True, slots=True)
class PodSeat:
    """A seat that has a pod: ``pod`` is its number in lower case, or "" for the one chosen by its PLAY.

    ``rotate``: 180 if the pod is mounted upside down.
    """

    number: int
    label: str
    pod: str
    rotate: int


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole board. ``settle_ms``: how long a button's level must hold before it counts.

    ``active``: the level of a pressed button's pin. ``enabled``: header functions that stay on and own their
    pins. ``pod_paths``: where pods are looked for beside USB, patterns with * and ?.
    """

    name: str
    title: Name
    seats: tuple[SeatProfile, ...]
    buses: dict[str, BusProfile] = {}
    muxes: dict[str, MuxProfile] = {}
    expanders: dict[str, ExpanderProfile] = {}
    active: Literal["low", "high"] = "low"
    settle_ms: Annotated[int, Meta(ge=5, le=30)] = 15
    enabled: tuple[Literal["i2s", "onewire", "spi", "uart"], ...] = ()
    pod_paths: tuple[PodPath, ...] = ()

    @property
    def wired(self) -> tuple[WiredSeat, ...]:
        """The seats on wires."""
        return tuple(
            WiredSeat(seat.number, seat.label, seat.screen, seat.buttons, seat.lamp)
            for seat in self.seats
            if seat.screen is not None and seat.buttons is not None
        )

    @property
    def pods(self) -> tuple[PodSeat, ...]:
        """The seats with pods."""
        return tuple(
            PodSeat(seat.number, seat.label, seat.pod.lower(), seat.rotate or 0)
            for seat in self.seats
            if seat.pod is not None
        )

    def bus_of(self, screen: ScreenProfile) -> str:
        """The name of the screen's I2C bus: ``"main"``, or ``"hub/3"`` for a channel of a kernel's mux."""
        if screen.mux is None:
            assert screen.bus is not None
            return screen.bus
        mux = self.muxes[screen.mux]
        return mux.bus if mux.driven == "user" else f"{screen.mux}/{screen.channel}"

    def bus_names(self) -> tuple[str, ...]:
        """Names of all I2C buses that must be open for this board, each once: first those of the seats."""
        screens = (self.bus_of(seat.screen) for seat in self.wired)
        return tuple(dict.fromkeys((*screens, *(expander.bus for expander in self.expanders.values()))))


def board_names() -> tuple[str, ...]:
    """Names of the bundled profiles, sorted."""
    boards = files("hardware").joinpath("boards")
    return tuple(sorted(entry.name[:-5] for entry in boards.iterdir() if entry.name.endswith(".toml")))


def load_profile(name_or_path: str | Path) -> Profile:
    """Read a bundled profile by its name, or a file by its path (it ends in ``.toml`` or has a folder).

    Raise ProfileError for whatever is wrong with it.
    """
    text = str(name_or_path)
    if not text.endswith(".toml") and "/" not in text:
        if text not in board_names():
            known = ", ".join(board_names())
            raise ProfileError(
                f"no bundled board has this name; there are: {known}{nearest(text, board_names())}. "
                "A file of your own is given by its path, which ends in .toml",
                file=text,
            )
        return parse_profile(
            files("hardware").joinpath("boards", f"{text}.toml").read_text("utf-8"), f"{text}.toml"
        )
    return parse_profile(read_text(text, ProfileError), text)


def parse_profile(text: str, file: str) -> Profile:
    """Check a profile's text; ``file`` is what errors call it, its stem becomes the profile's name."""
    content = TomlFile(text, file, ProfileError, filled_in=("name", "number"))
    seats = content.raw.get("seats")
    for index, seat in enumerate(seats if isinstance(seats, list) else ()):
        if isinstance(seat, dict):
            if "number" in seat:
                raise content.unknown(("seats", index), "number", SeatProfile)
            seat["number"] = index + 1
    if "name" in content.raw:
        raise content.unknown((), "name", Profile)
    content.raw["name"] = Path(file).stem
    profile = content.convert(Profile)
    for path, problem in conflicts(profile):
        raise content.at(path, problem)
    return profile
