"""OLED panels with an SSD1306, SH1106 or SSD1309: luma.oled knows their commands, the transfer is ours."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from PIL import Image

from hardware.bus import I2CBus
from hardware.frame import BLANK, FRAME_BYTES, PAGES, Window, changes, cut, pack
from hardware.seat import HEIGHT, WIDTH

COMMANDS = b"\x00"
"""Control byte: only command bytes follow (SSD1306 datasheet 8.1.5.2)."""
DATA = b"\x40"
"""Control byte: only data bytes follow."""
FILL = b"\xe3\xe3"
"""Two commands that do nothing: a chip whose last transfer broke off takes them for missing arguments."""
SET_COLUMNS, SET_PAGES = 0x21, 0x22
"""Window of horizontal addressing (SSD1306 datasheet 10.1.4, 10.1.5)."""
SET_LOW_COLUMN, SET_HIGH_COLUMN, SET_PAGE = 0x00, 0x10, 0xB0
"""Place of page addressing (SH1106 datasheet, commands 1, 2 and 10)."""

WINDOW_COST = 10
"""Bytes of an SSD1306's window beside its content: two address and control bytes each, and six of command."""
SPAN_COST = 7
"""Bytes of an SH1106's span beside its content: two address and control bytes each, and three of command."""

ALL_UNKNOWN = b"\xff" * FRAME_BYTES
"""A one for each bit of the memory that may hold anything."""


@dataclass(frozen=True, slots=True)
class Commands:
    """What luma.oled sends to a chip: ``init`` without the display-off that it begins with."""

    init: bytes
    off: bytes
    on: bytes
    contrast: tuple[bytes, ...]
    """the command for each level 0 to 255"""
    first_contrast: int
    """the level that luma.oled starts with"""


class _Recorder:
    """luma's serial interface, without wires: it only keeps what it is given."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def command(self, *codes: int) -> None:
        self.sent.append(bytes(codes))

    def data(self, data: Any) -> None:
        raise AssertionError("no image goes through luma.oled")

    def cleanup(self) -> None:
        pass


@functools.cache
def commands(chip: str) -> Commands:
    """The commands of a chip: ``"ssd1306"``, ``"sh1106"`` or ``"ssd1309"``. Nothing is sent.

    One luma device per chip is asked once; panels that come and go leave none of its exit hooks behind.
    """
    from luma.oled import device as luma  # 80 ms: only where there is a panel

    class Silent(getattr(luma, chip)):  # type: ignore[misc]
        """The chip without luma's own transfer of whole frames, and without its farewell at exit."""

        def display(self, image: Image.Image) -> None:
            pass

        def cleanup(self) -> None:
            pass

    recorder = _Recorder()
    device = Silent(recorder, width=WIDTH, height=HEIGHT)
    init, first_contrast, on = recorder.sent
    device.hide()
    off = recorder.sent.pop()
    recorder.sent.clear()
    for level in range(256):
        device.contrast(level)
    return Commands(init.removeprefix(off), off, on, tuple(recorder.sent), first_contrast[1])


