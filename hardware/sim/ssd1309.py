"""SSD1309, an OLED controller with the SSD1306's commands, at register level (datasheet revision 1.1)."""

from collections.abc import Mapping
from typing import ClassVar

from hardware.sim.ssd1306 import SSD1306


class SSD1309(SSD1306):
    """No charge pump: the module brings its own panel voltage. It has a command lock besides."""

    LENGTHS: ClassVar[Mapping[int, int]] = {
        command: count for command, count in SSD1306.LENGTHS.items() if command != 0x8D
    } | {0xFD: 1}
    IGNORED = frozenset({0x8D})

    def _reset(self) -> None:
        super()._reset()
        self._locked = False

    @property
    def lit(self) -> bool:
        """Whether the panel shines."""
        return self._on

    def _command_byte(self, byte: int) -> None:
        # A locked chip hears nothing but the lock command and its argument (datasheet 10.1.21).
        if not self._locked or byte == 0xFD or self._pending:
            super()._command_byte(byte)

    def _long(self, command: int, arguments: list[int]) -> None:
        if command != 0xFD:
            super()._long(command, arguments)
        elif arguments[0] in (0x12, 0x16):
            self._locked = arguments[0] == 0x16
        else:
            self._refuse(f"command lock 0x{arguments[0]:02X}")
