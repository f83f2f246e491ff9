"""The command line: what it refuses, and how it says so."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from engine.cards import PACK

TWENTYTWO = Path(sys.executable).parent / "twentytwo"


def run(*arguments):
    """The finished command: exit code and what it printed."""
    return subprocess.run([TWENTYTWO, *arguments], capture_output=True, text=True, timeout=60, check=False)


def refused(*arguments):
    """What a refused command says: one line, exit code 2, no traceback."""
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("twentytwo: ")
    return lines[0]


@pytest.fixture
def pack_file(tmp_path):
    """Writes a pack file and returns its path."""

    def write(text):
        file = tmp_path / "pack.txt"
        file.write_text(text, encoding="utf-8")
        return str(file)

    return write


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], "COMMAND"),
        (["simm"], "simm"),
        (["sim", "--boots", "3"], "--boots"),
        (["sim", "--seats", "many"], "many"),
        (["sim", "--seats", "7"], "2 to 6"),
        (["sim", "--seats", "1"], "2 to 6"),
        (["sim", "--seats", "4", "--profile", "direct-2"], "--seats 4: direct-2 has 2 seats"),
        (["sim", "--bots", "7"], "6 seats"),
        (["sim", "--bot", "stedy"], "steady"),
        (["sim", "--bot-delay", "0"], "0.01 to 60"),
        (["sim", "--bot-delay", "nan"], "0.01 to 60"),
        (["sim", "--limit", "50"], "--limit 50: choose 2 to 42"),
        (["sim", "--first-hand", "12"], "--first-hand 12: choose 2 to 11"),
        (["sim", "--profile", "direct-7"], "direct-6-usermux"),
        (["sim", "--profile", "no/such/board.toml"], "no/such/board.toml"),
        (["sim", "--pack", "no-such-file"], "no-such-file"),
        (["sim", "--port", "80000"], "--port 80000: choose 1 to 65535, or 0"),
        (["sim", "--pack", "/dev/zero"], "/dev/zero is too long for a pack"),
        (["sim", "--pack", ""], "--pack: it is empty"),
        (["sim", "--profile", ""], "--profile: it is empty"),
        (["sim", "--journal", ""], "--journal: it is empty"),
        (["sim", "--host", ""], "--host: it is empty"),
        (["selfplay", "--records", ""], "--records: it is empty"),
        (["play", "--sim", "--runtime", ""], "--runtime: it is empty"),
        (["play", "--sim", "--settings", ""], "--settings: it is empty"),
        (["play", "--sim", "--journal", " "], "--journal: it is empty"),
        (["doctor", "--sim", "--board", ""], "--board: it is empty"),
        (["replay", ""], "FILE: it is empty"),
        (["verify", ""], "FILE: it is empty"),
        (["history", "--journal", ""], "--journal: it is empty"),
        (["history", "--out", ""], "--out: it is empty"),
        (["wiring", ""], "BOARD: it is empty"),
        (["wiring", "direct-2", "--out", ""], "--out: it is empty"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, names):
    """A wrong option or value ends with exit code 2 and one line that names it, or what would be right."""
    assert names in refused(*arguments)


def test_a_pack_file_is_checked(pack_file):
    """A pack that is no pack is refused, and the message names the card or the file."""
    assert "'11x' is not a card" in refused("sim", "--pack", pack_file("2c 11x"))
    assert "stands twice" in refused("sim", "--pack", pack_file("2c 2c"))
    assert "50 cards are missing" in refused("sim", "--pack", pack_file("2c 3c # and so on"))
    assert "tie" in refused("sim", "--pack", pack_file(" ".join(map(str, PACK))))


def test_a_profile_that_is_broken_names_file_line_and_key(tmp_path):
    """The message of a broken profile says where in the file the fault is."""
    file = tmp_path / "mine.toml"
    file.write_text('[board]\ntitle = "x"\n[[seats]]\n', encoding="utf-8")
    line = refused("sim", "--profile", str(file))
    assert "mine.toml" in line


def test_a_port_in_use_is_said_and_what_to_do():
    """If the port is taken, the line names it and the option that chooses another."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused("sim", "--no-browser", "--port", str(port))
    assert str(port) in line
    assert "--port" in line


def test_the_simulator_serves_its_page_and_ends_on_ctrl_c():
    """It prints its address and answers there; Ctrl-C ends it at once, with exit code 0 and no complaint."""
    command = [TWENTYTWO, "sim", "--no-browser", "--port", "0", "--bots", "6"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as table:
        address = re.search(r"http://\S+", table.stdout.readline()).group()
        with urllib.request.urlopen(address, timeout=10) as page:
            assert b"Twenty-Two" in page.read()
        table.send_signal(signal.SIGINT)
        _, complaints = table.communicate(timeout=10)
    assert table.returncode == 0
    assert complaints == ""


def test_help_lists_the_commands():
    """``twentytwo --help`` names every command."""
    done = run("--help")
    assert done.returncode == 0
    for name in ("sim", "selfplay", "replay"):
        assert name in done.stdout
