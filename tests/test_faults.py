"""Faults injected into a simulated board: their texts, and what each does to the chips and wires."""

import errno
from itertools import takewhile

import pytest

from firmware.errors import UsageError
from firmware.faultkinds import KINDS
from firmware.faults import Fault, Plan, drawn, faults_help, parse_fault
from firmware.simulation import SimHost
from hardware import link
from hardware.errors import BusError
from hardware.profile import load_profile
from hardware.seat import Button

SIX = load_profile("direct-6-usermux")
TWO = load_profile("direct-2")
MIXED = load_profile("mixed-4")
NOP = b"\x00\xe3"


def parsed(text):
    """A fault of the six-seat board."""
    return parse_fault(text, SIX)


class Bench:
    """A simulated board with faults, and the wires in hand."""

    def __init__(self, *texts, profile=SIX):
        self.host = SimHost(profile)
        self.host.happenings.append(Plan(self.host, [parse_fault(text, profile) for text in texts]))
        self.host.advance(0.0)
        self.bus = self.host.buses["main"]

    def answers(self, seat):
        """Whether the panel of a seat behind the mux acknowledges."""
        try:
            self.bus.write(0x70, bytes([1 << seat - 1]))
            self.bus.write(0x3C, NOP)
        except BusError:
            return False
        return True


def test_a_fault_is_read_with_its_defaults():
    """The place is needed; value, start and length have defaults."""
    assert parsed("unplug:3@5+10") == Fault("unplug", "3", "", 5.0, 10.0)
    assert parsed("slow:hub=0.2") == Fault("slow", "hub", "0.2", 0.0, None)
    assert parsed("flaky:main") == Fault("flaky", "main", "0.2", 0.0, None)
    assert parsed("stuck:2.play+3") == Fault("stuck", "2.play", "", 0.0, 3.0)
    assert str(parsed("slow:hub=0.2@1+2")) == "slow:hub=0.2@1+2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("unplug", "KIND:PLACE"),
        ("unplgu:3", "did you mean 'unplug'?"),
        ("unplug:7", "there is no place '7'; there are: 1, 2, 3, 4, 5, 6, hub"),
        ("stuck:3.paly", "did you mean '3.play'?"),
        ("slow:3=fast", "VALUE is a number from 0.001 to 10, not 'fast'"),
        ("slow:3=nan", "VALUE is a number"),
        ("unplug:3=2", "VALUE is for other kinds"),
        ("chip:3=sh1107", "VALUE is one of ssd1306, sh1106, ssd1309, other"),
        ("swap:3=9", "VALUE is one of 1, 2, 3, 4, 5, 6"),
        ("unplug:3@soon", "'soon' is no number of seconds"),
        ("unplug:3+-1", "'-1' is no number of seconds"),
        ("unplug:3@1e99", "'1e99' is no number of seconds"),
    ],
)
def test_what_is_no_fault_is_told(text, says):
    """One line says what the fault's text should be."""
    with pytest.raises(UsageError) as caught:
        parsed(text)
    assert says in str(caught.value)


def test_help_names_every_kind():
    """Each kind stands there with its places."""
    for name, kind in KINDS.items():
        assert f"{name}:{'|'.join(kind.places)}" in faults_help()


def test_faults_begin_and_end_in_time():
    """A panel is away from second 5 to second 8, and back after it, dark and with random memory."""
    bench = Bench("unplug:3@5+3")
    assert bench.host.deadline() == 5.0
    assert bench.answers(3)
    bench.host.advance(5.0)
    assert not bench.answers(3)
    assert bench.answers(2)
    bench.host.advance(7.9)
    assert not bench.answers(3)
    bench.host.advance(8.0)
    assert bench.answers(3)
    assert not bench.host.wires.panel(3).lit
    assert bench.host.deadline() is None


def test_a_mux_can_be_away_or_lose_its_selection():
    """Without the mux nobody behind it is heard; after a reset all its channels are closed."""
    bench = Bench("unplug:hub+1", "reset:hub@2")
    assert not bench.answers(1)
    bench.host.advance(1.0)
    assert bench.answers(1)
    assert bench.host.wires.muxes["hub"].mask == 1
    bench.host.advance(2.0)
    assert bench.host.wires.muxes["hub"].mask == 0


def test_slow_hanging_and_flaky_chips_fail_alone():
    """Only transfers that reach the chip take longer, time out, or are lost."""
    bench = Bench("slow:1=0.04", "hang:2=0.03", "flaky:3=0.5")
    for seat, took in ((4, 0.0), (1, 0.04), (2, 0.03)):
        before = bench.host.now
        assert bench.answers(seat) is (seat != 2)
        assert bench.host.now - before == pytest.approx(took, abs=0.001)
    bench.answers(2)
    assert {bench.answers(3) for _ in range(50)} == {True, False}
    assert all(bench.answers(4) for _ in range(50))


def test_a_bus_can_hang_as_a_whole():
    """Every transfer times out, the mux's included."""
    bench = Bench("hang:main=0.1")
    with pytest.raises(BusError) as caught:
        bench.bus.write(0x70, b"\x00")
    assert caught.value.errno == errno.ETIMEDOUT


def test_other_chips_stand_in_a_place():
    """A panel's status tells that it is another kind; at a mux's address something reads as zeros."""
    bench = Bench("chip:3=sh1106", "chip:hub@5")
    bench.answers(3)
    assert bench.bus.read(0x3C, 1)[0] & 0x0F == 0x08
    bench.host.advance(5.0)
    bench.bus.write(0x70, b"\x04")
    assert bench.bus.read(0x70, 1) == b"\x00"


