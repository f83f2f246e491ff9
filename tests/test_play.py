"""The device's program on simulated boards: whole games while panels and mux fail; its lock, its status."""

import json
import logging
import os
import re
import resource
import signal
import socket
import tempfile

import pytest
from fault_rig import HEALED_S, FaultyTable, drawn_until

from firmware.cli import main
from firmware.device.instance import (
    SERVICE_FOLDER,
    folder_for_now,
    only_instance,
    running,
    runtime_folder,
)
from firmware.device.notify import Notifier
from firmware.device.status import STARTING_SECONDS, StatusKeeper
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit
from firmware.faults import Fault
from firmware.podtool.build import build, default_pins

GAME = r"game \d+: seat [\d, ]+ wins, \d+ deals, \d+ actions, [0-9a-f]{16}"
TWO = ("--sim", "--board", "direct-2")
SIX = ("--sim", "--board", "direct-6-usermux")


@pytest.fixture(autouse=True)
def _quiet():
    """Faults are what these tests are about: their warnings need no place in the output."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


# Games and faults


@pytest.mark.parametrize(
    ("board", "games"), [("direct-6", 1), ("direct-6-usermux", 1), ("expander-6", 1), ("direct-2", 8)]
)
def test_games_end_as_without_faults_while_chips_fail(board, games, capsys):
    """Panels, muxes and expanders are unplugged, reset, slow and flaky through the games: the same games.

    All the while no byte shines at a seat that was not meant for it, and nothing written reaches two panels.
    What a seat without a fault is to show never waits for more than 0.1 s of bus time that faulty chips take.
    After the last fault every seat comes back by itself and shows what it should.
    """
    FaultyTable(board, 1, games=games).play()
    undisturbed = capsys.readouterr().out
    assert re.fullmatch(f"({GAME}\n){{{games}}}", undisturbed)
    table = FaultyTable(board, 1, drawn_until(100, 1, board), games=games)
    table.play()
    assert capsys.readouterr().out == undisturbed
    assert len(table.begun) > 10
    assert len(table.waits) > 100
    assert max(lost for _, _, lost in table.waits) <= 0.1
    table.run(max(fault.start + fault.seconds for fault in table.begun) - table.host.now + HEALED_S)
    for seat, wanted in table.wanted.items():
        assert table.table.board.seats[seat].screen.fault is None
        assert table.visible(seat) == wanted
    table.table.close()
    assert not any(any(table.visible(seat)) for seat in table.wanted)


@pytest.mark.parametrize("board", ["direct-6", "direct-6-usermux", "expander-6", "direct-2"])
@pytest.mark.parametrize("seed", range(2, 7))
def test_nobody_waits_for_other_seats_faults(board, seed):
    """Whatever a seed lets fail in a minute of play, healthy seats lose at most 0.1 s of bus time to it.

    And nothing shines at a seat that was not meant for it.
    """
    table = FaultyTable(board, seed, drawn_until(60, seed, board), bot_delay_s=0.9, games=99)
    table.run(60.0)
    assert len(table.begun) > 4
    assert len(table.waits) > 3 * len(table.wanted)
    assert max(lost for _, _, lost in table.waits) <= 0.1
    table.table.close()


def test_a_bad_contact_fills_no_log(caplog):
    """A panel that comes and goes is named once for each change, and ten times a minute at most."""
    logging.disable(logging.NOTSET)
    faults = [Fault("unplug", "2", "", 7.0 * number, 1.9) for number in range(1, 40)]
    table = FaultyTable("direct-6-usermux", 1, faults)
    table.run(10.0)
    assert sum("seat 2" in record.getMessage() for record in caplog.records) == 1
    table.run(180.0)
    lines = [record.getMessage() for record in caplog.records if "seat 2" in record.getMessage()]
    assert 10 < len(lines) <= 3 * 10
    assert any(line.startswith("seat 2: works again") for line in lines)


def test_the_same_seed_gives_the_same_games_and_faults(capsys):
    """The command prints faults and games; twice the same for one seed, in virtual time."""
    options = ("play", *TWO, "--bots", "2", "--games", "2", "--seed", "5", "--bot-delay", "0.2", "--fast")
    printed = []
    for faults in ((), ("--fault-seed", "3"), ("--fault-seed", "3"), ("--fault", "unplug:2@1+2")):
        assert main([*options, *faults]) == Exit.DONE
        printed.append(capsys.readouterr().out)
    assert re.fullmatch(f"every panel is lit\n({GAME}\n){{2}}every panel is dark\n", printed[0])
    assert printed[1] == printed[2]
    assert "fault unplug:2@1+2\n" in printed[3]
    games = {tuple(re.findall(GAME, text)) for text in printed}
    assert len(games) == 1


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("hang:main=0.05@5", Exit.BUS),
        ("hang:main=0.05@5+40", Exit.DONE),
        ("absent:main", Exit.DONE),
        ("unplug:1@5", Exit.DONE),
    ],
)
def test_a_bus_that_is_down_for_good_ends_the_program(fault, code, capsys):
    """After a minute it ends with its own code and the bus named; not if that comes back, or never was."""
    options = ("--bots", "2", "--games", "6", "--seed", "1", "--bot-delay", "0.2", "--fast")
    assert main(["play", *TWO, *options, "--fault", fault]) == code
    assert ("bus main is down" in capsys.readouterr().err) is (code is Exit.BUS)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--board", "direct-2", "--bots", "2"), "need --sim"),
        (("--fault", "unplug:3"), "need --sim"),
        (("--seed", "3"), "need --sim"),
        ((*SIX, "--bots", "7"), "choose 0 to 6"),
        ((*SIX, "--bot-delay", "0"), "0.01 to 60"),
        ((*SIX, "--games", "0"), "1 or more"),
        ((*SIX, "--fast", "--games", "1"), "--bots 6"),
        ((*SIX, "--fault", "unplug:9"), "no place '9'"),
        (("--sim", "--board", "direct-7"), "no bundled board"),
        (("--sim", "--settings", "no/such.toml"), "no/such.toml: cannot be read"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(arguments, names, capsys):
    """Exit code 2, and a line that says what to do."""
    assert main(["play", *arguments]) == Exit.USAGE
    said = capsys.readouterr().err
    assert names in said
    assert said.count("\n") == 1


def test_settings_reach_the_table(tmp_path, capsys):
    """Rules and bot of the settings file are played by: another limit gives another game."""
    printed = []
    for limit in (22, 11):
        settings = tmp_path / "table.toml"
        settings.write_text(f'board = "direct-2"\nbot_delay = 0.02\n[rules]\nlimit = {limit}\n')
        options = ("--bots", "2", "--games", "1", "--seed", "1", "--fast")
        assert main(["play", "--sim", "--settings", str(settings), *options]) == Exit.DONE
        printed.append(capsys.readouterr().out)
    deals = [int(re.search(r"(\d+) deals", text)[1]) for text in printed]
    assert deals[0] > deals[1] >= 1


# The lock


def test_a_second_table_is_refused_and_told_who_has_the_first(tmp_path):
    """Whoever comes second learns the process of the first; after it, the lock is free again."""
    assert running(tmp_path) is None
    with only_instance(tmp_path):
        assert running(tmp_path) == str(os.getpid())
        with pytest.raises(CannotRunError, match=f"process {os.getpid()}") as caught, only_instance(tmp_path):
            pass
        assert caught.value.exit_code == Exit.RUNNING
        assert running(tmp_path) == str(os.getpid())
    assert running(tmp_path) is None
    with only_instance(tmp_path):
        pass


def test_the_runtime_folder_is_given_or_systemds_or_ones_own(tmp_path):
    """The option comes first, then systemd's variable, then the service's folder, then one of the user's."""
    one, other = tmp_path / "a/b", tmp_path / "other"
    assert runtime_folder(one, {"RUNTIME_DIRECTORY": str(other)}) == one
    assert one.is_dir()
    assert runtime_folder(None, {"RUNTIME_DIRECTORY": f"{other}:{one}"}) == other
    if not SERVICE_FOLDER.exists():
        assert runtime_folder(None, {"XDG_RUNTIME_DIR": str(one)}).parent == one
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file/x cannot be made"):
        runtime_folder(tmp_path / "file/x", {})
    with pytest.raises(UsageError, match="lock cannot be opened"), only_instance(tmp_path / "nowhere"):
        pass


