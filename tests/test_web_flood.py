"""A page that floods the simulated table with presses freezes nobody, itself included."""

import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

from conftest import WAIT_S
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from firmware.finished import MemoryGames
from firmware.simulator import Shown
from firmware.web.server import serve
from hardware.profile import load_profile
from hardware.sim.tree import SimBoard

TWENTYTWO = Path(sys.executable).parent / "twentytwo"
BURST = [
    f"{verb} 1 {button}"
    for _ in range(1000)
    for button in ("left", "right", "mark", "play")
    for verb in ("press", "release")
]


def closures(board, seat):
    """When each contact of a seat has closed since now, in virtual time."""
    closed = []
    for pin in board.profile.seats[seat - 1].buttons.by_button().values():
        line = board.lines[pin]
        line.set_pull("up")
        line.watch(lambda at, level: None if level else closed.append(at))
    return closed


def test_a_burst_of_8000_messages_is_a_stroke_of_each_button(start):
    """A burst on one socket is over within 0.1 s at the table, and another seat's click comes in time."""
    board = SimBoard(load_profile("direct-6-usermux"), bounce_ms=0)
    shown = Shown(board)
    flooded, other = closures(board, 1), closures(board, 2)
    let_go = threading.Event()
    release = shown.release
    shown.release = lambda seat, button: (release(seat, button), let_go.set() if seat == 2 else None)
    address = start(lambda ready, stop: serve(shown, MemoryGames(), port=0, ready=ready, stop=stop)).address
    url, origin = address.replace("http", "ws") + "socket", address.rstrip("/")
    board.advance(1.0)
    with connect(url, origin=origin) as flood:
        for message in BURST:
            flood.send(message)
        flood.send("press 1 play")
        flood.send("press 2 play")
        flood.send("release 2 play")
        assert let_go.wait(WAIT_S)
    while (due := board.deadline()) is not None and due <= 1.2:
        board.advance(due)
    assert 4 <= len(flooded) <= 5
    assert max(flooded) <= 1.1
    assert other == [1.0]


def test_ctrl_c_ends_a_flooded_table(tmp_path):
    """While a page floods it, the table's process ends on SIGTERM as if nobody were there, code 0."""
    process = subprocess.Popen(
        [TWENTYTWO, "sim", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        url, origin = address.replace("http", "ws") + "socket", address.rstrip("/")
        sent = threading.Semaphore(0)

        def flood():
            try:
                with connect(url, origin=origin) as client:
                    while True:
                        for message in BURST:
                            client.send(message)
                        sent.release()
            except (ConnectionClosed, OSError):
                sent.release()

        thread = threading.Thread(target=flood)
        thread.start()
        assert sent.acquire(timeout=WAIT_S)
        process.send_signal(signal.SIGTERM)
        _, complaints = process.communicate(timeout=WAIT_S)
        thread.join(WAIT_S)
        assert process.returncode == 0
        assert complaints == ""
    finally:
        process.kill()
