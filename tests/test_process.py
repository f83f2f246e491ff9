"""The table as a process: how it starts, waits, refuses and ends. Nothing sleeps: each wait has an event."""

import contextlib
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from firmware.exits import Exit

TWENTYTWO = Path(sys.executable).parent / "twentytwo"
WAIT_S = 20
"""Nothing that a test waits for takes as long, except when it fails."""
SIX = ("--sim", "--board", "direct-6-usermux")


class Table:
    """A running ``twentytwo play``: its lines, and what it tells systemd, each with the time it came."""

    def __init__(self, folder, *arguments, environ=None, cwd=None):
        self.folder = folder
        self._told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._told.bind(str(folder / "notify"))
        self._told.settimeout(WAIT_S)
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [TWENTYTWO, "play", "--runtime", folder, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env={**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), **(environ or {})},
        )
        self.lines = queue.Queue()
        self.complaints = queue.Queue()
        for pipe, lines in ((self.process.stdout, self.lines), (self.process.stderr, self.complaints)):
            threading.Thread(target=self._read, args=(pipe, lines)).start()

    @staticmethod
    def _read(pipe, lines):
        for line in pipe:
            lines.put(line)
        pipe.close()

    def told(self, pattern):
        """Wait until systemd is told something like this. Return the seconds since the start."""
        while not re.search(pattern, self._told.recv(4096).decode()):
            pass
        return time.monotonic() - self.began

    def said(self, pattern):
        """Wait until it prints a line like this; return the seconds since the start."""
        while not re.search(pattern, self.lines.get(timeout=WAIT_S)):
            pass
        return time.monotonic() - self.began

    def status(self):
        """Its status file."""
        return json.loads((self.folder / "status.json").read_text())

    def end(self, number):
        """Send a signal; return exit code and the seconds that the end took."""
        sent = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(WAIT_S), time.monotonic() - sent

    def close(self):
        """Nothing of it stays."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(WAIT_S)
        self._told.close()


@pytest.fixture
def table(tmp_path):
    """Starts tables that end with the test, each in a folder of its own."""
    running = []

    def start(*arguments, **options):
        folder = tmp_path / f"run{len(running)}"
        folder.mkdir()
        running.append(Table(folder, *arguments, **options))
        return running[-1]

    yield start
    for started in running:
        started.close()


def test_it_starts_plays_and_ends_on_sigterm(table):
    """Ready, then every panel lit, then games; SIGTERM darkens all within a second, and no status stays."""
    started = table(*SIX, "--bots", "6", "--bot-delay", "0.01")
    started.told("READY=1")
    started.said("every panel is lit")
    started.said("game 1: seat")
    assert started.status()["pid"] == started.process.pid
    sent = time.monotonic()
    started.process.send_signal(signal.SIGTERM)
    started.said("every panel is dark")
    assert time.monotonic() - sent < 1.0
    started.told("STOPPING=1")
    assert started.process.wait(WAIT_S) == Exit.DONE
    assert not (started.folder / "status.json").exists()
    assert started.complaints.empty()


def test_panels_that_hang_do_not_hold_up_the_end(table):
    """With a bus on which every transfer times out, SIGTERM still ends the process soon, code 0."""
    started = table(*SIX, "--fault", "hang:main=0.1")
    started.told("STATUS=waiting")
    started.process.send_signal(signal.SIGTERM)
    assert started.process.wait(WAIT_S) == Exit.DONE


def test_killed_it_leaves_the_lock_free_and_the_next_blanks_first(table, tmp_path):
    """After SIGKILL the next table starts in the same folder, whatever the first left there."""
    first = table(*SIX, "--bots", "6")
    first.said("every panel is lit")
    first.process.kill()
    first.process.wait(WAIT_S)
    assert (first.folder / "status.json").exists()
    second = table(*SIX, "--runtime", first.folder)
    second.said("every panel is lit")
    assert json.loads((first.folder / "status.json").read_text())["pid"] == second.process.pid


def test_a_bus_that_is_not_there_is_waited_for(table):
    """No device node at the start: ready, and waiting; 5 s after it appears every panel is lit."""
    started = table(*SIX, "--fault", "absent:main+2")
    started.told("READY=1")
    started.told("STATUS=waiting.*there is no I2C bus main")
    assert set(started.status()["seats"]) == {"1", "2", "3", "4", "5", "6"}
    away = started.said("fault absent:main")
    assert started.said("every panel is lit") < away + 2.0 + 5.5
    started.told("STATUS=(starting|working), board direct-6-usermux$")


def test_a_bus_that_never_appears_leaves_a_table_that_says_so(table):
    """The status names the reason for as long as it lasts, signs of life go on, and SIGTERM ends it."""
    started = table(*SIX, "--fault", "absent:main", environ={"WATCHDOG_USEC": "200000"})
    started.told("STATUS=waiting")
    for _ in range(5):
        started.told("WATCHDOG=1")
    assert started.status()["state"] == "waiting"
    started.process.send_signal(signal.SIGTERM)
    assert started.process.wait(WAIT_S) == Exit.DONE


def test_a_device_that_may_not_be_opened_costs_its_seats_only(table, tmp_path):
    """Two buses, one of which may not be opened: its seat is named with the reason, the other one plays."""
    board = tmp_path / "two.toml"
    board.write_text(TWO_BUSES)
    started = table("--sim", "--board", board, "--fault", "denied:other")
    started.told("STATUS=.* without seat 2: .*may not open the device of bus other")
    assert started.status()["seats"]["1"] is None
    assert started.process.poll() is None


def test_a_second_table_is_refused_at_once_and_names_the_first(table):
    """It ends by itself with a code of its own; the first is not disturbed."""
    first = table(*SIX, "--bots", "6", "--bot-delay", "0.01")
    first.said("every panel is lit")
    second = table(*SIX, "--runtime", first.folder)
    assert second.process.wait(WAIT_S) == Exit.RUNNING
    assert f"process {first.process.pid}" in second.complaints.get(timeout=WAIT_S)
    first.said("game 1: seat")
    assert first.status()["pid"] == first.process.pid


def test_hardware_waits_for_its_bus(table, tmp_path):
    """On real libraries, in a folder that takes no files: no such bus, so it waits, and says for what.

    A second one is refused; SIGTERM ends the first.
    """
    pytest.importorskip("lgpio", reason="NOT TESTED IN HARDWARE MODE: there is no lgpio")
    board = tmp_path / "board.toml"
    board.write_text(ON_AN_EXPANDER)
    first = table("--board", board, cwd="/proc/self")
    first.told("READY=1")
    first.told("STATUS=waiting.*no I2C adapter is named 'no such adapter'")
    second = table("--board", board, "--runtime", first.folder)
    assert second.process.wait(WAIT_S) == Exit.RUNNING
    first.process.send_signal(signal.SIGTERM)
    assert first.process.wait(WAIT_S) == Exit.DONE


@pytest.mark.skipif(any(Path("/dev").glob("gpiochip*")), reason="this computer has GPIO lines")
def test_without_a_header_hardware_is_refused(table):
    """Buttons on a header that is not there: one line says what was looked for, with a code of its own."""
    pytest.importorskip("lgpio", reason="NOT TESTED IN HARDWARE MODE: there is no lgpio")
    started = table("--board", "direct-2")
    assert started.process.wait(WAIT_S) == Exit.PINS
    assert "pinctrl-rp1" in started.complaints.get(timeout=WAIT_S)


def test_an_empty_stand_in_for_lgpio_is_refused(table, tmp_path):
    """A module lgpio without content: hardware is refused within 5 s, with the fix and a code of its own."""
    (tmp_path / "lgpio.py").touch()
    started = table("--board", "direct-2", environ={"PYTHONPATH": str(tmp_path)})
    assert started.process.wait(WAIT_S) == Exit.LIBRARY
    assert time.monotonic() - started.began < 5.0
    complaint = started.complaints.get(timeout=WAIT_S)
    assert str(tmp_path / "lgpio.py") in complaint
    assert "apt install python3-lgpio" in complaint


def test_wrong_settings_end_with_the_code_that_systemd_does_not_restart(table, tmp_path):
    """One line with file, line and key, and the exit code for what somebody has to put right."""
    settings = tmp_path / "table.toml"
    settings.write_text('board = "direct-2"\nbots = 3\n')
    started = table("--sim", "--settings", settings)
    assert started.process.wait(WAIT_S) == Exit.USAGE
    assert f"{settings}, line 2: bots: unknown key" in started.complaints.get(timeout=WAIT_S)


def test_it_runs_in_a_folder_in_which_nothing_can_be_written(table):
    """Started in a folder that takes no files, it plays all the same."""
    started = table(*SIX, cwd="/proc/self")
    started.said("every panel is lit")


def test_a_device_at_rest_writes_nothing(table):
    """While nobody plays, the kernel counts not one byte written by the process, signs of life included."""
    started = table(*SIX, environ={"WATCHDOG_USEC": "200000"})
    started.told("STATUS=working")
    before = written(started.process.pid)
    for _ in range(20):
        started.told("WATCHDOG=1")
    assert written(started.process.pid) == before


def written(pid):
    """Bytes of files that a process has caused to be written."""
    return int(re.search(r"^write_bytes: (\d+)", Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)[1])


ON_AN_EXPANDER = """
title = "Two seats, buttons on an expander, on a bus that is nowhere"
[buses.main]
adapter = "no such adapter"
[expanders.a]
bus = "main"
[[seats]]
label = "1"
screen = { chip = "ssd1306", bus = "main", address = 0x3C }
buttons = { left = "a.GPA0", right = "a.GPA1", mark = "a.GPA2", play = "a.GPA3" }
[[seats]]
label = "2"
screen = { chip = "ssd1306", bus = "main", address = 0x3D }
buttons = { left = "a.GPB0", right = "a.GPB1", mark = "a.GPB2", play = "a.GPB3" }
"""

TWO_BUSES = """
title = "Two seats on two buses"
[buses.main]
number = 1
[buses.other]
number = 3
[[seats]]
label = "1"
screen = { chip = "ssd1306", bus = "main" }
buttons = { left = 5, right = 6, mark = 13, play = 19 }
[[seats]]
label = "2"
screen = { chip = "ssd1306", bus = "other" }
buttons = { left = 21, right = 20, mark = 16, play = 12 }
"""
