"""Text files that users name: read up to a length, whatever is at the path."""

from pathlib import Path

from firmware.errors import UsageError


def read_text(path: Path, kind: str, most: int) -> str:
    """The text of a file that is to be a ``kind`` of at most so many bytes. Raise UsageError if it is not."""
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except OSError as problem:
        raise UsageError(f"cannot read the {kind} {path}: {problem.strerror}") from problem
    if len(raw) > most:
        raise UsageError(f"{path} is too long for a {kind}: more than {most:,} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise UsageError(f"{path} is no {kind}: it is not UTF-8 text (byte {problem.start + 1})") from problem
