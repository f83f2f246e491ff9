"""The guest's side of what its kernel emulates: contacts on the header's lines, and the wire with its log."""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

READ, STOP, NACK = 1, 2, 4
MUX, PANEL = 0x70, 0x3C
"""Addresses on the wire; flags of a message in its log (modules/wire.c)."""

_RECORD = struct.Struct("=QBBH")
_PARAMETERS = Path("/sys/module/wire/parameters")


@dataclass(frozen=True, slots=True)
class Message:
    """One message on the wire. ``at``: its end, seconds, monotonic. ``flags``: READ, STOP, NACK."""

    at: float
    address: int
    flags: int
    data: bytes


class Wire:
    """The wire with the mux and six panels."""

    def __init__(self) -> None:
        self._log = os.open("/dev/wire", os.O_RDONLY)
        self.transfers()

    def transfers(self) -> list[list[Message]]:
        """What went over the wire since the last call, from START to STOP each."""
        raw = b"".join(iter(lambda: os.read(self._log, 1 << 20), b""))
        number, found = 0, []
        for message in _messages(raw):
            found.append((number, message))
            number += bool(message.flags & STOP)
        return [[message for _, message in group] for _, group in groupby(found, lambda pair: pair[0])]

    def plug(self, channel: int, present: bool) -> None:
        """Put the panel of a channel on the wire or take it off."""
        mask = int((_PARAMETERS / "present").read_text())
        mask = mask | 1 << channel if present else mask & ~(1 << channel)
        (_PARAMETERS / "present").write_text(str(mask))

    def close(self) -> None:
        """Close the log."""
        os.close(self._log)


def _messages(raw: bytes) -> Iterator[Message]:
    at = 0
    while at < len(raw):
        time, address, flags, length = _RECORD.unpack_from(raw, at)
        at += _RECORD.size
        yield Message(time / 1e9, address, flags, raw[at : at + length])
        at += length


class Header:
    """What is soldered to the header's lines. ``chip`` is the name of the header's chip, as ``gpiochip2``."""

    def __init__(self) -> None:
        self._lines = Path(os.environ["HEADER"])
        self.chip = self._lines.name

    def contact(self, pin: int, closed: bool) -> None:
        """A button's contact to ground: closed it pulls the line low, open the pull-up has it."""
        (self._lines / f"sim_gpio{pin}/pull").write_text("pull-down" if closed else "pull-up")

    def level(self, pin: int) -> bool:
        """Whether the line is high."""
        return (self._lines / f"sim_gpio{pin}/value").read_text().strip() == "1"
