"""The prompt of a pod's MicroPython, through mpremote: asked, written to, started anew."""

import hashlib
import io
import json
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

ANSWER_S = 5.0
"""A prompt that has not answered for so long has gone."""
REACH_S = 0.4
FAILS_S = 0.3
"""A program that fails at once does so within this time."""
CHUNK = 1024
"""Bytes that are written at once."""

ABOUT = """
import json, os, sys, machine
n = sys.implementation
s = [p for p in sys.path if p in ('a', 'b')]
f = os.statvfs('/')
print(json.dumps([n[0], list(n[1])[:3], getattr(n, '_machine', '?'), getattr(n, '_mpy', 0) & 255,
    ''.join('%02x' % b for b in machine.unique_id()), (s + [''])[0], f[0] * f[3]]))
"""
CLEAR = """
import os
def clear(path):
    try:
        names = os.listdir(path)
    except OSError:
        return
    for name in names:
        inner = path + '/' + name
        if os.stat(inner)[0] & 0x4000:
            clear(inner)
        else:
            os.remove(inner)
    os.rmdir(path)
clear(SLOT)
"""
DIGEST = """
import hashlib
h = hashlib.sha256()
with open(PATH, 'rb') as f:
    while True:
        b = f.read(512)
        if not b:
            break
        h.update(b)
print(''.join('%02x' % b for b in h.digest()))
"""
FORGET = """
import gc, sys
for name in list(sys.modules):
    if name.split('.')[0] in ('files', 'firmware', 'hardware', 'asyncio', 'slot'):
        del sys.modules[name]
sys.path[:] = [p for p in sys.path if p not in ('a', 'b')]
gc.collect()
class Slot:
    SLOT = NAME
sys.modules['slot'] = Slot
"""
"""What is left of the interrupted program goes; the start program is told another slot than the file's."""


class PromptError(Exception):
    """The prompt did not answer, or not as it should; the message says what was asked."""


@dataclass(frozen=True, slots=True)
class About:
    """What a board says of itself. ``slot``: that of its program, or empty; ``free``: bytes of its flash."""

    name: str
    version: tuple[int, ...]
    machine: str
    mpy: int
    pod_id: str
    slot: str
    free: int


