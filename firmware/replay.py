"""``twentytwo replay``: a record step by step, every action checked."""

import argparse
import contextlib
import sys
from pathlib import Path

from engine.cards import Card, NotationError
from engine.moves import (
    CardKept,
    Deal,
    DealerChosen,
    Dealt,
    Drawn,
    Event,
    Exchange,
    Exchanged,
    ExchangePassed,
    GameOver,
    Played,
    TrickTaken,
    WentOut,
)
from engine.notation import Header, IllegalLine, Step, loads, read_header, replay
from engine.state import Phase
from firmware.errors import UsageError
from firmware.options import path
from firmware.streams import one_line, say, shortened
from firmware.textfile import read_text

LARGEST = 4_000_000
"""Bytes. The longest game by chance takes some 50,000."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo replay``."""
    parser.add_argument("record", type=path, metavar="FILE", help="the record of a game")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--step", action="store_true", help="wait for the Enter key after each action")
    shown.add_argument("--quiet", action="store_true", help="print the verdict only")


def run(args: argparse.Namespace) -> int:
    """Replay a record: 0 if it keeps to the rules, 1 if it breaks one. Raise UsageError if it is none."""
    text = read_record(args.record)
    try:
        header = read_header(text)
        names = names_of(header)
        last = None
        for step in replay(text):
            last = step
            if not args.quiet:
                say(f"{step.line:>4}  " + "\n      ".join(step_lines(step, names)))
                if args.step:
                    with contextlib.suppress(OSError):  # an input that cannot be read is at its end
                        sys.stdin.readline()
        ended = loads(text).ended
    except IllegalLine as refused:
        say(one_line(f"{args.record}: line {refused.line} breaks {refused.rule}: {refused.refused}"))
        return 1
    except NotationError as problem:
        raise UsageError(f"{args.record}: {shortened(str(problem), 200)}") from problem
    say(one_line(f"{args.record}: {_verdict(last, names, ended)}"))
    return 0


def read_record(file: Path) -> str:
    """The text of a record. Raise UsageError if there is none, or it cannot be one."""
    return read_text(file, "record", LARGEST)


def names_of(header: Header) -> dict[int, str]:
    """What to call each seat: its number, and the player's name or kind where the record tells."""
    names = {seat: f"seat {seat}" for seat in header.seats}
    for player in header.players:
        names[player.seat] += f" ({player.name or player.kind})"
    return names


def step_lines(step: Step, names: dict[int, str]) -> list[str]:
    """One action and all it caused, a line each, for people to read."""
    lines = []
    for event in step.events:
        line = event_line(event, names)
        if isinstance(event, Dealt):
            line = f"deal {step.state.deals}: {line}"
        if isinstance(event, Exchanged) and isinstance(step.action, Exchange) and event.count:
            line += f": {_cards(step.action.cards)}"
        lines.append(line)
    if isinstance(step.action, Deal):
        lines += [
            f"  {names[known.seat]} holds {_cards(known.hand)}" for known in step.state.seats if not known.out
        ]
    if step.state.phase in (Phase.DEAL, Phase.OVER) and step.state.result:
        points = ", ".join(f"{names[known.seat]} {known.points}" for known in step.state.seats)
        lines.append(f"points: {points}")
    return lines


def event_line(event: Event, names: dict[int, str]) -> str:
    """One event in words."""
    match event:
        case Drawn():
            return f"{names[event.seat]} draws {event.card}"
        case DealerChosen():
            return f"{names[event.seat]} deals next"
        case Dealt():
            return f"{names[event.dealer]} deals {event.size} cards each, {event.stock} in the stock"
        case Exchanged():
            return f"{names[event.seat]} exchanges {event.count or 'nothing'}"
        case ExchangePassed():
            return f"{names[event.seat]} cannot exchange, the stock is empty"
        case Played():
            return f"{names[event.seat]} plays {_cards(event.cards)}{'' if event.heads else ', the lowest'}"
        case TrickTaken():
            return f"{names[event.seat]} takes the trick"
        case CardKept():
            return f"{names[event.seat]} keeps {event.card}, {event.points} points"
        case WentOut():
            return f"{names[event.seat]} is out with {event.points} points"
        case GameOver():
            return f"{' and '.join(names[seat] for seat in event.winners)} won"


def _verdict(last: Step | None, names: dict[int, str], ended: bool) -> str:
    if last is None:
        return "good, a game without an action"
    if last.state.phase is not Phase.OVER:
        return f"good as far as it goes: deal {last.state.deals}, the game is not over"
    won = " and ".join(names[seat] for seat in last.state.winners)
    return f"good: {won} won after {last.state.deals} deals" + (
        "" if ended else " (the line with the result is missing)"
    )


def _cards(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards)) or "nothing"
