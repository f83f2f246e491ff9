"""``twentytwo history``, score charts, and records and journals of every version that was ever written."""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path

import pytest
from table_games import play, sealed
from table_rig import Rig

from engine.notation import dumps, loads
from engine.rules import Rules
from engine.views import Phase
from firmware.cli import main
from firmware.history import games, statistics
from firmware.scorechart import HEIGHT, _apart, chart, points_by_deal
from firmware.table.journal import Journal
from firmware.table.store import Store
from firmware.verify import unfair
from hardware.seat import Button

FIXTURES = Path(__file__).parent / "fixtures"
RECORDS = sorted((FIXTURES / "records").glob("*.txt"))
DATE = "2026-03-01T19:05:00+01:00"


@pytest.fixture
def journal(fast_folder):
    """A journal with two finished games and one that is on."""
    kept = Journal(Store(fast_folder / "journal.db"), date=lambda: DATE)
    rig, _ = play(1, journal=kept, games=2, rules=Rules(limit=12))
    rig.press(1, Button.PLAY)
    for _ in range(6):
        rig.move_on()
    yield kept
    kept.close()


def history(journal, *args):
    """Run the command on this journal."""
    return main(["history", *args, "--journal", str(journal._store.path)])


# Every version


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_records_of_every_version_replay(file):
    """A record that some version of this program wrote is read, played to its result, and written alike."""
    text = file.read_text(encoding="utf-8")
    record = loads(text)
    assert dumps(record) == text
    assert record.ended or record.noted("abandoned")
    assert text.startswith(f"twentytwo {file.stem[1]}\n")


@pytest.mark.parametrize(
    "file", [file for file in RECORDS if file.stem.startswith("v2")], ids=lambda file: file.stem
)
def test_sealed_records_of_every_version_verify(file):
    """Packs that were fair when they were dealt are fair to every later version."""
    faults = list(unfair(file.read_text(encoding="utf-8")))
    assert faults == (
        [] if "seed" not in file.stem else ["simulated (seed 7 game 1): its packs are no fair deal"]
    )


def test_every_record_version_has_a_fixture():
    """Both versions of the form are there."""
    assert {file.stem[:2] for file in RECORDS} == {"v1", "v2"}


def test_a_journal_of_schema_1_goes_on(fast_folder):
    """A journal that the first program of this schema wrote is read; its game goes on to a fair end."""
    file = fast_folder / "journal.db"
    shutil.copy(FIXTURES / "journals" / "schema-1.db", file)
    kept = Journal(Store(file), date=lambda: DATE)
    assert kept.news == ""
    rig = Rig((1, 2, 3), chance=sealed(9), journal=kept, saved=kept.saved)
    rig.press(1, Button.PLAY)
    rig.play_to(Phase.OVER)
    assert list(unfair(kept._store.newest().text)) == []
    assert len(games(file)) == 2
    kept.close()


# The list


def test_finished_games_are_listed_and_the_running_one_is_not(journal, capsys):
    """Date, players, winners, points, deals and duration of each finished game; nothing of another."""
    assert history(journal) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:7] == ["game", "began", "players", "winners", "points", "deals", "actions"]
    assert len(lines) == 2
    assert all(DATE in line and "1 person, 2 person, 3 person" in line for line in lines)
    found = games(journal._store.path)
    assert [game.number for game in found] == [1, found[1].number]
    assert found[0].row()["deals"] == found[0].state.deals
    assert found[0].row()["seconds"] > 10


def test_csv_and_json_say_the_same(journal, capsys):
    """Both forms hold every field of the list, for other programs to read."""
    history(journal, "--format", "csv")
    from_csv = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    history(journal, "--format", "json")
    from_json = json.loads(capsys.readouterr().out)
    assert [{name: str(value) for name, value in row.items()} for row in from_json] == from_csv
    assert len(from_csv) == 2


