"""What a record says before the first action: version, seats, rules, players, where the packs come from."""

import re
from dataclasses import dataclass, replace
from typing import Any

from engine.cards import NotationError
from engine.rules import Rules
from engine.state import new_game

VERSIONS = (1, 2)
"""Of the record's form. A record of any other version is refused, never guessed at."""

RULE_NAMES = {
    "must-head": "must_head",
    "limit": "limit",
    "first-hand": "first_hand",
    "last-tied-only": "last_tied_only",
    "piles-return": "piles_return",
}
"""House rules as a record names them, to the fields of ``Rules``."""

DIGEST = re.compile("[0-9a-f]{64}")
"""32 bytes as a record writes them."""

_SWITCH = {"on": True, "off": False}
_KIND = re.compile("[a-z][a-z0-9-]*")
_BEGAN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
_SIMULATED = re.compile(r"pack|chance|seed -?\d+ game \d+")
_PLAIN = Rules()


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

    def __str__(self) -> str:
        """The player's line in a record."""
        return f"player {self.seat} {self.kind} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Header:
    """What a record says before its actions.

    ``began``: date and time of day with the offset, for people to read. Of ``commitment`` (64 hexadecimal
    digits) and ``simulated`` (``pack``, ``chance``, or ``seed 7 game 1``) at most one says where the packs
    come from. Raise ValueError for what a record of this version cannot say, and for a player who has no
    seat of their own.
    """

    seats: tuple[int, ...]
    rules: Rules = _PLAIN
    players: tuple[Player, ...] = ()
    """not every seat has to be told of"""
    version: int = 1
    began: str = ""
    commitment: str = ""
    simulated: str = ""

    def __post_init__(self) -> None:
        told = [player.seat for player in self.players]
        for seat in told:
            if seat not in self.seats:
                raise ValueError(f"seat {seat} is not one of the seats {' '.join(map(str, self.seats))}")
            if told.count(seat) > 1:
                raise ValueError(f"two players sit at seat {seat}")
        if self.version == 1 and (self.began or self.commitment or self.simulated):
            raise ValueError("a record of version 1 says neither when it began nor where its packs come from")
        if self.commitment and self.simulated:
            raise ValueError("a game with a commitment is not simulated: write one of the two")
        for name, text, form in (
            ("began", self.began, _BEGAN),
            ("commitment", self.commitment, DIGEST),
            ("simulated", self.simulated, _SIMULATED),
        ):
            if text and not form.fullmatch(text):
                raise ValueError(f"{name} is {text!r}: write it as docs/record.md shows")


def header_text(header: Header) -> str:
    """The lines before the first action, each with its line end."""
    lines = [f"twentytwo {header.version}", "seats " + " ".join(map(str, header.seats))]
    for name, field in RULE_NAMES.items():
        value = getattr(header.rules, field)
        if value != getattr(_PLAIN, field):
            lines.append(f"rule {name} {value if type(value) is int else 'on'}")
    lines += map(str, header.players)
    for word in ("began", "commitment", "simulated"):
        if getattr(header, word):
            lines.append(f"{word} {getattr(header, word)}")
    return "".join(f"{line}\n" for line in [*lines, ""])


def parse_header(lines: list[tuple[int, str]], end: int) -> Header:
    """The header of these numbered lines, all of which belong to it; ``end``: where it ends.

    Raise NotationError with the line.
    """
    number, first = lines[0] if lines else (1, "")
    name, _, version = first.partition(" ")
    if name != "twentytwo" or version not in [str(known) for known in VERSIONS]:
        what = f"version {version!r} is not known" if name == "twentytwo" else "this is no record"
        wanted = " or ".join(f"'twentytwo {known}'" for known in VERSIONS)
        raise NotationError(f"{what}: the first line must be {wanted}", number)
    header: Header | None = None
    told: set[str] = set()
    for at, line in lines[1:]:
        word, _, rest = line.partition(" ")
        try:
            header = _with_line(header, word, rest, int(version), told)
        except ValueError as error:
            raise NotationError(str(error), at) from None
    if header is None:
        raise NotationError("the line with the seats is missing: it must follow the first", end)
    return header


def parse_seat(text: str) -> int:
    """A seat's number. Raise NotationError for anything else."""
    if text not in ("1", "2", "3", "4", "5", "6"):
        raise NotationError(f"{text!r} is no seat: write a number from 1 to 6")
    return int(text)


def parse_player(text: str) -> Player:
    """A player from what follows the word ``player``. Raise ValueError for anything else."""
    seat, _, player = text.partition(" ")
    kind, _, name = player.partition(" ")
    return Player(parse_seat(seat), kind, name)


def _with_line(header: Header | None, word: str, rest: str, version: int, told: set[str]) -> Header:
    """The header with one more line of it."""
    if header is None:
        if word != "seats":
            raise NotationError(f"{word!r} cannot stand here: the line with the seats must follow the first")
        seats = tuple(parse_seat(seat) for seat in rest.split())
        new_game(seats)
        return Header(seats, version=version)
    if word == "rule":
        name, _, value = rest.partition(" ")
        if name in told:
            raise NotationError(f"the house rule {name} stands twice")
        told.add(name)
        return replace(header, rules=_with_rule(header.rules, name, value))
    if word == "player":
        return replace(header, players=(*header.players, parse_player(rest)))
    if version > 1 and word in ("began", "commitment", "simulated"):
        if word in told:
            raise NotationError(f"the line with {word} stands twice")
        told.add(word)
        if not rest:
            raise NotationError(f"{word} says nothing: write it as docs/record.md shows")
        chosen: dict[str, Any] = {word: rest}
        return replace(header, **chosen)
    known = (
        "rule, player or an action"
        if version == 1
        else "rule, player, began, commitment, simulated or an action"
    )
    raise NotationError(f"{word!r} cannot stand here: write {known}")


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
