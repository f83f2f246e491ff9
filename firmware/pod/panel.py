"""An SSD1306 or SH1106 panel on I2C, kept at what a buffer holds, a page at a time. On both Pythons."""

WIDTH, PAGES = 128, 8

_COMMANDS = b"\x00"
_DATA = b"\x40"
"""Control bytes: only commands follow, or only data (SSD1306 datasheet 8.1.5.2)."""
_OFF, _ON = b"\xae", b"\xaf"
_CONTRAST = 0x81
_PAGE, _LOW, _HIGH = 0xB0, 0x00, 0x10
"""Page addressing (SSD1306 datasheet 10.1.1; SH1106 datasheet, commands 1, 2, 10): both chips have it."""

# Clock, 64 rows, no offset, first line 0, alternate rows, memory shown, not inverted. The chips differ in
# what feeds the glass.
_COMMON = b"\xd5\x80\xa8\x3f\xd3\x00\x40\xda\x12\xa4\xa6"
_START = {
    "ssd1306": _COMMON + b"\x20\x02\xd9\xf1\xdb\x40\x8d\x14",  # page addressing, charge pump on
    "sh1106": _COMMON + b"\xd9\x22\xdb\x35\x32\xad\x8b",  # pump at 8.0 V, converter on
}
_UPRIGHT, _TURNED = b"\xa1\xc8", b"\xa0\xc0"
"""Which way columns and rows run; modules are built for the first."""

FIRST_CONTRAST = 0xCF

RETRY_MS = 2000
"""A panel that does not answer is tried so often."""
RENEW_MS = 8000
"""One that lost its set-up in a power dip says nothing: each is set up and painted anew so often."""


class I2C:
    """What a panel needs of its bus."""

    def writeto(self, address: int, data: bytes) -> object:
        """Write to the 7-bit address. Raise OSError if nobody answers."""
        raise NotImplementedError


class Panel:
    """Keeps the glass at the buffer given to ``show``, and at ``contrast`` and ``power``: set them freely.

    Times are milliseconds. ``silent``: it does not answer; ``faults`` counts how often it ceased to. Nothing
    raises if the bus fails.
    """

    def __init__(
        self, i2c: I2C, chip: str, address: int = 0x3C, *, turned: bool = False, offset: int | None = None
    ) -> None:
        self.contrast = FIRST_CONTRAST
        self.power = True
        self.silent = False
        self.faults = 0
        self._i2c = i2c
        self._address = address
        hidden = 4 if chip == "sh1106" else 0  # columns of its memory that the glass does not show
        first = hidden // 2 if offset is None else min(offset, hidden)
        self._offset = hidden - first if turned else first
        self._start = _START[chip] + (_TURNED if turned else _UPRIGHT)
        self._buffer = bytearray(WIDTH * PAGES)
        self._lefts = [0] * PAGES
        self._rights = [WIDTH - 1] * PAGES
        self._started = False
        self._dark = False
        self._lit = False
        self._contrast = -1
        self._due = 0

    def show(self, buffer: bytearray) -> None:
        """From now on show this buffer: 1,024 bytes, page order. ``changed`` says what changes in it."""
        if buffer is not self._buffer:
            self._buffer = buffer
            self._all_changed()

    def changed(self, left: int, right: int, page: int) -> None:
        """These columns of one page of the buffer are to be sent."""
        if left < self._lefts[page]:
            self._lefts[page] = left
        if right > self._rights[page]:
            self._rights[page] = right

    def step(self, now: int) -> bool:
        """Send one piece, 3 ms at 400 kHz; whether there may be more to send at once."""
        if self.silent and now < self._due:
            return False
        try:
            return self._step(now)
        except OSError:
            if not self.silent:
                self.faults += 1
            self.silent = True
            self._started = self._dark = False
            self._due = now + RETRY_MS
            return False

    def _step(self, now: int) -> bool:
        if not self._dark and not (self._started and self.power):
            self._command(_OFF)
            self._dark = True
            self._lit = False
        elif now >= self._due:
            self._command(self._start)
            self.silent = False
            self._started = True
            self._lit = False
            self._contrast = -1
            self._due = now + RENEW_MS
            self._all_changed()
        elif self._contrast != self.contrast:
            contrast = self.contrast
            self._command(bytes((_CONTRAST, contrast)))
            self._contrast = contrast
        elif not self._send_page():
            # Memory first, light after: a panel that has just got its power holds random dots.
            if self._lit or not self.power:
                return False
            self._command(_ON)
            self._lit = True
            self._dark = False
        return True

    def _send_page(self) -> bool:
        for page in range(PAGES):
            left, right = self._lefts[page], self._rights[page]
            if left <= right:
                column = left + self._offset
                self._command(bytes((_PAGE | page, _HIGH | column >> 4, _LOW | column & 15)))
                place = page * WIDTH
                data = _DATA + bytes(self._buffer[place + left : place + right + 1])
                # Before the transfer: what changes during it is to be sent again.
                self._lefts[page], self._rights[page] = WIDTH, -1
                self._i2c.writeto(self._address, data)
                return True
        return False

    def _all_changed(self) -> None:
        for page in range(PAGES):
            self.changed(0, WIDTH - 1, page)

    def _command(self, codes: bytes) -> None:
        self._i2c.writeto(self._address, _COMMANDS + codes)
