"""The command ``twentytwo play``: the table on its board, real or simulated."""

import argparse
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.moves import Action, Deal
from engine.rules import Rules
from firmware.bindings import Bindings
from firmware.chance import bots, packs
from firmware.device.host import PiHost
from firmware.device.instance import folder_for_now, only_instance, runtime_folder
from firmware.device.notify import Notifier
from firmware.device.options import add_device_options, bindings_path, chosen_board, open_simulated
from firmware.device.speeds import slow_bus
from firmware.device.status import StatusKeeper
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit
from firmware.live import Finished, Host, Table, run_live, run_virtually
from firmware.options import path
from firmware.saving import DEFAULT_PATH, journal_in
from firmware.settings import Settings
from firmware.streams import say
from firmware.table.book import SavedGameError
from firmware.table.journal import Journal
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware.profile import Profile

if TYPE_CHECKING:
    from firmware.simulation import SimHost

REFRESH_S = 8.0
"""Each panel is painted anew so often: one that lost its set-up in a power dip says nothing of it."""
GIVE_UP_S = 60.0
"""A table that has worked ends when its buses have been down for so long: a fresh start may help."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo play``."""
    add_device_options(parser)
    parser.add_argument(
        "--journal",
        type=path,
        metavar="FILE",
        help="keep the games in this file, and go on with the last one (default: in systemd's state folder)",
    )
    simulated = parser.add_argument_group("games on the simulated board")
    simulated.add_argument(
        "--bots",
        type=int,
        default=0,
        metavar="N",
        help="how many seats have bots from the start, the last ones",
    )
    simulated.add_argument(
        "--bot-delay", type=float, metavar="S", help="seconds that a bot thinks, instead of the settings'"
    )
    simulated.add_argument("--games", type=int, metavar="N", help="end after N games")
    simulated.add_argument(
        "--fast", action="store_true", help="in virtual time, as fast as this computer can"
    )


def run(args: argparse.Namespace) -> int:
    """Play until a signal comes, or the last game is over. Raise UsageError, CannotRunError included."""
    settings, profile = chosen_board(args)
    _check(args, profile)
    log = GameLog(args.games) if args.sim else None
    with ExitStack() as ending:
        if args.sim and args.runtime is None:
            folder = ending.enter_context(folder_for_now())
        else:
            folder = runtime_folder(args.runtime)
        ending.enter_context(only_instance(folder))
        session = _session(args, settings, profile, log, ending.enter_context(_journal(args)))
        host: Host
        if args.sim:
            host = simulated = open_simulated(
                args, profile, virtual=args.fast, told=lambda fault: say(f"fault {fault}")
            )
            _say_when_lit(simulated)
        else:
            host = PiHost(profile, Bindings(bindings_path()))
            for name in profile.buses:
                if slow := slow_bus(host.set_speed(name)):
                    say(f"bus {name} is slow: {slow}")
        notifier = Notifier()
        table = Table(host, session, catalogue(settings.language), refresh=REFRESH_S)
        device = Device(table, StatusKeeper(folder, profile.name, notifier), notifier, log)
        if args.fast:
            run_virtually(device, host.clock)
        else:
            run_live(device, host.clock)
    return Exit.DONE


@contextmanager
def _journal(args: argparse.Namespace) -> Iterator[Journal | None]:
    """The table's journal; None where nobody said where to keep it."""
    state = os.environ.get("STATE_DIRECTORY")
    file = args.journal or (Path(state) / DEFAULT_PATH.name if state and not args.sim else None)
    if file is None:
        if not args.sim:
            say("no game is kept: say --journal FILE")
        yield None
        return
    with journal_in(file, threaded=not args.fast) as journal:
        yield journal


def _say_when_lit(host: "SimHost") -> None:
    """Print a line when every panel shines for the first time, and when all are dark again."""
    seats = {seat.number for seat in host.profile.seats}
    shining: set[int] = set()
    lines = ["every panel is dark", "every panel is lit"]
    lock = threading.Lock()

    def changed(seat: int) -> None:
        shines = any(host.wires.panel(seat).visible())
        with lock:
            (shining.add if shines else shining.discard)(seat)
            if lines and shining == (seats if len(lines) == 2 else set()):
                say(lines.pop())

    host.wires.watch(changed)


