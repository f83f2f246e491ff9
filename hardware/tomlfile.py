"""A TOML file read into declared types; what is wrong with it is told with the line of its key."""

import difflib
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hardware.errors import TomlError

Struct = TypeVar("Struct", bound=msgspec.Struct)

KeyPath = tuple[str | int, ...]
"""The way to a value: names of tables and keys, and indexes from 0."""

MOST_BYTES = 64 * 1024
"""A file is refused beyond: the largest one of ours has a twentieth of it."""

MOST_DOTS = 100
"""A line is refused beyond: tomllib needs seconds for a key of thousands of parts."""

_SHOWN = 80
"""Characters of a key or value that an error repeats."""


def no_such(kind: str, name: str, known: Iterable[str]) -> str:
    """Says that a name leads nowhere, and where names lead."""
    return f"there is no {kind} {name!r}; there are: {', '.join(known) or 'none'}{nearest(name, known)}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Asks whether another name was meant, if one is near; else nothing."""
    found = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else ""


def read_text(path: str | Path, error: type[TomlError]) -> str:
    """The text of a file. Raise ``error`` if it cannot be read or is no text."""
    try:
        kind = Path(path).stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):  # to open or read one may last for ever
            raise error("a pipe or a device, not a file: copy what it gives into one", file=str(path))
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1).decode()
    except UnicodeDecodeError as problem:
        if problem.end >= MOST_BYTES:  # a character that the limit has cut in two
            raise _too_long(str(path), error) from None
        raise error(f"not a text file in UTF-8 (byte {problem.start})", file=str(path)) from None
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror}", file=str(path)) from None
    except ValueError as problem:  # a NUL, or half a surrogate pair
        raise error(f"no file can have this path: {problem}", file=ascii(str(path))) from None


def _too_long(file: str, error: type[TomlError]) -> TomlError:
    return error(f"more than {MOST_BYTES // 1024} KiB: this is another kind of file", file=file)


class TomlFile:
    """What a TOML file says, and the errors for what is wrong with it: of the kind ``error``.

    ``file`` is what errors call it. ``filled_in``: keys that the reader sets in ``raw`` before ``convert``,
    and that the file must not have. Raise ``error`` for a text that is not TOML.
    """

    def __init__(
        self, text: str, file: str, error: type[TomlError], *, filled_in: Sequence[str] = ()
    ) -> None:
        self.raw: dict[str, Any]
        """the file's content, as tomllib gives it"""
        self._file = file
        self._error = error
        self._filled_in = filled_in
        text = text.removeprefix("\ufeff")  # the mark that some editors put before UTF-8
        if len(text.encode(errors="replace")) > MOST_BYTES:
            raise _too_long(file, error)
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > MOST_DOTS and not line.lstrip().startswith("#"):
                raise error(f"more than {MOST_DOTS} dots in one line", file=file, line=number)
        try:
            self.raw = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            found = re.search(r"\(at line (\d+), column \d+\)$", str(problem))
            at = int(found[1]) if found else text.count("\n") + 1
            raise error(f"not TOML: {_short(str(problem))}", file=file, line=at) from None
        except RecursionError:
            deepest = _line_where(text, lambda seen: sum(map(seen.count, "[{")) - sum(map(seen.count, "]}")))
            raise error("too many brackets within each other", file=file, line=deepest) from None
        except ValueError:  # Python's own limit of digits
            longest = _line_where(text, lambda seen: max(map(len, re.findall(r"[\d_]+", seen)), default=0))
            raise error("a number of thousands of digits", file=file, line=longest) from None
        self._lines = _lines(text)
        self._check_numbers()

    def convert(self, struct: type[Struct]) -> Struct:
        """The content as a ``struct``. Raise the error for the first value that does not fit."""
        try:
            self._check_keys(msgspec.inspect.type_info(struct), self.raw, ())
            return msgspec.convert(self.raw, struct)
        except msgspec.ValidationError as problem:
            raise self._of_type(str(problem), struct) from None

    def at(self, path: KeyPath, problem: str) -> TomlError:
        """The error for the value at this path, or for the nearest table round it that has a line."""
        known = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in self._lines), None)
        line = 1 if known is None else self._lines[known]
        key = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{_key(step)}" for step in path)
        key = key.removeprefix(".")
        return self._error(problem, file=self._file, line=line, key=key or None)

    def unknown(self, path: KeyPath, key: str, struct: type[msgspec.Struct]) -> TomlError:
        """The error for a key that a table, which is to become a ``struct``, does not have."""
        allowed = [name for name in struct.__struct_fields__ if name not in self._filled_in]
        return self.at((*path, key), f"unknown key; allowed: {', '.join(allowed)}{nearest(key, allowed)}")

    def _check_numbers(self) -> None:
        """Raise the error for a whole number that TOML does not have (TOML 1.0, "Integer")."""
        values: list[tuple[KeyPath, Any]] = [((), self.raw)]
        while values:
            path, value = values.pop()
            if isinstance(value, dict):
                values += [((*path, name), entry) for name, entry in value.items()]
            elif isinstance(value, list):
                values += [((*path, index), entry) for index, entry in enumerate(value)]
            elif isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise self.at(path, "a whole number of more than 64 bits")

    def _check_keys(self, kind: Any, value: Any, path: KeyPath) -> None:
        """Raise the error for a key that is not declared: msgspec's message is ambiguous for strange keys."""
        kind = _given(kind)
        if isinstance(kind, msgspec.inspect.StructType) and isinstance(value, dict):
            for name, entry in value.items():
                field = next((field for field in kind.fields if field.name == name), None)
                if field is None:
                    raise self.unknown(path, name, kind.cls)
                self._check_keys(field.type, entry, (*path, name))
        elif isinstance(kind, msgspec.inspect.DictType) and isinstance(value, dict):
            for name, entry in value.items():
                self._check_keys(kind.value_type, entry, (*path, name))
        elif hasattr(kind, "item_type") and isinstance(value, list):
            for index, entry in enumerate(value):
                self._check_keys(kind.item_type, entry, (*path, index))

    def _of_type(self, message: str, root: type[msgspec.Struct]) -> TomlError:
        """The error for a value of which msgspec says ``message``."""
        # The last one: a value that is repeated before it may hold anything.
        problem, found, place = message.rpartition(" - at `$")
        if not found:
            problem, place = message, ""
        path: KeyPath = ()
        value: Any = self.raw
        kind: Any = msgspec.inspect.type_info(root)
        for match in re.finditer(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])", place):
            kind = _given(kind)
            step: str | int
            if match[1]:
                step, kind = match[1], _field(kind, match[1])
            elif match[2]:
                step, kind = int(match[2]), kind.item_type
            else:  # msgspec does not say which entry of a table it means
                kind = kind.value_type
                step = next(name for name, entry in value.items() if not _fits(entry, kind.cls))
            path, value = (*path, step), value[step]
        kind = _given(kind)
        if missing := re.search(r"missing required field `(.*)`", problem):
            return self.at(
                path, f"{missing[1]} is missing; allowed: {self._allowed(_field(kind, missing[1]))}"
            )
        hexadecimal = path[-1] == "address"
        shown = f"0x{value:02X}" if hexadecimal and type(value) is int else _short(repr(value))
        names = [name for name in getattr(kind, "values", ()) if isinstance(name, str)]
        near = nearest(value, names) if isinstance(value, str) else ""
        return self.at(path, f"{shown}; allowed: {self._allowed(kind, hexadecimal)}{near}")

    def _allowed(self, kind: Any, hexadecimal: bool = False) -> str:
        """What a value of this type may be, in words."""
        inspect = msgspec.inspect
        kind = _given(kind)
        if isinstance(kind, inspect.UnionType):
            options = (option for option in kind.types if not isinstance(option, inspect.NoneType))
            return " or ".join(self._allowed(option, hexadecimal) for option in options)
        if isinstance(kind, inspect.Metadata):
            return str((kind.extra_json_schema or {})["description"])
        written = "0x{:02X}" if hexadecimal else "{!r}"
        if isinstance(kind, inspect.IntType):
            return f"a whole number from {written.format(kind.ge)} to {written.format(kind.le)}"
        if isinstance(kind, inspect.FloatType):
            return f"a number from {kind.ge} to {kind.le}"
        if isinstance(kind, inspect.BoolType):
            return "true or false"
        if isinstance(kind, inspect.StrType):
            return f"a text of {kind.min_length} to {kind.max_length} characters"
        if isinstance(kind, inspect.LiteralType):
            return " or ".join(written.format(value) for value in kind.values)
        if isinstance(kind, inspect.StructType):
            names = (field.name for field in kind.fields)
            return f"a table of {', '.join(name for name in names if name not in self._filled_in)}"
        if isinstance(kind, inspect.DictType):
            return (
                f"tables, each with a name and {self._allowed(kind.value_type).removeprefix('a table of ')}"
            )
        return f"a list, each entry {self._allowed(kind.item_type)}"


