"""What no single value of a board profile shows: names that lead nowhere, and things that two seats share."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from hardware.seat import Button
from hardware.tomlfile import KeyPath, no_such

if TYPE_CHECKING:
    from hardware.profile import Bit, Profile

FUNCTION_PINS: Mapping[str, frozenset[int]] = {
    "i2c": frozenset({2, 3}),
    "id-eeprom": frozenset({0, 1}),
    "i2s": frozenset({18, 19, 20, 21}),
    "onewire": frozenset({4}),
    "spi": frozenset({7, 8, 9, 10, 11}),
    "uart": frozenset({14, 15}),
}
"""GPIO numbers that the functions of a Raspberry Pi's header own while they are on."""

HEADER_LINES = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""What the serial line on the header may be called: a pod on it takes the pins of the UART."""

OUTPUTS_ONLY = (7, 15)
"""GPA7 and GPB7: as inputs they can corrupt what is read on the bus (MCP23017 datasheet, revision D)."""


def conflicts(profile: "Profile") -> Iterator[tuple[KeyPath, str]]:
    """What no single value shows: names that lead nowhere, and things that two seats share."""
    for kind in ("buses", "muxes", "expanders"):
        for name in getattr(profile, kind):
            # They become parts of file names and of the names of pins.
            if not re.fullmatch(r"[\w-]{1,30}", name):
                yield (kind, name), "a name has 1 to 30 letters, digits, - or _"
    texts: list[tuple[KeyPath, str]] = [(("title",), profile.title)]
    texts += [(("seats", seat.number - 1, "label"), seat.label) for seat in profile.seats]
    for path, text in texts:
        if not text.isprintable():
            yield path, f"{text!r}; every character must be printable, and in one line"
    for name, bus in profile.buses.items():
        if (bus.number is None) == (bus.adapter is None):
            yield (
                ("buses", name),
                "needs either number (1 means /dev/i2c-1) or adapter (its name), and not both",
            )
    yield from _seat_kinds(profile)
    trunks: dict[tuple[str, int], str] = {}
    for name, mux in profile.muxes.items():
        if mux.bus not in profile.buses:
            yield ("muxes", name, "bus"), no_such("bus", mux.bus, profile.buses)
        if mux.reset is not None and mux.driven == "kernel":
            yield (
                ("muxes", name, "reset"),
                f'{mux.reset}; the kernel drives this mux: it would not know; take driven = "user"',
            )
        other = trunks.setdefault((mux.bus, mux.address), name)
        if other != name:
            yield ("muxes", name, "address"), f"0x{mux.address:02X} on bus {mux.bus} is already mux {other}'s"
    yield from _expander_conflicts(profile)
    if not 2 <= len(profile.seats) <= 6:
        yield ("seats",), f"{len(profile.seats)} seats; allowed: 2 to 6"
    yield from _screen_conflicts(profile)
    yield from _pod_conflicts(profile)
    yield from _pin_conflicts(profile)
    for seat in profile.seats:
        for other_seat in profile.seats[: seat.number - 1]:
            if seat.label == other_seat.label:
                yield (
                    ("seats", seat.number - 1, "label"),
                    f"{seat.label!r} is already seat {other_seat.number}'s",
                )


def _seat_kinds(profile: "Profile") -> Iterator[tuple[KeyPath, str]]:
    """Seats that are neither quite on wires nor quite on a pod."""
    for seat in profile.seats:
        path: KeyPath = ("seats", seat.number - 1)
        if seat.pod is None:
            if seat.screen is None and seat.buttons is None:
                yield path, "needs either screen and buttons, or pod"
            for key in ("screen", "buttons"):
                if getattr(seat, key) is None:
                    yield path, f"{key} is missing; a seat has either screen and buttons, or pod"
            if seat.rotate is not None:
                yield (*path, "rotate"), f"{seat.rotate}; for a seat with a pod; here it belongs into screen"
        for key in ("screen", "buttons", "lamp"):
            if seat.pod is not None and getattr(seat, key) is not None:
                yield (*path, key), f"this seat has a pod, which has its own: leave out either {key} or pod"


def _pod_conflicts(profile: "Profile") -> Iterator[tuple[KeyPath, str]]:
    taken: dict[str, int] = {}
    for seat in profile.pods:
        other = taken.setdefault(seat.pod, seat.number)
        if seat.pod and other != seat.number:
            yield ("seats", seat.number - 1, "pod"), f"{seat.pod!r} is already seat {other}'s"
    if profile.pod_paths and not profile.pods:
        yield ("pod_paths",), 'no seat has a pod; give one pod = "", or leave this out'
    for index, path in enumerate(profile.pod_paths):
        if path in profile.pod_paths[:index]:
            yield ("pod_paths", index), f"{path!r} is there twice"


def _screen_conflicts(profile: "Profile") -> Iterator[tuple[KeyPath, str]]:
    taken: dict[tuple[str, int | None, int], int] = {}
    for seat in profile.wired:
        screen, path = seat.screen, ("seats", seat.number - 1, "screen")
        if (screen.bus is None) == (screen.mux is None):
            yield path, "needs either bus, or mux and channel, and not both"
        if (screen.mux is None) != (screen.channel is None):
            yield path, "mux and channel go together"
        if screen.bus is not None and screen.bus not in profile.buses:
            yield (*path, "bus"), no_such("bus", screen.bus, profile.buses)
        if screen.mux is not None and screen.mux not in profile.muxes:
            yield (*path, "mux"), no_such("mux", screen.mux, profile.muxes)
        if screen.offset is not None and screen.chip != "sh1106":
            yield (*path, "offset"), f"{screen.offset}; only an sh1106 has one, this is an {screen.chip}"
        where = (screen.bus or f"mux {screen.mux}", screen.channel, screen.address)
        other = taken.setdefault(where, seat.number)
        if other != seat.number:
            yield (*path, "address"), f"0x{screen.address:02X} is at the same place as seat {other}'s screen"
    for seat in profile.wired:
        # What hangs on the trunk is always heard, so behind a mux its address would reach two panels.
        if seat.screen.mux is not None:
            trunk = profile.muxes[seat.screen.mux].bus
            other = taken.get((trunk, None, seat.screen.address), 0)
            if other:
                yield (
                    ("seats", seat.number - 1, "screen", "address"),
                    f"0x{seat.screen.address:02X} is also seat {other}'s, on bus {trunk} itself",
                )


def _expander_conflicts(profile: "Profile") -> Iterator[tuple[KeyPath, str]]:
    places: dict[tuple[str, int], str] = {}
    for name, expander in profile.expanders.items():
        path: KeyPath = ("expanders", name)
        if name in profile.muxes:
            yield path, f"{name!r} is already a mux's name"
        if expander.bus not in profile.buses:
            yield (*path, "bus"), no_such("bus", expander.bus, profile.buses)
        other = places.setdefault((expander.bus, expander.address), name)
        if other != name:
            yield (
                (*path, "address"),
                f"0x{expander.address:02X} on bus {expander.bus} is already expander {other}'s",
            )
    taken: dict[Bit, str] = {}
    for seat in profile.wired:
        path = ("seats", seat.number - 1)
        uses: list[tuple[KeyPath, Bit]] = [
            ((*path, "buttons", button.value), bit) for button, bit in seat.buttons.bits().items()
        ]
        if seat.lamp_bit is not None:
            uses.append(((*path, "lamp"), seat.lamp_bit))
        for use, bit in uses:
            whose = f"seat {seat.number}'s {_use(use)}"
            if bit.expander not in profile.expanders:
                yield use, no_such("expander", bit.expander, profile.expanders)
            if use[-1] != "lamp":
                if bit.number in OUTPUTS_ONLY:
                    problem = (
                        "GPA7 and GPB7 of an MCP23017 are outputs only: as inputs they can spoil the bus"
                    )
                    yield use, f"{bit}; {problem}; take another pin"
                if profile.active == "high":
                    yield use, f'{bit}; an MCP23017 pulls its pins up only: take active = "low"'
            other = taken.setdefault(bit, whose)
            if other != whose:
                yield use, f"{bit} is already {other}"
        bits = seat.buttons.bits().values()
        if len({bit.expander for bit in bits}) > 1 or len(bits) not in (0, len(Button)):
            yield (*path, "buttons"), "all four are on the header, or all on the same expander"


def _pin_conflicts(profile: "Profile") -> Iterator[tuple[KeyPath, str]]:
    owned = {"id-eeprom", *profile.enabled}
    if any(fnmatch(line, pattern) for line in HEADER_LINES for pattern in profile.pod_paths):
        owned.add("uart")
    if any(bus.number == 1 or bus.adapter is not None for bus in profile.buses.values()):
        owned.add("i2c")
    taken: dict[int, str] = {}
    for path, pin, whose in _pins(profile):
        for function in sorted(owned):
            if pin in FUNCTION_PINS[function]:
                yield path, f"GPIO {pin} belongs to {function}, which is on; take another pin"
        other = taken.setdefault(pin, whose)
        if other != whose:
            yield path, f"GPIO {pin} is already {other}"


def _pins(profile: "Profile") -> Iterator[tuple[KeyPath, int, str]]:
    """All pins of the header that the board takes, and whose they are."""
    for name, mux in profile.muxes.items():
        if mux.reset is not None:
            yield ("muxes", name, "reset"), mux.reset, f"mux {name}'s reset"
    for name, expander in profile.expanders.items():
        if expander.interrupt is not None:
            yield ("expanders", name, "interrupt"), expander.interrupt, f"expander {name}'s interrupt"
    for seat in profile.wired:
        path: KeyPath = ("seats", seat.number - 1)
        for button, pin in seat.buttons.by_button().items():
            yield (*path, "buttons", button.value), pin, f"seat {seat.number}'s button {button.value}"
        if seat.lamp_pin is not None:
            yield (*path, "lamp"), seat.lamp_pin, f"seat {seat.number}'s lamp"


def _use(path: KeyPath) -> str:
    return "lamp" if path[-1] == "lamp" else f"button {path[-1]}"
