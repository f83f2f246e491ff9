"""One TCP connection of the page's server: a request, perhaps a socket after it."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from firmware.web.pages import refused

_GET = b"GET "


class Connection(ServerConnection):
    """Refuses every method but GET in words, and lets the buttons go as soon as its socket is closing.

    (The library would drop a request that has a body without an answer, and tells of a closing only when the
    other side has ended its half of the TCP connection, which it may put off.)
    """

    open: set["Connection"]
    """All that are open now; the server sets it."""

    let_go: Callable[[], None] | None = None
    """Called, more than once, when this socket is closing or lost."""

    _head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio's callback."""
        self.open.add(self)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Asyncio's callback."""
        if len(self._head) < len(_GET):
            self._head += data[: len(_GET) - len(self._head)]
            if not _GET.startswith(self._head):
                self._head = _GET  # answered once: the library discards what follows
                answer = refused(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is understood here.")
                answer.headers["Allow"] = "GET"
                self.protocol.send_response(answer)
                self.send_data()
                return
        super().data_received(data)
        if self.let_go is not None and self.state is not State.OPEN:
            self.let_go()

    def connection_lost(self, exc: Exception | None) -> None:
        """Asyncio's callback."""
        self.open.discard(self)
        super().connection_lost(exc)
        if self.let_go is not None:
            self.let_go()
