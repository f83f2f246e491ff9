"""The link to a pod: frames that survive a bad line, and their messages. Runs on CPython and MicroPython.

docs/protocol.md specifies it. Numbers of two or four bytes have the lowest byte first.
"""

from binascii import crc32
from struct import pack, unpack_from

LOWEST, HIGHEST = 1, 1
"""Protocol versions that this file speaks."""

WIDTH, PAGES = 128, 8
PICTURE_BYTES = WIDTH * PAGES
"""A picture has page order: each byte is eight pixels below each other, the lowest bit on top."""

MAX_PAYLOAD = 256
"""Bytes of the longest message, checksum not counted."""
MAX_STUFFED = MAX_PAYLOAD + 4 + (MAX_PAYLOAD + 4) // 41 + 1
MAX_EDGES = 6
"""Edges that one report tells at most: a short frame is more likely to get through."""
MAX_AGE_MS = 2 * 0xFFF
"""Age of an edge at most: what is older is said to be of this age."""

HELLO, PING, SHOW, SET, OFFER, RESET, END, ASK = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17
"""From the table. All but HELLO begin with type, tag, sequence number and the last edge received."""
POD_HELLO, REPORT, COUNTS = 0x20, 0x21, 0x22
"""From the pod."""
RESTART, UPDATE = 0, 1
"""What RESET asks for: the firmware again, or a prompt at which new firmware can be written."""

BUTTONS = ("left", "right", "mark", "play")
"""By number. In a status a button's bit says that it is down now."""
PANEL_SILENT = 0x10
"""Bit of a status: the panel does not answer."""
HAS_LAMP = 0x01
"""Bit of the abilities."""

_STUFFED = 6
"""Bytes below do not occur in a frame: 0 ends it, 1 to 5 are commands to a MicroPython prompt."""
_LONGEST = 41
"""Longest run of a code, and the one that no stuffed byte follows."""
_ALONE = _STUFFED + _LONGEST * _STUFFED


def stuff(data: bytes) -> bytes:
    """Encode without bytes 0 to 5: each code byte says how many bytes follow as they are, and which then not.

    Code 6 + 6 n + s: n bytes (0 to 40), then a byte s (0 to 5). Code 252: 41 bytes. The data end with a zero
    that is not theirs.
    """
    out = bytearray(1)
    place = 0
    run = 0
    for byte in data:
        if byte < _STUFFED:
            out[place] = _STUFFED + run * _STUFFED + byte
        else:
            out.append(byte)
            run += 1
            if run < _LONGEST:
                continue
            out[place] = _ALONE
        place = len(out)
        out.append(0)
        run = 0
    out[place] = _STUFFED + run * _STUFFED
    return bytes(out)


def unstuff(data: bytes) -> bytes | None:
    """Undo ``stuff``; None if it cannot have come from there."""
    out = bytearray()
    place = 0
    end = len(data)
    last = 1
    while place < end:
        code = data[place] - _STUFFED
        place += 1
        if code < 0:
            return None
        run = code // _STUFFED
        if run > _LONGEST or code > _LONGEST * _STUFFED or place + run > end:
            return None
        out.extend(data[place : place + run])
        place += run
        if run == _LONGEST:
            last = 1
        else:
            last = code - run * _STUFFED
            out.append(last)
    if last or min(data) < _STUFFED:
        return None
    return bytes(out[:-1])


def frame(payload: bytes) -> bytes:
    """A message as it goes over the line: a zero on both sides, its CRC-32 (that of zip files) behind it."""
    return b"\0" + stuff(payload + pack("<I", crc32(payload))) + b"\0"


