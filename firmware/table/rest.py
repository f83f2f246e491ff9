"""Screens that nobody looks at: dimmed after a while, then dark, so that no picture burns into a panel."""

from enum import Enum

from hardware.seat import Button, Edge

DIM_AFTER_S = 300.0
DARK_AFTER_S = 900.0
"""Seconds without a press at any seat until the screens are dimmed, and until they are dark."""


class Light(Enum):
    """How the screens shine. The value is their contrast, 0 to 255."""

    BRIGHT = 0xCF
    DIM = 0x10
    DARK = 0x00


class Rest:
    """Knows how long nobody has pressed anything. The stroke that wakes the screens does nothing else."""

    def __init__(self) -> None:
        self.light = Light.BRIGHT
        self._last: float | None = None
        self._waking: set[tuple[int, Button]] = set()

    def woken_by(self, edge: Edge) -> bool:
        """Take in an edge; True if it belongs to a stroke that woke the screens, and to nothing else."""
        self.settle(edge.at)
        self._last = edge.at
        key = (edge.seat, edge.button)
        if edge.down and self.light is not Light.BRIGHT:
            self._waking.add(key)
        self.light = Light.BRIGHT
        if key not in self._waking:
            return False
        if not edge.down:
            self._waking.discard(key)
        return True

    def settle(self, now: float) -> None:
        """Dim, or go dark, if it is time (seconds, monotonic)."""
        if self._last is None:
            self._last = now
        idle = now - self._last
        if idle >= DARK_AFTER_S:
            self.light = Light.DARK
        elif idle >= DIM_AFTER_S:
            self.light = Light.DIM

    def deadline(self) -> float | None:
        """When ``settle`` has something to do, if no edge comes before."""
        if self._last is None or self.light is Light.DARK:
            return None
        return self._last + (DIM_AFTER_S if self.light is Light.BRIGHT else DARK_AFTER_S)
