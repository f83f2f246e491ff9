"""Pods of a simulated board as processes of a real MicroPython, in real time."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from needs import need_micropython
from processes import alive, children, soon
from test_pod_board import image

from firmware.bindings import Bindings
from firmware.podprocesses import BUTTON_PINS, MAIN, ROOT, running_pods
from firmware.seats import open_seats
from firmware.simulation import SimHost
from hardware.frame import pack
from hardware.profile import load_profile
from hardware.seat import Button
from hardware.sim.podprocess import PodProcess
from hardware.sim.ssd1306 import SSD1306

pytestmark = pytest.mark.micropython

TWENTYTWO = Path(sys.executable).parent / "twentytwo"
WAIT_S = 20
"""Nothing that a test waits for takes as long, except when it fails."""
STROKE = [(Button.MARK, True), (Button.MARK, False)]


@pytest.fixture(scope="module")
def micropython() -> str:
    """The interpreter, or no test."""
    return need_micropython()


class Running:
    """A simulated board in real time. ``edges``: those polled."""

    def __init__(self, micropython: str, board: str) -> None:
        self.host = SimHost(
            load_profile(board),
            clock=time.monotonic,
            sleep=time.sleep,
            pods=running_pods(micropython),
        )
        self.board = open_seats(self.host)
        self.edges: list[tuple[int, Button, bool]] = []
        self.wires = self.host.wires
        self._woken = threading.Event()
        self._told: dict[int, bytes] = {}
        self.wires.watch(lambda seat: self._told.update({seat: self.wires.panel(seat).visible()}))
        self.host.listen(self._woken.set)
        self.board.listen(self._woken.set)
        self.board.start()

    def until(self, so: Callable[[], bool]) -> bool:
        """Let time pass until something is so; whether it came about."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            now = time.monotonic()
            self.host.advance(now)
            self.edges += [(edge.seat, edge.button, edge.down) for edge in self.board.poll(now)]
            self.board.flush(now)
            if so():
                return True
            self._woken.wait(0.01)
            self._woken.clear()
        return False

    def show(self) -> None:
        """A picture of its own for every seat."""
        for number, seat in self.board.seats.items():
            seat.screen.show(image(number))

    def right(self, *seats: int) -> bool:
        """Whether these seats work and show their pictures, bit for bit, and whoever watches was told."""
        return all(
            self.board.seats[seat].fault is None
            and self.wires.panel(seat).visible() == self._told.get(seat) == pack(image(seat))
            for seat in seats
        )

    def stroke(self, seat: int) -> None:
        """Press and let go; it has to arrive as such."""
        self.edges.clear()
        self.wires.press(seat, Button.MARK)
        self.wires.release(seat, Button.MARK)
        assert self.until(lambda: len(self.edges) == 2)
        assert self.edges == [(seat, *edge) for edge in STROKE]

    def process(self, seat: int) -> PodProcess:
        """The process of a pod."""
        return self.host.ports.pods[seat].process

    def close(self) -> None:
        """End it all."""
        self.board.close()
        self.host.close()


@pytest.fixture
def running(micropython: str) -> Iterator[Callable[[str], Running]]:
    """Makes boards that end with the test."""
    made: list[Running] = []

    def begin(board: str) -> Running:
        made.append(Running(micropython, board))
        made[-1].show()
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_six_pods_at_work(running) -> None:
    """Six processes show six pictures bit for bit, their strokes are their seats', their lamps are driven."""
    table = running("pods-6")
    assert table.until(lambda: table.right(1, 2, 3, 4, 5, 6))
    for seat in (1, 6):
        table.stroke(seat)
        table.board.seats[seat].lamp.set(True)
        assert table.until(lambda seat=seat: table.wires.lamp(seat) is True)
    pids = [table.process(seat).process_id for seat in range(1, 7)]
    assert len(set(pids)) == 6
    table.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_happens_to_a_pod(running) -> None:
    """Pulled, plugged in, frozen, reset, failed, garbled: at most its own seat's fault, and back."""
    table = running("mixed-4")
    pod = table.wires.pods[3]
    assert table.until(lambda: table.right(1, 2, 3, 4))
    old = table.process(3).path

    pod.unplug()
    assert table.until(lambda: "not there" in (table.board.seats[3].fault or ""))
    assert table.wires.panel(3).visible() == bytes(1024)
    table.stroke(4)
    pod.plug()
    assert table.until(lambda: table.right(3))
    table.stroke(3)

    pod.freeze(True)
    assert table.until(lambda: "does not answer" in (table.board.seats[3].fault or ""))
    assert table.right(1, 2, 4)
    pod.freeze(False)
    assert table.until(lambda: table.right(3))

    for end in (pod.reset, table.process(3).fail):
        before = table.process(3).process_id
        end()
        assert table.until(lambda before=before: table.process(3).process_id not in (before, None))
        assert table.until(lambda: not table.right(3))  # it begins with a dark panel
        assert table.until(lambda: table.right(3))

    pod.garble(0.05)
    for _ in range(5):
        table.stroke(3)
    pod.garble(0.0)
    assert table.until(lambda: table.right(1, 2, 3, 4))
    assert old.startswith("/dev/")


