"""Wiring: drawings, tables, bill of materials and boot configuration that follow from a board's profile."""

import csv
import io
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from gpiozero.pins.pi import PiBoardInfo

from firmware.cli import main
from firmware.errors import EXTRAS, UsageError
from firmware.pod import pins
from firmware.wiring.boot import boot_lines
from firmware.wiring.currents import LAMP_OHM, LAMP_VOLTS, budgets_of, loads_of
from firmware.wiring.header import HEADER, pin_of
from firmware.wiring.joins import plan_of
from firmware.wiring.pico import PICO_PINS
from firmware.wiring.plan import PI, POD, Plan
from firmware.wiring.reach import CABLE_FARAD, CHIP_FARAD, SINK_LIMIT, bus_reach
from firmware.wiring.signals import SIGNALS
from firmware.wiring.tables import bill_table, pin_table, wire_table
from firmware.wiring.write import files_of
from hardware.profile import Bit, Profile, board_names, load_profile, parse_profile
from hardware.seat import Button

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs/wiring"
SVG = "{http://www.w3.org/2000/svg}"

SMALL = """
title = "Two & <few>"
active = "low"

[buses.main]
number = 1

[[seats]]
label = "a<b"
screen = { chip = "ssd1306", bus = "main", address = 0x3C }
buttons = { left = 5, right = 6, mark = 13, play = 19 }
lamp = 26

[[seats]]
label = "\\"&"
screen = { chip = "ssd1306", bus = "main", address = 0x3D }
buttons = { left = 21, right = 20, mark = 16, play = 12 }
"""


ODD = """
title = "Lamps elsewhere than buttons, two panels on one channel"

[buses.main]
adapter = "bcm2835 (i2c@7e804000)"

[muxes.hub]
bus = "main"
address = 0x75

[expanders.under_the_window]
bus = "main"
address = 0x27

[[seats]]
label = "Nordfenster!"
screen = { chip = "sh1106", mux = "hub", channel = 7, address = 0x3C, rotate = 180 }
buttons = { left = 5, right = 6, mark = 13, play = 19 }
lamp = "under_the_window.GPB7"

[[seats]]
label = "Door"
screen = { chip = "ssd1306", mux = "hub", channel = 7, address = 0x3D }
buttons = { left = 21, right = 20, mark = 16, play = 12 }

[[seats]]
label = "3"
screen = { chip = "ssd1309", mux = "hub", channel = 0, address = 0x3C }
lamp = 4
[seats.buttons]
left = "under_the_window.GPA0"
right = "under_the_window.GPA6"
mark = "under_the_window.GPB6"
play = "under_the_window.GPB0"
"""


ON_WIRES = tuple(name for name in board_names() if not load_profile(name).pods)
"""The bundled boards whose seats are all on wires."""
WITH_PODS = tuple(name for name in board_names() if load_profile(name).pods)


@pytest.fixture(params=[*ON_WIRES, "odd"])
def any_plan(request: pytest.FixtureRequest) -> Plan:
    """Every bundled board's plan, and that of a board with all that they lack."""
    if request.param == "odd":
        return plan_of(parse_profile(ODD, "odd.toml"))
    return plan_of(load_profile(request.param))


@pytest.fixture(params=ON_WIRES)
def plan(request: pytest.FixtureRequest) -> Plan:
    """The plan of every bundled board whose seats are all on wires."""
    return plan_of(load_profile(request.param))


def small(*changes: tuple[str, str]) -> Profile:
    """A board of two seats, with parts of its text replaced."""
    text = SMALL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_profile(text, "small.toml")


def drawn(plan: Plan) -> dict[str, ElementTree.Element]:
    """The parsed drawings by file name."""
    return {name: ElementTree.fromstring(text) for name, text in files_of(plan, "svg").items()}


def the(sheets: dict[str, ElementTree.Element], subject: str) -> ElementTree.Element:
    """The one drawing of a subject: ``header``, ``bus``, ``expander-a``, ``seat-1``."""
    (sheet,) = (sheet for name, sheet in sheets.items() if re.fullmatch(rf"sheet-\d+-{subject}\.svg", name))
    return sheet


