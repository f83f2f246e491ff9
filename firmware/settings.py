"""The settings of one table: a TOML file, checked before anything starts."""

from pathlib import Path
from typing import Annotated

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
    """What can be set.

    ``board``: the name of a bundled profile, or the path of a file of one's own, which ends in ``.toml`` and
    counts from the settings' folder. ``language``: of the screens. ``bot``: which one takes a seat;
    ``bot_delay``: seconds that it thinks.
    """

    board: Annotated[str, Meta(min_length=1, max_length=200)] = "direct-6"
    language: Annotated[str, Meta(min_length=1, max_length=20)] = "en"
    bot: Annotated[str, Meta(min_length=1, max_length=20)] = "steady"
    bot_delay: Annotated[float, Meta(ge=0.01, le=60)] = 1.0
    rules: RuleSettings = RuleSettings()

    def house_rules(self) -> Rules:
        """The rules for the engine."""
        return Rules(**msgspec.structs.asdict(self.rules))


def load_settings(path: Path = DEFAULT_PATH) -> Settings:
    """Read a settings file. Raise SettingsError, with file, line and key, for whatever is wrong with it."""
    settings = parse_settings(read_text(path, SettingsError), str(path))
    if settings.board.endswith(".toml"):
        board = path.absolute().parent / settings.board
        return msgspec.structs.replace(settings, board=str(board))
    return settings


def parse_settings(text: str, file: str) -> Settings:
    """Check the text of a settings file; ``file`` is what errors call it."""
    content = TomlFile(text, file, SettingsError)
    settings = content.convert(Settings)
    for key, kind, known in (("language", "language", languages()), ("bot", "bot", tuple(BOTS))):
        value = getattr(settings, key)
        if value not in known:
            raise content.at((key,), no_such(kind, value, known))
    return settings
