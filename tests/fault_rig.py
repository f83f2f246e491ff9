"""A whole simulated table in virtual time while faults come and go, and an oracle on its wires and glass."""

from functools import partial
from itertools import takewhile

from engine.rules import Rules
from firmware.chance import Shuffler, bots
from firmware.device.play import REFRESH_S, GameLog
from firmware.faults import Plan, drawn
from firmware.live import Table
from firmware.simulation import SimHost
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware.frame import pack
from hardware.profile import load_profile
from hardware.sim.panel import Panel

HEALED_S = 15.0
"""A seat is itself again at most so long after its fault has passed."""


def drawn_until(seconds, seed, board):
    """The faults that a seed draws for a board, as far as they begin before."""
    return [*takewhile(lambda fault: fault.start < seconds, drawn(seed, load_profile(board)))]


class Meant:
    """All that was ever meant to be shown at one seat."""

    def __init__(self):
        self._pages = {(at, bytes(128)) for at in range(0, 1024, 128)}
        self._bytes = [{0} for _ in range(1024)]

    def add(self, frame):
        """This frame is."""
        for at, page in self._new_pages(frame):
            self._pages.add((at, page))
            for position, byte in enumerate(page, at):
                self._bytes[position].add(byte)

    def foreign(self, frame):
        """Positions of bytes that never were, in a frame that may be made of parts of several."""
        return [
            position
            for at, page in self._new_pages(frame)
            for position, byte in enumerate(page, at)
            if byte not in self._bytes[position]
        ]

    def _new_pages(self, frame):
        pages = [(at, frame[at : at + 128]) for at in range(0, 1024, 128)]
        return [entry for entry in pages if entry not in self._pages]


class FaultyTable:
    """Bots play games to 12 points at every seat. ``faults``: of a plan, in order of their starts."""

    def __init__(self, board, seed, faults=(), *, bot_delay_s=0.3, games=1):
        self.profile = load_profile(board)
        self.host = SimHost(self.profile, seed=seed)
        self.begun = []
        self._troubled_until = {}
        self.host.happenings.append(Plan(self.host, faults, self._begin))
        self.log = GameLog(games)
        seats = [seat.number for seat in self.profile.seats]
        self.session = Session(
            seats,
            chance=Shuffler(seed),
            bots=bots(seed),
            fill=dict.fromkeys(seats, "steady"),
            bot_delay_s=bot_delay_s,
            rules=Rules(limit=12),
            log=self.log,
        )
        self.table = Table(self.host, self.session, catalogue(), refresh=REFRESH_S)
        self.wanted = {}
        """what each seat's panel is to show"""
        self.waits = []
        """healthy seat, when it was to show something else, and bus time of chips with faults until it did"""
        self._lost = 0.0
        self._since = {}
        self._meant = {seat: Meant() for seat in seats}
        for seat in seats:
            self._spy(seat)
        self.host.wires.watch(self._changed)
        for bus in self.host.wires.buses.values():
            bus.log = []
            bus._passed = partial(self._passed, bus, bus._passed)

    def _passed(self, bus, passed, seconds):
        """Note the time that goes to chips with faults, and to what nobody answers."""
        passed(seconds)
        reached = [device for message in bus.log[-1].messages for device in message.reached]
        if bus.log[-1].error or not reached or any(self._faulty(device) for device in reached):
            self._lost += seconds

    def _faulty(self, device):
        """Whether a chip has a fault, or had one a while ago."""
        return self.host.now < self._troubled_until.get(id(device), 0.0)

    def _begin(self, fault):
        self.begun.append(fault)
        device = id(self._device(fault.place))
        until = fault.start + fault.seconds + HEALED_S
        self._troubled_until[device] = max(until, self._troubled_until.get(device, 0.0))

    def _device(self, place):
        wires = self.host.wires
        return wires.panel(int(place)) if place.isdigit() else {**wires.muxes, **wires.expanders}[place]

    def _spy(self, seat):
        """Note what the table's program wants to show at a seat."""
        screen = self.table.board.seats[seat].screen
        show = screen.show

        def spied(image):
            self.wanted[seat] = pack(image)
            if self.visible(seat) == self.wanted[seat]:
                self._since.pop(seat, None)
            else:
                self._since.setdefault(seat, (self.host.now, self._lost))
            self._meant[seat].add(self.wanted[seat])
            show(image)

        screen.show = spied

    def _changed(self, seat):
        """Nothing but what was meant for this seat ever shines at it, whole or in parts."""
        visible = self.visible(seat)
        if visible == self.wanted.get(seat) and seat in self._since:
            since, lost = self._since.pop(seat)
            if not self.troubled(seat, since, self.host.now - since):
                self.waits.append((seat, since, self._lost - lost))
        foreign = self._meant[seat].foreign(visible)
        assert not foreign, f"seat {seat} shows what was never meant for it, bytes {foreign[:5]}"

    def _check_wires(self):
        """Whatever is written to a panel's address reaches one panel, or none that is away."""
        for bus in self.host.wires.buses.values():
            for transfer in bus.log:
                for message in transfer.messages:
                    panels = [device for device in message.reached if isinstance(device, Panel)]
                    assert len(panels) <= 1, f"{len(panels)} panels heard {message.data[:8].hex()}"
            bus.log.clear()

    def visible(self, seat):
        """What shines at a seat."""
        return self.host.wires.panel(seat).visible()

    def step(self):
        """One step, to the next deadline."""
        due = self.table.step(self.host.now)
        self._check_wires()
        if due is not None:
            self.host.now = max(self.host.now, due)

    def play(self):
        """Step until the games are over."""
        while not self.log.full:
            self.step()

    def run(self, seconds):
        """Step for so long."""
        end = self.host.now + seconds
        while self.host.now < end:
            self.step()

    def troubled(self, seat, since, seconds):
        """Whether a fault of this seat, or of a chip that it shares, had to do with a wait."""
        return any(
            fault.place in (str(seat), *self.profile.muxes)
            and fault.start < since + seconds
            and since < fault.start + fault.seconds + HEALED_S
            for fault in self.begun
        )
