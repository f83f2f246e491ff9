"""Opening the kernel's buses and lines, on folders like /sys and /dev; a real kernel is tests/kernel's."""

import errno
import fcntl
import grp
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rights import ANY_FILE, without

from drivers import pi
from hardware.errors import BusError
from hardware.profile import parse_profile

REPO = Path(__file__).parent.parent

KERNEL_MUX = """
title = "Two seats behind a mux that the kernel drives"
[buses.main]
adapter = "bcm2835 (i2c@7e804000)"
[muxes.hub]
bus = "main"
driven = "kernel"
[[seats]]
label = "1"
screen = { chip = "ssd1306", mux = "hub", channel = 0 }
buttons = { left = 5, right = 6, mark = 13, play = 19 }
[[seats]]
label = "2"
screen = { chip = "ssd1306", mux = "hub", channel = 3 }
buttons = { left = 21, right = 20, mark = 16, play = 12 }
"""


class Tree:
    """Folders like a kernel's: ``sys`` lists the adapters, ``dev`` has their nodes, which are empty files."""

    def __init__(self, root: Path) -> None:
        self.sys, self.dev = root / "sys", root / "dev"
        self.devices = self.sys / "bus/i2c/devices"
        self.devices.mkdir(parents=True)
        self.dev.mkdir()

    def adapter(self, number: int, name: str, inside: str = "", node: bool = True) -> Path:
        real = self.sys / "devices/platform" / inside / f"i2c-{number}"
        real.mkdir(parents=True)
        (real / "name").write_text(f"{name}\n")
        (self.devices / real.name).symlink_to(real)
        if node:
            (self.dev / real.name).touch()
        return real

    def open(self, number: int | None = None, adapter: str | None = None) -> pi.KernelBus:
        return pi.open_i2c(number, adapter, self.sys, self.dev)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A kernel without any I2C adapter."""
    return Tree(tmp_path)


@contextmanager
def no_rights(node: Path) -> Iterator[None]:
    """Nobody may open ``node``, not even root."""
    node.chmod(0)
    with without(*ANY_FILE):
        yield


def test_other_bus_number(tree: Tree) -> None:
    """Where only i2c-11 is there, the error for bus 1 lists it by name and says which key to set."""
    tree.adapter(11, "bcm2835 (i2c@7e804000)")
    with pytest.raises(pi.BusAbsent) as caught:
        tree.open(1)
    assert caught.value.errno == errno.ENOENT
    for part in ("no I2C bus 1", "11 = 'bcm2835 (i2c@7e804000)'", "number or adapter under [buses]"):
        assert part in str(caught.value)


def test_no_adapter(tree: Tree) -> None:
    """Where the kernel has no adapter at all, the error says that I2C is switched off."""
    with pytest.raises(pi.BusAbsent, match="kernel has none: switch I2C on"):
        tree.open(1)


def test_adapter_without_node(tree: Tree) -> None:
    """An adapter whose device node is not there yet is absent, and i2c-dev is what it lacks."""
    tree.adapter(1, "bcm2835", node=False)
    with pytest.raises(pi.BusAbsent, match=r"i2c-1 \(bcm2835\) has no .*/dev/i2c-1: sudo modprobe i2c-dev"):
        tree.open(1)


def test_adapter_by_name(tree: Tree) -> None:
    """A name leads to the adapter that has it, whatever its number; a file that is no bus is refused."""
    tree.adapter(1, "other")
    tree.adapter(11, "wanted")
    with pytest.raises(BusError, match="i2c-11 is not an I2C bus") as caught:
        tree.open(adapter="wanted")
    assert caught.value.errno == errno.ENOTTY
    assert not isinstance(caught.value, pi.BusAbsent)


def test_unknown_adapter_name(tree: Tree) -> None:
    """A name that no adapter has is answered with the names there are."""
    tree.adapter(11, "other")
    with pytest.raises(pi.BusAbsent, match="no I2C adapter is named 'wanted'; here are 11 = 'other'"):
        tree.open(adapter="wanted")


def test_doubled_adapter_name(tree: Tree) -> None:
    """A name that two adapters have is refused: waiting would not help."""
    tree.adapter(3, "twin")
    tree.adapter(4, "twin")
    with pytest.raises(
        BusError, match="several I2C adapters are named 'twin'; here are 3 = 'twin', 4"
    ) as caught:
        tree.open(adapter="twin")
    assert not isinstance(caught.value, pi.BusAbsent)


def test_adapter_goes_while_listed(tree: Tree) -> None:
    """An adapter that goes while all are listed is not there; the others are listed."""
    tree.adapter(1, "stays")
    (tree.adapter(2, "goes") / "name").unlink()
    assert pi.i2c_adapters(tree.sys) == {1: "stays"}


@pytest.mark.parametrize(("number", "adapter"), [(None, None), (1, "bcm2835")])
def test_number_or_adapter(tree: Tree, number: int | None, adapter: str | None) -> None:
    """A bus is meant by its number or by its name: neither and both are the caller's mistake."""
    with pytest.raises(ValueError, match="either by its number or by its adapter's name"):
        tree.open(number, adapter)


