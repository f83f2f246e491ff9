"""The board of a profile: seats with screens, buttons and lamps, on buses and pins that are handed in."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from drivers.buttons import PinButtons, PinLamp
from drivers.oled import Oled
from drivers.owner import BusOwner, flush_all
from drivers.tca9548a import Muxes
from hardware.bus import I2CBus
from hardware.profile import Profile, SeatProfile
from hardware.seat import Edge, Seat


class WiredBoard:
    """All seats of a table whose chips hang on this machine's buses and pins (``hardware.seat.Board``)."""

    def __init__(
        self, seats: list[Seat], buttons: list[PinButtons], lamps: list[PinLamp], owners: list[BusOwner]
    ) -> None:
        self._seats = {seat.number: seat for seat in seats}
        self._buttons = buttons
        self._lamps = lamps
        self._owners = owners
        self._closed = False

    @property
    def seats(self) -> Mapping[int, Seat]:
        """The seats by number, ascending."""
        return self._seats

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is an edge to poll."""
        for buttons in self._buttons:
            buttons.wake = wake

    def poll(self, now: float) -> list[Edge]:
        """Edges of all seats up to ``now``, in order of time."""
        edges = [edge for buttons in self._buttons for edge in buttons.poll(now)]
        edges.sort(key=lambda edge: edge.at)
        return edges

    def flush(self, now: float) -> None:
        """Transfer what is to be shown, or wake the buses' own threads to do it."""
        flush_all(self._owners, now)

    def deadline(self) -> float | None:
        """When ``poll`` or ``flush`` must be called next even if nothing wakes."""
        times = [buttons.deadline() for buttons in self._buttons]
        times += [at for owner in self._owners if not owner.threaded and (at := owner.deadline()) is not None]
        return min(times, default=None)

    def start(self) -> None:
        """Give each bus its own thread."""
        for owner in self._owners:
            owner.start()

    def close(self) -> None:
        """Darken the screens, let all pins go. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        for owner in self._owners:
            owner.close()
        for lamp in self._lamps:
            lamp.close()
        for buttons in self._buttons:
            buttons.close()

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
    board = WiredBoard([], [], [], list(owners.values()))
    try:
        for seat in profile.seats:
            name = profile.bus_of(seat.screen)
            screen = _screen(profile, seat, buses[name], muxes[name])
            owners[name].add(screen)
            lamp = None if seat.lamp is None else PinLamp(seat.lamp, factory)
            if lamp is not None:
                board._lamps.append(lamp)
            board._buttons.append(
                PinButtons(
                    seat.number,
                    seat.buttons.by_button(),
                    factory,
                    active_low=profile.active == "low",
                    settle_ms=profile.settle_ms,
                )
            )
            board._seats[seat.number] = Seat(seat.number, seat.label, screen, lamp)
    except BaseException:
        board.close()
        raise
    return board


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
