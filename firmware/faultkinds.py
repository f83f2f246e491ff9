"""The kinds of faults that a simulated board can have: how each begins and ends."""

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from firmware.simulation import SimHost
from hardware.errors import BusError
from hardware.profile import Profile
from hardware.seat import Button
from hardware.sim.bus import Device, Segment, SimI2CBus
from hardware.sim.mcp23017 import MCP23017
from hardware.sim.panel import Panel
from hardware.sim.tca9548a import TCA9548A
from hardware.sim.tree import CHIPS

CHIP_VALUES = (*CHIPS, "other")
"""What may stand in a chip's place: a panel, or a chip that the table does not know."""


class Stranger:
    """Another chip: it acknowledges all, and reads as zeros (``hardware.sim.bus.Device``)."""

    def __init__(self, address: int) -> None:
        self.address = address
        self.connected = True

    def write(self, data: bytes) -> None:
        """Acknowledged, and forgotten."""

    def read(self, count: int) -> bytes:
        """Zeros."""
        return bytes(count)

    def stop(self, whole: bool) -> None:
        """Nothing to end."""


Begin = Callable[[SimHost, str, str, ExitStack], None]
"""Makes a fault happen at a place with a value, and notes in the stack how it ends."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault.

    ``places``: where it may be, of SEAT (on wires), POD, CHIP, BUS, NODE, BUTTON. ``value``: what VALUE is if
    none is given. ``numbers``: the lowest and highest that it may be; ``names``: or which names, SEAT for any
    seat on wires.
    """

    text: str
    begin: Begin
    places: tuple[str, ...]
    value: str = ""
    numbers: tuple[float, float] | None = None
    names: tuple[str, ...] = ()


