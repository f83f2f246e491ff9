"""No process outlives whoever started it, by whatever way that one ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from needs import need_micropython
from processes import alive, children, soon
from reaper import MARK

TESTS = Path(__file__).parent
SOON_S = 5.0
"""What nobody needs any more is gone by then, on a busy computer, too."""

PLUGGED = """
import sys
from pathlib import Path
from pico_rig import Pico
board = Pico(sys.argv[1], Path("flash"), Path("line"))
board.plug()
print("ready", flush=True)
"""

KILLED = """
import os, signal, subprocess, sys

def test_that_is_killed():
    for session in (False, True):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"],
                                 start_new_session=session)
        os.write(2, b"child %d\\n" % child.pid)
    os.write(2, b"ready\\n")
    signal.pause()
"""


@pytest.mark.micropython
@pytest.mark.parametrize("program", ["", "import time\nwhile True:\n    time.sleep(60)\n"])
def test_a_stand_in_for_a_pico_ends_with_whoever_runs_it(tmp_path, program):
    """A board at its prompt, or whose program looks at nothing, ends with a test that is killed."""
    micropython = need_micropython()
    (tmp_path / "flash").mkdir()
    if program:
        (tmp_path / "flash" / "main.py").write_text(program)
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    with subprocess.Popen(
        [sys.executable, "-c", PLUGGED, micropython],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env={**environment, "PYTHONPATH": f"{TESTS}:{TESTS.parent}"},
    ) as runner:
        try:
            assert runner.stdout is not None
            assert runner.stdout.readline() == b"ready\n"
            (board,) = children(runner.pid)
            # Ready to run its program: it has taken its line over from the Python that started it.
            assert soon(lambda: b"micropython" in Path(f"/proc/{board}/cmdline").read_bytes(), 10)
        finally:
            runner.kill()
    assert soon(lambda: not alive(board), SOON_S)


def test_what_tests_have_started_ends_with_them(tmp_path):
    """SIGKILL for pytest ends the processes of its tests, sessions of their own among them."""
    (tmp_path / "test_killed.py").write_text(KILLED)
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "test_killed.py"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{TESTS.parent}"},
    ) as killed:
        started = []
        try:
            assert killed.stderr is not None
            for line in killed.stderr:
                if line == b"ready\n":
                    break
                if line.startswith(b"child "):
                    started.append(int(line.split()[1]))
            assert [alive(child) for child in started] == [True, True]
        finally:
            killed.kill()
            killed.stderr.close()
    assert soon(lambda: not any(alive(child) for child in started), SOON_S)
