"""``twentytwo verify``: whether a game's packs are those that its table had committed to."""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from engine.cards import NotationError
from engine.game import apply, drawing, new_game, undealt, undrawn
from engine.moves import Deal, Draw
from engine.notation import IllegalLine, Record, loads
from firmware.errors import UsageError
from firmware.options import path
from firmware.replay import read_record
from firmware.streams import one_line, quoted, say, shortened
from firmware.table.fairness import SEAL_SYMBOLS, commitment_of, counted, seal_of, shuffled

SEAL_LENGTH = 12
"""Symbols of a seal."""
ACTIONS = ("@", "draw ", "deal ", "exchange ", "play ")
"""How the lines of actions begin, with a stamp or without."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo verify``."""
    parser.add_argument("record", type=path, metavar="FILE", help="the record of a game that is over")
    parser.add_argument(
        "--seal",
        type=seal_given,
        metavar="SEAL",
        help='the seal that the screens showed before the game, as in "7ZKX 0Q4M T9B2"',
    )


def run(args: argparse.Namespace) -> int:
    """Check a record: 0 if every pack is as committed to, 1 if not. Raise UsageError if it is no record."""
    text = read_record(args.record)
    try:
        record = loads(text)
    except IllegalLine as refused:
        say(one_line(f"{args.record}: line {refused.line} breaks {refused.rule}: {refused.refused}"))
        return 1
    except NotationError as problem:
        raise UsageError(f"{args.record}: {shortened(str(problem), 200)}") from problem
    notes = _notes(record)
    faults = list(_faults(record, text, notes, args.seal or ""))
    for fault in faults:
        say(one_line(f"{args.record}: {fault}"))
    if faults:
        return 1
    packs = sum(isinstance(action, Draw | Deal) for action in record.actions)
    told = _described(record, notes)
    say(one_line(f"{args.record}: fair: all {packs} packs are as committed to; {told}"))
    return 0


def seal_given(text: str) -> str:
    """The type of an argument that is a seal: its twelve symbols, without blanks, in capitals."""
    seal = "".join(text.split()).upper()
    if len(seal) != SEAL_LENGTH or not set(seal) <= set(SEAL_SYMBOLS):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is no seal: it has {SEAL_LENGTH} digits and letters, none of them I, L, O or U"
        )
    return seal


def unfair(text: str, seal: str = "") -> Iterator[str]:
    """What is wrong with the packs of a record, each in one sentence; nothing if they can be trusted.

    ``seal``: what the screens showed before the game, as ``seal_given`` returns it; empty if nobody noted it.
    Raises what ``engine.notation.loads`` does.
    """
    record = loads(text)
    yield from _faults(record, text, _notes(record), seal)


def _notes(record: Record) -> Mapping[str, Sequence[str]]:
    """What stands in the record's notes, by their words."""
    notes = defaultdict(list)
    for note in record.notes:
        word, _, rest = note.text.partition(" ")
        notes[word].append(rest)
    return notes


def _faults(record: Record, text: str, notes: Mapping[str, Sequence[str]], seal: str) -> Iterator[str]:
    commitment = record.header.commitment
    if not commitment:
        source = record.header.simulated
        yield f"simulated ({source}): its packs are no fair deal" if source else "no commitment was recorded"
        return
    if seal and seal != seal_of(commitment).replace(" ", ""):
        shown = " ".join(seal[start : start + 4] for start in range(0, SEAL_LENGTH, 4))
        yield f"the screens showed the seal {shown}, this record's commitment has {seal_of(commitment)}"
    revealed = notes.get("reveal")
    if not revealed:
        yield "the secret is not revealed, so nothing can be checked: that comes with the end of the game"
        return
    secret = bytes.fromhex(revealed[0])
    if commitment_of(secret) != commitment:
        yield f"the revealed secret has the hash {commitment_of(secret)}, but the commitment is {commitment}"
    yield from _wrong_packs(text, record, secret)


def _wrong_packs(text: str, record: Record, secret: bytes) -> Iterator[str]:
    """Each draw or deal that the secret does not give."""
    state = new_game(record.header.seats, record.header.rules)
    stamps = record.stamps or (None,) * len(record.actions)
    taken = iter(zip(record.actions, stamps, strict=True))
    before: list[str] = []
    for number, line in enumerate(map(str.strip, text.split("\n")), 1):
        if line.startswith(ACTIONS):
            action, at = next(taken)
            if isinstance(action, Draw | Deal):
                if isinstance(action, Draw):
                    name, word, cards, found = "the draw for dealer", "draw", undrawn(state), action.cards
                else:
                    name, word, cards, found = f"deal {state.deals + 1}", "deal", undealt(state), action.pack
                right = shuffled(cards, secret, "\n".join([*before, f"@{at} {word}"]))
                if isinstance(action, Draw):
                    right = right[: len(drawing(state))]
                for place, (card, wanted) in enumerate(zip(found, right, strict=True), 1):
                    if card != wanted:
                        yield f"line {number}, {name}: card {place} is {card}, the secret gives {wanted}"
                        break
            state, _ = apply(state, action)
        if part := counted(line):
            before.append(part)


def _described(record: Record, notes: Mapping[str, Sequence[str]]) -> str:
    """The seal, and what else players should know of the game."""
    told = [f"seal {seal_of(record.header.commitment)}"]
    late = sum(int(count) for count in notes.get("late", ()))
    resumed = len(notes.get("resumed", ()))
    if late:
        told.append(f"{late} lines were written late")
    if resumed:
        told.append(f"resumed {resumed} times" if resumed > 1 else "resumed once")
    if "abandoned" in notes:
        told.append("abandoned before its end")
    return ", ".join(told)
