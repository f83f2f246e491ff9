"""A table of six on the kernel's own buses and lines: the real drivers, judged by what went over the wire."""

import queue
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Self

import pytest
from emulated import NACK, PANEL, Header, Wire
from PIL import Image

from drivers import pi
from drivers.board import open_board
from drivers.care import PROBE_SECONDS
from hardware.profile import Profile, parse_profile
from hardware.seat import HEIGHT, WIDTH, Button, Edge
from hardware.sim.tree import SimBoard

BOARD = (Path(pi.__file__).parent.parent / "hardware/boards/direct-6-usermux.toml").read_text()
MUX_DEVICE = Path("/sys/bus/i2c/devices/i2c-0")
SETTLE_MS = 15
PATIENCE = 10.0
"""Seconds after which nothing more is expected: the guest's processor is emulated."""


def _profile(driven: str) -> Profile:
    text = BOARD.replace("number = 1", 'adapter = "wire"').replace('driven = "user"', f'driven = "{driven}"')
    profile = parse_profile(
        text.replace("[[seats]]", f"settle_ms = {SETTLE_MS}\n\n[[seats]]", 0), "board.toml"
    )
    assert profile.settle_ms == SETTLE_MS
    return profile


class Table:
    """The board and a thread that polls it; beside it models of mux and panels, which hear the log."""

    def __init__(self, profile: Profile, wire: Wire) -> None:
        self.wire = wire
        self.header = Header()
        self.models = SimBoard(profile, strict=True)
        self.pins = pi.open_pins()
        for pins in (seat.buttons.by_button().values() for seat in profile.seats):
            for pin in pins:
                self.header.contact(pin, closed=False)
        self.contacts = {
            (seat.number, button): pin
            for seat in profile.seats
            for button, pin in seat.buttons.by_button().items()
        }
        self.buses = {name: pi.open_bus(profile, name) for name in profile.bus_names()}
        self.board = open_board(profile, self.buses, self.pins, clock=time.monotonic)
        self.edges: queue.Queue[tuple[Edge, float]] = queue.Queue()
        self.pressed: Callable[[Edge], None] = lambda edge: None
        self._woken = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run)
        self.board.listen(self._woken.set)
        self.board.start()
        self.board.flush(time.monotonic())
        self._thread.start()

    def _run(self) -> None:
        while not self._ended:
            deadline = self.board.deadline()
            self._woken.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
            self._woken.clear()
            for edge in self.board.poll(time.monotonic()):
                self.pressed(edge)
                self.edges.put((edge, time.monotonic()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it all in order. A second call does nothing."""
        self._ended = True
        self._woken.set()
        self._thread.join()
        self.board.close()
        self.pins.close()
        for bus in self.buses.values():
            bus.close()

    # Screens

    def shown(self, *seats: int, within: float = PATIENCE) -> None:
        """Wait until these seats' panels have what they shall show."""
        end = time.monotonic() + within
        while any(self.board.seats[seat].screen.due for seat in seats or self.board.seats):
            assert time.monotonic() < end, [seat.screen.fault for seat in self.board.seats.values()]
            time.sleep(0.002)

    def replay(self) -> list[float]:
        """Let the models hear what went over the wire since; the times of what nobody acknowledged.

        Whatever goes to a panel must reach exactly one.
        """
        failed = []
        bus = self.models.buses["main"]
        for transfer in self.wire.transfers():
            (message,) = transfer
            if message.flags & NACK:
                failed.append(message.at)
            elif message.data:
                bus.log = []
                bus.write(message.address, message.data)
                ((heard,),) = [entry.messages for entry in bus.log]
                assert len(heard.reached) == 1
        return failed

    def visible(self, seat: int) -> bytes:
        """What the model of a seat's panel shows."""
        return self.models.panel(seat).visible()

    # Buttons

    def contact(self, seat: int, button: Button, closed: bool) -> float:
        """Close or open a button's contact once; the time just before."""
        before = time.monotonic()
        self.header.contact(self.contacts[seat, button], closed)
        return before

    def bouncing(self, seat: int, button: Button, closed: bool) -> bool:
        """Close or open a contact with three bounces; whether they were quick enough to be bounces."""
        times = [self.contact(seat, button, closed == (step % 2 == 0)) for step in range(7)]
        times.append(time.monotonic())
        return max(b - a for a, b in pairwise(times)) < SETTLE_MS / 1000 / 2

    def expect(self, count: int) -> list[Edge]:
        """The next so many edges; there must not be more."""
        found = [self.edges.get(timeout=PATIENCE)[0] for _ in range(count)]
        time.sleep(4 * SETTLE_MS / 1000)
        assert self.edges.empty(), list(self.edges.queue)
        return found


@pytest.fixture
def wire() -> Iterator[Wire]:
    """The wire, its log read up to now."""
    wire = Wire()
    yield wire
    wire.close()


@pytest.fixture
def table(wire: Wire) -> Iterator[Table]:
    """A table of six behind the mux that the kernel drives."""
    with Table(_profile("kernel"), wire) as table:
        yield table


@pytest.fixture
def no_kernel_mux() -> Iterator[None]:
    """The kernel lets its mux go for a while."""
    (MUX_DEVICE / "delete_device").write_text("0x70")
    yield
    (MUX_DEVICE / "new_device").write_text("pca9548 0x70")
    (MUX_DEVICE / "0-0070/idle_state").write_text("-2")


def _image(pages: bytes) -> Image.Image:
    """The image that a panel with this memory shows, pixel by pixel."""
    image = Image.new("1", (WIDTH, HEIGHT))
    image.putdata([pages[y // 8 * WIDTH + x] >> y % 8 & 1 for y in range(HEIGHT) for x in range(WIDTH)])
    return image


def _draw(table: Table, seats: list[int], frames: int, seed: int) -> dict[int, bytes]:
    """A thread a seat shows frame upon frame, noise with a patch that changes; the last frame of each."""
    last: dict[int, bytes] = {}

    def draw(seat: int) -> None:
        dice = random.Random(f"{seed} {seat}")
        pages = dice.randbytes(WIDTH * HEIGHT // 8)
        for _ in range(frames):
            at, length = dice.randrange(WIDTH * 7), dice.randrange(1, WIDTH)
            pages = pages[:at] + dice.randbytes(length) + pages[at + length :]
            table.board.seats[seat].screen.show(_image(pages))
            time.sleep(dice.uniform(0, 0.02))
        last[seat] = pages

    threads = [threading.Thread(target=draw, args=(seat,)) for seat in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return last


def _six_panels(table: Table) -> None:
    for seed in range(3):
        last = _draw(table, list(table.board.seats), 4, seed)
        table.shown()
        assert table.replay() == []
        assert {seat: table.visible(seat) for seat in last} == last
    assert len(set(last.values())) == 6


def test_six_panels(table: Table) -> None:
    """Six threads draw on six panels behind the kernel's mux: each shows its own, bit for bit."""
    _six_panels(table)
    assert table.models.muxes["hub"].mask == 0


@pytest.mark.usefixtures("no_kernel_mux")
def test_six_panels_own_mux(wire: Wire) -> None:
    """The same holds when our own driver switches the mux, on the trunk's bus."""
    with Table(_profile("user"), wire) as table:
        _six_panels(table)


def test_panel_removed(table: Table, record: Callable[[str], None]) -> None:
    """A panel that is pulled off has a fault, the others go on; put back, it shows its picture by itself."""
    others = [1, 2, 3, 5, 6]
    _draw(table, [4, *others], 1, 10)
    table.shown()
    table.replay()
    table.wire.plug(3, present=False)
    table.models.unplug(4)
    last = _draw(table, [4, *others], 4, 11)
    table.shown(*others)
    failed = table.replay()
    assert failed
    assert "seat 4" in (table.board.seats[4].screen.fault or "")
    assert [table.board.seats[seat].screen.fault for seat in others] == [None] * 5
    assert {seat: table.visible(seat) for seat in others} == {seat: last[seat] for seat in others}
    assert not any(table.visible(4))

    table.models.plug(4)
    assert table.models.panel(4).memory() != last[4]
    back = time.monotonic()
    table.wire.plug(3, present=True)
    table.shown()
    took = time.monotonic() - back
    table.replay()
    assert table.board.seats[4].screen.fault is None
    assert {seat: table.visible(seat) for seat in last} == last
    assert took < 2 * PROBE_SECONDS
    record(f"a panel put back shows its picture after {took:.1f} s (it is tried every {PROBE_SECONDS:.0f} s)")


def test_dark_after_close(wire: Wire) -> None:
    """When the board is closed no panel shines any more, and the lines are free."""
    for _ in range(2):
        with Table(_profile("kernel"), wire) as table:
            _draw(table, [1, 2, 3, 4, 5, 6], 1, 20)
            table.shown()
        table.replay()
        assert [table.models.panel(seat).lit for seat in range(1, 7)] == [False] * 6


def test_every_button(table: Table, record: Callable[[str], None]) -> None:
    """Each of the 24 buttons gives one press and one release of its own, at the contact's time."""
    late = []
    for seat, button in table.contacts:
        for down in (True, False):
            before = table.contact(seat, button, down)
            edge, seen = table.edges.get(timeout=PATIENCE)
            assert (edge.seat, edge.button, edge.down) == (seat, button, down)
            assert 0 <= edge.at - before < SETTLE_MS / 1000
            late.append((seen - before) * 1000)
            assert late[-1] >= SETTLE_MS
    assert table.edges.empty()
    middle = statistics.median(late)
    assert middle < SETTLE_MS + 30
    record(
        f"contact to edge, {SETTLE_MS} ms of it settling: "
        f"median {middle:.1f} ms, worst of {len(late)} {max(late):.1f} ms"
    )


def test_bounce(table: Table) -> None:
    """Contacts that bounce on both ways give one press and one release a stroke."""
    strokes = 0
    for _ in range(20):
        quick = table.bouncing(2, Button.PLAY, closed=True)
        time.sleep(0.06)
        quick &= table.bouncing(2, Button.PLAY, closed=False)
        time.sleep(4 * SETTLE_MS / 1000)
        found = [table.edges.get_nowait()[0] for _ in range(table.edges.qsize())]
        if not quick:  # a pause of the whole guest made levels of what should have been bounces
            continue
        assert [(edge.seat, edge.button, edge.down) for edge in found] == [
            (2, Button.PLAY, True),
            (2, Button.PLAY, False),
        ]
        strokes += 1
        if strokes == 5:
            return
    pytest.fail(f"only {strokes} of 20 strokes were free of pauses")


def test_hold(table: Table) -> None:
    """A held button gives nothing between press and release, and its edges tell how long it was held."""
    pressed = table.contact(5, Button.MARK, True)
    (down,) = table.expect(1)
    time.sleep(0.8)
    assert table.edges.empty()
    released = table.contact(5, Button.MARK, False)
    (up,) = table.expect(1)
    assert (down.down, up.down) == (True, False)
    assert abs((up.at - down.at) - (released - pressed)) < 0.02


def test_chord(table: Table) -> None:
    """Buttons of one seat and of others, pressed together, all count, in the order of the contacts."""
    chord = [(1, Button.LEFT), (1, Button.RIGHT), (6, Button.PLAY), (3, Button.LEFT)]
    for down in (True, False):
        for seat, button in chord:
            table.contact(seat, button, down)
        found = table.expect(len(chord))
        assert [(edge.seat, edge.button, edge.down) for edge in found] == [
            (*touched, down) for touched in chord
        ]


def test_press_to_panel(table: Table, record: Callable[[str], None]) -> None:
    """A press that turns its seat's picture over is on that panel, bit for bit, soon after the contact."""
    pictures = [bytes(WIDTH * HEIGHT // 8), b"\xff" * (WIDTH * HEIGHT // 8)]
    images = [_image(picture) for picture in pictures]
    table.pressed = lambda edge: table.board.seats[edge.seat].screen.show(images[edge.down])
    table.shown()
    table.replay()
    late = []
    for seat in (1, 2, 3, 4, 5, 6):
        for down in (True, False):
            before = table.contact(seat, Button.PLAY, down)
            table.edges.get(timeout=PATIENCE)
            table.shown(seat)
            transfers = table.wire.transfers()
            late.append((max(m.at for (m,) in transfers if m.address == PANEL) - before) * 1000)
            for (message,) in transfers:
                table.models.buses["main"].write(message.address, message.data)
            assert table.visible(seat) == pictures[down]
    record(
        f"contact to the last byte of a full picture, {SETTLE_MS} ms settling and 24 ms on the wire: "
        f"median {statistics.median(late):.1f} ms, worst of {len(late)} {max(late):.1f} ms"
    )
