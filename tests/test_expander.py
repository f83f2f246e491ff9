"""MCP23017: the model of the chip, its driver, and buttons and lamps on it."""

import errno
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rig_hardware import Rig, noise

from drivers.expander import Expander
from drivers.mcp23017 import MCP23017 as Driver
from drivers.mcp23017 import RegistersLost
from hardware.errors import BusError
from hardware.profile import parse_profile
from hardware.seat import Button, Edge
from hardware.sim.bus import SimI2CBus
from hardware.sim.lines import SimLine
from hardware.sim.mcp23017 import GPINTEN, GPPU, INTCAP, INTF, IOCON, IODIR, IPOL, MCP23017, OLAT

INPUTS = 0x3F3F
"""The buttons of expander-6."""


def chip_on_bus(seed: int = 0) -> tuple[SimI2CBus, MCP23017]:
    """A chip fresh from power-up."""
    bus, chip = SimI2CBus(seed=seed), MCP23017(0x20, seed=seed)
    bus.attach(chip)
    return bus, chip


# The model


def test_addresses_of_both_banks() -> None:
    """Bank 0 pairs the ports' registers, bank 1 keeps each port's together; IOCON moves with them."""
    bus, chip = chip_on_bus()
    bus.write(0x20, b"\x0c\x12\x34")  # GPPUA, GPPUB
    bus.write(0x20, b"\x0a\x80")
    assert bus.write_read(0x20, b"\x06", 1) == b"\x12"
    assert bus.write_read(0x20, b"\x16", 1) == b"\x34"
    assert bus.write_read(0x20, b"\x05", 1) == b"\x80"
    assert bus.write_read(0x20, b"\x0a", 2)[1:] == bytes([chip.register(IODIR, 1)])
    bus.write(0x20, b"\x15\x00")
    assert bus.write_read(0x20, b"\x0b", 1) == b"\x00"


def test_counting_of_addresses() -> None:
    """Addresses count on and wrap round; with SEQOP the two ports' registers alternate."""
    bus, _ = chip_on_bus()
    bus.write(0x20, b"\x0c\x12\x34")
    assert bus.write_read(0x20, b"\x15", 3) == b"\x00\xff\xff"
    bus.write(0x20, b"\x0a\x20")
    assert bus.write_read(0x20, b"\x0c", 4) == b"\x12\x34\x12\x34"


def test_port_latch_and_polarity() -> None:
    """Writing the port writes the latch; reading it gives the pins, turned round where IPOL says so."""
    bus, chip = chip_on_bus()
    bus.write(0x20, b"\x00\xfe\xff")
    bus.write(0x20, b"\x12\x01")
    assert (chip.register(OLAT, 0), chip.pins[0].level) == (1, True)
    bus.write(0x20, b"\x0c\xff\xff")
    chip.pins[1].touch(True, 0.0)
    assert bus.write_read(0x20, b"\x12", 2) == b"\xfd\xff"
    bus.write(0x20, b"\x02\x02")
    assert bus.write_read(0x20, b"\x12", 1) == b"\xff"
    # What is read only stays as it is.
    bus.write(0x20, b"\x0e\xff\xff\xff\xff")
    assert bus.write_read(0x20, b"\x0e", 2) == b"\x00\x00"


def test_floating_inputs_read_by_chance() -> None:
    """After power-up nothing is pulled: what is read then means nothing."""
    bus, _ = chip_on_bus()
    assert len({bus.write_read(0x20, b"\x12", 2) for _ in range(20)}) > 10


def test_interrupt_on_change() -> None:
    """The first change is flagged and captured; until it is cleared no other is, and reading clears it."""
    bus, chip = chip_on_bus()
    bus.write(0x20, b"\x0c\xff\xff")
    bus.write(0x20, b"\x04\xff\xff")
    bus.write_read(0x20, b"\x12", 2)
    assert not chip.interrupt
    chip.pins[2].touch(True, 0.0)
    chip.pins[3].touch(True, 0.0)
    chip.pins[2].touch(False, 0.0)
    assert chip.interrupt
    assert (chip.register(INTF, 0), chip.register(INTCAP, 0)) == (0x04, 0xFB)
    assert bus.write_read(0x20, b"\x0e", 1) == b"\x04"
    assert chip.interrupt
    assert bus.write_read(0x20, b"\x10", 1) == b"\xfb"
    assert not chip.interrupt
    assert bus.write_read(0x20, b"\x10", 1) == b"\xfb"
    assert bus.write_read(0x20, b"\x12", 1) == b"\xf7"


