"""Seats on pods: found, bound, lost and found again, in virtual time."""

import errno
import random
from collections.abc import Callable

import pytest
from PIL import Image
from pod_rig import UART, USB, PodEnd

from drivers.joined import JoinedBoard
from drivers.pod import PodBoard
from drivers.podseat import PodPlace
from drivers.serialports import Port
from hardware.frame import pack
from hardware.seat import Button

IDS = [f"e66141040331a5{number:02x}" for number in range(9)]


def image(seed: int) -> Image.Image:
    """A picture that no other seed gives."""
    return Image.frombytes("1", (128, 64), random.Random(seed).randbytes(1024))


class WireStream:
    """The table's end of a pod's wires (``hardware.stream.Stream``)."""

    def __init__(self, name: str, end: PodEnd, clock: Callable[[], float]) -> None:
        self.name, self.end, self.clock = name, end, clock
        self.gone = self.closed = False

    def read(self) -> bytes:
        self._check()
        return self.end.to_table.read(self.clock())

    def write(self, data: bytes) -> int:
        self._check()
        return self.end.to_pod.write(data, self.clock())

    def _check(self) -> None:
        assert not self.closed
        if self.gone:
            raise OSError(errno.EIO, f"{self.name} was unplugged")

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        self.closed = True


class Table:
    """A PodBoard whose ports are wires to pods. ``edges``: all polled ones; ``faults``: each change."""

    def __init__(self, places: list[PodPlace]) -> None:
        self.now = 100.0
        self.ends: dict[str, PodEnd] = {}
        """the pods by the port at which each is plugged in"""
        self.refused: dict[str, OSError] = {}
        """ports that cannot be opened"""
        self.opened: list[tuple[float, str]] = []
        self.streams: dict[str, WireStream] = {}
        self.chosen: list[tuple[int, str]] = []
        self.edges: list = []
        self.faults: list[tuple[float, int, str | None]] = []
        self.places = places
        self.frozen = False
        self.open_board()

    def open_board(self) -> None:
        """The table's program starts anew."""
        self.chance = random.Random(4)
        self.board = PodBoard(
            self.places,
            self,
            draw=lambda: self.chance.getrandbits(16),
            clock=lambda: self.now,
            bound=lambda seat, pod: self.chosen.append((seat, pod)),
        )
        self._faults: dict[int, str | None] = dict.fromkeys(self.board.seats)

    # The ports

    def find(self) -> list[Port]:
        return [Port(path, end.pod._id.hex()) for path, end in self.ends.items()]

    def open(self, port: Port) -> WireStream:
        self.opened.append((self.now, port.path))
        if port.path in self.refused:
            raise self.refused[port.path]
        self.streams[port.path] = WireStream(port.path, self.ends[port.path], lambda: self.now)
        return self.streams[port.path]

    def plug(self, path: str, pod: str, rate: float = USB, **options: object) -> PodEnd:
        """Plug a pod in: it gets its power, and starts."""
        end = PodEnd(
            rate=rate, seed=self.chance.getrandbits(30), now=self.now, pod_id=bytes.fromhex(pod), **options
        )
        self.ends[path] = end
        return end

    def unplug(self, path: str) -> None:
        """Pull a pod off."""
        del self.ends[path]
        if path in self.streams:
            self.streams.pop(path).gone = True

    # Time

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while True:
            for pod in self.ends.values():
                pod.now = self.now
                pod.step_pod()
            due = [pod.due_pod() for pod in self.ends.values()]
            if not self.frozen:
                self.edges += self.board.poll(self.now)
                self.board.flush(self.now)
                for number, seat in self.board.seats.items():
                    if seat.screen.fault != self._faults[number]:
                        self._faults[number] = seat.screen.fault
                        self.faults.append((self.now, number, seat.screen.fault))
                due += [self.ends[path].to_table.due() for path in self.streams if path in self.ends]
                due.append(self.board.deadline())
            if self.now >= end:
                return
            self.now = min(max(min(due), self.now + 0.001), end)

    def show(self) -> None:
        """A picture of its own on every seat's screen, and every second lamp on."""
        for number, seat in self.board.seats.items():
            seat.screen.show(image(number))
            if seat.lamp is not None:
                seat.lamp.set(number % 2 == 0)

    def right(self, number: int, end: PodEnd) -> bool:
        """Whether a pod has the picture and the lamp of a seat."""
        lamp = end.desk.lamps[-1] if end.desk.lamps else None
        return end.pod.picture == pack(image(number)) and lamp == (number % 2 == 0)

    def strokes(self, number: int) -> list[tuple[Button, bool]]:
        """The edges of one seat."""
        return [(edge.button, edge.down) for edge in self.edges if edge.seat == number]


