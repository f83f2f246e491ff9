"""``twentytwo history``: the games that a table has kept: listed, shown, exported, drawn."""

import argparse
import csv
import io
import json
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.cards import NotationError
from engine.game import apply, new_game
from engine.moves import IllegalMove
from engine.notation import Record, loads, replay
from engine.state import Phase, State
from firmware.errors import UsageError
from firmware.options import path as path_given
from firmware.replay import names_of, step_lines
from firmware.saving import DEFAULT_PATH
from firmware.scorechart import chart
from firmware.table.fairness import seal_of
from firmware.table.rows import APPLICATION_ID, OPEN, SCHEMA, open_rows

Row = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Game:
    """A game that is over or was given up. ``number``: of its first line in the journal; it never changes."""

    number: int
    text: str
    """its record"""
    record: Record
    state: State
    """its last"""

    def row(self) -> Row:
        """What lists and statistics say of it."""
        record, header = self.record, self.record.header
        stamps = [at for at in record.stamps if at is not None]
        return {
            "game": self.number,
            "began": header.began,
            "players": ", ".join(f"{player.seat} {player.name or player.kind}" for player in header.players),
            "winners": " ".join(map(str, self.state.winners)),
            "points": " ".join(str(known.points) for known in self.state.seats),
            "deals": self.state.deals,
            "actions": len(record.actions),
            "seconds": round((max(stamps) - min(stamps)) / 1e6, 1) if stamps else 0.0,
            "packs": f"seal {seal_of(header.commitment)}" if header.commitment else header.simulated,
            "late": sum(int(count) for count in record.noted("late")),
            "resumed": len(record.noted("resumed")),
        }


def records(path: Path) -> dict[int, str]:
    """The record of each game in a journal that is over or was given up, by its number, oldest first.

    Never that of a game that is on. Raise UsageError if it is no journal of this version, or cannot be read.
    """
    try:
        if not path.is_file():
            raise UsageError(f"there is no journal {path}: say --journal FILE")
        path.open("rb").close()
    except PermissionError as problem:
        words = f"{path} can be read by the account that runs the table alone: put sudo before the command"
        raise UsageError(words) from problem
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}") from problem
    # Without a write-ahead log there is nothing to wait for, and the folder need not be writable.
    mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as db:
            db.execute("BEGIN")
            (application,) = db.execute("PRAGMA application_id").fetchone()
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if (application, version) != (APPLICATION_ID, SCHEMA):
                raise UsageError(f"{path} is no journal of this version (schema {version}, wanted {SCHEMA})")
            open_rows(db)
            firsts = db.execute("SELECT first, status FROM game ORDER BY first").fetchall()
            lines = db.execute("SELECT seq, text FROM line ORDER BY seq").fetchall()
    except (sqlite3.Error, ValueError) as problem:
        raise UsageError(f"{path} cannot be read as a journal: {problem}") from problem
    status_of = dict(firsts)
    kept: dict[int, list[str]] = {first: [] for first, status in firsts if status != OPEN}
    first = 0
    for seq, line in lines:
        first = seq if seq in status_of else first
        if first in kept:
            kept[first].append(f"{line}\n")
    return {first: "".join(game) for first, game in kept.items() if closed(game)}


def closed(lines: Iterable[str]) -> bool:
    """Whether a game with these lines is over or was given up: only then are its packs no secret."""
    return any(line.startswith(("result ", "abandoned")) for line in lines)


def games(path: Path) -> list[Game]:
    """The games of ``records(path)``, replayed."""
    found = []
    for number, text in records(path).items():
        try:
            found.append(game_of(number, text))
        except (NotationError, IllegalMove) as problem:
            raise UsageError(f"{path}: game {number} cannot be played: {problem}") from problem
    return found


def game_of(number: int, text: str) -> Game:
    """The game of a record. Raises what ``engine.notation.loads`` does."""
    record = loads(text)
    state = new_game(record.header.seats, record.header.rules)
    for action in record.actions:
        state, _ = apply(state, action)
    return Game(number, text, record, state)


def statistics(found: Iterable[Game]) -> list[Row]:
    """For each seat and kind of player: games played to the end, wins (shared ones in parts), mean points."""
    totals: dict[tuple[int, str], list[float]] = {}
    for game in found:
        if game.state.phase is Phase.OVER:
            for player in game.record.header.players:
                total = totals.setdefault((player.seat, player.name or player.kind), [0, 0, 0])
                won = game.state.winners
                total[0] += 1
                total[1] += 1 / len(won) if player.seat in won else 0
                total[2] += game.state.seats[game.state.place(player.seat)].points
    return [
        {
            "seat": seat,
            "player": kind,
            "games": int(count),
            "wins": round(wins, 3),
            "points": round(points / count, 2),
        }
        for (seat, kind), (count, wins, points) in sorted(totals.items())
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo history``."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=("list", "stats", "show", "record", "chart"),
        default="list",
        help="list all games (default), statistics by seat, or of one game: every action in words, its "
        "record, its score chart as SVG",
    )
    parser.add_argument("game", nargs="?", type=int, metavar="N", help="the game's number, as listed")
    parser.add_argument(
        "--journal",
        type=path_given,
        default=DEFAULT_PATH,
        metavar="FILE",
        help=f"the table's journal (default: {DEFAULT_PATH})",
    )
    parser.add_argument(
        "--format", choices=("text", "csv", "json"), default="text", help="of list and stats (default: text)"
    )
    parser.add_argument(
        "--out", type=path_given, metavar="FILE", help="write into this file, not to the screen"
    )


def run(args: argparse.Namespace) -> int:
    """Print or write what was asked for. Raise UsageError if there is no such game."""
    found = games(args.journal)
    if args.what in ("list", "stats"):
        if args.game is not None:
            raise UsageError(
                f"{args.what} is of all games: leave {args.game} out, or say show, record or chart"
            )
        rows = [game.row() for game in found] if args.what == "list" else statistics(found)
        text = written(rows, args.format)
    else:
        text = _of_one(args.what, _chosen(found, args.game))
    if args.out is None:
        sys.stdout.write(text)
        return 0
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"cannot write {args.out}: {problem.strerror}") from problem
    return 0


def _chosen(found: Sequence[Game], number: int | None) -> Game:
    for game in found:
        if game.number == number:
            return game
    known = ", ".join(str(game.number) for game in found[-10:]) or "none yet"
    if number is None:
        raise UsageError(f"say the number of a finished game: the last are {known}")
    raise UsageError(f"there is no finished game {number}: the last are {known}")


def _of_one(what: str, game: Game) -> str:
    if what == "record":
        return game.text
    if what == "chart":
        return chart(game.text)
    names = names_of(game.record.header)
    return "".join(f"{line}\n" for step in replay(game.text) for line in step_lines(step, names))


def written(rows: Sequence[Row], form: str) -> str:
    """Rows as a table of text, as CSV with a line of names, or as a JSON list."""
    if form == "json":
        return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
    if not rows:
        return "" if form == "csv" else "no finished games yet\n"
    if form == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()
    cells = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(f"{line.rstrip()}\n" for line in lines)
