"""Images as a panel's bytes, and the windows in which two frames differ."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from drivers.oled import SPAN_COST, WINDOW_COST
from hardware.frame import BLANK, Window, changes, cut, pack

FRAMES = st.integers(0, 2**32).map(lambda seed: random.Random(seed).randbytes(1024))
SPOTS = st.lists(st.tuples(st.integers(0, 1023), st.integers(1, 40), st.integers(0, 255)), max_size=12)


def spotted(frame: bytes, spots: list[tuple[int, int, int]]) -> bytes:
    """The frame with some runs of bytes replaced."""
    changed = bytearray(frame)
    for start, length, value in spots:
        changed[start : start + length] = bytes([value]) * len(changed[start : start + length])
    return bytes(changed)


def applied(old: bytes, new: bytes, windows: list[Window]) -> bytes:
    """What a panel holds that held ``old`` after the windows of ``new`` were sent."""
    memory = bytearray(old)
    for left, right, top, bottom in windows:
        content = cut(new, (left, right, top, bottom))
        width = right - left + 1
        for page in range(top, bottom + 1):
            part = content[(page - top) * width : (page - top + 1) * width]
            memory[page * 128 + left : page * 128 + right + 1] = part
    assert len(memory) == 1024
    return bytes(memory)


def cost(windows: list[Window], each: int) -> int:
    """Bytes on the wire."""
    return sum((right - left + 1) * (bottom - top + 1) + each for left, right, top, bottom in windows)


@given(x=st.integers(0, 127), y=st.integers(0, 63))
def test_one_pixel(x: int, y: int) -> None:
    """A lit pixel is one bit: page y // 8, column x, bit y % 8; mounted upside down, the opposite one."""
    image = Image.new("1", (128, 64))
    image.putpixel((x, y), 1)
    frame = pack(image)
    assert frame[y // 8 * 128 + x] == 1 << y % 8
    assert sum(frame) == 1 << y % 8
    turned = pack(image, 180)
    assert turned[(63 - y) // 8 * 128 + 127 - x] == 1 << (63 - y) % 8
    assert sum(turned) == 1 << (63 - y) % 8


@pytest.mark.parametrize("image", [Image.new("L", (128, 64)), Image.new("1", (64, 128))])
def test_wrong_image(image: Image.Image) -> None:
    """An image of another mode or size is refused with what is wanted."""
    with pytest.raises(ValueError, match=r'mode "1", 128×64'):
        pack(image)


def test_wrong_rotation() -> None:
    """A quarter turn is refused: a 128×64 picture does not fit a panel on its side."""
    with pytest.raises(ValueError, match="90 degrees"):
        pack(Image.new("1", (128, 64)), 90)


@given(FRAMES, SPOTS, st.sampled_from([(WINDOW_COST, 8), (SPAN_COST, 1)]), st.integers(8, 12))
def test_windows_carry_all_changes(
    old: bytes, spots: list[tuple[int, int, int]], chip: tuple[int, int], most: int
) -> None:
    """The windows turn the old frame into the new one, within their limits, for no more than all of it."""
    new = spotted(old, spots)
    each, pages = chip
    windows = changes(old, new, cost=each, pages=pages, most=most)
    assert applied(old, new, windows) == new
    assert len(windows) <= most
    assert all(0 <= w[0] <= w[1] < 128 and 0 <= w[2] <= w[3] < 8 and w[3] - w[2] < pages for w in windows)
    assert cost(windows, each) <= 1024 + each * 8 // pages


@given(FRAMES, FRAMES)
def test_unlike_frames(old: bytes, new: bytes) -> None:
    """Frames with nothing in common are sent whole, in one window where the chip can do that."""
    assert cost(changes(old, new, cost=WINDOW_COST), WINDOW_COST) <= 1034
    paged = changes(old, new, cost=SPAN_COST, pages=1)
    assert applied(old, new, paged) == new
    assert len(paged) <= 9


@given(FRAMES)
def test_nothing_changed(frame: bytes) -> None:
    """Equal frames need no window."""
    assert changes(frame, frame, cost=WINDOW_COST) == []


def test_far_corners_are_two_windows() -> None:
    """Two far specks are sent apart, not with all that lies between them."""
    new = spotted(BLANK, [(0, 2, 255), (7 * 128 + 120, 3, 255)])
    assert changes(BLANK, new, cost=WINDOW_COST) == [(0, 1, 0, 0), (120, 122, 7, 7)]


def test_block_is_one_window() -> None:
    """A block over several pages is one window on an SSD1306, one span a page on an SH1106."""
    image = Image.new("1", (128, 64))
    ImageDraw.Draw(image).rectangle((20, 10, 31, 30), fill=1)
    new = pack(image)
    assert changes(BLANK, new, cost=WINDOW_COST) == [(20, 31, 1, 3)]
    assert len(changes(BLANK, new, cost=SPAN_COST, pages=1)) == 3


@given(st.integers(0, 127), st.integers(0, 127), st.integers(0, 7), st.integers(0, 7))
def test_two_bytes_as_cheap_as_can_be(first: int, second: int, page: int, other: int) -> None:
    """Two changed bytes cost the least of sending them apart and sending the block round them."""
    new = spotted(BLANK, [(page * 128 + first, 1, 1), (other * 128 + second, 1, 1)])
    apart = 2 * (1 + WINDOW_COST)
    block = (abs(first - second) + 1) * (abs(page - other) + 1) + WINDOW_COST
    assert cost(changes(BLANK, new, cost=WINDOW_COST), WINDOW_COST) == min(apart, block)
