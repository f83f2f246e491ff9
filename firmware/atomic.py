"""Small files replaced as a whole: after a crash or a power cut there is the old one or the new one."""

import errno
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

KEPT_ASIDE = 2
"""So many damaged files are kept beside one."""


def write_text(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Put a text into a file, durably. Raise OSError; then the file is as it was.

    (Only if the disk fails at the very last step it may be the new one.)

    The text goes to a temporary file in the same folder, reaches the disk, and takes the file's name by one
    rename, which reaches the disk, too. Mode and owner stay what they are; a new file gets ``mode``. Of a
    symbolic link the file that it leads to is replaced. What a crash leaves is removed by the next call.
    """
    import fcntl  # not on every PC

    path = Path(os.path.realpath(path))
    temporary = str(path.with_name(f".{path.name}.new"))
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Two writers would take each other's temporary file for one that a crash has left.
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        before = _existing(path)
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        try:
            _fill(temporary, text.encode(), mode, before)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        os.fsync(folder)
    except BlockingIOError as problem:
        raise OSError(problem.errno, "another program is writing in its folder: try again") from problem
    finally:
        os.close(folder)


def set_aside(path: Path) -> Path:
    """Give whatever is at the path a name that says that it is damaged; return that. Raise OSError.

    ``seats.toml`` becomes ``seats.damaged-1.toml``, or what number is next; of such files the oldest go.
    """
    pattern = re.compile(re.escape(path.stem) + r"\.damaged-(\d+)" + re.escape(path.suffix))
    names = {int(found[1]): name for name in os.listdir(path.parent) if (found := pattern.fullmatch(name))}
    aside = path.with_name(f"{path.stem}.damaged-{max(names, default=0) + 1}{path.suffix}")
    os.rename(path, aside)
    for number in sorted(names)[: len(names) + 1 - KEPT_ASIDE]:
        with suppress(OSError):  # a folder, or it is gone
            os.unlink(path.with_name(names[number]))
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return aside


def _existing(path: Path) -> os.stat_result | None:
    """The file that is to be replaced, if there is one. Raise OSError for what is no file."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no file")
    return found


def _fill(path: str, data: bytes, mode: int, like: os.stat_result | None) -> None:
    """Make a file that holds the data, on the disk, with the mode and owner of another."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    try:
        while data:
            data = data[os.write(fd, data) :]
        if like is not None:
            made = os.fstat(fd)
            if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                os.fchown(fd, like.st_uid, like.st_gid)
            mode = stat.S_IMODE(like.st_mode)
        os.fchmod(fd, mode)
        os.fsync(fd)
    finally:
        os.close(fd)