def test_pods_end_with_a_table_that_is_killed(micropython: str) -> None:
    """SIGKILL for the table ends all its pods, one that stands still among them."""
    arguments = ["play", "--sim", "--board", "pods-6", "--fault", "freeze:3@3", "--runtime"]
    with contextlib.ExitStack() as ending:
        folder = ending.enter_context(tempfile.TemporaryDirectory())
        table = subprocess.Popen([TWENTYTWO, *arguments, folder], stdout=subprocess.PIPE, text=True)
        ending.callback(table.wait)
        ending.callback(table.kill)
        assert table.stdout is not None
        said = iter(table.stdout)
        assert "on micropython" in next(said)
        assert any("fault freeze:3" in line for line in said)
        pods = children(table.pid)
        assert len(pods) == 6
        table.send_signal(signal.SIGKILL)
        assert soon(lambda: not any(alive(pod) for pod in pods), WAIT_S)
        table.stdout.close()


REAL = """
title = "Two pods on lines"
pod_paths = ["{folder}/line*"]
[[seats]]
label = "a"
pod = ""
[[seats]]
label = "b"
pod = ""
"""


def test_a_table_of_pods_on_real_lines(micropython: str, tmp_path: Path) -> None:
    """``twentytwo play`` with pods only, no pin, no bus: PLAY chooses a pod; the next start knows it.

    So does ``twentytwo doctor``.
    """
    (tmp_path / "two.toml").write_text(REAL.format(folder=tmp_path))
    ids = ("e66141040331a52c", "e66141040331a52d")
    pods = [
        PodProcess(micropython, MAIN, ROOT, SSD1306(0x3C, seed=number), pod_id, BUTTON_PINS)
        for number, pod_id in enumerate(ids)
    ]

    def until(so: Callable[[], bool]) -> bool:
        def pumped() -> bool:
            for pod in pods:
                pod.pump()
            return so()

        return soon(pumped, WAIT_S)

    def start(command: str = "play", **options: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [TWENTYTWO, command, "--board", tmp_path / "two.toml", "--runtime", tmp_path],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "STATE_DIRECTORY": str(tmp_path)},
            **options,
        )

    def works() -> bool:
        """Whether the table says that both seats do."""
        try:
            seats = json.loads((tmp_path / "status.json").read_text())["seats"]
        except FileNotFoundError:
            return False
        return seats == {"1": None, "2": None}

    def seen() -> list[bytes]:
        """What both panels show."""
        return [pod.panel.visible() for pod in pods]

    table = None
    try:
        for number, pod in enumerate(pods):
            pod.start()
            (tmp_path / f"line{number}").symlink_to(pod.path)
        table = start()
        # By themselves they show their names, so they are only alike when both offer a seat.
        assert until(lambda: any(seen()[0]) and seen()[0] == seen()[1])
        for count, number in enumerate((1, 0), 1):  # the second pod becomes seat 1's
            pods[number].press("play")
            assert until(lambda count=count: len(Bindings(tmp_path / "seats.toml").pods) == count)
            pods[number].release("play")
        assert Bindings(tmp_path / "seats.toml").pods == {1: ids[1], 2: ids[0]}
        assert until(works)
        playing = seen()
        table.send_signal(signal.SIGTERM)
        assert table.wait(WAIT_S) == 0
        assert until(lambda: all(now != then for now, then in zip(seen(), playing, strict=True)))
        assert "Traceback" not in table.stderr.read()
        table.stderr.close()
        table = start()
        assert until(works)
        table.send_signal(signal.SIGTERM)
        assert table.wait(WAIT_S) == 0
        table.stderr.close()
        table = start("doctor", stdout=subprocess.PIPE)
        assert until(lambda: table.poll() is not None)
        found = table.stdout.read()
        table.stdout.close()
        for seat, number in ((1, 1), (2, 0)):
            assert f"pod of seat {seat}: {ids[number]} on {tmp_path}/line{number}, build" in found
        assert table.returncode == 0
    finally:
        if table is not None:
            table.kill()
            table.wait()
            table.stderr.close()
        for pod in pods:
            pod.stop()


