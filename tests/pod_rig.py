"""A table's end and a pod's on a simulated line, in virtual time."""

import math
import random
from collections import deque
from collections.abc import Callable

from drivers.podlink import PodLink
from firmware.pod.app import Outside, Pod
from firmware.pod.panel import Panel
from firmware.pod.screens import Canvas

UART = 11_520
"""Bytes a second at 115,200 baud."""
USB = 800_000
"""Bytes a second that USB full speed carries of a virtual serial line, about."""


class Noise:
    """What a bad line does. ``byte``: share of bytes that are lost, doubled, changed or followed by junk.

    ``frame``: share of writes that are dropped whole. ``pieces``: writes arrive in pieces of random length.
    """

    def __init__(self, seed: int, byte: float, frame: float, *, pieces: bool = True) -> None:
        self.byte, self.frame, self.pieces = byte, frame, pieces
        self.chance = random.Random(seed)
        self._until = 0
        self._draw()

    def _draw(self) -> None:
        # The distance to the next damaged byte, instead of a draw for each byte.
        if self.byte:
            self._until = int(math.log(1 - self.chance.random()) / math.log(1 - self.byte))

    def spoil(self, data: bytes) -> bytes:
        """What becomes of it on the line."""
        if self.frame and self.chance.random() < self.frame:
            return b""
        if not self.byte or self._until >= len(data):
            self._until -= len(data)
            return data
        out = bytearray()
        done = 0
        while self._until < len(data):
            place = self._until
            out += data[done:place]
            done = place + 1
            kind = self.chance.randrange(4)
            if kind == 1:
                out += data[place : place + 1] * 2
            elif kind == 2:
                out.append(data[place] ^ 1 << self.chance.randrange(8))
            elif kind == 3:
                out += bytes([data[place], self.chance.randrange(256)])
            self._draw()
            self._until += done
        out += data[done:]
        self._until -= len(data)
        return bytes(out)


class Wire:
    """One direction of a line: it keeps order, holds ``capacity`` bytes, carries ``rate`` bytes a second."""

    def __init__(self, rate: float = UART, capacity: int = 16_384, noise: Noise | None = None) -> None:
        self.rate, self.capacity, self.noise = rate, capacity, noise
        self.log = bytearray()
        """all that was sent, before the noise"""
        self.tamper: Callable[[int, bytes], bytes] | None = None
        """changes what is sent: ``tamper(place in the stream, bytes)``"""
        self.reading = True
        self._on_way: deque[tuple[float, bytes]] = deque()
        self._held = 0
        self._free_at = 0.0

    def write(self, data: bytes, now: float) -> int:
        """Send what there is room for; return how many bytes."""
        data = data[: max(0, self.capacity - self._held)]
        if not data:
            return 0
        arriving = data
        if self.tamper is not None:
            arriving = self.tamper(len(self.log), arriving)
        self.log += data
        if self.noise is not None:
            arriving = self.noise.spoil(arriving)
        start = max(now, self._free_at)
        self._free_at = start + len(data) / self.rate
        if self.noise is not None and self.noise.pieces and len(arriving) > 1:
            cut = self.noise.chance.randrange(1, len(arriving))
            self._on_way.append((start + cut / self.rate, arriving[:cut]))
            arriving = arriving[cut:]
            self._held += cut
        if arriving:
            self._on_way.append((self._free_at, arriving))
            self._held += len(arriving)
        return len(data)

    def read(self, now: float) -> bytes:
        """What has arrived by now."""
        if not self.reading:
            return b""
        out = b""
        while self._on_way and self._on_way[0][0] <= now:
            out += self._on_way.popleft()[1]
        self._held -= len(out)
        return out

    def due(self) -> float:
        """When the next bytes arrive."""
        return self._on_way[0][0] if self._on_way and self.reading else math.inf


class QuietBus:
    """An I2C bus that takes everything."""

    def writeto(self, address: int, data: bytes) -> int:
        return len(data)


class Desk(Outside):
    """A board without pins. ``down``: which buttons are down, a bit each."""

    def __init__(self) -> None:
        self.lamps: list[bool] = []
        self.down = 0
        self.restarts: list[bool] = []

    def lamp(self, on: bool) -> None:
        self.lamps.append(on)

    def restart(self, update: bool) -> None:
        self.restarts.append(update)

    def free_bytes(self) -> int:
        return 100_000