class Decoder:
    """Finds the messages in what comes over the line, however it is cut into pieces.

    ``bad`` counts pieces between two zeros that are no message. ``junk`` is the end of what the last call of
    ``feed`` met that is no message, or not yet.
    """

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self.junk = b""
        self._partial = b""
        self._overlong = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Messages that are complete now, in order."""
        messages = []
        junk = b""
        pieces = (self._partial + chunk).split(b"\0")
        partial = pieces.pop()
        for piece in pieces:
            overlong, self._overlong = self._overlong, False
            if not piece:
                continue
            message = None if overlong else _unframe(piece)
            if message is None:
                self.bad += 1
                junk = piece
            else:
                self.good += 1
                messages.append(message)
        if len(partial) > MAX_STUFFED:
            self._overlong = True
            partial = partial[-64:]
        self._partial = partial
        self.junk = (junk + b"\0" + partial)[-MAX_PAYLOAD:]
        return messages


def _unframe(piece: bytes) -> bytes | None:
    if len(piece) > MAX_STUFFED:
        return None
    data = unstuff(piece)
    if data is None or len(data) < 5:
        return None
    payload = data[:-4]
    if unpack_from("<I", data, len(payload))[0] != crc32(payload):
        return None
    return payload


def common_version(lowest: int, highest: int, our_lowest: int, our_highest: int) -> int:
    """The highest version that both ends speak; 0: there is none."""
    version = min(highest, our_highest)
    return version if version >= max(lowest, our_lowest, 1) else 0


class Hello:
    """What a pod says of itself. ``nonce``: of the table's hello that it answers; 0: nobody asked.

    ``boot``: drawn at each start. ``pod_id``: eight bytes. ``newest``: number of the last edge so far.
    ``columns``, ``rows``: the panel's pixels, 0 in a version that this file does not speak.
    """

    def __init__(
        self,
        *,
        lowest: int,
        highest: int,
        nonce: int,
        boot: int,
        pod_id: bytes,
        newest: int = 0,
        status: int = 0,
        columns: int = 0,
        rows: int = 0,
        abilities: int = 0,
        build: str = "",
    ) -> None:
        self.lowest = lowest
        self.highest = highest
        self.nonce = nonce
        self.boot = boot
        self.pod_id = pod_id
        self.newest = newest
        self.status = status
        self.columns = columns
        self.rows = rows
        self.abilities = abilities
        self.build = build

    def pack(self) -> bytes:
        """The message; ``build`` is cut after 16 characters."""
        build = self.build.encode()[:16]
        return (
            pack("<BBBHH", POD_HELLO, self.lowest, self.highest, self.nonce, self.boot)
            + self.pod_id
            + pack("<HBBBBB", self.newest, self.status, self.columns, self.rows, self.abilities, len(build))
            + build
        )


def parse_hello(payload: bytes) -> Hello | None:
    """A pod's hello; None if it is none. Of a version that is not ours only what never changes is read."""
    if len(payload) < 15 or payload[0] != POD_HELLO:
        return None
    _, lowest, highest, nonce, boot = unpack_from("<BBBHH", payload)
    hello = Hello(lowest=lowest, highest=highest, nonce=nonce, boot=boot, pod_id=payload[7:15])
    if common_version(lowest, highest, LOWEST, HIGHEST):
        if len(payload) < 22 or len(payload) < 22 + payload[21]:
            return None
        hello.newest, hello.status, hello.columns, hello.rows, hello.abilities, length = unpack_from(
            "<HBBBBB", payload, 15
        )
        build = payload[22 : 22 + length]
        if any(byte < 0x20 or byte > 0x7E for byte in build):
            return None
        hello.build = build.decode()
    return hello


def pack_hello(lowest: int, highest: int, nonce: int) -> bytes:
    """The table's hello; ``nonce``: 1 to 65,535, drawn for each attempt."""
    return pack("<BBBH", HELLO, lowest, highest, nonce)


def parse_table_hello(payload: bytes) -> tuple[int, int, int] | None:
    """Lowest and highest version and nonce of the table's hello; None if it is none."""
    if len(payload) < 5 or payload[0] != HELLO:
        return None
    lowest, highest, nonce = unpack_from("<BBH", payload, 1)
    return (lowest, highest, nonce) if nonce else None


