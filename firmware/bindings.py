"""Which pod has which seat, as found out at the table: kept in a file that the table itself writes."""

import errno
import logging
import os
import re
import stat
import tomllib
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from firmware.atomic import set_aside, write_text
from firmware.streams import one_line

log = logging.getLogger(__name__)

DEFAULT_PATH = Path("/var/lib/twentytwo/seats.toml")
"""Where a table on its board keeps it if nobody says otherwise."""
SEATS = range(1, 7)
POD_ID = re.compile(r"[0-9a-f]{16}")
MOST_BYTES = 4096
"""What is longer is no such file."""

HEAD = """\
# Which pod has which seat, as chosen by its PLAY button. The table writes this file: do not change it.
# To forget all pods, delete it while no table runs.
[pods]
"""
CHECK = "# check "


class DamagedError(Exception):
    """What was read cannot be trusted; the message says why."""


class Bindings:
    """The pods of the seats, kept in the file ``path``; None: for as long as this program runs.

    A file that is damaged is set aside under a name that says so, and the table begins without bindings: a
    seat with another one's pod would show its cards to the wrong player.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._pods: Mapping[int, str] = MappingProxyType({})
        self._in_the_way = False
        """whether the path is taken by what could be neither used nor moved"""
        self._told = ""
        if path is None:
            return
        try:
            self._pods = MappingProxyType(read_bindings(path))
        except FileNotFoundError:
            pass
        except (OSError, DamagedError) as problem:
            self._in_the_way = True
            self._clear(path, _words(problem))

    @property
    def pods(self) -> Mapping[int, str]:
        """The id of each seat's pod, 16 hexadecimal digits, by the seat's number."""
        return self._pods

    def bind(self, seat: int, pod: str) -> None:
        """Remember that a seat (1 to 6) has a pod (16 hexadecimal digits), and no other seat has it.

        Never raises: if the disk does not take it, that is logged once, and holds while this program runs.
        It waits for the disk: called by the thread of the pods, as it is, that delays no game. The pods keep
        their pictures for 3 s meanwhile, and what is pressed its time; and it happens once for each pod.
        """
        pods = {number: one for number, one in self._pods.items() if one != pod and number != seat}
        pods = dict(sorted({**pods, seat: pod}.items()))
        if pods == self._pods and not self._told:
            return
        self._pods = MappingProxyType(pods)
        if self._path is None or (self._in_the_way and not self._clear(self._path, "it is still there")):
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self._path, _text(pods))
        except OSError as problem:
            self._tell(
                f"{self._path} cannot be written: {_words(problem)}: at the next start the pods may have to "
                "be chosen anew by their PLAY buttons"
            )
        else:
            self._told = ""

    def _clear(self, path: Path, damage: str) -> bool:
        """Set aside what cannot be used; whether the path is free now."""
        try:
            aside = set_aside(path)
        except FileNotFoundError:
            self._in_the_way = False
            return True
        except OSError as problem:
            self._tell(
                f"{path} cannot be used: {damage}; nor can it be set aside: {_words(problem)}: the pods have "
                "to be chosen anew by their PLAY buttons at each start; move it away"
            )
            return False
        self._in_the_way = False
        self._tell(
            f"{path} cannot be used: {damage}: it is now {aside.name}, and each pod has to be chosen anew by "
            "its PLAY button"
        )
        self._told = ""
        return True

    def _tell(self, line: str) -> None:
        if not self._told:
            log.warning("%s", one_line(line))
        self._told = line


def read_bindings(path: Path) -> dict[int, str]:
    """What a file of bindings says. Raise OSError, or DamagedError if it is not as it was written."""
    # Without O_NONBLOCK whoever opens a FIFO waits for somebody to write into it.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise DamagedError("it is no file")
        data = os.read(fd, MOST_BYTES + 1)
    finally:
        os.close(fd)
    return _parsed(data)


def _parsed(data: bytes) -> dict[int, str]:
    """The bindings in a file's content. Raise DamagedError unless it is as it was written."""
    if not data:
        raise DamagedError("it is empty")
    if len(data) > MOST_BYTES:
        raise DamagedError(f"it has more than {MOST_BYTES} bytes")
    body, found, _ = data.rpartition(CHECK.encode())
    if not found or data != body + _check(body):
        raise DamagedError("it is not as it was written")
    try:
        content = tomllib.loads(body.decode())
        pods = {int(seat): pod for seat, pod in content.pop("pods").items()}
    except (ValueError, KeyError, AttributeError):  # of another version of this program
        raise DamagedError("it says what this version does not know") from None
    known = all(
        seat in SEATS and isinstance(pod, str) and POD_ID.fullmatch(pod) for seat, pod in pods.items()
    )
    if content or not known or len(set(pods.values())) < len(pods):
        raise DamagedError("it says what this version does not know")
    return pods


def _text(pods: Mapping[int, str]) -> str:
    body = HEAD + "".join(f'{seat} = "{pod}"\n' for seat, pod in pods.items())
    return body + _check(body.encode()).decode()


def _check(body: bytes) -> bytes:
    """The last line. One changed digit would be another pod's id: a checksum notices any changed byte."""
    return f"{CHECK}{zlib.crc32(body):08x}\n".encode()


def _words(problem: Exception) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or os.strerror(problem.errno or errno.EIO)
    return str(problem)
