"""The language of the screens: every text that a player reads goes through gettext."""

import gettext
from pathlib import Path

Words = gettext.NullTranslations
"""A catalogue: ``words.gettext("...")`` and ``words.ngettext("{n} card", "{n} cards", n)``."""

LOCALES = Path(__file__).parent / "locales"


def languages() -> tuple[str, ...]:
    """The languages that there are: English, and each that has a catalogue."""
    return ("en", *sorted(file.parts[-3] for file in LOCALES.glob("*/LC_MESSAGES/table.mo")))


def catalogue(language: str = "en") -> Words:
    """The catalogue of a language (``"en"``, ``"cy"``, ...). English is the text in the source itself.

    Raise FileNotFoundError if there is no catalogue of that language.
    """
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation("table", LOCALES, [language])
