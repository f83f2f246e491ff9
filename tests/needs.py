"""Tools that a test needs and a computer may lack: said loudly where one is missing, a failure in CI."""

import os

import pytest


def missing(what, how):
    """End the test: ``what`` is missing, ``how`` says how to get it. Skipped, or failed where CI is set."""
    if "CI" in os.environ:
        pytest.fail(f"{what} is missing (required in CI): {how}")
    pytest.skip(f"NOT TESTED, {what} is missing: {how}")
