"""The check of a board's buttons: their pins, and those that are down while nobody presses."""

from collections.abc import Iterator

from drivers.board import open_board
from drivers.buttons import NoButtons, PinButtons
from drivers.expander import ExpanderButtons
from firmware.device.findings import Finding
from firmware.exits import Exit
from firmware.live import Host
from hardware.seat import Buttons


def button_fault(buttons: Buttons | None) -> tuple[Exit, str] | None:
    """What is wrong with a seat's buttons: its kind, and in words; None if nothing is."""
    if buttons is None or buttons.fault is None:
        return None
    if isinstance(buttons, NoButtons):
        return Exit.PINS, buttons.fault
    if isinstance(buttons, PinButtons | ExpanderButtons) and buttons.stuck:
        return Exit.STUCK, buttons.fault
    return Exit.ABSENT, buttons.fault


def button_findings(host: Host) -> Iterator[Finding]:
    """Open the board, look once, close it again. What a chip does not answer is for the check of buses."""
    host.advance(host.clock())
    with open_board(host.profile, host.buses, host.pins, clock=host.clock) as board:
        board.flush(host.clock())
        for number, seat in board.seats.items():
            place = f"buttons of seat {number}"
            fault = button_fault(seat.buttons)
            if fault is None:
                yield Finding(place, Exit.DONE, "none is down")
            elif fault[0] is not Exit.ABSENT:
                yield Finding(place, *fault)
