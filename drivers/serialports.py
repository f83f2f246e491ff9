"""Serial lines to pods: which ones there are, and opening them so that nothing ever blocks."""

import errno
import os
import re
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

USB_IDS = frozenset({(0x2E8A, 0x0005)})
"""Vendor and product number of the USB socket of a MicroPython on an RP2040 or RP2350."""
BAUD = 115_200
"""Speed of a UART; a USB line ignores it."""
CHUNK = 4096
DRAIN_S, DRAIN_STEPS = 0.005, 20
"""What was written last gets 0.1 s to leave, in so many steps."""


@dataclass(frozen=True, slots=True)
class Port:
    """A serial line that a pod may be on. ``path``: its device; ``usb_serial``: what USB calls the device."""

    path: str
    usb_serial: str = ""


class SerialPorts:
    """The serial lines of this machine: those of pods on USB, and those at ``paths``.

    ``paths`` are devices, as ``/dev/serial0``, or patterns with * and ?, as ``/dev/ttyUSB*``.
    Pods on USB are known by their USB ids, and called by their name under /dev/serial/by-id, which stays the
    same whatever order they were plugged in. ``dev`` and ``sys`` are the kernel's folders; ``serial_class``
    stands in for pyserial's ``Serial``.
    """

    waitable = True
    """Its lines have file descriptors to wait on (``drivers.pod.Ports``)."""

    def __init__(
        self,
        paths: Sequence[str] = (),
        *,
        dev: Path = Path("/dev"),
        sys: Path = Path("/sys"),
        serial_class: Callable[[], Any] | None = None,
    ) -> None:
        self._paths = tuple(paths)
        self._by_id = dev / "serial/by-id"
        self._ttys = sys / "class/tty"
        self._serial_class = serial_class

    def find(self) -> list[Port]:
        """The lines that are there now, each device once; those at the given paths first."""
        found: dict[str, Port] = {}
        for path in (path for pattern in self._paths for path in sorted(glob(pattern))):
            found.setdefault(os.path.realpath(path), Port(path))
        try:
            links = sorted(self._by_id.iterdir())
        except OSError:  # there is no such folder while no USB line is plugged in
            links = []
        for link in links:
            device = os.path.realpath(link)
            vendor, product, serial = self._usb(os.path.basename(device))
            if (vendor, product) in USB_IDS:
                found.setdefault(device, Port(str(link), serial))
        return list(found.values())

    def open(self, port: Port) -> "SerialStream":
        """Open a line for us alone. Raise OSError with what to do about it."""
        return SerialStream(port.path, self._serial_class)

    def _usb(self, tty: str) -> tuple[int, int, str]:
        node = (self._ttys / tty / "device").resolve()
        # The line is an interface of the USB device: the ids are one floor up, or two.
        for folder in (node, *node.parents[:2]):
            try:
                ids = [(folder / name).read_text().strip() for name in ("idVendor", "idProduct", "serial")]
                return int(ids[0], 16), int(ids[1], 16), ids[2]
            except (OSError, ValueError):
                continue
        return 0, 0, ""


class SerialStream:
    """An open serial line (``hardware.stream.Stream``).

    pyserial opens it, asserts DTR, without which the USB socket of an RP2040 sends nothing, and locks it.
    Reading and writing goes past pyserial: without a time-out its ``write`` spins for ever on a full line.
    """

    def __init__(self, path: str, serial_class: Callable[[], Any] | None = None) -> None:
        if serial_class is None:
            try:
                from serial import Serial
            except ImportError as error:
                raise OSError(
                    errno.ENOPKG, f"pyserial cannot be imported ({error}): install the extra 'pi'"
                ) from error
            serial_class = Serial
        self._name = path
        self._closed = False
        line = serial_class()
        line.port = path
        line.baudrate = BAUD
        line.exclusive = True
        line.timeout = line.write_timeout = 0
        line.dtr = line.rts = True
        try:
            line.open()
        except OSError as error:
            raise OSError(error.errno or errno.EIO, _why_not(path, error)) from error
        self._line = line
        self._fd = line.fileno()
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLIN)
        _refuse_others(self._fd)

    @property
    def name(self) -> str:
        """Its device."""
        return self._name

    def fileno(self) -> int:
        """Its file descriptor, to wait on."""
        return int(self._fd)

    def read(self) -> bytes:
        """What has arrived. Raise OSError once the other end has gone."""
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return b""
        # An empty read may mean that nothing has come, or that nothing ever will.
        if not data and any(event & ~select.POLLIN for _, event in self._poll.poll(0)):
            raise OSError(errno.EIO, f"{self._name} was unplugged")
        return data

    def write(self, data: bytes) -> int:
        """Hand over what there is room for. Raise OSError once the other end has gone."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Close it, at most 0.1 s after what was written last. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        import termios  # not on every PC

        try:
            for _ in range(DRAIN_STEPS):
                if not self._line.out_waiting:
                    break
                time.sleep(DRAIN_S)
            # Otherwise closing would wait for a pod that does not read, up to 30 s.
            self._line.reset_output_buffer()
        except (OSError, termios.error):
            pass  # the device has gone, and what it has not read with it
        finally:
            self._line.close()


def _refuse_others(fd: int) -> None:
    """Have the kernel refuse whoever opens the line without asking for a lock (root aside)."""
    import fcntl  # not on every PC
    import termios

    fcntl.ioctl(fd, termios.TIOCEXCL)


def _why_not(path: str, error: OSError) -> str:
    """Why a line cannot be opened, and what to do. pyserial tells it in its text more often than in errno."""
    text = str(error)
    told = re.search(r"\[Errno (\d+)\]|\((\d+), ", text)
    number = error.errno or (int(told[1] or told[2]) if told else 0)
    if number == errno.EACCES:
        return f"may not open {path}: add this user to its group: sudo usermod -aG {_group(path)} USER"
    if number == errno.EBUSY or "exclusively lock" in text:
        return f"{path} is in use by another program: end that one (mpremote, a terminal, a second table)"
    if number in (errno.ENOTTY, errno.EISDIR):
        return f"{path} is no serial line: name a pod's, as /dev/serial0"
    return f"{path} cannot be opened: {os.strerror(number) if number else text}"


def _group(path: str) -> str:
    try:
        return Path(path).group()
    except (OSError, KeyError):
        return "dialout"