def test_bus_denied(tree: Tree) -> None:
    """A node that we may not open: the error has its path, its group, our groups and the command."""
    tree.adapter(1, "bcm2835")
    with no_rights(tree.dev / "i2c-1"), pytest.raises(BusError) as caught:
        tree.open(1)
    assert caught.value.errno == errno.EACCES
    group = grp.getgrgid((tree.dev / "i2c-1").stat().st_gid).gr_name
    for part in (f"{tree.dev}/i2c-1: it belongs to group {group} (mode 000)", f"usermod -aG {group} USER"):
        assert part in str(caught.value)
    assert "this process to" in str(caught.value)


def test_kernel_mux_channel(tree: Tree) -> None:
    """A profile's kernel mux is found below its trunk: channel 3 is the bus that the kernel made for it."""
    profile = parse_profile(KERNEL_MUX, "board.toml")
    assert profile.bus_names() == ("hub/0", "hub/3")
    trunk = tree.adapter(11, "bcm2835 (i2c@7e804000)")
    mux = trunk / "11-0070"
    mux.mkdir()
    (tree.devices / mux.name).symlink_to(mux)
    (mux / "channel-3").symlink_to(tree.adapter(15, "i2c-11-mux (chan_id 3)", inside="i2c-11"))
    with pytest.raises(BusError, match="i2c-15 is not an I2C bus"):
        pi.open_bus(profile, "hub/3", tree.sys, tree.dev)
    with pytest.raises(
        pi.BusAbsent, match=r"no mux with a channel 0 at 0x70 on i2c-11.*addr=0x70 into config\.txt"
    ):
        pi.open_bus(profile, "hub/0", tree.sys, tree.dev)


def test_kernel_mux_without_trunk(tree: Tree) -> None:
    """Before its trunk is there a channel is absent for that reason, be the trunk named or numbered."""
    named = parse_profile(KERNEL_MUX, "board.toml")
    with pytest.raises(pi.BusAbsent, match="no I2C adapter is named"):
        pi.open_bus(named, "hub/3", tree.sys, tree.dev)
    numbered = parse_profile(
        KERNEL_MUX.replace('adapter = "bcm2835 (i2c@7e804000)"', "number = 1"), "board.toml"
    )
    with pytest.raises(pi.BusAbsent, match="no I2C bus 1"):
        pi.open_bus(numbered, "hub/3", tree.sys, tree.dev)


def test_plain_bus_of_a_profile(tree: Tree) -> None:
    """A bus that a profile names without a mux is opened by what the profile says of it."""
    profile = parse_profile(KERNEL_MUX, "board.toml")
    tree.adapter(11, "bcm2835 (i2c@7e804000)")
    with pytest.raises(BusError, match="i2c-11 is not an I2C bus"):
        pi.open_bus(profile, "main", tree.sys, tree.dev)


def test_bus_speed(tree: Tree) -> None:
    """The clock is the device tree's: four bytes, the highest first; a channel has its trunk's."""
    trunk = tree.adapter(1, "bcm2835", inside="soc/fe804000.i2c")
    tree.adapter(4, "i2c-1-mux (chan_id 0)", inside="soc/fe804000.i2c/i2c-1")
    (trunk / "of_node").mkdir()
    (trunk / "of_node/clock-frequency").write_bytes(struct.pack(">I", 400_000))
    tree.adapter(7, "no device tree")
    assert [pi.bus_speed(number, tree.sys) for number in (1, 4, 7, 99)] == [400_000, 400_000, None, None]


def test_adapters_are_told_to_give_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An adapter is to give a transfer up after 50 ms and repeat none; one that refuses is used as it is."""
    told: list[tuple[int, int]] = []
    with (tmp_path / "node").open("w") as node:
        pi.limit_waits(node.fileno())  # no bus: the kernel refuses
        monkeypatch.setattr(fcntl, "ioctl", lambda _, request, value: told.append((request, value)))
        pi.limit_waits(node.fileno())
    assert told == [(0x0702, 5), (0x0701, 0)]


@pytest.mark.parametrize("number", [0, 4, 10, 15])
def test_header_chip_moves(number: int) -> None:
    """A Pi 5's header chip is found by its label at whatever number the kernel gave it."""
    chips = {n: f"other-{n}" for n in range(16)} | {number: "pinctrl-rp1"}
    assert pi.header_chip(chips) == number