def _check(args: argparse.Namespace, profile: Profile) -> None:
    seats = len(profile.seats)
    if not args.sim and (args.bots or args.games or args.fast or args.bot_delay is not None):
        raise UsageError("--bots, --bot-delay, --games and --fast need --sim")
    if not 0 <= args.bots <= seats:
        raise UsageError(f"--bots {args.bots}: the board has {seats} seats, choose 0 to {seats}")
    if args.bot_delay is not None and not 0.01 <= args.bot_delay <= 60:
        raise UsageError(f"--bot-delay {args.bot_delay}: choose 0.01 to 60 seconds")
    if args.games is not None and args.games < 1:
        raise UsageError(f"--games {args.games}: choose 1 or more")
    if args.fast and not (args.bots == seats and args.games):
        raise UsageError(f"--fast: nobody presses in virtual time: it needs --bots {seats} and --games N")


def _session(
    args: argparse.Namespace,
    settings: Settings,
    profile: Profile,
    log: "GameLog | None",
    journal: Journal | None,
) -> Session:
    seats = [seat.number for seat in profile.seats]
    try:
        return Session(
            seats,
            chance=packs(args.seed),
            bots=bots(args.seed),
            bot=settings.bot,
            fill=dict.fromkeys(seats[len(seats) - args.bots :], settings.bot),
            rules=settings.house_rules(),
            bot_delay_s=settings.bot_delay if args.bot_delay is None else args.bot_delay,
            log=log,
            journal=journal,
            saved=journal.saved if journal else None,
            news=journal.news if journal else "",
        )
    except SavedGameError as problem:
        raise UsageError(
            f"{problem}: choose another journal, or discard that game on its own board"
        ) from problem


class GameLog:
    """Prints a line for each game that is over (``firmware.table.book.Log``).

    ``most``: after so many games it is ``full``. The line ends in a digest of all the game's actions.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._games = self._deals = self._actions = 0
        self._digest = hashlib.sha256()

    @property
    def full(self) -> bool:
        """Whether no more games are wanted."""
        return self._games == self._most

    def begin(self, seats: Sequence[int], rules: Rules) -> None:
        """A game begins."""
        self._deals = self._actions = 0
        self._digest = hashlib.sha256(repr((tuple(seats), rules)).encode())

    def append(self, action: Action) -> None:
        """The action was accepted."""
        self._actions += 1
        self._deals += isinstance(action, Deal)
        self._digest.update(repr(action).encode())

    def end(self, winners: Sequence[int]) -> None:
        """The game is over."""
        self._games += 1
        seats = ", ".join(map(str, winners))
        digest = self._digest.hexdigest()[:16]
        say(f"game {self._games}: seat {seats} wins, {self._deals} deals, {self._actions} actions, {digest}")


class Device:
    """A table that tells what state it is in (``firmware.live.Program``), and ends when its log is full.

    ``step`` raises CannotRunError when its buses have gone down for good. One that never worked waits.
    """

    def __init__(
        self, table: Table, status: StatusKeeper, notifier: Notifier, log: GameLog | None = None
    ) -> None:
        self._table = table
        self._status = status
        self._notifier = notifier
        self._log = log
        self._next_beat: float | None = None
        self._worked_at: float | None = None
        """when a seat worked last"""

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``step`` has something to do."""
        self._table.listen(wake)

    def start(self) -> None:
        """Real time begins: give each bus its own thread."""
        self._table.start()

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now``. Return when to come again. Raise Finished after the last game."""
        times = [self._table.step(now), self._sign_of_life(now)]
        faults = {number: seat.fault for number, seat in self._table.board.seats.items()}
        times += [self._status.note(now, faults), self._give_up(now, faults)]
        if self._log is not None and self._log.full:
            raise Finished
        return min((at for at in times if at is not None), default=None)

    def close(self) -> None:
        """Darken the screens, let pins and buses go. A second call does nothing."""
        self._notifier.stopping()
        self._status.stopping()
        self._table.close()
        self._status.remove()

    def _give_up(self, now: float, faults: Mapping[int, str | None]) -> float | None:
        if not all(faults.values()) and self._status.settled(now):
            self._worked_at = now
        down = self._table.board.down
        if self._worked_at is None or not all(faults.values()) or not down:
            return None
        if now >= self._worked_at + GIVE_UP_S:
            raise CannotRunError(Exit.BUS, f"{'; '.join(down)}, for {GIVE_UP_S:g} s")
        return self._worked_at + GIVE_UP_S

    def _sign_of_life(self, now: float) -> float | None:
        if self._next_beat is None:
            self._notifier.ready()
            self._next_beat = now
        if self._notifier.beat is None:
            return None
        if now >= self._next_beat:
            self._notifier.alive()
            self._next_beat = now + self._notifier.beat
        return self._next_beat
