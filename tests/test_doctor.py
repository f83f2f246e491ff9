"""The check of a board: each fault that it can have is told apart, by a code of its own."""

import json
import os
import re
from importlib.util import find_spec

import msgspec
import pytest

from drivers.libraries import LIBRARIES, check_library
from drivers.pi import LibraryError
from drivers.probe import HELD_TRIES, TRIES, count_answers
from firmware.cli import main
from firmware.device.buses import BusCheck
from firmware.device.buttons import button_findings
from firmware.device.findings import Finding, as_json, gravest, verdict
from firmware.device.instance import only_instance
from firmware.device.speeds import slow_bus
from firmware.exits import Exit
from firmware.faults import Plan, parse_fault
from firmware.simulation import SimHost
from hardware.errors import BusError
from hardware.profile import board_names, load_profile
from hardware.sim.sh1106 import SH1106


def found(board, *faults):
    """What is found on a simulated board with these faults."""
    profile = load_profile(board)
    host = SimHost(profile)
    host.happenings.append(Plan(host, [parse_fault(text, profile) for text in faults]))
    host.advance(0.0)
    return [*BusCheck(profile, host.buses, host.clock).findings(), *button_findings(host)]


def faulty(findings):
    """Those that are no good news, as place and code."""
    return [(re.sub(r" \(.*", "", one.place), one.code) for one in findings if one.code is not Exit.DONE]


@pytest.mark.parametrize("board", board_names())
def test_a_board_as_it_should_be_has_no_faults(board):
    """Buses, muxes, expanders and panels answer 20 of 20 questions, and every bus has its speed."""
    findings = found(board)
    profile = load_profile(board)
    assert faulty(findings) == []
    places = {re.sub(r" \(.*", "", one.place) for one in findings}
    assert {f"panel of seat {seat.number}" for seat in profile.wired} <= places
    assert {f"mux {name}" for name in profile.muxes} <= places
    assert {f"expander {name}" for name in profile.expanders} <= places
    assert sum("20 of 20" in one.text for one in findings) == len(profile.wired) + len(profile.muxes) + len(
        profile.expanders
    )


def test_a_profile_that_says_100_khz_is_told_what_it_costs():
    """A bus below 400 kHz that runs as the profile says is no fault, but a warning with what to do."""
    profile = load_profile("direct-2")
    slow = {name: msgspec.structs.replace(bus, speed=100_000) for name, bus in profile.buses.items()}
    profile = msgspec.structs.replace(profile, buses=slow)
    host = SimHost(profile)
    (finding,) = (
        one for one in BusCheck(profile, host.buses, host.clock).findings() if "runs at" in one.text
    )
    assert finding.code is Exit.DONE
    assert "a whole picture takes 94 ms" in finding.text
    assert "i2c_arm_baudrate=400000" in finding.text


def test_what_a_slow_bus_means():
    """Below 400 kHz it is told how long a picture takes and what to do; an unknown clock is no news."""
    assert slow_bus(None) is None
    assert slow_bus(400_000) is None
    assert slow_bus(100_000) == (
        "a whole picture takes 94 ms: for 400 kHz put dtparam=i2c_arm_baudrate=400000 into config.txt"
    )


CASES = [
    ("unplug:3", [("panel of seat 3", Exit.ABSENT)]),
    ("flaky:3=0.1", [("panel of seat 3", Exit.INTERMITTENT)]),
    ("chip:3=sh1106", [("panel of seat 3", Exit.WRONG_CHIP)]),
    ("chip:3=other", [("panel of seat 3", Exit.WRONG_CHIP)]),
    ("hang:3", [("panel of seat 3", Exit.BUS)]),
    ("shared:3", [("bus main, 0x3C", Exit.SHARED)]),
    ("unplug:hub", [("mux hub", Exit.DEAD_MUX)]),
    ("flaky:hub=0.3", [("mux hub", Exit.INTERMITTENT)]),
    ("speed:main=100000", [("bus main", Exit.SLOW_BUS)]),
    ("speed:main=12000", [("bus main", Exit.SLOW_BUS)]),
    ("hang:main", [("mux hub", Exit.BUS)]),
    ("stuck:4.mark", [("buttons of seat 4", Exit.STUCK)]),
]


@pytest.mark.parametrize("board", ["direct-6", "direct-6-usermux"])
@pytest.mark.parametrize(("fault", "expected"), CASES)
def test_faults_are_told_apart(board, fault, expected):
    """One fault gives one finding, of its kind and at its place, whoever drives the mux."""
    assert faulty(found(board, fault)) == expected


def test_a_chip_at_the_muxs_address_that_is_no_mux():
    """It acknowledges, but keeps no mask: a wrong chip, and nothing behind it is asked."""
    findings = found("direct-6-usermux", "chip:hub")
    assert faulty(findings) == [("mux hub", Exit.WRONG_CHIP)]
    assert not [one for one in findings if "panel" in one.place]


@pytest.mark.parametrize(
    ("fault", "code"),
    [("unplug:b", Exit.ABSENT), ("flaky:b=0.2", Exit.INTERMITTENT), ("chip:b", Exit.WRONG_CHIP)],
)
def test_expanders(fault, code):
    """An expander is absent, intermittent, or another chip that does not keep its registers."""
    assert faulty(found("expander-6", fault)) == [("expander b", code)]


