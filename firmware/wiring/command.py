"""``twentytwo wiring``: write a board's drawings, tables and boot configuration."""

import argparse
from pathlib import Path

from firmware.errors import UsageError
from firmware.options import given, path
from firmware.streams import one_line, say
from firmware.wiring.joins import plan_of
from firmware.wiring.write import files_of, write
from hardware.errors import ProfileError
from hardware.profile import board_names, load_profile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "board",
        type=given,
        metavar="BOARD",
        help=f"a bundled board ({', '.join(board_names())}) or a profile's path",
    )
    parser.add_argument("--out", type=path, metavar="FOLDER", help="where to write (default: ./wiring-BOARD)")
    parser.add_argument(
        "--format", choices=("all", "svg", "csv", "md"), default="all", help="what to write (default: all)"
    )
    parser.add_argument("--force", action="store_true", help="replace files that this command did not write")


def run(args: argparse.Namespace) -> int:
    """Write the files. Raise UsageError for what the user has to put right."""
    try:
        profile = load_profile(args.board)
    except ProfileError as error:
        raise UsageError(str(error)) from None
    folder = args.out or Path(f"wiring-{profile.name}")
    files = files_of(plan_of(profile), args.format)
    write(files, folder, args.force)
    say(one_line(f"{len(files)} files in {folder}"))
    return 0
