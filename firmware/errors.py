"""Errors of the command line."""


class UsageError(Exception):
    """What the user asked for cannot be done: the message says what, where, which value, and what to do."""

    exit_code = 2
    """with what the command ends"""
