"""SH1106, a 132×64 OLED controller that addresses page by page, at register level (datasheet 2.3)."""

from collections.abc import Mapping
from typing import ClassVar

from hardware.sim.panel import Panel


class SH1106(Panel):
    """132 columns of memory, of which the glass shows 128 from ``window`` on (0 or 2, by module)."""

    WIDTH = 132
    STATUS = 0x08
    LENGTHS: ClassVar[Mapping[int, int]] = {
        0x81: 1,
        0xA8: 1,
        0xAD: 1,  # DC-DC converter
        0xD3: 1,
        0xD5: 1,
        0xD9: 1,
        0xDA: 1,  # pads
        0xDB: 1,
    }
    SINGLES = frozenset(
        {
            *range(0x20),
            *range(0x30, 0x34),  # pump voltage
            *range(0x40, 0x80),
            *(0xA0, 0xA1, 0xA4, 0xA5, 0xA6, 0xA7, 0xAE, 0xAF, 0xC0, 0xC8, 0xE3),
            *range(0xB0, 0xB8),
        }
    )
    # The SSD1306's addressing mode and charge pump: drivers for both chips send them, this one has neither.
    IGNORED = frozenset({0x20, 0x8D})

    def _reset(self) -> None:
        self._converter = True

    @property
    def lit(self) -> bool:
        """Whether the panel shines: switched on, and fed by the converter, which is on from power-up."""
        return self._on and self._converter

    def _long(self, command: int, arguments: list[int]) -> None:
        if command != 0xAD:
            super()._long(command, arguments)
        elif arguments[0] in (0x8A, 0x8B):
            self._converter = arguments[0] == 0x8B
        else:
            self._refuse(f"converter setting 0x{arguments[0]:02X}")

    def _data(self, data: bytes) -> None:
        # The column counts up and stops at the edge; what comes after is lost.
        data = data[: max(0, self.WIDTH - self._column)]
        self._put(self._page, self._column, data)
        self._column += len(data)
