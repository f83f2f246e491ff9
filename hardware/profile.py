"""Board profiles: which chips and pins make a table, read from TOML and checked before any is touched."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hardware.errors import ProfileError
from hardware.seat import Button

Pin = Annotated[int, Meta(ge=0, le=27)]
"""A GPIO number (BCM), not the number of a header pin."""
Name = Annotated[str, Meta(min_length=1, max_length=60)]
Label = Annotated[str, Meta(min_length=1, max_length=12)]

FUNCTION_PINS: Mapping[str, frozenset[int]] = {
    "i2c": frozenset({2, 3}),
    "id-eeprom": frozenset({0, 1}),
    "i2s": frozenset({18, 19, 20, 21}),
    "onewire": frozenset({4}),
    "spi": frozenset({7, 8, 9, 10, 11}),
    "uart": frozenset({14, 15}),
}
"""GPIO numbers that the functions of a Raspberry Pi's header own while they are on."""


class BusProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An I2C bus: its device number (1 is ``/dev/i2c-1``) or its adapter's name, and its speed in Hz."""

    number: Annotated[int, Meta(ge=0, le=255)] | None = None
    adapter: Name | None = None
    speed: Annotated[int, Meta(ge=10_000, le=1_000_000)] = 400_000


class MuxProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A TCA9548A; ``driven``: by the kernel (each channel is a bus of its own) or by this program."""

    bus: Name
    address: Annotated[int, Meta(ge=0x70, le=0x77)] = 0x70
    driven: Literal["user", "kernel"] = "user"


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
    """The pins of a seat's four buttons."""

    left: Pin
    right: Pin
    mark: Pin
    play: Pin

    def by_button(self) -> dict[Button, int]:
        """GPIO number of each button."""
        return {button: getattr(self, button.value) for button in Button}


class SeatProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat: ``number`` is its place in the file from 1, clockwise; ``label`` stands on the table's rim."""

    number: int
    label: Label
    screen: ScreenProfile
    buttons: ButtonPins
    lamp: Pin | None = None


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole board. ``settle_ms``: how long a button's level must hold before it counts.

    ``active``: the level of a pressed button's pin. ``enabled``: header functions that stay on and own their
    pins.
    """

    name: str
    title: Name
    buses: dict[str, BusProfile]
    seats: tuple[SeatProfile, ...]
    muxes: dict[str, MuxProfile] = {}
    active: Literal["low", "high"] = "low"
    settle_ms: Annotated[int, Meta(ge=5, le=30)] = 15
    enabled: tuple[Literal["i2s", "onewire", "spi", "uart"], ...] = ()

    def bus_of(self, screen: ScreenProfile) -> str:
        """The name of the screen's I2C bus: ``"main"``, or ``"hub/3"`` for a channel of a kernel's mux."""
        if screen.mux is None:
            assert screen.bus is not None
            return screen.bus
        mux = self.muxes[screen.mux]
        return mux.bus if mux.driven == "user" else f"{screen.mux}/{screen.channel}"

    def bus_names(self) -> tuple[str, ...]:
        """Names of all I2C buses that must be open for this board, each once, in order of the seats."""
        return tuple(dict.fromkeys(self.bus_of(seat.screen) for seat in self.seats))


_INJECTED = ("name", "number")
"""Fields that the reader fills in: a file must not set them."""

Path_ = tuple[str | int, ...]


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
                f"no bundled board has this name; there are: {known}{_nearest(text, board_names())}. "
                "A file of your own is given by its path, which ends in .toml",
                file=text,
            )
        return parse_profile(
            files("hardware").joinpath("boards", f"{text}.toml").read_text("utf-8"), f"{text}.toml"
        )
    try:
        content = Path(text).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ProfileError(f"not a text file in UTF-8 (byte {error.start})", file=text) from None
    except OSError as error:
        raise ProfileError(f"cannot be read: {error.strerror}", file=text) from None
    return parse_profile(content, text)


def parse_profile(text: str, file: str) -> Profile:
    """Check a profile's text; ``file`` is what errors call it, its stem becomes the profile's name."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        at = int(line[1]) if line else text.count("\n") + 1
        raise ProfileError(f"not TOML: {error}", file=file, line=at) from None
    fault = _Fault(text, file, raw)
    seats = raw.get("seats")
    for index, seat in enumerate(seats if isinstance(seats, list) else ()):
        if isinstance(seat, dict):
            if "number" in seat:
                raise fault.unknown(("seats", index), "number", SeatProfile)
            seat["number"] = index + 1
    if "name" in raw:
        raise fault.unknown((), "name", Profile)
    raw["name"] = Path(file).stem
    try:
        profile = msgspec.convert(raw, Profile)
    except msgspec.ValidationError as error:
        raise fault.of_type(str(error)) from None
    for path, problem in _conflicts(profile):
        raise fault.at(path, problem)
    return profile


