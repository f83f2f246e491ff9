"""Simulated GPIO lines: what pulls them, what drives them, and contacts that bounce."""

import random
from collections.abc import Callable

PULLS = ("up", "down", "floating")


class SimLine:
    """One line of the header (``hardware.bus.Line``). A closed contact ties it to ``contact_level``.

    Not safe for several threads: all calls come from the one that advances the board.
    """

    def __init__(self, number: int, *, contact_level: bool = False) -> None:
        self.number = number
        self.contact_level = contact_level
        self.closed = False
        """whether the contact touches at this instant"""
        self.pull = "floating"
        self.driven: bool | None = None
        """the level that the program drives; None while the line is an input"""
        self.on_drive: Callable[[], None] | None = None
        """called when the program drives the line, or lets it go"""
        self._watcher: Callable[[float, bool], None] | None = None
        self._now = 0.0
        self._told = self.level

    @property
    def level(self) -> bool:
        """True while the line is high. A contact wins over the pull; a floating line stays as it was."""
        if self.driven is not None:
            return self.driven
        if self.closed:
            return self.contact_level
        if self.pull == "floating":
            return getattr(self, "_told", False)
        return self.pull == "up"

    def set_pull(self, pull: str) -> None:
        """Switch the pull resistor. Raise ValueError for one that does not exist."""
        if pull not in PULLS:
            raise ValueError(f"a pull is one of {', '.join(PULLS)}, not {pull!r}")
        self.pull = pull
        self._tell()

    def drive(self, level: bool | None) -> None:
        """Drive the line as an output, or let it go (None)."""
        self.driven = level
        self._tell()
        if self.on_drive is not None:
            self.on_drive()

    def watch(self, changed: Callable[[float, bool], None] | None) -> None:
        """Call ``changed(at, level)`` on every change of level; None ends it."""
        self._watcher = changed
        self._told = self.level

    def touch(self, closed: bool, at: float) -> None:
        """The contact closes or opens, without bounce."""
        self.closed = closed
        self._now = at
        self._tell()

    def _tell(self) -> None:
        level = self.level
        if level != self._told:
            self._told = level
            if self._watcher is not None:
                self._watcher(self._now, level)


def bounce(chance: random.Random, closed: bool, at: float, seconds: float) -> list[tuple[float, bool]]:
    """A contact that closes or opens at ``at``: it does so at once, then bounces for at most ``seconds``."""
    if seconds <= 0:
        return [(at, closed)]
    touches = sorted(at + chance.uniform(0, seconds) for _ in range(2 * chance.randint(0, 4)))
    return [(at, closed), *((when, closed == bool(index % 2)) for index, when in enumerate(touches))]
