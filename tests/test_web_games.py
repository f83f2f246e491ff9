"""The finished games at the page's server: listed, drawn, handed out; never the game that is on."""

import json
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.request import urlopen

import pytest
from conftest import WAIT_S
from table_games import play, sealed
from table_rig import Rig
from test_web_server import ask, opened, snapshot
from web_table import MemoryTable

from engine.notation import loads
from engine.rules import Rules
from engine.views import Phase
from firmware.errors import UsageError
from firmware.finished import KEPT_IN_MEMORY, JournalGames, MemoryGames
from firmware.table.controls import HOLD_S
from firmware.table.journal import Journal
from firmware.table.store import Store
from firmware.verify import unfair
from firmware.web.games import PAGE
from hardware.seat import Button

RECORDS = Path(__file__).parent / "fixtures" / "records"
SHORT = Rules(limit=5, first_hand=3)


class Shelf:
    """Finished games that a test sets."""

    def __init__(self, records):
        self.kept = records
        self.broken = False
        self.reads = 0

    def records(self):
        self.reads += 1
        if self.broken:
            raise UsageError("/home/nia/journal.db cannot be read: As Kd")
        return self.kept

    def watch(self, ended):
        self.ended = ended


def fixture(name):
    """A record of an earlier version."""
    return (RECORDS / f"{name}.txt").read_text(encoding="utf-8")


def listed(serving, query=""):
    """The list of games that the server gives."""
    status, headers, body = ask(serving, f"/games.json{query}")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    return json.loads(body)


def test_a_finished_game_is_listed_drawn_and_handed_out(start):
    """Date, players with points and winner, deals, duration and seal; the chart is SVG; the record is the
    record, byte for byte, under a file name of its own."""
    _, kept = play(1)
    text = kept.records[0].replace("player 2 person", "player 2 person Nia")
    serving = start(MemoryTable().serve(games=Shelf({17: text})))
    found = listed(serving)
    record = loads(text)
    (game,) = found["games"]
    assert (found["count"], found["older"]) == (1, False)
    assert (game["game"], game["began"], game["finished"]) == (17, "2026-03-01T19:05:00+01:00", True)
    assert [player["name"] for player in game["players"]] == ["Seat 1", "Nia", "Seat 3"]
    won = [seat for seat, player in zip((1, 2, 3), game["players"], strict=True) if player["won"]]
    points = [str(player["points"]) for player in game["players"]]
    result = next(line for line in text.splitlines() if line.startswith("result"))
    assert result == f"result won {' '.join(map(str, won))} points {' '.join(points)}"
    assert game["deals"] == text.count(" deal ")
    assert game["seconds"] == pytest.approx((record.stamps[-1] - record.stamps[0]) / 1e6, abs=0.1)
    assert re.fullmatch("[0-9A-Z]{4}( [0-9A-Z]{4}){2}", game["seal"])
    status, headers, svg = ask(serving, "/games/17.svg")
    assert (status, headers["Content-Type"]) == (200, "image/svg+xml")
    assert ET.fromstring(svg).tag.endswith("svg")
    status, headers, body = ask(serving, "/games/17.txt")
    assert (status, body.decode()) == (200, text)
    assert headers["Content-Disposition"] == 'attachment; filename="twentytwo-game-17.txt"'
    for path in ("/games.json", "/games/17.svg", "/games/17.txt"):
        headers = ask(serving, path)[1]
        assert headers["Cache-Control"] == "no-store"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("name", [file.stem for file in sorted(RECORDS.glob("*.txt"))])
def test_records_of_every_version_can_be_shown(start, name):
    """Any record that was ever written is listed, drawn and handed out, those given up too."""
    serving = start(MemoryTable().serve(games=Shelf({1: fixture(name)})))
    (game,) = listed(serving)["games"]
    assert game["finished"] is ("abandoned" not in name)
    assert ask(serving, "/games/1.svg")[0] == 200
    assert ask(serving, "/games/1.txt")[2].decode() == fixture(name)


def test_markup_in_a_name_is_text(start):
    """A player's name with signs of markup is escaped in the chart, and plain in the list."""
    text = fixture("v1-two-plain").replace("player 1 steady", "player 1 person <script>\"&'")
    serving = start(MemoryTable().serve(games=Shelf({1: text})))
    assert listed(serving)["games"][0]["players"][0]["name"] == "<script>\"&'"
    chart = ask(serving, "/games/1.svg")[2]
    assert b"<script" not in chart
    assert "<script>\"&'" in "".join(ET.fromstring(chart).itertext())


def test_hundreds_of_games_are_listed_in_parts(start):
    """Of 400 games the newest fifty come first, then those before them: each once, all in order."""
    text = fixture("v1-two-plain")
    serving = start(MemoryTable().serve(games=Shelf({3 * at + 1: text for at in range(400)})))
    numbers, query, parts = [], "", 0
    while True:
        found = listed(serving, query)
        assert found["count"] == 400
        assert len(found["games"]) == PAGE
        numbers += [game["game"] for game in found["games"]]
        parts += 1
        if not found["older"]:
            break
        query = f"?before={numbers[-1]}"
    assert parts == 400 // PAGE
    assert numbers == [3 * at + 1 for at in reversed(range(400))]
    assert listed(serving, "?before=1")["games"] == []