def wires_in(sheet: ElementTree.Element) -> set[tuple[str, str, str]]:
    """Signal and both ends of each wire that a drawing shows."""
    return {
        (group.attrib["data-signal"], group.attrib["data-from"], group.attrib["data-to"])
        for group in sheet.iter(f"{SVG}g")
        if "data-wire" in group.attrib
    }


def chip_pin(bit: Bit) -> int:
    """The pin of an MCP23017 in its SPDIP package: GPB0 to GPB7 are 1 to 8, GPA0 to GPA7 are 21 to 28."""
    return bit.number + 21 if bit.number < 8 else bit.number - 7


def words_in(sheet: ElementTree.Element) -> set[str]:
    """The texts of a drawing."""
    return {"".join(text.itertext()) for text in sheet.iter(f"{SVG}text")}


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a table by heading."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("revision", [0x902120, 0xA02082, 0xC03111, 0xC04170])
def test_header_agrees_with_gpiozero(revision: int) -> None:
    """Numbers and names of the header's pins are those that gpiozero has for the Pi Zero 2 W, 3, 4 and 5."""
    theirs = PiBoardInfo.from_revision(revision).headers["J8"].pins
    for pin in HEADER:
        assert theirs[pin.number].name == pin.name
        if pin.gpio is not None:
            assert pin_of(pin.gpio) is pin


def test_every_signal_of_the_profile_is_drawn(any_plan: Plan) -> None:
    """Each button's and lamp's wire is on the sheets of both its ends, with the names of both in words."""
    sheets = drawn(any_plan)
    for seat in any_plan.profile.wired:
        own = the(sheets, f"seat-{seat.number}")
        for button, gpio in seat.buttons.by_button().items():
            pin = pin_of(gpio)
            wire = (button.name, f"Pi pin {pin.number} (GPIO{gpio})", f"seat {seat.number} {button.name} a")
            assert wire in wires_in(the(sheets, "header"))
            assert wire in wires_in(own)
            assert {str(pin.number), f"GPIO{gpio}", button.name} <= words_in(the(sheets, "header"))
            assert {wire[1], button.name} <= words_in(own)
        for button, bit in seat.buttons.bits().items():
            chip = the(sheets, f"expander-{bit.expander}")
            start = f"expander {bit.expander} pin {chip_pin(bit)} ({str(bit).partition('.')[2]})"
            wire = (button.name, start, f"seat {seat.number} {button.name} a")
            assert wire in wires_in(chip)
            assert wire in wires_in(own)
            assert {str(chip_pin(bit)), str(bit).partition(".")[2], button.name} <= words_in(chip)
            assert {start, button.name} <= words_in(own)
        if seat.lamp is not None:
            if seat.lamp_bit is None:
                start = f"Pi pin {pin_of(seat.lamp).number} (GPIO{seat.lamp})"
                source = the(sheets, "header")
            else:
                bit = seat.lamp_bit
                start = f"expander {bit.expander} pin {chip_pin(bit)} ({str(bit).partition('.')[2]})"
                source = the(sheets, f"expander-{bit.expander}")
            assert ("LAMP", start, f"seat {seat.number} resistor a") in wires_in(source)
            assert ("LAMP", start, f"seat {seat.number} resistor a") in wires_in(own)
            assert f"{LAMP_OHM} Ω" in words_in(own)
        address = f"0x{seat.screen.address:02X}"
        assert any(address in words and seat.screen.chip.upper() in words for words in words_in(own))


def test_every_wire_is_drawn_and_listed_once(any_plan: Plan) -> None:
    """Each wire is in wires.csv, on one sheet with a row to tick off, and drawn at both its ends."""
    sheets = drawn(any_plan)
    listed = [(row["signal"], row["from"], row["to"]) for row in rows(files_of(any_plan, "csv")["wires.csv"])]
    assert len(listed) == len(set(listed)) == len(any_plan.wires)
    for wire in any_plan.wires:
        parts = {wire.start.part, wire.end.part}
        chips = [part for part in parts if part.startswith("expander")]
        subject = f"seat-{wire.seat}"
        if wire.seat is None:
            subject = chips[0].replace(" ", "-") if chips else "bus"
        sheet = the(sheets, subject)
        ends = (wire.signal.name, str(wire.start), str(wire.end))
        assert ends in wires_in(sheet)
        assert ends in listed
        if PI in parts:
            assert ends in wires_in(the(sheets, "header"))
        if wire.start.part.startswith(("strip", "mux")):
            assert ends in wires_in(the(sheets, "bus"))
        for chip in chips:
            assert ends in wires_in(the(sheets, chip.replace(" ", "-")))
        assert {str(wire.number), *ends, wire.signal.colour} <= words_in(sheet)


