"""What a pod does, without its pins: bytes, levels and time in, bytes and pictures out. On both Pythons.

Times are whole milliseconds that never go back. docs/protocol.md has the rules.
"""

from firmware.pod import screens
from firmware.pod.panel import FIRST_CONTRAST, Panel
from hardware import link
from hardware.buttons import Debouncer

RESEND_MS = 25
"""Edges are told again so often, until they are acknowledged."""
STALE_MS = 6000
"""Edges that nobody has wanted for so long are dropped, all of them."""
MAX_QUEUED = 32
"""So are all, when there are more than this."""
SILENCE_MS = 3000
"""A table that says nothing for so long has gone: its picture goes too."""
RESTART_MS = 100
"""What was sent before a restart gets so long to leave."""
STRANGE_MS = 100
"""Messages of a session that is not ours are answered by a hello, at most so often."""


class Outside:
    """The board that the pod runs on: its pins, its clock, its dog."""

    has_lamp = True

    def now(self) -> int:
        """Milliseconds, never going back."""
        raise NotImplementedError

    def levels(self) -> int:
        """Which buttons are down at this moment: a bit each, by number."""
        raise NotImplementedError

    def lamp(self, on: bool) -> None:
        """Switch the lamp."""
        raise NotImplementedError

    def restart(self, update: bool) -> None:
        """Start anew; ``update``: and wait at a prompt for new firmware."""
        raise NotImplementedError

    def alive(self, met_table: bool) -> None:
        """Called every few milliseconds; ``met_table``: from now on the pod has to be watched."""
        raise NotImplementedError

    def free_bytes(self) -> int:
        """Free memory."""
        raise NotImplementedError


