"""What a running table says of itself: a small file in its runtime folder, and a line for systemd."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from firmware.device.notify import Notifier

STARTING_SECONDS = 2.0
"""Panels that have not failed for so long after the start are taken to work."""


class Status(msgspec.Struct, frozen=True):
    """The content of ``status.json``.

    ``state``: ``"starting"``; ``"waiting"`` while no seat works; ``"working"``; ``"stopping"``. ``seats``:
    what is wrong with each seat, null if nothing.
    """

    pid: int
    board: str
    state: str
    seats: dict[int, str | None]

    @property
    def text(self) -> str:
        """The same in one line."""
        broken = {seat: fault for seat, fault in self.seats.items() if fault is not None}
        if not broken:
            return f"{self.state}, board {self.board}"
        seats, reasons = ", ".join(map(str, broken)), "; ".join(dict.fromkeys(broken.values()))
        return f"{self.state}, board {self.board}, without seat {seats}: {reasons}"


class StatusKeeper:
    """Writes the status whenever it has changed, and never else. Time is handed in: seconds, monotonic."""

    def __init__(self, folder: Path, board: str, notifier: Notifier) -> None:
        self._path = folder / "status.json"
        self._board = board
        self._notifier = notifier
        self._began: float | None = None
        self._told: Status | None = None

    def note(self, now: float, faults: Mapping[int, str | None]) -> float | None:
        """Take in what is wrong with each seat. Return when to come again, if nothing changes before."""
        if self._began is None:
            self._began = now
        if faults and all(faults.values()):
            state = "waiting"
        else:
            state = "working" if self.settled(now) else "starting"
        self._tell(Status(os.getpid(), self._board, state, dict(faults)))
        return None if self.settled(now) else self._began + STARTING_SECONDS

    def settled(self, now: float) -> bool:
        """Whether the start is over: a seat without a fault works."""
        return self._began is not None and now >= self._began + STARTING_SECONDS

    def stopping(self) -> None:
        """The table is about to end."""
        if self._told is not None:
            self._tell(msgspec.structs.replace(self._told, state="stopping"))

    def remove(self) -> None:
        """The table has ended."""
        with contextlib.suppress(OSError):  # a folder of this name, say, or one that takes no changes
            self._path.unlink()

    def _tell(self, status: Status) -> None:
        if status == self._told:
            return
        self._told = status
        new = self._path.with_suffix(".new")
        # A full disk must not end the game; the next change is another try.
        with contextlib.suppress(OSError):
            new.write_bytes(msgspec.json.format(msgspec.json.encode(status)) + b"\n")
            new.replace(self._path)
        self._notifier.status(status.text)
