"""The simulated board of a profile: its buses with muxes and panels, its lines with buttons and lamps."""

import random
import threading
from collections.abc import Callable, Mapping

from hardware.bus import I2CBus
from hardware.profile import PodSeat, Profile, WiredSeat
from hardware.seat import Button
from hardware.sim.adapter import KernelMux
from hardware.sim.bus import Segment, SimI2CBus
from hardware.sim.finger import Finger
from hardware.sim.lines import SimLine
from hardware.sim.mcp23017 import MCP23017
from hardware.sim.panel import Panel
from hardware.sim.podparts import PodParts
from hardware.sim.sh1106 import SH1106
from hardware.sim.ssd1306 import SSD1306
from hardware.sim.ssd1309 import SSD1309
from hardware.sim.tca9548a import CHANNELS, TCA9548A

CHIPS: Mapping[str, type[Panel]] = {"ssd1306": SSD1306, "sh1106": SH1106, "ssd1309": SSD1309}


PANEL_ADDRESS = 0x3C
"""Where the panel of a pod is on the pod's own bus."""


class SimBoard:
    """All that is soldered together for a profile, for the real drivers to find.

    ``press`` and ``release`` may be called from any thread; they take effect in ``advance``, which like all
    that moves the lines belongs to one thread. ``bounce_ms``: how long contacts bounce at most.
    ``stroke_ms``: how long a finger needs at least between going down and coming up: presses and releases
    that are closer are spread, and what is more than a finger can do is left out: the last wish holds.
    ``clock`` says when a press comes (seconds, monotonic); without it, it comes
    at the next ``advance``.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        seed: int = 0,
        bounce_ms: float = 3.0,
        stroke_ms: float = 40.0,
        clock: Callable[[], float] | None = None,
        passed: Callable[[float], None] | None = None,
        strict: bool = False,
    ) -> None:
        self.profile = profile
        self._chance = random.Random(seed)
        self._clock = clock
        self._now = 0.0
        self._asking = threading.Lock()
        """guards the fingers: they are asked from any thread"""
        self._moving: dict[Finger, None] = {}
        """fingers with something to do, in the order in which they were asked"""
        self._wake: Callable[[], None] = lambda: None
        self._changed: list[Callable[[int], None]] = []
        self.buses: dict[str, SimI2CBus] = {
            name: SimI2CBus(bus.speed, name=name, seed=self._chance.getrandbits(32), passed=passed)
            for name, bus in profile.buses.items()
        }
        """the wires by their name in the profile: for tests and injected faults"""
        self.muxes: dict[str, TCA9548A] = {}
        """the muxes by their name in the profile"""
        for name, mux in profile.muxes.items():
            self.muxes[name] = TCA9548A(mux.address, name=name)
            self.buses[mux.bus].attach(self.muxes[name])
        self.adapters: dict[str, I2CBus] = {**self.buses}
        """what Linux offers of them, by the names of ``Profile.bus_names``: for the drivers"""
        for name, mux in profile.muxes.items():
            if mux.driven == "kernel":
                kernel = KernelMux(self.buses[mux.bus], mux.address)
                self.adapters |= {f"{name}/{number}": kernel.channel(number) for number in range(CHANNELS)}
        self.lines: dict[int, SimLine] = {}
        """the lines by GPIO number"""
        for name, mux in profile.muxes.items():
            if mux.reset is not None:
                self._reset_line(self.muxes[name], mux.reset)
        self.expanders: dict[str, MCP23017] = {}
        """the expanders by their name in the profile"""
        for name, expander in profile.expanders.items():
            chip = MCP23017(expander.address, name=name, seed=self._chance.getrandbits(32))
            self.expanders[name] = chip
            self.buses[expander.bus].attach(chip)
            if expander.interrupt is not None:
                self._interrupt_line(chip, expander.interrupt)
        self._contacts: dict[tuple[int, Button], SimLine] = {}
        self._panels: dict[int, Panel] = {}
        self.pods: dict[int, PodParts] = {}
        """the pods by their seats"""
        for seat in profile.wired:
            self._solder(seat, strict)
        for pod in profile.pods:
            self._solder_pod(pod, strict)
        self._fingers = {
            place: Finger(contact, stroke_ms / 1000, bounce_ms / 1000, self._chance)
            for place, contact in self._contacts.items()
        }

    def _solder(self, seat: WiredSeat, strict: bool) -> None:
        screen = seat.screen
        panel = CHIPS[screen.chip](
            screen.address,
            name=f"seat {seat.number}",
            seed=self._chance.getrandbits(32),
            turned=screen.rotate == 180,
            window=screen.window,
            strict=strict,
        )
        panel.changed = lambda: self._tell(seat.number)
        self._panels[seat.number] = panel
        self._wires(seat).attach(panel)
        for button, pin in seat.buttons.by_button().items():
            self.lines[pin] = SimLine(pin, contact_level=self.profile.active == "high")
            self._contacts[seat.number, button] = self.lines[pin]
        for button, bit in seat.buttons.bits().items():
            self._contacts[seat.number, button] = self.expanders[bit.expander].pins[bit.number]
        if seat.lamp_pin is not None:
            self.lines[seat.lamp_pin] = SimLine(seat.lamp_pin)
            self.lines[seat.lamp_pin].on_drive = lambda: self._tell(seat.number)
        if seat.lamp_bit is not None:
            self.expanders[seat.lamp_bit.expander].changed.append(lambda: self._tell(seat.number))

    def _solder_pod(self, seat: PodSeat, strict: bool) -> None:
        panel = SSD1306(
            PANEL_ADDRESS,
            name=f"seat {seat.number}",
            seed=self._chance.getrandbits(32),
            turned=seat.rotate == 180,
            strict=strict,
        )
        parts = self.pods[seat.number] = PodParts(panel, lambda: self._tell(seat.number))
        self._panels[seat.number] = panel
        for button, line in parts.contacts.items():
            self._contacts[seat.number, button] = line

    def _reset_line(self, mux: TCA9548A, pin: int) -> None:
        line = self.lines[pin] = SimLine(pin)
        # The breakout pulls the pin up; while it is low the chip is held in reset.
        line.on_drive = lambda: mux.hold_reset(line.driven is False)

    def _interrupt_line(self, chip: MCP23017, pin: int) -> None:
        line = self.lines[pin] = SimLine(pin)
        chip.interrupted = lambda asserted: line.touch(asserted, self._now)

    def _wires(self, seat: WiredSeat) -> Segment:
        if seat.screen.mux is None:
            assert seat.screen.bus is not None
            return self.buses[seat.screen.bus].trunk
        assert seat.screen.channel is not None
        return self.muxes[seat.screen.mux].channels[seat.screen.channel]

    # What a person sees

    def panel(self, seat: int) -> Panel:
        """The panel of a seat; its ``visible()`` is what shines."""
        return self._panels[seat]

    def lamp(self, seat: int) -> bool | None:
        """Whether the seat's lamp is on; None if it has none."""
        if seat in self.pods:
            return self.pods[seat].lit
        profile = next(one for one in self.profile.wired if one.number == seat)
        if profile.lamp_bit is not None:
            return self.expanders[profile.lamp_bit.expander].pins[profile.lamp_bit.number].driven is True
        return None if profile.lamp_pin is None else self.lines[profile.lamp_pin].driven is True

    def watch(self, changed: Callable[[int], None]) -> None:
        """Call ``changed(seat)`` when what can be seen at a seat has changed, maybe from a bus's thread."""
        self._changed.append(changed)

    def _tell(self, seat: int) -> None:
        for changed in self._changed:
            changed(seat)

    # What a person does

    def press(self, seat: int, button: Button) -> None:
        """A finger goes down."""
        self._ask(seat, button, True)

    def release(self, seat: int, button: Button) -> None:
        """The finger comes up. More releases than presses do nothing."""
        self._ask(seat, button, False)

    def _ask(self, seat: int, button: Button, closed: bool) -> None:
        finger = self._fingers[seat, button]
        with self._asking:
            finger.ask(closed, self._clock() if self._clock else None)
            wakes = finger not in self._moving and finger.due() is not None
            if wakes:
                self._moving[finger] = None
        if wakes:
            self._wake()

    def unplug(self, seat: int) -> None:
        """Pull a seat's panel off its wires, power and all; or its pod's cable."""
        if seat in self.pods:
            self.pods[seat].unplug()
            return
        self._panels[seat].connected = False
        self._tell(seat)

    def plug(self, seat: int) -> None:
        """Put it back: it starts up dark, with random memory."""
        if seat in self.pods:
            self.pods[seat].plug()
            return
        self._panels[seat].power_on_reset()
        self._panels[seat].connected = True

    # Time

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``advance`` has something to do."""
        self._wake = wake

    def advance(self, now: float) -> None:
        """Let everything happen that happens up to ``now`` (seconds, monotonic)."""
        while (change := self._next_change(now)) is not None:
            when, line, closed = change
            self._now = when
            line.touch(closed, when)
        self._now = now

    def _next_change(self, now: float) -> tuple[float, SimLine, bool] | None:
        """Take the first change of a contact that is due by ``now``."""
        with self._asking:
            for finger in self._moving:
                finger.plan(now)
            due, first = self._first()
            if first is None or due > now:
                return None
            change = first.next()
            if first.due() is None:
                del self._moving[first]
            return change

    def _first(self) -> tuple[float, Finger | None]:
        """Which finger has something to do first, and when."""
        times = [(due, finger) for finger in self._moving if (due := finger.due()) is not None]
        return min(times, key=lambda time: time[0], default=(float("inf"), None))

    def deadline(self) -> float | None:
        """When ``advance`` must be called next even if nothing wakes; None: not before a press."""
        with self._asking:
            due, finger = self._first()
        return None if finger is None else max(due, self._now)
