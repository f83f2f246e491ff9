"""Seats with pods at a whole table: which pod has which seat, and one board of wires and pods."""

from pathlib import Path

import pytest
from test_pod_board import IDS, PLAY, Table, image

from drivers.joined import JoinedBoard
from drivers.pod import PodBoard
from drivers.podseat import PodPlace
from drivers.serialports import SerialPorts
from firmware.bindings import Bindings
from firmware.cli import main
from firmware.device.host import libraries_for
from firmware.exits import Exit
from firmware.seats import open_seats, pod_places
from firmware.simulation import SimHost
from hardware.frame import pack
from hardware.profile import load_profile, parse_profile
from hardware.seat import Button
from hardware.sim import podprocess

NAMED = f"""
title = "One pod is named, two are chosen"
[[seats]]
label = "a"
pod = "{IDS[1].upper()}"
rotate = 180
[[seats]]
label = "b"
pod = ""
[[seats]]
label = "c"
pod = ""
"""


def test_places_of_a_profile() -> None:
    """A seat has the pod that the profile names, else the one chosen; a named one is nobody else's."""
    bindings = Bindings(None)
    bindings.bind(1, IDS[4])
    bindings.bind(2, IDS[1])
    bindings.bind(3, IDS[3])
    assert [*pod_places(parse_profile(NAMED, "n.toml"), bindings)] == [
        PodPlace(1, "a", IDS[1], 180, fixed=True),
        PodPlace(2, "b", ""),
        PodPlace(3, "c", IDS[3]),
    ]


def test_named_pods_place_is_offered_to_nobody() -> None:
    """While a pod that the profile names is away, a spare one offers the next seat; its fault says why."""
    table = Table([PodPlace(1, "1", IDS[1], fixed=True), PodPlace(2, "2")])
    spare = table.plug("spare", IDS[8])
    table.run(3)
    assert spare.canvas.words[-1] == "   seat 2"
    assert table.board.seats[1].fault is not None
    assert f"pod {IDS[1]} is not there" in table.board.seats[1].fault
    assert "allows no other" in table.board.seats[1].fault
    spare.press(table.now + 0.1, PLAY)
    table.run(1)
    assert table.chosen == [(2, IDS[8])]


def test_lines_by_patterns(tmp_path: Path) -> None:
    """A path may be a pattern: each device that is there now, once, in order; no device is no error."""
    (tmp_path / "ttyUSB0").touch()
    (tmp_path / "ttyUSB1").touch()
    (tmp_path / "serial0").symlink_to(tmp_path / "ttyUSB1")
    ports = SerialPorts([f"{tmp_path}/serial0", f"{tmp_path}/ttyUSB*", f"{tmp_path}/ttyX*"], dev=tmp_path)
    assert [port.path for port in ports.find()] == [f"{tmp_path}/serial0", f"{tmp_path}/ttyUSB0"]


@pytest.mark.parametrize(("board", "kind"), [("mixed-4", JoinedBoard), ("pods-6", PodBoard)])
def test_board_of_a_profile(board: str, kind: type) -> None:
    """Wires and pods make one board, pods alone another; every seat of the profile is there, in order."""
    host = SimHost(load_profile(board))
    seats = open_seats(host)
    assert type(seats) is kind
    assert list(seats.seats) == [seat.number for seat in host.profile.seats]
    assert seats.down == ()
    seats.close()
    host.close()


def test_libraries_that_a_board_needs() -> None:
    """A board without wires needs pyserial only; one with wires all."""
    assert libraries_for(load_profile("pods-6")) == ("pyserial",)
    assert {"lgpio", "gpiozero", "smbus2", "luma.oled", "pyserial"} == {
        *libraries_for(load_profile("mixed-4"))
    }


class Simulated:
    """A simulated board in virtual time, without a game."""

    def __init__(self, board: str, *, chosen: bool = True) -> None:
        self.host = SimHost(load_profile(board), seed=3, chosen=chosen)
        self.board = open_seats(self.host)
        self.strokes: list[tuple[int, Button, bool]] = []

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.host.clock() + seconds
        now = self.host.clock()
        while now < end:
            self.host.advance(now)
            self.strokes += [(edge.seat, edge.button, edge.down) for edge in self.board.poll(now)]
            self.board.flush(now)
            times = [self.host.deadline(), self.board.deadline(), end]
            now = max(min(at for at in times if at is not None), self.host.clock() + 0.0001)
        self.host.advance(end)

    def fault(self, seat: int) -> str:
        """What is wrong with a seat."""
        return self.board.seats[seat].fault or ""


@pytest.fixture
def mixed():
    """A simulated mixed-4 that has begun."""
    table = Simulated("mixed-4")
    table.run(1)
    yield table
    table.board.close()
    table.host.close()


def test_press_on_a_simulated_pod(mixed) -> None:
    """A quick stroke on a bouncing contact is one press and one release, at a pod as at a wired seat."""
    for seat in (2, 3, 4):
        mixed.host.wires.press(seat, Button.MARK)
        mixed.host.wires.release(seat, Button.MARK)
        mixed.run(0.3)
    assert mixed.strokes == [(seat, Button.MARK, down) for seat in (2, 3, 4) for down in (True, False)]


