"""``twentytwo selfplay``: games between bots, their records and who won."""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bots import BOTS, Bot
from engine.game import apply, drawing, new_game, undealt, undrawn
from engine.moves import Action, Deal, Draw
from engine.notation import Header, Player, Record, dumps
from engine.state import Phase, State
from engine.views import view
from firmware.chance import Shuffler, bots
from firmware.errors import UsageError
from firmware.options import add_rule_options, path, rules_from
from firmware.streams import quoted

if TYPE_CHECKING:
    from rich.console import Console

MOST_GAMES = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo selfplay``."""
    parser.epilog = (
        "A win that several share (R23) counts for each of them in equal parts: half for each of two."
    )
    parser.add_argument("--games", type=int, default=100, metavar="N", help="how many games (default: 100)")
    parser.add_argument("--seats", type=int, default=4, metavar="N", help="players, 2 to 6 (default: 4)")
    parser.add_argument(
        "--bots",
        default="steady",
        metavar="NAMES",
        help=f"{', '.join(BOTS)}: one for all seats, or one a seat with commas between (default: steady)",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="repeat packs and bots from this number (default: by chance)"
    )
    parser.add_argument(
        "--records", type=path, metavar="FOLDER", help="write a record of each game into this folder"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar, only the summary")
    add_rule_options(parser)


def run(args: argparse.Namespace) -> int:
    """Play the games and print the summary. Raise UsageError for what cannot be done."""
    rules = rules_from(args)
    if not 1 <= args.games <= MOST_GAMES:
        raise UsageError(f"--games {args.games}: choose 1 to {MOST_GAMES:,}")
    if not 2 <= args.seats <= 6:
        raise UsageError(f"--seats {args.seats}: choose 2 to 6")
    players = _players(args.bots, args.seats)
    files = _files(args.records, args.games) if args.records else ()
    console = _console()
    header = Header(tuple(range(1, args.seats + 1)), rules, players)
    made = bots(args.seed)
    minds = {player.seat: made[player.kind]() for player in players}
    chance = Shuffler(args.seed)
    totals = Totals(header)
    begun = time.perf_counter()
    with _progress(console, args.games, shown=not args.quiet) as advance:
        for game in range(args.games):
            record, state = play(header, minds, chance)
            totals.add(record, state)
            if files:
                _write(files[game], dumps(record))
            advance()
    _print_summary(console, totals, time.perf_counter() - begun)
    return 0


def play(header: Header, minds: dict[int, Bot], chance: Shuffler) -> tuple[Record, State]:
    """One game of these bots, by seat, to its end: its record and its last state."""
    state = new_game(header.seats, header.rules)
    actions: list[Action] = []
    while state.phase is not Phase.OVER:
        action: Action
        if state.phase is Phase.DRAW:
            action = Draw(chance.shuffled(undrawn(state))[: len(drawing(state))])
        elif state.phase is Phase.DEAL:
            action = Deal(chance.shuffled(undealt(state)))
        else:
            assert state.turn is not None
            action = minds[state.turn].choose(view(state, state.turn))
        state, _ = apply(state, action)
        actions.append(action)
    return Record(header, tuple(actions), ended=True), state


@dataclass
class Totals:
    """What many games of the same players came to."""

    header: Header
    games: int = 0
    deals: int = 0
    decisions: int = 0
    """exchanges and plays"""
    shared: int = 0
    """games that several have won"""
    wins: dict[int, float] = field(default_factory=dict)
    """by seat; a shared win counts in equal parts"""
    points: dict[int, int] = field(default_factory=dict)

    def add(self, record: Record, state: State) -> None:
        """Count one more game."""
        self.games += 1
        self.deals += state.deals
        self.decisions += sum(not isinstance(action, Draw | Deal) for action in record.actions)
        self.shared += len(state.winners) > 1
        for seat in state.winners:
            self.wins[seat] = self.wins.get(seat, 0) + 1 / len(state.winners)
        for known in state.seats:
            self.points[known.seat] = self.points.get(known.seat, 0) + known.points


def _players(names: str, seats: int) -> tuple[Player, ...]:
    kinds = names.split(",")
    for kind in kinds:
        if kind not in BOTS:
            raise UsageError(f"--bots {names}: there is no bot {quoted(kind)}, choose from {', '.join(BOTS)}")
    if len(kinds) == 1:
        kinds *= seats
    if len(kinds) != seats:
        raise UsageError(
            f"--bots {names}: these are {len(kinds)}, write one for all or one for each of {seats} seats"
        )
    return tuple(Player(seat, kind) for seat, kind in enumerate(kinds, 1))


def _files(folder: Path, games: int) -> tuple[Path, ...]:
    """A new file for each game. Raise UsageError if the folder cannot be had or a file is there already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(f"--records {folder}: cannot make this folder: {problem.strerror}") from problem
    width = max(4, len(str(games)))
    files = tuple(folder / f"game-{game:0{width}}.txt" for game in range(1, games + 1))
    for file in files:
        if file.exists():
            raise UsageError(f"--records {folder}: {file.name} is there already, choose another folder")
    return files


def _write(file: Path, text: str) -> None:
    try:
        with file.open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except OSError as problem:
        raise UsageError(f"cannot write the record {file}: {problem.strerror}") from problem


# What is shown


def _console() -> "Console":
    from rich.console import Console

    console = Console(highlight=False)
    # Where nobody looks on, no line is cut to a window's width.
    return console if console.is_terminal else Console(highlight=False, width=120)


@contextmanager
def _progress(console: "Console", games: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """A bar, on a terminal; what is given counts one game."""
    if not (shown and console.is_terminal):
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("games", total=games)
        yield lambda: progress.advance(task)


def _print_summary(console: "Console", totals: Totals, seconds: float) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    games = totals.games
    table = Table(box=SIMPLE if console.is_terminal else None)
    for column in ("seat", "bot", "wins", "share", "mean points"):
        table.add_column(column, justify="left" if column == "bot" else "right")
    for player in totals.header.players:
        wins = totals.wins.get(player.seat, 0.0)
        mean = totals.points[player.seat] / games
        table.add_row(str(player.seat), player.kind, f"{wins:.10g}", f"{wins / games:.1%}", f"{mean:.1f}")
    console.print(table)
    by_bot: dict[str, float] = {}
    for player in totals.header.players:
        by_bot[player.kind] = by_bot.get(player.kind, 0) + totals.wins.get(player.seat, 0)
    for kind, wins in by_bot.items() if len(by_bot) > 1 else ():
        console.print(f"{kind}: {wins:.10g} wins, {wins / games:.1%}")
    console.print(
        f"{games} games, {totals.deals / games:.1f} deals and {totals.decisions / games:.1f} decisions each, "
        f"{games / seconds:.1f} games a second"
    )
    if totals.shared:
        console.print(f"A shared win counts in equal parts: {totals.shared} of these games were shared.")
