"""Random faults on simulated boards, and an oracle that sees every byte on the wires and every lit pixel."""

import errno
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from rig_hardware import Bell, Rig, noise

from hardware.frame import PAGES, pack
from hardware.profile import Profile, load_profile, parse_profile
from hardware.seat import WIDTH
from hardware.sim.bus import SimI2CBus, Transfer
from hardware.sim.mcp23017 import MCP23017
from hardware.sim.panel import Panel
from hardware.sim.tca9548a import TCA9548A

ERRORS = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.ENXIO, errno.EAGAIN, errno.EBUSY]
PANELS = (0x3C, 0x3D)


def two_muxes() -> Profile:
    """Six seats behind two muxes of one bus: equal channels, equal addresses."""
    text = (Path(__file__).parents[1] / "hardware/boards/direct-6-usermux.toml").read_text("utf-8")
    text = text.replace("[muxes.hub]", '[muxes.hab]\nbus = "main"\naddress = 0x71\n\n[muxes.hub]')
    for seat in (4, 5, 6):
        text = text.replace(f'mux = "hub", channel = {seat - 1}', f'mux = "hab", channel = {seat - 4}')
    return parse_profile(text, "two-muxes.toml")


BOARDS: dict[str, Callable[[], Profile]] = {
    "two muxes": two_muxes,
    "expanders": lambda: load_profile("expander-6"),
    "the kernel's mux": lambda: load_profile("direct-6"),
    "no mux": lambda: load_profile("direct-2"),
}


def canary(seat: int, number: int) -> Image.Image:
    """An image of which every byte on the wire tells the seat that it is meant for."""
    chance = random.Random(100 * seat + number)
    image = Image.new("1", (WIDTH, 8 * PAGES))
    pixels = image.load()
    assert pixels is not None
    for page in range(PAGES):
        for column in range(WIDTH):
            byte = chance.getrandbits(5) << 3 | seat
            for bit in range(8):
                pixels[column, 8 * page + bit] = byte >> bit & 1
    return image


CANARIES = {(seat, number): canary(seat, number) for seat in range(1, 7) for number in range(4)}
OWN = {seat: frozenset({0, *(high << 3 | seat for high in range(32))}) for seat in range(1, 7)}
"""What bytes may shine at a seat: its own, or dark ones."""


class Oracle:
    """Looks at all that is written to panels and at all that shines, and fails the run if anything is astray.

    A write that nobody hears is astray too, unless something is away, was just reset, or made it fail.
    """

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.writes = 0
        self.excused = False
        """something has been reset or made to fail: a write may be lost"""
        self.astray: list[str] = []
        self.seat_of = {rig.sim.panel(seat): seat for seat in rig.board.seats}
        rig.sim.watch(self._shines)
        rig.bus.log = []

    def _shines(self, seat: int) -> None:
        if foreign := set(self.rig.visible(seat)) - OWN[seat]:
            self.astray.append(f"seat {seat} shows bytes {sorted(foreign)[:5]}")

    def check(self) -> None:
        """Look at what went over the wires since the last time."""
        log = self.rig.bus.log
        assert log is not None
        seen, log[:] = log[:], []
        for transfer in seen:
            self._check(transfer)
        assert not self.astray, self.astray[:3]

    def _check(self, transfer: Transfer) -> None:
        for message in transfer.messages:
            if message.address not in PANELS or message.reading:
                continue
            self.writes += 1
            heard = [device for device in message.reached if isinstance(device, Panel)]
            if len(heard) > 1:
                self.astray.append(f"{len(heard)} panels heard {message.data[:4].hex()}")
            if not heard and not (self.excused or self.away):
                self.astray.append(f"nobody heard {message.data[:4].hex()}")
            meant = {byte & 7 for byte in message.data[1:]} - {0} if message.data[:1] == b"\x40" else set()
            if len(meant) > 1 or (meant and heard and meant != {self.seat_of[heard[0]]}):
                self.astray.append(f"data of seats {sorted(meant)} reached {[p.name for p in heard]}")

    @property
    def away(self) -> bool:
        """Whether a panel or a mux is off its wires."""
        return not all(device.connected for device in (*self.seat_of, *self.rig.sim.muxes.values()))


