"""A pod on an open line, for as long as somebody wants to talk to it."""

import contextlib
import secrets
import select
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from drivers.podlink import Edge, PodLink
from drivers.serialports import SerialStream
from firmware.device.instance import running, runtime_folder
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit

ANSWER_S = 1.5
"""A pod that works answers a hello long before."""
LAST_BYTES = 2048
BUSY = "is in use"
"""In the message of ``drivers.serialports`` for a line that another program has."""


class Talk:
    """The table's end of a pod's line. Raise OSError, with what to do, if the line cannot be had."""

    def __init__(self, path: str) -> None:
        self.stream = SerialStream(path)
        self.link = PodLink(path, lambda: secrets.randbits(16), time.monotonic())
        self.edges: deque[Edge] = deque()
        self.received = self.sent = 0
        """bytes, both ways"""
        self.last = b""
        """the end of what was received"""
        self._waiting = b""

    def until(self, so: Callable[[], bool], seconds: float) -> bool:
        """Go on until something is so, at most for a time; whether it is. Raise OSError if the line goes."""
        end = time.monotonic() + seconds
        poll = select.poll()
        while True:
            self._receive()
            if so():
                return True
            self._transmit()  # what ``so`` may have wanted, too
            now = time.monotonic()
            if now >= end:
                return False
            poll.register(self.stream.fileno(), select.POLLIN | (select.POLLOUT if self._waiting else 0))
            poll.poll(int(max(0.0, min(self.link.deadline(), end) - now) * 1000) + 1)

    def greet(self, seconds: float = ANSWER_S) -> bool:
        """Say hello; whether the pod has answered, be it that it speaks another version."""
        return self.until(lambda: self.link.hello is not None, seconds)

    def _receive(self) -> None:
        if data := self.stream.read():
            self.received += len(data)
            self.last = (self.last + data)[-LAST_BYTES:]
            self.edges += self.link.receive(data, time.monotonic())

    def _transmit(self) -> None:
        now = time.monotonic()
        while self._waiting or (frame := self.link.transmit(now)):
            self._waiting = self._waiting or frame
            sent = self.stream.write(self._waiting)
            self.sent += sent
            self._waiting = self._waiting[sent:]
            if self._waiting:
                return

    def close(self) -> None:
        """Take leave of the pod, and let the line go."""
        with contextlib.suppress(OSError):  # it was unplugged
            self.stream.write(self._waiting + self.link.farewell())
        with contextlib.suppress(OSError):
            _admit_others(self.stream.fileno())
        self.stream.close()


@contextmanager
def talk_to(path: str) -> Iterator[Talk]:
    """Talk to the pod on a line while the block runs. Raise CannotRunError if the line cannot be had."""
    try:
        talk = Talk(path)
    except OSError as problem:
        raise CannotRunError(Exit.BUS, unusable(problem)) from problem
    try:
        yield talk
    except OSError as problem:
        raise CannotRunError(Exit.BUS, f"{path}: {problem.strerror or problem}") from problem
    finally:
        talk.close()


def unusable(problem: OSError) -> str:
    """Why a line cannot be had, and what to do."""
    told = problem.strerror or str(problem)
    try:
        process = running(runtime_folder())
    except UsageError:
        process = None
    busy, found, _ = told.partition(BUSY)
    if process is None or not found:
        return told
    return f"{busy}{BUSY}, by the table that runs (process {process}): stop it: sudo systemctl stop twentytwo"


def _admit_others(fd: int) -> None:
    """Undo what keeps others from a line: a pseudo-terminal would stay closed to them for ever."""
    import fcntl  # not on every PC
    import termios

    fcntl.ioctl(fd, termios.TIOCNXCL)
