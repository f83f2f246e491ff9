"""The board of a profile: seats with screens, buttons and lamps, on buses and pins that are handed in."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from drivers.buttons import PinButtons, PinLamp
from drivers.oled import Oled
from drivers.owner import BusOwner
from drivers.tca9548a import Muxes
from hardware.bus import I2CBus
from hardware.profile import Profile, SeatProfile
from hardware.seat import Buttons, Edge, Seat


class WiredBoard:
    """All seats of a table whose chips hang on this machine's buses and pins (``hardware.seat.Board``)."""

    def __init__(
        self,
        seats: Mapping[int, Seat],
        buttons: Sequence[Buttons],
        owners: Sequence[BusOwner],
        pins: ExitStack,
    ) -> None:
        self._seats = seats
        self._buttons = buttons
        self._owners = owners
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
) -> WiredBoard:
    """Bring a profile's board to life on open buses, by ``profile.bus_names()``, and a gpiozero pin factory.

    ``clock``: seconds, monotonic, the same time that is handed to ``poll`` and ``flush``. ``refresh``: see
    BusOwner. Nothing is sent before the first ``flush``. Raise gpiozero's errors for pins that it cannot
    have.
    """
    owners: dict[str, BusOwner] = {}
    muxes: dict[str, Muxes] = {}
    for name in profile.bus_names():
        owners[name] = BusOwner(name, clock=clock, refresh=refresh)
        addresses = [
            mux.address for mux in profile.muxes.values() if mux.bus == name and mux.driven == "user"
        ]
        muxes[name] = Muxes(buses[name], addresses)
    seats: dict[int, Seat] = {}
    all_buttons: list[Buttons] = []
    with ExitStack() as pins:
        for seat in profile.seats:
            name = profile.bus_of(seat.screen)
            screen = _screen(profile, seat, buses[name], muxes[name])
            owners[name].add(screen)
            buttons = PinButtons(
                seat.number,
                seat.buttons.by_button(),
                factory,
                active_low=profile.active == "low",
                settle_ms=profile.settle_ms,
            )
            pins.callback(buttons.close)
            all_buttons.append(buttons)
            lamp = None
            if seat.lamp is not None:
                lamp = PinLamp(seat.lamp, factory)
                pins.callback(lamp.close)
            seats[seat.number] = Seat(seat.number, seat.label, screen, lamp)
        return WiredBoard(seats, all_buttons, list(owners.values()), pins.pop_all())


def _screen(profile: Profile, seat: SeatProfile, bus: I2CBus, muxes: Muxes) -> Oled:
    screen = seat.screen
    place = f"bus {profile.bus_of(screen)}, 0x{screen.address:02X}"
    if screen.mux is not None and profile.muxes[screen.mux].driven == "user":
        assert screen.channel is not None
        place = f"mux {screen.mux}, channel {screen.channel}, 0x{screen.address:02X}"
        bus = muxes.channel(profile.muxes[screen.mux].address, screen.channel)
    return Oled(
        bus,
        screen.address,
        screen.chip,
        rotate=screen.rotate,
        window=screen.window,
        name=f"screen of seat {seat.number} ({place})",
    )
