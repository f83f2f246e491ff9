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
from collections.abc import Callable, Sequence
from pathlib import Path

from hardware.link import BUTTONS
from hardware.sim.panel import Panel

HERE = Path(__file__).parent
PICO = HERE / "pico"
"""Folder of the modules that stand in for the board's."""


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
        self.told: list[str] = []
        """what the pod's board told beside pins and I2C: ``dog 8000``, ``fed``, ``reset``"""
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
        self._partial = b""

    def start(self) -> None:
        """Power: a new line, a new process."""
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._run()

    def resume(self) -> None:
        """The process has ended by itself: a new one on the same line, as after a soft reset."""
        assert self._process is not None
        self._process.wait()
        self.pump()
        os.close(self._to_pod)
        os.close(self._from_pod)
        self._run()

    def _run(self) -> None:
        pod_in, self._to_pod = os.pipe()
        self._from_pod, pod_out = os.pipe()
        self._partial = b""
        self._process = subprocess.Popen(
            [*self._interpreter, str(self.program)],
            stdin=self._master,
            stdout=self._master,
            stderr=self._master,
            pass_fds=(pod_in, pod_out),
            env={**self._environment, "PICO_IN": str(pod_in), "PICO_OUT": str(pod_out)},
            start_new_session=True,
        )
        os.close(pod_in)
        os.close(pod_out)

    def kill(self) -> None:
        """The process ends, the line stays: ``resume`` starts another one."""
        assert self._process is not None
        self._process.kill()

    def stop(self) -> None:
        """No power: the line goes with the process. A second call does nothing."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._process = None
        for end in (self._master, self._slave, self._to_pod, self._from_pod):
            os.close(end)

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int:
        """The process's number."""
        assert self._process is not None
        return self._process.pid

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
        while self._process is not None and select.select([self._from_pod], [], [], 0)[0]:
            data = os.read(self._from_pod, 65536)
            if not data:
                return False
            *lines, self._partial = (self._partial + data).split(b"\n")
            for line in lines:
                self._take(line.decode().split())
        return self._process is not None

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
            select.select([self._from_pod], [], [], min(left, 0.02))

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
        with contextlib.suppress(BrokenPipeError):  # it has just ended
            os.write(self._to_pod, f"{line}\n".encode())
