"""What a simulated pod is made of beside its program: panel, contacts, lamp, a cable that can be pulled."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from hardware.seat import Button
from hardware.sim.lines import SimLine
from hardware.sim.panel import Panel


class PodProgram(Protocol):
    """What runs on a pod. All calls come from the thread that advances the board."""

    def power(self, on: bool) -> None:
        """The cable is plugged in (the program starts anew), or pulled."""
        ...

    def reset(self) -> None:
        """It starts anew, while the cable stays where it is."""
        ...

    def freeze(self, frozen: bool) -> None:
        """It stands still from now on, or goes on."""
        ...

    def contact(self, button: Button, closed: bool, at: float) -> None:
        """A button's contact closes or opens; ``at``: seconds, monotonic."""
        ...


class PodParts:
    """A pod's panel, contacts and lamp. ``told``: called when something of it has changed."""

    def __init__(self, panel: Panel, told: Callable[[], None]) -> None:
        self.panel = panel
        self.contacts = {button: SimLine(number) for number, button in enumerate(Button)}
        """the buttons' lines, low while pressed"""
        self.lit = False
        """whether the lamp shines"""
        self.plugged = True
        self.noise = 0.0
        """share of the bytes on its line that are damaged, both ways"""
        self.program: PodProgram | None = None
        self._told = told
        panel.changed = told
        for button, line in self.contacts.items():
            line.set_pull("up")
            line.watch(partial(self._moved, button))

    def drive_lamp(self, on: bool) -> None:
        """The program switches the lamp. It may do so a moment after its cable was pulled."""
        on = on and self.plugged
        if self.lit != on:
            self.lit = on
            self._told()

    def unplug(self) -> None:
        """Pull the cable: panel and lamp go dark."""
        if self.plugged:
            self.plugged = False
            if self.program is not None:
                self.program.power(False)
            self.panel.connected = self.lit = False
            self._told()

    def plug(self) -> None:
        """Plug it in again: the panel starts up dark, with random memory."""
        if not self.plugged:
            self.plugged = True
            self.panel.power_on_reset()
            self.panel.connected = True
            if self.program is not None:
                self.program.power(True)
            self._told()

    def reset(self) -> None:
        """Start the program anew."""
        if self.plugged and self.program is not None:
            self.program.reset()

    def freeze(self, frozen: bool) -> None:
        """Let the program stand still, or go on."""
        if self.plugged and self.program is not None:
            self.program.freeze(frozen)

    def garble(self, share: float) -> None:
        """Damage this share of the bytes on its line from now on, 0 to 1."""
        self.noise = share
        self._told()

    def _moved(self, button: Button, at: float, level: bool) -> None:
        if self.program is not None:
            self.program.contact(button, not level, at)