def test_games_are_read_again_only_when_one_has_ended(start):
    """Ten requests read the journal once; after another game's end the next one reads it again."""
    shelf = Shelf({1: fixture("v1-two-plain")})
    serving = start(MemoryTable().serve(games=shelf))
    for _ in range(10):
        assert listed(serving)["count"] == 1
    assert shelf.reads == 1
    shelf.kept = {1: fixture("v1-two-plain"), 9: fixture("v2-sealed")}
    shelf.ended()
    assert [game["game"] for game in listed(serving)["games"]] == [9, 1]


def test_a_game_that_is_not_there(start):
    """A game that nobody knows is told in words; other paths are no pages; a wrong question is refused."""
    serving = start(MemoryTable().serve(games=Shelf({1: fixture("v1-two-plain")})))
    for path in ("/games/2.txt", "/games/2.svg"):
        assert ask(serving, path)[::2] == (404, b"There is no finished game 2 here.\n")
    for path in ("/games/0.txt", "/games/01.txt", "/games/-1.txt", "/games/1", "/games/1.txt/", "/games/",
                 "/games/1.db", "/games/%31.txt", "/games/1.svg%00.txt", "/games/../games/1.txt",
                 f"/games/{'9' * 30}.txt", "/games.json/"):  # fmt: skip
        assert ask(serving, path)[::2] == (404, b"There is no such page here.\n")
    for query in ("?before=", "?before=x", "?before=-1", "?after=1", "?before=1&x=2", "?before=0"):
        status, _, body = ask(serving, f"/games.json{query}")
        assert (status, body) == (400, b"Write before= and the number of a game, or nothing.\n")


@pytest.mark.parametrize("path", ["/games.json", "/games/1.svg", "/games/1.txt"])
def test_other_sites_get_no_game(start, path):
    """A foreign Host or Origin is refused for games as for everything else; other methods are too."""
    serving = start(MemoryTable().serve(games=Shelf({1: fixture("v1-two-plain")})))
    assert ask(serving, path, headers={"Host": f"evil.example:{serving.port}"})[0] == 403
    assert ask(serving, path, headers={"Origin": "http://evil.example"})[0] == 403
    assert ask(serving, path, method="POST")[0] == 405
    assert ask(serving, path, headers={"Origin": f"http://127.0.0.1:{serving.port}"})[0] == 200


@pytest.mark.parametrize("trouble", ["journal", "record"])
def test_a_journal_that_cannot_be_read(start, trouble):
    """It is told in words that name no file and no card; when it can be read again, the games are there."""
    shelf = Shelf({1: "twentytwo 1\nseats 1 2\n\ndraw As As\n"})
    shelf.broken = trouble == "journal"
    serving = start(MemoryTable().serve(games=shelf))
    status, _, body = ask(serving, "/games.json")
    assert (status, body) == (503, b"The games cannot be read at the moment: try again in a while.\n")
    shelf.broken, shelf.kept = False, {1: fixture("v1-two-plain")}
    shelf.ended()
    assert listed(serving)["count"] == 1


def test_whoever_looks_at_the_table_is_told_of_a_game_s_end(start):
    """The table's socket says ``games`` once for each end; a seat's own socket says nothing."""
    table, shelf = MemoryTable(), Shelf({})
    serving = start(table.serve(games=shelf))
    with opened(serving) as whole, opened(serving, "/seat/1/socket") as alone:
        for client in (whole, alone):
            snapshot(client)
        shelf.ended()
        assert whole.recv(timeout=WAIT_S) == "games"
        table.show(1, bytes(1024))
        for client in (whole, alone):
            assert client.recv(timeout=WAIT_S) == bytes((1, 0)) + bytes(1024)


# Secrecy


def kept_games(kind, folder):
    """A journal for the session, and the games that the page shows of it."""
    if kind == "memory":
        games = MemoryGames()
        return games, games
    path = folder / "journal.db"
    journal = Journal(Store(path), date=lambda: "2026-03-01T19:05:00+01:00")
    return journal, JournalGames(journal, path)


