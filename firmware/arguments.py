"""The arguments of the command line: one parser with a subcommand for each command."""

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NoReturn

from firmware.errors import UsageError


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and where to find help."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def parsed(argv: Sequence[str], known: Mapping[str, tuple[str, str]]) -> argparse.Namespace:
    """What the arguments ask for; ``known``: see ``firmware.cli.COMMANDS``.

    Raise UsageError for what no command takes, SystemExit after help was printed.
    """
    parser = Parser(prog="twentytwo", description="A table that deals, hides, checks and scores Twenty-Two.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in argv if not word.startswith("-")), None)
    for name, (module, text) in known.items():
        command = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        if name == wanted:  # the others' modules need not load
            import_module(module).add_arguments(command)
    return parser.parse_args(argv)
