"""What was measured in the chip's time is printed after its tests."""

from collections.abc import Callable

import pytest

MEASURED = pytest.StashKey[list[str]]()


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keep a line for the end of the report."""
    return request.config.stash.setdefault(MEASURED, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was measured."""
    for line in config.stash.get(MEASURED, []):
        terminalreporter.write_line(f"measured: {line}")