STROKE = [(Button.MARK, True), (Button.MARK, False)]
MARK, PLAY = 2, 3


@pytest.fixture
def six():
    """Six seats with their pods, all at work."""
    table = Table([PodPlace(number, f"Seat {number}", IDS[number]) for number in range(1, 7)])
    for number in range(1, 7):
        table.plug(f"/dev/serial/by-id/{number}", IDS[number])
    table.show()
    table.run(1)
    return table


def test_six_pods_show_their_seats(six):
    """Within a second all six pods have their own seat's picture and lamp, and no seat has a fault."""
    for number in range(1, 7):
        assert six.right(number, six.ends[f"/dev/serial/by-id/{number}"])
    assert six.faults == []
    assert list(six.board.seats) == [1, 2, 3, 4, 5, 6]


def test_presses_are_their_seats(six):
    """A stroke on one pod is one press and one release of that seat, at the times of the contacts."""
    for number in range(1, 7):
        six.ends[f"/dev/serial/by-id/{number}"].press(six.now + 0.1 * number, MARK)
    started = six.now
    six.run(1)
    for number in range(1, 7):
        assert six.strokes(number) == STROKE
    assert [edge.seat for edge in six.edges if edge.down] == [1, 2, 3, 4, 5, 6]
    assert six.edges[0].at == pytest.approx(started + 0.1, abs=0.005)


def test_swapped_names_keep_their_seats(six):
    """Two pods that come back under each other's names keep their seats within 3 s, presses included."""
    for path in ("/dev/serial/by-id/2", "/dev/serial/by-id/5"):
        six.unplug(path)
    six.run(2)
    two = six.plug("/dev/serial/by-id/5", IDS[2])
    five = six.plug("/dev/serial/by-id/2", IDS[5])
    six.run(3)
    assert six.right(2, two)
    assert six.right(5, five)
    six.edges.clear()
    two.press(six.now + 0.1, MARK)
    six.run(1)
    assert six.strokes(2) == STROKE
    assert six.strokes(5) == []


def test_unplugged_pod_is_told_at_once_and_logged_twice(six):
    """A pod that is pulled is a fault within 0.1 s; in 60 s there is no other change and no open."""
    pulled = six.now
    six.unplug("/dev/serial/by-id/3")
    six.opened.clear()
    six.run(60)
    assert [(number, fault is None) for _, number, fault in six.faults] == [(3, False)]
    at, _, fault = six.faults[0]
    assert at <= pulled + 0.1
    assert IDS[3] in fault
    assert "plug it in" in fault
    assert six.opened == []
    end = six.plug("/dev/serial/by-id/3", IDS[3])
    six.run(2)
    assert six.faults[1:] == [(six.faults[1][0], 3, None)]
    assert six.right(3, end)


def test_flapping_line_is_opened_once_a_second(six):
    """A line that breaks again and again is opened at most once a second, and makes few changes of fault."""
    six.opened.clear()
    six.faults.clear()
    for _ in range(600):
        if "/dev/serial/by-id/3" in six.streams:
            six.streams.pop("/dev/serial/by-id/3").gone = True
        six.run(0.1)
    assert len(six.opened) <= 61
    assert {number for _, number, _ in six.faults} == {3}
    assert len(six.faults) <= 10
    six.run(25)
    assert six.board.seats[3].screen.fault is None


