"""The document of the device's commands keeps in step with the program."""

import re
from pathlib import Path

from firmware.cli import COMMANDS
from firmware.exits import Exit

TEXT = (Path(__file__).parents[1] / "docs" / "commands.md").read_text("utf-8")


def test_every_exit_code_is_in_the_table():
    """The table has the codes of the program, no more and no fewer, in their order."""
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)] == [
        int(code) for code in Exit
    ]


def test_the_commands_are_there():
    """Each heading of a command names one that there is."""
    named = re.findall(r"^## twentytwo (\w+)$", TEXT, re.MULTILINE)
    assert named == ["play", "doctor", "selftest", "settings", "pod"]
    assert set(named) <= set(COMMANDS)
