"""The command ``twentytwo``."""

import argparse
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from firmware.errors import UsageError

COMMANDS = {
    "play": ("firmware.device.play", "run the table on its board: on real hardware, or simulated with --sim"),
    "doctor": ("firmware.device.doctor", "check buses, chips and libraries, and say what is wrong"),
    "selftest": ("firmware.device.selftest", "try every panel and every button by hand"),
    "sim": ("firmware.simulator", "play at a simulated table in the browser"),
    "selfplay": ("firmware.selfplay", "let bots play many games and print who won"),
    "replay": ("firmware.replay", "step through a record and check every action"),
    "history": ("firmware.history", "list, show and export the games that a table has kept"),
    "verify": ("firmware.verify", "check that a game's packs are those its table had committed to"),
    "wiring": (
        "firmware.wiring.command",
        "write a board's wiring drawings, pin tables, parts and boot configuration",
    ),
}
"""Name of each command, the module that has its ``add_arguments`` and ``run``, and what it does."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and where to find help."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Return its exit code: 2 for what the user has to put right; see ``firmware.exits``."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        args = _arguments(sys.argv[1:] if argv is None else list(argv))
        run = import_module(COMMANDS[args.command][0]).run
        return int(run(args))
    except UsageError as problem:
        print(f"twentytwo: {problem}", file=sys.stderr)  # noqa: T201 - this is the command line
        return problem.exit_code
    except KeyboardInterrupt:
        return 130


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = Parser(prog="twentytwo", description="A table that deals, hides, checks and scores Twenty-Two.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in argv if not word.startswith("-")), None)
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        if name == wanted:  # the others' modules need not load
            import_module(module).add_arguments(command)
    return parser.parse_args(argv)
