"""The table's end of the link to one pod, without its serial line: bytes and time in, edges and bytes out."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from drivers.podpicture import PodPicture
from hardware import link
from hardware.frame import Window
from hardware.seat import HEIGHT, WIDTH

GREET_S, GREET_SLOWLY_S = 0.25, 0.5
"""A hello is said so often; more slowly once ``PATIENCE_S`` have passed."""
PATIENCE_S = 5.0
ANSWER_S = 1.0
"""Whoever has not answered a hello by then is taken to be absent."""
QUIET_S, PROBE_S = 0.5, 0.05
"""A pod of which nothing was heard for so long is pinged, and so often until it is heard."""
HELD_QUIET_S = 0.15
"""It is pinged sooner while one of its buttons is down: whether that is a hold depends on what it tells."""
LOST_S = 2.0
"""One of which nothing was heard for so long is lost."""
FROZEN_S = 1.0
"""If we ourselves were away for so long, what has piled up meanwhile is not to be trusted."""
FRESH_S = 0.3
"""Pictures go only to a pod that was heard so recently: none pile up before one that does not read."""
TIMEOUT_S, SLOWEST = 0.06, 10_000
"""An order is lost if it is not acknowledged after so long, and the time of the line's bytes before it.

``SLOWEST``: bytes a second of the slowest line, 115,200 baud."""
IN_FLIGHT = 384
"""Bytes on their way at most, unless it is one frame."""
AHEAD = 100
"""Sequence numbers that are used at most beyond the last one acknowledged; the pod bears 127."""
RESET_S = 10.0
"""A firmware that has stopped is started anew at most so often."""
RESET_KEYS = b"\x03\x03\x02\x04"
"""What starts a MicroPython anew: Ctrl-C against what runs, Ctrl-B out of the raw prompt, Ctrl-D."""
STOPPED = (b">>> ", b"Traceback (most recent call last)")
"""What a MicroPython prints in whose program nothing of ours runs any more."""

FLASH = "flash it: twentytwo pod flash"

Edge = tuple[int, bool, float]
"""Button by number, whether it went down, and when (seconds, monotonic)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a pod is set to beside its picture. ``contrast``: 0 to 255."""

    lamp: bool = False
    contrast: int = 0xCF
    power: bool = True


@dataclass(frozen=True, slots=True)
class _Order:
    """A message that was sent, until it is acknowledged or lost."""

    kind: int
    at: float
    due: float
    size: int
    body: bytes
    windows: tuple[Window, ...]


class PodLink:
    """The link to the pod at the other end of the line ``name``. ``draw`` gives 16 random bits.

    Times are seconds, monotonic. ``picture.wanted``, ``settings`` and ``offer`` (a seat; 0: no seat; None:
    the picture instead) may be set at any time; ``transmit`` brings them about.
    """

    def __init__(self, name: str, draw: Callable[[], int], now: float) -> None:
        self.name = name
        self.picture = PodPicture()
        self.settings = Settings()
        self.offer: int | None = None
        self.hello: link.Hello | None = None
        """what the pod last said of itself, in a session or not"""
        self.up = False
        """whether there is a session"""
        self.levels: int | None = None
        """which buttons are down, a bit each by number; None while edges are outstanding"""
        self.counts: dict[str, int] | None = None
        """the pod's counters, once ``ask_counts`` was answered"""
        self.round_trips: deque[float] = deque(maxlen=1000)
        """seconds from each order to its acknowledgement"""
        self.lost_orders = 0
        self._draw = draw
        self._decoder = link.Decoder()
        self._stepped = now
        self._stopped = False
        self._next_reset = now
        self._edges: list[Edge] = []
        self._last_edge = 0
        self._panel_silent = False
        self._restart: int | None = None
        self._ask = False
        self._refusal: str | None = None
        self._lost = False
        self._greet(now)

    # What is known

    @property
    def bad_frames(self) -> int:
        """How many frames came damaged."""
        return self._decoder.bad

    def problem(self, now: float) -> str | None:
        """What is wrong and what to do about it, in words for an operator; None if nothing is."""
        if self.up:
            if self._panel_silent:
                return f"the panel of {self._pod()} does not answer: check its four wires"
            return None
        if self._stopped:
            return f"the program of {self._pod()} has stopped: it is being started anew"
        if self._refusal is not None:
            return self._refusal
        if self._lost or now - self._greeting_since >= ANSWER_S:
            return f"{self._pod()} does not answer: unplug it, plug it in; if it stays silent, {FLASH}"
        return None

    def silent(self, now: float) -> float:
        """For how many seconds nothing was heard of the pod in this session; without one, for ever."""
        return now - self._heard if self.up else float("inf")

    def _pod(self) -> str:
        if self.hello is None:
            return f"the pod on {self.name}"
        return f"pod {self.hello.pod_id.hex()} on {self.name}"

    # From the line

    def receive(self, data: bytes, now: float) -> list[Edge]:
        """Bytes have come. Return the edges that they tell, each once, in order."""
        self._look_at_clock(now)
        messages = self._decoder.feed(data)
        if any(sign in self._decoder.junk for sign in STOPPED):
            self._stopped = True
            if self.up:
                self._greet(now)
        for message in messages:
            if (hello := link.parse_hello(message)) is not None:
                self._meet(hello, now)
            elif self.up and (report := link.parse_report(message)) is not None:
                if report.tag == self._tag:
                    self._take(report, now)
            elif self.up and (counts := link.parse_counts(message)) is not None and counts[0] == self._tag:
                self.counts = dict(zip(link.COUNT_NAMES, counts[1], strict=True))
        edges, self._edges = self._edges, []
        return edges

    def _meet(self, hello: link.Hello, now: float) -> None:
        if self.up:
            same = hello.nonce == self._nonce and self.hello is not None and hello.boot == self.hello.boot
            if not same:  # it has started anew, or given the session up
                self._greet(now)
            return
        if hello.nonce != self._nonce:
            return
        self._stopped = self._lost = False
        self._refusal = self._refuse(hello)
        before, self.hello = self.hello, hello
        if self._refusal is not None:
            return
        if before is None or (before.boot, before.pod_id) != (hello.boot, hello.pod_id):
            # Whatever was pressed before we met is none of our business. It has just started anew.
            self._last_edge = hello.newest
            self._restart = None
        self.levels = hello.status & 15 if self._last_edge == hello.newest else None
        self._panel_silent = bool(hello.status & link.PANEL_SILENT)
        self.up = True
        self._tag = self._nonce ^ hello.boot
        self._heard = self._spoke = now
        self._edge_owed = False
        self._sequence = self._acknowledged = 0
        self._orders: dict[int, _Order] = {}
        self.picture.begin()
        self._expected_settings: Settings | None = None
        self._expected_offer: int | None = None
        self._offered = False

    def _refuse(self, hello: link.Hello) -> str | None:
        pod = f"pod {hello.pod_id.hex()} on {self.name}"
        if not link.common_version(hello.lowest, hello.highest, link.LOWEST, link.HIGHEST):
            theirs, ours = _versions(hello.lowest, hello.highest), _versions(link.LOWEST, link.HIGHEST)
            remedy = FLASH if hello.highest < link.LOWEST else f"update the table, or {FLASH}"
            return f"{pod} speaks {theirs} of the link, this table {ours}: {remedy}"
        if (hello.columns, hello.rows) != (WIDTH, HEIGHT):
            return f"{pod} has a panel of {hello.columns}×{hello.rows} pixels, not {WIDTH}×{HEIGHT}: {FLASH}"
        return None

    def _take(self, report: link.Report, now: float) -> None:
        self._heard = now
        self._panel_silent = bool(report.status & link.PANEL_SILENT)
        self._note_acknowledged(report, now)
        skip = self._last_edge + 1 - report.first & 0xFFFF
        if skip >= 0x8000:  # the pod has dropped some
            skip = 0
            self._last_edge = report.first - 1 & 0xFFFF
        for button, down, age_ms in report.edges[skip:]:
            self._edges.append((button, down, now - age_ms / 1000))
            self._last_edge = self._last_edge + 1 & 0xFFFF
        self._edge_owed = report.queued > 0
        newest = report.first + report.queued - 1 & 0xFFFF
        self.levels = report.status & 15 if self._last_edge == newest else None

    def _note_acknowledged(self, report: link.Report, now: float) -> None:
        for sequence in list(self._orders):
            ago = report.last - sequence & 0xFF
            if ago >= 0x80:
                continue
            if ago == 0 or (ago <= 8 and report.before >> ago - 1 & 1):
                self.round_trips.append(now - self._orders.pop(sequence).at)
            else:
                # The line keeps order: what came later has overtaken it, so it is lost.
                self._give_up(sequence)
        if self._sequence - report.last & 0xFF < 0x80:
            self._acknowledged = report.last

    # Time

    def deadline(self) -> float:
        """When ``transmit`` has something to do, if nothing arrives and nothing is wanted before."""
        if not self.up:
            # After a try to start it anew hellos are said for a while; a prompt would take them as typed.
            waiting = self._stopped and self._next_hello >= self._next_reset - PATIENCE_S
            return self._next_reset if waiting else self._next_hello
        times = [self._heard + LOST_S, self._next_ping()]
        times += [order.due for order in self._orders.values()]
        return min(times)

    def _look_at_clock(self, now: float) -> None:
        away, self._stepped = now - self._stepped, now
        if not self.up:
            return
        if now >= self._heard + LOST_S and away < FROZEN_S:  # as in ``deadline``, to the last bit
            self._lost = True
            self._greet(now)
        elif away >= FROZEN_S:
            # The ages that wait to be read count from when they were sent, and nobody knows when that was.
            # The pod will tell again whatever is still true.
            self._greet(now)

    def _greet(self, now: float) -> None:
        """Offer a new session."""
        self.up = False
        self._nonce = self._draw() or 1
        self._greeting_since = self._next_hello = now
        self._refusal = None
        self.levels = None

    # To the line

    def transmit(self, now: float) -> bytes:
        """The next frame to send; empty: nothing now. Ask again once all of the last one was handed over."""
        self._look_at_clock(now)
        if not self.up:
            return self._transmit_greeting(now)
        for sequence in [number for number, order in self._orders.items() if now >= order.due]:
            self._give_up(sequence)
        if self._sequence - self._acknowledged & 0xFF >= AHEAD:
            self._greet(now)
            return self._transmit_greeting(now)
        if self._expected_settings != self.settings:
            self._expected_settings = settings = self.settings
            body = bytes([settings.lamp, settings.contrast, settings.power])
            return self._order(link.SET, now, body)
        if self.offer is not None:
            if self._expected_offer != self.offer:
                self._expected_offer = self.offer
                self._offered = True
                return self._order(link.OFFER, now, bytes([self.offer]))
        else:
            if self._offered:  # it takes a picture to end the offer
                self._offered = False
                self._expected_offer = None
                self.picture.doubt_all()
            if not self.picture.done and now - self._heard < FRESH_S and self._in_flight() < IN_FLIGHT:
                body, windows = self.picture.take()
                return self._order(link.SHOW, now, body, windows)
        if self._ask:
            self._ask = False
            return self._order(link.ASK, now)
        if self._restart is not None:
            body, self._restart = bytes([self._restart]), None
            return self._order(link.RESET, now, body)
        if self._edge_owed or now >= self._next_ping():
            return self._order(link.PING, now)
        return b""

    def _next_ping(self) -> float:
        quiet = HELD_QUIET_S if self.levels else QUIET_S
        return max(self._heard + quiet, self._spoke + PROBE_S)

    def farewell(self) -> bytes:
        """The frame that ends the session, if there is one: the pod takes the picture away at once."""
        if not self.up:
            return b""
        self.up = False
        sequence = self._sequence + 1 & 0xFF
        return link.frame(link.pack_order(link.END, self._tag, sequence, self._last_edge))

    def ask_counts(self) -> None:
        """Have the pod tell its counters."""
        self.counts = None
        self._ask = True

    def restart(self, *, update: bool = False) -> None:
        """Have the pod start anew; ``update``: to wait at a prompt for new firmware."""
        self._restart = link.UPDATE if update else link.RESTART

    def _transmit_greeting(self, now: float) -> bytes:
        if self._stopped:
            if now >= self._next_reset:
                self._next_reset = now + RESET_S
                self._next_hello = now + GREET_S
                return RESET_KEYS
            if now >= self._next_reset - PATIENCE_S:
                return b""
        if now < self._next_hello:
            return b""
        patient = now - self._greeting_since < PATIENCE_S
        self._next_hello = now + (GREET_S if patient else GREET_SLOWLY_S)
        return self._hello()

    def _hello(self) -> bytes:
        return link.frame(link.pack_hello(link.LOWEST, link.HIGHEST, self._nonce))

    def _order(self, kind: int, now: float, body: bytes = b"", windows: tuple[Window, ...] = ()) -> bytes:
        self._sequence = self._sequence + 1 & 0xFF
        self._edge_owed = False
        self._spoke = now
        frame = link.frame(link.pack_order(kind, self._tag, self._sequence, self._last_edge, body))
        due = now + TIMEOUT_S + (self._in_flight() + len(frame)) / SLOWEST
        self._orders[self._sequence] = _Order(kind, now, due, len(frame), body, windows)
        return frame

    def _in_flight(self) -> int:
        return sum(order.size for order in self._orders.values())

    def _give_up(self, sequence: int) -> None:
        """An order was lost, or its acknowledgement: nobody knows if it was obeyed, so it is said again."""
        order = self._orders.pop(sequence)
        self.lost_orders += 1
        if order.kind == link.SHOW:
            self.picture.lost(order.windows)
        elif order.kind == link.SET:
            self._expected_settings = None
        elif order.kind == link.OFFER:
            self._expected_offer = None
        elif order.kind == link.ASK:
            self._ask = self.counts is None
        elif order.kind == link.RESET:
            self._restart = order.body[0]


def _versions(lowest: int, highest: int) -> str:
    return f"version {lowest}" if lowest == highest else f"versions {lowest} to {highest}"
