"""The board of a host, brought to life: its seats on wires and its seats with pods at one table."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from drivers.board import open_board
from drivers.joined import JoinedBoard
from drivers.pod import PodBoard
from drivers.podseat import PodPlace
from firmware.bindings import Bindings
from hardware.profile import Profile
from hardware.seat import Board

if TYPE_CHECKING:
    from firmware.live import Host


def open_seats(host: "Host", *, refresh: float | None = None) -> Board:
    """Bring all seats of a host's board to life. ``refresh``: see ``drivers.owner``."""
    profile = host.profile
    boards: list[Board] = []
    with ExitStack() as opened:
        if profile.wired:
            wired = open_board(profile, host.buses, host.pins, clock=host.clock, refresh=refresh)
            opened.callback(wired.close)
            boards.append(wired)
        if profile.pods:
            places = [*pod_places(profile, host.bindings)]
            boards.append(
                PodBoard(places, host.ports, draw=host.draw, clock=host.clock, bound=host.bindings.bind)
            )
        opened.pop_all()
    return boards[0] if len(boards) == 1 else JoinedBoard(boards)


def pod_places(profile: Profile, bindings: Bindings) -> Iterator[PodPlace]:
    """The seats with pods: those that the profile names, and for the other seats those that were chosen."""
    named = {seat.pod for seat in profile.pods}
    for seat in profile.pods:
        chosen = bindings.pods.get(seat.number, "")
        # Since it was chosen the profile may have given that pod to another seat.
        pod = seat.pod or ("" if chosen in named else chosen)
        yield PodPlace(seat.number, seat.label, pod, seat.rotate, fixed=bool(seat.pod))
