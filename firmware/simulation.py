"""A whole simulated table: simulated chips and wires, the real drivers on them, and the table's program."""

import os
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Protocol

from drivers.latebus import LateBus
from drivers.linepins import line_pins
from drivers.pod import Ports
from firmware.bindings import Bindings
from firmware.live import Table
from firmware.steppedpods import SteppedPods
from firmware.streams import say
from firmware.table.session import Session
from firmware.table.words import Words
from hardware.bus import I2CBus
from hardware.errors import BusError
from hardware.profile import Profile
from hardware.sim.podparts import PodParts
from hardware.sim.tree import SimBoard


class SimNode:
    """A simulated bus's device node: it can be absent, or refuse to be opened (``hardware.bus.I2CBus``)."""

    def __init__(self, bus: I2CBus) -> None:
        self.refusal: BusError | None = None
        """why it cannot be used at the moment"""
        self._bus = bus

    @contextmanager
    def open(self) -> Iterator[I2CBus]:
        """Open it. Raise BusError if it cannot be."""
        self._check()
        yield self

    def write(self, address: int, data: bytes) -> None:
        """Write to a chip."""
        self._check()
        self._bus.write(address, data)

    def read(self, address: int, count: int) -> bytes:
        """Read from a chip."""
        self._check()
        return self._bus.read(address, count)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write, then read, as one transfer."""
        self._check()
        return self._bus.write_read(address, data, count)

    def _check(self) -> None:
        if self.refusal is not None:
            raise BusError(self.refusal.errno, self.refusal.strerror)


NAP_SECONDS = 0.002
"""Shorter waits are saved up: each wakes the computer, and a transfer of a few bytes takes 0.1 ms."""


class Pace:
    """Lets real time pass as transfers take it. ``sleep``: as ``time.sleep``."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self._sleep = sleep
        self._owed = threading.local()

    def __call__(self, seconds: float) -> None:
        """So many seconds pass for this thread, now or with those of its next transfers."""
        owed = getattr(self._owed, "seconds", 0.0) + seconds
        if owed >= NAP_SECONDS:
            self._sleep(owed)
            owed = 0.0
        self._owed.seconds = owed


class Happening(Protocol):
    """What happens to a simulated board as time goes on, beside the contacts' bouncing."""

    def advance(self, now: float) -> None:
        """Let everything happen that happens up to ``now`` (seconds, monotonic)."""
        ...

    def deadline(self) -> float | None:
        """When ``advance`` must be called next."""
        ...


class Pods(Ports, Happening, Protocol):
    """The pods of a simulated board: the lines to them, and what goes on at their ends."""

    def start(self, wake: Callable[[], None]) -> None:
        """Real time begins. Call ``wake`` (from any thread) when ``advance`` has something to do."""
        ...

    def close(self) -> None:
        """End what runs. A second call does nothing."""
        ...


MakePods = Callable[[Mapping[int, PodParts], Mapping[int, str], random.Random], Pods]
"""Brings pods to life: what each is made of and its number, both by its seat; and chance."""


def pods_in_real_time(profile: Profile) -> MakePods | None:
    """What runs the pods of a board in real time, and say so: a MicroPython if there is one.

    None: this Python, or there are no pods.
    """
    if not profile.pods:
        return None
    lacking = "a MicroPython"
    if os.name == "posix":  # elsewhere there are no pseudo-terminals
        from firmware.podprocesses import running_pods
        from hardware.sim.podprocess import find_micropython

        if find_spec("serial") is None:
            lacking = "pyserial"
        elif (micropython := find_micropython()) is not None:
            say(f"The pods run their own program on {os.path.basename(micropython)}, a process each.")
            return running_pods(micropython)
    say(f"Without {lacking} the pods' program runs on this Python (docs/pods.md).")
    return None


def pod_ids(profile: Profile) -> dict[int, str]:
    """The numbers of the pods that stand at the seats: those that the profile names, or made up."""
    named = {seat.pod for seat in profile.pods}
    made_up = (pod for number in range(256) if (pod := f"e66141040331a5{number:02x}") not in named)
    return {seat.number: seat.pod or next(made_up) for seat in profile.pods}