def test_panels_reach_their_channel(any_plan: Plan) -> None:
    """A panel's lines come from its own channel of the mux, or from the strip where there is no mux."""
    for seat in any_plan.profile.wired:
        screen = seat.screen
        for signal, stub in (("SDA", "SD"), ("SCL", "SC")):
            (start,) = (
                str(wire.start)
                for wire in any_plan.wires_of(seat.number)
                if str(wire.end).endswith(f"panel {signal}")
            )
            assert start == (f"mux {screen.mux} {stub}{screen.channel}" if screen.mux else f"strip {signal}")


def test_pin_table_has_the_whole_header(any_plan: Plan) -> None:
    """pins.csv lists all 40 pins in order; a used one says where its wire goes, 5V and ID pins never have
    one."""
    header = [row for row in rows(pin_table(any_plan).csv()) if row["part"] == PI]
    assert [row["pin"] for row in header] == [str(number) for number in range(1, 41)]
    for row in header:
        wires = [
            wire
            for wire in any_plan.wires
            if f"Pi pin {row['pin']} ({row['name']})" in (str(wire.start), str(wire.end))
        ]
        assert len(wires) <= 1, "a pin takes one lead"
        ends = {str(end) for wire in wires for end in (wire.start, wire.end)}
        assert {row["goes to"]} == (ends - {f"Pi pin {row['pin']} ({row['name']})"} or {""})
        if row["name"] in ("5V", "GPIO0", "GPIO1"):
            assert row["goes to"] == ""


def test_buttons_share_one_ground_pin_near_them() -> None:
    """A seat's ground is a pin of its own on the side of the header where its buttons are."""
    plan = plan_of(load_profile("direct-6-usermux"))
    pins = {
        wire.seat: int(wire.start.pin)
        for wire in plan.wires
        if wire.start.part == PI and wire.signal.name == "GND" and wire.seat is not None
    }
    assert pins == {1: 9, 2: 25, 3: 39, 4: 34, 5: 20, 6: 14}


def test_quantities_match_the_profile(any_plan: Plan) -> None:
    """The bill has as many panels, buttons, lamps, resistors and leads as the profile has uses for them."""
    bill = {row["part"]: row for row in rows(bill_table(any_plan).csv())}
    seats = any_plan.profile.wired
    lamps = sum(seat.lamp is not None for seat in seats)
    assert sum(int(row["quantity"]) for part, row in bill.items() if part.startswith("OLED")) == len(seats)
    assert bill["push button"]["quantity"] == str(4 * len(seats))
    assert bill.get("LED", {}).get("quantity", "0") == str(lamps)
    assert bill.get(f"resistor {LAMP_OHM} Ω", {}).get("quantity", "0") == str(lamps)
    assert bill.get("breakout board TCA9548A", {}).get("quantity", "0") == str(len(any_plan.profile.muxes))
    for part in ("MCP23017-E/SP", "socket, 28 pins, 300 mil", "ceramic capacitor 100 nF"):
        assert bill.get(part, {}).get("quantity", "0") == str(len(any_plan.profile.expanders))
    used = sum(row["goes to"] != "" for row in rows(pin_table(any_plan).csv()) if row["part"] == PI)
    assert bill["jumper lead with a female end"]["quantity"] == str(used)
    if any_plan.profile.expanders:  # 0.2 m from the strip for each of four wires, and the links of its pins
        least = 0.3 * len(any_plan.profile.wired) + 0.8 + len(any_plan.profile.expanders)
        assert float(bill["hook-up wire"]["quantity"]) >= least


