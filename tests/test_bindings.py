"""The pods' seats in their file: kept, moved, and set aside rather than trusted when the file is damaged."""

import errno
import logging
import os
from pathlib import Path

import pytest

from firmware.bindings import Bindings

A, B, C = "e66141040331a52c", "e66141040331a52d", "0123456789abcdef"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two bindings in a folder of its own."""
    file = tmp_path / "state" / "seats.toml"
    bindings = Bindings(file)
    bindings.bind(3, A)
    bindings.bind(1, B)
    return file


def names(path: Path) -> list[str]:
    """What is in the file's folder."""
    return sorted(file.name for file in path.parent.iterdir())


def test_bindings_are_there_at_the_next_start(path):
    """What was bound is read again; the folder is made; nothing else is left in it."""
    assert dict(Bindings(path).pods) == {1: B, 3: A}
    assert list(Bindings(path).pods) == [1, 3]
    assert names(path) == ["seats.toml"]


def test_a_pod_has_one_seat_and_a_seat_one_pod(path):
    """A pod that is bound again leaves its seat, and the pod that had the new one has none."""
    bindings = Bindings(path)
    bindings.bind(1, A)
    assert dict(bindings.pods) == dict(Bindings(path).pods) == {1: A}
    bindings.bind(2, C)
    assert dict(bindings.pods) == dict(Bindings(path).pods) == {1: A, 2: C}


def test_without_a_file_they_hold_while_the_program_runs(tmp_path, monkeypatch):
    """Without a path nothing is written."""
    monkeypatch.chdir(tmp_path)
    bindings = Bindings(None)
    bindings.bind(1, A)
    assert dict(bindings.pods) == {1: A}
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_no_damage(tmp_path, caplog):
    """A first start says nothing."""
    assert dict(Bindings(tmp_path / "seats.toml").pods) == {}
    assert caplog.records == []


def test_the_same_binding_writes_nothing(path):
    """A pod that is bound to the seat that it has does not touch the disk."""
    before = path.stat().st_ino
    Bindings(path).bind(3, A)
    assert path.stat().st_ino == before


def damaged(path: Path, caplog: pytest.LogCaptureFixture) -> str:
    """Start on a damaged file: no pods, one line, all of it aside; return the line. Then it works again."""
    caplog.clear()
    bindings = Bindings(path)
    assert dict(bindings.pods) == {}
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    line = record.getMessage()
    assert str(path) in line
    assert "seats.damaged-1.toml" in line
    assert "PLAY" in line
    assert "\n" not in line
    assert names(path) == ["seats.damaged-1.toml"]
    bindings.bind(2, C)
    assert dict(Bindings(path).pods) == {2: C}
    assert len(caplog.records) == 1
    return line


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is empty"),
        (b"\0" * 200, "not as it was written"),
        (b"\xff" * 200, "not as it was written"),
        (b"[pods]\n" + b"#" * 5000, "more than 4096 bytes"),
        (b'[pods]\n1 = "e66141040331a52c"\n', "not as it was written"),
    ],
)
def test_a_file_that_was_not_written_here_is_set_aside(path, caplog, content, says):
    """Empty, all NUL, too long, without its check: set aside whole, told in one line, and forgotten."""
    path.write_bytes(content)
    assert says in damaged(path, caplog)
    assert (path.parent / "seats.damaged-1.toml").read_bytes() == content


def test_a_file_cut_anywhere_is_set_aside(path, caplog):
    """Of no prefix is anything believed."""
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        damaged(path, caplog)
        for file in path.parent.iterdir():
            file.unlink()


def test_a_flipped_bit_anywhere_is_noticed(path, caplog):
    """No byte of the file can change without that being noticed: no pod is ever taken for another."""
    whole = path.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        damaged(path, caplog)
        for file in path.parent.iterdir():
            file.unlink()


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket"])
def test_what_is_no_file_is_set_aside(path, caplog, kind):
    """A folder, a FIFO, a socket in the file's place: moved away, and nobody waits for it."""
    path.unlink()
    if kind == "folder":
        path.mkdir()
        (path / "inside").write_text("kept")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    damaged(path, caplog)
    if kind == "folder":
        assert (path.parent / "seats.damaged-1.toml" / "inside").read_text() == "kept"


def test_a_file_that_cannot_be_read_is_set_aside(path, caplog, monkeypatch):
    """A file that the disk does not give, or that belongs to somebody else, is told with the reason."""
    real = os.open

    def refuse(name, *rest, **more):
        if Path(name) == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    caplog.clear()
    assert dict(Bindings(path).pods) == {}
    monkeypatch.undo()
    assert "Permission denied" in caplog.records[0].getMessage()
    assert names(path) == ["seats.damaged-1.toml"]


def test_a_stale_temporary_file_does_no_harm(path, caplog):
    """What a crash left beside the file is not read, and is gone after the next binding."""
    (path.parent / ".seats.toml.new").write_text("[pods]\n5 = ")
    bindings = Bindings(path)
    assert dict(bindings.pods) == {1: B, 3: A}
    bindings.bind(2, C)
    assert names(path) == ["seats.toml"]
    assert caplog.records == []


def test_a_disk_that_refuses_is_told_once_and_the_pods_have_their_seats(path, caplog, monkeypatch):
    """Nothing raises; one line for any number of bindings; when the disk takes it again all are kept."""
    bindings = Bindings(path)

    def refuse(fd):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    for seat in (4, 5, 6):
        bindings.bind(seat, C)
    assert dict(bindings.pods) == {1: B, 3: A, 6: C}
    (record,) = caplog.records
    assert "cannot be written: No space left" in record.getMessage()
    monkeypatch.undo()
    assert dict(Bindings(path).pods) == {1: B, 3: A}
    bindings.bind(6, C)
    assert dict(Bindings(path).pods) == {1: B, 3: A, 6: C}
    assert len(caplog.records) == 1


def test_what_can_neither_be_used_nor_moved_is_never_overwritten(path, caplog, monkeypatch):
    """A damaged file on a disk that refuses stays, with one line, until it can be set aside."""
    path.write_bytes(b"damaged")

    def refuse(*names):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "rename", refuse)
    bindings = Bindings(path)
    bindings.bind(1, A)
    bindings.bind(2, B)
    assert dict(bindings.pods) == {1: A, 2: B}
    assert path.read_bytes() == b"damaged"
    (record,) = caplog.records
    assert "nor can it be set aside: Read-only file system" in record.getMessage()
    monkeypatch.undo()
    bindings.bind(3, C)
    assert dict(Bindings(path).pods) == {1: A, 2: B, 3: C}
    assert (path.parent / "seats.damaged-1.toml").read_bytes() == b"damaged"


def test_what_a_later_version_wrote_is_set_aside(path, caplog):
    """A file that is whole, but says what this version does not know, is not guessed at."""
    import zlib

    for line in ('7 = "e66141040331a52c"', '1 = "short"', '"x" = "e66141040331a52c"', "1 = 5", "[other]"):
        body = f"[pods]\n{line}\n".encode()
        path.write_bytes(body + f"# check {zlib.crc32(body):08x}\n".encode())
        assert "does not know" in damaged(path, caplog)
        for file in path.parent.iterdir():
            file.unlink()
