"""A simulated board with the real drivers on it, in virtual time."""

import random
import threading
from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image

from drivers.board import WiredBoard, open_board
from drivers.linepins import line_pins
from hardware.bus import I2CBus
from hardware.frame import pack
from hardware.profile import Profile, load_profile, parse_profile
from hardware.seat import Edge
from hardware.sim.tree import SimBoard


def noise(seed: int) -> Image.Image:
    """A random image."""
    return Image.frombytes("1", (128, 64), random.Random(seed).randbytes(1024))


def two_panels(screen: str) -> Profile:
    """A board of two seats behind a mux; ``screen`` is TOML for the panel: its chip and how it is mounted."""
    seats = "".join(
        f'[[seats]]\nlabel = "{n}"\nscreen = {{ {screen}, mux = "hub", channel = {n}, address = 0x3C }}\n'
        f"buttons = {{ left = {4 * n}, right = {4 * n + 1}, mark = {4 * n + 2}, play = {4 * n + 3} }}\n"
        for n in (1, 2)
    )
    text = f'title = "Two"\n[buses.main]\nnumber = 1\n[muxes.hub]\nbus = "main"\naddress = 0x70\n{seats}'
    return parse_profile(text, "two.toml")


class Bell:
    """Rung from another thread, to wait for what it does."""

    def __init__(self) -> None:
        self._rung = threading.Event()

    def ring(self, *_: object) -> None:
        """Something has happened."""
        self._rung.set()

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Wait until something is so; look at each ring. Fail after five seconds without one."""
        while not true():
            assert self._rung.wait(5), "the other thread did not do it"
            self._rung.clear()


class Rig:
    """Board and drivers; time passes when the test says so, and when the bus is busy."""

    def __init__(self, profile: Profile | str = "direct-6-usermux", **options: Any) -> None:
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.now = 100.0
        self.refresh = options.pop("refresh", None)
        self.clear_bus: Callable[[str], None] | None = options.pop("clear_bus", None)
        self.sim = options.pop("sim", None) or SimBoard(
            self.profile, strict=True, passed=self._pass, **options
        )
        self.bus = self.sim.buses["main"]
        self.nodes: Mapping[str, I2CBus] = self.sim.adapters
        """what the board's buses are opened on, at the next ``reopen`` too"""
        self._killed: list[WiredBoard] = []
        self.reopen()

    def reopen(self) -> None:
        """Start the program anew, the old one having been killed; the chips keep what they hold."""
        if hasattr(self, "board"):
            self._killed.append(self.board)  # it must not close its pins when it is collected
        self.board = open_board(
            self.profile,
            self.nodes,
            line_pins(self.sim.lines, self.clock),
            clock=self.clock,
            refresh=self.refresh,
            clear_bus=self.clear_bus,
        )

    def clock(self) -> float:
        """Virtual time."""
        return self.now

    def _pass(self, seconds: float) -> None:
        self.now += seconds

    def step(self) -> list[Edge]:
        """Let everything happen that is due now."""
        self.sim.advance(self.now)
        edges = self.board.poll(self.now)
        self.board.flush(self.now)
        return edges

    def run(self, seconds: float) -> list[Edge]:
        """Step from deadline to deadline for so long."""
        end = self.now + seconds
        edges = self.step()
        while self.now < end:
            due = [at for at in (self.sim.deadline(), self.board.deadline()) if at is not None]
            self.now = min([end, *(max(at, self.now) for at in due)])
            edges += self.step()
        return edges

    def show(self, seat: int, image: Image.Image) -> bytes:
        """Ask for an image; return what the panel must show."""
        self.board.seats[seat].screen.show(image)
        return pack(image)

    def visible(self, seat: int) -> bytes:
        """What the seat's panel shows."""
        return self.sim.panel(seat).visible()
