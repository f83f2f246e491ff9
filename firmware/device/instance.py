"""The folder of a running table, and the lock that lets only one run."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit

SERVICE_FOLDER = Path("/run/twentytwo")
"""The folder of the installed service, which lasts until the next boot; whoever runs a table shares it."""


def runtime_folder(given: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for lock and status: the given one, systemd's, the service's, or one of this user's own.

    Raise UsageError if it cannot be had.
    """
    if given is None and (named := environ.get("RUNTIME_DIRECTORY")):
        given = Path(named.partition(":")[0])
    if given is None and SERVICE_FOLDER.is_dir():
        given = SERVICE_FOLDER
    if given is None:
        given = Path(environ.get("XDG_RUNTIME_DIR") or _temporary()) / f"twentytwo-{os.geteuid()}"
    try:
        given.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(f"the runtime folder {given} cannot be made: {problem.strerror}") from problem
    return given


@contextmanager
def folder_for_now() -> Iterator[Path]:
    """A folder of our own while the block runs. Raise UsageError if there can be none."""
    try:
        made = tempfile.TemporaryDirectory(prefix="twentytwo-", dir=_temporary())
    except OSError as problem:
        raise UsageError(f"no temporary folder can be made: {problem.strerror}: {_REMEDY}") from problem
    with made as folder:
        yield Path(folder)


_REMEDY = "make room on the disk, or name another folder with TMPDIR"


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except OSError as problem:  # each was tried: the disk is full, or may only be read
        raise UsageError(f"no folder for temporary files can be written: {_REMEDY}") from problem


@contextmanager
def only_instance(folder: Path) -> Iterator[None]:
    """Hold the lock of a runtime folder. Raise CannotRunError if another process has it, and name that.

    Raise UsageError if there can be no lock.
    """
    import fcntl  # not on every PC

    path = folder / "lock"
    try:
        # A link may lead to a file that is not ours to empty.
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW, 0o664)
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise UsageError(f"{path} is a link, so it cannot be the lock: move it away") from problem
        raise UsageError(f"{path} cannot be opened: {problem.strerror}") from problem
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode):
            raise UsageError(f"{path} is no file, so it cannot be the lock: move it away")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise CannotRunError(Exit.RUNNING, f"a table runs already: process {_holder(lock)}") from problem
        except OSError as problem:
            raise UsageError(f"{path} cannot be locked: {problem.strerror}") from problem
        # The lock holds without what is written into it, on a full disk, say.
        with contextlib.suppress(OSError):
            if os.fstat(lock).st_uid == os.geteuid():
                os.fchmod(lock, 0o664)  # whatever the umask: others of the folder's group run tables, too
            os.truncate(lock, 0)
            os.write(lock, f"{os.getpid()}\n".encode())
        yield
        with contextlib.suppress(OSError):
            os.truncate(lock, 0)
    finally:
        os.close(lock)


def running(folder: Path) -> str | None:
    """The process that holds the lock of a runtime folder; None if no table runs."""
    import fcntl

    try:
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(lock)
    except OSError:
        return None
    finally:
        os.close(lock)
    return None


def _holder(lock: int) -> str:
    return os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
