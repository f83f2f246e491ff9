"""A stand-in for a Pico on USB: a folder for its flash, a real MicroPython, a line that goes at each reset.

Run as a program it is plugged in until Ctrl-C: python tests/pico_rig.py FOLDER
"""

import contextlib
import fcntl
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import termios
import threading
import time
import tty
from pathlib import Path

from hardware.sim.panel import Panel
from hardware.sim.podprocess import PICO, find_micropython
from hardware.sim.ssd1306 import SSD1306

POD_ID = "e66141040331a52c"
BACK_S = 0.1
"""After a reset the line is away for so long."""
INTERRUPT_S = 1.0
"""A program obeys Ctrl-C within this time."""
CTRL_C = b"\x03"


class Pico:
    """A board with MicroPython whose flash is ``flash`` and whose line is the link ``path``.

    What USB does with Ctrl-C is done here: it interrupts the program, unless that has switched it off. A
    watchdog that is let out resets the board if it is not fed for ``dog_s``.
    """

    def __init__(
        self, micropython: str, flash: Path, path: Path, pod_id: str = POD_ID, dog_s: float = 8.0
    ) -> None:
        self.flash = flash
        self.path = path
        self.panel: Panel = SSD1306(0x3C, seed=5, strict=True)
        self.told: list[str] = []
        self.resets = self.bites = 0
        self._micropython = micropython
        self._pod_id = pod_id
        self._dog_s = dog_s
        self._stop_read, self._stop_write = os.pipe()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._to_pod = -1
        self._interrupted_at = float("-inf")
        flash.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)

    def plug(self) -> None:
        """Power, and a line."""
        assert self._thread is None
        self._thread = threading.Thread(target=self._run, name="pico")
        self._thread.start()
        while not self.path.exists():
            time.sleep(0.002)

    def unplug(self) -> None:
        """No power, no line, at this moment. A second call does nothing."""
        if self._thread is not None:
            os.write(self._stop_write, b"!")
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        """It goes back into its box. A second call does nothing."""
        self.unplug()
        if not self._closed:
            self._closed = True
            os.close(self._stop_read)
            os.close(self._stop_write)

    def _run(self) -> None:
        while self._boot():
            self.resets += 1
            time.sleep(BACK_S)
        os.read(self._stop_read, 1)

    def _boot(self) -> bool:
        """From power to reset; False if the power has gone."""
        line, line_end = pty.openpty()
        inner, inner_end = pty.openpty()
        for end in (line_end, inner_end):
            tty.setraw(end)
        pod_in, self._to_pod = os.pipe()
        from_pod, pod_out = os.pipe()
        program = ["main.py"] if (self.flash / "main.py").exists() else []
        process = subprocess.Popen(
            [self._micropython, "-i", *program],
            cwd=self.flash,
            stdin=inner_end,
            stdout=inner_end,
            stderr=inner_end,
            pass_fds=(pod_in, pod_out),
            start_new_session=True,
            preexec_fn=_hang_up,
            env={
                "PATH": os.environ.get("PATH", ""),
                "MICROPYPATH": f".frozen:{PICO}",
                "PICO_ID": self._pod_id,
                "PICO_IN": str(pod_in),
                "PICO_OUT": str(pod_out),
            },
        )
        for end in (pod_in, pod_out, inner_end):
            os.close(end)
        for end in (line, inner):
            os.set_blocking(end, False)
        self.path.symlink_to(os.ttyname(line_end))
        try:
            return self._pass_on(process, line, inner, from_pod)
        finally:
            self.path.unlink()
            process.kill()
            process.wait()
            for end in (line, line_end, inner, self._to_pod, from_pod):
                os.close(end)

    def _pass_on(self, process: subprocess.Popen[bytes], line: int, inner: int, from_pod: int) -> bool:
        """Bytes both ways, until the board resets (True) or the power goes (False)."""
        to_line, to_inner, partial = b"", b"", b""
        bites_at: float | None = None
        while True:
            poll = select.poll()
            poll.register(self._stop_read, select.POLLIN)
            poll.register(from_pod, select.POLLIN)
            poll.register(line, (select.POLLIN if not to_inner else 0) | (select.POLLOUT if to_line else 0))
            poll.register(inner, (select.POLLIN if not to_line else 0) | (select.POLLOUT if to_inner else 0))
            ready = dict(poll.poll(100))
            if self._stop_read in ready:
                return False
            if from_pod in ready:
                *lines, partial = (partial + os.read(from_pod, 65536)).split(b"\n")
                for words in (one.decode().split() for one in lines):
                    if words[0] == "i2c":
                        self.panel.write(bytes.fromhex(words[2]))
                        self.panel.stop(True)
                        continue
                    self.told.append(" ".join(words))
                    if words[0] in ("dog", "fed"):
                        bites_at = time.monotonic() + self._dog_s
            if process.poll() is not None or self.told[-1:] == ["reset"]:
                self.told.append("power")
                return True
            if bites_at is not None and time.monotonic() >= bites_at:
                self.bites += 1
                return True
            with contextlib.suppress(BlockingIOError, OSError):
                if to_inner:
                    to_inner = to_inner[os.write(inner, to_inner) :]
                elif ready.get(line, 0) & select.POLLIN:
                    to_inner = self._interrupted(process, os.read(line, 4096))
            with contextlib.suppress(BlockingIOError, OSError):
                if to_line:
                    to_line = to_line[os.write(line, to_line) :]
                elif ready.get(inner, 0) & select.POLLIN:
                    to_line = os.read(inner, 4096)

    def _interrupted(self, process: subprocess.Popen[bytes], data: bytes) -> bytes:
        """The bytes for the program; Ctrl-C interrupts it instead, if it lets itself be interrupted."""
        if CTRL_C not in data:
            return data
        status = Path(f"/proc/{process.pid}/status").read_text()
        (caught,) = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
        if not int(caught, 16) & 1 << signal.SIGINT - 1:
            return data
        # A second signal that comes before the first was obeyed would end this MicroPython; USB's do not.
        now = time.monotonic()
        if now - self._interrupted_at > INTERRUPT_S:
            self._interrupted_at = now
            process.send_signal(signal.SIGINT)
        return data.replace(CTRL_C, b"")


def _hang_up() -> None:
    """In the new process: its line ends it, as the line goes with whoever runs the board, by whatever way.

    At the prompt it would not notice: a MicroPython reads on for ever there, and gets errors.
    """
    fcntl.ioctl(0, termios.TIOCSCTTY)


def main() -> None:
    """Be plugged in until Ctrl-C."""
    folder = Path(sys.argv[1])
    micropython = find_micropython()
    assert micropython is not None
    shutil.rmtree(folder, ignore_errors=True)
    board = Pico(micropython, folder / "flash", folder / "line")
    board.plug()
    sys.stdout.write(f"a new Pico with MicroPython is plugged in: {board.path}\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()
    board.close()


if __name__ == "__main__":
    main()
