"""What a Raspberry Pi's kernel offers a table, I2C buses and GPIO lines: opened here and nowhere else."""

import errno
import importlib
import logging
import os
import re
import struct
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from hardware.bus import TIMEOUT_SECONDS
from hardware.errors import BusError
from hardware.profile import Profile

log = logging.getLogger(__name__)

SYS = Path("/sys")
DEV = Path("/dev")

HEADER_LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""Labels of the GPIO chip behind the 40-pin header: Pi Zero to 3, Pi 4, Pi 5."""


I2C_RETRIES, I2C_TIMEOUT = 0x0701, 0x0702
"""Settings of an adapter, for all who use it (Linux, Documentation/i2c/dev-interface)."""
TIMEOUT_UNIT_SECONDS = 0.01
"""What I2C_TIMEOUT counts in."""


class BusAbsent(BusError):
    """The kernel does not offer the bus, or not yet: opening it later may succeed. ``errno`` is ENOENT."""


class PinError(OSError):
    """The GPIO chip or one of its lines cannot be had. ``errno`` says why: EACCES, EBUSY, ENODEV, EIO."""


class LibraryError(ImportError):
    """A library that hardware needs is missing or an empty stand-in; the message says how to install it."""


_REASONS = {
    errno.EREMOTEIO: "nobody acknowledges",
    errno.ENXIO: "nobody acknowledges",
    errno.EIO: "transfer broken off",
    errno.ETIMEDOUT: "timed out: something holds the bus",
    errno.EAGAIN: "arbitration lost",
}


class KernelBus:
    """An I2C bus of the kernel, ``/dev/i2c-N``: a hardware.bus.I2CBus and a context manager.

    ``path`` is the device node; ``name`` stands in errors and is the bus's name for people.
    """

    def __init__(self, path: Path, name: str) -> None:
        try:
            from smbus2 import I2cFunc, SMBus, i2c_msg
        except ImportError as error:
            raise LibraryError(
                f"smbus2 cannot be imported ({error}): install the table with its extra 'pi'"
            ) from error
        self.name = name
        self._message = i2c_msg
        self._device = SMBus()
        self._closed = False
        try:
            self._device.open(str(path))
        except PermissionError as error:
            raise BusError(errno.EACCES, _denied(path)) from error
        except OSError as error:
            self.close()
            problem = (
                "is not an I2C bus" if error.errno == errno.ENOTTY else f"cannot be opened: {error.strerror}"
            )
            raise BusError(error.errno, f"{path} {problem}") from error
        node = self._device.fd
        if node is None or not self._device.funcs & I2cFunc.I2C:
            self.close()
            raise BusError(
                errno.EOPNOTSUPP, f"{name} only speaks SMBus; a panel needs an adapter that speaks plain I2C"
            )
        limit_waits(node)

    def write(self, address: int, data: bytes) -> None:
        """Write ``data``, at most 8,192 bytes, to the 7-bit ``address``."""
        self._transfer(address, self._message.write(address, data))

    def read(self, address: int, count: int) -> bytes:
        """Read ``count`` bytes from the 7-bit ``address``."""
        answer = self._message.read(address, count)
        self._transfer(address, answer)
        return bytes(answer)

    def write_read(self, address: int, data: bytes, count: int) -> bytes:
        """Write ``data``, then after a repeated START read ``count`` bytes, as one transfer."""
        answer = self._message.read(address, count)
        self._transfer(address, self._message.write(address, data), answer)
        return bytes(answer)

    def _transfer(self, address: int, *messages: Any) -> None:
        if self._closed:
            raise BusError(errno.EBADF, f"{self.name} is closed")
        try:
            self._device.i2c_rdwr(*messages)
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, error.strerror)
            raise BusError(error.errno, f"{reason} (address 0x{address:02X} on {self.name})") from error

    def close(self) -> None:
        """Close the device node. A second call does nothing."""
        self._closed = True
        self._device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def limit_waits(node: int) -> None:
    """Let the adapter behind an open device node give a transfer up after ``TIMEOUT_SECONDS``.

    By default that is a second, in which nobody else on the bus is served. It tries nothing again by itself:
    a transfer that lost the wires to another master is ours to repeat. An adapter that refuses keeps its own
    way: then a chip that hangs costs the others more.
    """
    import fcntl  # not on every PC

    with suppress(OSError):
        fcntl.ioctl(node, I2C_TIMEOUT, round(TIMEOUT_SECONDS / TIMEOUT_UNIT_SECONDS))
        fcntl.ioctl(node, I2C_RETRIES, 0)


def i2c_adapters(sys_root: Path = SYS) -> dict[int, str]:
    """Name of each I2C adapter that the kernel has, by bus number."""
    found = {}
    for node in (sys_root / "bus/i2c/devices").glob("i2c-*"):
        if number := re.fullmatch(r"i2c-(\d+)", node.name):
            with suppress(FileNotFoundError):  # it may go just now
                found[int(number[1])] = (node / "name").read_text().strip()
    return dict(sorted(found.items()))


def open_i2c(
    number: int | None = None, adapter: str | None = None, sys_root: Path = SYS, dev_root: Path = DEV
) -> KernelBus:
    """Open an I2C bus by its number (1 is ``/dev/i2c-1``) or by its adapter's name.

    Raise BusAbsent while it is not there, BusError if it cannot or may not be opened, LibraryError without
    smbus2.
    """
    return _open_node(_bus_number(number, adapter, sys_root), sys_root, dev_root)


def open_bus(profile: Profile, name: str, sys_root: Path = SYS, dev_root: Path = DEV) -> KernelBus:
    """Open the bus that ``profile`` calls ``name``, a channel of a mux that the kernel drives included.

    Errors as of open_i2c.
    """
    hub, _, channel = name.partition("/")
    if not channel:
        bus = profile.buses[name]
        return open_i2c(bus.number, bus.adapter, sys_root, dev_root)
    mux = profile.muxes[hub]
    trunk = profile.buses[mux.bus]
    number = _bus_number(trunk.number, trunk.adapter, sys_root)
    here = i2c_adapters(sys_root)
    if number not in here:
        raise _absent(number, here)
    branch = sys_root / f"bus/i2c/devices/{number}-{mux.address:04x}/channel-{channel}"
    if not branch.exists():
        raise BusAbsent(
            errno.ENOENT,
            f"the kernel drives no mux with a channel {channel} at 0x{mux.address:02X} on i2c-{number}: put "
            f"dtoverlay=i2c-mux,pca9548,addr=0x{mux.address:02x} into config.txt, "
            f'or driven = "user" under [muxes.{hub}] in the board\'s profile',
        )
    # A channel's transfers are its trunk's, whose adapter has its own limit: opening that sets it.
    with suppress(BusError):
        _open_node(number, sys_root, dev_root).close()
    return _open_node(int(branch.resolve().name.removeprefix("i2c-")), sys_root, dev_root)


def bus_speed(number: int, sys_root: Path = SYS) -> int | None:
    """Clock of bus ``number`` in Hz, as the device tree sets it for the bus or its trunk; None if unknown."""
    node = (sys_root / f"bus/i2c/devices/i2c-{number}").resolve()
    while node.name.startswith("i2c-"):
        setting = node / "of_node/clock-frequency"
        if setting.exists():
            (speed,) = struct.unpack(">I", setting.read_bytes())
            return int(speed)
        node = node.parent
    return None


def _bus_number(number: int | None, adapter: str | None, sys_root: Path) -> int:
    if number is not None and adapter is None:
        return number
    if adapter is None or number is not None:
        raise ValueError("an I2C bus is meant either by its number or by its adapter's name")
    here = i2c_adapters(sys_root)
    found = [number for number, name in here.items() if name == adapter]
    if not found:
        raise BusAbsent(errno.ENOENT, f"no I2C adapter is named {adapter!r}; {_listed(here)}")
    if len(found) > 1:
        raise BusError(errno.EINVAL, f"several I2C adapters are named {adapter!r}; {_listed(here)}")
    return found[0]


def _open_node(number: int, sys_root: Path, dev_root: Path) -> KernelBus:
    path = dev_root / f"i2c-{number}"
    here = i2c_adapters(sys_root)
    if not path.exists():
        if number not in here:
            raise _absent(number, here)
        raise BusAbsent(errno.ENOENT, f"i2c-{number} ({here[number]}) has no {path}: sudo modprobe i2c-dev")
    return KernelBus(path, f"i2c-{number} ({here[number]})" if number in here else f"i2c-{number}")


def _absent(number: int, here: Mapping[int, str]) -> BusAbsent:
    return BusAbsent(errno.ENOENT, f"there is no I2C bus {number}; {_listed(here)}")


def _listed(adapters: Mapping[int, str]) -> str:
    if not adapters:
        return "the kernel has none: switch I2C on (raspi-config, Interface Options) and restart"
    names = ", ".join(f"{number} = {name!r}" for number, name in adapters.items())
    return f"here are {names}: set number or adapter under [buses] in the board's profile"


def _denied(path: Path) -> str:
    """Why this process may not open ``path``, and what lets it."""
    node = path.stat()
    owner = _group(node.st_gid)
    ours = ", ".join(_group(group) for group in sorted({os.getegid(), *os.getgroups()}))
    return (
        f"may not open {path}: it belongs to group {owner} (mode {node.st_mode & 0o777:03o}), this process to"
        f" {ours}. Add its user: sudo usermod -aG {owner} USER, then log in again"
    )


def _group(number: int) -> str:
    import grp  # not on every PC

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


_CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h: name and label, 32 bytes each, then the number of lines."""


