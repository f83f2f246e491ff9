"""Files replaced as a whole: killed at any moment, the old one or the new one is there."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.atomic import set_aside, write_text

ROOT = Path(__file__).parents[1]

VICTIM = """
import os, signal, sys
from pathlib import Path
from firmware.atomic import write_text

whole = os.write
os.write = lambda fd, data: whole(fd, data[:7])  # a disk may take a part
path, stop = Path(sys.argv[1]), int(sys.argv[2])
calls = []

def seen(frame, event, called):
    if event in ("c_call", "c_return") and getattr(called, "__module__", "") in ("posix", "fcntl"):
        calls.append(f"{event} {called.__name__}")
        if len(calls) == stop:
            os.kill(os.getpid(), signal.SIGKILL)

sys.setprofile(seen)
write_text(path, "new\\n" * 8)
sys.setprofile(None)
print("\\n".join(calls))
"""
"""Writes a file, and kills itself before or after the n-th system call; tells the calls if it lives."""


def victim(path: Path, stop: int) -> subprocess.CompletedProcess[str]:
    """Write with that many calls to live."""
    return subprocess.run(
        [sys.executable, "-c", VICTIM, str(path), str(stop)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kill_at_any_system_call_leaves_the_old_file_or_the_new_one(tmp_path):
    """Killed before or after each call, amid the text too, the file is whole, and the next one works."""
    path = tmp_path / "table.toml"
    path.write_text("old\n")
    done = victim(path, 0)
    assert done.returncode == 0, done.stderr
    calls = done.stdout.split("\n")[:-1]
    assert len([call for call in calls if call == "c_call write"]) == 5
    assert len(calls) > 30
    seen = set()
    for stop in range(1, len(calls) + 1):
        path.write_text("old\n")
        assert victim(path, stop).returncode == -9
        seen.add(path.read_text())
        left = {file.name for file in tmp_path.iterdir()} - {"table.toml"}
        assert left <= {".table.toml.new"}
        write_text(path, "later\n")
        assert path.read_text() == "later\n"
        assert [file.name for file in tmp_path.iterdir()] == ["table.toml"]
    assert seen == {"old\n", "new\n" * 8}


def test_what_is_renamed_is_on_the_disk_before_and_the_name_after(tmp_path):
    """All bytes are written, then they reach the disk, then the name changes, then the folder reaches it."""
    done = victim(tmp_path / "table.toml", 0)
    calls = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("c_call")]
    order = [call for call in calls if call in ("write", "fsync", "replace")]
    assert order == ["write"] * 5 + ["fsync", "replace", "fsync"]


def test_mode_and_owner_stay(tmp_path):
    """A file that is replaced keeps its mode and (where root writes) its owner; a new one has its own."""
    path = tmp_path / "table.toml"
    write_text(path, "one", mode=0o640)
    assert path.stat().st_mode & 0o7777 == 0o640
    path.chmod(0o604)
    root = os.geteuid() == 0
    if root:
        os.chown(path, 1234, 4321)
    write_text(path, "two", mode=0o600)
    found = path.stat()
    assert found.st_mode & 0o7777 == 0o604
    assert (found.st_uid, found.st_gid) == ((1234, 4321) if root else (os.geteuid(), os.getegid()))
    assert path.read_text() == "two"


def test_a_link_stays_one(tmp_path):
    """The file that a symbolic link leads to is replaced, in its own folder, not the link."""
    there = tmp_path / "there"
    there.mkdir()
    (there / "real.toml").write_text("old")
    link = tmp_path / "table.toml"
    link.symlink_to(there / "real.toml")
    write_text(link, "new")
    assert link.is_symlink()
    assert (there / "real.toml").read_text() == "new"


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_file_is_not_replaced(tmp_path, kind):
    """A folder or a FIFO keeps its place, and nothing is left beside it."""
    path = tmp_path / "table.toml"
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(OSError, match="no file"):
        write_text(path, "new")
    assert path.is_dir() or path.is_fifo()
    assert [file.name for file in tmp_path.iterdir()] == ["table.toml"]


@pytest.mark.parametrize("call", ["open", "write", "fchmod", "fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, call):
    """Whatever step fails, the error comes out, the old file stays, and the temporary one is gone."""
    path = tmp_path / "table.toml"
    path.write_text("old")
    real = getattr(os, call)

    def refuse(first, *rest, **more):
        if call == "open" and not str(first).endswith(".new"):
            return real(first, *rest, **more)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(OSError, match="No space"):
        write_text(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["table.toml"]


def test_two_writers_do_not_meet(tmp_path):
    """While another program writes in the folder the file stays, and the error says to try again."""
    import fcntl

    path = tmp_path / "table.toml"
    path.write_text("old")
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(OSError, match="another program is writing"):
        write_text(path, "new")
    os.close(other)
    assert path.read_text() == "old"
    write_text(path, "new")
    assert path.read_text() == "new"


def test_set_aside_keeps_two(tmp_path):
    """Damaged files get numbers that count on; the two newest stay, and folders are never removed."""
    path = tmp_path / "seats.toml"
    for number in range(1, 6):
        path.write_text(str(number))
        assert set_aside(path).name == f"seats.damaged-{number}.toml"
    path.mkdir()
    assert set_aside(path).name == "seats.damaged-6.toml"
    assert {file.name for file in tmp_path.iterdir()} == {"seats.damaged-5.toml", "seats.damaged-6.toml"}
    for number in (7, 8, 9):
        path.write_text(str(number))
        set_aside(path)
    assert (tmp_path / "seats.damaged-6.toml").is_dir()
