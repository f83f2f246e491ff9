"""Errors of buses, devices and board profiles."""


class BusError(OSError):
    """A transfer on a bus failed: nobody acknowledged, the bus is held, the adapter gave up. ``errno`` says which."""


class ProfileError(ValueError):
    """A board profile that cannot be used: the message names file, line, key, what is allowed and the nearest name."""