def test_hold_over_an_unplugging_ends(six):
    """A button that was down when the pod was pulled is released when the pod is back, not before."""
    end = six.ends["/dev/serial/by-id/4"]
    end.plans.append((six.now + 0.05, 1 << MARK))
    six.run(0.2)
    six.unplug("/dev/serial/by-id/4")
    six.run(3)
    assert six.strokes(4) == [(Button.MARK, True)]
    six.plug("/dev/serial/by-id/4", IDS[4])
    six.run(2)
    assert six.strokes(4) == STROKE


def test_pod_that_falls_silent_with_a_button_down(six):
    """It is a fault before a stroke could be taken for a hold, until it has told of the button."""
    end = six.ends["/dev/serial/by-id/4"]
    pressed = six.now + 0.05
    end.plans.append((pressed, 1 << MARK))
    six.run(0.1)
    assert six.strokes(4) == [(Button.MARK, True)]
    end.start_pod(pod_id=bytes.fromhex(IDS[4]))
    end.to_table.tamper = lambda place, data: b""
    six.run(pressed + 0.6 - six.now)
    assert [(number, fault is None) for _, number, fault in six.faults] == [(4, False)]
    assert "fell silent while a button was down" in six.faults[0][2]
    end.to_table.tamper = None
    end.plans.append((six.now, 0))
    six.run(1)
    assert six.board.seats[4].fault is None
    assert six.strokes(4) == STROKE


def test_long_hold_is_no_fault(six):
    """A button that is held for five seconds on a line that works is no fault, and costs little."""
    end = six.ends["/dev/serial/by-id/4"]
    before = len(end.to_pod.log)
    end.plans += [(six.now + 0.05, 1 << MARK), (six.now + 5.05, 0)]
    six.run(6)
    assert six.strokes(4) == STROKE
    assert six.faults == []
    assert len(end.to_pod.log) - before < 1200


def test_half_strokes_are_none():
    """If the pod had to drop edges, the table sees no second press without a release, nor the reverse."""
    table = Table([PodPlace(1, "1", IDS[1])])
    end = table.plug("a", IDS[1])
    table.run(1)
    end.to_table.tamper = lambda place, data: b""
    for number in range(21):
        end.press(table.now + 0.01 + 0.09 * number, number % 2, 0.045)
    table.run(1.9)
    end.to_table.tamper = None
    table.run(3)
    down = set()
    for edge in table.edges:
        assert edge.down != (edge.button in down)
        (down.add if edge.down else down.remove)(edge.button)
    assert down == set()
    assert table.edges == sorted(table.edges, key=lambda edge: edge.at)


def test_unbound_pods_are_chosen_by_their_play_button():
    """Pods that nobody knows offer the first free seat; PLAY takes it, which is told for the next start."""
    table = Table([PodPlace(number, str(number)) for number in (1, 2)])
    table.show()
    ends = [table.plug(f"p{number}", IDS[number]) for number in (1, 2, 3)]
    table.run(3)
    assert [end.canvas.words[-1] for end in ends] == ["   seat 1"] * 3
    assert all("press PLAY" in fault for _, _, fault in table.faults)
    ends[2].press(table.now + 0.1, PLAY)
    table.run(0.5)
    assert table.chosen == [(1, IDS[3])]
    assert table.right(1, ends[2])
    assert ends[0].canvas.words[-1] == "   seat 2"
    assert table.strokes(1) == []
    ends[0].press(table.now + 0.1, PLAY)
    ends[1].press(table.now + 0.5, PLAY)
    table.run(1)
    assert table.chosen == [(1, IDS[3]), (2, IDS[1])]
    assert table.right(2, ends[0])
    assert ends[1].canvas.words[0] == "Spare pod"
    assert [seat.screen.fault for seat in table.board.seats.values()] == [None, None]


def test_second_pod_of_one_id_gets_no_seat():
    """It is offered none, its PLAY takes none, and nothing is remembered; it steps in when the first goes."""
    table = Table([PodPlace(1, "1", IDS[1]), PodPlace(2, "2"), PodPlace(3, "3")])
    first = table.plug("first", IDS[1])
    table.show()
    table.run(2)
    second = table.plug("second", IDS[1])
    third = table.plug("third", IDS[3])
    table.run(2)
    assert "seat" not in second.canvas.words[-1]
    for _ in range(3):
        second.press(table.now + 0.1, PLAY)
        table.run(1)
    assert table.chosen == []
    assert table.edges == []
    assert table.right(1, first)
    third.press(table.now + 0.1, PLAY)
    table.run(1)
    assert table.chosen == [(2, IDS[3])]
    table.unplug("first")
    table.run(2)
    assert table.right(1, second)


