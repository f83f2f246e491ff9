"""Starts the program in the slot that /slot.py names, or else the one in the other. On the board: /main.py.

A slot is a folder, /a or /b, with all files of one build. Nothing is written here: whoever puts a new build
into a slot has seen it say hello before /slot.py names it (``firmware/podtool/flash.py``).
"""

import os
import sys

SLOTS = ("a", "b")


def order() -> tuple[str, ...]:
    """The slots in the order in which they are tried."""
    try:
        from slot import SLOT  # type: ignore[import-not-found]
    except Exception:  # noqa: BLE001 - there is none, or it is damaged: one of both slots will do
        return SLOTS
    return ("b", "a") if SLOT == "b" else SLOTS


def check(slot: str) -> None:
    """Raise OSError if a file of the slot has not its size: MicroPython hangs on bytecode that is cut off."""
    from files import FILES  # type: ignore[import-not-found]

    for path, size in FILES:
        if os.stat(slot + "/" + path)[6] != size:
            raise OSError(path + " is cut off")


def start() -> None:
    """Run the first program that can be loaded."""
    for slot in order():
        sys.path.insert(0, slot)
        try:
            check(slot)
            from firmware.pod.main import main
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the other one may be sound
            # Not as a traceback: that tells the table that nothing runs.
            sys.stdout.write("slot " + slot + ": " + repr(error) + "\n")
            sys.path.pop(0)
            for name in list(sys.modules):
                if name.split(".")[0] in ("files", "firmware", "hardware"):
                    sys.modules.pop(name)
            continue
        main()
        return


if __name__ == "__main__":
    start()
