"""The board of a profile: seats with screens, buttons and lamps, on buses and pins that are handed in."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any, Protocol, TypeVar

from drivers.allowance import Allowance
from drivers.buttons import NoButtons, PinButtons, PinLamp
from drivers.expander import Expander
from drivers.oled import Oled
from drivers.owner import BusOwner, Rung
from drivers.pins import InterruptPin, ResetPin
from drivers.tca9548a import Muxes
from drivers.watchedbus import WatchedBus
from hardware.bus import I2CBus
from hardware.profile import Profile, WiredSeat
from hardware.seat import Buttons, Edge, Lamp, Seat

log = logging.getLogger(__name__)

PIECE_BYTES = 342
"""A frame is sent in pieces, so that a chip that is slow can be left between them: three for a whole one."""
PIECE_SECONDS = 0.035
"""A piece takes no longer than this: after 0.05 s an adapter gives a transfer up."""
PIECE_SECONDS_BESIDE_EXPANDERS = 0.008
"""The same on a bus with expanders: a press must not wait for it."""
BITS_A_BYTE = 9
"""On the wire: eight and the acknowledgement."""


class Closable(Protocol):
    """What holds pins."""

    def close(self) -> None:
        """Let them go."""
        ...


OnPins = TypeVar("OnPins", bound=Closable)


class WiredBoard:
    """All seats of a table whose chips hang on this machine's buses and pins (``hardware.seat.Board``)."""

    def __init__(
        self,
        seats: Mapping[int, Seat],
        buttons: Sequence[Buttons],
        owners: Sequence[BusOwner],
        retries: Mapping[int, Callable[[], None]],
        pins: ExitStack,
    ) -> None:
        self._seats = seats
        self._buttons = buttons
        self._owners = owners
        self._retries = retries
        self._pins = pins

    @property
    def seats(self) -> Mapping[int, Seat]:
        """The seats by number, ascending."""
        return self._seats

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is an edge to poll."""
        for buttons in self._buttons:
            buttons.listen(wake)

    def poll(self, now: float) -> list[Edge]:
        """Edges of all seats up to ``now``, in order of time."""
        edges = [edge for buttons in self._buttons for edge in buttons.poll(now)]
        edges.sort(key=lambda edge: edge.at)
        return edges

    def flush(self, now: float) -> None:
        """Transfer what is to be shown, or wake the buses' own threads to do it."""
        for owner in self._owners:
            owner.flush(now)

    def deadline(self) -> float | None:
        """When ``poll`` or ``flush`` must be called next even if nothing wakes."""
        times = [buttons.deadline() for buttons in self._buttons]
        times += [owner.deadline() for owner in self._owners]
        return min((at for at in times if at is not None), default=None)

    @property
    def down(self) -> tuple[str, ...]:
        """What is wrong with buses as a whole, in words for an operator; nothing if all work."""
        return tuple(owner.fault for owner in self._owners if owner.fault is not None)

    def retry(self, seat: int) -> None:
        """Try a seat's screen again at once, even if its channel has held the bus. From any thread."""
        self._retries[seat]()

    def start(self) -> None:
        """Give each bus its own thread."""
        for owner in self._owners:
            owner.start()

    def close(self) -> None:
        """Darken the screens and the lamps, let all pins go. A second call does nothing."""
        for owner in self._owners:
            owner.close()
        self._pins.close()

    def __enter__(self) -> "WiredBoard":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_board(
    profile: Profile,
    buses: Mapping[str, I2CBus],
    factory: Any,
    *,
    clock: Callable[[], float],
    refresh: float | None = None,
    clear_bus: Callable[[str], None] | None = None,
) -> WiredBoard:
    """Bring a profile's board to life on open buses, by ``profile.bus_names()``, and a gpiozero pin factory.

    ``clock``: seconds, monotonic, the same time that is handed to ``poll`` and ``flush``. ``refresh``: see
    BusOwner. ``clear_bus``: frees the wires of the bus of this name when nothing else has helped; it may
    raise OSError. Nothing is sent before the first ``flush``. A pin that cannot be had is its seat's fault,
    and no other's.
    """
    with ExitStack() as pins:
        opening = _Opening(profile, buses, factory, pins)
        opening.open_muxes()
        opening.open_owners(clock, refresh, clear_bus)
        opening.open_expanders(clock)
        for seat in profile.wired:
            opening.open_seat(seat)
        owners = list(opening.owners.values())
        return WiredBoard(opening.seats, opening.buttons, owners, opening.retries, pins.pop_all())


