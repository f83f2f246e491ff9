"""Pods of a simulated board as processes: their own program on a MicroPython, on pseudo-terminals."""

import errno
import logging
import os
import random
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import firmware.pod
from drivers.serialports import Port, SerialStream
from firmware.pod import pins
from hardware.seat import Button
from hardware.sim.podparts import PodParts
from hardware.sim.podprocess import PodProcess
from hardware.sim.serialline import damaged
from hardware.stream import Stream

log = logging.getLogger(__name__)

MAIN = Path(firmware.pod.__file__).with_name("main.py")
ROOT = MAIN.parents[2]
"""Folder of the packages that the program imports."""
BUTTON_PINS = (pins.LEFT, pins.RIGHT, pins.MARK, pins.PLAY)
LONGEST_MS = 100
"""Changes of contacts are kept apart by as much as they were, up to this: a stroke must not be squeezed."""
AGAIN_S = 1.0
"""A program that has ended is started anew after so long."""


class NoisyStream:
    """A line that damages as many of the bytes as its pod's parts say (``hardware.stream.Stream``)."""

    def __init__(self, stream: Stream, parts: PodParts, chance: random.Random) -> None:
        self._stream = stream
        self._parts = parts
        self._chance = chance
        self._waiting = b""
        """damaged bytes for which there was no room"""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self._stream.name

    def read(self) -> bytes:
        """What has arrived."""
        return self._spoilt(self._stream.read())

    def write(self, data: bytes) -> int:
        """Hand over what there is room for."""
        if not self._waiting:
            if not self._parts.noise:
                return self._stream.write(data)
            self._waiting = self._spoilt(data)
            self._waiting = self._waiting[self._stream.write(self._waiting) :]
            return len(data)
        self._waiting = self._waiting[self._stream.write(self._waiting) :]
        return 0

    def fileno(self) -> int:
        """Its file descriptor, to wait on."""
        return self._stream.fileno()

    def close(self) -> None:
        """Close it."""
        self._stream.close()

    def _spoilt(self, data: bytes) -> bytes:
        return damaged(data, self._parts.noise, self._chance) if self._parts.noise else data


class RunningPod:
    """One pod (``hardware.sim.podparts.PodProgram``): what happens to it is done on the pods' thread."""

    def __init__(
        self, micropython: str, parts: PodParts, pod_id: str, do: Callable[[Callable[[], None]], None]
    ) -> None:
        self.parts = parts
        self.pod_id = pod_id
        self.process = PodProcess(micropython, MAIN, ROOT, parts.panel, pod_id, BUTTON_PINS)
        self.process.driven = self._driven
        self.on = False
        """whether it has power"""
        self.next_start: float | None = None
        """when a program that has ended is started anew"""
        self._do = do
        self._moved_at = 0.0
        self._trouble = ""
        """why it cannot be started"""
        parts.program = self

    def power(self, on: bool) -> None:
        """The cable is plugged in, or pulled."""
        self._do(self.start if on else self.stop)

    def reset(self) -> None:
        """The program starts anew."""
        self._do(self._restart)

    def freeze(self, frozen: bool) -> None:
        """It stands still from now on, or goes on."""
        self._do(partial(self._told, partial(self.process.freeze, frozen)))

    def contact(self, button: Button, closed: bool, at: float) -> None:
        """A contact closes or opens."""
        change = self.process.press if closed else self.process.release
        after_ms = min(int((at - self._moved_at) * 1000), LONGEST_MS)
        self._moved_at = at
        self._do(partial(self._told, partial(change, button.value, after_ms)))

    # On the thread of the pods

    def start(self) -> None:
        """Power."""
        if self.on:
            return
        try:
            self.process.start()
        except OSError as problem:
            self._note(problem)
            return
        self._trouble = ""
        self.on = True
        self._set_contacts()

    def stop(self) -> None:
        """No power."""
        self.on = False
        self.next_start = None
        self.process.stop()

    def look(self, now: float) -> None:
        """Take in what it tells; a program that has ended is started anew a second later."""
        if self.next_start is not None:
            if now >= self.next_start:
                self.next_start = None
                self._resume()
        elif self.on and not self.process.pump():
            self.next_start = now + AGAIN_S

    def _restart(self) -> None:
        if self.on:
            self.process.kill()
            self.next_start = None
            self._resume()

    def _resume(self) -> None:
        self.parts.drive_lamp(False)
        try:
            self.process.resume()
        except OSError as problem:
            self._note(problem)
            self.next_start = time.monotonic() + AGAIN_S
            return
        self._trouble = ""
        self._set_contacts()

    def _note(self, problem: OSError) -> None:
        """Log why it cannot be started, once."""
        trouble = problem.strerror or str(problem)
        if trouble != self._trouble:
            log.warning("pod %s cannot be started: %s", self.pod_id, trouble)
        self._trouble = trouble

    def _set_contacts(self) -> None:
        """A finger may have gone down while no program looked."""
        for button, line in self.parts.contacts.items():
            if line.closed:
                self.process.press(button.value)

    def _told(self, tell: Callable[[], None]) -> None:
        if self.on:
            tell()

    def _driven(self, pin: int, level: int) -> None:
        if pin == pins.LAMP and self.on:
            self.parts.drive_lamp(level == 1)