def test_interrupt_against_default_strikes_again() -> None:
    """Compared with DEFVAL, a level that differs interrupts anew as soon as it is cleared."""
    bus, chip = chip_on_bus()
    bus.write(0x20, b"\x0c\xff\xff")
    bus.write(0x20, b"\x06\x01\x00\x01\x00")
    bus.write(0x20, b"\x04\x01")
    chip.pins[0].touch(True, 0.0)
    for _ in range(3):
        assert chip.interrupt
        bus.write_read(0x20, b"\x12", 1)
    chip.pins[0].touch(False, 0.0)
    bus.write_read(0x20, b"\x12", 1)
    assert not chip.interrupt


def test_interrupt_pins_alike() -> None:
    """INTA follows port A alone, or with MIRROR both ports; ports are cleared one by one."""
    bus, chip = chip_on_bus()
    bus.write(0x20, b"\x0c\xff\xff")
    bus.write(0x20, b"\x04\xff\xff")
    bus.write_read(0x20, b"\x12", 2)
    chip.pins[8].touch(True, 0.0)
    assert not chip.interrupt
    bus.write(0x20, b"\x0a\x40")
    assert chip.interrupt
    bus.write_read(0x20, b"\x12", 1)
    assert chip.interrupt
    bus.write_read(0x20, b"\x13", 1)
    assert not chip.interrupt


# The driver


@pytest.mark.parametrize("seed", range(20))
def test_programmed_from_any_state(seed: int) -> None:
    """Whatever the registers hold, bank and counting included, the chip ends as it should, nothing pending.

    Both bits 7 are outputs, buttons are inputs with pull-ups, and no interrupt is left over.
    """
    bus, chip = chip_on_bus(seed)
    chance = random.Random(seed)
    bus.write(0x20, bytes([0x00, *chance.randbytes(10), chance.randrange(256) & 0x7E]))
    bus.write(0x20, bytes([0x0A, chance.choice((0x00, 0x20, 0x80, 0xA0, 0xFE))]))
    for pin in range(16):
        chip.pins[pin].touch(chance.random() < 0.5, 0.0)
    Driver(bus, 0x20, INPUTS).program(0x8080)
    for port in (0, 1):
        assert chip.register(IODIR, port) == 0x3F
        assert chip.register(GPPU, port) == 0x3F
        assert chip.register(GPINTEN, port) == 0x3F
        assert chip.register(IPOL, port) == 0
        assert chip.register(IOCON, port) == 0x44
        assert chip.register(OLAT, port) == 0x80
        assert chip.pins[8 * port + 7].driven is True
    assert not chip.interrupt


def test_outputs_never_flicker_while_programmed() -> None:
    """A lamp's pin is not driven low between power-up and the level that is wanted."""
    bus, chip = chip_on_bus()
    seen = []
    chip.pins[7].on_drive = lambda: seen.append(chip.pins[7].driven)
    Driver(bus, 0x20, INPUTS).program(0x0080)
    assert seen == [True]


def test_wrong_inputs_are_refused() -> None:
    """GPA7 and GPB7 are no inputs."""
    for inputs in (0x80, 0x8000, 0x10000):
        with pytest.raises(ValueError, match="outputs only"):
            Driver(SimI2CBus(), 0x20, inputs)


@pytest.mark.parametrize("register", [0x00, 0x02, 0x05, 0x06, 0x08, 0x0A, 0x0D, 0x14])
def test_every_register_is_checked(register: int) -> None:
    """A look tells of any register that does not hold what was written; a good one costs 25 bytes."""
    bus, _ = chip_on_bus()
    driver = Driver(bus, 0x20, INPUTS)
    driver.program(0)
    before = bus.traffic
    driver.look(0)
    assert bus.traffic.since(before).bytes == 25
    before = bus.traffic
    driver.peek()
    assert bus.traffic.since(before).bytes == 7
    value = bus.write_read(0x20, bytes([register]), 1)[0]
    bus.write(0x20, bytes([register, value ^ 0x20]))
    with pytest.raises((RegistersLost, BusError)):
        driver.look(0)


# Buttons and lamps


