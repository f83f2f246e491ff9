"""drivers.pi on the kernel's own GPIO character devices, through gpiozero and lgpio."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from emulated import Header

from drivers import pi


@pytest.fixture
def pins() -> Iterator[Any]:
    """The pin factory of the header."""
    with pi.open_pins() as factory:
        yield factory


@pytest.fixture
def header() -> Header:
    """What is soldered to the header."""
    return Header()


class Listener:
    """Keeps a pin's edges. gpiozero forgets a callback that nobody else holds."""

    def __init__(self, pin: Any) -> None:
        self.edges: list[tuple[float, bool]] = []
        self.seen = threading.Event()
        pin.when_changed = self._changed

    def _changed(self, at: float, state: bool) -> None:
        self.edges.append((at, bool(state)))
        self.seen.set()


def test_header_found_by_label(header: Header) -> None:
    """The header is the third chip here: it is found by its label among the others."""
    chips = pi.gpio_chips()
    assert sorted(chips.values()) == ["gpio-brcmstb", "pinctrl-bcm2711", "raspberrypi-exp-gpio"]
    assert f"gpiochip{pi.header_chip(chips)}" == header.chip != "gpiochip0"


def test_held_line(pins: Any) -> None:
    """A line that a kernel driver holds is refused with its holder, each time; another line works."""
    from gpiozero import DigitalInputDevice

    for _ in range(2):
        with pytest.raises(pi.PinError, match="GPIO 2 is held by 'i2c1'") as caught:
            DigitalInputDevice(2, pull_up=True, pin_factory=pins)
        assert caught.value.errno == errno.EBUSY
    DigitalInputDevice(4, pull_up=True, pin_factory=pins).close()


HOLD = """
import sys
from drivers import pi
from gpiozero import DigitalInputDevice
with pi.open_pins() as pins, DigitalInputDevice(17, pull_up=True, pin_factory=pins):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_line_of_another_process(pins: Any) -> None:
    """A line that another program holds is refused with that program's label, until it ends."""
    from gpiozero import DigitalInputDevice

    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(pi.PinError, match=r"GPIO 17 is held by '.+'"):
            DigitalInputDevice(17, pull_up=True, pin_factory=pins)
        other.communicate()
    DigitalInputDevice(17, pull_up=True, pin_factory=pins).close()


def test_pull_up_and_edges(pins: Any, header: Header) -> None:
    """A button's line is pulled up; its edges carry the kernel's time, on the clock of time.monotonic."""
    from gpiozero import DigitalInputDevice

    header.contact(22, closed=False)
    with DigitalInputDevice(22, pull_up=True, pin_factory=pins) as device:
        assert header.level(22)
        assert not device.is_active
        listener = Listener(device.pin)
        before = time.monotonic()
        header.contact(22, closed=True)
        assert listener.seen.wait(10)
        assert device.is_active
        ((at, state),) = listener.edges
        assert not state
        assert before <= at <= time.monotonic()


def test_failing_callback(pins: Any, header: Header, caplog: pytest.LogCaptureFixture) -> None:
    """A callback that raises is logged and ends nothing: the edges of other lines still come."""
    from gpiozero import DigitalInputDevice

    def fail(at: float, state: bool) -> None:
        raise ZeroDivisionError

    for pin in (24, 25):
        header.contact(pin, closed=False)
    with (
        DigitalInputDevice(24, pull_up=True, pin_factory=pins) as failing,
        DigitalInputDevice(25, pull_up=True, pin_factory=pins) as other,
    ):
        failing.pin.when_changed = fail
        listener = Listener(other.pin)
        header.contact(24, closed=True)
        header.contact(25, closed=True)
        assert listener.seen.wait(10)
    assert "edge of GPIO24" in caplog.text


def test_callback_ends_with_its_device(header: Header, caplog: pytest.LogCaptureFixture) -> None:
    """A closed device hears nothing more, also not when the same line is opened again."""
    from gpiozero import DigitalInputDevice

    listeners = []
    for _ in range(2):
        header.contact(18, closed=False)
        with pi.open_pins() as pins, DigitalInputDevice(18, pull_up=True, pin_factory=pins) as device:
            listeners.append(Listener(device.pin))
            header.contact(18, closed=True)
            assert listeners[-1].seen.wait(10)
    assert [len(listener.edges) for listener in listeners] == [1, 1]
    assert not caplog.records


def test_lamp(pins: Any, header: Header) -> None:
    """A lamp's line follows its device, and is let go when the factory is closed."""
    from gpiozero import DigitalOutputDevice

    with DigitalOutputDevice(26, pin_factory=pins) as lamp:
        levels = [header.level(26)]
        lamp.on()
        levels.append(header.level(26))
        lamp.off()
        levels.append(header.level(26))
    assert levels == [False, True, False]


EDGES = """
import os, sys, threading
from drivers import pi
before = os.getcwd(), dict(os.environ)
with pi.open_pins() as pins:
    assert before == (os.getcwd(), dict(os.environ))
    from gpiozero import DigitalInputDevice
    with DigitalInputDevice(int(sys.argv[1]), pull_up=True, pin_factory=pins) as device:
        seen = threading.Semaphore(0)
        device.when_activated = seen.release
        print("ready", flush=True)
        for number in range(int(sys.argv[2])):
            print("seen" if seen.acquire(timeout=20) else "missed", flush=True)
"""


def _program(pin: int, presses: int, runtime: Path) -> "subprocess.Popen[str]":
    """A program that waits for presses on a line; it can write nowhere but in the folder ``runtime``."""
    program = subprocess.Popen(
        [sys.executable, "-c", EDGES, str(pin), str(presses)],
        cwd="/",
        env={"PYTHONPATH": os.environ["PYTHONPATH"], "RUNTIME_DIRECTORY": str(runtime)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return program


def test_programs_in_one_folder(header: Header, tmp_path: Path) -> None:
    """Two programs in a folder where nothing can be written get all their edges, and leave nothing behind."""
    for pin in (22, 23):
        header.contact(pin, closed=False)
    with _program(22, 6, tmp_path) as first, _program(23, 6, tmp_path) as second:
        for pin, program in [(22, first), (22, first), (23, second), (23, second)] * 3:
            assert program.stdout is not None
            header.contact(pin, closed=True)
            assert program.stdout.readline() == "seen\n"
            header.contact(pin, closed=False)
    assert first.returncode == second.returncode == 0
    assert not list(tmp_path.iterdir())


def test_closed_twice() -> None:
    """The factory is closed twice without harm."""
    pins = pi.open_pins()
    pins.close()
    pins.close()
