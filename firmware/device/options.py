"""Options of the device's programs, and what they stand for: settings, a board and its host."""

import argparse
import heapq
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from firmware.bindings import DEFAULT_PATH as SEATS_PATH
from firmware.errors import UsageError
from firmware.exits import Exit
from firmware.options import given, path
from firmware.settings import DEFAULT_PATH, Settings, load_settings
from firmware.streams import say
from hardware.errors import TomlError
from hardware.profile import Profile, board_names, load_profile

if TYPE_CHECKING:
    from firmware.faults import Fault
    from firmware.simulation import SimHost


def add_device_options(parser: argparse.ArgumentParser) -> None:
    """The options that play, doctor and selftest share."""
    parser.add_argument(
        "--settings", type=path, metavar="FILE", help=f"the table's settings (default: {DEFAULT_PATH})"
    )
    parser.add_argument(
        "--board",
        type=given,
        metavar="BOARD",
        help=f"the board, instead of the settings': {', '.join(board_names())}, or the path of a .toml",
    )
    parser.add_argument(
        "--runtime", type=path, metavar="FOLDER", help="folder for lock and status (default: systemd's)"
    )
    simulated = parser.add_argument_group("simulated board")
    simulated.add_argument(
        "--sim", action="store_true", help="run on simulated chips and wires instead of hardware"
    )
    simulated.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="FAULT",
        help="let something fail, as unplug:3@5+10 (may be repeated; --fault help lists what can)",
    )
    simulated.add_argument("--seed", type=int, metavar="N", help="repeat all chance from this number")
    simulated.add_argument(
        "--fault-seed", type=int, metavar="N", help="let one thing after another fail, drawn from this number"
    )


def chosen_board(args: argparse.Namespace) -> tuple[Settings, Profile]:
    """The settings and the board's profile. Raise UsageError for what is wrong with either."""
    if not args.sim and (args.fault or args.fault_seed is not None or args.seed is not None):
        raise UsageError("--fault, --fault-seed and --seed need --sim")
    try:
        if args.settings is not None or DEFAULT_PATH.exists():
            settings = load_settings(args.settings or DEFAULT_PATH)
        elif args.sim or args.board:
            settings = Settings()
        else:  # real wires are not driven on a guess
            raise UsageError(
                f"there are no settings at {DEFAULT_PATH}: give --settings FILE or --board BOARD"
            )
        return settings, load_profile(args.board or settings.board)
    except TomlError as problem:
        raise UsageError(str(problem)) from problem


def bindings_path() -> Path:
    """Where the table on its board keeps which pod has which seat: systemd's state folder, if it has one."""
    state = os.environ.get("STATE_DIRECTORY")
    return Path(state, SEATS_PATH.name) if state else SEATS_PATH


def open_simulated(
    args: argparse.Namespace,
    profile: Profile,
    *,
    virtual: bool,
    told: Callable[["Fault"], None] = lambda fault: None,
) -> "SimHost":
    """A simulated host of the board, with the faults asked for; ``virtual``: its time, too.

    ``told`` is called with each fault as it begins. Raise UsageError for faults that cannot be.
    """
    from firmware.faults import Plan, drawn, faults_help, parse_fault
    from firmware.simulation import SimHost, pods_in_real_time

    if "help" in args.fault:
        say(faults_help())
        raise SystemExit(Exit.DONE)
    faults = sorted((parse_fault(text, profile) for text in args.fault), key=lambda fault: fault.start)
    coming: Iterator[Fault] = drawn(args.fault_seed, profile) if args.fault_seed is not None else iter(())
    host = SimHost(
        profile,
        seed=args.seed or 0,
        clock=None if virtual else time.monotonic,
        sleep=None if virtual else time.sleep,
        pods=None if virtual else pods_in_real_time(profile),
    )
    coming = heapq.merge(faults, coming, key=lambda fault: fault.start)
    host.happenings.append(Plan(host, coming, told))
    host.advance(host.clock())  # what fails from the start fails before anybody looks
    return host
