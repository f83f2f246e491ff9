"""Questions to chips of which nobody knows yet whether they are there: for the check of a board."""

import errno
from collections.abc import Callable
from dataclasses import dataclass

from drivers.oled import COMMANDS
from drivers.tca9548a import ABSENT
from hardware.bus import I2CBus

TRIES = 20
"""So often each chip is asked: a bad contact does not show in one answer."""
HELD_TRIES = 3
"""After so many failures in a row that are no missing answer, the bus is held."""

NOP, DISPLAY_OFF = 0xE3, 0xAE
"""Commands of all these panels (SSD1306 datasheet table 9-1, SH1106 commands 11 and 22)."""
OFF_BIT = 0x40
"""Status byte: set while the display is off (SSD1306 datasheet 8.1.1)."""
STATUS_BITS = {0x03: "ssd1306", 0x06: "ssd1306", 0x08: "sh1106"}
"""Lower bits of the status byte, as the chips that are sold give them; an SSD1309 reads as an SSD1306."""
NOTHING_DRIVEN = 0xFF
"""What is read if nobody pulls the wire: many modules cannot be read."""


@dataclass(frozen=True, slots=True)
class Answers:
    """How many questions were answered, of how many; ``held``: none was, and not for want of an answer."""

    count: int
    tries: int
    held: bool = False
    problem: str = ""
    """why the last question that failed did"""


def count_answers(ask: Callable[[], object], tries: int = TRIES) -> Answers:
    """Ask so often; ``ask`` raises BusError when there is no answer."""
    count = held = 0
    problem = ""
    for asked in range(1, tries + 1):
        try:
            ask()
        except OSError as error:
            problem = error.strerror or str(error)
            held = 0 if error.errno in ABSENT else held + 1
            if held == HELD_TRIES and not count:
                return Answers(0, asked, True, problem)
        else:
            count, held = count + 1, 0
    return Answers(count, tries, False, problem)


def ask_panel(bus: I2CBus, address: int) -> None:
    """Send a command that does nothing."""
    bus.write(address, bytes([*COMMANDS, NOP]))


def panel_kind(bus: I2CBus, address: int) -> str | None:
    """``"ssd1306"``, ``"sh1106"``, ``"other"`` for no panel, None if it cannot be read. It goes dark."""
    bus.write(address, bytes([*COMMANDS, DISPLAY_OFF]))
    status = bus.read(address, 1)[0]
    if status == NOTHING_DRIVEN:
        return None
    if not status & OFF_BIT:
        return "other"
    return STATUS_BITS.get(status & 0x0F)


def measure_speed(bus: I2CBus, address: int, clock: Callable[[], float], count: int = 200) -> float:
    """The bus's clock in Hz, by the time that so many commands to a panel take.

    A tenth of them, if the bus is so slow that the adapter gives up. Raise BusError if the bus fails.
    """
    began = clock()
    try:
        bus.write(address, COMMANDS + bytes([NOP]) * count)
    except OSError as error:
        if error.errno != errno.ETIMEDOUT:
            raise
        count //= 10
        began = clock()
        bus.write(address, COMMANDS + bytes([NOP]) * count)
    bits = 2 + 9 * (2 + count)  # START and STOP; address and control byte, and each command, with its answer
    return bits / (clock() - began)


def keeps_mask(bus: I2CBus, address: int) -> bool:
    """Whether a chip gives back each mask that it is given, as a TCA9548A does. It is left with none open."""
    kept = True
    for mask in [*(1 << channel for channel in range(8)), 0]:
        bus.write(address, bytes([mask]))
        kept &= bus.read(address, 1)[0] == mask
    return kept