def _given(kind: Any) -> Any:
    """The type of a value that is there, in "this or nothing": TOML has no nothing."""
    if isinstance(kind, msgspec.inspect.UnionType):
        options = [option for option in kind.types if not isinstance(option, msgspec.inspect.NoneType)]
        return options[0] if len(options) == 1 else kind
    return kind


def _field(kind: Any, name: str) -> Any:
    return next(field.type for field in kind.fields if field.name == name)


def _fits(entry: Any, struct: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(entry, struct)
    except msgspec.ValidationError:
        return False
    return True


def _short(text: str) -> str:
    """A text for an error, cut if it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _key(name: str) -> str:
    """A key for an error: quoted if TOML would need that, so that it is one line."""
    return _short(name if re.fullmatch(r"[\w-]+", name) else repr(name))


def _line_where(text: str, most: Callable[[str], int]) -> int:
    """The first line, from 1, that has the most of something."""
    counts = [most(line) for line in text.split("\n")]
    return counts.index(max(counts)) + 1


def _lines(text: str) -> dict[KeyPath, int]:
    """Lines of the keys that begin a line, and of the tables' headers; keys within braces have none."""
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    counts: dict[str, int] = {}
    quotes = ""
    for number, line in enumerate(text.split("\n"), 1):
        if quotes or line.lstrip().startswith("#"):
            quotes = "" if quotes in line else quotes
            continue
        quotes = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if header := re.match(r"\s*(\[\[?)([^\]#]+)\]", line):
            names = _steps(header[2].strip())
            if not names:  # an array's line, not a header
                continue
            if header[1] == "[[":
                counts[names[0]] = counts.get(names[0], -1) + 1
            table = tuple(names)
            if names[0] in counts:
                table = (names[0], counts[names[0]], *names[1:])
            for length in range(1, len(table) + 1):
                found.setdefault(table[:length], number)
        elif key := re.match(r"""\s*([\w\-."']+)\s*=""", line):
            path = (*table, *_steps(key[1]))
            for length in range(len(table) + 1, len(path) + 1):
                found.setdefault(path[:length], number)
    return found


def _steps(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r""""[^"]*"|'[^']*'|[^.]+""", dotted)]
