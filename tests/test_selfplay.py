"""``twentytwo selfplay``: what it plays, prints, writes and refuses."""

from pathlib import Path

import pytest

from engine.bots import BOTS
from engine.notation import Header, Player, loads
from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.cli import main
from firmware.selfplay import Totals, play


def run(*args: str) -> int:
    return main(["selfplay", *args])


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    """The summary tells wins, share and mean points of each seat and bot, and what was played."""
    assert run("--games", "6", "--seats", "3", "--bots", "steady,random,random", "--seed", "1") == 0
    out, err = capsys.readouterr()
    lines = [line.split() for line in out.splitlines() if line.strip()]
    assert lines[0] == ["seat", "bot", "wins", "share", "mean", "points"]
    assert [line[:2] for line in lines[1:4]] == [["1", "steady"], ["2", "random"], ["3", "random"]]
    assert sum(float(line[2]) for line in lines[1:4]) == pytest.approx(6)
    assert out.splitlines()[-1].startswith("6 games, ")
    assert "steady: " in out
    assert err == ""


def test_plain_where_nobody_looks_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Off a terminal the output is plain: no escape codes, no bar, only ASCII."""
    assert run("--games", "2", "--seats", "2") == 0
    out, err = capsys.readouterr()
    assert (out + err).isascii()
    assert "\x1b" not in out + err
    assert "\r" not in out + err


def test_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a folder each game's record is written, and each is valid, complete and of the rules asked for."""
    folder = tmp_path / "new" / "records"
    asked = ("--limit", "9", "--first-hand", "4", "--must-head", "--last-tied-only", "--piles-return")
    assert run("--games", "5", "--seats", "3", "--records", str(folder), *asked) == 0
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"game-{number:04}.txt" for number in range(1, 6)]
    for file in files:
        record = loads(file.read_text(encoding="utf-8"))
        assert record.ended
        assert record.header == Header(
            (1, 2, 3),
            Rules(must_head=True, limit=9, first_hand=4, last_tied_only=True, piles_return=True),
            tuple(Player(seat, "steady") for seat in (1, 2, 3)),
        )
    assert capsys.readouterr().out


def test_records_are_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that has a record of that name already is refused before a game is played; nothing changes."""
    (tmp_path / "game-0002.txt").write_text("mine", encoding="utf-8")
    assert run("--games", "2", "--records", str(tmp_path)) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["game-0002.txt"]
    assert (tmp_path / "game-0002.txt").read_text(encoding="utf-8") == "mine"
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"--records {tmp_path}: game-0002.txt is there already, choose another folder" in err


def test_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that cannot be made is named, in one line."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert run("--games", "1", "--records", str(tmp_path / "file")) == 2
    assert f"--records {tmp_path / 'file'}: cannot make this folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--games", "0"], "--games 0: choose 1 to 1,000,000"),
        (["--games", "x"], "invalid int value: 'x'"),
        (["--seats", "1"], "--seats 1: choose 2 to 6"),
        (["--seats", "7"], "--seats 7: choose 2 to 6"),
        (["--bots", "clever"], "--bots clever: there is no bot 'clever', choose from random, steady"),
        (["--bots", "steady,random"], "these are 2, write one for all or one for each of 4 seats"),
        (["--limit", "1"], "--limit 1: choose 2 to 42"),
        (["--no-such"], "unrecognized arguments: --no-such"),
    ],
)
def test_refused(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be done is refused with exit code 2 and one line: option, value and what is allowed."""
    assert run(*args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("twentytwo: ")
    assert err.count("\n") == 1
    assert message in err


def test_seed_repeats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same seed gives the same games, another gives others, and none gives new ones each time."""
    texts = []
    for number, seed in enumerate([["--seed", "5"], ["--seed", "5"], ["--seed", "6"], [], []]):
        folder = tmp_path / str(number)
        assert run("--games", "1", "--bots", "random", "--records", str(folder), *seed) == 0
        texts.append((folder / "game-0001.txt").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert len(set(texts)) == 4
    assert capsys.readouterr().out


def test_totals_share_wins() -> None:
    """A win that several share counts in equal parts."""
    header = Header((1, 2), Rules(limit=2), (Player(1, "random"), Player(2, "random")))
    chance = Shuffler(3)
    made = bots(3)
    totals = Totals(header)
    shared = 0
    for _ in range(60):
        record, state = play(header, {seat: made["random"]() for seat in (1, 2)}, chance)
        totals.add(record, state)
        shared += len(state.winners) == 2
    assert shared
    assert sum(totals.wins.values()) == pytest.approx(60)
    assert totals.games == 60


@pytest.mark.parametrize("bot", BOTS)
def test_every_bot_plays_every_table(bot: str) -> None:
    """Each bot plays whole games with two to six players and any house rules."""
    made = bots(1)
    for seats in range(2, 7):
        rules = Rules(must_head=seats % 2 == 0, first_hand=2 + seats, piles_return=seats == 3)
        header = Header(tuple(range(1, seats + 1)), rules)
        record, state = play(header, {seat: made[bot]() for seat in header.seats}, Shuffler(seats))
        assert record.ended
        assert state.winners


def test_shared_wins_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """If a win was shared a note under the table says how it counts; if none was, there is none."""
    many = ("--games", "60", "--seats", "2", "--bots", "random", "--limit", "2", "--seed", "3")
    assert run(*many) == 0
    assert "A shared win counts in equal parts: " in capsys.readouterr().out
    assert run("--games", "1", "--seats", "2", "--seed", "1") == 0
    assert "shared" not in capsys.readouterr().out


def test_help_explains_shared_wins(capsys: pytest.CaptureFixture[str]) -> None:
    """The help says how a shared win counts."""
    assert run("--help") == 0
    assert "A win that several share" in capsys.readouterr().out
