"""The serial lines of this computer that pods are on, or may be."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drivers.serialports import USB_IDS
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit

VENDOR = 0x2E8A
"""Raspberry Pi's USB vendor number: what has it, but another product, may be a pod with another firmware."""
BACK_S = 0.05
"""A line that is to come back is looked for so often."""


@dataclass(frozen=True, slots=True)
class Found:
    """A line. ``path``: stays the same when it is plugged in again; ``usb``: as ``2e8a:0005``, or nothing."""

    path: str
    device: str
    usb: str = ""
    usb_serial: str = ""

    @property
    def is_pod(self) -> bool:
        """Whether a MicroPython is on it."""
        vendor, _, product = self.usb.partition(":")
        return bool(product) and (int(vendor, 16), int(product, 16)) in USB_IDS


def find_lines(
    paths: Sequence[str] = (), *, dev: Path = Path("/dev"), sys: Path = Path("/sys")
) -> list[Found]:
    """The lines at the given paths, and those on USB that may be pods; each device once.

    ``dev`` and ``sys`` are the kernel's folders.
    """
    found: dict[str, Found] = {}
    links = {os.path.realpath(link): str(link) for link in _entries(dev / "serial/by-id")}
    for path in paths:
        device = os.path.realpath(path)
        found.setdefault(device, Found(path, device, *_usb(sys, device)))
    for entry in _entries(sys / "class/tty"):
        by_id = next((one for one in links if os.path.basename(one) == entry.name), None)
        device = by_id or str(dev / entry.name)
        usb, usb_serial = _usb(sys, device)
        if usb and int(usb[:4], 16) == VENDOR:
            found.setdefault(device, Found(links.get(device, device), device, usb, usb_serial))
    return list(found.values())


def chosen(word: str | None, lines: Sequence[Found]) -> str:
    """The path of the line that is meant: by its path, or by the pod's number or its end; None: the only one.

    Raise UsageError if that is none, or not clear which.
    """
    if word and "/" in word:
        if not os.path.exists(word):
            raise CannotRunError(
                Exit.BUS, f"there is no {word}: is the pod plugged in? twentytwo pod list shows all"
            )
        # As ttyACM0 it might come back as ttyACM1 after a reset; its other name stays.
        device = os.path.realpath(word)
        return next((line.path for line in lines if line.device == device), word)
    if word:
        lines = [line for line in lines if line.usb_serial.lower().endswith(word.lower())]
    else:
        lines = [line for line in lines if line.is_pod]
    if len(lines) == 1:
        return lines[0].path
    if lines:
        raise UsageError(
            f"there are {len(lines)} pods: say which, by its path or the end of its number: "
            + ", ".join(sorted(line.usb_serial or line.path for line in lines))
        )
    what = f"pod whose number ends in {word}" if word else "pod"
    raise CannotRunError(
        Exit.BUS,
        f"there is no {what} on USB: plug it in with a cable that carries data; a new Pico needs MicroPython "
        "first (docs/pods.md); a pod on a UART is named by its path, as /dev/serial0",
    )


def wait_for(path: str, seconds: float, *, there: bool = True) -> bool:
    """Wait until a line is there, or gone; whether it is so."""
    end = time.monotonic() + seconds
    while os.path.exists(path) != there:
        if time.monotonic() >= end:
            return False
        time.sleep(BACK_S)
    return True


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # nothing is plugged in
        return []


def _usb(sys: Path, device: str) -> tuple[str, str]:
    """Vendor and product number, and the serial number, of the USB device that a line is on; empty: none."""
    node = (sys / "class/tty" / os.path.basename(device) / "device").resolve()
    for folder in (node, *node.parents[:2]):
        try:
            vendor, product = ((folder / name).read_text().strip() for name in ("idVendor", "idProduct"))
            int(vendor, 16), int(product, 16)
        except (OSError, ValueError):
            continue
        try:
            return f"{vendor}:{product}", (folder / "serial").read_text().strip()
        except OSError:
            return f"{vendor}:{product}", ""
    return "", ""