class Trouble:
    """Faults by chance on a rig."""

    def __init__(self, rig: Rig, oracle: Oracle, seed: int) -> None:
        self.rig = rig
        self.oracle = oracle
        self.chance = random.Random(seed)
        self.seats = list(rig.board.seats)
        self.chips: list[MCP23017 | TCA9548A] = [*rig.sim.muxes.values(), *rig.sim.expanders.values()]

    def strike(self) -> None:
        """One thing more goes wrong, or one is over."""
        kinds = [self.fail, self.fail, self.unplug, self.dip, self.heal, self.dead_bus, self.restart]
        if self.rig.sim.muxes:
            kinds += [self.reset_mux, self.lose_mux]
            if all(mux.driven == "user" for mux in self.rig.profile.muxes.values()):
                kinds.append(self.hold)
        if self.rig.sim.expanders:
            kinds.append(self.dip_expander)
        self.chance.choice(kinds)()

    def fail(self) -> None:
        """A chip's transfers fail, are slow, or break off in the middle."""
        self.oracle.excused = True
        self.rig.bus.fail(
            self.chance.choice((*ERRORS, 0)),
            device=self.chance.choice([*(self.rig.sim.panel(seat) for seat in self.seats), *self.chips]),
            probability=self.chance.choice((0.1, 0.5, 1.0)),
            after=self.chance.choice((0, 0, 1, 3, 200)),
            delay=self.chance.choice((0.0, 0.0, 0.02, 0.2)),
            times=self.chance.choice((1, 5, None)),
        )

    def dead_bus(self) -> None:
        """All transfers fail."""
        self.oracle.excused = True
        self.rig.bus.fail(self.chance.choice(ERRORS), times=self.chance.choice((3, 30, None)))

    def heal(self) -> None:
        """Wires, plugs and channels are mended; an operator tries all seats again."""
        self.rig.bus.heal()
        for seat in self.seats:
            if not self.rig.sim.panel(seat).connected:
                self.rig.sim.plug(seat)
        for chip in self.chips:
            if not chip.connected:
                chip.connected = True
            if isinstance(chip, TCA9548A):
                chip.blocked.clear()
        for seat in self.seats:
            self.rig.board.retry(seat)

    def unplug(self) -> None:
        """A panel is pulled off, or put back."""
        seat = self.chance.choice(self.seats)
        (self.rig.sim.unplug if self.rig.sim.panel(seat).connected else self.rig.sim.plug)(seat)

    def dip(self) -> None:
        """A panel loses its set-up, and says nothing."""
        self.rig.sim.panel(self.chance.choice(self.seats)).power_on_reset()

    def dip_expander(self) -> None:
        """An expander does."""
        self.chance.choice(list(self.rig.sim.expanders.values())).power_on_reset()

    def reset_mux(self) -> None:
        """A mux loses its selection."""
        self.oracle.excused = True
        self.chance.choice(list(self.rig.sim.muxes.values())).reset()

    def lose_mux(self) -> None:
        """A mux is pulled off, or put back."""
        mux = self.chance.choice(list(self.rig.sim.muxes.values()))
        self.oracle.excused = True
        mux.reset()
        mux.connected = not mux.connected

    def hold(self) -> None:
        """Something holds the wires of a channel."""
        self.oracle.excused = True
        self.chance.choice(list(self.rig.sim.muxes.values())).blocked.add(self.chance.randrange(3))

    def restart(self) -> None:
        """The program is killed, and started anew."""
        self.rig.reopen()


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("block", range(5))
def test_nothing_goes_astray_through_random_faults(board: str, block: int) -> None:
    """Whatever fails, each write reaches its own panel alone; mended, each panel shows its picture again.

    Fifty seeded plans a board: chips that fail, dip, hang, go and come back, a bus that dies, restarts.
    """
    for seed in range(10 * block, 10 * block + 10):
        rig = Rig(BOARDS[board](), refresh=8.0, seed=seed)
        oracle = Oracle(rig)
        trouble = Trouble(rig, oracle, seed)
        chance = random.Random(-seed)
        shown: dict[int, bytes] = {}
        for _ in range(12):
            for seat in rig.board.seats:
                if chance.random() < 0.6 or seat not in shown:
                    shown[seat] = rig.show(seat, CANARIES[seat, chance.randrange(4)])
            trouble.strike()
            rig.run(chance.choice((0.0, 0.05, 0.4, 2.0)))
            oracle.check()
        trouble.heal()
        for seat in rig.board.seats:
            shown[seat] = rig.show(seat, CANARIES[seat, chance.randrange(4)])
        rig.run(15.0)
        oracle.check()
        assert {seat: place.fault for seat, place in rig.board.seats.items() if place.fault} == {}, seed
        assert rig.board.down == (), seed
        assert {seat: rig.visible(seat) for seat in shown} == shown, seed
        # In peace nothing at all is lost.
        oracle.excused = False
        before = oracle.writes
        for seat in rig.board.seats:
            rig.show(seat, CANARIES[seat, 0])
        rig.run(1.0)
        oracle.check()
        assert oracle.writes > before
        rig.board.close()
        oracle.check()