@pytest.mark.parametrize("label", ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"])
def test_header_chip_labels(label: str) -> None:
    """The header of every supported Pi is known by its label; of two numbers for it the lower one counts."""
    assert pi.header_chip({0: "raspberrypi-exp-gpio", 4: label, 10: label}) == 4


@pytest.mark.parametrize(
    ("chips", "found"),
    [
        ({0: "gpio-mockup-A", 2: "fxl6408"}, "gpiochip0 = 'gpio-mockup-A', gpiochip2 = 'fxl6408'"),
        ({}, "no GPIO chip at all"),
    ],
)
def test_no_header_chip(chips: dict[int, str], found: str) -> None:
    """Without a header chip the error lists the labels that were found."""
    with pytest.raises(pi.PinError, match=found) as caught:
        pi.header_chip(chips)
    assert caught.value.errno == errno.ENODEV


def test_not_a_gpio_chip(tree: Tree) -> None:
    """A file that looks like a GPIO chip but is none is refused with its path."""
    (tree.dev / "gpiochip0").touch()
    with pytest.raises(pi.PinError, match="/dev/gpiochip0 is not a GPIO chip"):
        pi.gpio_chips(tree.dev)


def test_chip_denied(tree: Tree) -> None:
    """A GPIO chip that we may not open is answered with its path and the group that may."""
    (tree.dev / "gpiochip0").touch()
    with (
        no_rights(tree.dev / "gpiochip0"),
        pytest.raises(pi.PinError, match="/dev/gpiochip0: it belongs to group") as caught,
    ):
        pi.gpio_chips(tree.dev)
    assert caught.value.errno == errno.EACCES


OPEN_PINS = """
import os, sys
from drivers import pi
assert not {"lgpio", "smbus2", "gpiozero"} & set(sys.modules), "imported before it is needed"
before = os.getcwd(), dict(os.environ)
try:
    pi.open_pins()
except Exception as error:
    print(type(error).__name__, error)
assert before == (os.getcwd(), dict(os.environ)), "the folder or the environment has changed"
assert not any(name.startswith("gpiozero.pins.") for name in sys.modules), "gpiozero went on without lgpio"
"""


def _open_pins(folder: Path, **environment: str) -> str:
    """What open_pins says in a new process that imports from ``folder`` first."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OPEN_PINS],
        env={"PYTHONPATH": f"{folder}:{REPO}", **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (folder / ".lgd-nfy0").exists()
    return done.stdout


def test_empty_lgpio(tmp_path: Path) -> None:
    """An empty module named lgpio is refused, with its path and the fix; gpiozero does not fall back."""
    (tmp_path / "lgpio.py").touch()
    said = _open_pins(tmp_path)
    assert said.startswith(f"LibraryError {tmp_path}/lgpio.py is an empty stand-in")
    assert "sudo apt install python3-lgpio" in said


def test_broken_lgpio(tmp_path: Path) -> None:
    """An lgpio that cannot be imported is refused with the reason and the fix."""
    (tmp_path / "lgpio.py").write_text("import a_library_that_is_missing")
    said = _open_pins(tmp_path)
    assert said.startswith(
        "LibraryError lgpio cannot be imported (No module named 'a_library_that_is_missing')"
    )
    assert "sudo apt install python3-lgpio" in said


def test_lgpio_folder(tmp_path: Path) -> None:
    """lgpio is imported in a folder that then goes, in LG_WD, else in the service's runtime folder."""
    (tmp_path / "lgpio.py").write_text("import os; print(os.path.dirname(os.environ['LG_WD']))")
    wanted, runtime = tmp_path / "wanted", tmp_path / "runtime"
    wanted.mkdir()
    runtime.mkdir()
    assert _open_pins(tmp_path, RUNTIME_DIRECTORY=f"{runtime}:/other").startswith(f"{runtime}\n")
    assert _open_pins(tmp_path, RUNTIME_DIRECTORY=str(runtime), LG_WD=str(wanted)).startswith(f"{wanted}\n")
    assert not list(wanted.iterdir())
    assert not list(runtime.iterdir())


def test_lgpio_folder_missing(tmp_path: Path) -> None:
    """An LG_WD in which nothing can be made is refused with its path and what to set."""
    said = _open_pins(tmp_path, LG_WD="/nonexistent")
    assert said.startswith("PinError")
    assert "/nonexistent" in said
    assert "set LG_WD to a writable one" in said


def test_no_smbus2(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without smbus2 this module imports and a bus is refused with the extra to install."""
    tree.adapter(1, "bcm2835")
    monkeypatch.setitem(sys.modules, "smbus2", None)
    with pytest.raises(
        pi.LibraryError, match=r"smbus2 cannot be imported .*: install the table with its extra 'pi'"
    ):
        tree.open(1)
