"""Games as text and back: the record, one action a line, as docs/record.md describes it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.cards import Card, NotationError, cards
from engine.game import apply, new_game
from engine.header import (
    DIGEST,
    Header,
    Player,
    header_text,
    parse_header,
    parse_player,
    parse_seat,
)
from engine.moves import Action, Deal, Draw, Event, Exchange, IllegalMove, Play
from engine.state import Phase, State

__all__ = [
    "Header",
    "IllegalLine",
    "Note",
    "Player",
    "Record",
    "Step",
    "action_line",
    "dumps",
    "header_text",
    "loads",
    "parse_action",
    "read_header",
    "replay",
    "result_line",
]

_ACTIONS = ("draw", "deal", "exchange", "play")
_STAMP = re.compile(r"@(0|[1-9]\d{0,15})")
_COUNT = re.compile(r"[1-9]\d{0,8}")
_PRESSES = re.compile(r"[1-6][lrmp](0|[1-9]\d{0,15})( [1-6][lrmp](0|[1-9]\d{0,15})){0,31}")


class IllegalLine(IllegalMove):
    """A line of a record that reads well, but that the rules refuse.

    ``line`` is its number, 1 for the first; ``refused`` the refusal itself.
    """

    def __init__(self, line: int, refused: IllegalMove) -> None:
        super().__init__(refused.rule, refused.reason, f"line {line}: {refused}", refused.details)
        self.line = line
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Note:
    """A line that is no action: ``after`` so many actions, the result counted as one."""

    after: int
    text: str
    """its word is one of presses, player, late, resumed, abandoned and reveal"""


@dataclass(frozen=True, slots=True)
class Record:
    """A game from its first action: to its end, or as far as it has come."""

    header: Header
    actions: tuple[Action, ...] = ()
    ended: bool = False
    """whether the record has the game's result"""
    stamps: tuple[int | None, ...] = ()
    """when each action was taken, microseconds; none at all in a record of version 1"""
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if self.header.version == 1 and (self.stamps or self.notes):
            raise ValueError("a record of version 1 has neither stamps nor notes")

    def noted(self, word: str) -> list[str]:
        """What stands in the notes that begin with this word, after it."""
        return [note.text.partition(" ")[2] for note in self.notes if note.text.split()[0] == word]


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a record that is replayed: its line, what it caused, and the state after it."""

    line: int
    action: Action
    state: State
    events: tuple[Event, ...]
    at: int | None = None
    """when it was taken, if the record says so: microseconds"""


# One action, one line


def action_line(action: Action, at: int | None = None) -> str:
    """An action as one line of a record, without a line end; ``at``: its stamp in microseconds."""
    stamp = "" if at is None else f"@{at} "
    match action:
        case Draw():
            return _line(f"{stamp}draw", action.cards)
        case Deal():
            return _line(f"{stamp}deal", action.pack)
        case Exchange():
            return _line(f"{stamp}exchange {action.seat}", action.cards)
        case Play():
            return _line(f"{stamp}play {action.seat}", action.cards)


def _line(words: str, shown: tuple[Card, ...]) -> str:
    return " ".join([words, *map(str, shown)])


def parse_action(text: str) -> Action:
    """The action of one line. Raise NotationError if it is none; whether it is legal, ``apply`` says."""
    word, _, rest = text.strip().partition(" ")
    if word == "draw":
        return Draw(cards(rest))
    if word == "deal":
        return Deal(cards(rest))
    if word in ("exchange", "play"):
        seat, _, shown = rest.strip().partition(" ")
        made = Exchange if word == "exchange" else Play
        return made(parse_seat(seat), cards(shown))
    raise NotationError(f"{word!r} is no action: write {', '.join(_ACTIONS[:-1])} or {_ACTIONS[-1]}")


def result_line(state: State) -> str:
    """How a game that is over ended, as the last line of its record."""
    won = " ".join(map(str, state.winners))
    points = " ".join(str(known.points) for known in state.seats)
    return f"result won {won} points {points}"


# Whole records


def dumps(record: Record) -> str:
    """A game as text. Raise IllegalMove if the rules refuse one of its actions."""
    state = new_game(record.header.seats, record.header.rules)
    stamps = record.stamps or (None,) * len(record.actions)
    lines = _noted(record, 0)
    for done, (action, at) in enumerate(zip(record.actions, stamps, strict=True), 1):
        state, _ = apply(state, action)
        lines += [action_line(action, at), *_noted(record, done)]
    if record.ended:
        lines += [result_line(state), *_noted(record, len(record.actions) + 1)]
    return header_text(record.header) + "".join(f"{line}\n" for line in lines)


def _noted(record: Record, after: int) -> list[str]:
    return [note.text for note in record.notes if note.after == after]


def loads(text: str) -> Record:
    """A game from its text, every action checked.

    Raise NotationError, with the line, for what is not written as docs/record.md says; IllegalLine for what
    the rules refuse, and for a result that is not the game's.
    """
    reader = _Reader(text)
    steps = list(reader)
    return Record(
        reader.header,
        tuple(step.action for step in steps),
        reader.ended,
        tuple(step.at for step in steps) if any(step.at is not None for step in steps) else (),
        tuple(reader.notes),
    )


def read_header(text: str) -> Header:
    """The header of a record alone. Raise NotationError, with the line, if it is not in order."""
    return _split(text)[0]


def replay(text: str) -> Iterator[Step]:
    """Each action of a record in turn, checked as it is reached. Raises what ``loads`` does."""
    return iter(_Reader(text))


class _Reader:
    """Steps through a record; notes and the end are known as far as it has come."""

    def __init__(self, text: str) -> None:
        self.header, self._lines = _split(text)
        self.notes: list[Note] = []
        self.ended = False
        self._closed = ""
        """the word after which nothing but a reveal can stand"""
        self._state = new_game(self.header.seats, self.header.rules)

    def __iter__(self) -> Iterator[Step]:
        done = 0
        for number, line in self._lines:
            word = line.partition(" ")[0]
            try:
                if self.header.version > 1 and word in _NOTES:
                    self._note(Note(done + self.ended, line), word)
                    continue
                self._expect_open()
                if line.startswith("result "):
                    _check_result(line, self._state)
                    self.ended, self._closed = True, "result"
                    continue
                at, line = self._stamp(line)
                action = parse_action(line)
                self._state, events = apply(self._state, action)
            except NotationError as error:
                raise NotationError(str(error), number) from None
            except IllegalMove as refused:
                raise IllegalLine(number, refused) from None
            except ValueError as error:
                raise NotationError(str(error), number) from None
            done += 1
            yield Step(number, action, self._state, events, at)

    def _stamp(self, line: str) -> tuple[int | None, str]:
        if self.header.version == 1 or not line.startswith("@"):
            return None, line
        stamp, _, rest = line.partition(" ")
        if not _STAMP.fullmatch(stamp):
            raise NotationError(f"{stamp!r} is no time: write @ and microseconds")
        return int(stamp[1:]), rest

    def _expect_open(self) -> None:
        if self._closed:
            raise NotationError(f"nothing can stand after the {self._closed}")

    def _note(self, note: Note, word: str) -> None:
        rest = note.text.partition(" ")[2]
        what = _NOTES[word]
        if word == "player":
            if parse_player(rest).seat not in self.header.seats:
                raise NotationError(f"seat {rest[0]} is not one of the game's seats")
        elif not what.fullmatch(rest):
            raise NotationError(f"{note.text!r} says nothing: write it as docs/record.md shows")
        if word == "presses" and (note.after or self.notes):
            raise NotationError("presses can only stand once, before the first action")
        if word == "reveal":
            if not self.header.commitment:
                raise NotationError("a reveal needs a commitment in the header")
            if self._closed not in ("result", "abandoned"):
                raise NotationError("a reveal can only stand after the result, or after abandoned")
            self._closed = "reveal"
        elif word == "abandoned":
            self._expect_open()
            self._closed = word
        elif word != "late":
            self._expect_open()
        self.notes.append(note)


_NOTES = {
    "presses": _PRESSES,
    "player": re.compile(".*"),
    "late": _COUNT,
    "resumed": re.compile(""),
    "abandoned": re.compile(""),
    "reveal": DIGEST,
}
"""The words of lines that are no actions, and the form of what follows them."""


def _check_result(line: str, state: State) -> None:
    if state.phase is not Phase.OVER:
        raise IllegalMove("R22", "wrong-result", "the game is not over here")
    if line != result_line(state):
        message = f"the record says {line!r}, the game played gives {result_line(state)!r}"
        raise IllegalMove("R22", "wrong-result", message)


def _split(text: str) -> tuple[Header, list[tuple[int, str]]]:
    """The header, and the lines that follow it: no blank ones, no comments, each with its number."""
    numbered = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    later = lines and lines[0][1] != "twentytwo 1"
    words = {*_ACTIONS, "result", *(_NOTES if later else ())} - {"player"}
    after = len(lines)
    for at, (_, line) in enumerate(lines):
        if at and (line.partition(" ")[0] in words or (later and line.startswith("@"))):
            after = at
            break
    end = lines[after][0] if after < len(lines) else lines[0][0] if lines else 1
    return parse_header(lines[:after], end), lines[after:]