def test_threads_and_faults_lead_nothing_astray() -> None:
    """Six threads draw, muxes are reset and transfers fail at any instant: each panel hears its own."""
    rig = Rig(two_muxes(), seed=1)
    oracle = Oracle(rig)
    oracle.excused = True
    bell = Bell()
    rig.sim.watch(bell.ring)
    rig.board.start()

    def draw(seat: int) -> None:
        for number in range(50):
            rig.board.seats[seat].screen.show(CANARIES[seat, number % 4].copy())

    threads = [threading.Thread(target=draw, args=(seat,)) for seat in rig.board.seats]
    for thread in threads:
        thread.start()
    chance = random.Random(1)
    while any(thread.is_alive() for thread in threads):
        chance.choice(list(rig.sim.muxes.values())).reset()
        rig.bus.fail(chance.choice(ERRORS), device=rig.sim.panel(chance.randint(1, 6)), times=2)
    for thread in threads:
        thread.join()
    rig.bus.heal()
    for seat in rig.board.seats:
        rig.board.retry(seat)
    last = {seat: pack(CANARIES[seat, 49 % 4]) for seat in rig.board.seats}
    bell.wait_until(lambda: {seat: rig.visible(seat) for seat in last} == last)
    rig.board.close()
    oracle.check()
    assert oracle.writes > 20


def test_the_oracle_sees_what_is_astray() -> None:
    """Two open channels, a wrong one, and none are each found out: the oracle can fail."""
    for mask, says in (
        (0x03, "2 panels heard"),
        (0x02, "data of seats [1] reached ['seat 2']"),
        (0, "nobody"),
    ):
        rig = Rig(two_muxes())
        rig.step()
        oracle = Oracle(rig)
        rig.bus.write(0x71, b"\x00")
        rig.bus.write(0x70, bytes([mask]))
        try:
            rig.bus.write(0x3C, b"\x40" + pack(CANARIES[1, 0]))
        except OSError:
            assert not mask
        with pytest.raises(AssertionError) as caught:
            oracle.check()
        assert says in str(caught.value)


# What a faulty seat costs the others


def fault_of(bus: SimI2CBus, panel: Panel, kind: str) -> None:
    """Let a panel fail in a way."""
    if kind == "hangs":
        bus.fail(errno.ETIMEDOUT, device=panel, delay=0.09)
    elif kind == "is slow":
        bus.fail(0, device=panel, delay=0.03)
    else:
        bus.fail(errno.EIO, device=panel, probability=0.3 if kind == "is flaky" else 1.0, after=500)


@pytest.mark.parametrize("kind", ["hangs", "is slow", "is flaky", "breaks off"])
def test_a_faulty_seat_costs_others_little(kind: str) -> None:
    """While one panel fails, what another seat is to show begins to be sent within 100 ms."""
    rig = Rig("direct-6-usermux", refresh=8.0, bounce_ms=0)
    for seat in rig.board.seats:
        rig.show(seat, noise(seat))
    rig.run(1.0)
    fault_of(rig.bus, rig.sim.panel(3), kind)
    waits = []
    seen: list[float] = []
    for number in range(60):
        rig.show(3, noise(100 + number))
        frame = rig.show(5, noise(number))
        began = rig.now
        seen.clear()

        def changed(seat: int) -> None:
            if seat == 5:
                seen.append(rig.now)

        rig.sim._changed[:] = [changed]
        while not seen:
            rig.step()
            assert rig.now - began < 1
        assert rig.visible(5) == frame
        waits.append(seen[0] - began)
        rig.run(0.3)
    assert max(waits) <= 0.1
