"""The pod's firmware on MicroPython on an emulated RP2040, at the other end of the table's own drivers."""

import random
import statistics
from collections.abc import Callable, Iterator

import pytest
from emulated import BUTTON_PINS, Table
from PIL import Image

from firmware.pod import pins
from firmware.podtool.build import build_name
from hardware import link
from hardware.frame import pack
from hardware.seat import HEIGHT, WIDTH, Button

DOG_S = 8.0
"""The watchdog's time (DOG_MS of firmware/pod/main.py)."""
BOUNCES = (0.0004, 0.0011, 0.0007, 0.0003, 0.0016, 0.0005)
"""A contact that bounces for 5 ms, in seconds from change to change."""
FUNCTION_UART, FUNCTION_I2C = 2, 3
"""Which peripheral has a pin (RP2040 datasheet 2.19.2)."""
LATE_S = 0.02
"""An edge's time may be so much later than its contact: bounce, the next look at it, its way on the line."""
STROKE_S = 0.04
"""A short stroke of a finger."""
PATIENCE_S = 5.0


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """A pod that has just got its power, and its table."""
    table = Table()
    yield table
    table.close()


def image(seed: int) -> Image.Image:
    """A picture of random dots."""
    return Image.frombytes("1", (WIDTH, HEIGHT), random.Random(seed).randbytes(WIDTH * HEIGHT // 8))


def shows(table: Table, picture: Image.Image) -> bool:
    """Whether the panel's memory holds this, bit for bit."""
    return table.pico.panel.visible() == pack(picture)


def show(table: Table, picture: Image.Image) -> float:
    """Show a picture, and wait for it; the seconds that it took to its last byte."""
    began = table.pico.now
    table.seat.screen.show(picture)
    assert table.until(lambda: shows(table, picture), PATIENCE_S), table.seat.fault
    return table.pico.last_write - began


def stroke(table: Table, name: str) -> list[float]:
    """Press and release a button that bounces; seconds from each contact to the table's edge."""
    late = []
    for down in (True, False):
        table.edges.clear()
        table.seen.clear()
        began = table.contact(name, BOUNCES, closed=down)
        table.run(0.06)
        ((edge, seen),) = zip(table.edges, table.seen, strict=True)
        assert (edge.seat, edge.button, edge.down) == (1, Button(name), down)
        assert -0.001 < edge.at - began < LATE_S  # its age is told in whole milliseconds
        late.append(seen - began)
    return late


def test_alone(table: Table, record: Callable[[str], None]) -> None:
    """Without a table the pod lights its panel with what it has to say, says nothing, and lets no dog out."""
    pico = table.pico
    while not pico.panel.lit and pico.now < PATIENCE_S:
        pico.run(0.01)
    record(f"power to the pod's own picture {pico.now:.2f} s")
    pico.run(0.2)
    assert any(pico.panel.visible())
    assert not pico.sent
    assert not pico.state["dog"]["on"]
    assert pico.prompt == ""


def test_pins(table: Table) -> None:
    """UART, I2C and buttons are on the pins that the pin map says, with pull-ups, at 115,200 baud."""
    functions = table.pico.state["functions"]
    assert [functions[pin] for pin in (pins.SDA, pins.SCL)] == [FUNCTION_I2C] * 2
    assert [functions[pin] for pin in (8, 9)] == [FUNCTION_UART] * 2
    assert table.pico.state["pulled_up"] == sorted([*BUTTON_PINS.values(), pins.SDA, pins.SCL])
    assert table.pico.state["baud"] == pytest.approx(115_200, rel=0.01)


def test_hello(table: Table) -> None:
    """The pod says hello; it has no seat yet, and gets the one that is free by its PLAY."""
    assert table.until(lambda: bool(table.board.pods()) and table.link.up, PATIENCE_S)
    hello = table.link.hello
    assert hello is not None
    assert (hello.lowest, hello.highest) == (link.LOWEST, link.HIGHEST)
    assert (hello.columns, hello.rows, hello.abilities) == (WIDTH, HEIGHT, link.HAS_LAMP)
    assert hello.build == build_name()
    table.contact("play", BOUNCES, closed=True)
    table.run(0.06)
    table.contact("play", BOUNCES, closed=False)
    table.run(0.06)
    ((_, _, number),) = table.board.pods()
    assert number == 1
    assert table.seat.fault is None


def test_dog_is_out(table: Table) -> None:
    """Once a table is there the watchdog runs, set to 8 s, and is fed all the time."""
    dog = table.pico.state["dog"]
    assert dog["on"]
    fed = dog["fed"]
    lowest = DOG_S
    for _ in range(20):
        table.run(0.01)
        lowest = min(lowest, table.pico.state["dog"]["us"] / 1e6)
    assert table.pico.state["dog"]["fed"] - fed >= 10
    assert DOG_S - 0.1 < lowest <= DOG_S


def test_pictures(table: Table, record: Callable[[str], None]) -> None:
    """Whole pictures and single dots reach the panel's memory bit for bit; lamp, brightness, power work."""
    whole = [show(table, image(seed)) for seed in range(3)]
    picture = image(2)
    small = []
    for place in ((0, 0), (127, 63), (64, 31)):
        picture = picture.copy()
        picture.putpixel(place, 255 - picture.getpixel(place))
        small.append(show(table, picture))
    record(
        f"from show to the panel's last byte: a whole picture {max(whole) * 1000:.0f} ms, "
        f"a dot {max(small) * 1000:.0f} ms"
    )
    assert table.seat.lamp is not None
    table.seat.lamp.set(True)
    table.seat.screen.set_contrast(9)
    assert table.until(lambda: table.pico.state["high"] == [pins.LAMP], PATIENCE_S)
    assert table.until(lambda: table.pico.panel.contrast == 9, PATIENCE_S)
    table.seat.lamp.set(False)
    table.seat.screen.set_power(False)
    assert table.until(lambda: table.pico.state["high"] == [] and not table.pico.panel.lit, PATIENCE_S)
    table.seat.screen.set_power(True)
    assert table.until(lambda: shows(table, picture), PATIENCE_S)
    assert table.link.bad_frames == 0


def test_strokes(table: Table, record: Callable[[str], None]) -> None:
    """Strokes of all buttons, bouncing both ways, give one press and one release each, at their times."""
    late = [seconds for name in BUTTON_PINS for seconds in stroke(table, name)]
    assert max(late) < 0.05
    record(
        f"contact to the table's edge, 5 ms of bounce and {pins.SETTLE_MS} ms settling: "
        f"median {statistics.median(late) * 1000:.0f} ms, worst {max(late) * 1000:.0f} ms"
    )


def test_strokes_while_painting(table: Table) -> None:
    """No stroke of 40 ms is missed while picture upon picture keeps the pod busy."""
    table.edges.clear()
    made = []
    for seed, name in enumerate((*BUTTON_PINS, *BUTTON_PINS)):
        table.seat.screen.show(image(seed))
        table.run(0.01 * seed)
        for closed, seconds in ((True, STROKE_S), (False, 0.1)):
            began = table.contact(name, BOUNCES, closed=closed)
            table.run(seconds - (table.pico.now - began))
            made.append((Button(name), closed))
    assert table.until(lambda: shows(table, image(7)), PATIENCE_S)
    assert [(edge.button, edge.down) for edge in table.edges] == made


def test_hold(table: Table) -> None:
    """A button that is held is told once, and once when it is let go; the times tell how long that was."""
    table.edges.clear()
    pressed = table.contact("mark", BOUNCES, closed=True)
    table.run(0.5)
    assert [edge.down for edge in table.edges] == [True]
    assert table.link.levels == 1 << link.BUTTONS.index("mark")
    released = table.contact("mark", BOUNCES, closed=False)
    table.run(0.06)
    assert [(edge.button, edge.down) for edge in table.edges] == [(Button.MARK, True), (Button.MARK, False)]
    assert table.edges[1].at - table.edges[0].at == pytest.approx(released - pressed, abs=LATE_S / 2)


def test_panel_that_comes_off(table: Table) -> None:
    """A panel that acknowledges no more is told to the table; back, it is set up and painted anew."""
    show(table, image(3))
    table.pico.panel_wired = False
    table.seat.screen.show(image(4))
    assert table.until(lambda: "panel" in (table.seat.fault or ""), PATIENCE_S)
    stroke(table, "left")
    table.pico.panel.power_on_reset()
    table.pico.panel_wired = True
    assert table.until(lambda: shows(table, image(4)) and table.seat.fault is None, PATIENCE_S)


def test_counts(table: Table, record: Callable[[str], None]) -> None:
    """No frame was damaged; even its slowest round lets the pod see a stroke of 40 ms."""
    table.link.ask_counts()
    assert table.until(lambda: table.link.counts is not None, PATIENCE_S)
    counts = table.link.counts
    assert counts is not None
    assert counts["bad_frames"] == counts["dropped_edges"] == 0
    assert counts["slowest_ms"] < STROKE_S * 1000
    record(f"slowest round of the pod's loop {counts['slowest_ms']} ms, {counts['free_bytes']} bytes free")


def test_restart(table: Table, record: Callable[[str], None]) -> None:
    """Told to start anew the chip does, has its seat and picture back, and tells no press twice."""
    show(table, image(5))
    stroke(table, "right")
    table.edges.clear()
    hello = table.link.hello
    assert hello is not None
    table.link.restart()
    assert table.until(lambda: bool(table.pico.resets), PATIENCE_S)
    ((at, reason),) = table.pico.resets
    assert reason == "program"
    table.pico.panel.power_on_reset()
    assert table.until(lambda: table.link.up and shows(table, image(5)), PATIENCE_S)
    record(f"restart to the table's picture {table.pico.now - at:.2f} s")
    again = table.link.hello
    assert again is not None
    assert again.pod_id == hello.pod_id
    assert again.boot != hello.boot
    table.run(0.2)
    assert table.edges == []
    stroke(table, "left")


def test_program_that_hangs() -> None:
    """A program that hangs is ended by the watchdog after 8 s, not before; then all is as it was."""
    table = Table("hanging.img")
    try:
        assert table.until(lambda: bool(table.board.pods()) and table.link.up, PATIENCE_S)
        table.contact("play", (), closed=True)
        table.run(0.06)
        table.contact("play", (), closed=False)
        show(table, image(6))
        hung = table.pico.now
        table.pico.closed.add(22)
        assert table.until(lambda: bool(table.pico.resets), DOG_S + 1)
        table.pico.closed.discard(22)
        ((at, reason),) = table.pico.resets
        assert reason == "watchdog"
        assert DOG_S - 0.1 < at - hung < DOG_S + 0.1
        assert table.until(lambda: table.link.up and shows(table, image(6)), PATIENCE_S)
    finally:
        table.close()
