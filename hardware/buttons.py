"""Debouncing: from a contact's raw levels to presses and releases. Runs on CPython and MicroPython."""


class Debouncer:
    """One button: a level counts once it has held for the settle time.

    Times may be whole or broken numbers of any unit, as long as they do not go back. Call ``feed`` with every
    level seen, at an edge or at a look at the pin, and ``settle`` when ``deadline`` has come. A look now and
    then makes good for edges that were lost.

    A button that is down from the beginning is stuck: nothing of it counts until it has been released.
    """

    def __init__(self, settle_time: float, down: bool = False, at: float = 0) -> None:
        self.settle_time = settle_time
        self.stuck = down
        self._counted = down
        self._seen = down
        self._since = at
        self._events: list[tuple[bool, float]] = []

    @property
    def down(self) -> bool:
        """Whether the button counts as pressed."""
        return self._counted and not self.stuck

    def feed(self, down: bool, at: float) -> None:
        """The contact was seen closed (``down``) or open at this time."""
        if at < self._since:
            at = self._since
        self._decide(at)
        if down != self._seen:
            self._seen = down
            self._since = at

    def settle(self, now: float) -> list[tuple[bool, float]]:
        """What became certain up to now, in order: (down, since when the contact has held that level)."""
        self._decide(now)
        if not self._events:
            return []
        events, self._events = self._events, []
        return events

    @property
    def deadline(self) -> float | None:
        """When to call ``settle``; None: not before another edge."""
        if self._events:
            return self._events[0][1]
        if self._seen == self._counted:
            return None
        return self._since + self.settle_time

    def _decide(self, now: float) -> None:
        if self._seen == self._counted or now < self._since + self.settle_time:
            return
        self._counted = self._seen
        if self.stuck:
            self.stuck = False
        else:
            self._events.append((self._counted, self._since))