def test_spare_pod_takes_a_lost_pods_place(six):
    """While a seat's pod is missing, a spare one offers to take its place; the old one is then the spare."""
    spare = six.plug("spare", IDS[8])
    six.run(2)
    assert spare.canvas.words[0] == "Spare pod"
    six.unplug("/dev/serial/by-id/6")
    six.run(0.5)
    assert spare.canvas.words[-1] == "   seat 6"
    spare.press(six.now + 0.1, PLAY)
    six.run(0.5)
    assert six.right(6, spare)
    old = six.plug("/dev/serial/by-id/6", IDS[6])
    six.run(3)
    assert old.canvas.words[0] == "Spare pod"
    assert six.right(6, spare)
    assert old.pod.picture == bytes(1024)


def test_pod_that_moves_while_its_old_line_hangs(six):
    """A pod that appears on another line has its seat back, though its old line just hangs."""
    old = six.ends.pop("/dev/serial/by-id/2")
    old.to_pod.reading = False
    old.to_table.reading = False
    new = six.plug("elsewhere", IDS[2])
    six.run(4)
    assert six.right(2, new)
    assert six.board.seats[2].screen.fault is None
    new.press(six.now + 0.1, MARK)
    six.run(0.5)
    assert six.strokes(2) == STROKE


def test_pod_of_another_version_leaves_the_others_alone(six):
    """A pod with which no version is shared is a fault of its seat with both versions; the others play on."""
    six.unplug("/dev/serial/by-id/1")
    six.run(0.1)
    six.plug("/dev/serial/by-id/1", IDS[1], versions=(7, 9))
    six.run(3)
    fault = six.board.seats[1].screen.fault
    assert "versions 7 to 9" in fault
    assert "version 1" in fault
    assert "twentytwo pod flash" in fault
    six.ends["/dev/serial/by-id/2"].press(six.now + 0.1, MARK)
    six.run(0.5)
    assert six.strokes(2) == STROKE


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EBUSY, "/dev/ttyACM0 is in use by another program"), "in use"),
        (OSError(errno.EACCES, "may not open /dev/ttyACM0: add this user to its group"), "may not open"),
    ],
)
def test_line_that_cannot_be_opened(error, words):
    """A line that cannot be opened is its seat's fault, in words; the others play; it comes back."""
    table = Table([PodPlace(number, str(number), IDS[number]) for number in (1, 2)])
    table.show()
    table.refused["a"] = error
    one, two = table.plug("a", IDS[1]), table.plug("b", IDS[2])
    table.run(60)
    assert words in table.board.seats[1].screen.fault
    assert len(table.faults) == 1
    assert sum(path == "a" for _, path in table.opened) <= 61
    assert table.right(2, two)
    table.refused.clear()
    table.run(2)
    assert table.right(1, one)


def test_frozen_pod_does_not_disturb_others(six):
    """While a pod neither reads nor sends for 60 s, the others' presses arrive and their pictures change."""
    frozen = six.ends["/dev/serial/by-id/1"]
    frozen.to_pod.reading = False
    frozen.to_table.tamper = lambda place, data: b""
    other = six.ends["/dev/serial/by-id/2"]
    for number in range(60):
        six.board.seats[1].screen.show(image(1000 + number))
        six.board.seats[2].screen.show(image(2000 + number))
        other.press(six.now + 0.1, MARK)
        six.run(1)
        assert other.pod.picture == pack(image(2000 + number))
    assert six.strokes(2) == STROKE * 60
    assert len(frozen.to_pod.log) < 6000
    assert [number for _, number, _ in six.faults] == [1]
    frozen.to_pod.reading = True
    frozen.to_table.tamper = None
    six.run(1)
    assert frozen.pod.picture == pack(image(1059))