class Noisy:
    """A bus on which one read of many bytes gives random bits (``hardware.bus.I2CBus``)."""

    def __init__(self, bus: SimI2CBus, seed: int) -> None:
        self.spoil = 0
        """how many reads are spoilt from now on"""
        self._bus = bus
        self._chance = random.Random(seed)

    def write(self, address: int, data: bytes) -> None:
        """As it is."""
        self._bus.write(address, data)

    def read(self, address: int, count: int) -> bytes:
        """As it is."""
        return self._bus.read(address, count)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Perhaps spoilt."""
        answer = self._bus.write_read(address, data, count)
        if self.spoil:
            self.spoil -= 1
            return self._chance.randbytes(count)
        return answer


BUTTONS = dict(zip(Button, (0, 1, 8, 9), strict=True))
"""Where the buttons of a bench are."""


class Bench:
    """One expander with four buttons at GPA0, GPA1, GPB0, GPB1 and a lamp at GPA7, in virtual time."""

    def __init__(self, seed: int = 0, *, interrupt: bool = False, start: bool = True) -> None:
        self.now = 10.0
        self.wires, self.chip = chip_on_bus(seed)
        self.wires._passed = self._pass
        self.bus = Noisy(self.wires, seed)
        self.expander = Expander(self.bus, 0x20, 0x0303, clock=lambda: self.now, name="expander a")
        if interrupt:
            self.expander.wire(lambda: self.chip.interrupt)
        self.buttons = self.expander.buttons(1, BUTTONS)
        self.lamp = self.expander.lamp(7)
        self.edges: list[Edge] = []
        self.asserted = 0.0
        self._since: float | None = None
        self.chip.interrupted = self._interrupted
        self.ask: Callable[[], None] = self.expander.interrupted if interrupt else lambda: None
        if start:
            self.run(0.05)
            assert self.edges == []

    def _pass(self, seconds: float) -> None:
        self.now += seconds

    def _interrupted(self, asserted: bool) -> None:
        if asserted:
            self._since = self.now
            self.ask()
        elif self._since is not None:
            self.asserted = max(self.asserted, self.now - self._since)
            self._since = None

    def touch(self, button: Button, down: bool) -> None:
        """The contact closes or opens."""
        self.chip.pins[BUTTONS[button]].touch(down, self.now)

    def run(self, seconds: float) -> None:
        """Poll whenever it is due."""
        end = self.now + seconds
        while (due := self.expander.deadline()) <= end:
            self.now = max(self.now, due)
            self.expander.poll()
            self.edges += self.buttons.poll(self.now)
        self.now = max(self.now, end)

    @property
    def presses(self) -> list[tuple[Button, bool]]:
        """What has happened."""
        return [(edge.button, edge.down) for edge in self.edges]


@pytest.mark.parametrize("interrupt", [False, True])
def test_presses_and_releases(interrupt: bool) -> None:
    """Each stroke gives one press and one release, no later than settle time and poll after it."""
    bench = Bench(interrupt=interrupt)
    for button in Button:
        began = bench.now
        bench.touch(button, True)
        bench.run(0.04)
        assert bench.presses == [(button, True)]
        assert began <= bench.edges[0].at <= began + 0.026
        bench.touch(button, False)
        bench.run(0.04)
        assert bench.presses == [(button, True), (button, False)]
        bench.edges.clear()


@pytest.mark.parametrize("interrupt", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_bouncing_strokes(seed: int, interrupt: bool) -> None:
    """Strokes of 40 ms or more with contacts that bounce up to 10 ms are seen once each; glitches never."""
    bench = Bench(seed, interrupt=interrupt)
    chance = random.Random(seed)
    wanted = []
    for _ in range(30):
        button = chance.choice(list(Button))
        if chance.random() < 0.3:
            bench.touch(button, True)
            bench.run(0.001)
            bench.touch(button, False)
            bench.run(0.03)
            continue
        wanted += [(button, True), (button, False)]
        for down in (True, False):
            end = bench.now + chance.uniform(0.04, 0.1)
            for _ in range(chance.randint(0, 4)):
                bench.touch(button, down)
                bench.run(chance.uniform(0, 0.001))
                bench.touch(button, not down)
                bench.run(chance.uniform(0, 0.001))
            bench.touch(button, down)
            bench.run(end - bench.now)
    assert bench.presses == wanted


def test_interrupt_pending_at_the_start() -> None:
    """A chip whose interrupt is asserted when the program starts is cleared, and its presses are heard."""
    bench = Bench(interrupt=True, start=False)
    bench.wires.write(0x20, b"\x0c\xff\xff")
    bench.wires.write(0x20, b"\x04\xff\xff")
    bench.touch(Button.LEFT, True)
    bench.touch(Button.LEFT, False)
    assert bench.chip.register(INTF, 0)
    bench.run(0.05)
    assert not bench.chip.interrupt
    assert bench.edges == []
    bench.touch(Button.LEFT, True)
    bench.run(0.05)
    assert bench.presses == [(Button.LEFT, True)]


@pytest.mark.parametrize("interrupt", [False, True])
@pytest.mark.parametrize("lost", [False, True])
def test_presses_on_both_ports_at_once(interrupt: bool, lost: bool) -> None:
    """Four presses within a millisecond, on both ports: each once, though an interrupt's edge is lost.

    The interrupt is never asserted for more than 50 ms.
    """
    for gap in (0.0, 0.0002, 0.0004):
        bench = Bench(interrupt=interrupt)
        if lost:
            bench.ask = lambda: None
        for down in (True, False):
            for button in (Button.LEFT, Button.MARK, Button.RIGHT, Button.PLAY):
                bench.touch(button, down)
                bench.run(gap)
            bench.run(0.06)
            assert sorted(bench.presses, key=str) == sorted(((b, down) for b in Button), key=str)
            bench.edges.clear()
        assert 0 < bench.asserted <= 0.05


def test_tap_between_two_polls() -> None:
    """A tap that began and ended while nobody looked was captured: it counts once, if it may have settled."""
    bench = Bench(interrupt=True)
    bench.ask = lambda: None
    for number in range(1, 4):
        bench.run(0.01)
        bench.now = bench.expander.deadline() - 0.022
        bench.touch(Button.MARK, True)
        bench.now += 0.02
        bench.touch(Button.MARK, False)
        bench.run(0.1)
        assert bench.presses == number * [(Button.MARK, True), (Button.MARK, False)]
    assert bench.asserted <= 0.05


def test_late_poll_sees_the_tap_that_was_missed() -> None:
    """While the bus was busy for 80 ms a button was tapped: one press, one release."""
    bench = Bench()
    bench.now = bench.expander.deadline() + 0.01
    bench.touch(Button.PLAY, True)
    bench.now += 0.04
    bench.touch(Button.PLAY, False)
    bench.now += 0.03
    bench.run(0.1)
    assert bench.presses == [(Button.PLAY, True), (Button.PLAY, False)]


def test_a_tap_during_an_outage_is_forgotten() -> None:
    """What was captured while the expander could not be asked is no press when it answers again."""
    bench = Bench()
    fault = bench.wires.fail(errno.EIO)
    with pytest.raises(BusError):
        bench.run(0.1)
    bench.touch(Button.LEFT, True)
    bench.now += 0.05
    bench.touch(Button.LEFT, False)
    bench.now += 5.0
    bench.wires.heal(fault)
    bench.run(0.2)
    assert bench.edges == []
    assert not bench.chip.interrupt


@pytest.mark.parametrize("interrupt", [False, True])
@pytest.mark.parametrize("spoilt", [1, 2])
def test_random_bits_press_nothing(interrupt: bool, spoilt: int) -> None:
    """A read that gives random bits, or two, make no press and lose none, whatever bits they are."""
    for seed in range(60):
        bench = Bench(seed, interrupt=interrupt)
        chance = random.Random(seed)
        for _ in range(5):
            bench.run(chance.uniform(0, 0.15))
            bench.bus.spoil = spoilt
        bench.run(0.2)
        assert bench.edges == []
        bench.touch(Button.LEFT, True)
        bench.run(chance.uniform(0, 0.02))
        bench.bus.spoil = spoilt
        bench.run(0.1)
        assert bench.presses == [(Button.LEFT, True)]


@pytest.mark.parametrize("interrupt", [False, True])
def test_power_on_reset_in_play(interrupt: bool, caplog: pytest.LogCaptureFixture) -> None:
    """A chip that lost its registers is programmed anew within two seconds, and presses nothing meanwhile.

    A button that is held through it stays held; lamps shine again.
    """
    for seed in range(30):
        bench = Bench(seed, interrupt=interrupt)
        bench.lamp.set(True)
        bench.touch(Button.RIGHT, True)
        bench.run(0.1 + seed / 150)
        bench.edges.clear()
        bench.chip.power_on_reset()
        bench.run(2.0)
        assert bench.edges == []
        assert bench.chip.register(IODIR, 0) == bench.chip.register(GPPU, 0) == 0x03
        assert bench.chip.pins[7].driven is True
        bench.touch(Button.RIGHT, False)
        bench.run(0.1)
        assert bench.presses == [(Button.RIGHT, False)]
    assert "expander a was programmed anew: register 0x00 holds 0xFFFF, not 0x0303" in caplog.text


def test_idle_traffic() -> None:
    """An idle expander takes under 3 % of a bus of 400 kHz; with an interrupt line under 2 %."""
    for interrupt, most in ((False, 0.03), (True, 0.02)):
        bench = Bench(interrupt=interrupt)
        before = bench.wires.traffic
        bench.run(10.0)
        assert bench.wires.traffic.since(before).seconds(400_000) < most * 10


# On a board


def expander_board(**options: Any) -> Rig:
    """expander-6, its panels dark and blank."""
    rig = Rig("expander-6", **options)
    rig.run(0.3)
    return rig


def test_unplugged_expander_is_its_seats_fault() -> None:
    """Without its expander a seat says so within a second; others play on, and it comes back by itself."""
    rig = expander_board(bounce_ms=0)
    rig.sim.expanders["a"].connected = False
    rig.run(1.0)
    faults = {number: seat.fault for number, seat in rig.board.seats.items()}
    assert [number for number, fault in faults.items() if fault] == [1, 2, 3]
    assert "expander a (bus main, 0x20) does not answer" in str(faults[2])
    assert rig.board.seats[1].screen.fault is None
    rig.sim.press(5, Button.MARK)
    assert [(edge.seat, edge.button) for edge in rig.run(0.2)] == [(5, Button.MARK)]
    rig.sim.expanders["a"].power_on_reset()
    rig.sim.expanders["a"].connected = True
    rig.run(1.2)
    assert all(seat.fault is None for seat in rig.board.seats.values())
    rig.sim.press(2, Button.PLAY)
    assert [(edge.seat, edge.button) for edge in rig.run(0.2)] == [(2, Button.PLAY)]


def test_another_chip_at_the_expanders_address() -> None:
    """A chip that does not keep its registers is no expander: its seats say so, and nothing presses."""
    rig = expander_board()
    rig.sim.expanders["a"].connected = False

    class Other(MCP23017):
        def write(self, data: bytes) -> None:
            """Nothing is kept."""

    rig.bus.attach(Other(0x20))
    assert rig.run(3.0) == []
    assert "is not an MCP23017 that works: register 0x00" in str(rig.board.seats[1].fault)
    assert rig.board.seats[4].fault is None


@pytest.mark.parametrize("speed", [100_000, 400_000])
@pytest.mark.parametrize("interrupt", [True, False])
def test_a_press_does_not_wait_for_pictures(speed: int, interrupt: bool) -> None:
    """While six seats are repainted over and over, a press is known within 50 ms, bounce settled."""
    text = (Path(__file__).parents[1] / "hardware/boards/expander-6.toml").read_text("utf-8")
    text = text.replace("400_000", str(speed))
    if not interrupt:
        text = text.replace("interrupt =", "# interrupt =")
    rig = Rig(parse_profile(text, "e.toml"), bounce_ms=0)
    rig.run(1.0)
    seen: list[float] = []
    rig.board.listen(lambda: seen.append(rig.now))
    waits = []
    for number, (seat, button) in enumerate(itertools.product((1, 4, 6), Button)):
        for each in rig.board.seats:
            rig.show(each, noise(10 * number + each))
        contact = rig.sim._contacts[seat, button]
        at = rig.now + 0.004 * number

        def passed(seconds: float, contact: SimLine = contact, at: float = at) -> None:
            # The contact closes while the bus is busy, not between two frames.
            rig.now += seconds
            if rig.now >= at and not contact.closed:
                contact.touch(True, rig.now)

        rig.bus._passed = passed
        seen.clear()
        rig.run(0.2)
        waits.append(seen[0] - at)
        rig.bus._passed = rig._pass
        contact.touch(False, rig.now)
        rig.run(0.1)
    assert max(waits) <= 0.05


def test_frames_in_pieces_are_within_budget() -> None:
    """A frame that makes room for polls is still at most 1,040 bytes and 20 transfers, polls not counted."""
    rig = expander_board()
    rig.bus.log = []
    shown = rig.show(2, noise(1))
    rig.step()
    assert rig.visible(2) == shown
    sent = [t for t in rig.bus.log if t.messages[0].address in (0x3C, 0x70)]
    assert sum(len(m.data) + 1 + (1 if m.reading else 0) for t in sent for m in t.messages) <= 1040
    assert len(sent) <= 20


def test_lamps_of_all_seats() -> None:
    """Each seat's lamp is its own, shines on the wire, and is out after the end."""
    rig = expander_board()
    for number, seat in rig.board.seats.items():
        assert seat.lamp is not None
        seat.lamp.set(True)
        rig.step()
        assert [other for other in rig.board.seats if rig.sim.lamp(other)] == [number]
        seat.lamp.set(False)
        rig.step()
    for seat in rig.board.seats.values():
        assert seat.lamp is not None
        seat.lamp.set(True)
    rig.step()
    rig.board.close()
    assert not any(rig.sim.lamp(number) for number in rig.board.seats)