def test_stroke_told_late_is_not_squeezed(running) -> None:
    """If this computer is so busy that a stroke's two changes are told at once, the pod sees them apart."""
    table = running("mixed-4")
    assert table.until(lambda: table.right(3))
    table.wires.press(3, Button.MARK)
    table.wires.release(3, Button.MARK)
    silent, writer = os.pipe()
    select.select([silent], [], [], 0.2)  # nothing is done meanwhile
    os.close(silent)
    os.close(writer)
    assert table.until(lambda: len(table.edges) == 2)
    assert table.edges == [(3, *edge) for edge in STROKE]


def open_files() -> set[str]:
    """What this process has open."""
    return set(os.listdir("/proc/self/fd"))


def test_a_pod_that_does_not_listen_keeps_nobody_waiting(running) -> None:
    """10,000 strokes at one that is stopped: the others go on; once it goes on it knows what is down."""
    table = running("pods-6")
    assert table.until(lambda: table.right(1, 2, 3, 4, 5, 6))
    stopped = table.process(3)
    os.kill(stopped.process_id, signal.SIGSTOP)
    pod = table.host.ports.pods[3]
    for number in range(10_000):
        pod.contact(Button.LEFT, number % 2 == 0, number / 1e4)
    pod.contact(Button.MARK, True, 1.0)
    table.stroke(4)
    table.edges.clear()
    os.kill(stopped.process_id, signal.SIGCONT)
    assert table.until(lambda: (3, Button.MARK, True) in table.edges)
    assert [down for seat, button, down in table.edges if button is Button.LEFT][-1:] in ([], [False])


@pytest.mark.parametrize(
    "program",
    [
        "exec >&2; while :; do printf '\\n\\377\\nx\\ni2c\\ni2c 3c zz\\npin a b\\n' >&$PICO_OUT; done",
        'eval "exec $PICO_OUT>&-"; exec sleep 60',
        "head -c 9000000 /dev/zero >&$PICO_OUT; exec sleep 60",
        "exit 1",
    ],
    ids=["nonsense", "closes its pipe", "no line", "ends"],
)
def test_whatever_the_interpreter_does_the_table_goes_on_and_ends(tmp_path, program) -> None:
    """Nonsense without end, a closed pipe, no end of a line, an end at once: seats without pods, no more."""
    interpreter = tmp_path / "micropython"
    interpreter.write_text(f"#!/bin/sh\n{program}\n")
    interpreter.chmod(0o755)
    before = open_files()
    table = Running(str(interpreter), "mixed-4")
    try:
        table.show()
        assert table.until(lambda: table.right(1, 2) and table.board.seats[3].fault is not None)
        pod = table.host.ports.pods[3]
        first = pod.process.process_id
        pod.reset()
        assert table.until(lambda: pod.process.process_id not in (first, None))
    finally:
        ending = threading.Thread(target=table.close, daemon=True)
        ending.start()
        ending.join(WAIT_S)
    assert not ending.is_alive()
    assert open_files() == before


@pytest.mark.parametrize("content", [None, b"", b"\x7fELF garbage", "folder"])
def test_an_interpreter_that_cannot_be_run_leaves_nothing_open(tmp_path, caplog, content) -> None:
    """Missing, empty, garbage, a folder: one line of the log a pod, and no line or pipe stays open."""
    interpreter = tmp_path / "micropython"
    if content == "folder":
        interpreter.mkdir()
    elif content is not None:
        interpreter.write_bytes(content)
        interpreter.chmod(0o755)
    before = open_files()
    table = Running(str(interpreter), "mixed-4")
    pods = table.host.ports.pods.values()
    for _ in range(3):
        for pod in pods:
            pod.power(True)
    assert table.until(lambda: table.board.seats[3].fault is not None)
    assert not any(pod.on for pod in pods)
    table.close()
    assert open_files() == before
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        f"pod {pod.pod_id} cannot be started" for pod in pods
    ]


def test_an_interpreter_that_goes_and_comes_back(micropython, tmp_path, caplog) -> None:
    """While it is away a pod that has ended stays away, with one line of the log; then it starts again."""
    interpreter = tmp_path / "micropython"
    interpreter.symlink_to(micropython)
    table = Running(str(interpreter), "mixed-4")
    try:
        table.show()
        assert table.until(lambda: table.right(1, 2, 3, 4))
        interpreter.unlink()
        pod = table.host.ports.pods[3]
        pod.reset()
        assert table.until(lambda: bool(caplog.records))
        pod.reset()
        pod.contact(Button.LEFT, True, 0.0)
        table.stroke(4)
        interpreter.symlink_to(micropython)
        assert table.until(lambda: table.right(3))
        assert len(caplog.records) == 1
    finally:
        table.close()