class Oled:
    """A panel as a seat's screen (``hardware.seat.Screen``).

    ``show``, ``set_contrast`` and ``set_power`` only say what is wanted and call ``wake``; the owner of the
    bus brings it about with ``transfers``, from one thread. What the panel holds is known from what was sent
    without an error; after an error nothing is known, and the panel is set up and painted anew.

    ``piece``: no more than so many bytes of the memory in one transfer.
    """

    def __init__(
        self,
        bus: I2CBus,
        address: int,
        chip: str,
        *,
        rotate: int = 0,
        window: int = 0,
        name: str = "screen",
        piece: int = FRAME_BYTES,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.wake = wake
        self.answered = False
        """whether it has ever acknowledged a transfer"""
        self._piece = piece
        self._bus = bus
        self._address = address
        self._commands = commands(chip)
        self._paged = chip == "sh1106"
        self._rotate = rotate
        self._window = window
        self._fault: str | None = None
        self._wanted = BLANK
        self._wanted_contrast = self._commands.first_contrast
        self._wanted_power = True
        self._ready = False
        self._suspect = False
        self._begun: Iterator[int] | None = None
        self._asked, self._settled = object(), object()
        """of the last wish, and of the last one that was found fulfilled"""
        self._shadow = bytearray(FRAME_BYTES)
        self._unknown = bytearray(ALL_UNKNOWN)
        self._contrast: int | None = None
        self._power: bool | None = None

    # What is wanted: from any thread

    def show(self, image: Image.Image) -> None:
        """Show a mode ``"1"``, 128×64 image. Raise ValueError for another one."""
        self._wanted = pack(image, self._rotate)
        self._ask()

    def set_contrast(self, level: int) -> None:
        """Set the brightness, 0 to 255. Raise ValueError for a level outside."""
        if not 0 <= level <= 255:
            raise ValueError(f"a brightness is 0 to 255, not {level}")
        self._wanted_contrast = level
        self._ask()

    def set_power(self, on: bool) -> None:
        """Light the panel or put it to sleep."""
        self._wanted_power = on
        self._ask()

    def _ask(self) -> None:
        self._asked = object()
        self.wake()

    @property
    def fault(self) -> str | None:
        """What is wrong with this screen; None if it works."""
        return self._fault

    # Bringing it about: from the bus's thread

    @property
    def due(self) -> bool:
        """Whether there is anything to transfer."""
        asked = self._asked
        if asked is self._settled:  # this is asked many times a second
            return False
        if self._is_due():
            return True
        self._settled = asked
        return False

    def _is_due(self) -> bool:
        if not self._wanted_power:
            return self._power is not False
        return (
            not self._ready
            or self._shadow != self._wanted
            or self._unknown != BLANK
            or self._contrast != self._wanted_contrast
            or self._power != self._wanted_power
        )

    def transfer(self) -> None:
        """Bring the panel to what is wanted, set-up included. Raise BusError if the bus fails."""
        for _ in self.transfers():
            pass

    def transfers(self) -> Iterator[int]:
        """The same, one transfer at each step: the number of its bytes.

        It may be left after any step; then the next call goes on with it.
        """
        if self._begun is None:
            self._begun = self._bring_about()
        return self._begun

    def _bring_about(self) -> Iterator[int]:
        wanted, contrast, power = self._wanted, self._wanted_contrast, self._wanted_power
        try:
            if not power:
                if self._power is not False:
                    sent = self.darken()
                    # If it loses its power in its sleep, it must not wake with noise.
                    self._ready = False
                    yield sent
                return
            if not self._ready:
                if self._suspect:
                    yield self.darken()
                sent = self._command(FILL + self._commands.init)
                self._unknown[:] = ALL_UNKNOWN
                self._contrast = None
                self._ready, self._suspect = True, False
                yield sent
            yield from self._paint(wanted)
            if self._contrast != contrast:
                sent = self._command(self._commands.contrast[contrast])
                self._contrast = contrast
                yield sent
            # Only now: a panel that has just got its power shows what its memory happens to hold.
            if self._power != power:
                sent = self._command(self._commands.on)
                self._power = power
                yield sent
        finally:
            self._begun = None

    def darken(self) -> int:
        """Switch the display off at once; return the bytes sent. Raise BusError if the bus fails."""
        sent = self._command(FILL + self._commands.off)
        self._power = False
        self._asked = object()
        return sent

    def ping(self) -> int:
        """Ask whether it is there; return the bytes sent. Raise BusError if the bus fails."""
        return self._command(FILL)

    def forget(self) -> None:
        """Nothing is known of the panel any more: the next transfer sets it up and paints it anew."""
        self._begun = None
        self._ready = False
        self._power = None
        self._asked = object()

    def suspect(self) -> None:
        """Its set-up is spread over turns, between which it may lose its power: it would shine with noise.

        So the next set-up begins in the dark.
        """
        self._suspect = True

    def report(self, fault: str | None) -> None:
        """Set what ``fault`` tells."""
        self._fault = fault

    def _write(self, data: bytes) -> int:
        try:
            self._bus.write(self._address, data)
        except BaseException:
            self.forget()
            raise
        self.answered = True
        return len(data) + 1

    def _command(self, codes: bytes) -> int:
        return self._write(COMMANDS + codes)

    def _paint(self, wanted: bytes) -> Iterator[int]:
        """Send what the panel does not hold yet, or may not hold."""
        goal = int.from_bytes(wanted)
        missing = goal ^ int.from_bytes(self._shadow) | int.from_bytes(self._unknown)
        if not missing:
            return
        before = (goal ^ missing).to_bytes(FRAME_BYTES)
        if self._paged:
            windows = changes(before, wanted, cost=SPAN_COST, pages=1)
        else:
            windows = changes(before, wanted, cost=WINDOW_COST, pages=PAGES)
        for window in windows:
            left, right, top, bottom = window
            if self._paged:
                column = left + self._window
                place = [SET_PAGE | top, SET_HIGH_COLUMN | column >> 4, SET_LOW_COLUMN | column & 0x0F]
            else:
                place = [SET_COLUMNS, left, right, SET_PAGES, top, bottom]
            yield self._command(bytes(place))
            content = cut(wanted, window)
            # The chip goes on where the last piece ended.
            for at in range(0, len(content), self._piece):
                piece = content[at : at + self._piece]
                sent = self._write(DATA + piece)
                self._keep(window, at, piece)
                yield sent

    def _keep(self, window: Window, start: int, piece: bytes) -> None:
        """The panel holds a piece of a window's content that begins ``start`` bytes into it."""
        left, right, top, _ = window
        width = right - left + 1
        while piece:
            page, column = divmod(start, width)
            count = min(width - column, len(piece))
            at = (top + page) * WIDTH + left + column
            self._shadow[at : at + count] = piece[:count]
            self._unknown[at : at + count] = bytes(count)
            start, piece = start + count, piece[count:]
