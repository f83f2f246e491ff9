"""What brings changes of the table to the open pages: latest picture first, never a backlog."""

import asyncio
import threading
from collections.abc import Callable, Sequence

from websockets.asyncio.server import ServerConnection

from firmware.web.wire import ENDED, Seats, frame, hello

GAMES = 0
"""What has changed if it is no seat: another game has ended."""


class Changes:
    """Brings changes from any thread to the event loop, many at once if there are many. Made on that loop.

    What has changed is a seat's number, or GAMES.
    """

    def __init__(self, deliver: Callable[[int], None]) -> None:
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._waiting: set[int] = set()
        self._open = True

    def changed(self, what: int) -> None:
        """Call from any thread, at any time: ``deliver(what)`` follows on the loop, unless this is closed."""
        with self._lock:
            if self._open and not self._waiting:
                self._loop.call_soon_threadsafe(self._run)
            self._waiting.add(what)

    def close(self) -> None:
        """Deliver nothing from now on: the loop may end."""
        with self._lock:
            self._open = False

    def _run(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, set()
        for what in sorted(waiting):
            self._deliver(what)


class Feed:
    """One open page: the seats that it shows, and which of them it has yet to be sent.

    ``with_games``: it is told, too, when another game has ended.
    """

    def __init__(self, seats: Sequence[int], *, with_games: bool = False) -> None:
        self.seats = seats
        self._told = {*seats, GAMES} if with_games else {*seats}
        self._due = dict.fromkeys(seats)
        self._sent: dict[int, bytes] = {}
        self._wake = asyncio.Event()

    def changed(self, what: int) -> None:
        """The picture or lamp of seat ``what`` is another one; or GAMES."""
        if what in self._told:
            self._due[what] = None
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
            if GAMES in due:
                del due[GAMES]
                await connection.send(ENDED)
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
