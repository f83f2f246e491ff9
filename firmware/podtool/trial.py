"""What the line to a pod is worth: round trips under load, and what was lost on it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from firmware.exits import Exit
from firmware.podtool.talk import ANSWER_S, Talk
from hardware.frame import BLANK
from hardware.seat import WIDTH

COUNTS_S = 1.0
STEP = 8
"""Columns by which the bar on the panel moves with each picture."""
SLOW_S = 0.1
"""A press has to be on the screens within this time (docs/design.md)."""


@dataclass(slots=True)
class Trial:
    """What was measured. ``round_trips``: seconds from each order to its answer."""

    seconds: float
    round_trips: list[float] = field(default_factory=list)
    lost: int = 0
    bad_frames: int = 0
    sent: int = 0
    received: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    """the pod's own, from its start on; those that tell of faults, while this ran"""
    problem: str = ""

    def verdict(self) -> tuple[Exit, str]:
        """What the figures mean, and what to do."""
        if self.problem:
            return Exit.ABSENT, self.problem
        if not self.round_trips:
            return Exit.ABSENT, "nothing was answered: unplug the pod, and plug it in again"
        faults = self.lost + self.bad_frames + self.counts.get("bad_frames", 0)
        if faults:
            return Exit.INTERMITTENT, f"{faults} faults on the line: try another cable, socket or hub"
        if self.counts.get("panel_faults", 0):
            return Exit.INTERMITTENT, "the panel fell silent: check its four wires"
        if percentile(self.round_trips, 99) > SLOW_S:
            return (
                Exit.SLOW_BUS,
                f"1 % of the answers took longer than {SLOW_S * 1000:.0f} ms: is the hub busy?",
            )
        return Exit.DONE, "all well"

    def lines(self) -> list[str]:
        """The figures for people."""
        told = [f"{len(self.round_trips)} orders answered in {self.seconds:g} s, {self.lost} lost"]
        if self.round_trips:
            times = [1000 * percentile(self.round_trips, share) for share in (0, 50, 99, 100)]
            least, median, most, worst = (f"{time:.2f}" for time in times)
            told.append(f"round trip: min {least} ms, median {median} ms, 99 % {most} ms, max {worst} ms")
        told.append(f"bytes: {self.sent:,} sent, {self.received:,} received")
        told.append(
            f"damaged frames: {self.bad_frames} from the pod, {self.counts.get('bad_frames', '?')} to it"
        )
        if self.counts:
            told.append(
                "the pod: {panel_faults} panel faults, {dropped_edges} presses dropped, up {uptime_s} s, "
                "{free_bytes:,} bytes free, slowest round {slowest_ms} ms".format(**self.counts)
            )
        return told


def try_line(talk: Talk, seconds: float) -> Trial:
    """Send picture after picture for so many seconds. Raise OSError if the line goes."""
    link = talk.link
    trial = Trial(seconds)
    if not talk.until(lambda: link.up, ANSWER_S):
        trial.problem = (
            link.problem(float("inf")) or "the pod does not answer: unplug it, and plug it in again"
        )
        return trial
    before = _counts(talk)
    sent, received, bad = talk.sent, talk.received, link.bad_frames
    link.round_trips.clear()
    lost = link.lost_orders
    column = 0

    def move_on() -> bool:
        nonlocal column
        trial.round_trips += link.round_trips
        link.round_trips.clear()
        if link.picture.done:
            column = (column + STEP) % WIDTH
            link.picture.wanted = _bar(column)
        return not link.up

    if talk.until(move_on, seconds):
        trial.problem = (
            link.problem(float("inf")) or "the pod has started anew meanwhile: does its cable hold?"
        )
    trial.sent, trial.received = talk.sent - sent, talk.received - received
    trial.lost, trial.bad_frames = link.lost_orders - lost, link.bad_frames - bad
    after = _counts(talk)
    faults = ("bad_frames", "dropped_edges", "panel_faults")
    trial.counts = {
        name: value - before.get(name, 0) if name in faults else value for name, value in after.items()
    }
    return trial


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that so many percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)]


def _counts(talk: Talk) -> dict[str, int]:
    talk.link.ask_counts()
    talk.until(lambda: talk.link.counts is not None, COUNTS_S)
    return talk.link.counts or {}


def _bar(column: int) -> bytes:
    picture = bytearray(BLANK)
    for page in range(len(BLANK) // WIDTH):
        picture[page * WIDTH + column : page * WIDTH + column + STEP] = b"\xff" * STEP
    return bytes(picture)
