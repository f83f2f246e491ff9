"""What the commands print, and standard streams that never raise."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WORD, LINE = 200, 1000
"""Characters that a message's words, and it as a whole, may have."""


def say(line: str) -> None:
    """Print a line at once, so that whoever reads a pipe has it. Within ``guarded`` this never fails."""
    print(line, flush=True)  # noqa: T201 - this is the command line


def shortened(text: str, most: int = LINE) -> str:
    """At most so many characters of a text."""
    return text if len(text) <= most else text[: most - 3] + "..."


def quoted(text: str) -> str:
    """What the user wrote, for a message: in quotes, of bearable length, its control characters escaped."""
    return repr(shortened(text, 60))


def one_line(message: str) -> str:
    """A message that stays one line of printable characters and of bearable length, whatever it quotes."""
    plain = "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in message
    )
    return shortened(" ".join(shortened(word, WORD) for word in plain.split(" ")))


class Output(io.RawIOBase):
    """A stream of bytes that takes all and never raises: once it has failed, it drops what comes."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self.failure: OSError | None = None
        """what went wrong first"""

    @property
    def broken(self) -> OSError | None:
        """Why something was lost. None if nothing was, or if only a reader has gone, as with ``| head``."""
        return None if isinstance(self.failure, ConnectionError) else self.failure

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The file descriptor of the stream that it guards."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Whether somebody looks on."""
        return self._raw.isatty()

    def write(self, data: Any, /) -> int:
        """Write bytes, or drop them. Return how many were taken."""
        if self.failure is None:
            try:
                taken = self._raw.write(data)
                if taken is not None:
                    return taken
                self.failure = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            except OSError as failure:
                self.failure = failure
        return memoryview(data).nbytes


@contextmanager
def guarded() -> Iterator[Output | None]:
    """While the block runs, nothing that a command prints or reads can make it fail.

    Streams that were closed at the start lead nowhere; characters that a terminal's encoding lacks are
    escaped; what nobody can take is dropped. Gives the standard output, which knows whether it was; None if
    that is no stream of this process, as in tests.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # its descriptor is free, and no file of ours shall get it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - it stays open
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    before = sys.stdout, sys.stderr
    out: Output | None = None
    if before[0] is sys.__stdout__ and isinstance(before[0], io.TextIOWrapper):
        out = _output(before[0])
        sys.stdout = _text(out, before[0])
    if before[1] is sys.__stderr__ and isinstance(before[1], io.TextIOWrapper):
        sys.stderr = _text(_output(before[1]), before[1])
    try:
        yield out
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = before


def _output(stream: io.TextIOWrapper) -> Output:
    buffer: Any = stream.buffer
    return Output(getattr(buffer, "raw", buffer))  # with python -u there is no buffer


def _text(output: Output, like: io.TextIOWrapper) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedWriter(output),
        encoding=like.encoding,
        errors="backslashreplace",
        line_buffering=like.line_buffering,
    )
