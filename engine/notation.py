"""Games as text and back: the record, one action a line, as docs/record.md describes it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.cards import Card, NotationError, cards
from engine.game import apply, new_game
from engine.moves import Action, Deal, Draw, Event, Exchange, IllegalMove, Play
from engine.rules import Rules
from engine.state import Phase, State

VERSION = 1
"""Of the form. A record of any other version is refused, never guessed at."""

FIRST_LINE = f"twentytwo {VERSION}"

RULE_NAMES = {
    "must-head": "must_head",
    "limit": "limit",
    "first-hand": "first_hand",
    "last-tied-only": "last_tied_only",
    "piles-return": "piles_return",
}
"""House rules as a record names them, to the fields of ``Rules``."""

_SWITCH = {"on": True, "off": False}
_KIND = re.compile("[a-z][a-z0-9-]*")
_PLAIN = Rules()


class IllegalLine(IllegalMove):
    """A line of a record that reads well, but that the rules refuse.

    ``line`` is its number, 1 for the first; ``refused`` the refusal itself.
    """

    def __init__(self, line: int, refused: IllegalMove) -> None:
        super().__init__(refused.rule, refused.reason, f"line {line}: {refused}", refused.details)
        self.line = line
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat at a seat: ``kind`` is ``person`` or the name of a bot; the name may be empty.

    Raise ValueError for a kind that is not a word of small letters, digits and hyphens, and for a name with
    anything but printable characters, or with blanks around it.
    """

    seat: int
    kind: str
    name: str = ""

    def __post_init__(self) -> None:
        if not _KIND.fullmatch(self.kind):
            raise ValueError(f"{self.kind!r} is no kind of player: write person, or the name of a bot")
        if not self.name.isprintable() or self.name.strip() != self.name:
            raise ValueError(f"{self.name!r} is no name: write printable characters, without blanks around")


@dataclass(frozen=True, slots=True)
class Header:
    """What a record says before its actions. Raise ValueError for a player who has no seat of their own."""

    seats: tuple[int, ...]
    rules: Rules = _PLAIN
    players: tuple[Player, ...] = ()
    """not every seat has to be told of"""

    def __post_init__(self) -> None:
        told = [player.seat for player in self.players]
        for seat in told:
            if seat not in self.seats:
                raise ValueError(f"seat {seat} is not one of the seats {' '.join(map(str, self.seats))}")
            if told.count(seat) > 1:
                raise ValueError(f"two players sit at seat {seat}")


@dataclass(frozen=True, slots=True)
class Record:
    """A game from its first action: to its end, or as far as it has come."""

    header: Header
    actions: tuple[Action, ...] = ()
    ended: bool = False
    """whether the record ends with its result"""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a record that is replayed: its line, what it caused, and the state after it."""

    line: int
    action: Action
    state: State
    events: tuple[Event, ...]


# One action, one line


def action_line(action: Action) -> str:
    """An action as one line of a record, without a line end."""
    match action:
        case Draw():
            return _line("draw", action.cards)
        case Deal():
            return _line("deal", action.pack)
        case Exchange():
            return _line(f"exchange {action.seat}", action.cards)
        case Play():
            return _line(f"play {action.seat}", action.cards)


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
        return made(_seat(seat), cards(shown))
    raise NotationError(f"{word!r} is no action: write draw, deal, exchange or play")


def _seat(text: str) -> int:
    if text not in ("1", "2", "3", "4", "5", "6"):
        raise NotationError(f"{text!r} is no seat: write a number from 1 to 6")
    return int(text)


def result_line(state: State) -> str:
    """How a game that is over ended, as the last line of its record."""
    won = " ".join(map(str, state.winners))
    points = " ".join(str(known.points) for known in state.seats)
    return f"result won {won} points {points}"


# Whole records


def header_text(header: Header) -> str:
    """The lines before the first action, each with its line end."""
    lines = [FIRST_LINE, "seats " + " ".join(map(str, header.seats))]
    for name, field in RULE_NAMES.items():
        value = getattr(header.rules, field)
        if value != getattr(_PLAIN, field):
            lines.append(f"rule {name} {value if type(value) is int else 'on'}")
    lines += [f"player {one.seat} {one.kind} {one.name}".rstrip() for one in header.players]
    return "".join(f"{line}\n" for line in [*lines, ""])


def dumps(record: Record) -> str:
    """A game as text. Raise IllegalMove if the rules refuse one of its actions."""
    state = new_game(record.header.seats, record.header.rules)
    lines = []
    for action in record.actions:
        state, _ = apply(state, action)
        lines.append(action_line(action))
    if record.ended:
        lines.append(result_line(state))
    return header_text(record.header) + "".join(f"{line}\n" for line in lines)


def loads(text: str) -> Record:
    """A game from its text, every action checked.

    Raise NotationError, with the line, for what is not written as docs/record.md says; IllegalLine for what
    the rules refuse, and for a result that is not the game's.
    """
    actions = tuple(step.action for step in replay(text))
    last = _lines(text)[-1][1]
    return Record(read_header(text), actions, ended=last.startswith("result "))


def read_header(text: str) -> Header:
    """The header of a record alone. Raise NotationError, with the line, if it is not in order."""
    return _split(text)[0]


def replay(text: str) -> Iterator[Step]:
    """Each action of a record in turn, checked as it is reached. Raises what ``loads`` does."""
    header, lines = _split(text)
    state = new_game(header.seats, header.rules)
    ended = False
    for number, line in lines:
        if ended:
            raise NotationError("nothing can stand after the result", number)
        if line.startswith("result "):
            _check_result(number, line, state)
            ended = True
            continue
        try:
            action = parse_action(line)
        except NotationError as error:
            raise NotationError(str(error), number) from None
        try:
            state, events = apply(state, action)
        except IllegalMove as refused:
            raise IllegalLine(number, refused) from None
        yield Step(number, action, state, events)


def _check_result(number: int, line: str, state: State) -> None:
    if state.phase is not Phase.OVER:
        raise IllegalLine(number, IllegalMove("R22", "wrong-result", "the game is not over here"))
    if line != result_line(state):
        message = f"the record says {line!r}, the game played gives {result_line(state)!r}"
        raise IllegalLine(number, IllegalMove("R22", "wrong-result", message))


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that say something, with their numbers: no blank ones, no comments."""
    numbered = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    return [(number, line) for number, line in numbered if line and not line.startswith("#")]


