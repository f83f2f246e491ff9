"""The server of the simulated table's page: its files, and a socket for each page that is open."""

import asyncio
import contextlib
import errno
from collections.abc import Callable
from http import HTTPStatus
from socket import gaierror
from typing import Protocol

from websockets.asyncio.server import Server, ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.protocol import State

from firmware.errors import UsageError
from firmware.web.access import EVERYWHERE, authority, own_hosts, refusal
from firmware.web.connection import Connection
from firmware.web.feed import GAMES, Changes, Feed
from firmware.web.games import Games, Shelf
from firmware.web.holds import Holds
from firmware.web.pages import pages, refused
from firmware.web.wire import MESSAGE_BYTES, Seats, parse, parse_pod

PING_S = 10.0
"""A page is asked this often whether it is there, and has this long to answer; it hears from us as often."""

CLOSE_S = 5.0
"""How long the other side may take to end its half of a connection."""

STOP_S = 1.0
"""The same when the server stops."""


class Table(Seats, Protocol):
    """The table that the page shows and whose buttons it presses."""

    def press(self, seat: int, button: str) -> None:
        """Put a finger on a button: ``left``, ``right``, ``mark`` or ``play``.

        However soon ``release`` follows, as after a touchpad's tap, it is for the table to make it a stroke
        that its buttons see.
        """
        ...

    def release(self, seat: int, button: str) -> None:
        """Take it off again."""
        ...

    def act_on_pod(self, seat: int, act: str) -> None:
        """Do one of ``wire.POD_ACTS`` to the seat's pod, which it has."""
        ...

    def watch(self, changed: Callable[[int], None]) -> None:
        """From now on call ``changed(seat)``, from any thread, when its picture, lamp or pod has changed."""
        ...


