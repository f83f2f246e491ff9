"""One direction of a simulated serial line: it keeps order, takes time, and may damage what it carries."""

import random
from collections import deque
from collections.abc import Callable

USB_RATE = 800_000
"""Bytes a second that USB full speed carries of a virtual serial line, about."""
CAPACITY = 16_384
"""Bytes that are kept for whoever does not read; as many as a pseudo-terminal keeps."""


class SerialLine:
    """A line of ``rate`` bytes a second on which nobody waits. Times are seconds.

    ``noise`` gives the share of the bytes that are damaged now.
    """

    def __init__(self, chance: random.Random, noise: Callable[[], float], rate: float = USB_RATE) -> None:
        self._noise = noise
        self._chance = chance
        self._rate = rate
        self._free_at = 0.0
        self.clear()

    def clear(self) -> None:
        """What is on its way is lost."""
        self._on_way: deque[tuple[float, bytes]] = deque()
        self._held = 0

    def write(self, data: bytes, now: float) -> int:
        """Send what there is room for; return how many bytes."""
        data = data[: max(0, CAPACITY - self._held)]
        if data:
            self._free_at = max(now, self._free_at) + len(data) / self._rate
            noise = self._noise()
            arriving = damaged(data, noise, self._chance) if noise else data
            self._on_way.append((self._free_at, arriving))
            self._held += len(arriving)
        return len(data)

    def read(self, now: float) -> bytes:
        """What has arrived by now."""
        out = bytearray()
        while self._on_way and self._on_way[0][0] <= now:
            out += self._on_way.popleft()[1]
        self._held -= len(out)
        return bytes(out)

    def due(self) -> float | None:
        """When the next bytes arrive; None: none are on their way."""
        return self._on_way[0][0] if self._on_way else None


def damaged(data: bytes, share: float, chance: random.Random) -> bytes:
    """What becomes of bytes of which this share is lost, doubled, changed in one bit, or followed by junk."""
    out = bytearray()
    for byte in data:
        if chance.random() >= share:
            out.append(byte)
            continue
        kind = chance.randrange(4)
        if kind == 1:
            out += bytes([byte, byte])
        elif kind == 2:
            out.append(byte ^ 1 << chance.randrange(8))
        elif kind == 3:
            out += bytes([byte, chance.randrange(256)])
    return bytes(out)