def test_currents_add_up(plan: Plan) -> None:
    """The bill's last row is the sum of its rows and of all loads, and equals the budget of the 3V3 pins."""
    *parts, total = rows(bill_table(plan).csv())
    for column, field in (("usual mA", "usual"), ("peak mA", "peak")):
        assert float(total[column]) == pytest.approx(sum(float(row[column]) for row in parts if row[column]))
        assert float(total[column]) == pytest.approx(
            sum(load.count * getattr(load, field) for load in loads_of(plan)), abs=0.01
        )
    assert budgets_of(plan)[0].peak == float(total["peak mA"])
    assert all(budget.kept for budget in budgets_of(plan))


def test_too_much_current_is_said() -> None:
    """Six large panels draw more than the 3V3 pins give; the page says so, and what to do."""
    text = (ROOT / "hardware/boards/direct-6-usermux.toml").read_text("utf-8").replace("ssd1306", "ssd1309")
    plan = plan_of(parse_profile(text, "large.toml"))
    assert not budgets_of(plan)[0].kept
    assert "Feed the strip's 3V3 rail from a 3.3 V regulator" in files_of(plan, "md")["README.md"]


def test_lamp_resistor_suits_every_pi() -> None:
    """Even an LED of the lowest voltage draws less than 4 mA, a Pi 4's standard drive strength."""
    assert (3.3 - min(LAMP_VOLTS)) / LAMP_OHM < 0.004


def test_bus_rises_in_time(plan: Plan) -> None:
    """At the length that the page allows, lines rise within 300 ns (UM10204, 7.1), and 3 mA pull them low."""
    for reach in bus_reach(plan):
        assert reach.sink <= SINK_LIMIT
        farad = (reach.metres * CABLE_FARAD + 2 * CHIP_FARAD) * 1e-12
        assert 0.8473 * reach.pull_up * farad <= 300e-9 * 1.02
        assert reach.metres >= 0.6, "the cable in the bill must not be too long"


@pytest.mark.parametrize("board", board_names())
def test_committed_files_are_what_the_command_writes(board: str) -> None:
    """docs/wiring holds for every bundled board what ``twentytwo wiring BOARD --out docs/wiring/BOARD``
    writes."""
    folder = DOCS / board
    files = files_of(plan_of(load_profile(board)), "all")
    assert {path.name for path in folder.iterdir()} == set(files)
    for name, text in files.items():
        same = (folder / name).read_bytes() == text.encode()
        assert same, f"run: twentytwo wiring {board} --out docs/wiring/{board}"


def test_output_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Two processes with different hash seeds write the same bytes."""
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        command = [sys.executable, "-m", "firmware.cli", "wiring", "direct-2", "--out", str(folder)]
        code = "import sys; from firmware.cli import main; sys.exit(main(sys.argv[1:]))"
        command[1:3] = ["-c", code]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]


@pytest.mark.parametrize("board", board_names())
def test_print_is_legible(board: str) -> None:
    """No text is smaller than 2.3 mm (6.5 pt), and nothing lies within 8 mm of the paper's edge."""
    for sheet in drawn(plan_of(load_profile(board))).values():
        for text in sheet.iter(f"{SVG}text"):
            assert float(text.attrib["font-size"]) >= 2.3
            assert 8 <= float(text.attrib["x"]) <= 202
            assert 8 <= float(text.attrib["y"]) <= 289


def test_signals_differ_without_colour() -> None:
    """In black and white each signal has a pattern of its own: dashes, or the brightness of an unbroken
    core."""
    looks = [(signal.dash, signal.core is None, signal.core == "#ffffff") for signal in SIGNALS]
    assert len(set(looks)) == len(SIGNALS)
    assert len({signal.colour for signal in SIGNALS}) == len(SIGNALS)


def test_no_pin_of_an_expander_floats() -> None:
    """Power, ground, bus, reset and the address pins of each chip are wired, the address as the profile has
    it."""
    profile = load_profile("expander-6")
    plan = plan_of(profile)
    for name, expander in profile.expanders.items():
        wired = {
            end.pin: wire.signal.name
            for wire in plan.wires
            for end in (wire.start, wire.end)
            if end.part == f"expander {name}"
        }
        assert {"VDD", "VSS", "SCL", "SDA", "RESET"} <= set(wired)
        assert wired["RESET"] == "3V3"
        address = sum((wired[f"A{bit}"] == "3V3") << bit for bit in range(3))
        assert 0x20 + address == expander.address
        assert wired["INTA"] == "INT"
        assert not {"GPA7", "GPB7"} & {pin for pin, signal in wired.items() if signal != "LAMP"}


