"""What tests ask of processes that they did not start themselves."""

import os
import select
import time
from collections.abc import Callable
from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def alive(pid: int) -> bool:
    """Whether a process is there, and not only its entry in the table of processes."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def soon(so: Callable[[], bool], seconds: float) -> bool:
    """Whether something becomes so within a time: a pipe that nobody writes to waits between two looks."""
    silent, writer = os.pipe()
    try:
        end = time.monotonic() + seconds
        while not so():
            if time.monotonic() > end:
                return False
            select.select([silent], [], [], 0.01)
        return True
    finally:
        os.close(silent)
        os.close(writer)
