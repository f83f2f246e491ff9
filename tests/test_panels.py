"""The models of the OLED controllers: memory, addressing, glass, and what they refuse."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.sim.panel import Panel, Refused
from hardware.sim.sh1106 import SH1106
from hardware.sim.ssd1306 import SSD1306
from hardware.sim.ssd1309 import SSD1309

UPRIGHT = b"\x00\xa1\xc8"
PUMP = b"\x00\x8d\x14"
ON = b"\x00\xaf"


def lit(panel: Panel, *commands: bytes) -> Panel:
    """Bring a panel to shine, upright, after these transfers."""
    for data in (UPRIGHT, *commands, PUMP, ON):
        panel.write(data)
        panel.stop(True)
    return panel


def rows(frame: bytes) -> list[list[int]]:
    """Pixels of a page-order frame."""
    return [[frame[y // 8 * 128 + x] >> y % 8 & 1 for x in range(128)] for y in range(64)]


def test_dark_at_power_up() -> None:
    """A panel that has just got its power is dark, though its memory is random."""
    panel = SSD1306(seed=1)
    assert panel.visible() == bytes(1024)
    assert len(set(panel.memory())) > 200
    assert panel.memory() != SSD1306(seed=2).memory()


def test_memory_shows_once_display_is_on() -> None:
    """Switching the display on before the memory is written shows the random content."""
    panel = lit(SSD1306(seed=1))
    assert panel.visible() == panel.memory()


def test_pump_is_needed() -> None:
    """An SSD1306 without its charge pump stays dark; an SSD1309 has none and shines."""
    panel = SSD1306(seed=1)
    panel.write(UPRIGHT + b"\xaf")
    assert not panel.lit
    other = SSD1309(seed=1)
    other.write(UPRIGHT + b"\xaf")
    assert other.visible() == other.memory()


def test_horizontal_window_wraps() -> None:
    """Data fill the window of columns and pages row by row and begin again at its start."""
    panel = lit(SSD1306(), b"\x00\x20\x00\x21\x0a\x0c\x22\x02\x03")
    before = panel.memory()
    panel.write(b"\x40" + bytes(range(1, 8)))
    after = panel.memory()
    assert after[2 * 128 + 10 : 2 * 128 + 13] == bytes([7, 2, 3])
    assert after[3 * 128 + 10 : 3 * 128 + 13] == bytes([4, 5, 6])
    assert sum(a != b for a, b in zip(before, after, strict=True)) <= 6


def test_vertical_window_wraps() -> None:
    """In vertical mode data go down the pages of the window first."""
    panel = lit(SSD1306(), b"\x00\x20\x01\x21\x0a\x0b\x22\x02\x03")
    panel.write(b"\x40" + bytes([1, 2, 3, 4, 5]))
    memory = panel.memory()
    assert [memory[page * 128 + column] for column in (10, 11) for page in (2, 3)] == [5, 2, 3, 4]


def test_page_mode_stays_on_its_page() -> None:
    """In page mode data run along one page and wrap within it."""
    panel = lit(SSD1306(), b"\x00\x20\x02\xb3\x0e\x17")
    panel.write(b"\x40" + bytes([1, 2, 3]))
    memory = panel.memory()
    assert [memory[3 * 128 + column] for column in (126, 127, 0)] == [1, 2, 3]


def test_stream_of_control_bytes() -> None:
    """With the continuation bit each byte has its own control byte, the last one opens a run of data."""
    panel = lit(SSD1306(), b"\x00\x20\x02")
    panel.write(bytes([0x80, 0xB5, 0x80, 0x04, 0x80, 0x10, 0xC0, 0xAA, 0x40, 0xBB, 0xCC]))
    panel.stop(True)
    assert panel.memory()[5 * 128 + 4 : 5 * 128 + 7] == b"\xaa\xbb\xcc"


@pytest.mark.parametrize("panel", [SSD1306(strict=True), SH1106(strict=True), SSD1309(strict=True)])
@pytest.mark.parametrize(
    "data",
    [b"\x00\xf7", b"\x00\xd6\x01", b"\x00\xa8\x05", b"\x00\x26", b"\x01\xae", b"\x00\xd3\x40"],
    ids=["unknown", "zoom", "ratio", "scroll", "control", "offset"],
)
def test_unknown_commands_are_refused(panel: Panel, data: bytes) -> None:
    """A command that the chip does not have, or with an argument out of range, fails its test."""
    with pytest.raises(Refused, match="has no"):
        panel.write(data)
    panel.power_on_reset()


@pytest.mark.parametrize(
    "data",
    [b"\x00\x21\x00\x80", b"\x00\x21\x05\x04", b"\x00\x22\x00\x08", b"\x00\x20\x03", b"\x00\x8d\x15"],
)
def test_ssd1306_refuses_bad_arguments(data: bytes) -> None:
    """Windows outside the memory or backwards, and settings that do not exist, are refused."""
    with pytest.raises(Refused):
        SSD1306(strict=True).write(data)


def test_missing_argument_is_refused() -> None:
    """A command whose arguments do not come before STOP is refused, and so are data in its place."""
    panel = SSD1306()
    panel.write(b"\x00\x81")
    panel.stop(True)
    panel.write(b"\x80\x21\x40\x01")
    assert panel.refused == ["command 0x81 with 0 arguments", "data within command 0x21"]


def test_broken_command_swallows_what_comes_next() -> None:
    """A command cut off by an error keeps waiting: the next bytes count as its arguments."""
    panel = lit(SSD1306(strict=True))
    panel.write(b"\x00\x21\x05")
    panel.stop(False)
    panel.write(b"\x00\xae")
    panel.stop(True)
    assert panel.lit
    panel.write(b"\x00\xae")
    assert not panel.lit


def test_sh1106_has_no_windows() -> None:
    """The SH1106 refuses the SSD1306's windows: it goes page by page."""
    panel = SH1106()
    panel.write(b"\x00\x21\x00\x7f")
    assert panel.refused[0] == "command 0x21"


