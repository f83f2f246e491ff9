"""What the self-test knows: which buttons have been seen, where each panel stands, what is still asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from firmware.device.findings import Finding
from firmware.device.testpages import Page
from firmware.exits import Exit
from hardware.seat import Button, Edge

ASK_S = 10.0
"""How long one panel asks before the next one does."""
HOLD_S = 1.0
"""How long PLAY is held to answer."""
GUARD_S = 0.3
"""A hold that began sooner after a question appeared was meant for another one."""
END_S = 2.0
"""How long PLAY and LEFT of one seat are held to end the test."""
LINGER_S = 1.0
"""The last answer is to be seen for so long."""


@dataclass(slots=True)
class Trial:
    """What is known of one seat."""

    label: str
    down: dict[Button, float] = field(default_factory=dict)
    """buttons that are pressed, and since when"""
    seen: set[Button] = field(default_factory=set)
    answered_by: int | None = None
    """the seat whose PLAY was held when this panel asked"""
    answering: bool = False
    """this hold of PLAY has answered already"""
    panel_fault: str | None = None
    panel_failures: int = 0
    panel_answered: bool = False
    """it has acknowledged something, be it before it failed or since"""
    buttons_fault: tuple[Exit, str] | None = None
    buttons_failure: tuple[Exit, str] | None = None
    """the first fault of the buttons, be it there or gone"""

    @property
    def done(self) -> bool:
        """Whether nothing more is to be learnt here."""
        asked = self.answered_by is not None or self.panel_fault is not None
        return asked and (len(self.seen) == len(Button) or self.buttons_fault is not None)


class Trials:
    """The whole test, in time that is handed in: seconds, monotonic. ``labels``: of the seats by number.

    One panel after the other asks that its PLAY be held: so it is known where each panel stands. ``over`` is
    true after ``seconds``, when all has been seen, or when somebody has held PLAY and LEFT.
    """

    def __init__(self, labels: Mapping[int, str], now: float, seconds: float) -> None:
        self.over = False
        self._trials = {seat: Trial(label) for seat, label in labels.items()}
        self._end = now + seconds
        self._asking: int | None = None
        self._asked_at = self._next_question = now

    def edge(self, edge: Edge) -> None:
        """A button went down or up."""
        self.tick(edge.at)
        trial = self._trials[edge.seat]
        if edge.down:
            trial.down[edge.button] = edge.at
            trial.seen.add(edge.button)
        else:
            trial.down.pop(edge.button, None)
            if edge.button is Button.PLAY:
                trial.answering = False

    def fault(
        self, seat: int, panel: str | None, buttons: tuple[Exit, str] | None, answered: bool = False
    ) -> None:
        """What is wrong with a seat's panel now, and with its buttons, the kind of fault before the words.

        ``answered``: whether the panel has ever acknowledged a transfer.
        """
        trial = self._trials[seat]
        if panel is not None and trial.panel_fault is None:
            trial.panel_failures += 1
        trial.panel_answered = answered
        trial.panel_fault = panel
        trial.buttons_fault = buttons
        trial.buttons_failure = trial.buttons_failure or buttons

    def tick(self, now: float) -> None:
        """Do what has become due."""
        for seat, trial in self._trials.items():
            if (since := trial.down.get(Button.PLAY)) is None:
                continue
            left = trial.down.get(Button.LEFT)
            if left is not None:
                self.over |= now >= max(since, left) + END_S
            elif now >= since + HOLD_S and not trial.answering:
                trial.answering = True
                if since >= self._asked_at + GUARD_S:
                    self._answer(seat, now)
        if all(trial.done for trial in self._trials.values()):
            self._end = min(self._end, now + LINGER_S)
        self.over |= now >= self._end
        if now >= self._next_question:
            self._ask(now)

    def deadline(self) -> float:
        """When ``tick`` must be called next."""
        times = [self._end, self._next_question]
        for trial in self._trials.values():
            if (since := trial.down.get(Button.PLAY)) is not None:
                left = trial.down.get(Button.LEFT)
                if left is not None:
                    times.append(max(since, left) + END_S)
                elif not trial.answering:
                    times.append(since + HOLD_S)
        return min(times)

    def page(self, seat: int) -> Page:
        """What this seat's panel shows."""
        trial = self._trials[seat]
        return Page(
            seat, trial.label, frozenset(trial.down), frozenset(trial.seen), asks=seat == self._asking
        )

    def lamp(self, seat: int) -> bool:
        """Whether the seat's lamp is lit: while one of its buttons is pressed."""
        return bool(self._trials[seat].down)

    def findings(self) -> Iterator[Finding]:
        """What is known in the end."""
        for seat, trial in self._trials.items():
            yield _panel(seat, trial)
            yield _buttons(seat, trial)

    def _answer(self, seat: int, now: float) -> None:
        if self._asking is not None:
            self._trials[self._asking].answered_by = seat
            self._ask(now)

    def _ask(self, now: float) -> None:
        """Let the next panel ask that works and has had no answer, in the order of the seats."""
        open_ = [
            seat
            for seat, trial in self._trials.items()
            if trial.answered_by is None and trial.panel_fault is None
        ]
        later = [seat for seat in open_ if self._asking is None or seat > self._asking]
        self._asking = next(iter(later or open_), None)
        self._asked_at, self._next_question = now, now + ASK_S


def _panel(seat: int, trial: Trial) -> Finding:
    place = f"panel of seat {seat}"
    if trial.panel_fault is not None and trial.panel_answered:
        text = f"{trial.panel_fault}; it has answered before: check ground and wiring"
        return Finding(place, Exit.INTERMITTENT, text)
    if trial.panel_fault is not None:
        return Finding(place, Exit.ABSENT, trial.panel_fault)
    if trial.panel_failures:
        often = "once" if trial.panel_failures == 1 else f"{trial.panel_failures} times"
        text = f"failed {often} and came back: check ground and wiring"
        return Finding(place, Exit.INTERMITTENT, text)
    if trial.answered_by is None:
        text = (
            "nobody held PLAY where it asked for it; if its picture is broken, it is another chip than said"
        )
        return Finding(place, Exit.UNSEEN, text)
    if trial.answered_by != seat:
        text = (
            f"stands at the buttons of seat {trial.answered_by}, or somebody held PLAY elsewhere: test again"
        )
        return Finding(place, Exit.SWAPPED, text)
    return Finding(place, Exit.DONE, "works, and stands at its buttons")


def _buttons(seat: int, trial: Trial) -> Finding:
    place = f"buttons of seat {seat}"
    failure = trial.buttons_fault or trial.buttons_failure
    if failure is not None:
        code, text = failure
        if code is Exit.ABSENT and trial.buttons_fault is None:
            return Finding(place, Exit.INTERMITTENT, f"{text}, but came back: check ground and wiring")
        return Finding(place, code, text)
    missing = [button.value for button in Button if button not in trial.seen]
    if missing:
        return Finding(place, Exit.UNSEEN, f"never pressed: {', '.join(missing)}")
    return Finding(place, Exit.DONE, "all four were pressed")
