"""Standard streams: readers that go away, full disks, closed descriptors, terminals without the letters."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from table_games import play

from engine.rules import Rules
from firmware.exits import Exit
from firmware.streams import LINE, one_line, quoted

PROGRAM = "import sys; from firmware.cli import main; sys.exit(main())"
GAME = ["play", "--sim", "--board", "direct-2", "--bots", "2", "--games", "2", "--fast", "--bot-delay", "0.1"]
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this computer has no /dev/full")


def run(arguments, *, shell="", program=PROGRAM, **environ):
    """Exit code and standard error of a command, with redirections of the shell."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {shell}', "sh", sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
        env={**os.environ, **environ},
    )
    return done.returncode, done.stderr.decode()


def run_into_closed_pipe(arguments):
    """Exit code and standard error of a command whose standard output nobody reads from the start."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *map(str, arguments)],
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr.decode()


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A fair record, and one with a secret that is not the one committed to."""
    folder = tmp_path_factory.mktemp("records")
    text = play(3, rules=Rules(limit=15))[1].records[0]
    start = text.index("reveal ")
    (folder / "fair.txt").write_text(text)
    (folder / "unfair.txt").write_text(f"{text[:start]}reveal {'0' * 64}\n")
    return folder


def commands(records):
    """Commands that print, each with the exit code that is its verdict."""
    return [
        (["verify", records / "fair.txt"], 0),
        (["verify", records / "unfair.txt"], 1),
        (["replay", records / "fair.txt"], 0),
        (["doctor", "--sim", "--board", "direct-2"], 0),
        (["doctor", "--sim", "--board", "direct-2", "--fault", "unplug:2"], Exit.ABSENT),
        (["selfplay", "--games", "1"], 0),
        (["wiring", "direct-2", "--format", "csv", "--out", records / "wiring"], 0),
        (GAME, 0),
        (["--help"], 0),
    ]


def test_a_reader_that_has_gone_changes_no_verdict(records):
    """Into a pipe that nobody reads, each command ends with the code of its verdict, and without a word."""
    for arguments, verdict in commands(records):
        assert run_into_closed_pipe(arguments) == (verdict, ""), arguments


def test_closed_streams_change_no_verdict(records):
    """With the output or all three streams closed from the start, each command does what it always does."""
    for arguments, verdict in commands(records):
        assert run(arguments, shell=">&-") == (verdict, ""), arguments
        assert run(arguments, shell="<&- >&- 2>&-") == (verdict, ""), arguments
    assert run(["replay", "--step", records / "fair.txt"], shell="<&-") == (0, "")


@needs_full
def test_a_full_disk_is_said_with_a_code_of_its_own(records):
    """What cannot be printed for lack of space is one line on standard error, and no verdict's code."""
    for arguments, _ in commands(records):
        code, err = run(arguments, shell=">/dev/full")
        assert (code, err.count("\n")) == (Exit.OUTPUT, 1), err
        assert "standard output cannot be written: No space left on device" in err


@needs_full
def test_errors_that_nobody_can_take_change_no_code():
    """With standard error on a full disk a usage error has its code all the same."""
    assert run(["replay", "none.txt"], shell="2>/dev/full") == (2, "")


def test_a_terminal_without_the_letters(records):
    """Where the encoding lacks a character of a file's name or a help text, it is shown by its code point."""
    file = records / "Ŵêñ.txt"
    file.write_text((records / "fair.txt").read_text())
    for arguments in (["verify", file], ["replay", file], ["wiring", "--help"], ["sim", "--help"]):
        assert run(arguments, PYTHONIOENCODING="ascii") == (0, "")


def test_input_that_is_no_text_steps_on(records):
    """Bytes that are no UTF-8 on the standard input are keys as any other."""
    file = records / "keys"
    file.write_bytes(b"\xff\n" * 5)
    assert run(
        ["replay", "--step", records / "fair.txt"], shell=f"<{file}", PYTHONIOENCODING="utf-8:strict"
    ) == (0, "")


def test_input_that_cannot_be_read_is_at_its_end(records):
    """A standard input that is open for writing only does not stop a replay."""
    file = records / "for-writing"
    file.touch()
    assert run(["replay", "--step", records / "fair.txt"], shell=f"0>{file}") == (0, "")


def test_a_terminal_is_still_one():
    """Commands see a terminal as such: the summary has its frame there."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", PROGRAM, "selfplay", "--games", "1"]
    subprocess.run(command, stdout=theirs, timeout=60, check=True, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = os.read(ours, 10_000)
    os.close(ours)
    assert b"\x1b[" in shown or "─".encode() in shown


INTERRUPTED = """
import sys
class Key:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.modules.pop({name!r}, None)
sys.meta_path.insert(0, Key())
from firmware.cli import main
sys.exit(main(["replay", "none"]))
"""


@pytest.mark.parametrize("name", ["firmware.streams", "argparse", "logging", "firmware.replay"])
def test_ctrl_c_while_modules_load_is_quiet(name):
    """Ctrl-C at whatever import of the start ends the command with code 130 and without a traceback."""
    assert run([], program=INTERRUPTED.format(name=name)) == (130, "")


def test_the_entry_imports_nothing_outside_its_handler():
    """Importing ``firmware.cli`` loads no other module: nothing is interrupted before its handler stands."""
    program = (
        "import sys; before = set(sys.modules); import firmware.cli;"
        "sys.exit(str(sorted(set(sys.modules) - before - {'firmware', 'firmware.cli'})))"
    )
    assert run([], program=program) == (1, "[]\n")


def test_messages_stay_one_line():
    """Control characters, line ends and long words of what is quoted cannot spoil a message."""
    assert one_line("no \x1b[31m\n\x00\udcff") == r"no \x1b[31m\n\x00\udcff"
    assert one_line("Ŵ ♠") == "Ŵ ♠"
    assert one_line(f"{'x' * 5000} is wrong").endswith("x... is wrong")
    assert len(one_line("x " * 5000)) == LINE
    assert quoted("\t" + "y" * 5000) == repr("\t" + "y" * 56 + "...")


def test_what_the_user_wrote_cannot_spoil_a_message():
    """Long and unprintable arguments come back escaped and shortened."""
    for arguments in (["\x1b[31m"], ["sim", "--x\x07"], ["play", "--sim", "--fault", "a" * 9000]):
        code, err = run(arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert err.rstrip("\n").isprintable()
        assert len(err) < 600
