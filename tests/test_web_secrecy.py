"""A real table behind the page's server: a seat's socket tells nothing of what the others hold."""

import random
from contextlib import ExitStack

from conftest import WAIT_S
from websockets.sync.client import connect

from engine.cards import PACK
from engine.state import Phase
from firmware.chance import FixedPack, bots
from firmware.finished import MemoryGames
from firmware.simulation import Simulation
from firmware.simulator import Shown
from firmware.table.session import Session
from firmware.table.words import catalogue
from firmware.web.server import serve
from hardware.profile import load_profile
from hardware.seat import Button

SEATS = (1, 2, 3)


def seen_by_sockets(start, pack):
    """What each seat's own socket shows, step by step, from sitting down to the first lead."""
    session = Session(range(1, 7), chance=FixedPack(pack), bots=bots(1))
    simulation = Simulation(load_profile("direct-6-usermux"), session, catalogue(), seed=1)
    wires = simulation.wires
    shown = Shown(wires)
    serving = start(lambda ready, stop: serve(shown, MemoryGames(), port=0, ready=ready, stop=stop))
    own = f"127.0.0.1:{serving.port}"
    sockets, last, steps = {}, {}, {seat: [] for seat in SEATS}

    def wait(seconds):
        simulation.run_until(simulation.now + seconds)
        for seat, client in sockets.items():
            while last.get(seat) != wires.panel(seat).visible():
                message = client.recv(timeout=WAIT_S)
                if isinstance(message, bytes):
                    assert message[0] == seat
                    last[seat] = message[2:]
            steps[seat].append(last[seat])

    def press(seat, button):
        wires.press(seat, button)
        wait(0.08)
        wires.release(seat, button)
        wait(3.0)

    with ExitStack() as opened:
        for seat in SEATS:
            client = connect(f"ws://{own}/seat/{seat}/socket", origin=f"http://{own}")
            sockets[seat] = opened.enter_context(client)
        wait(1.0)
        for seat in SEATS:
            press(seat, Button.MARK)
        press(1, Button.PLAY)
        while session.state.phase is not Phase.PLAY:
            press(session.state.turn or session.state.dealer, Button.PLAY)
    simulation.close()
    return session.state, steps


def test_equal_sockets_where_only_others_differ(start):
    """Two deals differ only in two cards that seats 2 and 3 hold: seat 1's socket shows the same in both,
    step by step; theirs do not."""
    pack = random.Random(1).sample(PACK, 52)
    first, steps = seen_by_sockets(start, pack)
    hands = {seat.seat: seat.hand for seat in first.seats}
    one, other = hands[2][0], hands[3][0]
    assert one.rank != other.rank
    places = pack.index(one), pack.index(other)
    assert min(places) >= len(SEATS), "these cards were drawn for the first dealer"
    pack[places[0]], pack[places[1]] = other, one
    second, swapped = seen_by_sockets(start, pack)
    assert {seat.seat: seat.hand for seat in second.seats}[1] == hands[1]
    assert swapped[1] == steps[1]
    assert swapped[2] != steps[2]
    assert swapped[3] != steps[3]
