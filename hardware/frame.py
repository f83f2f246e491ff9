"""Images as a panel's bytes, and the windows in which two frames differ."""

import re

from PIL import Image

from hardware.seat import HEIGHT, WIDTH

PAGES = HEIGHT // 8
"""A page is eight rows: one byte is a column of eight pixels, lowest bit on top."""
FRAME_BYTES = WIDTH * PAGES

BLANK = bytes(FRAME_BYTES)
"""A dark frame, page order."""

Window = tuple[int, int, int, int]
"""First column, last column, first page, last page."""


def pack(image: Image.Image, rotate: int = 0) -> bytes:
    """The 1,024 bytes of a mode ``"1"``, 128×64 image, page order; ``rotate`` is 0 or 180 degrees.

    Raise ValueError for another mode, size or rotation.
    """
    if image.mode != "1" or image.size != (WIDTH, HEIGHT):
        raise ValueError(
            f'a screen shows images of mode "1", {WIDTH}×{HEIGHT}; this is mode "{image.mode}", '
            f"{image.size[0]}×{image.size[1]}"
        )
    # Turned by a quarter, a row of the image is a column of the panel, lowest pixel (highest bit) first.
    if rotate == 0:
        columns = image.transpose(Image.Transpose.ROTATE_270).tobytes()
    elif rotate == 180:
        columns = image.transpose(Image.Transpose.ROTATE_90).tobytes()
    else:
        raise ValueError(f"a screen is mounted upright (0) or upside down (180), not at {rotate} degrees")
    return b"".join(columns[first::PAGES] for first in range(PAGES - 1, -1, -1))


def changes(old: bytes, new: bytes, *, cost: int, pages: int = PAGES, most: int = 9) -> list[Window]:
    """Windows of ``new`` that, once sent, turn ``old`` into it; as few bytes as a quick search finds.

    A window costs ``cost`` bytes beside its content, spans at most ``pages`` pages (1 for a chip that
    addresses page by page), and there are at most ``most`` of them (8 or more). Nothing changed: no windows.
    """
    difference = int.from_bytes(old) ^ int.from_bytes(new)
    if not difference:
        return []
    changed = difference.to_bytes(FRAME_BYTES)
    # A gap of equal bytes is sent along where that is cheaper than to begin another window.
    span = re.compile(rb"[^\0]+(?:\0{1,%d}[^\0]+)*" % cost)
    found: list[Window] = []
    growing: list[Window] = []
    for page in range(PAGES):
        below: list[Window] = []
        for match in span.finditer(changed, page * WIDTH, (page + 1) * WIDTH):
            left, right = match.start() - page * WIDTH, match.end() - 1 - page * WIDTH
            window = (left, right, page, page)
            for other in growing:
                joined = (min(left, other[0]), max(right, other[1]), other[2], page)
                if page - other[2] < pages and _bytes(joined) <= _bytes(other) + _bytes(window) + cost:
                    growing.remove(other)
                    window = joined
                    break
            below.append(window)
        found += growing
        growing = below
    found += growing
    if len(found) > most:
        found = [
            _row(changed, page) for page in range(PAGES) if any(changed[page * WIDTH : (page + 1) * WIDTH])
        ]
    whole = _around(found)
    if whole[3] - whole[2] < pages and _bytes(whole) + cost <= sum(_bytes(window) + cost for window in found):
        return [whole]
    return found


def cut(frame: bytes, window: Window) -> bytes:
    """The window's content, page by page."""
    left, right, top, bottom = window
    if left == 0 and right == WIDTH - 1:
        return frame[top * WIDTH : (bottom + 1) * WIDTH]
    return b"".join(frame[page * WIDTH + left : page * WIDTH + right + 1] for page in range(top, bottom + 1))


def _bytes(window: Window) -> int:
    return (window[1] - window[0] + 1) * (window[3] - window[2] + 1)


def _row(changed: bytes, page: int) -> Window:
    row = changed[page * WIDTH : (page + 1) * WIDTH]
    return WIDTH - len(row.lstrip(b"\0")), len(row.rstrip(b"\0")) - 1, page, page


def _around(windows: list[Window]) -> Window:
    lefts, rights, tops, bottoms = zip(*windows, strict=True)
    return min(lefts), max(rights), min(tops), max(bottoms)
