"""Exit codes of the device's programs, for people, scripts and systemd."""

from enum import IntEnum

from firmware.errors import UsageError


class Exit(IntEnum):
    """Why a program ended."""

    DONE = 0
    BUG = 1
    """a fault of the program, with a traceback"""
    USAGE = 2
    """an option, the settings or the board's profile: somebody has to put it right"""
    LIBRARY = 3
    """a library that the hardware needs is missing, or an empty stand-in"""
    RUNNING = 4
    """another table runs on this computer"""
    PINS = 5
    """the GPIO lines cannot be had"""
    BUS = 6
    """no bus could be brought back to life"""


class CannotRunError(UsageError):
    """The program cannot run, or no longer: the message says why and what to do, ``exit_code`` which kind."""

    def __init__(self, exit_code: Exit, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code
