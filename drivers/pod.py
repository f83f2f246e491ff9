"""Seats whose screen, buttons and lamp are on pods: the pods found, bound to their seats, and kept."""

import contextlib
import logging
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from drivers.podlink import PodLink
from drivers.podseat import BY_NUMBER, Line, Place, PodPlace
from drivers.serialports import Port
from hardware.seat import Button, Edge, Seat
from hardware.stream import Stream

log = logging.getLogger(__name__)

SCAN_S = 1.0
"""The lines are looked for so often, and those that are not open are opened then."""
FLAPPING_S, STEADY_S = 20.0, 2.0
"""A fault that is back within the first time is over only after the second: a loose plug fills no log."""
HELD_S = 0.4
"""A pod that has said nothing for so long while a button was down is in trouble: a hold takes longer."""
START_S = 2.0
"""A pod may take so long to be found before its seat is said to have none."""


class Ports(Protocol):
    """Where pods may be (``drivers.serialports.SerialPorts``).

    ``waitable``: whether open lines have file descriptors to wait on. Otherwise ``poll`` and ``flush`` must
    be called when something has arrived.
    """

    @property
    def waitable(self) -> bool:
        """Whether a thread can wait for what arrives."""
        ...

    def find(self) -> list[Port]:
        """The lines that are there now."""
        ...

    def open(self, port: Port) -> Stream:
        """Open one. Raise OSError with what to do about it."""
        ...


