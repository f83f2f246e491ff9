"""SSD1306, a 128×64 OLED controller, at register level (datasheet revision 1.1)."""

from collections.abc import Mapping
from typing import ClassVar

from hardware.sim.panel import COLUMNS, PAGES, Panel

HORIZONTAL, VERTICAL, PAGE = 0, 1, 2
"""Memory addressing modes (datasheet 10.1.3)."""


class SSD1306(Panel):
    """128×64 bits of memory behind a window of columns and pages; light only while the charge pump is on."""

    LENGTHS: ClassVar[Mapping[int, int]] = {
        0x20: 1,  # addressing mode
        0x21: 2,  # column window
        0x22: 2,  # page window
        0x81: 1,
        0x8D: 1,  # charge pump (application note)
        0xA8: 1,
        0xD3: 1,
        0xD5: 1,
        0xD9: 1,
        0xDA: 1,  # COM pins
        0xDB: 1,
    }
    SINGLES = frozenset(
        {
            *range(0x20),
            *range(0x40, 0x80),
            *(0x2E, 0xA0, 0xA1, 0xA4, 0xA5, 0xA6, 0xA7, 0xAE, 0xAF, 0xC0, 0xC8, 0xE3),
            *range(0xB0, 0xB8),
        }
    )

    def _reset(self) -> None:
        self.contrast = 0x7F
        self._mode = PAGE
        self._columns = (0, COLUMNS - 1)
        self._pages = (0, PAGES - 1)
        self._page_column = 0
        self._pump = False

    @property
    def lit(self) -> bool:
        """Whether the panel shines: switched on, and fed by the charge pump."""
        return self._on and self._pump

    def _low_column(self) -> int:
        return self._page_column

    def _set_column(self, column: int) -> None:
        # The nibble commands are for page addressing only (datasheet 10.1.1).
        self._page_column = column
        if self._mode == PAGE:
            self._column = column & 0x7F

    def _set_page(self, page: int) -> None:
        if self._mode == PAGE:
            self._page = page

    def _long(self, command: int, arguments: list[int]) -> None:
        if command == 0x20:
            if arguments[0] > PAGE:
                self._refuse(f"addressing mode 0x{arguments[0]:02X}")
            else:
                self._mode = arguments[0]
        elif command in (0x21, 0x22):
            first, last = arguments
            if not first <= last < (COLUMNS if command == 0x21 else PAGES):
                self._refuse(f"window 0x{command:02X} from {first} to {last}")
            elif command == 0x21:
                self._columns = first, last
                self._column = first
            else:
                self._pages = first, last
                self._page = first
        elif command == 0x8D:
            if arguments[0] not in (0x10, 0x14):
                self._refuse(f"charge pump setting 0x{arguments[0]:02X}")
            self._pump = bool(arguments[0] & 0x04)
        else:
            super()._long(command, arguments)

    def _data(self, data: bytes) -> None:
        if self._mode == VERTICAL:
            for byte in data:
                self._put(self._page, self._column, bytes([byte]))
                self._page += 1
                if self._page > self._pages[1]:
                    self._page = self._pages[0]
                    self._next_column()
            return
        while data:
            first, last = self._columns if self._mode == HORIZONTAL else (0, COLUMNS - 1)
            room = last + 1 - self._column
            if room <= 0:  # the pointer was left outside the window: it runs on to the memory's edge
                room = COLUMNS - self._column
            part, data = data[:room], data[room:]
            self._put(self._page, self._column, part)
            self._column += len(part)
            if len(part) == room:
                self._column = first
                if self._mode == HORIZONTAL:
                    self._page = self._page + 1 if self._page != self._pages[1] else self._pages[0]
                    self._page %= PAGES

    def _next_column(self) -> None:
        self._column = self._column + 1 if self._column != self._columns[1] else self._columns[0]
        self._column %= COLUMNS