def test_lines_of_the_table_reach_the_header() -> None:
    """The mux's reset and the expanders' interrupts are on the header's and on their own sheet."""
    plan = plan_of(load_profile("expander-6"))
    sheets = drawn(plan)
    for subject, wire in {
        "bus": ("RESET", "Pi pin 11 (GPIO17)", "mux hub RST"),
        "expander-a": ("INT", "expander a pin 20 (INTA)", "Pi pin 13 (GPIO27)"),
        "expander-b": ("INT", "expander b pin 20 (INTA)", "Pi pin 15 (GPIO22)"),
    }.items():
        assert wire in wires_in(the(sheets, subject))
        assert wire in wires_in(the(sheets, "header"))


def test_any_label_is_drawn() -> None:
    """Labels and titles with the characters that XML reserves come out as they are."""
    sheets = drawn(plan_of(small()))
    assert {"a<b", "Two & <few>"} <= words_in(the(sheets, "seat-1"))
    assert '"&' in words_in(the(sheets, "seat-2"))


def test_a_title_is_no_markup() -> None:
    """In the page a title, a file's name and a part's name are text: neither Markdown nor HTML."""
    title = "<script>alert(1)</script> [a](b) `c` *d* &lt; | ~~e~~"
    text = small(('title = "Two & <few>"', f'title = "{title}"'))
    page = files_of(plan_of(msgspec.structs.replace(text, name="<img src=x>")), "md")["README.md"]
    heading = next(line for line in page.splitlines() if line.startswith("# "))
    assert heading == (
        "# &lt;img src=x&gt;: &lt;script&gt;alert(1)&lt;/script&gt; "
        r"\[a\](b) \`c\` \*d\* &amp;lt; \| \~\~e\~\~"
    )
    assert re.findall(r"<(?!!-- Written by)", page) == []
    odd = files_of(plan_of(parse_profile(ODD, "odd.toml")), "md")["README.md"]
    assert r"| expander under\_the\_window |" in odd


def test_buttons_that_pull_up_share_power() -> None:
    """Where a pressed button's pin is high, the buttons are chained to 3V3, and a lamp has a ground of its
    own."""
    plan = plan_of(small(('active = "low"', 'active = "high"')))
    joins = {(wire.signal.name, str(wire.start), str(wire.end)) for wire in plan.wires}
    assert ("3V3", "strip 3V3", "seat 1 LEFT b") in joins
    assert ("3V3", "seat 2 MARK b", "seat 2 PLAY b") in joins
    assert ("GND", "Pi pin 39 (GND)", "seat 1 lamp short leg") in joins
    drawn(plan)


def test_boot_lines_of_a_kernel_mux() -> None:
    """A mux that the kernel drives gets its overlay after the bus's parameters; used SPI and serial pins
    are freed."""
    text = (ROOT / "hardware/boards/direct-6-usermux.toml").read_text("utf-8")
    by_us = parse_profile(text, "us.toml")
    by_kernel = parse_profile(text.replace('driven = "user"', 'driven = "kernel"'), "kernel.toml")
    assert boot_lines(by_us) == (
        "[all]",
        "dtparam=i2c_arm=on",
        "dtparam=i2c_arm_baudrate=400000",
        "dtparam=spi=off",
        "dtparam=i2s=off",
        "enable_uart=0",
    )
    overlay = "dtoverlay=i2c-mux,pca9548,addr=0x70,disconnect_on_idle"
    assert boot_lines(by_kernel) == (*boot_lines(by_us), overlay)
    page = files_of(plan_of(by_kernel), "md")["README.md"]
    assert "Take `console=serial0,115200` out of `/boot/firmware/cmdline.txt`" in page
    assert "w1-gpio" in page