def _conflicts(profile: Profile) -> Iterator[tuple[Path_, str]]:
    """What no single value shows: names that lead nowhere, and things that two seats share."""
    for name, bus in profile.buses.items():
        if (bus.number is None) == (bus.adapter is None):
            yield (
                ("buses", name),
                "needs either number (1 means /dev/i2c-1) or adapter (its name), and not both",
            )
    trunks: dict[tuple[str, int], str] = {}
    for name, mux in profile.muxes.items():
        if mux.bus not in profile.buses:
            yield ("muxes", name, "bus"), _no_such("bus", mux.bus, profile.buses)
        other = trunks.setdefault((mux.bus, mux.address), name)
        if other != name:
            yield ("muxes", name, "address"), f"0x{mux.address:02X} on bus {mux.bus} is already mux {other}'s"
    if not 2 <= len(profile.seats) <= 6:
        yield ("seats",), f"{len(profile.seats)} seats; allowed: 2 to 6"
    yield from _screen_conflicts(profile)
    yield from _pin_conflicts(profile)
    for seat in profile.seats:
        for other_seat in profile.seats[: seat.number - 1]:
            if seat.label == other_seat.label:
                yield (
                    ("seats", seat.number - 1, "label"),
                    f"{seat.label!r} is already seat {other_seat.number}'s",
                )


def _screen_conflicts(profile: Profile) -> Iterator[tuple[Path_, str]]:
    taken: dict[tuple[str, int | None, int], int] = {}
    for seat in profile.seats:
        screen, path = seat.screen, ("seats", seat.number - 1, "screen")
        if (screen.bus is None) == (screen.mux is None):
            yield path, "needs either bus, or mux and channel, and not both"
        if (screen.mux is None) != (screen.channel is None):
            yield path, "mux and channel go together"
        if screen.bus is not None and screen.bus not in profile.buses:
            yield (*path, "bus"), _no_such("bus", screen.bus, profile.buses)
        if screen.mux is not None and screen.mux not in profile.muxes:
            yield (*path, "mux"), _no_such("mux", screen.mux, profile.muxes)
        if screen.offset is not None and screen.chip != "sh1106":
            yield (*path, "offset"), f"{screen.offset}; only an sh1106 has one, this is an {screen.chip}"
        where = (screen.bus or f"mux {screen.mux}", screen.channel, screen.address)
        other = taken.setdefault(where, seat.number)
        if other != seat.number:
            yield (*path, "address"), f"0x{screen.address:02X} is at the same place as seat {other}'s screen"
    for seat in profile.seats:
        # What hangs on the trunk is always heard, so behind a mux its address would reach two panels.
        if seat.screen.mux is not None:
            trunk = profile.muxes[seat.screen.mux].bus
            other = taken.get((trunk, None, seat.screen.address), 0)
            if other:
                yield (
                    ("seats", seat.number - 1, "screen", "address"),
                    f"0x{seat.screen.address:02X} is also seat {other}'s, on bus {trunk} itself",
                )


def _pin_conflicts(profile: Profile) -> Iterator[tuple[Path_, str]]:
    owned = {"id-eeprom", *profile.enabled}
    if any(bus.number == 1 or bus.adapter is not None for bus in profile.buses.values()):
        owned.add("i2c")
    taken: dict[int, str] = {}
    for seat in profile.seats:
        path: Path_ = ("seats", seat.number - 1)
        pins: list[tuple[Path_, int]] = [
            ((*path, "buttons", button.value), pin) for button, pin in seat.buttons.by_button().items()
        ]
        if seat.lamp is not None:
            pins.append(((*path, "lamp"), seat.lamp))
        for pin_path, pin in pins:
            for function in sorted(owned):
                if pin in FUNCTION_PINS[function]:
                    yield pin_path, f"GPIO {pin} belongs to {function}, which is on; take another pin"
            name = "lamp" if pin_path[-1] == "lamp" else f"button {pin_path[-1]}"
            other = taken.setdefault(pin, f"seat {seat.number}'s {name}")
            if other != f"seat {seat.number}'s {name}":
                yield pin_path, f"GPIO {pin} is already {other}"


