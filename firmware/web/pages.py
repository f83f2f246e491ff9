"""The page's files, and the answers that carry them."""

from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path

from websockets.datastructures import Headers
from websockets.http11 import Response

STATIC = Path(__file__).parent / "static"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

_HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def response(status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8") -> Response:
    """A whole answer; the connection ends with it."""
    headers = Headers(_HEADERS)
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(body))
    return Response(status.value, status.phrase, headers, body)


def refused(status: HTTPStatus, reason: str) -> Response:
    """An answer that says in one line why there is no other."""
    return response(status, f"{reason}\n".encode())


def pages(seats: Sequence[int]) -> dict[str, Response]:
    """Every path that can be asked for, with its answer: the table, each seat alone, and their files."""
    answers = {
        f"/{file.name}": response(HTTPStatus.OK, file.read_bytes(), _TYPES[file.suffix])
        for file in STATIC.iterdir()
        if file.suffix in _TYPES
    }
    page = answers.pop("/index.html")
    return {**answers, "/": page, **{f"/seat/{seat}": page for seat in seats}}
