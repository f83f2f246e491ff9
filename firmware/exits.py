"""Exit codes of the device's programs, for people, scripts and systemd."""

from enum import IntEnum

from firmware.errors import UsageError


class Exit(IntEnum):
    """Why a program ended, and what a check found: of several findings the lowest code counts."""

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
    """a bus is not there, may not be opened, or is held"""
    OUTPUT = 7
    """what was to be printed could not be: the disk is full"""
    DEAD_MUX = 10
    """a mux does not answer"""
    SHARED = 11
    """two chips answer to one address"""
    WRONG_CHIP = 12
    """another chip than the profile says"""
    ABSENT = 13
    """a panel, an expander or a pod does not answer"""
    INTERMITTENT = 14
    """a chip answers now and then, or a pod's line loses frames: look at ground, wiring and cable"""
    STUCK = 15
    """a button was down from the start"""
    SLOW_BUS = 16
    """a bus is slower than the profile says, or a pod's line than a press may wait"""
    SWAPPED = 17
    """a panel stands at another seat's buttons"""
    UNSEEN = 18
    """a button was never pressed, or a panel's question never answered"""


class CannotRunError(UsageError):
    """The program cannot run, or no longer: the message says why and what to do, ``exit_code`` which kind."""

    exit_code: Exit

    def __init__(self, exit_code: Exit, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code
