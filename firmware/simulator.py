"""The command ``twentytwo sim``: a whole table on this computer, shown and played in a browser."""

import argparse
import asyncio
import os
import signal
import sys
import time
import webbrowser
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial

import msgspec

from engine.bots import BOTS
from firmware.chance import bots, packs, read_pack
from firmware.errors import UsageError
from firmware.finished import JournalGames, MemoryGames
from firmware.live import Live, Table
from firmware.options import add_rule_options, given, path, rules_from
from firmware.saving import journal_in
from firmware.simulation import SimHost, pods_in_real_time
from firmware.streams import say
from firmware.table.book import SavedGameError
from firmware.table.journal import Journal
from firmware.table.session import Session
from firmware.table.words import catalogue
from firmware.web.server import serve
from firmware.web.wire import PodState
from hardware.errors import ProfileError
from hardware.profile import Profile, board_names, load_profile
from hardware.seat import Button
from hardware.sim.tree import SimBoard

GARBLED_BYTES = 0.05
"""Share of the bytes that are damaged on a pod's line when the page garbles it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo sim``."""
    parser.add_argument(
        "--seats", type=int, metavar="N", help="how many seats, 2 to 6 (default: all of the profile)"
    )
    parser.add_argument(
        "--bots",
        type=int,
        default=0,
        metavar="N",
        help="how many seats have bots from the start, the last ones",
    )
    parser.add_argument(
        "--bot", default="steady", metavar="NAME", help=f"which bot: {', '.join(BOTS)} (default: steady)"
    )
    parser.add_argument(
        "--bot-delay", type=float, default=1.0, metavar="S", help="seconds that a bot thinks (default: 1)"
    )
    parser.add_argument(
        "--board",
        "--profile",
        dest="profile",
        type=given,
        default="direct-6-usermux",
        metavar="BOARD",
        help=f"board: {', '.join(board_names())}, or the path of a .toml (default: direct-6-usermux)",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="repeat packs and bots from this number (default: by chance)"
    )
    parser.add_argument(
        "--pack",
        type=path,
        metavar="FILE",
        help="deal this pack each time: 52 cards, top first, as in 10h As",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=2222,
        metavar="N",
        help="port of the page, 0 for a free one (default: 2222)",
    )
    parser.add_argument(
        "--journal",
        type=path,
        metavar="FILE",
        help="keep the games in this file, and go on with the last one (default: the page has the games of "
        "this run, and no file is written)",
    )
    parser.add_argument(
        "--host",
        type=given,
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address of this computer to serve the page at: whoever can reach it sees all screens "
        "(default: 127.0.0.1, this computer alone)",
    )
    parser.add_argument(
        "--new-pods",
        action="store_true",
        help="nobody has chosen yet which pod has which seat: PLAY on each of them does",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    add_rule_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the table until Ctrl-C. Raise UsageError for what cannot be done."""
    if not 0 <= args.port <= 65535:
        raise UsageError(f"--port {args.port}: choose 1 to 65535, or 0 for a free one")
    profile = _profile(args.profile, args.seats)
    host = SimHost(
        profile,
        seed=args.seed or 0,
        clock=time.monotonic,
        sleep=time.sleep,
        pods=pods_in_real_time(profile),
        chosen=not args.new_pods,
    )
    with ExitStack() as ending:
        journal: Journal | MemoryGames
        games: JournalGames | MemoryGames
        if args.journal:
            journal = ending.enter_context(journal_in(args.journal, threaded=True))
            games = JournalGames(journal, args.journal)
        else:
            journal = games = MemoryGames()
        table = Table(host, _session(args, profile, journal), catalogue())
        serving = partial(serve, Shown(host.wires, host.do), games, host=args.host, port=args.port)
        asyncio.run(_serve(table, serving, browser=not args.no_browser))
    return 0


def _profile(name: str, seats: int | None) -> Profile:
    try:
        profile = load_profile(name)
    except ProfileError as problem:
        raise UsageError(str(problem)) from problem
    if seats is None:
        return profile
    if not 2 <= seats <= len(profile.seats):
        most = len(profile.seats)
        raise UsageError(
            f"--seats {seats}: {profile.name} has {most} seats"
            + (f", choose 2 to {most}" if most > 2 else "")
        )
    return msgspec.structs.replace(profile, seats=profile.seats[:seats])


def _session(args: argparse.Namespace, profile: Profile, journal: Journal | MemoryGames) -> Session:
    seats = [seat.number for seat in profile.seats]
    if args.bot not in BOTS:
        raise UsageError(f"--bot {args.bot}: there is no such bot, choose one of {', '.join(BOTS)}")
    if not 0 <= args.bots <= len(seats):
        raise UsageError(f"--bots {args.bots}: the table has {len(seats)} seats, choose 0 to {len(seats)}")
    if not 0.01 <= args.bot_delay <= 60:
        raise UsageError(f"--bot-delay {args.bot_delay}: choose 0.01 to 60 seconds")
    try:
        return Session(
            seats,
            chance=read_pack(args.pack) if args.pack else packs(args.seed),
            bots=bots(args.seed),
            bot=args.bot,
            fill=dict.fromkeys(seats[len(seats) - args.bots :], args.bot),
            rules=rules_from(args),
            bot_delay_s=args.bot_delay,
            journal=journal,
            saved=journal.saved,
            news=journal.news,
        )
    except SavedGameError as problem:
        raise UsageError(f"--journal {args.journal}: {problem}") from problem


async def _serve(table: Table, serving: Callable[..., Awaitable[None]], *, browser: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)

    def ended() -> None:
        loop.call_soon_threadsafe(stop.set)

    live = Live(table, time.monotonic, ended)
    live.start()
    try:
        await serving(ready=lambda address: _announce(address, browser), stop=stop)
    finally:
        await asyncio.to_thread(live.stop)


def _announce(address: str, browser: bool) -> None:
    opened = browser and _desktop() and webbrowser.open(address)
    hint = "" if opened or not browser else " (no browser could be started: open this address in one)"
    say(f"The table is at {address}{hint}  Ctrl-C ends it.")


def _desktop() -> bool:
    """Whether a browser would open in a window of its own, not in this terminal."""
    return not sys.platform.startswith("linux") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


class Shown:
    """What the page shows of the simulated chips, and the buttons that it presses on them.

    ``do`` has something done on the thread that advances the board.
    """

    def __init__(self, wires: SimBoard, do: Callable[[Callable[[], None]], None] = lambda act: act()) -> None:
        self._wires = wires
        self._do = do
        self._labels = {seat.number: seat.label for seat in wires.profile.seats}
        self.seats = tuple(self._labels)

    def label(self, seat: int) -> str:
        """What stands on the table's rim."""
        return self._labels[seat]

    def picture(self, seat: int) -> bytes:
        """What a person sees on the seat's panel: 1,024 bytes, page order."""
        return self._wires.panel(seat).visible()

    def lamp(self, seat: int) -> bool | None:
        """Whether the seat's lamp is lit; None if it has none."""
        return self._wires.lamp(seat)

    def pod(self, seat: int) -> PodState | None:
        """Whether the seat's pod is plugged in, and its line garbled; None if it has none."""
        pod = self._wires.pods.get(seat)
        return None if pod is None else PodState(pod.plugged, pod.noise > 0)

    def act_on_pod(self, seat: int, act: str) -> None:
        """Pull the pod's cable, plug it in, start its program anew, garble its line, or clear that."""
        pod = self._wires.pods[seat]
        acts: dict[str, Callable[[], None]] = {
            "unplug": pod.unplug,
            "plug": pod.plug,
            "reset": pod.reset,
            "garble": partial(pod.garble, GARBLED_BYTES),
            "clear": partial(pod.garble, 0.0),
        }
        self._do(acts[act])

    def press(self, seat: int, button: str) -> None:
        """A finger presses the button."""
        self._wires.press(seat, Button(button))

    def release(self, seat: int, button: str) -> None:
        """The finger lets it go."""
        self._wires.release(seat, Button(button))

    def watch(self, changed: Callable[[int], None]) -> None:
        """Call ``changed(seat)`` from any thread when a picture or a lamp has changed."""
        self._wires.watch(changed)