class PodBoard:
    """All seats of a table that have pods (``hardware.seat.Board``), bound to them by the pods' ids.

    ``draw`` gives 16 random bits. ``clock``: seconds, monotonic, the time that is handed to ``poll`` and
    ``flush``. ``bound(seat, pod)`` is called, maybe from another thread, when somebody has chosen a pod for a
    seat: remember it for the next start.

    Nothing wakes anybody when bytes arrive before ``start``, after which a thread does all the work.
    """

    def __init__(
        self,
        places: Sequence[PodPlace],
        ports: Ports,
        *,
        draw: Callable[[], int],
        clock: Callable[[], float],
        bound: Callable[[int, str], None] = lambda seat, pod: None,
    ) -> None:
        self._ports = ports
        self._draw = draw
        self._clock = clock
        self._bound = bound
        self._started_at = self._next_scan = clock()
        self._places = [Place(place, self._rouse, self._started_at) for place in places]
        self._seats = {
            place.number: place.seat for place in sorted(self._places, key=lambda place: place.number)
        }
        self._lines: dict[str, Line] = {}
        self._troubles: dict[str, tuple[str, str]] = {}
        """what keeps a line from being opened, and the USB serial of what is there, by path"""
        self._edges: deque[Edge] = deque()
        self._wake: Callable[[], None] = lambda: None
        self._thread: threading.Thread | None = None
        self._closing = self._closed = False
        self._rouse_read, self._rouse_write = os.pipe()
        os.set_blocking(self._rouse_read, False)
        os.set_blocking(self._rouse_write, False)

    # The board

    @property
    def seats(self) -> Mapping[int, Seat]:
        """The seats by number, ascending."""
        return self._seats

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is an edge, or a pod comes or goes."""
        self._wake = wake

    def poll(self, now: float) -> list[Edge]:
        """Edges of all seats, in the order of each pod."""
        if self._thread is None:
            self._receive(now)
        edges = []
        while self._edges:
            edges.append(self._edges.popleft())
        edges.sort(key=lambda edge: edge.at)
        return edges

    def flush(self, now: float) -> None:
        """Send what is to be shown, or wake the thread that does."""
        if self._thread is None:
            self._transmit(now)
        else:
            self._rouse()

    def deadline(self) -> float | None:
        """When ``poll`` and ``flush`` must be called next even if nothing wakes."""
        return self._deadline() if self._thread is None else None

    @property
    def down(self) -> tuple[str, ...]:
        """Pods have no bus in common."""
        return ()

    def start(self) -> None:
        """Do all the work on a thread of its own from now on, if lines can be waited for."""
        if self._thread is None and self._ports.waitable:
            self._thread = threading.Thread(target=self._run, name="pods", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Take the pictures off the pods and close their lines. A second call does nothing."""
        if self._closing:
            return
        self._closing = True
        if self._thread is not None:
            self._rouse()
            self._thread.join()
        self._closed = True
        for line in self._lines.values():
            try:
                line.stream.write(line.waiting + line.link.farewell())
            except OSError as error:
                log.info("%s: %s", line.stream.name, error.strerror)
        for line in self._lines.values():
            line.stream.close()
        self._lines.clear()
        os.close(self._rouse_read)
        os.close(self._rouse_write)

    # What is there

    def pods(self) -> list[tuple[str, PodLink, int | None]]:
        """Each open line: its device, its link, and the seat that the pod has, if any."""
        numbers = {id(place.line): place.number for place in self._places if place.line is not None}
        return [(path, line.link, numbers.get(id(line))) for path, line in list(self._lines.items())]

    # The work, on one thread

    def _receive(self, now: float) -> None:
        if now >= self._next_scan:
            self._next_scan = now + SCAN_S
            self._scan(now)
        for path, line in list(self._lines.items()):
            try:
                data = line.stream.read()
            except OSError:
                self._drop(path, now)
                continue
            told = line.link.receive(data, now) if data else []
            place = self._place_of(line, now)
            if place is not None:
                self._edges.extend(place.edges(told, now))
            elif any(down and BY_NUMBER[button] is Button.PLAY for button, down, _ in told):
                self._choose(line, now)
        self._note_faults(now)

    def _transmit(self, now: float) -> None:
        places = {id(place.line): place for place in self._places if place.line is not None}
        vacant = self._vacant()
        for path, line in list(self._lines.items()):
            link = line.link
            place = places.get(id(line))
            if place is not None:
                link.picture.wanted = place.screen.picture
                link.settings = place.screen.settings
                link.offer = None
            else:
                link.offer = vacant.number if vacant is not None and not self._is_twin(line) else 0
            try:
                while line.waiting or (frame := link.transmit(now)):
                    line.waiting = line.waiting or frame
                    sent = line.stream.write(line.waiting)
                    line.waiting = line.waiting[sent:]
                    if line.waiting:
                        break
            except OSError:
                self._drop(path, now)
        self._note_faults(now)

    def _deadline(self) -> float:
        times = [self._next_scan]
        for line in self._lines.values():
            times.append(line.link.deadline())
        return min(times)

    def _scan(self, now: float) -> None:
        found = {port.path: port for port in self._ports.find()}
        for path in self._troubles.keys() - found.keys():
            del self._troubles[path]
        for path, port in found.items():
            if path in self._lines:
                continue
            try:
                stream = self._ports.open(port)
            except OSError as error:
                self._troubles[path] = (error.strerror or str(error), port.usb_serial.lower())
                continue
            self._troubles.pop(path, None)
            self._lines[path] = Line(stream, PodLink(path, self._draw, now))

    def _drop(self, path: str, now: float) -> None:
        line = self._lines.pop(path)
        line.stream.close()
        for place in self._places:
            if place.line is line:
                place.line = None
                place.alone_since = now - START_S

    def _place_of(self, line: Line, now: float) -> Place | None:
        """The seat that the pod on this line has; found by the pod's id once it has said hello."""
        for place in self._places:
            if place.bound and place.bound == line.pod:
                # Two pods of the same id would be a marvel; should it happen, the one that works stays.
                if place.line is None or (line.link.up and not place.line.link.up):
                    place.line = line
                return place if place.line is line else None
        return None

    def _vacant(self) -> Place | None:
        return next((place for place in self._places if place.line is None and not place.fixed), None)

    def _is_twin(self, line: Line) -> bool:
        """Whether a pod without a seat has the id of one that has a seat: nobody could tell them apart."""
        return bool(line.pod) and any(place.bound == line.pod for place in self._places)

    def _choose(self, line: Line, now: float) -> None:
        place = self._vacant()
        if place is None or self._is_twin(line):
            return
        place.bound = line.pod
        place.line = line
        log.info("seat %d: pod %s was chosen", place.number, line.pod)
        self._bound(place.number, line.pod)

    def _note_faults(self, now: float) -> None:
        for place in self._places:
            fault = (
                self._trouble(place, place.line, now) if place.line is not None else self._absence(place, now)
            )
            if fault is not None:
                place.well_since = None
            elif place.well_since is None:
                place.well_since = now
            if fault == place.screen.fault:
                continue
            if place.well_since is not None:
                if now - place.recovered_at < FLAPPING_S and now - place.well_since < STEADY_S:
                    continue
                place.recovered_at = now
            place.screen.report(fault)
            self._wake()

    @staticmethod
    def _trouble(place: Place, line: Line, now: float) -> str | None:
        """What is wrong with a pod that is there."""
        problem = line.link.problem(now)
        if problem is None and place.holding and line.link.silent(now) >= HELD_S:
            # It may have let go long ago: what began there must not be taken for a hold.
            return f"pod {line.pod} fell silent while a button was down"
        return problem

    def _absence(self, place: Place, now: float) -> str | None:
        """Why a seat is without its pod: the line's trouble if there is one, else what was said before."""
        if now - place.alone_since < START_S:
            return None
        for trouble, usb_serial in self._troubles.values():
            if not place.bound or usb_serial in ("", place.bound):
                return trouble
        taken = {id(other.line) for other in self._places}
        for line in self._lines.values():
            if (
                id(line) not in taken
                and not (place.bound and line.pod)
                and (problem := line.link.problem(now))
            ):
                return problem
        if place.screen.fault is not None:
            return place.screen.fault
        if place.fixed:
            return f"pod {place.bound} is not there: plug it in (the board's profile allows no other one)"
        if place.bound:
            return (
                f"pod {place.bound} is not there: plug it in, or press PLAY on the one that takes its place"
            )
        return "no pod was chosen for this seat: press PLAY on the one that is here"

    # The thread

    def _rouse(self) -> None:
        if self._thread is None or self._closed:
            return
        with contextlib.suppress(BlockingIOError):  # a full pipe has roused it often enough
            os.write(self._rouse_write, b"!")

    def _run(self) -> None:
        while not self._closing:
            now = self._clock()
            self._receive(now)
            self._transmit(now)
            if self._edges:
                self._wake()
            self._wait(max(0.0, self._deadline() - self._clock()))

    def _wait(self, seconds: float) -> None:
        """Until bytes come, there is room for those that wait, somebody rouses us, or the time is over."""
        poll = select.poll()
        poll.register(self._rouse_read, select.POLLIN)
        for line in self._lines.values():
            poll.register(line.stream.fileno(), select.POLLIN | (select.POLLOUT if line.waiting else 0))
        # Rounded up: to come a fraction of a millisecond early would mean to come several times.
        if any(fd == self._rouse_read for fd, _ in poll.poll(int(seconds * 1000) + 1)):
            os.read(self._rouse_read, 4096)
