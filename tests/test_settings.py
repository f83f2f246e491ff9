"""The settings file: what it may say, and how it is told what is wrong."""

import contextlib
import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import Rules
from firmware.settings import MEANINGS, Settings, SettingsError, load_settings, parse_settings, value_of

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "install" / "table.toml"
PAGE = ROOT / "docs" / "settings.md"


def test_an_empty_file_is_the_defaults():
    """Every setting may be left out."""
    settings = parse_settings("", "table.toml")
    assert settings == Settings()
    assert settings.house_rules() == Rules()


def test_the_shipped_file_shows_every_setting_with_its_default():
    """The shipped file's commented lines are all keys that there are, and set what holds without them."""
    text = SHIPPED.read_text("utf-8")
    assert parse_settings(text, "table.toml") == Settings()
    shown = re.sub(r"^#(?=\w+ = )", "", text, flags=re.MULTILINE)
    assert parse_settings(shown, "table.toml") == Settings()
    keys = set(re.findall(r"^(\w+) = ", shown, flags=re.MULTILINE))
    rules = {field.name for field in msgspec.structs.fields(Settings().rules)}
    assert keys == {field.name for field in msgspec.structs.fields(Settings)} - {"rules"} | rules


def test_what_is_set_counts():
    """Board, bot, its delay and the house rules reach the program."""
    settings = parse_settings(
        'board = "direct-2"\nbot = "random"\nbot_delay = 2\n[rules]\nlimit = 30\nmust_head = true\n', "t.toml"
    )
    assert (settings.board, settings.bot, settings.bot_delay) == ("direct-2", "random", 2.0)
    assert settings.house_rules() == Rules(limit=30, must_head=True)


def test_a_board_of_ones_own_counts_from_the_settings_folder(tmp_path):
    """A path that ends in .toml is found beside the settings, whatever folder the program runs in."""
    file = tmp_path / "table.toml"
    file.write_text('board = "kitchen.toml"\n')
    assert load_settings(file).board == str(tmp_path / "kitchen.toml")
    file.write_text('board = "/etc/elsewhere.toml"\n')
    assert load_settings(file).board == "/etc/elsewhere.toml"
    file.write_text('board = "direct-2"\n')
    assert load_settings(file).board == "direct-2"


@pytest.mark.parametrize(
    ("text", "line", "key", "says"),
    [
        ('baord = "direct-2"', 1, "baord", "did you mean 'board'?"),
        ("\nbot_delay = 0", 2, "bot_delay", "0; allowed: a number from 0.01 to 60"),
        ("bot_delay = true", 1, "bot_delay", "True; allowed: a number"),
        ("bot_delay = nan", 1, "bot_delay", "nan; allowed: a number"),
        ('bot = "stedy"', 1, "bot", "there is no bot 'stedy'; there are: random, steady; did you mean"),
        ('language = "xx"', 1, "language", "there is no language 'xx'; there are: en"),
        ("board = 6", 1, "board", "6; allowed: a text"),
        ("[rules]\nlimit = 1", 2, "rules.limit", "1; allowed: a whole number from 2 to 42"),
        ("[rules]\nfirst_hand = 12", 2, "rules.first_hand", "12; allowed: a whole number from 2 to 11"),
        ("[rules]\nmust_head = 1", 2, "rules.must_head", "1; allowed: true or false"),
        ("[rules]\nmust_haed = true", 2, "rules.must_haed", "did you mean 'must_head'?"),
        ("rules = 5", 1, "rules", "5; allowed: a table of must_head, limit"),
        ("[bords]\nx = 1", 1, "bords", "unknown key; allowed: board, language"),
        ("board = ", 1, None, "not TOML"),
    ],
)
def test_faults_are_told_with_line_key_and_what_is_allowed(text, line, key, says):
    """Each fault names file, line and key, the value, what may stand there, and the nearest name."""
    with pytest.raises(SettingsError) as caught:
        parse_settings(text, "table.toml")
    assert (caught.value.line, caught.value.key) == (line, key)
    assert str(caught.value).startswith(f"table.toml, line {line}: ")
    assert says in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    """Missing, or no text: the path and the reason."""
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file"):
        load_settings(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf\r\n\n", "the file is empty"),
        (b"\0" * 4096, "the file is only NUL bytes"),
        (b"\0" * 9000 + b"\n", "the file is only NUL bytes"),
    ],
)
def test_a_file_that_has_lost_its_content_is_not_taken_for_the_defaults(tmp_path, content, says):
    """Empty or all NUL, as after a power cut: one line with file, line and what to do."""
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert str(caught.value).startswith(f"{path}, line 1: {says}")
    assert "twentytwo settings set board" in str(caught.value)


def test_a_damaged_file_is_settings_or_one_line(tmp_path):
    """Cut anywhere, or with any one byte changed in any of three ways: never anything but that."""
    path = tmp_path / "table.toml"
    whole = b'# mine\nboard = "direct-2"  # two\n[rules]\nlimit = 30\nmust_head = true\n'
    damaged = [whole[:length] for length in range(len(whole))]
    for place in range(len(whole)):
        for flip in (0x01, 0x20, 0x80):
            damaged.append(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :])
    told = []
    for content in damaged:
        path.write_bytes(content)
        try:
            load_settings(path)
        except SettingsError as problem:
            told.append(str(problem))
    assert len(told) > 200
    assert all(line.startswith(str(path)) and "\n" not in line for line in told)


def test_every_key_has_a_meaning_and_a_place_in_the_documents():
    """The keys that are shown are all there are; docs/settings.md has each with its default and meaning."""
    rules = [f"rules.{field.name}" for field in msgspec.structs.fields(Settings().rules)]
    keys = [field.name for field in msgspec.structs.fields(Settings) if field.name != "rules"]
    assert list(MEANINGS) == keys + rules
    documented = re.findall(
        r"^\| `([\w.]+)` \| `([^`]+)` \| [^|]+ \| ([^|]+) \|$", PAGE.read_text("utf-8"), re.M
    )
    assert [(key, tomllib.loads(f"x = {default}")["x"], text) for key, default, text in documented] == [
        (key, value_of(Settings(), key), text) for key, text in MEANINGS.items()
    ]


@given(st.text(alphabet='abelmrt_019-."[]{}=,\n #', max_size=60))
def test_any_text_is_settings_or_a_settings_error(text):
    """Nothing else ever comes out of a settings file."""
    with contextlib.suppress(SettingsError):
        assert isinstance(parse_settings(text, "table.toml"), Settings)
