"""What a computer without the hardware's libraries can do: import everything, and play a simulation."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

BLOCKED = """
import sys
from importlib.abc import MetaPathFinder

class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in NAMES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Blocker())
"""

IMPORT_ALL = """
import importlib, pkgutil
count = 0
for package in ("engine", "hardware", "drivers", "firmware"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.startswith(NOT_HERE):
            importlib.import_module(module.name)
            count += 1
print(count)
"""

PLAY = """
from firmware.cli import main
sys.exit(main("play --sim --board direct-2 --bots 2 --games 1 --fast --bot-delay 0.1".split()))
"""


def run(names: set[str], program: str) -> str:
    """What a program prints on a computer without these modules. Fail if it warns, or does not end well."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"NAMES = {names!r}\n{BLOCKED}{program}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_module_is_imported_without_the_hardwares_libraries() -> None:
    """Without gpiozero, lgpio, smbus2, luma and pyserial each module of the program is imported, silently.

    Only what runs on MicroPython, and stands for its modules, is left out.
    """
    names = {"gpiozero", "lgpio", "RPi", "pigpio", "smbus2", "luma", "serial"}
    not_here = ("firmware.pod.", "hardware.sim.pico")
    assert int(run(names, f"NOT_HERE = {not_here!r}\n{IMPORT_ALL}")) > 100


def test_a_pc_plays_without_the_pis_libraries() -> None:
    """Without lgpio, smbus2 and pyserial a whole game is played on a simulated board."""
    assert "game 1: seat" in run({"lgpio", "RPi", "pigpio", "smbus2", "serial"}, PLAY)


def test_nothing_heavy_is_imported_by_the_drivers() -> None:
    """The drivers alone import neither gpiozero nor luma: only what has pins and panels does."""
    program = "import drivers.board, drivers.linepins\nprint({'gpiozero', 'luma'} & set(sys.modules))"
    assert run({"nothing"}, program) == "set()\n"
