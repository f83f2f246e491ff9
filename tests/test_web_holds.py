"""However many pages press a button, it has one finger on it."""

import pytest

from firmware.web.holds import Holds

LEFT, PLAY = (1, "left"), (2, "play")


@pytest.fixture
def edges():
    """What came out."""
    return []


@pytest.fixture
def holds(edges):
    """Nobody holds anything yet."""
    return Holds(lambda *edge: edges.append(edge))


def test_press_and_release_pass(holds, edges):
    """One connection's press and release are one edge each, of that seat and button only."""
    holds.press("tab", LEFT)
    holds.press("tab", PLAY)
    holds.release("tab", LEFT)
    assert edges == [(1, "left", True), (2, "play", True), (1, "left", False)]


def test_thirty_downs_are_one_press(holds, edges):
    """Who already holds a button cannot press it again, and lets it go with one release."""
    for _ in range(30):
        holds.press("tab", LEFT)
    holds.release("tab", LEFT)
    holds.release("tab", LEFT)
    assert edges == [(1, "left", True), (1, "left", False)]


def test_the_button_goes_up_with_the_last_finger(holds, edges):
    """Of two connections that hold one button, the one that leaves first changes nothing."""
    holds.press("tab", LEFT)
    holds.press("other", LEFT)
    holds.release("tab", LEFT)
    assert edges == [(1, "left", True)]
    holds.drop("other")
    assert edges == [(1, "left", True), (1, "left", False)]


def test_who_holds_nothing_releases_nothing(holds, edges):
    """A release without a press, another's button, and the end of an idle connection are no edges."""
    holds.press("tab", LEFT)
    holds.release("other", LEFT)
    holds.release("tab", PLAY)
    holds.drop("other")
    assert edges == [(1, "left", True)]
