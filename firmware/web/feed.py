"""What brings changes of the table to the open pages: latest picture first, never a backlog."""

import asyncio
import threading
from collections.abc import Callable, Sequence

from websockets.asyncio.server import ServerConnection

from firmware.web.wire import Seats, frame, hello


class Changes:
    """Brings changes from any thread to the event loop, many at once if there are many. Made on that loop."""

    def __init__(self, deliver: Callable[[int], None]) -> None:
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._seats: set[int] = set()
        self._open = True

    def changed(self, seat: int) -> None:
        """Call from any thread, at any time: ``deliver(seat)`` follows on the loop, unless this is closed."""
        with self._lock:
            if self._open and not self._seats:
                self._loop.call_soon_threadsafe(self._run)
            self._seats.add(seat)

    def close(self) -> None:
        """Deliver nothing from now on: the loop may end."""
        with self._lock:
            self._open = False

    def _run(self) -> None:
        with self._lock:
            seats, self._seats = self._seats, set()
        for seat in sorted(seats):
            self._deliver(seat)


class Feed:
    """One open page: the seats that it shows, and which of them it has yet to be sent."""

    def __init__(self, seats: Sequence[int]) -> None:
        self.seats = seats
        self._due = dict.fromkeys(seats)
        self._sent: dict[int, bytes] = {}
        self._wake = asyncio.Event()

    def changed(self, seat: int) -> None:
        """The seat's picture or lamp is another one."""
        if seat in self.seats:
            self._due[seat] = None
            self._wake.set()

    async def run(self, connection: ServerConnection, table: Seats, alive_s: float) -> None:
        """Send hello, every seat once, then what changes, until ConnectionClosed is raised.

        No frame is sent before the page has answered a ping behind those sent before: so at most one frame a
        seat is on its way, and the next is the latest, however slow the page is.
        """
        await connection.send(hello(table, self.seats, alive_s))
        while True:
            self._wake.clear()
            due, self._due = self._due, {}
            for seat in due:
                picture = frame(table, seat)
                if picture != self._sent.get(seat):
                    self._sent[seat] = picture
                    await connection.send(picture)
            await (await connection.ping())
            while not self._due:
                try:
                    async with asyncio.timeout(alive_s):
                        await self._wake.wait()
                except TimeoutError:
                    await connection.send("")
