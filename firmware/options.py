"""Options that several commands share."""

import argparse
from pathlib import Path

from engine.rules import FIRST_HANDS, LIMITS, Rules
from firmware.errors import UsageError

DEFAULTS = Rules()


def given(text: str) -> str:
    """The type of an argument that cannot be empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: give a value")
    return text


def path(text: str) -> Path:
    """The type of an argument that is the path of a file or folder."""
    return Path(given(text))


def add_rule_options(parser: argparse.ArgumentParser) -> None:
    """The house rules H1 to H5 as options."""
    rules = parser.add_argument_group("house rules")
    rules.add_argument("--must-head", action="store_true", help="who can match or beat has to (H1)")
    rules.add_argument(
        "--limit", type=int, default=DEFAULTS.limit, metavar="N", help="points that end one's game (H2)"
    )
    rules.add_argument(
        "--first-hand",
        type=int,
        default=DEFAULTS.first_hand,
        metavar="N",
        help="cards in the first deal (H3)",
    )
    rules.add_argument(
        "--last-tied-only", action="store_true", help="of the tied only the last keeps a card (H4)"
    )
    rules.add_argument(
        "--piles-return", action="store_true", help="piles of those out go back to the pack (H5)"
    )


def rules_from(args: argparse.Namespace) -> Rules:
    """The rules that ``add_rule_options`` asked for. Raise UsageError for a number out of range."""
    for option, number, allowed in (
        ("--limit", args.limit, LIMITS),
        ("--first-hand", args.first_hand, FIRST_HANDS),
    ):
        if number not in allowed:
            raise UsageError(f"{option} {number}: choose {allowed[0]} to {allowed[-1]}")
    return Rules(args.must_head, args.limit, args.first_hand, args.last_tied_only, args.piles_return)
