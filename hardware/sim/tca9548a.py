"""TCA9548A, a mux of eight I2C channels, at register level."""

from hardware.sim.bus import Segment

CHANNELS = 8


class TCA9548A:
    """One control register: bit n opens channel n, from the STOP of the write on (datasheet 8.5.2, 8.6.2)."""

    def __init__(self, address: int = 0x70, *, name: str = "mux") -> None:
        self.address = address
        self.name = name
        self.connected = True
        self.channels = tuple(Segment() for _ in range(CHANNELS))
        self.mask = 0
        """channels that are open now"""
        self.blocked: set[int] = set()
        """channels on which a chip holds the wires: while one is open, only the mux itself is heard"""
        self.deafened: set[int] = set()
        """the same, but not even the mux is heard: nothing but a reset helps"""
        self._register = 0
        self._in_reset = False

    def write(self, data: bytes) -> None:
        """The last byte counts."""
        if data and not self._in_reset:
            self._register = data[-1]

    def read(self, count: int) -> bytes:
        """The control register, over and over."""
        return bytes([self._register]) * count

    def stop(self, whole: bool) -> None:
        """Now the switches follow the register."""
        self.mask = self._register

    def reset(self) -> None:
        """A pulse on the RESET pin, or power coming back: all channels closed (datasheet 8.3.1, 8.3.2)."""
        self._register = self.mask = 0

    def hold_reset(self, held: bool) -> None:
        """The RESET pin is held low, or let go."""
        self._in_reset = held
        self.reset()

    def open_channels(self) -> tuple[Segment, ...]:
        """Wires of the open channels."""
        return tuple(channel for number, channel in enumerate(self.channels) if self.mask >> number & 1)

    def holds(self) -> bool:
        """Whether an open channel holds the bus, for all but the mux itself."""
        return any(self.mask >> number & 1 for number in self.blocked | self.deafened)

    def deafens(self) -> bool:
        """Whether an open channel holds the bus so that nobody at all is heard."""
        return any(self.mask >> number & 1 for number in self.deafened)