# What it says of itself


@pytest.fixture
def systemd(tmp_path):
    """A socket as systemd has it, and the variables that name it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(tmp_path / "notify"))
        line.settimeout(5)
        yield line, {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "10000000"}


def test_systemd_is_told_by_its_socket(systemd):
    """Ready, status, sign of life, stopping: one datagram each, as sd_notify(3) describes them."""
    line, environ = systemd
    notifier = Notifier(environ)
    assert notifier.beat == 5.0
    notifier.ready()
    notifier.status("waiting")
    notifier.alive()
    notifier.stopping()
    assert [line.recv(99) for _ in range(4)] == [b"READY=1", b"STATUS=waiting", b"WATCHDOG=1", b"STOPPING=1"]


def test_an_abstract_socket_is_understood():
    """A name that begins with @ is in the abstract namespace."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(f"\0twentytwo-test-{os.getpid()}")
        line.settimeout(5)
        Notifier({"NOTIFY_SOCKET": f"@twentytwo-test-{os.getpid()}"}).ready()
        assert line.recv(99) == b"READY=1"


def test_without_systemd_nothing_is_told(tmp_path):
    """No socket, a socket that is gone, or a watchdog meant for another process: nothing happens."""
    assert Notifier({}).beat is None
    Notifier({}).ready()
    assert Notifier({"WATCHDOG_USEC": "1000"}).beat is None
    gone = {"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}
    Notifier(gone).ready()
    assert Notifier(gone).beat is None


def test_the_status_follows_the_seats(tmp_path):
    """Starting, working, a seat with a fault, waiting while all have one, stopping; then the file is gone."""
    keeper = StatusKeeper(tmp_path, "direct-2", Notifier({}))
    file = tmp_path / "status.json"

    def told(now, *faults):
        """State and seats as the file has them."""
        keeper.note(now, dict(enumerate(faults, 1)))
        status = json.loads(file.read_text())
        assert (status["pid"], status["board"]) == (os.getpid(), "direct-2")
        return status["state"], status["seats"]

    assert told(100.0, None, None) == ("starting", {"1": None, "2": None})
    assert keeper.note(100.5, {1: None, 2: None}) == 100.0 + STARTING_SECONDS
    assert told(101.0, "away", "gone") == ("waiting", {"1": "away", "2": "gone"})
    assert told(100.0 + STARTING_SECONDS, None, None) == ("working", {"1": None, "2": None})
    assert told(110.0, None, "away") == ("working", {"1": None, "2": "away"})
    assert keeper.note(111.0, {1: None, 2: None}) is None
    keeper.stopping()
    assert json.loads(file.read_text())["state"] == "stopping"
    keeper.remove()
    assert list(tmp_path.iterdir()) == []


def test_an_unchanged_status_is_not_written_again(tmp_path, systemd):
    """While nothing changes no file is touched, and systemd is told nothing."""
    line, environ = systemd
    keeper = StatusKeeper(tmp_path, "direct-2", Notifier(environ))
    keeper.note(0.0, {1: "away", 2: "away"})
    assert line.recv(999).startswith(b"STATUS=waiting, board direct-2, without seat 1, 2: away")
    (tmp_path / "status.json").unlink()
    for tenth in range(600):
        keeper.note(tenth / 10, {1: "away", 2: "away"})
    assert not (tmp_path / "status.json").exists()
    line.settimeout(0)
    with pytest.raises(BlockingIOError):
        line.recv(99)


def test_a_status_that_cannot_be_written_ends_nothing(tmp_path):
    """Without its folder the status is lost, and the table plays on."""
    StatusKeeper(tmp_path / "gone", "direct-2", Notifier({})).note(0.0, {1: None})


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/null", path)])
def test_a_lock_that_is_no_file_is_refused(tmp_path, make):
    """A pipe, a folder or a device in the lock's place is one clear error, and nobody waits for it."""
    make(tmp_path / "lock")
    assert running(tmp_path) is None
    with pytest.raises(UsageError, match=f"{tmp_path}/lock ") as caught, only_instance(tmp_path):
        pass
    assert caught.value.exit_code == Exit.USAGE


def test_a_lock_that_is_a_link_leaves_the_file_behind_it_alone(tmp_path):
    """A link in the place of the lock is refused; the file behind it keeps its text and rights."""
    other = tmp_path / "other"
    other.write_text("precious")
    other.chmod(0o600)
    (tmp_path / "lock").symlink_to(other)
    with pytest.raises(UsageError, match=f"{tmp_path}/lock is a link"), only_instance(tmp_path):
        pass
    assert (other.read_text(), other.stat().st_mode & 0o777) == ("precious", 0o600)


def test_a_lock_holds_on_a_full_disk(tmp_path):
    """If the process number cannot be written for lack of space, the lock holds all the same."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with only_instance(tmp_path):
            assert running(tmp_path) == "unknown"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def test_a_status_that_cannot_be_written_ends_no_table(tmp_path):
    """A folder in the status file's place is left alone, at the end, too."""
    (tmp_path / "status.json").mkdir()
    keeper = StatusKeeper(tmp_path, "direct-2", Notifier({}))
    keeper.note(0.0, {1: None})
    keeper.remove()
    assert (tmp_path / "status.json").is_dir()


def test_without_room_for_a_temporary_file_that_is_said(tmp_path, monkeypatch, capfd):
    """No folder can be written, as on a full disk: exit code 2 and what to do, for whoever needs one."""
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "nowhere")])
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert main(["play", "--sim", "--board", "direct-2", "--fast", "--games", "1", "--bots", "2"]) == 2
    with pytest.raises(UsageError, match="make room on the disk"):
        build(default_pins())
    assert "no folder for temporary files can be written: make room" in capfd.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(UsageError, match="no temporary folder can be made: No such file"), folder_for_now():
        pass
    monkeypatch.undo()