class Blackboard(Canvas):
    """A canvas that keeps the words written on it since it was last filled."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def fill(self, colour: int) -> None:
        self.words = []

    def text(self, text: str, x: int, y: int, colour: int) -> None:
        self.words.append(text)

    def rect(self, x: int, y: int, width: int, height: int, colour: int, fill: bool) -> None:
        pass


POD_ID = bytes.fromhex("e66141040331a52c")


class PodEnd:
    """A pod on two wires. ``plans``: when which buttons are to be down (seconds, a bit each)."""

    def __init__(
        self,
        *,
        rate: float = UART,
        noise: Callable[[], Noise] | None = None,
        seed: int = 0,
        now: float = 0.0,
        **options: object,
    ) -> None:
        self.now = now
        self.chance = random.Random(seed)
        self.to_pod = Wire(rate, noise=noise and noise())
        self.to_table = Wire(rate, noise=noise and noise())
        self.plans: deque[tuple[float, int]] = deque()
        self._look_until = 0.0
        self.start_pod(**options)

    def start_pod(self, **options: object) -> None:
        """Power for the pod: it starts anew."""
        self.desk = Desk()
        self.canvas = Blackboard()
        self.born = self.now
        self.pod_out = b""
        self.pod = Pod(
            self.desk,
            Panel(QuietBus(), "ssd1306"),
            self.canvas,
            bytearray(1024),
            **{"pod_id": POD_ID, "boot": self.chance.getrandbits(16), "build": "rig", **options},
        )

    def press(self, at: float, button: int, length: float = 0.06) -> None:
        """Plan a stroke of one button; strokes must be planned in order and not overlap."""
        self.plans.append((at, 1 << button))
        self.plans.append((at + length, 0))

    def step_pod(self) -> None:
        """Whatever the pod has to do now."""
        now = self.now
        ms = int((now - self.born) * 1000 + 0.5)
        if chunk := self.to_pod.read(now):
            self.pod.receive(chunk, ms)
        while self.plans and self.plans[0][0] <= now:
            self.desk.down = self.plans.popleft()[1]
            self._look_until = now + 0.02
        if now <= self._look_until:
            self.pod.levels(self.desk.down, ms)
        self.pod.tick(ms)
        while True:
            if not self.pod_out:
                self.pod_out = self.pod.transmit(ms)
            if not self.pod_out:
                break
            sent = self.to_table.write(self.pod_out, now)
            self.pod_out = self.pod_out[sent:]
            if not sent:
                break

    def due_pod(self) -> float:
        """When the pod has something to do next."""
        times = [
            self.to_pod.due(),
            self.born + self.pod.deadline(int((self.now - self.born) * 1000)) / 1000,
        ]
        if self.plans:
            times.append(self.plans[0][0])
        return min(times)


class Rig(PodEnd):
    """A PodLink and a Pod on two wires. ``now``: seconds."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.edges: list[tuple[int, bool, float]] = []
        self.start_link()

    def start_link(self) -> None:
        """The table's program starts anew."""
        self.link_out = b""
        self.link = PodLink("rig", lambda: self.chance.getrandbits(16), self.now)

    def step_link(self) -> None:
        """Whatever the table's end has to do now."""
        now = self.now
        if chunk := self.to_table.read(now):
            self.edges += self.link.receive(chunk, now)
        while True:
            if not self.link_out:
                self.link_out = self.link.transmit(now)
            if not self.link_out:
                break
            sent = self.to_pod.write(self.link_out, now)
            self.link_out = self.link_out[sent:]
            if not sent:
                break

    def due_link(self) -> float:
        """When the table's end has something to do next."""
        return min(self.to_table.due(), self.link.deadline())

    def run(self, seconds: float) -> None:
        """Let time pass. A loop takes a millisecond to come round, at either end."""
        end = self.now + seconds
        self.step_pod()
        self.step_link()
        while True:
            pod, link = self.due_pod(), self.due_link()
            now = max(min(pod, link), self.now + 0.001)
            if now > end:
                break
            self.now = now
            if pod <= now:
                self.step_pod()
            if link <= now:
                self.step_link()
        self.now = end
        self.step_pod()
        self.step_link()