def places(profile: Profile, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The names of all places of these kinds that a board has."""
    seats = [str(seat.number) for seat in profile.seats]
    known = {
        "SEAT": [str(seat.number) for seat in profile.wired],
        "POD": [str(seat.number) for seat in profile.pods],
        "CHIP": [*profile.muxes, *profile.expanders],
        "BUS": list(profile.buses),
        "NODE": list(profile.bus_names()),
        "BUTTON": [f"{seat}.{button.value}" for seat in seats for button in Button],
    }
    return tuple(name for kind in kinds for name in known[kind])


def _device(host: SimHost, place: str) -> Device:
    if place.isdigit():
        return host.wires.panel(int(place))
    return host.wires.muxes[place] if place in host.wires.muxes else host.wires.expanders[place]


def _segments(host: SimHost) -> Iterator[Segment]:
    for bus in host.wires.buses.values():
        yield bus.trunk
    for mux in host.wires.muxes.values():
        yield from mux.channels


def _home(host: SimHost, device: Device) -> Segment:
    return next(segment for segment in _segments(host) if device in segment.devices)


def _power_up(device: Device) -> None:
    if isinstance(device, Panel | MCP23017):
        device.power_on_reset()
    elif isinstance(device, TCA9548A):
        device.reset()


def _unplug(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    if place.isdigit():
        host.wires.unplug(int(place))
        end.callback(host.wires.plug, int(place))
        return
    device = _device(host, place)
    device.connected = False

    def plug() -> None:
        _power_up(device)
        device.connected = True

    end.callback(plug)


def _reset(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    if place.isdigit() and int(place) in host.wires.pods:
        host.wires.pods[int(place)].reset()
        return
    _power_up(_device(host, place))


def _failing(host: SimHost, place: str, end: ExitStack, error: int, delay: float, share: float) -> None:
    """Make transfers fail: all of a bus, or on whatever bus those that reach a chip."""
    buses, device = list(host.wires.buses.values()), None
    if place in host.wires.buses:
        buses = [host.wires.buses[place]]
    else:
        device = _device(host, place)
    for bus in buses:
        end.callback(bus.heal, bus.fail(error, device=device, delay=delay, probability=share))


def _slow(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    _failing(host, place, end, 0, float(value), 1.0)


def _flaky(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    _failing(host, place, end, errno.EREMOTEIO, 0.0, float(value))


def _hang(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    _failing(host, place, end, errno.ETIMEDOUT, float(value), 1.0)


def _put(segment: Segment, device: Device, end: ExitStack) -> None:
    segment.attach(device)
    end.callback(segment.detach, device)


def _chip(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    device = _device(host, place)
    home = _home(host, device)
    home.detach(device)
    end.callback(home.attach, device)
    _put(home, CHIPS[value](device.address) if value in CHIPS else Stranger(device.address), end)


def _shared(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    seat = next(one for one in host.profile.wired if one.number == int(place))
    bus = seat.screen.bus or host.profile.muxes[seat.screen.mux or ""].bus
    _put(host.wires.buses[bus].trunk, CHIPS["ssd1306"](seat.screen.address), end)


def _swap(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    one, other = _device(host, place), _device(host, value)

    def exchange() -> None:
        here, there = _home(host, one), _home(host, other)
        here.detach(one)
        there.detach(other)
        one.address, other.address = other.address, one.address
        here.attach(other)
        there.attach(one)

    exchange()
    end.callback(exchange)


def _stuck(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    seat, _, button = place.partition(".")
    host.wires.press(int(seat), Button(button))
    end.callback(host.wires.release, int(seat), Button(button))


def _speed(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    bus: SimI2CBus = host.wires.buses[place]
    end.callback(setattr, bus, "speed", bus.speed)
    bus.speed = int(value)


def _refuse(host: SimHost, place: str, end: ExitStack, error: int, reason: str) -> None:
    node = host.nodes[place]
    end.callback(setattr, node, "refusal", None)
    node.refusal = BusError(error, reason)


def _absent(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    _refuse(host, place, end, errno.ENOENT, f"there is no I2C bus {place}")


def _denied(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    _refuse(host, place, end, errno.EACCES, f"may not open the device of bus {place}")


def _garble(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    pod = host.wires.pods[int(place)]
    end.callback(pod.garble, 0.0)
    pod.garble(float(value))


def _freeze(host: SimHost, place: str, value: str, end: ExitStack) -> None:
    pod = host.wires.pods[int(place)]
    end.callback(pod.freeze, False)
    pod.freeze(True)


ANYTHING = ("SEAT", "CHIP", "BUS")
KINDS: Mapping[str, Kind] = {
    "unplug": Kind("off the wires, power and all", _unplug, ("SEAT", "POD", "CHIP")),
    "reset": Kind("loses its set-up, and says nothing of it", _reset, ("SEAT", "POD", "CHIP")),
    "slow": Kind("each transfer takes VALUE seconds longer", _slow, ANYTHING, "0.02", (0.001, 10)),
    "flaky": Kind("a share VALUE of the transfers is not answered", _flaky, ANYTHING, "0.2", (0.01, 1)),
    "hang": Kind("each transfer times out after VALUE seconds", _hang, ANYTHING, "0.05", (0.001, 10)),
    "chip": Kind("another chip in its place", _chip, ("SEAT", "CHIP"), "other", names=CHIP_VALUES),
    "shared": Kind("another panel with its address on the bus itself", _shared, ("SEAT",)),
    "swap": Kind("its panel at seat VALUE's wires, and the reverse", _swap, ("SEAT",), "1", names=("SEAT",)),
    "stuck": Kind("held down", _stuck, ("BUTTON",)),
    "garble": Kind(
        "a share VALUE of the bytes on its line is damaged", _garble, ("POD",), "0.05", (0.001, 1)
    ),
    "freeze": Kind("its program stands still", _freeze, ("POD",)),
    "speed": Kind("runs at VALUE Hz", _speed, ("BUS",), "100000", (10_000, 1_000_000)),
    "absent": Kind("its device node is not there", _absent, ("NODE",)),
    "denied": Kind("its device node may not be opened", _denied, ("NODE",)),
}
"""The kinds by name."""