def test_boot_lines_follow_the_bus() -> None:
    """The bus's own speed is set, and what no pin needs is left as it is."""
    lines = boot_lines(
        small(
            ("number = 1", "number = 1\nspeed = 100_000"),
            ("play = 19", "play = 22"),
            ("left = 21", "left = 23"),
            ("right = 20", "right = 24"),
        )
    )
    assert lines == ("[all]", "dtparam=i2c_arm=on", "dtparam=i2c_arm_baudrate=100000")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([("number = 1", "number = 3")], "bus main is number 3; drawings exist for number 1"),
        ([("[buses.main]", "[buses.other]\nnumber = 0\n[buses.main]")], "has 2 I2C buses (other, main)"),
    ],
)
def test_boards_without_drawings(changes: list[tuple[str, str]], words: str) -> None:
    """A board on another bus than that of header pins 3 and 5, is refused in words."""
    with pytest.raises(UsageError, match=re.escape(words)):
        plan_of(small(*changes))


@pytest.mark.parametrize("board", WITH_PODS)
def test_a_pod_is_drawn_as_its_pin_map_says(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pin of the pod's pin map is on the pod's sheet and in the pin table, and follows the map."""

    def names() -> dict[str, str]:
        table = rows(pin_table(plan_of(load_profile(board))).csv())
        used = [row for row in table if row["part"] == "Pico" and row["signal"] not in ("", "GND", "3V3")]
        assert {row["seat"] for row in used} == {"each pod"}
        return {row["signal"]: row["name"] for row in used}

    def mapped() -> dict[str, str]:
        return {name: f"GP{getattr(pins, name)}" for name in (*link_names, "SDA", "SCL", "LAMP")}

    link_names = [button.name for button in Button]
    assert names() == mapped()
    sheet = the(drawn(plan_of(load_profile(board))), "pod")
    for signal, name in mapped().items():
        start = f"Pico pin {PICO_PINS.index(name) + 1} ({name})"
        assert [wire for wire in wires_in(sheet) if wire[:2] == (signal, start)]
        assert {start, str(PICO_PINS.index(name) + 1)} <= words_in(sheet)
    assert {str(number) for number in range(1, 41)} <= words_in(sheet)
    assert {"SSD1306, 0x3C", f"{LAMP_OHM} Ω"} <= words_in(sheet)

    monkeypatch.setattr(pins, "LEFT", 22)
    monkeypatch.setattr(pins, "PANEL", "sh1106")
    monkeypatch.setattr(pins, "LAMP", None)
    assert names() == {name: place for name, place in mapped().items() if name != "LAMP"}
    sheet = the(drawn(plan_of(load_profile(board))), "pod")
    assert "SH1106, 0x3C" in words_in(sheet)
    assert f"{LAMP_OHM} Ω" not in words_in(sheet)


@pytest.mark.parametrize("gpio", [23, 30])
def test_a_pin_map_that_no_pico_has(gpio: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPIO that a Pico has at no pin, and a UART, which has no drawing, are refused in words."""
    monkeypatch.setattr(pins, "PLAY", gpio)
    with pytest.raises(UsageError, match=rf"pins\.py has GPIO {gpio}, which a Pico has at no pin"):
        plan_of(load_profile("pods-6"))
    monkeypatch.setattr(pins, "UART", (1, 8, 9, 115_200))
    with pytest.raises(UsageError, match=r"pins\.py has a UART"):
        plan_of(load_profile("pods-6"))


@pytest.mark.parametrize("board", WITH_PODS)
def test_wires_of_a_pod_are_listed_once(board: str) -> None:
    """Each wire of a pod is drawn and has a row to tick off on the pod's sheet, once however many pods."""
    plan = plan_of(load_profile(board))
    sheet = the(drawn(plan), "pod")
    wires = plan.wires_of(POD)
    assert len({(wire.start, wire.end) for wire in wires}) == len(wires) == 15
    for wire in wires:
        ends = (wire.signal.name, str(wire.start), str(wire.end))
        assert ends in wires_in(sheet)
        assert {str(wire.number), *ends, wire.signal.colour} <= words_in(sheet)
    listed = [row for row in rows(wire_table(plan).csv()) if row["seat"] == "each pod"]
    assert [int(row["number"]) for row in listed] == [wire.number for wire in wires]


@pytest.mark.parametrize("board", WITH_PODS)
def test_quantities_for_pods(board: str) -> None:
    """The bill has a Pico, a cable and a panel a pod, buttons and lamps for all seats, and one hub."""
    profile = load_profile(board)
    bill = {row["part"]: row for row in rows(bill_table(plan_of(profile)).csv())}
    pods = str(len(profile.pods))
    for part in ("Raspberry Pi Pico", "USB cable, A to micro-B", "OLED panel 128×64 SSD1306, pod"):
        assert bill[part]["quantity"] == pods
    assert bill["USB hub, powered"]["quantity"] == "1"
    assert bill["USB hub, powered"]["note"].startswith(f"{pods} sockets or more")
    assert bill["push button"]["quantity"] == str(4 * len(profile.seats))
    assert bill["LED"]["quantity"] == bill[f"resistor {LAMP_OHM} Ω"]["quantity"] == str(len(profile.seats))
    assert ("stripboard" in bill) is bool(profile.wired)


@pytest.mark.parametrize("board", WITH_PODS)
def test_currents_of_pods(board: str) -> None:
    """What USB feeds and what the header feeds are summed apart; both sums are those of the bill's rows."""
    plan = plan_of(load_profile(board))
    budgets = {budget.name: budget for budget in budgets_of(plan)}
    assert all(budget.kept for budget in budgets.values())
    bill = rows(bill_table(plan).csv())
    totals = {row["part"]: row for row in bill if row["part"].startswith("all on")}
    assert totals["all on the hub's supply"]["peak mA"] == f"{budgets['USB, hub and pods'].peak:g}"
    assert ("all on the Pi's header" in totals) is bool(plan.profile.wired)
    for column in ("usual mA", "peak mA"):
        parts = sum(float(row[column]) for row in bill if row[column] and row["part"] not in totals)
        assert parts == pytest.approx(sum(float(row[column]) for row in totals.values()))
    on_usb = sum(load.peak_sum for load in loads_of(plan) if load.supply == "USB")
    assert budgets["USB, hub and pods"].peak == pytest.approx(on_usb)
    one = budgets["one socket of the hub"].peak
    assert one * len(plan.profile.pods) == pytest.approx(on_usb - 100, abs=0.05)


def test_every_pod_has_a_cable() -> None:
    """The cables' sheet names each seat that has a pod, its pod's number if that is known, and no other."""
    text = (ROOT / "hardware/boards/mixed-4.toml").read_text("utf-8")
    text = text.replace('pod = ""', 'pod = "e66141040331a52c"\nrotate = 180', 1)
    words = words_in(the(drawn(plan_of(parse_profile(text, "own.toml"))), "cables"))
    assert {"seat 3", "seat 4", "pod e66141040331a52c", "any pod: press its PLAY"} <= words
    assert not {"seat 1", "seat 2"} & words
    assert "sheet 5, upside down" in words


def test_a_pod_off_usb_is_told() -> None:
    """Where a board looks for pods beside USB, the cables' sheet says that those are not drawn."""
    text = (ROOT / "hardware/boards/pods-6.toml").read_text("utf-8")
    text = text.replace("[[seats]]", 'pod_paths = ["/dev/ttyAMA5"]\n\n[[seats]]', 1)
    words = words_in(the(drawn(plan_of(parse_profile(text, "own.toml"))), "cables"))
    assert "A pod at /dev/ttyAMA5 is not on USB: its cable is not drawn here." in words


def test_boot_lines_of_boards_with_pods() -> None:
    """A table of pods alone needs no boot lines; a mixed one needs those of its seats on wires."""
    assert "boot.txt" not in files_of(plan_of(load_profile("pods-6")), "md")
    mixed = files_of(plan_of(load_profile("mixed-4")), "md")["boot.txt"]
    assert mixed == files_of(plan_of(load_profile("direct-2")), "md")["boot.txt"]


def test_wrong_board_is_one_clear_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An unknown board ends with code 2 and one line that names the boards and the nearest; nothing is
    written."""
    folder = tmp_path / "out"
    assert main(["wiring", "direct-3", "--out", str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "direct-2" in said
    assert "did you mean" in said
    assert not folder.exists()


def test_foreign_files_are_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file of the same name that the command did not write stays, and nothing else is written; --force
    replaces it."""
    mine = tmp_path / "pins.csv"
    mine.write_text("my own notes\n")
    assert main(["wiring", "direct-2", "--out", str(tmp_path)]) == 2
    assert f"{mine} is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pins.csv"]
    assert mine.read_text() == "my own notes\n"
    assert main(["wiring", "direct-2", "--out", str(tmp_path), "--force"]) == 0
    assert main(["wiring", "direct-2", "--out", str(tmp_path), "--format", "csv"]) == 0
    assert mine.read_text().startswith("part,pin,")


