"""docs/rules.md: complete, and in step with the tests and the engine."""

import re
from pathlib import Path

import pytest

from engine.rules import FIRST_HANDS, LIMITS, Rules

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
NUMBERS = [f"R{number}" for number in range(1, 24)] + [f"H{number}" for number in range(1, 6)]


def test_every_rule_once() -> None:
    """The page has rules R1 to R23 and H1 to H5, each once and in order."""
    assert re.findall(r"\*\*([RH]\d+)\.?\*\*", PAGE) == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_every_rule_has_a_test(number: str) -> None:
    """Each rule's number is cited by the docstring of at least one test of the rules."""
    tests = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").glob("test_rules_*.py"))]
    cited: set[str] = set()
    for docstring in re.findall(r'"""((?:[RH]\d+[^:]*): )', "\n".join(tests)):
        for first, last in re.findall(r"([RH]\d+)(?: to ([RH]\d+))?", docstring):
            begin, end = NUMBERS.index(first), NUMBERS.index(last or first)
            cited |= set(NUMBERS[begin : end + 1])
    assert number in cited


def test_numbers_of_the_house_rules() -> None:
    """The page gives the defaults and ranges that the engine has."""
    assert f"{LIMITS[0]} to {LIMITS[-1]}" in PAGE
    assert f"{FIRST_HANDS[0]} to {FIRST_HANDS[-1]}" in PAGE
    assert f"At {Rules().limit} points a player is out" in PAGE
