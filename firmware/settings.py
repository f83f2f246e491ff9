"""The settings of one table: a TOML file, checked before anything starts."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from engine.bots import BOTS
from engine.rules import FIRST_HANDS, LIMITS, Rules
from firmware.table.words import languages
from hardware.errors import TomlError
from hardware.tomlfile import TomlFile, no_such, read_text

DEFAULT_PATH = Path("/etc/twentytwo/table.toml")
"""Where the settings are if nobody says otherwise."""


class SettingsError(TomlError):
    """Settings that cannot be used."""


class RuleSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The house rules H1 to H5; see ``engine.rules.Rules``."""

    must_head: bool = False
    limit: Annotated[int, Meta(ge=LIMITS[0], le=LIMITS[-1])] = Rules().limit
    first_hand: Annotated[int, Meta(ge=FIRST_HANDS[0], le=FIRST_HANDS[-1])] = Rules().first_hand
    last_tied_only: bool = False
    piles_return: bool = False


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What can be set: ``MEANINGS`` says what each key means."""

    board: Annotated[str, Meta(min_length=1, max_length=200)] = "direct-6"
    language: Annotated[str, Meta(min_length=1, max_length=20)] = "en"
    bot: Annotated[str, Meta(min_length=1, max_length=20)] = "steady"
    bot_delay: Annotated[float, Meta(ge=0.01, le=60)] = 1.0
    rules: RuleSettings = RuleSettings()

    def house_rules(self) -> Rules:
        """The rules for the engine."""
        return Rules(**msgspec.structs.asdict(self.rules))


MEANINGS = {
    "board": "the board: a bundled one, or a .toml of your own beside the settings",
    "language": "the language of the screens",
    "bot": "which bot takes an empty seat",
    "bot_delay": "seconds that a bot thinks",
    "rules.must_head": "H1: whoever can match or beat the best play has to",
    "rules.limit": "H2: points at which a player is out",
    "rules.first_hand": "H3: cards each in the first deal",
    "rules.last_tied_only": "H4: with a tie in the final trick only the last of the tied keeps their card",
    "rules.piles_return": "H5: an eliminated player's score pile goes back to the pack",
}
"""All keys, as people write them, in the order in which they are shown, and what each one means."""


def value_of(settings: Settings, key: str) -> Any:
    """The value of one of the keys of ``MEANINGS``: a text, a number, or whether something is on."""
    value: Any = settings
    for step in key.split("."):
        value = getattr(value, step)
    return value


def load_settings(path: Path = DEFAULT_PATH) -> Settings:
    """Read a settings file. Raise SettingsError, with file, line and key, for whatever is wrong with it."""
    settings = parse_settings(settings_text(path), str(path))
    if settings.board.endswith(".toml"):
        board = path.absolute().parent / settings.board
        return msgspec.structs.replace(settings, board=str(board))
    return settings


def settings_text(path: Path) -> str:
    """The text of a settings file. Raise SettingsError if it cannot be read, or holds nothing at all.

    An empty text would be the defaults, but an empty file is what a full disk or a power cut leaves: the
    owner had chosen a board, and another one's wires are not driven on a guess.
    """
    text = read_text(path, SettingsError)
    if not text.strip("\0\ufeff \t\r\n"):
        what = "only NUL bytes" if "\0" in text else "empty"
        raise SettingsError(
            f"the file is {what}, so it has lost what was set: remove it, and choose the board again: "
            "twentytwo settings set board BOARD",
            file=str(path),
            line=1,
        )
    return text


def parse_settings(text: str, file: str) -> Settings:
    """Check the text of a settings file; ``file`` is what errors call it."""
    content = TomlFile(text, file, SettingsError)
    settings = content.convert(Settings)
    for key, kind, known in (("language", "language", languages()), ("bot", "bot", tuple(BOTS))):
        value = getattr(settings, key)
        if value not in known:
            raise content.at((key,), no_such(kind, value, known))
    return settings
