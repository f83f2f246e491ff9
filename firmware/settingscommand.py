"""``twentytwo settings``: shows, changes and checks the table's settings, and keeps the owner's comments."""

import argparse
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from firmware.atomic import write_text
from firmware.errors import UsageError
from firmware.options import given
from firmware.options import path as path_given
from firmware.settings import (
    DEFAULT_PATH,
    MEANINGS,
    Settings,
    SettingsError,
    parse_settings,
    settings_text,
    value_of,
)
from firmware.streams import quoted, say
from hardware.errors import TomlError
from hardware.profile import Profile, load_profile
from hardware.tomlfile import TomlFile, nearest

RESTART = "it counts from the table's next start: sudo systemctl restart twentytwo"
MARK = "\ufeff"
"""What some editors put before UTF-8."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo settings``."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--settings", type=path_given, default=DEFAULT_PATH, metavar="FILE", help=f"default: {DEFAULT_PATH}"
    )
    parser.epilog = "Keys:\n" + "\n".join(f"  {key:<22}{meaning}" for key, meaning in MEANINGS.items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser(
        "show", parents=[common], help="each key, its value, where that comes from, and what it means"
    )
    change = actions.add_parser(
        "set",
        parents=[common],
        help="set a key, as: set rules.limit 30",
        description="Set a key. The whole is checked before anything is written; your comments stay.",
    )
    change.add_argument("key", type=given, metavar="KEY", help="as rules.limit")
    change.add_argument("value", type=given, metavar="VALUE", help="a text, a number, true or false")
    change = actions.add_parser("unset", parents=[common], help="go back to a key's default")
    change.add_argument("key", type=given, metavar="KEY", help="as rules.limit")
    actions.add_parser("check", parents=[common], help="say if the settings can be used, the board included")


def run(args: argparse.Namespace) -> int:
    """Do it. Raise UsageError for settings, a key or a value that cannot be."""
    try:
        if args.action == "show":
            _show(args.settings)
        elif args.action == "check":
            _check(args.settings)
        elif args.key not in MEANINGS:
            raise UsageError(
                f"there is no setting {quoted(args.key)}; there are: {', '.join(MEANINGS)}"
                f"{nearest(args.key, MEANINGS)}"
            )
        elif args.action == "set":
            _change(args.settings, args.key, _value(args.key, args.value))
        else:
            _change(args.settings, args.key, None)
    except TomlError as problem:
        raise UsageError(str(problem)) from problem
    return 0


def _show(path: Path) -> None:
    if path == DEFAULT_PATH and not path.exists():
        say(f"there is no {path}: these are the defaults")
        text = ""
    else:
        text = settings_text(path)
        say(f"settings in {path}")
    settings = parse_settings(text, str(path))
    content = TomlFile(text, str(path), SettingsError)
    rows = []
    for key in MEANINGS:
        steps = tuple(key.split("."))
        default = _toml(value_of(Settings(), key))
        is_set = _said(text, steps)[1] is not None
        origin = f"line {content.at(steps, '').line}" if is_set else "default"
        rows.append((key, _toml(value_of(settings, key)), origin, default))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for key, value, origin, default in rows:
        instead = "" if origin == "default" else f" (default: {default})"
        cells = (cell.ljust(width) for cell, width in zip((key, value, origin), widths, strict=True))
        say(f"{'  '.join(cells)}  {MEANINGS[key]}{instead}")


def _check(path: Path) -> None:
    profile = _load_board(path, parse_settings(settings_text(path), str(path)))
    say(f"{path}: all well; the board is {profile.name} with {len(profile.seats)} seats")


def _change(path: Path, key: str, value: Any) -> None:
    """Set a key, or unset it if the value is None. Nothing is written unless the whole can be used."""
    # Whoever sets the first key makes the file.
    text = settings_text(path) if path.exists() else ""
    before = value_of(parse_settings(text, str(path)), key)
    steps = tuple(key.split("."))
    if _said(text, steps) == (type(value), value):
        say(f"{key} = {_toml(before)}: nothing to change")
        return
    changed = _changed(text, steps, value)
    try:
        settings = parse_settings(changed, "settings")
    except SettingsError as problem:
        raise UsageError(str(problem).partition(": ")[2]) from problem
    if key == "board":
        _load_board(path, settings)
    try:
        write_text(path, changed)
    except OSError as problem:
        remedy = ""
        if isinstance(problem, PermissionError):
            remedy = ": run it with sudo"
        elif isinstance(problem, FileNotFoundError):
            remedy = ": make its folder, or say --settings FILE"
        raise UsageError(f"{path} cannot be written: {problem.strerror}{remedy}") from problem
    say(f"{key} = {_toml(value_of(settings, key))}, was {_toml(before)}")
    if path == DEFAULT_PATH:
        say(RESTART)


def _load_board(path: Path, settings: Settings) -> Profile:
    board = settings.board
    return load_profile(str(path.absolute().parent / board) if board.endswith(".toml") else board)


def _value(key: str, text: str) -> Any:
    """What a word of the command line means for a key. A text is one as it stands, without quotes.

    Raise UsageError for one that no file can hold.
    """
    try:
        text.encode()
    except UnicodeEncodeError as problem:  # bytes that the terminal's encoding does not know
        raise UsageError(f"{key}: {quoted(text)} is no text in UTF-8: type it anew") from problem
    if isinstance(value_of(Settings(), key), str):
        return text
    try:
        ((name, value),) = tomllib.loads(f"value = {text}").items()
    except (ValueError, RecursionError):
        return text  # the check of the settings refuses it, and says what is allowed
    plain = name == "value" and isinstance(value, (bool, int, float)) and math.isfinite(value)
    return value if plain else text


def _said(text: str, path: tuple[str, ...]) -> tuple[type, Any]:
    """What the text sets a key to, and of which type that is; None if it does not set it."""
    value: Any = tomllib.loads(text.removeprefix(MARK))
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return type(value), value


def _changed(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with one key set, or without it: all else, comments included, stays as it is."""
    mark = MARK if text.startswith(MARK) else ""
    text = text.removeprefix(MARK)
    wanted = tomllib.loads(text)
    _put(wanted, path, value, dict)
    for candidate in _candidates(text, path, value):
        if _flat(tomllib.loads(candidate)) == _flat(wanted):
            return mark + candidate
    raise UsageError(f"{'.'.join(path)} cannot be changed here without harm to the file: use an editor")