class Prompt:
    """The raw prompt of a MicroPython, reached. Every method raises PromptError if it has gone."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    def about(self) -> About:
        """Ask what the board is."""
        name, version, machine, mpy, pod_id, slot, free = json.loads(self._exec("ask the board", ABOUT))
        return About(name, tuple(version), machine, mpy, pod_id.rjust(16, "0")[-16:], slot, free)

    def read(self, path: str) -> bytes | None:
        """A file's content; None if there is no such file."""
        code = f"try:\n b = open({path!r}, 'rb').read()\nexcept OSError:\n b = None\nprint(repr(b))"
        told = self._exec(f"read {path}", code)
        return None if told == "None" else _bytes(told)

    def clear(self, slot: str) -> None:
        """Remove a folder and all in it, if there is one."""
        self._exec(f"clear {slot}", CLEAR.replace("SLOT", repr(slot)))

    def make_folders(self, paths: Sequence[str]) -> None:
        """Make folders, outer ones first."""
        self._exec(f"make {paths[0]}", f"import os\nfor path in {list(paths)!r}:\n os.mkdir(path)")

    def write(self, path: str, content: bytes, told: Callable[[int], None] = lambda count: None) -> None:
        """Write a file, and check it on the board; ``told`` is called with bytes as they are written."""
        with self._errors(f"write {path}"):
            before = 0

            def progress(written: int, _total: int) -> None:
                nonlocal before
                told(written - before)
                before = written

            self._transport.fs_writefile(path, content, chunk_size=CHUNK, progress_callback=progress)
        if (
            self._exec(f"check {path}", DIGEST.replace("PATH", repr(path)))
            != hashlib.sha256(content).hexdigest()
        ):
            raise PromptError(f"{path} is not on the board as it was written: its flash may be worn out")

    def replace(self, path: str, content: bytes) -> None:
        """Put a file in the place of another by one rename: at any moment one of both is there, whole."""
        self.write(f"{path}.new", content)
        self._exec(f"rename {path}", f"import os\nos.rename({path + '.new'!r}, {path!r})")

    def load(self, slot: str) -> None:
        """Load the program in a slot, without running it."""
        self._exec("make room", FORGET.replace("NAME", repr(slot)))
        self._exec("load the new build", f"sys.path.insert(0, {slot!r})\nfrom firmware.pod.main import main")

    def run(self, start: bytes, slot: str) -> None:
        """Run a start program as if /slot.py named this slot, and see that it does not fail at once."""
        self._exec("make room", FORGET.replace("NAME", repr(slot)))
        with suppress(PromptError):  # its hello will tell
            self._leave("start the new build", start.decode())
        told = b""
        with suppress(OSError):  # it may have reset the board
            end = time.monotonic() + FAILS_S
            while time.monotonic() < end:
                told += self._transport.serial.read(self._transport.serial.in_waiting)
                time.sleep(0.01)
        # The start program tells in a line that it goes on to the other slot; an error comes after a 0x04.
        line, _, error = told.partition(b"\x04")
        error = error.strip(b"\x04>\r\n ") or (line if line.startswith(b"slot ") else b"")
        if error:
            raise PromptError(f"the new build fails: {_last_line(error)}")

    def reset(self) -> None:
        """Start the board anew, whatever it was doing at its prompt. Its line goes with it."""
        line = self._transport.serial
        with suppress(OSError):
            line.write(b"\x03\r\x01import machine\nmachine.reset()\x04")
            end = time.monotonic() + FAILS_S
            while time.monotonic() < end and line.in_waiting >= 0:  # raises once the line has gone
                time.sleep(0.01)

    def _exec(self, what: str, code: str) -> str:
        with self._errors(what):
            return str(self._transport.exec(code).decode()).strip()

    def _leave(self, what: str, code: str) -> None:
        with self._errors(what):
            self._transport.exec_raw_no_follow(code)

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        from mpremote.transport import TransportError

        try:
            yield
        except (TransportError, OSError, ValueError, TypeError, struct.error) as problem:
            told = str(problem) or type(problem).__name__
            raise PromptError(f"cannot {what}: {_last_line(told.encode())}") from problem


@contextmanager
def prompt_on(path: str, seconds: float = REACH_S) -> Iterator[Prompt]:
    """Interrupt what runs on a board and have its prompt while the block runs.

    Raise PromptError if it does not come within a time: a pod that has met a table does not obey Ctrl-C.
    """
    import termios  # not on every PC

    from mpremote.transport import TransportError
    from mpremote.transport_serial import SerialTransport

    try:
        with redirect_stdout(io.StringIO()):
            transport = SerialTransport(path)
    except (TransportError, OSError) as problem:
        raise PromptError(f"cannot open {path}: {problem}") from problem
    transport.serial.timeout = ANSWER_S
    transport.serial.write_timeout = ANSWER_S
    try:
        try:
            with redirect_stdout(io.StringIO()):
                transport.enter_raw_repl(soft_reset=False, timeout_overall=seconds)
                # Late answers to what was said before are left behind by a first answer that is known.
                transport.serial.write(b"print(22)\x04")
                if b"OK22" not in transport.read_until(1, b"\x04\x04", timeout_overall=seconds):
                    raise TransportError("no answer")
        except (TransportError, OSError) as problem:
            raise PromptError("the prompt does not answer") from problem
        yield Prompt(transport)
    finally:
        with suppress(OSError, termios.error):  # its line may have gone
            transport.serial.reset_output_buffer()
        with suppress(OSError):
            transport.serial.close()


def folders_of(files: Mapping[str, bytes]) -> list[str]:
    """The folders that files need, outer ones first."""
    folders = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    return sorted(folders)


def _last_line(told: bytes) -> str:
    """The last line of an error, which says what it is."""
    lines = told.strip(b"\x04> \r\n").decode("utf-8", "replace").splitlines()
    return lines[-1].strip() if lines else "without a reason"


def _bytes(text: str) -> bytes:
    import ast

    value = ast.literal_eval(text)
    return value if isinstance(value, bytes) else b""
