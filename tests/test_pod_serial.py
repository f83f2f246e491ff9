"""Serial lines to pods: found, opened for us alone, and never blocking; on pseudo-terminals."""

import errno
import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial
from pod_kernel import Kernel

from drivers.serialports import Port, SerialStream


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    """A kernel without any serial line."""
    kernel = Kernel(tmp_path)
    yield kernel
    for master in kernel.masters.values():
        os.close(master)


def arrives(fd: int, count: int, seconds: float = 5) -> bytes:
    """Bytes from a descriptor, as many as that, waiting at most so long."""
    data = b""
    end = time.monotonic() + seconds
    while len(data) < count and select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
        data += os.read(fd, 4096)
    return data


def test_no_lines_at_all(kernel):
    """Without any USB line there is no folder of names, and nothing is found."""
    assert kernel.ports().find() == []


def test_pods_are_found_by_their_usb_ids(kernel):
    """Lines with a MicroPython's USB ids are found under their lasting names; others are not."""
    pods = sorted(kernel.plug(number) for number in ("e66141040331a52c", "e66141040331a52d"))
    kernel.plug("FT123", ("0403", "6001"), "FTDI")
    assert [(port.path, port.usb_serial) for port in kernel.ports().find()] == list(
        zip(pods, ("e66141040331a52c", "e66141040331a52d"), strict=True)
    )


def test_device_is_found_once(kernel):
    """A line that is given by its path, and has a lasting name too, is one line, called as it was given."""
    path = kernel.plug("e66141040331a52c")
    device = os.path.realpath(path)
    found = kernel.ports(device, "/dev/not-there").find()
    assert [port.path for port in found] == [device]


def test_bytes_go_both_ways(kernel):
    """All byte values pass unchanged in both directions, and reading what is not there gives nothing."""
    path = kernel.plug("e66141040331a52c")
    stream = kernel.ports().open(Port(path))
    every = bytes(range(256))
    assert stream.name == path
    assert stream.read() == b""
    assert stream.write(every) == 256
    assert arrives(kernel.masters[path], 256) == every
    os.write(kernel.masters[path], every)
    assert select.select([stream.fileno()], [], [], 5)[0]
    assert stream.read() == every
    stream.close()
    stream.close()


def test_line_is_opened_for_us_alone(kernel):
    """A second open is refused, and says what to do; the kernel refuses even a plain one, except to root."""
    path = kernel.plug("e66141040331a52c")
    stream = kernel.ports().open(Port(path))
    with pytest.raises(OSError, match="in use by another program") as refused:
        kernel.ports().open(Port(path))
    assert path in str(refused.value)
    exclusive = bytearray(4)
    fcntl.ioctl(stream.fileno(), 0x80045440, exclusive)  # TIOCGEXCL
    assert exclusive[0] == 1
    stream.close()
    kernel.ports().open(Port(path)).close()


def test_line_locked_by_another_program(kernel):
    """A line that is locked by another process is refused; ours opens once that one has ended."""
    path = kernel.plug("e66141040331a52c")
    program = (
        "import serial, sys; line = serial.Serial(sys.argv[1], exclusive=True);"
        "print(1, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"1\n"
        with pytest.raises(OSError, match="in use by another program"):
            kernel.ports().open(Port(path))
        other.stdin.close()
        other.wait()
    kernel.ports().open(Port(path)).close()


def test_unplugged_line_raises(kernel):
    """Once the other end has gone, reading and writing raise OSError, and closing does not."""
    path = kernel.plug("e66141040331a52c")
    stream = kernel.ports().open(Port(path))
    os.close(kernel.masters.pop(path))
    with pytest.raises(OSError):  # noqa: PT011 - which errno it is depends on the kernel
        stream.read()
    with pytest.raises(OSError):  # noqa: PT011
        stream.write(b"x")
    stream.close()


def test_line_that_is_not_there(kernel):
    """Opening a line that has just been pulled says so."""
    path = kernel.plug("e66141040331a52c")
    kernel.unplug(path)
    with pytest.raises(OSError, match="cannot be opened") as refused:
        kernel.ports().open(Port(path))
    assert refused.value.errno == errno.ENOENT


def test_what_is_no_line(tmp_path):
    """A file, a folder, a pipe, a device of another kind: refused in words, and left as it was."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path in (*tmp_path.iterdir(), "/dev/zero"):
        with pytest.raises(OSError, match=r"is no serial line: name a pod's, as /dev/serial0$"):
            SerialStream(str(path))
    assert (tmp_path / "file").read_text() == "mine"


def test_full_line_takes_no_more_and_never_blocks(kernel):
    """To a pod that does not read, a write returns at once with what there was room for."""
    path = kernel.plug("e66141040331a52c")
    stream = kernel.ports().open(Port(path))
    began = time.monotonic()
    written = 0
    while sent := stream.write(b"x" * 4096):
        written += sent
        assert written < 1_000_000
    stream.close()
    assert time.monotonic() - began < 1


def test_closing_a_line_that_goes_at_that_moment(kernel):
    """A device that is pulled between the last look at its buffer and its flush is closed all the same."""
    path = kernel.plug("e66141040331a52c")

    class Pulled(serial.Serial):
        def reset_output_buffer(self):
            kernel.unplug(path)
            super().reset_output_buffer()

    stream = kernel.ports(serial_class=Pulled).open(Port(path))
    stream.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(stream.fileno())


def test_rights_are_explained(kernel):
    """A line that may not be opened is told with its group and the command that helps."""
    path = kernel.plug("e66141040331a52c")

    class Forbidden(serial.Serial):
        def open(self):
            raise serial.SerialException(errno.EACCES, f"could not open port {self.port}")

    with pytest.raises(OSError, match="sudo usermod -aG") as refused:
        kernel.ports(serial_class=Forbidden).open(Port(path))
    assert refused.value.errno == errno.EACCES
    assert path in str(refused.value)


class Rp2040:
    """pyserial's ``Serial`` at a pod whose USB sends only while DTR is set: a pty has no such line."""

    def __init__(self) -> None:
        self.dtr_at_open: bool | None = None

    def __call__(self) -> "Rp2040":
        self.dtr = False
        self.exclusive = False
        return self

    def open(self) -> None:
        self.dtr_at_open = self.dtr
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._slave, False)

    def fileno(self) -> int:
        return self._slave

    def say(self, data: bytes) -> bool:
        """The pod sends; nothing leaves it without DTR."""
        if self.dtr:
            os.write(self.master, data)
            return True
        return False

    @property
    def out_waiting(self) -> int:
        return 0

    def reset_output_buffer(self) -> None:
        termios.tcflush(self._slave, termios.TCOFLUSH)

    def close(self) -> None:
        os.close(self._slave)
        os.close(self.master)


def test_dtr_is_asserted():
    """DTR is set before the line opens, and stays set: without it an RP2040 sends nothing."""
    pod = Rp2040()
    stream = SerialStream("/dev/ttyACM0", pod)
    assert pod.dtr_at_open is True
    assert pod.dtr is True
    assert pod.exclusive is True
    assert pod.say(b"hello")
    assert select.select([stream.fileno()], [], [], 5)[0]
    assert stream.read() == b"hello"
    stream.close()
