"""The files of a board's wiring: what is in each, and how they get into a folder."""

from pathlib import Path
from typing import Literal

from firmware.errors import UsageError, missing
from firmware.wiring.boot import boot_lines
from firmware.wiring.page import page
from firmware.wiring.pages import titles_by_file
from firmware.wiring.plan import Plan
from firmware.wiring.tables import bill_table, budget_table, load_table, pin_table, reach_table, wire_table

Format = Literal["all", "svg", "csv", "md"]
MARK = "<!-- Written by twentytwo wiring -->"
"""First line of drawings and pages; tables are known by their headings, boot.txt by its section."""


def files_of(plan: Plan, format_: Format) -> dict[str, str]:
    """Text of each file by its name.

    Raise UsageError if drawings are asked for and drawsvg is not installed.
    """
    files: dict[str, str] = {}
    if format_ in ("all", "svg"):
        files |= {name: f"{MARK}\n{text}" for name, text in _drawings(plan).items()}
    if format_ in ("all", "csv"):
        files |= {
            "pins.csv": pin_table(plan).csv(),
            "wires.csv": wire_table(plan).csv(),
            "parts.csv": bill_table(plan).csv(),
            "loads.csv": load_table(plan).csv(),
            "budget.csv": budget_table(plan).csv(),
        }
        if plan.profile.wired:
            files["reach.csv"] = reach_table(plan).csv()
    if format_ in ("all", "md"):
        files["README.md"] = f"{MARK}\n\n{page(plan, titles_by_file(plan))}"
        if plan.profile.wired:
            files["boot.txt"] = "\n".join((*boot_lines(plan.profile), ""))
    return files


def _drawings(plan: Plan) -> dict[str, str]:
    try:
        from firmware.wiring.draw import draw
    except ModuleNotFoundError as problem:
        told = missing(problem)
        if told is None:
            raise
        raise UsageError(f"{told}; or ask for --format csv or md") from None
    return draw(plan)


def write(files: dict[str, str], folder: Path, force: bool) -> None:
    """Write the files into ``folder``, making it.

    Raise UsageError, with nothing written, if that would replace a file that does not begin as ours do,
    unless ``force``; and if the folder cannot be written.
    """
    for name, text in files.items():
        if not force and not _ours(folder / name, text):
            raise UsageError(
                f"{folder / name} is there already and was not written by this command; "
                "move it away, choose another folder with --out, or replace it with --force"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"cannot write {error.filename or folder}: {error.strerror}; choose another folder with --out"
        ) from None


def _ours(path: Path, text: str) -> bool:
    """Whether ``path`` may be replaced by ``text``: it is not there, or begins with the same line."""
    first = text.partition("\n")[0].encode()
    try:
        with path.open("rb") as file:
            return file.readline(1000).rstrip(b"\r\n") == first
    except OSError:
        return not path.exists()
