"""The command ``twentytwo``."""

import sys

TYPE_CHECKING = False  # typing's own would be an import
if TYPE_CHECKING:
    from firmware.streams import Output

# Nothing else is imported before ``main`` runs: from there on Ctrl-C ends the command without a traceback.

COMMANDS = {
    "play": ("firmware.device.play", "run the table on its board: on real hardware, or simulated with --sim"),
    "doctor": ("firmware.device.doctor", "check buses, chips and libraries, and say what is wrong"),
    "selftest": ("firmware.device.selftest", "try every panel and every button by hand"),
    "sim": ("firmware.simulator", "play at a simulated table in the browser"),
    "selfplay": ("firmware.selfplay", "let bots play many games and print who won"),
    "replay": ("firmware.replay", "step through a record and check every action"),
    "history": ("firmware.history", "list, show and export the games that a table has kept"),
    "settings": ("firmware.settingscommand", "show, change and check the table's settings"),
    "verify": ("firmware.verify", "check that a game's packs are those its table had committed to"),
    "pod": ("firmware.podtool.command", "list, flash, test and watch seat pods"),
    "wiring": (
        "firmware.wiring.command",
        "write a board's wiring drawings, pin tables, parts and boot configuration",
    ),
}
"""Name of each command, the module that has its ``add_arguments`` and ``run``, and what it does."""


def main(argv: list[str] | None = None) -> int:
    """Run one command. Return its exit code: 2 for what the user has to put right; see ``firmware.exits``."""
    try:
        from firmware.streams import guarded

        with guarded() as output:
            return _run(sys.argv[1:] if argv is None else argv, output)
    except KeyboardInterrupt:
        return 130


def _run(argv: list[str], output: "Output | None") -> int:
    import logging
    from importlib import import_module

    from firmware.arguments import parsed
    from firmware.errors import UsageError, missing
    from firmware.exits import CannotRunError, Exit
    from firmware.streams import one_line

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        try:
            args = parsed(argv, COMMANDS)
            code = int(import_module(COMMANDS[args.command][0]).run(args))
        except SystemExit as ended:  # help was printed
            code = int(ended.code or 0)
        except ModuleNotFoundError as problem:
            told = missing(problem)
            if told is None:
                raise
            raise told from problem
        sys.stdout.flush()
        if output is not None and output.broken is not None:
            raise CannotRunError(Exit.OUTPUT, f"standard output cannot be written: {output.broken.strerror}")
        return code
    except UsageError as problem:
        print(f"twentytwo: {one_line(str(problem))}", file=sys.stderr)  # noqa: T201 - this is the command line
        return problem.exit_code