class Pod:
    """One pod. ``pod_id``: eight bytes of its own. ``boot``: 16 bits drawn at each start.

    ``down``: buttons that are down at the start, a bit each; they are ignored until they are released.
    ``canvas`` draws into ``own``, 1,024 bytes. ``versions``: lowest and highest protocol version spoken.
    """

    def __init__(
        self,
        outside: Outside,
        panel: Panel,
        canvas: screens.Canvas,
        own: bytearray,
        *,
        pod_id: bytes,
        boot: int,
        build: str,
        settle_ms: int = 15,
        down: int = 0,
        now: int = 0,
        versions: tuple[int, int] = (link.LOWEST, link.HIGHEST),
    ) -> None:
        self.panel = panel
        self.picture = bytearray(link.PICTURE_BYTES)
        self.in_session = False
        self.met_table = False
        """whether a table has said hello since the start"""
        self.slowest_ms = 0
        self._outside = outside
        self._canvas = canvas
        self._own = own
        self._id = pod_id
        self._boot = boot
        self._build = build
        self._versions = versions
        self._table_versions: tuple[int, int] | None = None
        self._started = self._heard = now
        self._decoder = link.Decoder()
        self._orders = 0
        # The session: one lasts from a hello with a new nonce until silence, END, or another hello.
        self._nonce = 0
        self._last = 0
        self._before = 0
        self._seat_offered: int | None = None
        self._pictured = False
        # Edges: number, time, button, direction. Numbers go on from session to session.
        self._buttons = [
            Debouncer(settle_ms, bool(down >> number & 1), now) for number in range(len(link.BUTTONS))
        ]
        self._newest = 0
        self._queue: list[tuple[int, int, bool]] = []
        self._dropped = 0
        self._told_at = now - RESEND_MS
        # What is to be sent.
        self._report_due = False
        self._hello_due = False
        self._counts_due = False
        self._hello_nonce = 0
        self._strange_at = now - STRANGE_MS
        self._restart: tuple[int, int] | None = None
        self._drawn: object = None
        self._draw()

    # From the line

    def receive(self, chunk: bytes, now: int) -> None:
        """Bytes have come from the table."""
        for message in self._decoder.feed(chunk):
            hello = link.parse_table_hello(message)
            if hello is not None:
                self._meet(hello[0], hello[1], hello[2], now)
                continue
            order = link.parse_order(message)
            if order is not None:
                kind, tag, sequence, edge, body = order
                if self.in_session and tag == self._nonce ^ self._boot:
                    self._heard = now
                    self._obey(kind, sequence, edge, body, now)
                elif now - self._strange_at >= STRANGE_MS:
                    # Whoever says this took us for what we were before a restart.
                    self._strange_at = now
                    self._hello_due = True
                    self._hello_nonce = 0

    def _meet(self, lowest: int, highest: int, nonce: int, now: int) -> None:
        self.met_table = True
        self._heard = now
        self._hello_due = True
        self._hello_nonce = nonce
        self._table_versions = (lowest, highest)
        version = link.common_version(lowest, highest, self._versions[0], self._versions[1])
        if self.in_session and (nonce != self._nonce or not version):
            self._end()
        if version and not self.in_session:
            self._nonce = nonce
            self._last = self._before = 0
            self.in_session = True

    def _end(self) -> None:
        """The session is over, and nothing of its picture remains."""
        self.in_session = self._pictured = False
        self._seat_offered = None
        self._report_due = self._counts_due = False
        self.picture[:] = bytes(link.PICTURE_BYTES)
        self._all_changed()
        self._outside.lamp(False)
        self.panel.contrast = FIRST_CONTRAST
        self.panel.power = True

    def _obey(self, kind: int, sequence: int, edge: int, body: bytes, now: int) -> None:
        known = self._newest - edge & 0xFFFF
        if known < len(self._queue):
            self._queue = self._queue[len(self._queue) - known :]
        self._report_due = True
        step = sequence - self._last & 0xFF
        # Old news, doubled on its way: acknowledged again, but not done again.
        if not 0 < step < 128:
            return
        if kind == link.SHOW:
            if not self._paint(body):
                return
        elif kind == link.SET:
            if len(body) < 3:
                return
            self._outside.lamp(body[0] != 0)
            self.panel.contrast = body[1]
            self.panel.power = body[2] != 0
        elif kind == link.OFFER:
            if not body:
                return
            self._seat_offered = body[0]
            self._pictured = False
        elif kind == link.RESET:
            self._restart = (now + RESTART_MS, body[0] if body else link.RESTART)
        elif kind == link.ASK:
            self._counts_due = True
        elif kind == link.END:
            self._end()
            self._table_versions = None
            return
        self._before = ((self._before << 1 | 1) << step - 1) & 0xFF
        self._last = sequence

    def _paint(self, body: bytes) -> bool:
        windows = link.parse_windows(body)
        if windows is None:
            return False
        for left, right, top, bottom, place in windows:
            width = right - left + 1
            for page in range(top, bottom + 1):
                start = page * link.WIDTH + left
                self.picture[start : start + width] = body[place : place + width]
                self.panel.changed(left, right, page)
                place += width
        self._pictured = True
        return True

    # From the pins

    def levels(self, down: int, now: int) -> None:
        """The buttons were seen so: a bit is set while its button is down."""
        found = []
        for number in range(len(link.BUTTONS)):
            button = self._buttons[number]
            button.feed(bool(down >> number & 1), now)
            for pressed, at in button.settle(now):
                found.append((int(at), number, pressed))
        for edge in sorted(found):
            self._newest = (self._newest + 1) & 0xFFFF
            self._queue.append(edge)
            self._told_at = now - RESEND_MS

    def _status(self) -> int:
        status = link.PANEL_SILENT if self.panel.silent else 0
        for number in range(len(link.BUTTONS)):
            if self._buttons[number].down:
                status |= 1 << number
        return status

    # Time

    def tick(self, now: int) -> None:
        """Time has passed: look after silence, stale edges and the own screen."""
        if now - self._heard >= SILENCE_MS:
            self._heard = now
            self._table_versions = None
            if self.in_session:
                self._end()
        if self._queue and (now - self._queue[0][0] >= STALE_MS or len(self._queue) > MAX_QUEUED):
            self._dropped += len(self._queue)
            self._queue = []
        self._draw()

    def deadline(self, now: int) -> int:
        """When ``tick`` and ``transmit`` have something to do, if nothing happens before; may have passed."""
        if self._hello_due or self._report_due or self._counts_due:
            return now
        times = [self._heard + SILENCE_MS]
        if self._restart is not None:
            times.append(self._restart[0])
        if self._queue:
            times.append(self._queue[0][0] + STALE_MS)
            if self.in_session:
                times.append(self._told_at + RESEND_MS)
        for button in self._buttons:
            if button.deadline is not None:
                times.append(int(button.deadline))
        return min(times)

    # To the line

    def transmit(self, now: int) -> bytes:
        """The next frame to send; empty: nothing now. Ask again once all of the last one is on its way.

        What a frame says is of now, so whoever could not send for a while loses nothing by it.
        """
        if self._hello_due:
            self._hello_due = False
            return link.frame(self._hello().pack())
        if self._restart is not None and now >= self._restart[0]:
            self._outside.restart(self._restart[1] == link.UPDATE)
            self._restart = None
        if not self.in_session:
            return b""
        if self._counts_due:
            self._counts_due = False
            return link.frame(link.pack_counts(self._nonce ^ self._boot, self._counts(now)))
        if self._report_due or (self._queue and now - self._told_at >= RESEND_MS):
            self._report_due = False
            if self._queue:
                self._told_at = now
            return link.frame(self._report(now).pack())
        return b""

    def _hello(self) -> link.Hello:
        return link.Hello(
            lowest=self._versions[0],
            highest=self._versions[1],
            nonce=self._hello_nonce,
            boot=self._boot,
            pod_id=self._id,
            newest=self._newest,
            status=self._status(),
            columns=link.WIDTH,
            rows=8 * link.PAGES,
            abilities=link.HAS_LAMP if self._outside.has_lamp else 0,
            build=self._build,
        )

    def _report(self, now: int) -> link.Report:
        return link.Report(
            tag=self._nonce ^ self._boot,
            last=self._last,
            before=self._before,
            status=self._status(),
            first=self._newest - len(self._queue) + 1 & 0xFFFF,
            queued=len(self._queue),
            edges=[(button, down, now - at) for at, button, down in self._queue[: link.MAX_EDGES]],
        )

    def _counts(self, now: int) -> list[int]:
        return [
            (now - self._started) // 1000,
            self._decoder.good,
            self._decoder.bad,
            self._dropped,
            self.panel.faults,
            self._outside.free_bytes(),
            self.slowest_ms,
        ]

    # To the panel

    def _draw(self) -> None:
        """Have the panel show the table's picture, or what the pod has to say itself."""
        if self.in_session and (self._pictured or self._seat_offered is None):
            self.panel.show(self.picture)
            self._drawn = None
            return
        stuck = 0
        for number in range(len(link.BUTTONS)):
            if self._buttons[number].stuck:
                stuck |= 1 << number
        wanted = (self.in_session, self._seat_offered, self._table_versions, self._status() & 15, stuck)
        self.panel.show(self._own)
        if wanted == self._drawn:
            return
        self._drawn = wanted
        if self.in_session:
            screens.offer(self._canvas, self._seat_offered or 0)
        elif self._table_versions is not None:
            screens.other_version(self._canvas, self._table_versions, self._versions)
        else:
            down = self._status() & 15
            screens.alone(self._canvas, short_name(self._id), self._build, down, stuck)
            self._outside.lamp(down != 0)
        self._all_changed()

    def _all_changed(self) -> None:
        for page in range(link.PAGES):
            self.panel.changed(0, link.WIDTH - 1, page)


def short_name(pod_id: bytes) -> str:
    """What people call a pod: the last three bytes of its id, as ``3A9F21``."""
    return "".join([f"{byte:02X}" for byte in pod_id[-3:]])