def gpio_chips(dev_root: Path = DEV) -> dict[int, str]:
    """Label of each GPIO chip by number (0: ``/dev/gpiochip0``). Raise PinError if one cannot be opened."""
    import fcntl  # not on every PC

    labels = {}
    for path in dev_root.glob("gpiochip*"):
        info = bytearray(68)
        try:
            chip = os.open(path, os.O_RDONLY)
            try:
                fcntl.ioctl(chip, _CHIP_INFO, info)
            finally:
                os.close(chip)
        except PermissionError as error:
            raise PinError(errno.EACCES, _denied(path)) from error
        except OSError as error:
            raise PinError(error.errno, f"{path} is not a GPIO chip: {error.strerror}") from error
        labels[int(path.name.removeprefix("gpiochip"))] = info[32:64].rstrip(b"\0").decode()
    return dict(sorted(labels.items()))


def header_chip(chips: Mapping[int, str], labels: Sequence[str] = HEADER_LABELS) -> int:
    """Number of the chip that has one of these labels: it differs between boards and kernels.

    A kernel may show the chip under two numbers: the lower one counts. Raise PinError with the labels found.
    """
    for number, label in sorted(chips.items()):
        if label in labels:
            return number
    found = (
        ", ".join(f"gpiochip{number} = {label!r}" for number, label in chips.items()) or "no GPIO chip at all"
    )
    raise PinError(
        errno.ENODEV, f"no GPIO chip is a Raspberry Pi's header ({', '.join(labels)}); here is {found}"
    )


