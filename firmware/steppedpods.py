"""Pods whose own program runs on this Python, step by step in the table's time, virtual or real."""

import errno
import random
from collections.abc import Callable, Mapping

from drivers.serialports import Port
from firmware.pod.app import Outside, Pod
from firmware.pod.build import BUILD
from firmware.pod.panel import I2C, Panel
from firmware.podcanvas import PodCanvas
from hardware import link
from hardware.seat import Button
from hardware.sim.podparts import PodParts
from hardware.sim.serialline import SerialLine

STEP_S = 0.001
"""A pod's loop takes so long to come round."""
NUMBERS = {button: link.BUTTONS.index(button.value) for button in Button}


class PanelBus(I2C):
    """The bus of a pod, on which only its panel is."""

    def __init__(self, parts: PodParts) -> None:
        self._panel = parts.panel

    def writeto(self, address: int, data: bytes) -> int:
        """Write to the chip. Raise OSError if it is not there."""
        if address != self._panel.address or not self._panel.connected:
            raise OSError(errno.ENODEV, "nobody answers")
        self._panel.write(data)
        self._panel.stop(True)
        self._panel.tell()
        return len(data)


class Desk(Outside):
    """A pod's board beside its panel: the lamp, and the wish to start anew."""

    def __init__(self, parts: PodParts) -> None:
        self.wants_restart = False
        self._parts = parts

    def lamp(self, on: bool) -> None:
        """Switch the lamp."""
        self._parts.drive_lamp(bool(on))

    def restart(self, update: bool) -> None:
        """Start anew at the end of this step."""
        self.wants_restart = True

    def free_bytes(self) -> int:
        """Nobody counts it here."""
        return 0


class SteppedStream:
    """The table's end of a pod's line (``hardware.stream.Stream``)."""

    def __init__(self, name: str, pod: "SteppedPod", clock: Callable[[], float]) -> None:
        self.gone = False
        self._name = name
        self._pod = pod
        self._clock = clock

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self._name

    def read(self) -> bytes:
        """What has arrived. Raise OSError once the pod was unplugged."""
        self._check()
        return self._pod.to_table.read(self._clock())

    def write(self, data: bytes) -> int:
        """Hand over what there is room for. Raise OSError once the pod was unplugged."""
        self._check()
        return self._pod.to_pod.write(data, self._clock())

    def fileno(self) -> int:
        """There is none."""
        return -1

    def close(self) -> None:
        """Close it. What was written arrives nevertheless."""
        self._pod.closed(self)

    def _check(self) -> None:
        if self.gone:
            raise OSError(errno.EIO, f"{self._name} was unplugged")