def test_bus_errors_press_nothing() -> None:
    """Transfers to an expander fail at random: no press is made up, and none that lasts is lost."""
    for seed in range(5):
        rig = expander_board(seed=seed)
        rig.bus.fail(errno.EIO, device=rig.sim.expanders["a"], probability=0.2)
        assert rig.run(3.0) == []
        rig.sim.press(1, Button.LEFT)
        assert [(edge.seat, edge.button, edge.down) for edge in rig.run(3.0)] == [(1, Button.LEFT, True)]


def test_a_slow_expander_gets_a_tenth_of_the_time() -> None:
    """Its seats say so, its presses are heard late; the others' buttons and all pictures hardly wait for it.

    Programming it, too, is left between two transfers.
    """
    rig = expander_board(bounce_ms=0)
    fault = rig.bus.fail(0, device=rig.sim.expanders["a"], delay=0.04)
    rig.run(1.0)
    assert [number for number, seat in rig.board.seats.items() if seat.fault] == [1, 2, 3]
    assert "expander a (bus main, 0x20) is slow" in str(rig.board.seats[1].fault)
    before = rig.bus.traffic.waited
    rig.run(30.0)
    assert rig.bus.traffic.waited - before <= 0.1 * 30
    rig.sim.expanders["a"].power_on_reset()
    waits = []
    for number in range(40):
        began = rig.now
        shown = rig.show(5, noise(number))
        rig.step()
        waits.append(rig.now - began)
        assert rig.visible(5) == shown
        rig.run(0.11)
    assert max(waits) <= 0.1
    rig.sim.press(5, Button.PLAY)
    assert [edge.seat for edge in rig.run(0.1)] == [5]
    rig.run(4.0)
    rig.sim.press(2, Button.PLAY)
    assert [edge.seat for edge in rig.run(2.0)] == [2]
    rig.bus.heal(fault)
    rig.run(1.0)
    assert all(seat.fault is None for seat in rig.board.seats.values())


def test_an_idle_line_costs_no_traffic() -> None:
    """With an interrupt line an expander at rest is asked twice a second; a lost edge is good in 0.1 s."""
    bench = Bench(interrupt=True)
    bench.run(1.0)
    before = bench.wires.traffic
    bench.run(10.0)
    assert bench.wires.traffic.since(before).transfers <= 21
    bench.ask = lambda: None
    for number in range(20):
        bench.run(0.3 + number * 0.0071)
        bench.edges.clear()
        bench.touch(Button.MARK, number % 2 == 0)
        bench.run(0.1)
        assert bench.presses == [(Button.MARK, number % 2 == 0)]


def test_a_broken_line_is_found_out() -> None:
    """Where the interrupt line never falls, the first press shows it; from then on the expander is polled."""
    bench = Bench()
    bench.expander.wire(lambda: False)
    bench.touch(Button.MARK, True)
    bench.run(0.6)
    bench.edges.clear()
    for down in (False, True, False):
        bench.touch(Button.MARK, down)
        bench.run(0.1)
    assert bench.presses == [(Button.MARK, down) for down in (False, True, False)]