class SimHost:
    """The computer of a simulated board (``firmware.live.Host``). ``wires`` are the simulated chips.

    Its time is virtual, moved by ``advance`` and by what the transfers take; or real, if ``clock`` (seconds,
    monotonic) and ``sleep`` (as ``time.sleep``: transfers take their time) are handed in. ``pods`` brings the
    board's pods to life; without it their program runs on this Python, in the board's time. ``chosen``:
    whether it is known which pod has which seat.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        seed: int = 0,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], None] | None = None,
        pods: MakePods | None = None,
        chosen: bool = True,
    ) -> None:
        self.profile = profile
        self.now = 0.0
        self.clock = clock or self._virtual_now
        self.wires = SimBoard(profile, seed=seed, passed=Pace(sleep) if sleep else self._pass)
        names = dict.fromkeys((*profile.buses, *profile.bus_names()))
        self.nodes = {name: SimNode(self.wires.adapters[name]) for name in names}
        """the device nodes by the names of their buses"""
        self.buses = {name: LateBus(node.open, name) for name, node in self.nodes.items()}
        self.pins = line_pins(self.wires.lines, self.clock)
        self._chance = random.Random(seed)
        ids = pod_ids(profile)
        self.ports = (pods or self._stepped)(self.wires.pods, ids, self._chance)
        """the lines to the pods, and what is at their ends"""
        self.bindings = Bindings(None)
        for seat in profile.pods if chosen else ():
            self.bindings.bind(seat.number, ids[seat.number])
        self.happenings: list[Happening] = []
        """what else happens to the board"""
        self._asked: deque[Callable[[], None]] = deque()
        self._wake: Callable[[], None] = lambda: None

    def _stepped(
        self, parts: Mapping[int, PodParts], ids: Mapping[int, str], chance: random.Random
    ) -> SteppedPods:
        return SteppedPods(parts, ids, chance, self.clock)

    def draw(self) -> int:
        """16 bits of this board's chance."""
        return self._chance.getrandbits(16)

    def _virtual_now(self) -> float:
        return self.now

    def _pass(self, seconds: float) -> None:
        self.now += seconds

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``advance`` has something to do."""
        self.wires.listen(wake)
        self._wake = wake
        self.ports.start(wake)

    def do(self, act: Callable[[], None]) -> None:
        """Have something done to the board at the next ``advance``, which is soon. From any thread."""
        self._asked.append(act)
        self._wake()

    def advance(self, now: float) -> None:
        """Let everything happen that happens up to ``now`` (seconds, monotonic)."""
        self.now = max(self.now, now)
        while self._asked:
            self._asked.popleft()()
        for happening in self.happenings:
            happening.advance(now)
        self.wires.advance(now)
        self.ports.advance(now)

    def deadline(self) -> float | None:
        """When ``advance`` must be called next even if nothing wakes; None: not before a press."""
        times = [happening.deadline() for happening in self.happenings]
        times += [self.wires.deadline(), self.ports.deadline()]
        return min((at for at in times if at is not None), default=None)

    def close(self) -> None:
        """Close the device nodes, and pull the pods. A second call does nothing."""
        for pod in self.wires.pods.values():
            pod.unplug()
        self.ports.close()
        for bus in self.buses.values():
            bus.close()


class Simulation(Table):
    """A simulated table. ``wires`` are the simulated chips, with the buttons to press.

    Without a ``host`` of its own it steps through virtual time, in which transfers take as long as on wires.
    """

    def __init__(
        self,
        profile: Profile,
        session: Session,
        words: Words,
        *,
        seed: int = 0,
        host: SimHost | None = None,
    ) -> None:
        self._host = host or SimHost(profile, seed=seed)
        self.wires = self._host.wires
        super().__init__(self._host, session, words)

    @property
    def now(self) -> float:
        """Seconds, monotonic."""
        return self._host.clock()

    def run_until(self, end: float) -> None:
        """Step from deadline to deadline up to ``end``, as fast as the machine can."""
        due: float | None = self.now
        while due is not None and due <= end:
            due = self.step(max(due, self.now))
        self.step(max(end, self.now))
