"""The rig of ``table_rig`` on simulated wires: fingers on contacts, real drivers, panels that can be read."""

from screen_reader import read
from table_rig import Rig

from firmware.chance import Shuffler, bots
from firmware.simulation import Simulation
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware.profile import load_profile


class BoardRig(Rig):
    """Presses buttons of a simulated board, lets its time pass, and sees what shines on its panels."""

    def __init__(self, board="direct-2", *, seed=1, chance=None, fill=None, **options):
        profile = load_profile(board)
        self.seats = tuple(seat.number for seat in profile.seats)
        self.session = Session(
            self.seats, chance=chance or Shuffler(seed), bots=bots(seed), fill=fill, **options
        )
        self.simulation = Simulation(profile, self.session, catalogue(), seed=seed)
        self.wires = self.simulation.wires
        self.wait(1.0)

    @property
    def now(self):
        """Seconds, monotonic."""
        return self.simulation.now

    def wait(self, seconds):
        """Let time pass."""
        self.simulation.run_until(self.now + seconds)

    def doze(self, seconds, step_s=60.0):
        """Let much time pass: the computer gets to the table once in a step only."""
        end = self.now + seconds
        while self.now < end:
            self.simulation.step(min(self.now + step_s, end))

    def down(self, seat, button):
        """A finger presses the button, now."""
        self.wires.press(seat, button)

    def up(self, seat, button):
        """It lets the button go, now."""
        self.wires.release(seat, button)

    def pages(self, seat):
        """What shines on the seat's panel: 1,024 bytes in page order."""
        return self.wires.panel(seat).visible()

    def see(self, seat):
        """The same, read as a person does."""
        return read(self.pages(seat))

    def close(self):
        """Let the board go."""
        self.simulation.close()
