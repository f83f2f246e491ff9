"""Folders like a kernel's, in which serial lines on USB come and go."""

import os
import pty
import tty
from pathlib import Path

from drivers.serialports import SerialPorts

PICO = ("2e8a", "0005")


class Kernel:
    """Folders like a kernel's ``/dev`` and ``/sys`` whose serial lines are pseudo-terminals."""

    def __init__(self, root: Path) -> None:
        self.dev, self.sys = root / "dev", root / "sys"
        self.by_id = self.dev / "serial/by-id"
        self.masters: dict[str, int] = {}

    def plug(self, serial_number: str, ids: tuple[str, str] = PICO, name: str = "Board_in_FS_mode") -> str:
        """A device on USB that nothing runs on; return its name under /dev/serial/by-id."""
        master, slave = pty.openpty()
        tty.setraw(slave)
        path = self.plug_line(serial_number, os.ttyname(slave), ids, name)
        os.close(slave)
        self.masters[path] = master
        return path

    def plug_line(
        self, serial_number: str, device: str, ids: tuple[str, str] = PICO, name: str = "Board_in_FS_mode"
    ) -> str:
        """A device on USB whose line is this one; return its name under /dev/serial/by-id."""
        link = self.by_id / f"usb-MicroPython_{name}_{serial_number}-if00"
        self.by_id.mkdir(parents=True, exist_ok=True)
        link.symlink_to(device)
        interface = self.sys / "devices/usb1/1-1" / serial_number / "1-1:1.0"
        interface.mkdir(parents=True, exist_ok=True)
        for file, text in (("idVendor", ids[0]), ("idProduct", ids[1]), ("serial", serial_number)):
            (interface.parent / file).write_text(f"{text}\n")
        node = self.sys / "class/tty" / os.path.basename(device)
        node.mkdir(parents=True)
        (node / "device").symlink_to(interface)
        return str(link)

    def unplug(self, path: str) -> None:
        """It is pulled."""
        if path in self.masters:
            os.close(self.masters.pop(path))
        (self.sys / "class/tty" / os.path.basename(os.readlink(path)) / "device").unlink()
        (self.sys / "class/tty" / os.path.basename(os.readlink(path))).rmdir()
        os.unlink(path)

    def ports(self, *paths: str, **options: object) -> SerialPorts:
        """The lines of this kernel."""
        return SerialPorts(paths, dev=self.dev, sys=self.sys, **options)