class _Site:
    """What the connections of one server share."""

    def __init__(self, table: Table, games: Games, host: str, ping_s: float) -> None:
        self._table = table
        self._shelf = Shelf(games)
        self._host = host
        self._ping_s = ping_s
        self._pages = pages(table.seats)
        self._sockets = {
            "/socket": tuple(table.seats),
            **{f"/seat/{seat}/socket": (seat,) for seat in table.seats},
        }
        self._feeds: set[Feed] = set()
        self._holds = Holds(self._edge)
        self._changes = Changes(self._changed)
        table.watch(self._changes.changed)
        games.watch(self._ended)

    async def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer to a request; None lets a socket open."""
        path, _, query = request.path.partition("?")
        reached, port = connection.local_address[:2]
        reason = refusal(
            request.headers.get_all("Host"),
            request.headers.get_all("Origin"),
            own_hosts(self._host, reached, port),
            socket=path in self._sockets,
        )
        if reason is not None:
            return refused(HTTPStatus.FORBIDDEN, reason)
        if path in self._sockets:
            return None
        page = self._pages.get(path) or await self._shelf.answer(path, query)
        return page or refused(HTTPStatus.NOT_FOUND, "There is no such page here.")

    async def run(self, connection: ServerConnection) -> None:
        """One socket from its opening to its end."""
        assert isinstance(connection, Connection)
        assert connection.request is not None
        path = connection.request.path.partition("?")[0]
        feed = Feed(self._sockets[path], with_games=path == "/socket")
        connection.let_go = lambda: self._holds.drop(connection)
        self._feeds.add(feed)
        sending = asyncio.create_task(feed.run(connection, self._table, self._ping_s))
        reading = asyncio.create_task(self._read(connection, feed))
        try:
            await asyncio.wait([sending, reading], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._feeds.remove(feed)
            self._holds.drop(connection)
            sending.cancel()
            reading.cancel()
            ends = await asyncio.gather(sending, reading, return_exceptions=True)
        for end in ends:
            if isinstance(end, str):
                await connection.close(CloseCode.POLICY_VIOLATION, end)
            elif isinstance(end, Exception) and not isinstance(end, ConnectionClosed):
                raise end  # our own mistake: the library logs it and ends the socket

    def close(self) -> None:
        """Hear no more of the table: the loop may end."""
        self._changes.close()

    async def _read(self, connection: Connection, feed: Feed) -> str:
        """Do what a page says; returns the reason when it says something that no page does."""
        while True:
            message = await connection.recv()
            try:
                if (pod := parse_pod(message, self._table, feed.seats)) is not None:
                    self._table.act_on_pod(*pod)
                    continue
                down, seat, button = parse(message, feed.seats)
            except ValueError as reason:
                return str(reason)
            act = self._holds.press if down else self._holds.release
            act(connection, (seat, button))
            if connection.state is not State.OPEN:  # read late: it has let go before
                self._holds.drop(connection)

    def _edge(self, seat: int, button: str, down: bool) -> None:
        (self._table.press if down else self._table.release)(seat, button)

    def _ended(self) -> None:
        self._shelf.ended()
        self._changes.changed(GAMES)

    def _changed(self, what: int) -> None:
        for feed in self._feeds:
            feed.changed(what)


async def serve(
    table: Table,
    games: Games,
    *,
    host: str = "127.0.0.1",
    port: int = 2222,
    ready: Callable[[str], None],
    stop: asyncio.Event,
    ping_s: float = PING_S,
) -> None:
    """Serve the page of ``table`` until ``stop`` is set; then every button is up and every connection ended.

    ``games`` are the table's finished ones. ``ready(address)`` is called once, when the page can be opened.
    ``port`` 0 takes a free one. A page that has not answered for twice ``ping_s`` is gone. Raises UsageError
    if it cannot listen there.
    """
    site = _Site(table, games, host, ping_s)

    class Here(Connection):
        open: set[Connection] = set()  # noqa: RUF012

    try:
        server = await listen(
            site.run,
            host,
            port,
            process_request=site.answer,
            create_connection=Here,
            compression=None,
            server_header=None,
            ping_interval=ping_s,
            ping_timeout=ping_s,
            close_timeout=CLOSE_S,
            max_size=MESSAGE_BYTES,
        )
    except (OSError, OverflowError, UnicodeError) as error:
        site.close()
        raise UsageError(_why_not(error, host, port)) from error
    try:
        shown = "127.0.0.1" if host in EVERYWHERE else host
        ready(f"http://{authority(shown)}:{server.sockets[0].getsockname()[1]}/")
        await stop.wait()
    finally:
        site.close()
        await _let_nobody_in(server)
        server.close()
        for connection in list(Here.open):
            if connection.request is None:  # a browser opens connections in advance
                connection.transport.abort()
        try:
            async with asyncio.timeout(STOP_S):
                await server.wait_closed()
        except TimeoutError:
            for connection in list(Here.open):
                connection.transport.abort()
            await server.wait_closed()
        for connection in list(Here.open):  # an answer is on its way to a slow reader
            connection.transport.abort()
        await _next_round()


async def _let_nobody_in(server: Server) -> None:
    """Listen no more, and have those connections made that have begun: asyncio would forget them."""
    with contextlib.suppress(NotImplementedError):  # on Windows nobody can say so
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening.fileno())
    await _next_round()


async def _next_round() -> None:
    """Let the event loop do what it has begun: a connection is let in or lost in three turns of it."""
    for _ in range(3):
        await asyncio.sleep(0)


def _why_not(error: OSError | OverflowError | UnicodeError, host: str, port: int) -> str:
    """What to tell whoever asked to listen there."""
    if isinstance(error, OverflowError):
        return f"port {port} does not exist: choose one from 1 to 65535 with --port"
    if isinstance(error, gaierror | UnicodeError):  # such a name can be nobody's
        return f"there is no host named {host}: choose an address of this computer with --host"
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is in use: end the table that runs there, or choose another with --port"
        )
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not for everybody: choose one from 1024 to 65535 with --port"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this computer: choose one that is with --host"
    reason = error.strerror or error
    return f"cannot listen on port {port} of {host} ({reason}): choose others with --host and --port"
