"""``twentytwo replay``: what it says of good, broken and wrong files."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.notation import Header, Player, Record, dumps
from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.cli import main
from firmware.selfplay import play


def made(seed: int = 4) -> Record:
    """The record of a short game of three bots."""
    header = Header((1, 3, 4), Rules(limit=12), (Player(1, "person", "Nia"), Player(3, "steady")))
    minds = bots(seed)
    return play(header, {seat: minds["random"]() for seat in header.seats}, Shuffler(seed))[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(dumps(made()), encoding="utf-8")
    return path


def test_good_record(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A good record is stepped through in words, line by line, and ends with the verdict and exit code 0."""
    assert main(["replay", str(file)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    number = file.read_text(encoding="utf-8").splitlines().index("") + 2
    assert lines[0].startswith(f"{number:>4}  seat 1 (Nia) draws ")
    assert any("seat 3 (steady) plays" in line for line in lines)
    assert any("seat 4 plays" in line for line in lines)
    assert any(line.strip().startswith("points: seat 1 (Nia) ") for line in lines)
    assert lines[-1].startswith(f"{file}: good: seat ")
    assert " won after " in lines[-1]


def test_every_kind_of_event_has_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Draws, deals, exchanges, passed turns, plays, tricks, kept cards, outs and wins are all told."""
    minds = bots(1)
    header = Header((1, 2, 3, 4, 5, 6))
    path = tmp_path / "game.txt"
    record = play(header, {seat: minds["random"]() for seat in header.seats}, Shuffler(1))[0]
    path.write_text(dumps(record), encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    out = capsys.readouterr().out
    for words in (
        "draws",
        "deals next",
        "cards each",
        "holds",
        "exchanges",
        "cannot exchange, the stock is empty",
        "plays",
        "the lowest",
        "takes the trick",
        "keeps",
        "is out with",
        "won",
        "points:",
    ):
        assert words in out


def test_quiet(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --quiet only the verdict is printed."""
    assert main(["replay", "--quiet", str(file)]) == 0
    assert capsys.readouterr().out.count("\n") == 1


def test_step(file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With --step one line of input is read after each action; at the end of input it goes on by itself."""
    keys = io.StringIO("\n" * 1000)
    monkeypatch.setattr("sys.stdin", keys)
    assert main(["replay", "--step", str(file)]) == 0
    assert keys.tell() == len(made().actions)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["replay", "--step", str(file)]) == 0
    assert capsys.readouterr().out


def test_unfinished(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record that stops before the game is over is good as far as it goes; a missing result is told."""
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(lines[:12]), encoding="utf-8")
    assert main(["replay", "--quiet", str(file)]) == 0
    assert "good as far as it goes: deal 1, the game is not over" in capsys.readouterr().out
    file.write_text("\n".join(lines[:-1]), encoding="utf-8")
    assert main(["replay", "--quiet", str(file)]) == 0
    assert "the line with the result is missing" in capsys.readouterr().out
    file.write_text("twentytwo 1\nseats 1 2\n", encoding="utf-8")
    assert main(["replay", "--quiet", str(file)]) == 0
    assert "a game without an action" in capsys.readouterr().out


def test_record_that_breaks_a_rule(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record that breaks a rule has exit code 1, and the verdict names line, rule and why."""
    lines = file.read_text(encoding="utf-8").splitlines()
    deal = next(place for place, line in enumerate(lines) if line.startswith("deal "))
    lines[deal] = lines[deal].rpartition(" ")[0]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert main(["replay", str(file)]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert f"{file}: line {deal + 1} breaks R7: This is not the pack to deal. Missing: " in out
    assert " deals next" in out


def test_wrong_result(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A result that is not the game's breaks a rule too."""
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[-1] += "0"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert main(["replay", "--quiet", str(file)]) == 1
    assert f"line {len(lines)} breaks R22: the record says 'result won" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: this is no record: the first line must be 'twentytwo 1'"),
        (b"twentytwo 9\n", "line 1: version '9' is not known"),
        (b"twentytwo 1\nseats 1 2\nmove 3\n", "line 3: 'move' cannot stand here"),
        (b"twentytwo 1\nseats 1 2\n" + b"x" * 5000, "..."),
        (b"\x89PNG\r\n\x1a\n\x00", "is no record: it is not UTF-8 text (byte 1)"),
        (b"\x00" * 100, "this is no record"),
        (b"#" * 4_000_001, "is too long for a record: more than 4,000,000 bytes"),
    ],
)
def test_wrong_files(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no record has exit code 2 and one line on stderr: file, line and what is wrong."""
    path = tmp_path / "some.txt"
    path.write_bytes(content)
    assert main(["replay", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert len(err) < 400
    assert str(path) in err
    assert message in err


def test_unreadable_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there, or is a folder, is named with the reason."""
    assert main(["replay", str(tmp_path / "none.txt")]) == 2
    assert "cannot read the record" in capsys.readouterr().err
    assert main(["replay", str(tmp_path)]) == 2
    assert "Is a directory" in capsys.readouterr().err
    assert main(["replay"]) == 2
    assert "FILE" in capsys.readouterr().err


def piped(path: Path, *, encoding: str, lines: int) -> tuple[int, bytes]:
    """Exit code and standard error of a replay whose reader takes some lines and closes the pipe."""
    program = "import sys; from firmware.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", program, "replay", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    ) as process:
        assert process.stdout
        assert process.stderr
        for _ in range(lines):
            assert process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
    return process.returncode, err


def test_reader_that_stops(file: Path) -> None:
    """When nobody reads on, as in ``| head -1``, the record is still checked, and no traceback is shown."""
    assert piped(file, encoding="utf-8", lines=1) == (0, b"")
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "draw 2c\n", encoding="utf-8")
    code, err = piped(file, encoding="utf-8", lines=1)
    assert (code, err.count(b"\n")) == (2, 1)


def test_screen_without_the_letters(tmp_path: Path) -> None:
    """A name that the screen's encoding lacks is shown by its code points."""
    path = tmp_path / "game.txt"
    path.write_text("twentytwo 1\nseats 1 2\nplayer 1 person Ŵ\n\ndraw 9h Kc\n", encoding="utf-8")
    assert piped(path, encoding="ascii", lines=3) == (0, b"")


def test_odd_names_stay_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of any language are shown as written."""
    path = tmp_path / "game.txt"
    path.write_text("twentytwo 1\nseats 1 2\nplayer 1 person Ŵêñdÿ ў\n\ndraw 9h Kc\n", encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    assert "seat 1 (Ŵêñdÿ ў) draws 9h" in capsys.readouterr().out
