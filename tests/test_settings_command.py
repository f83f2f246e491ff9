"""``twentytwo settings``: shows, changes and checks the settings, and harms no file."""

import errno
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.cli import main
from firmware.settings import MEANINGS, Settings, load_settings, parse_settings, value_of
from firmware.settingscommand import _changed

ROOT = Path(__file__).parents[1]
SHIPPED = (ROOT / "install" / "table.toml").read_text("utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The shipped settings."""
    path = tmp_path / "table.toml"
    path.write_text(SHIPPED, "utf-8")
    return path


@pytest.fixture
def settings(file, capsys):
    """Run the command; give its exit code, output and error."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["settings", *words, "--settings", str(file)])
        told = capsys.readouterr()
        assert told.err.count("\n") == (1 if code else 0)
        return code, told.out, told.err

    return run


def test_show_tells_all_of_each_key(settings, file):
    """Each key has a line: value, default, where it comes from, and what it means."""
    settings("set", "rules.limit", "30")
    code, out, _ = settings("show")
    head, *lines = out.splitlines()
    assert code == 0
    assert str(file) in head
    assert [line.split()[0] for line in lines] == list(MEANINGS)
    line = file.read_text().splitlines().index("limit = 30") + 1
    (limit,) = [one for one in lines if one.startswith("rules.limit")]
    assert limit.split()[1:4] == ["30", "line", str(line)]
    assert limit.endswith("H2: points at which a player is out (default: 22)")
    assert all(MEANINGS[one.split()[0]] in one for one in lines)
    assert all(" default  " in one for one in lines if one is not limit)


@pytest.mark.parametrize(
    ("key", "word", "value"),
    [
        ("board", "direct-2", "direct-2"),
        ("bot", "random", "random"),
        ("bot_delay", "2", 2.0),
        ("bot_delay", "0.5", 0.5),
        ("rules.must_head", "true", True),
        ("rules.limit", "30", 30),
        ("rules.first_hand", "11", 11),
        ("rules.last_tied_only", "true", True),
        ("rules.piles_return", "true", True),
    ],
)
def test_set_changes_one_line_and_unset_takes_it_away(settings, file, key, word, value):
    """A key gets a line below the comment that shows its default; without it the file is as before."""
    assert settings("set", key, word)[0] == 0
    assert value_of(load_settings(file), key) == value
    lines = file.read_text("utf-8").splitlines()
    (new,) = [number for number, line in enumerate(lines) if line not in SHIPPED.splitlines()]
    assert lines[new - 1].startswith(f"#{key.split('.')[-1]} = ")
    assert settings("unset", key)[0] == 0
    assert file.read_text("utf-8") == SHIPPED


def test_comments_and_order_stay(settings, file):
    """What the owner wrote beside and between the keys stays where it is."""
    text = (
        'bot = "random"  # for guests\r\n\r\n# ours\r\n[rules]\r\nlimit = 1_0 # short\r\nmust_head=true\r\n'
    )
    file.write_bytes(text.encode())
    settings("set", "rules.limit", "12")
    settings("set", "bot", "steady")
    assert file.read_bytes().decode() == text.replace("1_0", "12").replace("random", "steady")


def test_nothing_is_written_if_nothing_changes(settings, file):
    """What is so already, and what is not set, leaves the file untouched."""
    settings("set", "rules.limit", "30")
    before = file.stat()
    for words in (("set", "rules.limit", "30"), ("unset", "bot"), ("unset", "rules.must_head"), ("check",)):
        code, out, _ = settings(*words)
        assert code == 0
        assert "nothing to change" in out or words == ("check",)
    assert file.stat() == before or file.stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("set", "rules.limt", "30"), "did you mean 'rules.limit'?"),
        (("unset", "limit"), "did you mean 'rules.limit'?"),
        (("set", "rules", "30"), "there is no setting 'rules'"),
        (("set", "rules.limit", "50"), "rules.limit: 50; allowed: a whole number from 2 to 42"),
        (("set", "rules.limit", "many"), "rules.limit: 'many'; allowed: a whole number"),
        (("set", "rules.limit", "3\nfoo = 1"), "allowed: a whole number"),
        (("set", "rules.limit", "2026-11-29"), "allowed: a whole number"),
        (("set", "rules.limit", "1" * 5000), "allowed: a whole number"),
        (("set", "rules.limit", "9" * 30), "more than 64 bits"),
        (("set", "rules.limit", "[" * 5000), "allowed: a whole number"),
        (("set", "bot_delay", "nan"), "allowed: a number from 0.01 to 60"),
        (("set", "rules.must_head", "1"), "allowed: true or false"),
        (("set", "rules.must_head", "True"), "allowed: true or false"),
        (("set", "bot", "stedy"), "did you mean 'steady'?"),
        (("set", "board", "direct-7"), "no bundled board has this name"),
        (("set", "board", "kitchen.toml"), "kitchen.toml: cannot be read: No such file"),
        (("set", "board", '"x'), "no bundled board has this name"),
        (("set", "board", "\udcff.toml"), "is no text in UTF-8"),
    ],
)
def test_what_cannot_be_is_told_and_not_written(settings, file, words, says):
    """One line with the key, the value, what is allowed, the nearest name; exit 2; an untouched file."""
    code, out, err = settings(*words)
    assert (code, out) == (2, "")
    assert says in err
    assert file.read_text("utf-8") == SHIPPED


def test_the_first_key_makes_the_file(settings, file):
    """Without a file ``show`` names it, ``set`` makes it, and ``unset`` of what is not set does not."""
    file.unlink()
    assert "No such file" in settings("check")[2]
    assert "nothing to change" in settings("unset", "bot")[1]
    assert not file.exists()
    assert settings("set", "rules.limit", "30")[0] == 0
    assert load_settings(file).rules.limit == 30


def test_check_reads_the_board_too(settings, file):
    """A board of one's own that is wrong is told with its own file and line."""
    file.write_text('board = "kitchen.toml"\n')
    (file.parent / "kitchen.toml").write_text("tittle = 5\n")
    code, _, err = settings("check")
    assert code == 2
    assert f"{file.parent / 'kitchen.toml'}, line 1: tittle: unknown key" in err
    file.write_text('board = "direct-2"\n')
    assert "2 seats" in settings("check")[1]


@pytest.mark.parametrize("words", [("show",), ("check",), ("set", "rules.limit", "30"), ("unset", "bot")])
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 900, SHIPPED.encode()[:-40] + b"\n=", b"bot = 'x", b"\xff\xfe", b'baord = "x"']
)
def test_a_damaged_file_is_never_touched(settings, file, words, content):
    """Each command names the file and what to do, ends with 2, and leaves the file to its owner."""
    file.write_bytes(content)
    (file.parent / ".table.toml.new").write_text("[rules]\nlim")
    code, _, err = settings(*words)
    assert code == 2
    assert str(file) in err
    assert file.read_bytes() == content


