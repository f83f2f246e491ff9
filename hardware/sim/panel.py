"""What the models of OLED controllers share: the command stream, the memory, and how a person sees it."""

import random
import threading
from collections.abc import Callable, Mapping
from typing import ClassVar

COLUMNS, ROWS = 128, 64
"""Pixels of the glass."""
PAGES = ROWS // 8

UPSIDE_DOWN = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
"""Each byte with its bits in reverse order."""
NEGATIVE = bytes(255 - byte for byte in range(256))
"""Each byte with its bits inverted."""

RANGES = {
    0x81: (0x00, 0xFF),  # contrast
    0xA8: (0x0F, 0x3F),  # multiplex ratio
    0xD3: (0x00, 0x3F),  # display offset
    0xD5: (0x00, 0xFF),  # clock
    0xD9: (0x01, 0xFF),  # precharge
    0xDB: (0x00, 0x7F),  # VCOMH
}
"""Lowest and highest argument of commands that all these chips share."""


class Refused(AssertionError):
    """A command that the chip does not have, or with arguments that it does not take."""


class Panel:
    """A controller and its glass. ``visible`` is what a person sees who sits before it.

    ``turned``: the module is mounted upside down. ``window``: first column of the memory that the glass
    shows. ``strict``: what the chip does not know raises Refused; otherwise it is only recorded in
    ``refused``.
    """

    WIDTH = COLUMNS
    """columns of the memory"""
    STATUS = 0x03
    """lower bits of the status byte, by which chips can be told apart"""
    LENGTHS: ClassVar[Mapping[int, int]] = {}
    """arguments of each command that has any"""
    SINGLES: frozenset[int] = frozenset()
    """commands without arguments"""
    IGNORED: frozenset[int] = frozenset()
    """bytes that mean nothing to this chip but that its drivers send, because a sister chip has them"""

    def __init__(
        self,
        address: int = 0x3C,
        *,
        name: str = "panel",
        seed: int = 0,
        turned: bool = False,
        window: int = 0,
        strict: bool = False,
    ) -> None:
        self.address = address
        self.name = name
        self.connected = True
        self.turned = turned
        self.window = window
        self.strict = strict
        self.refused: list[str] = []
        """what the chip did not know"""
        self.ignored = 0
        """bytes that the chip skipped"""
        self.changed: Callable[[], None] | None = None
        """called after a transfer that changed what can be seen"""
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._shown = bytes(COLUMNS * PAGES)
        self.power_on_reset()

    def power_on_reset(self) -> None:
        """Power came back: registers at their defaults, display off, memory random."""
        with self._lock:
            # Kept as the glass sees it when segments and rows are remapped, the way that modules are built.
            self._ram = [bytearray(self._random.randbytes(self.WIDTH)) for _ in range(PAGES)]
            self._pending: list[int] = []
            self._broken = False
            self._on = self._all_on = self._inverted = False
            self._remapped = self._rows_remapped = False
            self._start = self._offset = 0
            self._ratio = ROWS - 1
            self._column = self._page = 0
            self.contrast = 0x80
            self._reset()

    def _reset(self) -> None:
        """What the chip has beside the common registers."""

    @property
    def lit(self) -> bool:
        """Whether the panel shines."""
        return self._on

    # The wire

    def write(self, data: bytes) -> None:
        """A control byte says what follows: commands or data, one byte or all (SSD1306 8.1.5.2)."""
        with self._lock:
            at = 0
            while at < len(data):
                control = data[at]
                if control & 0x3F:
                    self._refuse(f"control byte 0x{control:02X}")
                    return
                end = at + 2 if control & 0x80 else len(data)
                if control & 0x40:
                    if self._pending:
                        self._refuse(f"data within command 0x{self._pending[0]:02X}")
                        self._pending = []
                    self._data(data[at + 1 : end])
                else:
                    for byte in data[at + 1 : end]:
                        self._command_byte(byte)
                at = end

    def read(self, count: int) -> bytes:
        """The status byte: bit 6 set while the display is off, and bits that differ from chip to chip."""
        return bytes([self.STATUS | (0x00 if self._on else 0x40)]) * count

    def stop(self, whole: bool) -> None:
        """The transfer is over: a command that still waits for arguments was sent wrong.

        If the transfer was broken off, the chip waits on, and takes what comes next for the arguments.
        """
        with self._lock:
            if self._pending and whole:
                waiting, self._pending = self._pending, []
                self._refuse(f"command 0x{waiting[0]:02X} with {len(waiting) - 1} arguments")
            self._broken = bool(self._pending)

    def tell(self) -> None:
        """Call ``changed`` if the last transfer changed what can be seen."""
        if self.changed is not None:
            visible = self.visible()
            if visible != self._shown:
                self._shown = visible
                self.changed()

    # Commands

    def _command_byte(self, byte: int) -> None:
        if not self._pending:
            if byte in self.IGNORED:
                self.ignored += 1
            elif byte in self.LENGTHS:
                self._pending = [byte]
            elif byte in self.SINGLES:
                self._single(byte)
            else:
                self._refuse(f"command 0x{byte:02X}")
            return
        self._pending.append(byte)
        command, *arguments = self._pending
        if len(arguments) == self.LENGTHS[command]:
            self._pending = []
            if self._broken:
                # These were no arguments. What a chip makes of them is not known; no driver is to blame.
                self._broken = False
                return
            low, high = RANGES.get(command, (0, 0xFF))
            if not low <= arguments[0] <= high:
                self._refuse(f"command 0x{command:02X} with argument 0x{arguments[0]:02X}")
            else:
                self._long(command, arguments)

    def _single(self, command: int) -> None:
        if command <= 0x0F:
            self._set_column(self._low_column() & 0xF0 | command)
        elif command <= 0x1F:
            self._set_column((command & 0x0F) << 4 | self._low_column() & 0x0F)
        elif 0x40 <= command <= 0x7F:
            self._start = command & 0x3F
        elif command in (0xA0, 0xA1):
            self._remapped = command == 0xA1
        elif command in (0xA4, 0xA5):
            self._all_on = command == 0xA5
        elif command in (0xA6, 0xA7):
            self._inverted = command == 0xA7
        elif command in (0xAE, 0xAF):
            self._on = command == 0xAF
        elif 0xB0 <= command <= 0xB7:
            self._set_page(command & 0x07)
        elif command in (0xC0, 0xC8):
            self._rows_remapped = command == 0xC8

    def _long(self, command: int, arguments: list[int]) -> None:
        if command == 0x81:
            self.contrast = arguments[0]
        elif command == 0xA8:
            self._ratio = arguments[0]
        elif command == 0xD3:
            self._offset = arguments[0]

    def _low_column(self) -> int:
        return self._column

    def _set_column(self, column: int) -> None:
        self._column = column

    def _set_page(self, page: int) -> None:
        self._page = page

    def _refuse(self, what: str) -> None:
        self.refused.append(what)
        if self.strict:
            raise Refused(f"{self.name}: {type(self).__name__} has no {what}")

    # Memory

    def _data(self, data: bytes) -> None:
        raise NotImplementedError

    def _put(self, page: int, column: int, data: bytes) -> None:
        """Store bytes of one page; the segment remap decides at writing which way the columns run."""
        if self._remapped:
            self._ram[page][column : column + len(data)] = data
        else:
            end = self.WIDTH - column
            self._ram[page][end - len(data) : end] = data[::-1]

    def memory(self) -> bytes:
        """The whole memory, page order, as wide as the chip's, the way that remapped columns see it."""
        with self._lock:
            return b"".join(self._ram)

    # The glass

    def visible(self) -> bytes:
        """What a person sees: 1,024 bytes, page order, a bit a lit pixel; dark without power or display."""
        with self._lock:
            if not (self.connected and self.lit):
                return bytes(COLUMNS * PAGES)
            if self._all_on:
                return b"\xff" * (COLUMNS * PAGES)
            pages = [bytes(page[self.window : self.window + COLUMNS]) for page in self._ram]
            if (self._start + self._offset) % ROWS or self._ratio != ROWS - 1:
                pages = self._shifted(pages)
            seen = b"".join(pages)
            if not self._rows_remapped:
                seen = b"".join(reversed(pages)).translate(UPSIDE_DOWN)
            if self._inverted:
                seen = seen.translate(NEGATIVE)
            return seen[::-1].translate(UPSIDE_DOWN) if self.turned else seen

    def _shifted(self, pages: list[bytes]) -> list[bytes]:
        """The rows that start line, offset and multiplex ratio select."""
        shift = (self._start + self._offset) % ROWS
        mask = (1 << self._ratio + 1) - 1
        columns = []
        for column in zip(*pages, strict=True):
            rows = int.from_bytes(bytes(column), "little")
            columns.append(((rows >> shift | rows << ROWS - shift) & mask).to_bytes(PAGES, "little"))
        return [bytes(column[page] for column in columns) for page in range(PAGES)]