def test_sh1106_stops_at_the_edge() -> None:
    """Data beyond the SH1106's 132nd column are lost."""
    panel = lit(SH1106())
    panel.write(b"\x00\xb2\x02\x18")
    before = panel.memory()
    panel.write(b"\x40" + b"\x55" * 9)
    after = panel.memory()
    assert after[2 * 132 + 130 : 3 * 132] == b"\x55\x55"
    assert after[: 2 * 132 + 130] == before[: 2 * 132 + 130]
    assert after[3 * 132 :] == before[3 * 132 :]


@pytest.mark.parametrize("window", [0, 2])
def test_sh1106_glass_shows_a_window(window: int) -> None:
    """The glass shows 128 of the 132 columns, from the first or the third on, as the module is built."""
    panel = lit(SH1106(window=window, seed=5))
    memory = panel.memory()
    assert panel.visible() == b"".join(memory[p * 132 + window : p * 132 + window + 128] for p in range(8))


def test_remap_turns_by_half() -> None:
    """Without segment and row remap the picture stands on its head."""
    upright = lit(SSD1306(), b"\x00\x20\x00")
    headlong = SSD1306()
    for data in (b"\x00\x20\x00\xa0\xc0", PUMP, ON):
        headlong.write(data)
    frame = random.Random(3).randbytes(1024)
    for panel in (upright, headlong):
        panel.write(b"\x40" + frame)
    assert rows(headlong.visible()) == [row[::-1] for row in rows(upright.visible())][::-1]


@given(shift=st.integers(0, 63), by_offset=st.booleans())
def test_start_line_and_offset_shift_rows(shift: int, by_offset: bool) -> None:
    """Start line and display offset move the rows up, round and round."""
    command = bytes([0, 0xD3, shift]) if by_offset else bytes([0, 0x40 | shift])
    panel = lit(SSD1306(seed=7))
    plain = rows(panel.visible())
    panel.write(command)
    assert rows(panel.visible()) == plain[shift:] + plain[:shift]


def test_multiplex_ratio_darkens_rows() -> None:
    """Rows beyond the multiplex ratio stay dark."""
    panel = lit(SSD1306(seed=7))
    plain = rows(panel.visible())
    panel.write(b"\x00\xa8\x1f")
    assert rows(panel.visible()) == plain[:32] + [[0] * 128] * 32


def test_invert_and_all_on() -> None:
    """Inverted, every pixel flips; all-on lights every pixel; off darkens all, and memory survives."""
    panel = lit(SSD1306(seed=7))
    plain = panel.visible()
    panel.write(b"\x00\xa7")
    assert panel.visible() == bytes(255 - byte for byte in plain)
    panel.write(b"\x00\xa5")
    assert panel.visible() == b"\xff" * 1024
    panel.write(b"\x00\xa4\xa6\xae")
    assert panel.visible() == bytes(1024)
    panel.write(ON)
    assert panel.visible() == plain


def test_turned_module() -> None:
    """Somebody who sits before a module mounted upside down sees the memory turned by half."""
    one, other = lit(SSD1306(seed=7)), lit(SSD1306(seed=7, turned=True))
    assert rows(other.visible()) == [row[::-1] for row in rows(one.visible())][::-1]


def test_status_tells_chips_apart() -> None:
    """A status read tells SSD1306 from SH1106 by its low bits; bit 6 is set while the display is off."""
    assert (SSD1306().read(1), SH1106().read(2)) == (b"\x43", b"\x48\x48")
    assert lit(SSD1306()).read(1) == b"\x03"


def test_brown_out_loses_everything() -> None:
    """After a power dip the panel is dark, its set-up gone and its memory random; it still answers."""
    panel = lit(SSD1306(seed=1), b"\x00\x20\x00")
    panel.write(b"\x40" + bytes(1024))
    panel.power_on_reset()
    assert not panel.lit
    assert panel.memory() != bytes(1024)
    assert panel.visible() == bytes(1024)


def test_locked_ssd1309_hears_nothing() -> None:
    """A locked SSD1309 ignores commands until it is unlocked."""
    panel = SSD1309()
    panel.write(b"\x00\xfd\x16\xaf")
    assert not panel.lit
    panel.write(b"\x00\xfd\x12\xaf")
    assert panel.lit


@given(st.data())
def test_any_bytes_leave_a_panel_whole(data: st.DataObject) -> None:
    """Whatever is written, memory keeps its size and the glass shows 1,024 bytes."""
    panel = data.draw(st.sampled_from([SSD1306, SH1106, SSD1309]))()
    for message in data.draw(st.lists(st.binary(max_size=40), max_size=8)):
        panel.write(message)
        panel.stop(True)
    assert len(panel.memory()) == panel.WIDTH * 8
    assert len(panel.visible()) == 1024