def test_a_stuck_button_on_an_expander_is_named():
    """Down at the start: named with its seat."""
    (finding,) = (one for one in found("expander-6", "stuck:6.play") if one.code is not Exit.DONE)
    assert (finding.place, finding.code) == ("buttons of seat 6", Exit.STUCK)
    assert "play" in finding.text


@pytest.mark.parametrize(("fault", "says"), [("absent:main", "no I2C bus"), ("denied:main", "may not open")])
def test_a_bus_that_cannot_be_opened(fault, says):
    """The bus is told with the reason, and nothing on it is asked."""
    finding, *others = found("direct-2", fault)
    assert (finding.code, says in finding.text) == (Exit.BUS, True)
    assert {re.sub(r" of.*", "", one.place) for one in others} == {"buttons"}


def test_several_faults_each_have_their_finding():
    """All are listed; the exit code is that of the gravest."""
    findings = found("direct-6-usermux", "unplug:1", "flaky:2=0.1", "chip:5=sh1106")
    assert faulty(findings) == [
        ("panel of seat 1", Exit.ABSENT),
        ("panel of seat 2", Exit.INTERMITTENT),
        ("panel of seat 5", Exit.WRONG_CHIP),
    ]
    assert gravest(findings) is Exit.WRONG_CHIP


def test_the_check_leaves_panels_dark_and_the_mux_closed_or_on_one_channel():
    """After it no panel shines, and at most one channel is open."""
    profile = load_profile("direct-6-usermux")
    host = SimHost(profile)
    assert faulty(BusCheck(profile, host.buses, host.clock).findings()) == []
    assert not any(host.wires.panel(seat.number).lit for seat in profile.seats)
    assert host.wires.muxes["hub"].mask.bit_count() <= 1


def test_three_kinds_of_answers_have_three_codes():
    """0 of 20, some of 20 and 20 of 20 end the command with different codes (one probe is no evidence)."""
    codes = {gravest(found("direct-2", *faults)) for faults in ((), ("unplug:1",), ("flaky:1=0.1",))}
    assert codes == {Exit.DONE, Exit.ABSENT, Exit.INTERMITTENT}


def test_a_held_bus_is_not_asked_twenty_times():
    """Each failure takes as long as the adapter's time-out: after three without an answer it is clear."""
    asked = []

    def ask():
        asked.append(1)
        raise BusError(110, "timed out")

    answers = count_answers(ask)
    assert (answers.count, answers.held, len(asked)) == (0, True, HELD_TRIES)

    def sometimes():
        asked.append(1)
        if len(asked) % 5:
            raise BusError(110, "timed out")

    asked.clear()
    assert not count_answers(sometimes).held or len(asked) == HELD_TRIES
    assert TRIES == 20


def test_a_panel_that_cannot_be_read_is_no_fault():
    """Many modules never drive SDA: what is read is all ones, and the kind stays unknown."""

    class Deaf(SH1106):
        """Answers, but cannot be read."""

        def read(self, count):
            return b"\xff" * count

    profile = load_profile("direct-2")
    host = SimHost(profile)
    trunk = host.wires.buses["main"].trunk
    trunk.detach(host.wires.panel(1))
    trunk.attach(Deaf(0x3C))
    findings = [*BusCheck(profile, host.buses, host.clock).findings()]
    assert faulty(findings) == []
    assert any("its kind cannot be read" in one.text for one in findings)


# The command


def test_the_command_prints_findings_and_ends_with_the_gravest_code(capsys):
    """A line a finding, the kind of fault in front."""
    assert main(["doctor", "--sim", "--board", "direct-2", "--fault", "unplug:2"]) == Exit.ABSENT
    printed = capsys.readouterr().out
    assert re.search(r"^absent +panel of seat 2 \(bus main, 0x3D\): 0 of 20", printed, re.MULTILINE)
    assert re.search(r"^ok +panel of seat 1 ", printed, re.MULTILINE)


def test_the_command_prints_json(capsys):
    """One object: exit code, its name, and every finding with place, verdict, code and text."""
    assert main(["doctor", "--sim", "--board", "direct-2", "--fault", "unplug:2", "--json"]) == Exit.ABSENT
    answer = json.loads(capsys.readouterr().out)
    assert (answer["exit"], answer["verdict"]) == (13, "absent")
    (absent,) = [one for one in answer["findings"] if one["code"]]
    assert absent["place"].startswith("panel of seat 2")
    assert set(absent) == {"place", "verdict", "code", "text"}


def test_while_a_table_runs_only_the_computer_is_looked_at(tmp_path, capsys):
    """A second process on the bus would disturb the first: it is named, and no hardware is touched."""
    with only_instance(tmp_path):
        main(["doctor", "--board", "direct-2", "--runtime", str(tmp_path), "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    (table,) = [one for one in findings if one["place"] == "table"]
    assert (table["code"], f"process {os.getpid()}" in table["text"]) == (Exit.RUNNING, True)
    assert findings[-1] is table


def test_every_code_has_a_name_and_no_finding_is_no_fault():
    """Codes are distinct; their names are what the command prints."""
    assert len({verdict(code) for code in Exit}) == len(Exit)
    assert gravest([]) is Exit.DONE
    assert json.loads(as_json([Finding("x", Exit.DEAD_MUX, "y")]))["verdict"] == "dead mux"


def test_libraries_are_proved_by_a_function():
    """Those that are here work; one that is missing is told with what to do."""
    for name in LIBRARIES:
        if name != "lgpio" or find_spec("lgpio"):
            check_library(name)
        else:
            with pytest.raises(LibraryError, match="apt install python3-lgpio"):
                check_library(name)
