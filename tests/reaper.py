"""Ends what tests have started when pytest is killed: a process of its own that waits for pytest's end.

Whatever a test starts inherits a mark in its environment, whichever session or process group it makes for
itself; what bears the mark after pytest has gone, nobody will end any more.
"""

import os
import secrets
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

MARK = "TWENTYTWO_TESTS"
ROUNDS = 5
"""What is ended may just have started something: it is looked for again until nothing is left."""


class Reaper:
    """Runs from now on, and marks what this process starts."""

    def __init__(self) -> None:
        mark = os.environ[MARK] = secrets.token_hex(8)
        environment = {name: value for name, value in os.environ.items() if name != MARK}
        # A session of its own: it outlives a signal to pytest's process group, as a time-out sends it.
        self._process = subprocess.Popen(
            [sys.executable, "-I", __file__, mark],
            stdin=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )

    def close(self) -> None:
        """End what is left, and then the reaper."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        del os.environ[MARK]


def marked(mark: str) -> list[int]:
    """The processes that bear a mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def main() -> None:
    """Wait for pytest's end; the mark is the argument."""
    sys.stdin.buffer.read()
    for _ in range(ROUNDS):
        left = marked(sys.argv[1])
        if not left:
            return
        for process in left:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    main()