def _flat(content: dict[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """All values by the way to them: an empty table says no more than none."""
    found: dict[tuple[str, ...], Any] = {}
    for name, value in content.items():
        inner = _flat(value, (*path, name)) if isinstance(value, dict) else {(*path, name): value}
        found.update(inner)
    return found


def _candidates(text: str, path: tuple[str, ...], value: Any) -> Iterator[str]:
    """Texts that may be meant: a new key belongs below the comment that shows its default."""
    import tomlkit  # only here: no table that plays needs it

    if value is not None and _said(text, path)[1] is None:
        for found in re.finditer(rf"^#\s*{path[-1]}\s*=.*(\r?\n)", text, re.MULTILINE):
            yield f"{text[: found.end()]}{path[-1]} = {_toml(value)}{found[1]}{text[found.end() :]}"
    document = tomlkit.parse(text)
    _put(document, path, value, tomlkit.table)
    yield tomlkit.dumps(document)


def _put(content: Any, path: tuple[str, ...], value: Any, make: Callable[[], Any]) -> None:
    """Set a key in nested tables, or take it out if the value is None; ``make`` makes a table."""
    *tables, name = path
    for step in tables:
        if step not in content:
            content[step] = make()
        content = content[step]
    if value is None:
        content.pop(name, None)
    else:
        content[name] = value


def _toml(value: Any) -> str:
    """A value as TOML writes it: as JSON does, but for one control character that JSON bears."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
