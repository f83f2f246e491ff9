"""From a button edge to the panel's memory: process time of each stroke over a game of two players, bots off.

Run: .venv/bin/python bench/latency.py
"""

import statistics
import time

from engine.rules import Rules
from engine.views import Phase
from firmware.chance import Shuffler, bots
from firmware.simulation import Simulation
from firmware.table.session import Session
from firmware.table.words import catalogue
from hardware.profile import load_profile
from hardware.seat import Button


def main() -> None:
    """Play by the presses that are always legal, and time those that changed a picture."""
    profile = load_profile("direct-2")
    session = Session((1, 2), chance=Shuffler(1), bots=bots(1), rules=Rules())
    simulation = Simulation(profile, session, catalogue(), seed=1)
    times: list[float] = []

    def press(seat: int, button: Button, stroke_s: float = 0.08) -> None:
        for act, span in ((simulation.wires.press, stroke_s), (simulation.wires.release, 0.5)):
            before = session.version
            act(seat, button)
            began = time.process_time()
            simulation.run_until(simulation.now + 0.04)  # bounce, debounce, decision, drawing, transfer
            if session.version != before:
                times.append(time.process_time() - began)
            simulation.run_until(simulation.now + span)

    simulation.run_until(1.0)
    press(1, Button.LEFT)
    press(2, Button.LEFT)
    press(1, Button.PLAY)
    while session.state is not None and session.state.phase is not Phase.OVER:
        state = session.state
        seat = state.dealer if state.phase is Phase.DEAL else state.turn
        assert seat is not None
        press(seat, Button.RIGHT)
        if state.trick:
            press(seat, Button.MARK, 0.8)
        press(seat, Button.PLAY)
    times.sort()
    print(f"{len(times)} edges that the session took in, process time from edge to panel memory:")
    print(
        f"median {statistics.median(times) * 1000:.2f} ms, 99 % {times[len(times) * 99 // 100] * 1000:.2f} ms"
    )


if __name__ == "__main__":
    main()
