"""Errors of buses, devices and TOML files."""


class BusError(OSError):
    """A transfer failed: nobody acknowledged, the bus is held, the adapter gave up. ``errno`` says which."""


class TomlError(ValueError):
    """A TOML file that cannot be used: the message names file, line, key, what is allowed, nearest name.

    ``line`` counts from 1; it is None where the fault has no line, as with a file that cannot be read.
    ``key`` is written as a path: ``seats[2].buttons.left``.
    """

    def __init__(self, problem: str, *, file: str, line: int | None = None, key: str | None = None) -> None:
        place = file if line is None else f"{file}, line {line}"
        super().__init__(f"{place}: {problem}" if key is None else f"{place}: {key}: {problem}")
        self.file = file
        self.line = line
        self.key = key


class ProfileError(TomlError):
    """A board profile that cannot be used."""