def test_an_address_is_shared():
    """A second panel on the bus itself answers whatever the mux has open."""
    bench = Bench("shared:3+5")
    bench.bus.write(0x70, b"\x00")
    bench.bus.write(0x3C, NOP)
    bench.host.advance(5.0)
    with pytest.raises(BusError):
        bench.bus.write(0x3C, NOP)


@pytest.mark.parametrize(("profile", "one", "other"), [(SIX, 1, 4), (TWO, 1, 2)])
def test_panels_can_be_swapped(profile, one, other):
    """Two panels hang at each other's wires, addresses included, until the fault ends."""
    host = SimHost(profile)
    panels = host.wires.panel(one), host.wires.panel(other)

    def heard():
        """The panels that hear the two places, in their order."""
        found = []
        for seat in (one, other):
            screen = profile.seats[seat - 1].screen
            if screen.mux is not None:
                host.buses["main"].write(0x70, bytes([1 << screen.channel]))
            (panel,) = host.wires.buses["main"].trunk.heard_by(screen.address)
            found.append(panel)
        return tuple(found)

    assert heard() == panels
    host.happenings.append(Plan(host, [parse_fault(f"swap:{one}={other}+5", profile)]))
    host.advance(host.clock())
    assert heard() == panels[::-1]
    host.advance(host.clock() + 5.0)
    assert heard() == panels


def test_a_button_sticks():
    """Its line is low from the start until the fault ends."""
    bench = Bench("stuck:2.play+3")
    pin = SIX.seats[1].buttons.by_button()[Button.PLAY]
    line = bench.host.wires.lines[pin]
    line.set_pull("up")
    bench.host.advance(0.1)
    assert not line.level
    bench.host.advance(3.0)
    bench.host.advance(3.1)
    assert line.level


def test_a_node_is_absent_or_denied():
    """Transfers fail with the reason; when the fault ends the bus works, opened anew."""
    bench = Bench("absent:main+1", "denied:main@2+1")
    for at, error in ((0.0, errno.ENOENT), (2.0, errno.EACCES)):
        bench.host.advance(at)
        with pytest.raises(BusError) as caught:
            bench.bus.write(0x70, b"\x00")
        assert caught.value.errno == error
        bench.host.advance(at + 1.0)
        bench.bus.write(0x70, b"\x00")


def test_a_slow_bus():
    """Three hundred bytes take four times as long at 100 kHz as at 400."""
    took = []
    for texts in ((), ("speed:main",)):
        bench = Bench(*texts)
        bench.answers(1)
        before = bench.host.now
        bench.bus.write(0x3C, b"\x00" + b"\xe3" * 300)
        took.append(bench.host.now - before)
    assert took[1] / took[0] == pytest.approx(4)


def test_drawn_faults_are_repeatable_and_never_two_at_a_place():
    """A seed gives the same faults again; all end, and no place has a second before its first has ended."""
    first, second = ([*takewhile(lambda fault: fault.start < 500, drawn(7, SIX))] for _ in range(2))
    assert first == second
    assert first != [*takewhile(lambda fault: fault.start < 500, drawn(8, SIX))]
    assert len(first) > 50
    assert {fault.kind for fault in first} == {"unplug", "reset", "slow", "flaky", "hang"}
    ends = {}
    for fault in first:
        assert fault.start >= ends.get(fault.place, 0.0)
        ends[fault.place] = fault.start + fault.seconds


def test_faults_of_pods_and_of_wires_have_their_places():
    """What happens on wires happens to no pod, and the reverse; a pod and a panel can both be unplugged."""
    for text in ("unplug:3", "reset:4", "garble:3=0.2", "freeze:4", "stuck:3.play", "unplug:1", "slow:2"):
        assert str(parse_fault(text, MIXED)).startswith(text)
    for text in ("slow:3", "hang:4", "chip:3", "swap:1=3", "garble:1", "freeze:2", "garble:3=2"):
        with pytest.raises(UsageError, match=r"there is no place|VALUE is"):
            parse_fault(text, MIXED)


def test_drawn_faults_of_a_board_with_pods():
    """A seed draws for pods what can happen to pods, and for wires what can happen to wires."""
    drawn_ones = [*takewhile(lambda fault: fault.start < 500, drawn(7, MIXED))]
    of_pods = {fault.kind for fault in drawn_ones if fault.place in "34"}
    of_wires = {fault.kind for fault in drawn_ones if fault.place in "12"}
    assert of_pods == {"unplug", "reset", "garble", "freeze"}
    assert of_wires == {"unplug", "reset", "slow", "flaky", "hang"}


@pytest.mark.parametrize("kind", ["unplug", "garble=1", "freeze"])
def test_a_fault_of_a_pod_begins_and_ends(kind):
    """A pod that is unplugged, garbled or frozen answers nothing; afterwards it does again."""
    name, _, value = kind.partition("=")
    host = SimHost(MIXED)
    host.happenings.append(Plan(host, [Fault(name, "3", value or KINDS[name].value, 1.0, 2.0)]))
    pod = host.ports.pods[3]

    def answers(at):
        """Whether a hello is answered."""
        host.advance(at)
        if not pod.plugged:
            return False
        stream = pod.open("line")
        stream.write(link.frame(link.pack_hello(1, 1, 7)))
        for step in range(20):
            host.advance(at + 0.01 * step)
        answer = link.Decoder().feed(stream.read())
        stream.close()
        return any(link.parse_hello(message) is not None for message in answer)

    assert [answers(at) for at in (0.5, 2.0, 3.5)] == [True, False, True]
