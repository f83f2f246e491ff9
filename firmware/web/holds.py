"""Which connections hold which buttons: a button has one finger, however many pages are open."""

from collections.abc import Callable, Hashable

Key = tuple[int, str]
"""A button of a seat: the seat's number and the button's name."""


class Holds:
    """A button is down while at least one connection holds it: it goes up when the last one lets go.

    ``edge(seat, button, down)`` is called when that changes.
    """

    def __init__(self, edge: Callable[[int, str, bool], None]) -> None:
        self._edge = edge
        self._holders: dict[Key, set[Hashable]] = {}

    def press(self, who: Hashable, key: Key) -> None:
        """``who`` holds ``key`` from now on; does nothing if it already does."""
        holders = self._holders.setdefault(key, set())
        if who in holders:
            return
        holders.add(who)
        if len(holders) == 1:
            self._edge(*key, True)

    def release(self, who: Hashable, key: Key) -> None:
        """``who`` lets ``key`` go; does nothing if it does not hold it."""
        holders = self._holders.get(key, set())
        if who not in holders:
            return
        holders.remove(who)
        if not holders:
            self._edge(*key, False)

    def drop(self, who: Hashable) -> None:
        """``who`` is gone and lets everything go."""
        for key in self._holders:
            self.release(who, key)
