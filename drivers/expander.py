"""Buttons and lamps on an expander: it is polled and looked after on its bus's thread."""

import errno
import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping

from drivers.edges import Change, Edges, stuck_fault
from drivers.mcp23017 import LOOK_BYTES, MCP23017, PEEK_BYTES, RegistersLost
from hardware.bus import I2CBus
from hardware.buttons import Debouncer
from hardware.errors import BusError
from hardware.seat import Button, Edge

log = logging.getLogger(__name__)

POLL_SECONDS = 0.010
"""How often an expander without an interrupt line is asked whether anything has happened."""
LINE_SECONDS = 0.040
"""How often an interrupt line's level is looked at, in case that its edge was lost: without a transfer."""
MOVING_SECONDS = 0.005
"""How often it is looked at while a contact bounces or waits to count."""
LOOK_SECONDS = 0.1
"""How often all registers are checked, whatever happens."""
LINE_LOOK_SECONDS = 0.5
"""The same with an interrupt line that works."""


class _Input:
    """One button's pin."""

    def __init__(self, seat: "ExpanderButtons", button: Button, number: int) -> None:
        self.seat = seat
        self.button = button
        self.bit = 1 << number
        self.debouncer: Debouncer | None = None


class Expander:
    """An MCP23017 and what hangs on it. ``name`` stands in faults, ``clock``: seconds, monotonic.

    The chip is programmed anew whenever its registers are not as they were written, and no level counts that
    was read together with wrong registers. All but what seats call is called from the bus's thread.
    """

    def __init__(
        self,
        bus: I2CBus,
        address: int,
        inputs: int,
        *,
        clock: Callable[[], float],
        name: str,
        settle_ms: float = 15,
    ) -> None:
        self.name = name
        self.wake: Callable[[], None] = lambda: None
        self.fault: str | None = None
        """what is wrong with the expander, in words for an operator"""
        self._clock = clock
        self._chip = MCP23017(bus, address, inputs)
        self._settle = settle_ms / 1000
        self._asserted: Callable[[], bool] = lambda: False
        self._line_works = False
        self._inputs: list[_Input] = []
        self._wanted = 0
        self._outputs: int | None = None
        self._sampled_at = 0.0
        self._next_look = 0.0
        self._next_poll = float("-inf")
        self._asked = False
        self._fell_at: float | None = None
        self._blind = True
        self._begun: Iterator[int] | None = None

    # For seats

    def buttons(self, seat: int, bits: Mapping[Button, int]) -> "ExpanderButtons":
        """The buttons of a seat: pin numbers, 0 to 7 for GPA0 to GPA7, 8 to 15 for GPB0 to GPB7."""
        buttons = ExpanderButtons(seat, self)
        for button, number in bits.items():
            pin = _Input(buttons, button, number)
            buttons.inputs.append(pin)
            self._inputs.append(pin)
        return buttons

    def lamp(self, number: int) -> "ExpanderLamp":
        """The lamp on a pin, by its number."""
        return ExpanderLamp(self, 1 << number)

    def switch(self, bit: int, on: bool) -> None:
        """Set the wanted level of an output."""
        self._wanted = self._wanted | bit if on else self._wanted & ~bit
        self.ask()

    def ask(self) -> None:
        """Poll it at once. From any thread."""
        self._asked = True
        self.wake()

    def wire(self, asserted: Callable[[], bool]) -> None:
        """It has an interrupt line: ``asserted`` tells whether that is low now."""
        self._asserted = asserted
        self._line_works = True

    def interrupted(self) -> None:
        """Its interrupt line fell. From any thread."""
        self._fell_at = self._clock()
        self.ask()

    # For the bus's owner

    def deadline(self) -> float:
        """When it must be polled next."""
        return float("-inf") if self._asked else self._next_poll

    def transfers(self) -> Iterator[int]:
        """Bring it to what is wanted, see what its buttons do: a transfer a step, the number of its bytes.

        It may be left after any step; then the next call goes on with it. Raise BusError if the bus fails.
        """
        if self._begun is None:
            self._begun = self._poll()
        return self._begun

    def poll(self) -> None:
        """All of ``transfers``."""
        for _ in self.transfers():
            pass

    def darken(self) -> int:
        """Switch all outputs off; return the bytes sent. Raise BusError if the bus fails."""
        self._wanted = 0
        if not self._outputs:
            return 0
        sent = self._chip.set_outputs(0)
        self._outputs = 0
        return sent

    def ping(self) -> int:
        """Ask whether it is there; return the bytes sent. Raise BusError if the bus fails."""
        self._lose_sight()
        self._chip.peek()
        return PEEK_BYTES

    def report(self, fault: str | None) -> None:
        """Set what ``fault`` tells."""
        self.fault = fault

    def _lose_sight(self) -> None:
        """What was captured is lost, or too old to act on: only levels count at the next look."""
        self._blind = True
        self._next_look = float("-inf")

    def _poll(self) -> Iterator[int]:
        self._asked = False  # before anything is read: what comes from now on asks again
        fell_at, self._fell_at = self._fell_at, None
        try:
            yield from self._look_after(self._sampled_at if fell_at is None else fell_at, fell_at is not None)
        except OSError:
            self._lose_sight()
            raise
        finally:
            self._begun = None
        moving = any(pin.debouncer is None or pin.debouncer.deadline is not None for pin in self._inputs)
        now = self._clock()
        if moving:
            self._next_poll = now + MOVING_SECONDS
        else:
            # At the same times for all expanders: each wakes the computer.
            pause = LINE_SECONDS if self._line_works else POLL_SECONDS
            earliest = now + MOVING_SECONDS
            self._next_poll = earliest + (-earliest) % pause

    def _look_after(self, moved_at: float, fell: bool) -> Iterator[int]:
        if self._outputs is None:
            yield from self._program()
            return
        if self._wanted != self._outputs:
            wanted = self._wanted
            sent = self._chip.set_outputs(wanted)
            self._outputs = wanted
            yield sent
        now = self._clock()
        asserted = fell or self._asserted()
        if asserted:
            self._line_works = True
        peeked = None
        quiet = all(pin.debouncer is not None and pin.debouncer.deadline is None for pin in self._inputs)
        if quiet and now < self._next_look:
            if self._line_works and not asserted:
                self._sampled_at = now
                return
            peeked = self._chip.peek()
            if not peeked.flags:
                self._sampled_at = now
            yield PEEK_BYTES
            if not peeked.flags:
                return
        try:
            now = self._clock()
            look = self._chip.look(self._outputs)
        except RegistersLost:
            # A single wrong reading may have been spoilt on the wire.
            yield LOOK_BYTES
            try:
                now = self._clock()
                look = self._chip.look(self._outputs)
            except RegistersLost as problem:
                log.warning("%s was programmed anew: %s", self.name, problem)
                yield LOOK_BYTES
                yield from self._program()
                return
        captured = look.captured
        if quiet and captured.flags and not asserted and not self._blind:
            self._line_works = False  # until it is seen low
        # What was captured stays until the next interrupt, so a spoilt reading is told from a true one.
        if peeked is not None and not captured.flags and captured.levels == peeked.levels:
            captured = peeked
        self._sample(0 if self._blind else captured.flags, captured.levels, look.levels, moved_at, now)
        self._blind = False
        self._next_look = now + (LINE_LOOK_SECONDS if self._line_works else LOOK_SECONDS)
        self._sampled_at = now
        yield LOOK_BYTES

    def _program(self) -> Iterator[int]:
        """Write all registers. Levels count from the next poll on, when the pull-ups have risen."""
        self._outputs = None
        wanted = self._wanted
        try:
            yield from self._chip.programming(wanted)
        except RegistersLost as problem:
            raise BusError(errno.ENODEV, f"is not an MCP23017 that works: {problem}") from None
        self._outputs = wanted
        self._lose_sight()

    def _sample(self, flags: int, captured: int, levels: int, moved_at: float, now: float) -> None:
        for pin in self._inputs:
            down, was_down = not levels & pin.bit, not captured & pin.bit
            if pin.debouncer is None:
                pin.debouncer = Debouncer(self._settle, down, now)
            elif flags & pin.bit and was_down != down:
                # It moved, and moved back before anybody looked: perhaps a whole tap.
                pin.debouncer.feed(was_down, moved_at)
            pin.debouncer.feed(down, now)
            for event, at in pin.debouncer.settle(now):
                pin.seat.found(pin.button, event, at)