def test_folder_that_cannot_be_made(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file in the folder's place ends with one clear line."""
    (tmp_path / "file").write_text("")
    assert main(["wiring", "direct-2", "--format", "md", "--out", str(tmp_path / "file" / "out")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_own_profile_by_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A profile of one's own is drawn into a folder named after it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(SMALL, "utf-8")
    assert main(["wiring", "mine.toml", "--format", "svg"]) == 0
    assert len(list(Path("wiring-mine").glob("*.svg"))) == 4


def test_a_seat_at_an_expander_shows_its_ground_pin() -> None:
    """The small expander on a seat's sheet marks pin 10, though the wires of all its seats end there."""
    plan = plan_of(load_profile("expander-6"))
    for seat in plan.profile.wired:
        own = the(drawn(plan), f"seat-{seat.number}")
        assert {"10", "GND"} <= words_in(own)


def test_every_button_has_a_wire_of_its_own_colour(plan: Plan) -> None:
    """The wire table names the four buttons' colours once a seat."""
    table = rows(wire_table(plan).csv())
    for seat in plan.profile.wired:
        for button in Button:
            found = [row for row in table if row["seat"] == str(seat.number) and row["signal"] == button.name]
            assert len(found) == 1


def test_guide_lists_boards_and_parts() -> None:
    """docs/build.md has, for every bundled board, a link to its page and the quantities of its bill."""
    guide = (ROOT / "docs/build.md").read_text("utf-8")
    plans = [plan_of(load_profile(name)) for name in board_names()]
    boards = "| board | what it is |\n| --- | --- |\n" + "".join(
        f"| [{plan.profile.name}](wiring/{plan.profile.name}/README.md) | {plan.profile.title} |\n"
        for plan in plans
    )
    assert boards in guide, f"put this into docs/build.md:\n{boards}"
    quantities: dict[str, dict[str, str]] = {}
    for plan in plans:
        for row in rows(bill_table(plan).csv()):
            if not row["quantity"]:
                continue
            unit = "" if row["unit"] == "pc" else f" {row['unit']}"
            quantities.setdefault(row["part"], {})[plan.profile.name] = row["quantity"] + unit
    names = [plan.profile.name for plan in plans]
    heading = f"| part | {' | '.join(names)} |\n| --- |{' --- |' * len(names)}\n"
    parts = heading + "".join(
        f"| {part} | {' | '.join(by_board.get(name, '') for name in names)} |\n"
        for part, by_board in quantities.items()
    )
    assert parts in guide, f"put this into docs/build.md:\n{parts}"


def test_guide_leads_somewhere() -> None:
    """Every link of docs/build.md and of the boards' pages to a file of the repository has that file at its
    end."""
    for page in (ROOT / "docs/build.md", *DOCS.glob("*/README.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_without_drawsvg_the_command_that_installs_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one line has the command for the very environment that lacks it, with the version we ask for."""
    monkeypatch.setitem(sys.modules, "drawsvg", None)
    for name in [name for name in sys.modules if name.startswith("firmware.wiring.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("os.access", lambda path, mode: True)
    assert main(["wiring", "direct-2", "--out", str(tmp_path)]) == 2
    pip = Path(sys.prefix) / "bin" / "pip"
    assert f"run: {pip} install 'drawsvg>=2.4.2,<2.5'; or ask for --format csv" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "package"), [("selfplay --games 1", "rich"), ("sim", "websockets")])
def test_every_missing_package_is_told_so(command: str, package: str) -> None:
    """A command whose package is not installed says how to install it."""
    code = f"import sys; sys.modules[{package!r}] = None; from firmware.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, *command.split()], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"pip install '{package}>=" in done.stderr


def test_packages_are_asked_for_as_the_project_does() -> None:
    """The versions that a message asks for are those of pyproject.toml."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [line for lines in extras["optional-dependencies"].values() for line in lines]
    assert set(EXTRAS.values()) <= set(wanted)
