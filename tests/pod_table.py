"""A simulated table of pods and wired seats, whose people play by what shines there, in virtual time."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
from fault_rig import HEALED_S, Meant
from screen_reader import read

from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.device.play import REFRESH_S
from firmware.live import Table
from firmware.simulation import SimHost
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware import link
from hardware.frame import pack
from hardware.profile import load_profile
from hardware.seat import Button

LOOK_S, STROKE_S, PATIENCE_S = 0.3, 0.08, 1.0
"""A person looks so often, presses so long, and presses again if nothing has changed for so long."""
OTHER_VERSIONS = (link.HIGHEST + 1, link.HIGHEST + 2)


KINDS = (*("unplug", "swap", "skew", "reset", "garble") * 2, "freeze", "host")
"""What happens, the long ones less often."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """What happens to pods: its kind, where, from when, how long (seconds); ``share``: of bytes damaged."""

    kind: str
    seats: tuple[int, ...]
    start: float
    seconds: float
    share: float = 0.0


def mishaps(seed: int, pods: tuple[int, ...]) -> Iterator[Mishap]:
    """Mishaps without end, in order of time, never two at a seat. Freezes last 60 s."""
    chance = random.Random(seed)
    free_at = dict.fromkeys(pods, 0.0)
    now = 2.0
    while True:
        now += chance.expovariate(1 / 6)
        kind = chance.choice(KINDS)
        free = [seat for seat in pods if free_at[seat] <= now]
        if len(free) < (2 if kind == "swap" else 1):
            continue
        seats = tuple(chance.sample(free, 2 if kind == "swap" else 1))
        long = kind in ("freeze", "host")
        seconds = 60.0 if long else chance.uniform(0.2, 8.0)
        yield Mishap(kind, seats, now, seconds, chance.uniform(0.01, 0.3))
        for seat in seats:
            free_at[seat] = now + seconds + 1.0
        if kind == "host":  # nothing else happens while the table itself stands still
            now += seconds


class PodTable:
    """A table on which somebody sits at every seat. ``plan``: what happens to the pods."""

    def __init__(self, board: str, seats: int, seed: int, plan: Iterator[Mishap]) -> None:
        profile = load_profile(board)
        profile = msgspec.structs.replace(profile, seats=profile.seats[:seats])
        self.host = SimHost(profile, seed=seed)
        self.pods = self.host.ports.pods
        self.actions: list[str] = []
        self.over = False
        self.seats = [seat.number for seat in profile.seats]
        session = Session(
            self.seats,
            chance=Shuffler(seed),
            bots=bots(seed),
            rules=Rules(limit=12),
            log=self,
        )
        self.table = Table(self.host, session, catalogue(), refresh=REFRESH_S)
        self.wanted: dict[int, bytes] = {}
        self.waits: list[float] = []
        """seconds that a healthy seat's panel was behind"""
        self.happened: list[Mishap] = []
        self._plan = plan
        self._coming: Mishap | None = None
        self._ends: list[tuple[float, Callable[[], None]]] = []
        self._troubled = dict.fromkeys(self.seats, float("-inf"))
        """until when what happens at a seat may be its own mishap's doing"""
        self._since: dict[int, float] = {}
        self._looks = dict.fromkeys(self.seats, 0.0)
        self._meant = {seat: Meant() for seat in self.seats}
        for seat in self.seats:
            self._spy(seat)
        self.host.wires.watch(self._changed)

    # The session's log

    def begin(self, seats: object, rules: object) -> None:
        """A game begins."""

    def append(self, action: object) -> None:
        """An action was accepted."""
        self.actions.append(repr(action))

    def end(self, winners: object) -> None:
        """The game is over."""
        self.over = True

    # What is looked at

    def _spy(self, seat: int) -> None:
        screen = self.table.board.seats[seat].screen
        show = screen.show

        def spied(picture):
            self.wanted[seat] = pack(picture)
            self._meant[seat].add(self.wanted[seat])
            if self.visible(seat) == self.wanted[seat]:
                self._since.pop(seat, None)
            else:
                self._since.setdefault(seat, self.host.now)
            show(picture)

        screen.show = spied

    def visible(self, seat: int) -> bytes:
        """What shines at a seat."""
        return self.host.wires.panel(seat).visible()

    def _changed(self, seat: int) -> None:
        """Nothing shines at a seat but what was meant for it, or what its pod says by itself."""
        if seat in self.pods:
            self._meant[seat].add(bytes(self.pods[seat].own))
        visible = self.visible(seat)
        foreign = self._meant[seat].foreign(visible)
        assert not foreign, f"seat {seat} shows what was never meant for it, bytes {foreign[:5]}"
        if visible == self.wanted.get(seat) and seat in self._since:
            since = self._since.pop(seat)
            if since > self._troubled[seat]:
                self.waits.append(self.host.now - since)

    def check_health(self) -> None:
        """A seat to which nothing has happened has no fault."""
        for number, seat in self.table.board.seats.items():
            if self.host.now > self._troubled[number] and self.host.now > 3.0:
                assert seat.fault is None, f"seat {number} at {self.host.now:.1f} s: {seat.fault}"

    # What happens

    def _happen(self) -> None:
        now = self.host.now
        for end in [end for end in self._ends if end[0] <= now]:
            self._ends.remove(end)
            end[1]()
        if self._coming is None:
            self._coming = next(self._plan, None)
        mishap = self._coming
        if mishap is None or mishap.start > now:
            return
        self._coming = None
        self.happened.append(mishap)
        whose = self.seats if mishap.kind == "host" else mishap.seats
        for seat in whose:
            self._troubled[seat] = now + mishap.seconds + HEALED_S
        getattr(self, f"_{mishap.kind}")(mishap, self.host.wires.pods[mishap.seats[0]])

    def _later(self, mishap: Mishap, act: Callable[[], None]) -> None:
        self._ends.append((self.host.now + mishap.seconds, act))

    def _unplug(self, mishap: Mishap, pod) -> None:
        pod.unplug()
        self._later(mishap, pod.plug)

    def _swap(self, mishap: Mishap, pod) -> None:
        """Two pods are pulled, and come back under each other's names."""
        names, (one, two) = self.host.ports.names, mishap.seats
        parts = [self.host.wires.pods[seat] for seat in mishap.seats]
        for part in parts:
            part.unplug()
        names[one], names[two] = names[two], names[one]
        self._later(mishap, lambda: [part.plug() for part in parts])

    def _freeze(self, mishap: Mishap, pod) -> None:
        """A pod neither reads nor tells anything for a minute."""
        pod.freeze(True)
        self._later(mishap, lambda: pod.freeze(False))

    def _host(self, mishap: Mishap, pod) -> None:
        """The table itself stands still for a minute; each pod takes its picture away meanwhile."""
        end = self.host.now + mishap.seconds
        while self.host.now < end:
            self.host.now += 0.02
            self.host.ports.advance(self.host.now)
        for seat, one in self.pods.items():
            assert one.frozen or self.visible(seat) in (bytes(one.own), bytes(1024))
        self._since.clear()

    def _skew(self, mishap: Mishap, pod) -> None:
        """A pod comes back with firmware of another version, then with its own."""
        program = self.pods[mishap.seats[0]]

        def swap(versions: tuple[int, int]) -> None:
            pod.unplug()
            program.versions = versions
            pod.plug()

        swap(OTHER_VERSIONS)
        self._later(mishap, lambda: swap((link.LOWEST, link.HIGHEST)))

    def _reset(self, mishap: Mishap, pod) -> None:
        pod.reset()

    def _garble(self, mishap: Mishap, pod) -> None:
        pod.garble(mishap.share)
        self._later(mishap, lambda: pod.garble(0.0))

    # Time and people

    def run(self, until: float) -> None:
        """Let time pass, without anybody pressing."""
        while self.host.now < until:
            self._happen()
            due = self.table.step(self.host.now)
            self.check_health()
            times = [until, *(at for at, _ in self._ends)]
            if self._coming is not None:
                times.append(self._coming.start)
            self.host.now = max(self.host.now, min([*times, *([due] if due is not None else [])]))

    def press(self, seat: int, button: Button) -> None:
        """A stroke."""
        self.host.wires.press(seat, button)
        self.run(self.host.now + STROKE_S)
        self.host.wires.release(seat, button)

    def play(self, most: float = 4000.0) -> None:
        """Everybody sits down; then whoever is asked for something presses PLAY, until the game is over.

        That is: no exchange, and the lowest card, which may always be played.
        """
        plan, self._plan = self._plan, iter(())
        self.run(1.0)
        for seat in self.seats:
            self.press(seat, Button.MARK)
            self.run(self.host.now + 0.5)
        self.press(1, Button.PLAY)
        self._plan = plan
        while not self.over:
            assert self.host.now < most, f"the game does not end: {self.happened[-5:]}"
            for seat in self.seats:
                if self._looks[seat] <= self.host.now and asked(self.visible(seat)):
                    self.press(seat, Button.PLAY)
                    self._looks[seat] = self.host.now + PATIENCE_S
            self.run(self.host.now + LOOK_S)
        self._plan = iter(())

    def heal(self) -> None:
        """Nothing more happens, and what has happened is over."""
        self._coming = None
        last = max((at for at, _ in self._ends), default=self.host.now)
        self.run(max(last, self.host.now) + HEALED_S + 5.0)

    def close(self) -> None:
        """End it."""
        self.table.close()


def asked(pages: bytes) -> bool:
    """Whether a panel asks for something, as a person sees it."""
    seen = read(pages)
    if seen.text(8) == ("Leave the game?", True):  # noise has kept a release until the stroke was a hold
        return True
    if seen.bottom == ("You deal: press PLAY", True):
        return True
    text, lit = seen.message
    return lit and (text.startswith(("Exchange", "Match", "Play low", "Final")) or "lead" in text)