class _Opening:
    """A board that is being opened."""

    def __init__(self, profile: Profile, buses: Mapping[str, I2CBus], factory: Any, pins: ExitStack) -> None:
        self._profile = profile
        self._factory = factory
        self._pins = pins
        self._buses = {name: WatchedBus(buses[name]) for name in profile.bus_names()}
        self._muxes: dict[str, Muxes] = {}
        self._expanders: dict[str, Expander] = {}
        self.owners: dict[str, BusOwner] = {}
        self.seats: dict[int, Seat] = {}
        self.buttons: list[Buttons] = []
        self.retries: dict[int, Callable[[], None]] = {}
        self._problem = ""

    def open_muxes(self) -> None:
        """The muxes that we drive, and their reset pins."""
        for name, bus in self._buses.items():
            driven = [mux for mux in self._profile.muxes.values() if mux.bus == name and mux.driven == "user"]
            resets = {}
            for mux in driven:
                if mux.reset is not None:
                    pin = self._pin(partial(ResetPin, mux.reset), f"reset pin of the mux 0x{mux.address:02X}")
                    if pin is not None:
                        resets[mux.address] = pin.pulse
            self._muxes[name] = Muxes(bus, [mux.address for mux in driven], resets)

    def open_owners(
        self,
        clock: Callable[[], float],
        refresh: float | None,
        clear_bus: Callable[[str], None] | None,
    ) -> None:
        """An owner for each bus."""
        allowances = {name: Allowance(clock) for name in self._profile.buses}
        for name, bus in self._buses.items():
            ladder: list[Rung] = [
                ("opening it anew", bus.reopen),
                ("resetting the muxes", self._muxes[name].reset),
            ]
            if clear_bus is not None:
                ladder.append(("clearing it", partial(clear_bus, name)))
            trunk = self._trunk(name)
            self.owners[name] = BusOwner(
                name,
                clock=clock,
                refresh=refresh,
                bus=bus,
                ladder=ladder,
                speed=self._profile.buses[trunk].speed,
                allowance=allowances[trunk],
            )

    def open_expanders(self, clock: Callable[[], float]) -> None:
        """The expanders, and their interrupt pins."""
        inputs = dict.fromkeys(self._profile.expanders, 0)
        for seat in self._profile.wired:
            for bit in seat.buttons.bits().values():
                inputs[bit.expander] |= 1 << bit.number
        for name, profile in self._profile.expanders.items():
            expander = Expander(
                self._buses[profile.bus],
                profile.address,
                inputs[name],
                clock=clock,
                name=f"expander {name} (bus {profile.bus}, 0x{profile.address:02X})",
                settle_ms=self._profile.settle_ms,
            )
            self._expanders[name] = expander
            self.owners[profile.bus].add_expander(expander)
            if profile.interrupt is not None:
                # Without the pin the expander is polled: nothing is lost but some milliseconds.
                line = self._pin(
                    partial(InterruptPin, profile.interrupt, expander.interrupted),
                    f"interrupt of expander {name}",
                )
                if line is not None:
                    expander.wire(line.low)

    def open_seat(self, seat: WiredSeat) -> None:
        """A seat: screen, buttons, lamp."""
        name = self._profile.bus_of(seat.screen)
        screen = self._screen(seat, name)
        self.owners[name].add(screen)
        buttons = self._seat_buttons(seat)
        self.buttons.append(buttons)
        self.seats[seat.number] = Seat(seat.number, seat.label, screen, self._lamp(seat), buttons)

    def _seat_buttons(self, seat: WiredSeat) -> Buttons:
        if bits := seat.buttons.bits():
            (name,) = {bit.expander for bit in bits.values()}
            return self._expanders[name].buttons(
                seat.number, {button: bit.number for button, bit in bits.items()}
            )
        make = partial(
            PinButtons,
            seat.number,
            seat.buttons.by_button(),
            active_low=self._profile.active == "low",
            settle_ms=self._profile.settle_ms,
        )
        opened = self._pin(make, f"buttons of seat {seat.number}")
        return NoButtons(self._problem) if opened is None else opened

    def _lamp(self, seat: WiredSeat) -> Lamp | None:
        if seat.lamp_bit is not None:
            return self._expanders[seat.lamp_bit.expander].lamp(seat.lamp_bit.number)
        if seat.lamp_pin is not None:
            return self._pin(partial(PinLamp, seat.lamp_pin), f"lamp of seat {seat.number}")
        return None

    def _pin(self, make: Callable[..., OnPins], what: str) -> OnPins | None:
        """Open what is on pins of the header; if a pin cannot be had, say so and do without it."""
        from gpiozero.exc import GPIOZeroError

        try:
            opened = make(factory=self._factory)
        except (OSError, GPIOZeroError) as error:
            self._problem = getattr(error, "strerror", None) or str(error)
            log.warning("%s: %s", what, self._problem)
            return None
        self._pins.callback(opened.close)
        return opened

    def _trunk(self, bus_name: str) -> str:
        """The profile's bus that a bus of this name is, or that it is a channel of."""
        hub, _, channel = bus_name.partition("/")
        return self._profile.muxes[hub].bus if channel else bus_name

    def _screen(self, seat: WiredSeat, bus_name: str) -> Oled:
        screen = seat.screen
        bus: I2CBus = self._buses[bus_name]
        owner = self.owners[bus_name]
        place = f"bus {bus_name}, 0x{screen.address:02X}"
        give_chance: Callable[[], None] = lambda: None  # noqa: E731
        mux = None if screen.mux is None else self._profile.muxes[screen.mux]
        if mux is not None and mux.driven == "user":
            assert screen.channel is not None
            place = f"mux {screen.mux}, channel {screen.channel}, 0x{screen.address:02X}"
            muxes = self._muxes[bus_name]
            bus = muxes.channel(mux.address, screen.channel)
            give_chance = partial(muxes.retry, mux.address, screen.channel)
        beside = any(expander.bus == bus_name for expander in self._profile.expanders.values())
        seconds = PIECE_SECONDS_BESIDE_EXPANDERS if beside else PIECE_SECONDS
        speed = self._profile.buses[self._trunk(bus_name)].speed
        piece = min(PIECE_BYTES, int(speed * seconds / BITS_A_BYTE))
        oled = Oled(
            bus,
            screen.address,
            screen.chip,
            rotate=screen.rotate,
            window=screen.window,
            name=f"screen of seat {seat.number} ({place})",
            piece=piece,
        )

        def retry() -> None:
            give_chance()
            owner.retry(oled)

        self.retries[seat.number] = retry
        return oled