def test_statistics_add_up(journal, capsys):
    """Wins of all seats are the games played, a shared win counts in parts; the mean points are right."""
    found = games(journal._store.path)
    rows = statistics(found)
    assert [row["seat"] for row in rows] == [1, 2, 3]
    assert sum(row["wins"] for row in rows) == pytest.approx(2, abs=0.01)
    assert rows[0]["points"] == sum(game.state.seats[0].points for game in found) / 2
    assert history(journal, "stats", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == rows


def test_a_game_is_shown_exported_and_verified(journal, capsys, tmp_path):
    """Its actions in words; its record, byte for byte as played, which verify finds fair."""
    game = games(journal._store.path)[1]
    assert history(journal, "show", str(game.number)) == 0
    assert "keeps" in capsys.readouterr().out
    out = tmp_path / "game.txt"
    assert history(journal, "record", str(game.number), "--out", str(out)) == 0
    assert out.read_text(encoding="utf-8") == game.text
    assert main(["verify", str(out)]) == 0
    assert main(["replay", "--quiet", str(out)]) == 0


def test_what_cannot_be_is_told(journal, capsys, tmp_path):
    """No such game, no such journal, no journal, and the running game: one line, exit code 2."""
    running = journal._store.newest()
    number = games(journal._store.path)[-1].number + len(games(journal._store.path)[-1].text.splitlines())
    for args, message in (
        (("show", "7"), "there is no finished game 7: the last are 1, "),
        (("show", str(number)), "there is no finished game"),
        (("show",), "say the number of a finished game: the last are 1, "),
        (("list", "1"), "list is of all games: leave 1 out"),
        (("record", "1", "--out", str(tmp_path)), "cannot write"),
    ):
        assert history(journal, *args) == 2
        assert message in capsys.readouterr().err
    assert not running.over
    (tmp_path / "no.db").write_bytes(b"no database")
    for file, message in (
        (tmp_path / "none.db", "there is no journal"),
        (tmp_path / "no.db", "cannot be read as a"),
    ):
        assert main(["history", "--journal", str(file)]) == 2
        assert message in capsys.readouterr().err


def test_a_journal_of_another_account_wants_sudo(journal, capsys):
    """The account that runs the table reads its journal, and nobody else: one line, exit code 2."""
    path = journal._store.path
    journal.close()
    path.chmod(0)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        assert history(journal, "list") == 2
    finally:
        if root:
            os.seteuid(0)
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "put sudo before the command" in told


def test_an_empty_history(fast_folder, capsys):
    """Before the first game has ended there is nothing to list, in any form."""
    kept = Journal(Store(fast_folder / "journal.db"), date=str)
    for form, out in (("text", "no finished games yet\n"), ("json", "[]\n"), ("csv", "")):
        assert history(kept, "--format", form) == 0
        assert capsys.readouterr().out == out
    kept.close()


def test_a_simulated_table_refuses_what_it_cannot_go_on_with(journal, capsys, tmp_path):
    """``sim --journal``: a game dealt in another way, or on a larger table, or no journal: exit code 2."""
    path = str(journal._store.path)
    journal.close()
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE photos (name)")
    for args, message in (
        (("--journal", path, "--seed", "3"), "this game is sealed, not of seed 3"),
        (("--journal", path, "--seats", "2"), "the saved game has a seat 3, this table has not"),
        (("--journal", str(other)), "is another program's database"),
    ):
        assert main(["sim", "--no-browser", "--port", "0", *args]) == 2
        assert message in capsys.readouterr().err


def test_a_view_in_the_place_of_a_table_is_not_read(journal, capsys):
    """Its rows might never end: whoever lists the games says that this is no journal."""
    path = journal._store.path
    journal.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(
            "DROP TABLE line; CREATE VIEW line AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
            "FROM n) SELECT i AS seq, 'x' AS text, 0 AS crc FROM n"
        )
    assert main(["history", "--journal", str(path)]) == 2
    assert "cannot be read as a journal: its tables are not a journal's" in capsys.readouterr().err


def test_a_device_keeps_its_games(fast_folder, capsys):
    """``play --journal``: games of the simulated board are kept, in virtual time too, and the next ones."""
    file = fast_folder / "journal.db"
    for _ in range(2):
        play_two = (
            "play",
            "--sim",
            "--board",
            "direct-2",
            "--bots",
            "2",
            "--games",
            "2",
            "--fast",
            "--journal",
        )
        assert main([*play_two, str(file)]) == 0
    found = games(file)
    assert len(found) == 4
    for game in found:
        assert list(unfair(game.text)) == []
    capsys.readouterr()


# The chart


def test_the_chart_draws_everybody_s_points(journal):
    """An SVG that parses, with a line a seat that has a point before the first deal and after each."""
    game = games(journal._store.path)[0]
    root = ET.fromstring(chart(game.text))
    lines = [line.get("points").split() for line in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert [len(line) for line in lines] == [game.state.deals + 1] * 3
    scores = points_by_deal(game.text)
    assert {seat: points[-1] for seat, points in scores.items()} == {
        known.seat: known.points for known in game.state.seats
    }
    lower = [float(line[-1].split(",")[1]) for line in lines]
    assert sorted(lower, reverse=True) == [
        height for _, height in sorted(zip([scores[seat][-1] for seat in (1, 2, 3)], lower, strict=True))
    ]


def test_names_in_a_chart_cannot_break_it():
    """A player's name with signs of the markup is text, and nothing else."""
    text = (FIXTURES / "records" / "v1-two-plain.txt").read_text(encoding="utf-8")
    text = text.replace("player 1 steady", "player 1 person <b>&\"Nia'")
    root = ET.fromstring(chart(text))
    assert any("<b>&\"Nia'" in (label.text or "") for label in root.iter("{http://www.w3.org/2000/svg}text"))
    assert not re.search("<b>", chart(text))


@pytest.mark.parametrize("height", [0.0, 24.0, 150.0, 290.0])
def test_labels_of_equal_scores_do_not_cover_each_other(height):
    """Six players with nearly the same points, many or few: their names stand 15 pixels apart, inside."""
    moved = _apart([height + nudge for nudge in (0, 3, 0, 1, 2, 0)])
    assert min(abs(one - two) for at, one in enumerate(moved) for two in moved[at + 1 :]) >= 15
    assert min(moved) >= 10
    assert max(moved) <= HEIGHT - 8


def test_a_long_name_is_cut_in_the_chart():
    """A name too long for the margin ends in an ellipsis; the points before it are whole."""
    text = (FIXTURES / "records" / "v1-two-plain.txt").read_text(encoding="utf-8")
    text = text.replace("player 1 steady", "player 1 person Bartholomew & Sons")
    points = points_by_deal(text)[1][-1]
    labels = [label.text for label in ET.fromstring(chart(text)).iter("{http://www.w3.org/2000/svg}text")]
    assert f"{points} Bartholomew &…" in labels