def _no_such(kind: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {kind} {name!r}; there are: {', '.join(known) or 'none'}{_nearest(name, known)}"


def _nearest(name: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else ""


class _Fault:
    """Turns what is wrong into a ProfileError with the line of its key."""

    def __init__(self, text: str, file: str, raw: dict[str, Any]) -> None:
        self.file = file
        self.raw = raw
        self.lines = _lines(text)

    def at(self, path: Path_, problem: str) -> ProfileError:
        known = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in self.lines), None)
        line = 1 if known is None else self.lines[known]
        key = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
        return ProfileError(problem, file=self.file, line=line, key=key or None)

    def unknown(self, path: Path_, key: str, struct: type[msgspec.Struct]) -> ProfileError:
        allowed = [name for name in struct.__struct_fields__ if name not in _INJECTED]
        return self.at((*path, key), f"unknown key; allowed: {', '.join(allowed)}{_nearest(key, allowed)}")

    def of_type(self, message: str) -> ProfileError:
        """The error for a value of which msgspec says ``message``."""
        problem, _, place = message.partition(" - at `$")
        path: Path_ = ()
        value: Any = self.raw
        kind: Any = msgspec.inspect.type_info(Profile)
        for match in re.finditer(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])", place):
            kind = _inner(kind, value)
            step: str | int
            if match[1]:
                step = match[1]
                kind = next(field.type for field in kind.fields if field.name == step)
            elif match[2]:
                step, kind = int(match[2]), kind.item_type
            else:  # msgspec does not say which entry of a table it means
                kind = kind.value_type
                step = next(name for name, entry in value.items() if not _fits(entry, kind.cls))
            path, value = (*path, step), value[step]
        kind = _inner(kind, value)
        if unknown := re.search(r"unknown field `(.*)`", problem):
            return self.unknown(path, unknown[1], kind.cls)
        if missing := re.search(r"missing required field `(.*)`", problem):
            wanted = next(field.type for field in kind.fields if field.name == missing[1])
            return self.at(path, f"{missing[1]} is missing; allowed: {_allowed(wanted)}")
        shown = f"0x{value:02X}" if path[-1] == "address" and type(value) is int else repr(value)
        names = [name for name in getattr(kind, "values", ()) if isinstance(name, str)]
        near = _nearest(value, names) if isinstance(value, str) else ""
        return self.at(path, f"{shown}; allowed: {_allowed(kind)}{near}")


def _fits(entry: Any, struct: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(entry, struct)
    except msgspec.ValidationError:
        return False
    return True


def _inner(kind: Any, value: Any) -> Any:
    """The type that counts in "this or nothing": TOML has no null, so the value must be of the other type."""
    if isinstance(kind, msgspec.inspect.UnionType):
        return next(option for option in kind.types if not isinstance(option, msgspec.inspect.NoneType))
    return kind


def _allowed(kind: Any) -> str:
    """What a value of this type may be, in words."""
    inspect = msgspec.inspect
    kind = _inner(kind, None)
    if isinstance(kind, inspect.IntType):
        return f"a whole number from {kind.ge} to {kind.le}"
    if isinstance(kind, inspect.StrType):
        return f"a text of {kind.min_length} to {kind.max_length} characters"
    if isinstance(kind, inspect.LiteralType):
        hexadecimal = (
            all(isinstance(value, int) and value > 9 for value in kind.values) and 0x3C in kind.values
        )
        return " or ".join(f"0x{value:02X}" if hexadecimal else repr(value) for value in kind.values)
    if isinstance(kind, inspect.StructType):
        return f"a table of {', '.join(f.name for f in kind.fields if f.name not in _INJECTED)}"
    if isinstance(kind, inspect.DictType):
        return "tables, each with a name"
    return f"a list, each entry {_allowed(kind.item_type)}"


def _lines(text: str) -> dict[Path_, int]:
    """Lines of the keys that begin a line, and of the tables' headers; keys within braces have none."""
    found: dict[Path_, int] = {}
    table: Path_ = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]#]+?)\s*\]", line):
            names = _steps(header[2])
            if header[1] == "[[":
                counts[names[0]] = counts.get(names[0], -1) + 1
            table = tuple(names)
            if names[0] in counts:
                table = (names[0], counts[names[0]], *names[1:])
            for length in range(1, len(table) + 1):
                found.setdefault(table[:length], number)
        elif key := re.match(r"""\s*([\w\-."']+)\s*=""", line):
            path = (*table, *_steps(key[1]))
            for length in range(len(table) + 1, len(path) + 1):
                found.setdefault(path[:length], number)
    return found


def _steps(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r""""[^"]*"|'[^']*'|[^.]+""", dotted)]