def test_frozen_table_comes_back(six):
    """A table that was stopped for 60 s has all pods again within 1.5 s, and no presses from before."""
    six.frozen = True
    six.ends["/dev/serial/by-id/2"].press(six.now + 1, MARK)
    six.run(60)
    assert all(end.pod.picture == bytes(1024) for end in six.ends.values())
    six.frozen = False
    six.run(1.5)
    assert all(six.right(number, six.ends[f"/dev/serial/by-id/{number}"]) for number in range(1, 7))
    assert six.edges == []


def test_table_that_starts_anew(six):
    """A new program at the same pods has them within a second; before that, their old pictures are gone."""
    six.streams.clear()
    six.open_board()
    six.run(0.05)
    assert all(end.pod.picture == bytes(1024) for end in six.ends.values())
    six.show()
    six.run(1)
    assert all(six.right(number, six.ends[f"/dev/serial/by-id/{number}"]) for number in range(1, 7))


def test_close_takes_the_pictures_away(six):
    """Closing the board ends all sessions: each pod's picture goes at once, and the lines are closed."""
    streams = list(six.streams.values())
    six.board.close()
    six.board.close()
    six.frozen = True
    six.run(0.05)
    assert all(end.pod.picture == bytes(1024) for end in six.ends.values())
    assert all(stream.closed for stream in streams)


def test_plugging_at_any_moment(six):
    """Pods that are pulled and plugged at random come back; each press is told once, and of its own seat."""
    chance = random.Random(9)
    pressed = dict.fromkeys(range(1, 7), 0)
    for _ in range(60):
        number = chance.randrange(1, 7)
        path = f"/dev/serial/by-id/{number}"
        if path in six.ends:
            six.unplug(path)
        else:
            six.plug(path, IDS[number])
        six.run(chance.uniform(0, 1.5))
        for other in range(1, 7):
            end = six.ends.get(f"/dev/serial/by-id/{other}")
            if end is not None and end.pod.in_session and six.board.seats[other].screen.fault is None:
                end.press(six.now + 0.01, MARK)
                pressed[other] += 1
        six.run(0.4)
    for number in range(1, 7):
        if f"/dev/serial/by-id/{number}" not in six.ends:
            six.plug(f"/dev/serial/by-id/{number}", IDS[number])
    six.run(3)
    for number in range(1, 7):
        assert six.right(number, six.ends[f"/dev/serial/by-id/{number}"])
        assert six.strokes(number) == STROKE * pressed[number]


def test_brightness_and_power_reach_the_pod():
    """Contrast and power of a seat's screen are the pod's panel's; a level outside 0 to 255 is refused."""
    table = Table([PodPlace(1, "1", IDS[1], lamp=False)])
    end = table.plug("a", IDS[1], UART)
    screen = table.board.seats[1].screen
    screen.set_contrast(3)
    table.run(1)
    assert end.pod.panel.contrast == 3
    screen.set_power(False)
    table.run(0.1)
    assert end.pod.panel.power is False
    with pytest.raises(ValueError, match="300"):
        screen.set_contrast(300)
    assert table.board.seats[1].lamp is None


def test_upside_down_pod_gets_its_picture_turned():
    """``rotate=180`` turns the picture."""
    table = Table([PodPlace(1, "1", IDS[1], rotate=180)])
    end = table.plug("a", IDS[1])
    table.board.seats[1].screen.show(image(1))
    table.run(1)
    assert end.pod.picture == pack(image(1).rotate(180))


def test_joined_boards():
    """Two boards are one: seats in order, edges of both, the earlier deadline; a seat on both is refused."""
    table = Table([PodPlace(3, "3", IDS[3])])
    other = Table([PodPlace(1, "1", IDS[1])])
    joined = JoinedBoard([table.board, other.board])
    assert list(joined.seats) == [1, 3]
    assert joined.deadline() == min(table.board.deadline(), other.board.deadline())
    assert joined.poll(100.0) == []
    joined.close()
    with pytest.raises(ValueError, match="seat 3"):
        JoinedBoard([table.board, table.board, Table([PodPlace(3, "3")]).board])
