"""A pod as a process of its own: the pod's program on a MicroPython, its line a pseudo-terminal."""

import contextlib
import os
import pty
import select
import shutil
import subprocess
import sysconfig
import time
import tty
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from hardware.link import BUTTONS
from hardware.sim.panel import Panel

HERE = Path(__file__).parent
PICO = HERE / "pico"
"""Folder of the modules that stand in for the board's."""
CHUNK, CHUNKS = 65536, 16
"""So much is taken in at once, and before anybody else has a turn."""
TOLD = 1000
"""So many lines beside pins and I2C are remembered."""


def find_micropython() -> str | None:
    """The MicroPython of this environment, or one on the PATH; None if there is none."""
    beside = Path(sysconfig.get_path("scripts")) / "micropython"
    return str(beside) if beside.exists() else shutil.which("micropython")


class PodProcess:
    """Runs ``program``, a file of MicroPython, as a pod with ``panel``. ``root``: folder of the packages.

    ``path`` is the line's device, anew for each start, as a device on USB gets a new name. ``button_pins``:
    GPIO numbers in the order of the link's buttons. ``options`` go to the interpreter.
    """

    def __init__(
        self,
        micropython: str,
        program: Path,
        root: Path,
        panel: Panel,
        pod_id: str,
        button_pins: Sequence[int],
        options: Sequence[str] = (),
    ) -> None:
        self.panel = panel
        self.pins: dict[int, int] = {}
        """levels of the pins that the pod drives"""
        self.told: deque[str] = deque(maxlen=TOLD)
        """the last of what the pod's board told beside pins and I2C: ``dog 8000``, ``fed``, ``reset``"""
        self.driven: Callable[[int, int], None] = lambda pin, level: None
        """called when the pod drives a pin"""
        self.path = ""
        self.program = program
        """what runs from the next start on"""
        self._interpreter = [micropython, *options]
        self._environment = {
            **os.environ,
            "MICROPYPATH": f".frozen:{root}:{PICO}",
            "PICO_ID": pod_id,
        }
        self._buttons = dict(zip(BUTTONS, button_pins, strict=True))
        self._process: subprocess.Popen[bytes] | None = None
        self._line: tuple[int, ...] = ()
        """both ends of its line"""
        self._to_pod = self._from_pod = -1
        self._unsaid: dict[str, bytes] = {}
        """what its program has yet to be told, the last word on each thing"""
        self._partial = b""

    def start(self) -> None:
        """Power: a new line, a new process. Raise OSError if there can be none; then nothing is left."""
        self._line = pty.openpty()
        try:
            tty.setraw(self._line[1])
            self.path = os.ttyname(self._line[1])
            self._run()
        except OSError:
            self.stop()
            raise

    def resume(self) -> None:
        """The process has ended by itself: a new one on the same line, as after a soft reset.

        Raise OSError if there can be none; then try again, or ``stop``.
        """
        if self._process is not None:
            self._process.kill()  # it may have closed its pipes and gone on
            self._process.wait()
            self.pump()
        self._close_pipes()
        self._run()

    def _run(self) -> None:
        self._process = None
        self._unsaid.clear()
        self._partial = b""
        pod_in, self._to_pod = os.pipe()
        try:
            os.set_blocking(self._to_pod, False)
            self._from_pod, pod_out = os.pipe()
            try:
                self._process = subprocess.Popen(
                    [*self._interpreter, str(self.program)],
                    stdin=self._line[0],
                    stdout=self._line[0],
                    stderr=self._line[0],
                    pass_fds=(pod_in, pod_out),
                    env={**self._environment, "PICO_IN": str(pod_in), "PICO_OUT": str(pod_out)},
                    start_new_session=True,
                )
            finally:
                os.close(pod_out)
        finally:
            os.close(pod_in)

    def _close_pipes(self) -> None:
        ends, self._to_pod, self._from_pod = (self._to_pod, self._from_pod), -1, -1
        for end in ends:
            if end >= 0:
                os.close(end)

    def kill(self) -> None:
        """The process ends, the line stays: ``resume`` starts another one."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """No power: the line goes with the process. A second call does nothing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._close_pipes()
        line, self._line = self._line, ()
        for end in line:
            os.close(end)

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int | None:
        """The process's number; None while there is none, as between the end of one and the next."""
        process = self._process
        return None if process is None else process.pid

    def press(self, button: str, after_ms: int = 0) -> None:
        """A contact closes: ``"left"``, ``"right"``, ``"mark"`` or ``"play"``.

        It does so at least ``after_ms`` after the pod has seen the last change of a contact, however late
        this process or the pod's comes to its turn.
        """
        self._say(f"pin {self._buttons[button]} 0 {after_ms}")

    def release(self, button: str, after_ms: int = 0) -> None:
        """The contact opens."""
        self._say(f"pin {self._buttons[button]} 1 {after_ms}")

    def unplug_panel(self) -> None:
        """The panel's wires come off."""
        self._say("i2c 0")

    def plug_panel(self) -> None:
        """They are back: the panel starts with random memory."""
        self.panel.power_on_reset()
        self._say("i2c 1")

    def fail(self) -> None:
        """The pod's program meets a fault."""
        self._say("fail")

    def freeze(self, frozen: bool) -> None:
        """The pod's program stands still from now on, or goes on."""
        self._say("stop" if frozen else "go")

    def fileno(self) -> int:
        """What to wait on before ``pump`` has something to do."""
        return self._from_pod

    def pump(self) -> bool:
        """Take in what the pod's board has told, without waiting. Return whether it may tell more."""
        if self._process is None:
            return False
        self._tell()
        for _ in range(CHUNKS):
            if not self._waits(0):
                break
            data = os.read(self._from_pod, CHUNK)
            if not data:
                return False
            *lines, self._partial = (self._partial + data).split(b"\n")
            self._partial = self._partial[-CHUNK:]
            for line in lines:
                with contextlib.suppress(ValueError, IndexError):  # what no board tells
                    self._take(line.decode().split())
        return True

    def _waits(self, seconds: float) -> bool:
        """Whether its board tells something within a time."""
        poll = select.poll()
        poll.register(self._from_pod, select.POLLIN)
        return bool(poll.poll(int(seconds * 1000)))

    def wait(self, until: Callable[[], bool], seconds: float = 10) -> bool:
        """Pump until something is so, at most for a time; return whether it is."""
        end = time.monotonic() + seconds
        while True:
            self.pump()
            if until():
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._waits(min(left, 0.02))

    def _take(self, words: list[str]) -> None:
        if words[0] == "i2c":
            if int(words[1], 16) == self.panel.address:
                self.panel.write(bytes.fromhex(words[2]))
                self.panel.stop(True)
                self.panel.tell()
        elif words[0] == "pin":
            pin, level = int(words[1]), int(words[2])
            self.pins[pin] = level
            self.driven(pin, level)
        else:
            self.told.append(" ".join(words))

    def _say(self, line: str) -> None:
        words = line.split()
        about = (
            " ".join(words[:2]) if words[0] == "pin" else "run" if words[0] in ("stop", "go") else words[0]
        )
        self._unsaid.pop(about, None)
        self._unsaid[about] = f"{line}\n".encode()
        self._tell()

    def _tell(self) -> None:
        """Say what there is room for: nobody waits for a program that does not listen."""
        while self._unsaid:
            about, line = next(iter(self._unsaid.items()))
            try:
                os.write(self._to_pod, line)  # so little is written whole or not at all
            except BlockingIOError:
                return
            except OSError:  # it has just ended, or there is none
                self._unsaid.clear()
                return
            del self._unsaid[about]