def open_pins(labels: Sequence[str] = HEADER_LABELS) -> Any:
    """Open the header's lines as a gpiozero pin factory on lgpio, never on another library in its place.

    The factory is a context manager: close the devices made on it first. To make a device on a line that
    somebody else holds raises PinError (EBUSY) and names the holder. Raise PinError if there is no such chip
    or it cannot be opened, LibraryError without a working lgpio.
    """
    lgpio = import_lgpio()
    from gpiozero.exc import PinUnknownPi
    from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

    class HeaderPin(LGPIOPin):  # type: ignore[misc]  # gpiozero is untyped
        def close(self) -> None:
            # gpiozero leaves the callback with lgpio, which would call it for whoever has the line next.
            if self.factory._handle is not None:
                self.when_changed = None
            super().close()

        def _call_when_changed(self, *event: Any) -> None:
            try:
                super()._call_when_changed(*event)
            except Exception:  # lgpio has one thread for the edges of all lines: it must not end
                log.exception("edge of %r", self)

    class HeaderPins(LGPIOFactory):  # type: ignore[misc]
        def __init__(self, chip: int) -> None:
            super().__init__(chip)
            self.pin_class = HeaderPin

        def _get_revision(self) -> int:
            try:
                return int(super()._get_revision())
            except PinUnknownPi:
                return 0xA02082  # not a Pi, but its header's names still hold: those of a Pi 3 B

        def pin(self, name: Any) -> Any:
            try:
                return super().pin(name)
            except lgpio.error as error:
                raise self._refusal(name, error) from error

        def _refusal(self, name: Any, error: Exception) -> PinError:
            line = int(self.board_info.to_gpio(name).removeprefix("GPIO"))
            if str(error.args[0]) != lgpio.error_text(lgpio.GPIO_BUSY):
                return PinError(errno.EIO, f"GPIO {line}: {error}")
            *_, holder = lgpio.gpio_get_line_info(self._handle, line)
            return PinError(
                errno.EBUSY,
                f"GPIO {line} is held by {holder or 'somebody'!r}: stop that program or overlay",
            )

    number = header_chip(gpio_chips(), labels)
    try:
        return HeaderPins(number)
    except lgpio.error as error:
        raise PinError(errno.EIO, f"gpiochip{number} cannot be opened: {error}") from error


def import_lgpio() -> ModuleType:
    """Import lgpio without side effects.

    Its import changes into the folder LG_WD, by default the current one, and leaves a pipe there, which fails
    where nothing can be written. So it gets a new folder, which goes once the pipe is open.
    """
    if "lgpio" in sys.modules:
        return _working(sys.modules["lgpio"])
    wanted = os.environ.get("LG_WD")
    parent = wanted or os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0] or None
    before = os.open(".", os.O_PATH)
    try:
        with tempfile.TemporaryDirectory(prefix="lgpio-", dir=parent) as folder:
            os.environ["LG_WD"] = folder
            lgpio = importlib.import_module("lgpio")
    except ImportError as error:
        raise LibraryError(f"lgpio cannot be imported ({error}): {_LGPIO_FIX}") from error
    except OSError as error:
        raise PinError(
            error.errno, f"lgpio finds no folder for its pipe: {error}; set LG_WD to a writable one"
        ) from error
    finally:
        os.fchdir(before)
        os.close(before)
        if wanted is None:
            os.environ.pop("LG_WD", None)
        else:
            os.environ["LG_WD"] = wanted
    return _working(lgpio)


_LGPIO_FIX = "sudo apt install python3-lgpio, and a virtual environment made with --system-site-packages"


def _working(lgpio: ModuleType) -> ModuleType:
    if not callable(getattr(lgpio, "gpiochip_open", None)):
        raise LibraryError(f"{lgpio.__file__} is an empty stand-in for lgpio: remove it; {_LGPIO_FIX}")
    return lgpio