def pack_order(kind: int, tag: int, sequence: int, edge: int, body: bytes = b"") -> bytes:
    """A message of the table's within a session. ``edge``: number of the last edge received."""
    return pack("<BHBH", kind, tag, sequence, edge) + body


def parse_order(payload: bytes) -> tuple[int, int, int, int, bytes] | None:
    """Type, tag, sequence number, last edge received and body; None if it is no such message."""
    if len(payload) < 6 or payload[0] & 0xF0 != 0x10 or payload[0] == HELLO:
        return None
    kind, tag, sequence, edge = unpack_from("<BHBH", payload)
    return kind, tag, sequence, edge, payload[6:]


def parse_windows(body: bytes) -> list[tuple[int, int, int, int, int]] | None:
    """Windows of a SHOW: left and right column, top and bottom page, and where its bytes begin in ``body``.

    None if one does not fit the screen, or its bytes do not fit the message.
    """
    windows = []
    place = 0
    while place < len(body):
        if place + 3 > len(body):
            return None
        left, right = body[place], body[place + 1]
        top, bottom = body[place + 2] >> 4, body[place + 2] & 15
        place += 3
        if not left <= right < WIDTH or not top <= bottom < PAGES:
            return None
        windows.append((left, right, top, bottom, place))
        place += (right - left + 1) * (bottom - top + 1)
    return windows if place == len(body) else None


class Report:
    """What a pod tells within a session; it is the answer to each of the table's messages, too.

    ``last``: sequence number accepted last; ``before``: bit n is set if ``last - 1 - n`` was accepted too.
    ``first``: number of the oldest edge not yet acknowledged; ``queued``: how many there are.
    ``edges``: the oldest of them, each as button by number, whether it went down, age in milliseconds.
    """

    def __init__(
        self,
        *,
        tag: int,
        last: int,
        before: int,
        status: int,
        first: int,
        queued: int,
        edges: list[tuple[int, bool, int]],
    ) -> None:
        self.tag = tag
        self.last = last
        self.before = before
        self.status = status
        self.first = first
        self.queued = queued
        self.edges = edges

    def pack(self) -> bytes:
        """The message."""
        out = pack("<BHBBBHB", REPORT, self.tag, self.last, self.before, self.status, self.first, self.queued)
        for button, down, age in self.edges:
            out += pack("<H", min(age, MAX_AGE_MS) // 2 | button << 12 | (0x8000 if down else 0))
        return out


def parse_report(payload: bytes) -> Report | None:
    """A pod's report; None if it is none."""
    if len(payload) < 9 or payload[0] != REPORT or len(payload) % 2 == 0:
        return None
    _, tag, last, before, status, first, queued = unpack_from("<BHBBBHB", payload)
    edges = []
    for place in range(9, len(payload), 2):
        word = unpack_from("<H", payload, place)[0]
        edges.append((word >> 12 & 7, word >= 0x8000, 2 * (word & 0xFFF)))
    if len(edges) > queued or any(edge[0] >= len(BUTTONS) for edge in edges):
        return None
    return Report(tag=tag, last=last, before=before, status=status, first=first, queued=queued, edges=edges)


COUNT_NAMES = (
    "uptime_s",
    "frames",
    "bad_frames",
    "dropped_edges",
    "panel_faults",
    "free_bytes",
    "slowest_ms",
)
"""What a pod counts since its start, in the order of COUNTS, four bytes each."""


def pack_counts(tag: int, counts: list[int]) -> bytes:
    """A pod's counters, in the order of COUNT_NAMES."""
    out = pack("<BH", COUNTS, tag)
    for count in counts:
        out += pack("<I", count & 0xFFFFFFFF)
    return out


def parse_counts(payload: bytes) -> tuple[int, list[int]] | None:
    """Tag and counters; None if it is no such message. More counters than ours are left out."""
    if len(payload) < 3 + 4 * len(COUNT_NAMES) or payload[0] != COUNTS:
        return None
    return unpack_from("<H", payload, 1)[0], [
        unpack_from("<I", payload, 3 + 4 * number)[0] for number in range(len(COUNT_NAMES))
    ]