def test_new_pods_are_chosen_by_play() -> None:
    """If nobody has chosen yet, simulated pods offer the first free seat, and PLAY on one takes it."""
    table = Simulated("pods-6", chosen=False)
    table.run(3)
    panels = [table.host.wires.panel(seat) for seat in range(1, 7)]
    assert len({panel.visible() for panel in panels}) == 1
    assert all("press PLAY" in table.fault(seat) for seat in range(1, 7))
    table.board.seats[1].screen.show(image(1))
    table.host.wires.press(4, Button.PLAY)
    table.host.wires.release(4, Button.PLAY)
    table.run(1)
    assert panels[3].visible() == pack(image(1))
    assert dict(table.host.bindings.pods) == {1: "e66141040331a503"}
    assert [bool(table.fault(seat)) for seat in range(1, 7)] == [False] + [True] * 5
    table.board.close()
    table.host.close()


def test_pictures_of_a_simulated_pod(mixed) -> None:
    """Whoever watches the board is told when a pod's picture has changed, and sees the new one."""
    told: list[tuple[int, bytes]] = []
    mixed.host.wires.watch(lambda seat: told.append((seat, mixed.host.wires.panel(seat).visible())))
    mixed.board.seats[3].screen.show(image(3))
    mixed.run(0.1)
    assert told[-1] == (3, pack(image(3)))


def test_lamp_of_a_simulated_pod(mixed) -> None:
    """The lamp is driven by the pod's program, and goes dark with the cable."""
    mixed.board.seats[3].lamp.set(True)
    mixed.run(0.1)
    assert mixed.host.wires.lamp(3) is True
    mixed.host.wires.unplug(3)
    assert mixed.host.wires.lamp(3) is False
    assert mixed.host.wires.panel(3).visible() == bytes(1024)


def test_faults_of_simulated_pods(mixed) -> None:
    """Pulled, frozen, garbled and reset, a pod is its own seat's fault, told in words, and comes back."""
    pods = mixed.host.wires.pods
    pods[3].unplug()
    mixed.run(0.2)
    assert "is not there" in mixed.fault(3)
    pods[3].plug()
    mixed.run(8)
    pods[4].freeze(True)
    mixed.run(5)
    assert "does not answer" in mixed.fault(4)
    pods[4].freeze(False)
    mixed.run(8)
    assert [mixed.fault(seat) for seat in range(1, 5)] == [""] * 4
    pods[3].noise = 1.0
    mixed.run(5)
    assert "does not answer" in mixed.fault(3)
    pods[3].noise = 0.0
    pods[4].reset()
    mixed.run(30)
    assert [mixed.fault(seat) for seat in range(1, 5)] == [""] * 4


TWO = """
title = "Two pods"
[[seats]]
label = "a"
pod = ""
[[seats]]
label = "b"
pod = ""
"""


def test_a_game_without_a_micropython(tmp_path: Path, monkeypatch, capsys) -> None:
    """Where no MicroPython is, pods run in real time on this Python, which is said; the game is the same."""
    monkeypatch.setattr(podprocess, "find_micropython", lambda: None)
    (tmp_path / "two.toml").write_text(TWO)
    arguments = ["play", "--sim", "--board", str(tmp_path / "two.toml"), "--bots", "2", "--seed", "2"]
    arguments += ["--games", "1", "--bot-delay", "0.01"]
    assert main(arguments) == Exit.DONE
    said, lit, game, dark = capsys.readouterr().out.splitlines()
    assert said.startswith("Without a MicroPython the pods' program runs on this Python")
    assert (lit, dark) == ("every panel is lit", "every panel is dark")
    assert main([*arguments, "--fast"]) == Exit.DONE
    assert capsys.readouterr().out.splitlines()[1] == game


@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ([], Exit.DONE, "ok            pod of seat 3: e66141040331a500 on"),
        (
            ["--fault", "unplug:3"],
            Exit.ABSENT,
            "absent        pod of seat 3: pod e66141040331a500 is not there",
        ),
        (
            ["--fault", "freeze:3"],
            Exit.ABSENT,
            "absent        pod of seat 3: the pod on pod line 3 does not answer",
        ),
    ],
)
def test_doctor_looks_at_pods(fault, code, says, capsys) -> None:
    """The doctor names each pod, its line and its build; one that does not work is told as absent."""
    assert main(["doctor", "--sim", "--board", "mixed-4", *fault]) == code
    told = capsys.readouterr().out
    assert says in told
    assert "ok            pod of seat 4: e66141040331a501 on pod line 4, build" in told


def test_pod_without_a_table_says_so(mixed) -> None:
    """A simulated pod whose table has gone draws its own picture, and shows which button is down."""
    mixed.board.close()
    mixed.host.advance(mixed.host.clock() + 5)
    alone = mixed.host.wires.panel(3).visible()
    assert any(alone)
    mixed.host.wires.press(3, Button.LEFT)
    for step in range(100):
        mixed.host.advance(mixed.host.clock() + 0.01 * step)
    pressed = mixed.host.wires.panel(3).visible()
    assert pressed != alone
    assert pressed[:768] == alone[:768]  # only the boxes at the bottom differ
