"""Any text and any file is read, or refused with one error in one line: never a traceback, never a hang."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.settings import SettingsError, load_settings, parse_settings
from hardware.errors import ProfileError, TomlError
from hardware.profile import load_profile, parse_profile
from hardware.tomlfile import MOST_BYTES, MOST_DOTS

TWO = (Path(__file__).parents[1] / "hardware" / "boards" / "direct-2.toml").read_text("utf-8")


def refusal(text: str) -> TomlError | None:
    """The error for a text as a profile; None if it is a good one. As settings it is tried, too."""
    errors: list[TomlError] = []
    for parse in (parse_settings, parse_profile):
        try:
            parse(text, "my.toml")
        except TomlError as error:
            errors.append(error)
    for told in errors:
        assert str(told).startswith("my.toml")
        assert "\n" not in str(told)
        assert len(str(told)) < 1000
    return next((error for error in errors if isinstance(error, ProfileError)), None)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('"a\\nb" = 1', 1, "'a\\nb': unknown key"),
        ('"` - at `$.seats" = 1', 1, "unknown key"),
        ('[buses.main]\n"a` - at `$[0]" = 1', 1, "unknown key"),
        ('[buses.main]\nnumber = "` - at `$.q"', 2, "buses.main.number"),
        ('active = "x` - at `$.q"\n' + TWO, 1, "active: 'x` - at `$.q'; allowed: 'high' or 'low'"),
        ("a = " + "[" * 20_000, 1, "brackets within each other"),
        ("\na = " + "{a=" * 20_000, 2, "brackets within each other"),
        ("a = " + "[\n" * 20_000, 1, "brackets within each other"),
        ("\n\na = " + "1" * 5_000, 3, "thousands of digits"),
        ("\nsettle_ms = 0x" + "f" * 5_000, 2, "settle_ms: a whole number of more than 64 bits"),
        ("\ntitle = [[9223372036854775808]]", 2, "title[1][1]: a whole number of more than 64 bits"),
        (".".join("a" * 20_000) + " = 1", 1, f"more than {MOST_DOTS} dots"),
        ('"=".' * 10_000 + "a = 1", 1, f"more than {MOST_DOTS} dots"),
        ("\n[" + ".".join("a" * 20_000) + "]", 2, f"more than {MOST_DOTS} dots"),
        ("x = {" + ".".join("a" * 20_000) + " = 1}", 1, f"more than {MOST_DOTS} dots"),
        ('title = """\n[.]\n[[.]]\n"""\nfoo = 1', 5, "foo: unknown key"),
        ('title = """\nfoo = 1\n"""\nfoo = 1', 4, "foo: unknown key"),
        ("foo = [\n[" + " " * 50_000 + "\n1]]", 1, "foo: unknown key"),
        ("[[.]]", 1, "not TOML"),
        ("\n['line 7']\n\n['line 7']", 4, "not TOML"),
        ("title = 1\n" * 10_000, None, "more than 64 KiB"),
        ("é" * (MOST_BYTES // 2 + 1), None, "more than 64 KiB"),
        (TWO.replace("[buses.main]", "[buses.'../x']"), None, "letters, digits, - or _"),
        (
            TWO.replace('label = "1"', 'label = "1\\n"'),
            None,
            "seats[1].label: '1\\n'; every character must be",
        ),
        (TWO.replace('title = "Two', 'title = "\\u0000'), None, "every character must be printable"),
        ("", 1, "title is missing"),
    ],
)
def test_strange_texts(text: str, line: int | None, says: str) -> None:
    """What upset the parser, the checks or the search for lines is told with its line and key."""
    error = refusal(text)
    assert error is not None
    assert says in str(error)
    if line is not None or "KiB" in says:
        assert error.line == line


def test_dots_in_comments_are_no_keys() -> None:
    """A comment may be a row of dots."""
    assert refusal(f"# {'.' * 200}\n{TWO}") is None


def test_a_byte_order_mark_is_left_out(tmp_path: Path) -> None:
    """A file from an editor that puts a mark before UTF-8 is read, with the same lines."""
    path = tmp_path / "kitchen.toml"
    path.write_text(TWO.replace("\n", "\r\n"), "utf-8-sig", newline="")
    assert load_profile(path).seats == load_profile("direct-2").seats
    path.write_text('\nbot = "x"', "utf-8-sig")
    with pytest.raises(SettingsError, match="line 2: bot"):
        load_settings(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    """A path that no file can have, a file that is too long: one error each."""
    with pytest.raises(ProfileError, match=r"x\.toml': no file can have this path: embedded null byte"):
        load_profile("\0x.toml")
    (tmp_path / "table.toml").write_text('board = "\\u0000.toml"')
    with pytest.raises(ProfileError, match="no file can have this path"):
        load_profile(load_settings(tmp_path / "table.toml").board)
    (tmp_path / "cut.toml").write_text("#" + "é" * MOST_BYTES, "utf-8")
    with pytest.raises(ProfileError, match="more than 64 KiB"):
        load_profile(tmp_path / "cut.toml")


FRAGMENTS = st.sampled_from(
    [
        *(
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            "=",
            ".",
            ",",
            "#",
            "\n",
            "\r\n",
            " ",
            "\t",
            '"',
            "'",
            '"""',
            "'''",
        ),
        *(
            "\\n",
            "\\u0000",
            "\\",
            "[.]",
            "[[.]]",
            "a",
            "seats",
            "buses",
            "main",
            "[[seats]]\n",
            "[buses.main]\n",
        ),
        *("title = ", "label = ", "screen = ", "buttons = ", "address = ", "number = ", "left = ", "name = "),
        *(
            "1",
            "0x3C",
            "1979-05-27T07:32:00Z",
            "07:32:00",
            "nan",
            "1e999",
            "true",
            "{}",
            "[]",
            "[[]]",
            "-",
            "_",
        ),
        *("[" * 2000, "a." * 99, "9" * 5000, "\ufeff", "\0", "é", "\u2028", "` - at `$.seats[0]", "<script>"),
        *('"x"', "'x'", '"a\\nb"', "= 1\n", "= {a = 1}\n", "= [{a = 1}]\n", "\nrules = ", "\n[rules]\n"),
    ]
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=3), max_size=20).map("".join)


@given(before=st.integers(0, len(TWO)), text=TEXTS, after=st.integers(0, len(TWO)))
def test_any_text_within_a_profile(before: int, text: str, after: int) -> None:
    """Any text, alone or put anywhere into a profile in the place of any piece, is read or refused."""
    for changed in (text, TWO[:before] + text + TWO[after:], TWO[:before] + text + TWO[before:]):
        refusal(changed)


@given(st.binary(max_size=40) | TEXTS.map(lambda text: text.encode()))
def test_any_bytes_in_a_file(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Whatever a file holds, it is a profile or refused."""
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    with pytest.raises(ProfileError):
        load_profile(path)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir])
@pytest.mark.parametrize("load", [load_profile, load_settings])
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], object], load: Callable[[Path], object]
) -> None:
    """A pipe that nobody writes to, a device and a folder are one clear error each, and nobody waits."""
    place = tmp_path / "my.toml"
    make(place)
    with pytest.raises(TomlError, match=r"my\.toml: (a pipe or a device, not a file|cannot be read)"):
        load(place)