class ExpanderButtons:
    """The buttons of one seat on an expander (``hardware.seat.Buttons``)."""

    def __init__(self, seat: int, expander: Expander) -> None:
        self.seat = seat
        self.inputs: list[_Input] = []
        self._expander = expander
        self._wake: Callable[[], None] = lambda: None
        self._found: deque[Change] = deque()
        self._edges = Edges(seat)

    @property
    def stuck(self) -> tuple[Button, ...]:
        """Buttons that have been down since the start: they are ignored until they are released."""
        return tuple(pin.button for pin in self.inputs if pin.debouncer is not None and pin.debouncer.stuck)

    @property
    def fault(self) -> str | None:
        """What is wrong with these buttons; None if they work."""
        return self._expander.fault or stuck_fault(self.stuck)

    def found(self, button: Button, down: bool, at: float) -> None:
        """A press or release became certain. From the bus's thread."""
        self._found.append((at, button, down))
        self._wake()

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when there is an edge to poll."""
        self._wake = wake

    def poll(self, now: float) -> list[Edge]:
        """Presses and releases that became certain, in order of time."""
        return self._edges.of([self._found.popleft() for _ in range(len(self._found))])

    def deadline(self) -> float | None:
        """Now if there is something to poll; else a wake comes."""
        return float("-inf") if self._found else None

    def close(self) -> None:
        """Nothing to let go."""


class ExpanderLamp:
    """A lamp on an expander's pin that feeds it while high (``hardware.seat.Lamp``)."""

    def __init__(self, expander: Expander, bit: int) -> None:
        self._expander = expander
        self._bit = bit

    def set(self, on: bool) -> None:
        """Switch it."""
        self._expander.switch(self._bit, on)