@pytest.mark.parametrize("content", ["", "board = ", "baord = 'direct-2'"])
def test_no_table_starts_on_damaged_settings(file, capsys, content):
    """Play, doctor and selftest name the file and end with 2, which systemd does not restart."""
    file.write_text(content)
    for command in ("play", "doctor", "selftest"):
        assert main([command, "--sim", "--settings", str(file)]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith(f"twentytwo: {file}, line 1: ")
        assert told.err.count("\n") == 1


def test_help_lists_the_keys(capsys):
    """``twentytwo settings --help`` has each key with its meaning."""
    assert main(["settings", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"{key} " in told and meaning in told for key, meaning in MEANINGS.items())


def test_a_stale_temporary_file_does_no_harm(settings, file):
    """What a crash left beside the settings is not read, and is gone after the next change."""
    (file.parent / ".table.toml.new").write_text("[rules]\nlim")
    assert settings("show")[0] == 0
    assert settings("set", "rules.limit", "30")[0] == 0
    assert [one.name for one in file.parent.iterdir()] == ["table.toml"]


def test_a_disk_that_refuses_is_told(settings, file, monkeypatch):
    """Without the right, or on a full disk: one line, exit 2, the old settings."""
    for number, says in ((errno.EACCES, "run it with sudo"), (errno.ENOSPC, "No space left")):

        def refuse(*names, number=number):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "replace", refuse)
        code, _, err = settings("set", "rules.limit", "30")
        monkeypatch.undo()
        assert code == 2
        assert says in err
        assert file.read_text("utf-8") == SHIPPED


VALUES = {
    "board": st.sampled_from(["direct-2", "a b.toml", 'quo"te', "back\\slash", "é", "\x7f", "tab\t"]),
    "bot_delay": st.floats(0.01, 60),
    "rules.limit": st.integers(2, 42),
    "rules.must_head": st.booleans(),
}
TEXTS = st.sampled_from(
    [
        "",
        SHIPPED,
        SHIPPED.replace("\n", "\r\n"),
        "\ufeff" + SHIPPED,
        "rules = {limit = 3, must_head = true} # one line",
        "rules.limit = 3\nbot = 'random'",
        '[rules]\nlimit = 3\n# "limit" = 5\n#limit = 6\n',
        "bot = 'random' # no end of line",
        '"board" = """direct-2"""\n[ "rules" ]\n\'limit\' = 0x10\n',
        "# limit = 3\n[rules]\n#must_head = true\n",
        "board = '''\n#bot_delay = 5\n'''\n",
    ]
)


@given(text=TEXTS, changes=st.lists(st.sampled_from(sorted(VALUES)), max_size=4), data=st.data())
def test_any_change_of_any_text_changes_that_key_alone(text, changes, data):
    """Whatever way a file is written, after a change it says the same as before but for one key."""
    for key in changes:
        value = data.draw(st.none() | VALUES[key])
        steps = tuple(key.split("."))
        before = tomllib.loads(text.removeprefix("\ufeff"))
        marked = text.startswith("\ufeff")
        text = _changed(text, steps, value)
        assert text.startswith("\ufeff") == marked
        after = tomllib.loads(text.removeprefix("\ufeff"))
        for table in (before, after):
            inner = table.setdefault("rules", {}) if len(steps) == 2 else table
            assert table is before or inner.get(steps[-1]) == value
            inner.pop(steps[-1], None)
            table.setdefault("rules", {})
        assert before == after
        parse = text if "board" not in after else ""
        assert isinstance(parse_settings(parse, "t"), Settings)


def test_no_table_that_plays_loads_tomlkit():
    """Neither play nor sim needs the library that keeps comments; only a change of the settings does."""
    program = (
        "import sys\nfrom firmware.cli import main\n"
        "sys.argv[0] = 'x'\n"
        "main('play --sim --board direct-2 --bots 2 --games 1 --fast --bot-delay 0.1'.split())\n"
        "import firmware.simulator, firmware.settingscommand, firmware.device.play\n"
        "main('settings show'.split())\n"
        "print('tomlkit' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_bytes_that_are_no_text_are_refused(tmp_path, capsys):
    """A word of the command line that is not UTF-8 is named, for a key of any type; nothing is written."""
    path = tmp_path / "table.toml"
    path.write_text('board = "pods-6"\n')
    for key in ("board", "bot_delay", "rules.limit", "rules.must_head"):
        assert main(["settings", "set", key, "\udcff", "--settings", str(path)]) == 2
        assert rf"{key}: '\udcff' is no text in UTF-8" in capsys.readouterr().err
    assert path.read_text() == 'board = "pods-6"\n'
