"""The command ``twentytwo selftest``: every panel and every button, tried by hand and without a keyboard."""

import argparse
from collections.abc import Callable

from drivers.oled import Oled
from firmware.bindings import Bindings
from firmware.device.buttons import button_fault
from firmware.device.findings import as_json, gravest
from firmware.device.host import PiHost
from firmware.device.instance import only_instance, runtime_folder
from firmware.device.options import add_device_options, bindings_path, chosen_board, open_simulated
from firmware.device.testpages import Page, draw
from firmware.device.trials import Trials
from firmware.errors import UsageError
from firmware.live import Finished, Host, run_live, run_virtually
from firmware.seats import open_seats
from firmware.streams import say
from firmware.table.words import Words, catalogue

REFRESH_S = 2.0
"""Panels are painted anew so often: a bad contact shows even while nobody presses."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo selftest``."""
    add_device_options(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument(
        "--seconds", type=float, default=180.0, metavar="N", help="end after so long (default: 180)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the test, then print what was seen and what never was. Return the gravest finding's exit code."""
    settings, profile = chosen_board(args)
    if not 1 <= args.seconds <= 86_400:
        raise UsageError(f"--seconds {args.seconds:g}: choose 1 to 86400")
    words = catalogue(settings.language)
    if args.sim:
        from firmware.device.visitor import Visitor

        host = open_simulated(args, profile, virtual=True)
        host.happenings.append(Visitor(host))
        test = SelfTest(host, words, args.seconds)
        run_virtually(test, host.clock)
    else:
        with only_instance(runtime_folder(args.runtime)):
            test = SelfTest(PiHost(profile, Bindings(bindings_path())), words, args.seconds)
            run_live(test, test.clock)
    findings = list(test.trials.findings())
    say(as_json(findings) if args.json else "\n".join(finding.line for finding in findings))
    return gravest(findings)


class SelfTest:
    """Shows each seat its page, and takes in what is pressed (``firmware.live.Program``)."""

    def __init__(self, host: Host, words: Words, seconds: float) -> None:
        self.clock = host.clock
        self._host = host
        self._words = words
        self._board = open_seats(host, refresh=REFRESH_S)
        labels = {number: seat.label for number, seat in self._board.seats.items()}
        self.trials = Trials(labels, host.clock(), seconds)
        """what has been found so far"""
        self._shown: dict[int, Page] = {}
        self._lit: dict[int, bool] = {}

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``step`` has something to do."""
        self._host.listen(wake)
        self._board.listen(wake)

    def start(self) -> None:
        """Real time begins: give each bus its own thread."""
        self._board.start()

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now``. Return when to come again. Raise Finished when the test is over."""
        self._host.advance(now)
        for edge in self._board.poll(now):
            self.trials.edge(edge)
        for number, seat in self._board.seats.items():
            answered = isinstance(seat.screen, Oled) and seat.screen.answered
            self.trials.fault(number, seat.screen.fault, button_fault(seat.buttons), answered)
        self.trials.tick(now)
        if self.trials.over:
            raise Finished
        for number in self._board.seats:
            self._show(number)
        self._board.flush(now)
        times = (self.trials.deadline(), self._board.deadline(), self._host.deadline())
        return min(at for at in times if at is not None)

    def close(self) -> None:
        """Darken the panels, let pins and buses go. A second call does nothing."""
        self._board.close()
        self._host.close()

    def _show(self, number: int) -> None:
        seat, page, lit = self._board.seats[number], self.trials.page(number), self.trials.lamp(number)
        if self._shown.get(number) != page:
            self._shown[number] = page
            seat.screen.show(draw(page, self._words))
        if seat.lamp is not None and self._lit.get(number) != lit:
            self._lit[number] = lit
            seat.lamp.set(lit)