def running_pods(
    micropython: str,
) -> Callable[[Mapping[int, PodParts], Mapping[int, str], random.Random], "RunningPods"]:
    """Makes the pods of a ``firmware.simulation.SimHost`` run as processes of this interpreter."""
    return partial(RunningPods, micropython)


class RunningPods:
    """All pods of a simulated board, and the lines to them (``drivers.pod.Ports``)."""

    waitable = True

    def __init__(
        self, micropython: str, parts: Mapping[int, PodParts], ids: Mapping[int, str], chance: random.Random
    ) -> None:
        self.pods = {seat: RunningPod(micropython, part, ids[seat], self._do) for seat, part in parts.items()}
        """the pods by their seats"""
        self._chance = chance
        self._asked: deque[Callable[[], None]] = deque()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._rouse_read, self._rouse_write = os.pipe()

    def find(self) -> list[Port]:
        """The lines that are there now."""
        return [Port(pod.process.path, pod.pod_id) for pod in self.pods.values() if pod.on]

    def open(self, port: Port) -> NoisyStream:
        """Open one. Raise OSError with what to do about it."""
        for pod in self.pods.values():
            if pod.on and pod.process.path == port.path:
                return NoisyStream(SerialStream(port.path), pod.parts, self._chance)
        raise OSError(errno.ENODEV, f"{port.path} was unplugged")

    def start(self, wake: Callable[[], None]) -> None:
        """Start all of them, on a thread of their own: nobody waits for that."""
        if self._thread is None and self.pods:
            for pod in self.pods.values():
                if pod.parts.plugged:
                    self._do(pod.start)
            self._thread = threading.Thread(target=self._run, name="pod processes", daemon=True)
            self._thread.start()

    def advance(self, now: float) -> None:
        """They have their own time."""

    def deadline(self) -> float | None:
        """Never."""
        return None

    def close(self) -> None:
        """End them all. A second call does nothing."""
        if self._closing:
            return
        self._closing = True
        if self._thread is not None:
            self._rouse()
            self._thread.join()
        for pod in self.pods.values():
            pod.stop()
        os.close(self._rouse_read)
        os.close(self._rouse_write)

    def _do(self, act: Callable[[], None]) -> None:
        """Have something done on the pods' thread. From any thread."""
        self._asked.append(act)
        if not self._closing:
            self._rouse()

    def _rouse(self) -> None:
        os.write(self._rouse_write, b"!")

    def _run(self) -> None:
        while not self._closing:
            while self._asked:
                self._asked.popleft()()
            now = time.monotonic()
            for pod in self.pods.values():
                pod.look(now)
            self._wait()

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._rouse_read, select.POLLIN)
        starts = [pod.next_start for pod in self.pods.values() if pod.next_start is not None]
        for pod in self.pods.values():
            if pod.on and pod.next_start is None:
                poll.register(pod.process.fileno(), select.POLLIN)
        timeout = None if not starts else max(0.0, min(starts) - time.monotonic()) * 1000 + 1
        if any(fd == self._rouse_read for fd, _ in poll.poll(timeout)):
            os.read(self._rouse_read, 4096)