class SteppedPod:
    """One pod (``hardware.sim.podparts.PodProgram``). ``versions``: of the link, at its next start."""

    def __init__(
        self, parts: PodParts, pod_id: str, chance: random.Random, clock: Callable[[], float]
    ) -> None:
        self.parts = parts
        self.pod_id = pod_id
        self.to_pod = SerialLine(chance, lambda: parts.noise)
        self.to_table = SerialLine(chance, lambda: parts.noise)
        self.versions = (link.LOWEST, link.HIGHEST)
        self.stream: SteppedStream | None = None
        """the table's end, while it is open"""
        self.frozen = False
        self.own = bytearray(link.PICTURE_BYTES)
        """what the pod draws by itself"""
        self._chance = chance
        self._clock = clock
        self._down = 0
        self._pod: Pod | None = None
        self._desk = Desk(parts)
        self._out = b""
        """the rest of a frame for which there was no room"""
        self._born = self._next = clock()
        self._ticks = 0
        parts.program = self
        if parts.plugged:
            self._start()

    # What happens to it

    def power(self, on: bool) -> None:
        """The cable is plugged in, or pulled."""
        if self.stream is not None:
            self.stream.gone = True
            self.stream = None
        self.to_pod.clear()
        self.to_table.clear()
        self._pod = None
        if on:
            self._start()

    def reset(self) -> None:
        """The program starts anew."""
        self.parts.drive_lamp(False)
        self._start()

    def freeze(self, frozen: bool) -> None:
        """It stands still from now on, or goes on."""
        self.frozen = frozen

    def contact(self, button: Button, closed: bool, at: float) -> None:
        """A contact closes or opens."""
        bit = 1 << NUMBERS[button]
        self._down = self._down | bit if closed else self._down & ~bit
        if self._pod is not None and not self.frozen:
            self._pod.levels(self._down, self._ms(at))
            self._next = at

    # The line

    @property
    def plugged(self) -> bool:
        """Whether there is a line to it."""
        return self._pod is not None

    def open(self, name: str) -> SteppedStream:
        """The table opens the line. Raise OSError if it has it open already."""
        if self.stream is not None:
            raise OSError(errno.EBUSY, f"{name} is in use")
        self.stream = SteppedStream(name, self, self._clock)
        return self.stream

    def closed(self, stream: SteppedStream) -> None:
        """The table has closed it."""
        if self.stream is stream:
            self.stream = None

    # Time

    def advance(self, now: float) -> None:
        """Do all that is due by ``now``."""
        pod = self._pod
        due = self._due()
        if pod is None or due is None or due > now:
            return
        ms = self._ms(now)
        if chunk := self.to_pod.read(now):
            pod.receive(chunk, ms)
        pod.levels(self._down, ms)
        pod.tick(ms)
        while self._out or (frame := pod.transmit(ms)):
            self._out = self._out or frame
            sent = self.to_table.write(self._out, now)
            self._out = self._out[sent:]
            if not sent:
                break
        while pod.panel.step(ms):
            pass
        if self._desk.wants_restart:
            self.reset()
        self._next = max(self._born + pod.deadline(self._ms(now)) / 1000, now + STEP_S)

    def deadline(self) -> float | None:
        """When ``advance`` has something to do, or the table to read."""
        times = [self._due(), self.to_table.due() if self.stream is not None else None]
        return min((at for at in times if at is not None), default=None)

    def _due(self) -> float | None:
        """When the pod has something to do."""
        if self._pod is None or self.frozen:
            return None
        arrival = self.to_pod.due()
        return self._next if arrival is None else min(self._next, arrival)

    def _ms(self, now: float) -> int:
        self._ticks = max(self._ticks, int((now - self._born) * 1000 + 0.5))
        return self._ticks

    def _start(self) -> None:
        self._born = self._next = self._clock()
        self._ticks = 0
        self._out = b""
        self.frozen = False
        self._desk = Desk(self.parts)
        self._pod = Pod(
            self._desk,
            Panel(PanelBus(self.parts), "ssd1306"),
            PodCanvas(self.own),
            self.own,
            pod_id=bytes.fromhex(self.pod_id),
            boot=self._chance.getrandbits(16),
            build=BUILD,
            down=self._down,
            versions=self.versions,
        )


class SteppedPods:
    """All pods of a simulated board, and the lines to them (``drivers.pod.Ports``).

    ``clock``: the time that is handed to ``advance``.
    """

    waitable = False

    def __init__(
        self,
        parts: Mapping[int, PodParts],
        ids: Mapping[int, str],
        chance: random.Random,
        clock: Callable[[], float],
    ) -> None:
        self.pods = {seat: SteppedPod(part, ids[seat], chance, clock) for seat, part in parts.items()}
        """the pods by their seats"""
        self.names = {seat: f"pod line {seat}" for seat in parts}
        """what the lines to the pods are called; they may be exchanged"""

    def find(self) -> list[Port]:
        """The lines that are there now."""
        return [Port(self.names[seat], pod.pod_id) for seat, pod in self.pods.items() if pod.plugged]

    def open(self, port: Port) -> SteppedStream:
        """Open one. Raise OSError if there is none any more."""
        for seat, pod in self.pods.items():
            if self.names[seat] == port.path and pod.plugged:
                return pod.open(port.path)
        raise OSError(errno.ENODEV, f"{port.path} was unplugged")

    def start(self, wake: Callable[[], None]) -> None:
        """They run in steps, with the table."""

    def advance(self, now: float) -> None:
        """Do all that is due by ``now``."""
        for pod in self.pods.values():
            pod.advance(now)

    def deadline(self) -> float | None:
        """When ``advance`` has something to do, or the table to read."""
        return min((at for pod in self.pods.values() if (at := pod.deadline()) is not None), default=None)

    def close(self) -> None:
        """Nothing is left behind."""