@pytest.mark.parametrize("kind", ["memory", "journal"])
def test_nothing_of_the_running_game_is_served(start, fast_folder, kind):
    """With a finished game on the shelf, no path and no guessed number gives the running one's packs, hands
    or secret, at any of its actions; at its end it is served, whole and fair."""
    journal, games = kept_games(kind, fast_folder)
    rig = Rig((1, 2), chance=sealed(1), journal=journal, rules=SHORT)
    serving = start(MemoryTable().serve(games=games))
    rig.sit_and_start(1, 2)
    rig.play_to(Phase.OVER)
    assert listed(serving)["count"] == 1
    rig.press(1, Button.PLAY)
    secret = rig.session._book._source.secret
    guesses = range(1, 80)
    ended = journal._ended
    answers, deals = [], set()
    while rig.session.state.phase is not Phase.OVER:
        state = rig.session.state
        if state.deals and state.phase is not Phase.DEAL:
            deals.add(" ".join(map(str, state.seats[0].hand)))
        ended()  # so that the games are read again, in the midst of one
        answers.append(ask(serving, "/games.json")[2])
        assert json.loads(answers[-1])["count"] == 1
        if len(answers) % 12 == 1:
            for number in guesses:
                for end in ("txt", "svg"):
                    status, _, body = ask(serving, f"/games/{number}.{end}")
                    assert (status == 200) == (number == 1)
                    answers.append(body)
        rig.move_on()
    assert len(deals) >= 3
    if kind == "journal":
        assert max(games.records()) in guesses
    everything = b"".join(answers).decode()
    assert secret not in everything
    last = max(games.records())
    text = games.records()[last]
    dealt = [line.partition(" deal ")[2] for line in text.splitlines() if " deal " in line]
    assert dealt
    assert not any(pack in everything for pack in dealt)
    assert listed(serving)["count"] == 2
    assert ask(serving, f"/games/{last}.txt")[2].decode() == text
    assert secret in text
    assert list(unfair(text)) == []
    if kind == "journal":
        journal.close()


def test_a_game_that_waits_to_be_gone_on_with_is_no_finished_one(start, fast_folder):
    """After a power cut the saved game is not served; once it is given up, it is, with its secret."""
    journal, _ = kept_games("journal", fast_folder)
    rig = Rig((1, 2), chance=sealed(1), journal=journal, rules=SHORT)
    rig.sit_and_start(1, 2)
    rig.move_on()
    journal.close()
    journal, games = kept_games("journal", fast_folder)
    rig = Rig((1, 2), chance=sealed(2), journal=journal, saved=journal.saved)
    serving = start(MemoryTable().serve(games=games))
    assert listed(serving)["count"] == 0
    assert ask(serving, "/games/1.txt")[0] == 404
    rig.press(1, Button.MARK, stroke_s=HOLD_S)
    (game,) = listed(serving)["games"]
    assert (game["game"], game["finished"]) == (1, False)
    assert list(unfair(ask(serving, "/games/1.txt")[2].decode())) == []
    journal.close()


def test_a_game_without_an_action_can_be_given_up_and_shown(start, fast_folder):
    """The power cut before the first draw was written: given up, the game is listed and drawn."""
    text = "twentytwo 2\nseats 1 2\nplayer 1 person\nplayer 2 person\nsimulated seed 1 game 1\n"
    journal, games = kept_games("journal", fast_folder)
    journal.begin(text, "")
    journal.write("abandoned", closes=True)
    serving = start(MemoryTable().serve(games=games))
    (game,) = listed(serving)["games"]
    assert (game["deals"], game["seconds"], game["finished"]) == (0, 0, False)
    assert ask(serving, "/games/1.svg")[0] == 200
    journal.close()


def test_memory_keeps_the_last_games_only():
    """Without a journal a table that plays for weeks keeps a bounded number of games, the newest."""
    games = MemoryGames()
    for at in range(KEPT_IN_MEMORY + 20):
        games.begin(f"game {at}", "")
        games.write("@1 draw As", "result won 1", closes=True)
    assert list(games.records()) == list(range(21, KEPT_IN_MEMORY + 21))
    assert games.records()[21].startswith("game 20\n")


# The command


@pytest.mark.parametrize("journal", [False, True], ids=["memory", "journal"])
def test_the_simulator_shows_its_games(tmp_path, journal):
    """``twentytwo sim`` lists the games of its bots; without --journal it writes no file anywhere."""
    (tmp_path / "home").mkdir()
    (tmp_path / "kept").mkdir()
    where = ["--journal", str(tmp_path / "kept" / "journal.db")] if journal else []
    options = ["--no-browser", "--port", "0", "--seats", "2", "--profile", "direct-2", "--bots", "2"]
    quick = ["--bot-delay", "0.01", "--limit", "2", "--first-hand", "2"]
    program = "import sys; from firmware.cli import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-B", "-c", program, "sim", *options, *quick, *where],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path / "home",
        env={"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"},
    ) as running:
        address = re.search(r"http\S+/", running.stdout.readline())[0]
        end = time.monotonic() + 60
        while True:
            with urlopen(f"{address}games.json", timeout=WAIT_S) as answer:
                found = json.load(answer)
            if found["count"]:
                break
            assert time.monotonic() < end, "no game has ended"
        number = found["games"][0]["game"]
        with urlopen(f"{address}games/{number}.txt", timeout=WAIT_S) as answer:
            assert list(unfair(answer.read().decode())) == []
        running.terminate()
        assert running.wait(timeout=WAIT_S) == 0
    assert list((tmp_path / "home").iterdir()) == []
    assert bool(list((tmp_path / "kept").iterdir())) is journal