def _split(text: str) -> tuple[Header, list[tuple[int, str]]]:
    """The header, and the lines that follow it."""
    lines = _lines(text)
    number, first = lines[0] if lines else (1, "")
    if first != FIRST_LINE:
        name, _, version = first.partition(" ")
        what = f"version {version!r} is not known" if name == "twentytwo" else "this is no record"
        raise NotationError(f"{what}: the first line must be {FIRST_LINE!r}", number)
    header: Header | None = None
    rules_told: set[str] = set()
    after = len(lines)
    for at, (number, line) in enumerate(lines[1:], 1):
        word, _, rest = line.partition(" ")
        if word in ("draw", "deal", "exchange", "play", "result"):
            after = at
            break
        try:
            header = _with_line(header, word, rest, rules_told)
        except ValueError as error:
            raise NotationError(str(error), number) from None
    if header is None:
        raise NotationError("the line with the seats is missing: it must follow the first", number)
    return header, lines[after:]


def _with_line(header: Header | None, word: str, rest: str, rules_told: set[str]) -> Header:
    """The header with one more line of it."""
    if header is None:
        if word != "seats":
            raise NotationError(f"{word!r} cannot stand here: the line with the seats must follow the first")
        seats = tuple(_seat(seat) for seat in rest.split())
        new_game(seats)
        return Header(seats)
    if word == "rule":
        name, _, value = rest.partition(" ")
        if name in rules_told:
            raise NotationError(f"the house rule {name} stands twice")
        rules_told.add(name)
        return replace(header, rules=_with_rule(header.rules, name, value))
    if word == "player":
        seat, _, player = rest.partition(" ")
        kind, _, name = player.partition(" ")
        return replace(header, players=(*header.players, Player(_seat(seat), kind, name)))
    raise NotationError(f"{word!r} cannot stand here: write rule, player or an action")


def _with_rule(rules: Rules, name: str, value: str) -> Rules:
    field = RULE_NAMES.get(name)
    if field is None:
        raise NotationError(f"{name!r} is no house rule: write one of {', '.join(RULE_NAMES)}")
    chosen: dict[str, Any]
    if type(getattr(rules, field)) is bool:
        if value not in _SWITCH:
            raise NotationError(f"{name} is {value!r}: write on or off")
        chosen = {field: _SWITCH[value]}
    else:
        if not (value.isascii() and value.isdigit()):
            raise NotationError(f"{name} is {value!r}: write a whole number")
        chosen = {field: int(value)}
    return replace(rules, **chosen)
