"""``twentytwo verify``: whether a game's packs are those that its table had committed to."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.cards import NotationError
from engine.game import drawing, new_game, undealt, undrawn
from engine.moves import Deal, Draw
from engine.notation import IllegalLine, Record, loads, replay
from firmware.errors import UsageError
from firmware.replay import read_record
from firmware.table.fairness import commitment_of, counted, seal_of, shuffled


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo verify``."""
    parser.add_argument("record", type=Path, metavar="FILE", help="the record of a game that is over")
    parser.add_argument(
        "--seal",
        metavar="SEAL",
        help='the seal that the screens showed before the game, as in "7ZKX 0Q4M T9B2"',
    )


def run(args: argparse.Namespace) -> int:
    """Check a record: 0 if every pack is as committed to, 1 if not. Raise UsageError if it is no record."""
    text = read_record(args.record)
    try:
        record = loads(text)
        faults = list(unfair(text, args.seal or ""))
    except IllegalLine as refused:
        _say(f"{args.record}: line {refused.line} breaks {refused.rule}: {refused.refused}")
        return 1
    except NotationError as problem:
        raise UsageError(f"{args.record}: {problem}") from problem
    for fault in faults:
        _say(f"{args.record}: {fault}")
    if faults:
        return 1
    packs = sum(isinstance(action, Draw | Deal) for action in record.actions)
    _say(f"{args.record}: fair: all {packs} packs are as committed to; {_described(record)}")
    return 0


def unfair(text: str, seal: str = "") -> Iterator[str]:
    """What is wrong with the packs of a record, each in one sentence; nothing if they can be trusted.

    ``seal``: what the screens showed before the game; empty if nobody noted it. Raises what
    ``engine.notation.loads`` does.
    """
    record = loads(text)
    commitment = record.header.commitment
    if not commitment:
        source = record.header.simulated
        yield f"simulated ({source}): its packs are no fair deal" if source else "no commitment was recorded"
        return
    if seal and "".join(seal.split()).upper() != seal_of(commitment).replace(" ", ""):
        yield f"the screens showed the seal {seal}, this record's commitment has {seal_of(commitment)}"
    revealed = record.noted("reveal")
    if not revealed:
        yield "the secret is not revealed, so nothing can be checked: that comes with the end of the game"
        return
    secret = bytes.fromhex(revealed[0])
    if commitment_of(secret) != commitment:
        yield f"the revealed secret has the hash {commitment_of(secret)}, but the commitment is {commitment}"
    yield from _wrong_packs(text, record, secret)


def _wrong_packs(text: str, record: Record, secret: bytes) -> Iterator[str]:
    """Each draw or deal that the secret does not give."""
    lines = [line.strip() for line in text.split("\n")]
    state = new_game(record.header.seats, record.header.rules)
    for step in replay(text):
        action = step.action
        if isinstance(action, Draw | Deal):
            if isinstance(action, Draw):
                name, word, cards, found = "the draw for dealer", "draw", undrawn(state), action.cards
            else:
                name, word, cards, found = f"deal {state.deals + 1}", "deal", undealt(state), action.pack
            before = [part for line in lines[: step.line - 1] if (part := counted(line))]
            message = "\n".join([*before, f"@{step.at} {word}"])
            right = shuffled(cards, secret, message)
            if isinstance(action, Draw):
                right = right[: len(drawing(state))]
            for place, (card, wanted) in enumerate(zip(found, right, strict=True), 1):
                if card != wanted:
                    yield f"line {step.line}, {name}: card {place} is {card}, the secret gives {wanted}"
                    break
        state = step.state


def _described(record: Record) -> str:
    """The seal, and what else players should know of the game."""
    told = [f"seal {seal_of(record.header.commitment)}"]
    late = sum(int(count) for count in record.noted("late"))
    resumed = len(record.noted("resumed"))
    if late:
        told.append(f"{late} lines were written late")
    if resumed:
        told.append(f"resumed {resumed} times" if resumed > 1 else "resumed once")
    if record.noted("abandoned"):
        told.append("abandoned before its end")
    return ", ".join(told)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
