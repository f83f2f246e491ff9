"""Board profiles: what they hold, and the error for whatever is wrong with one."""

import contextlib
import copy
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import ProfileError
from hardware.profile import bit_of, board_names, load_profile, parse_profile
from hardware.seat import Button

BOARDS = Path(__file__).parents[1] / "hardware" / "boards"
Path_ = tuple[str | int, ...]


def text_of(name: str) -> str:
    """Source of a bundled profile."""
    return (BOARDS / f"{name}.toml").read_text("utf-8")


def toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def written(profile: dict[str, Any]) -> str:
    """A profile as TOML, each key of the top on one line."""
    return "".join(f"{key} = {toml(value)}\n" for key, value in profile.items())


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Paths of all keys and list entries."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        yield (*path, key)
        yield from leaves(entry, (*path, key))


def holder(profile: Any, path: Path_) -> Any:
    """The table or list that holds the last step of a path."""
    for step in path[:-1]:
        profile = profile[step]
    return profile


OPTIONAL = {
    *("speed", "driven", "address", "lamp", "number", "active", "settle_ms", "reset", "interrupt"),
    *("rotate", "pod_paths"),
}
"""Keys that may be left out; without an address of its own a panel is at 0x3C."""
EMPTY = {"pod": "", "pod_paths": []}
"""Keys, and what says of them that there is nothing to say."""
PODS = """\
title = "Pods that are known"
pod_paths = ["/dev/serial0", "/dev/ttyUSB*"]
[[seats]]
label = "a"
pod = "E66141040331a52c"
rotate = 180
[[seats]]
label = "b"
pod = "0123456789abcdef"
"""

GOOD = [
    *((name, tomllib.loads(text_of(name))) for name in ("direct-2", "direct-6-usermux", "expander-6")),
    *((name, tomllib.loads(text_of(name))) for name in ("mixed-4", "pods-6")),
    ("known", tomllib.loads(PODS)),
]
KEYS = [(name, path) for name, profile in GOOD for path in leaves(profile)]


def refused(profile: dict[str, Any]) -> ProfileError:
    """The error for a profile."""
    with pytest.raises(ProfileError) as caught:
        parse_profile(written(profile), "my.toml")
    error = caught.value
    assert re.match(r"my\.toml, line \d+: ", str(error))
    assert error.line is not None
    assert 1 <= error.line <= len(profile) + 1
    return error


def test_bundled_boards() -> None:
    """All bundled profiles are good."""
    assert board_names() == ("direct-2", "direct-6", "direct-6-usermux", "expander-6", "mixed-4", "pods-6")
    for name in board_names():
        assert load_profile(name).name == name


def test_six_seats_behind_a_mux() -> None:
    """direct-6-usermux: six SSD1306 at 0x3C behind one TCA9548A, 24 buttons on GPIO 4 to 27."""
    profile = load_profile("direct-6-usermux")
    assert [seat.number for seat in profile.wired] == [1, 2, 3, 4, 5, 6]
    assert [seat.screen.channel for seat in profile.wired] == [0, 1, 2, 3, 4, 5]
    pins = [pin for seat in profile.wired for pin in seat.buttons.by_button().values()]
    assert sorted(pins) == list(range(4, 28))
    assert profile.bus_names() == ("main",)
    assert (profile.settle_ms, profile.active, profile.buses["main"].speed) == (15, "low", 400_000)


def test_two_seats_without_a_mux() -> None:
    """direct-2: panels at 0x3C and 0x3D on the bus itself, eight buttons, two lamps."""
    profile = load_profile("direct-2")
    assert [seat.screen.address for seat in profile.wired] == [0x3C, 0x3D]
    assert profile.wired[0].buttons.by_button()[Button.MARK] == 13
    assert all(seat.lamp is not None for seat in profile.wired)
    assert profile.muxes == {}


def test_six_seats_behind_the_kernels_mux() -> None:
    """direct-6 is direct-6-usermux with the mux left to the kernel: a bus a channel."""
    kernel, user = load_profile("direct-6"), load_profile("direct-6-usermux")
    assert kernel.seats == user.seats
    assert kernel.bus_names() == tuple(f"hub/{channel}" for channel in range(6))


def test_channels_as_buses_of_their_own() -> None:
    """A kernel's channel may be given by its number or adapter's name instead, as any bus: without a mux."""
    text = text_of("direct-2").replace(
        "[buses.main]\nnumber = 1",
        '[buses.one]\nadapter = "i2c-1-mux (chan_id 0)"\n[buses.two]\nnumber = 12',
    )
    text = text.replace('"main"', '"one"', 1).replace('"main"', '"two"', 1)
    profile = parse_profile(text, "own.toml")
    assert profile.bus_names() == ("one", "two")
    assert profile.buses["one"].adapter == "i2c-1-mux (chan_id 0)"


def test_six_seats_on_expanders() -> None:
    """expander-6: twelve buttons and three lamps on each of two MCP23017, no pin of the header for a seat."""
    profile = load_profile("expander-6")
    assert [(e.address, e.interrupt) for e in profile.expanders.values()] == [(0x20, 27), (0x21, 22)]
    for name in profile.expanders:
        bits = [bit for seat in profile.wired for bit in seat.buttons.bits().values() if bit.expander == name]
        lamps = [seat.lamp_bit for seat in profile.wired if seat.lamp_bit and seat.lamp_bit.expander == name]
        assert (len(bits), len(lamps), len({*bits, *lamps})) == (12, 3, 15)
    assert all(not seat.buttons.by_button() and seat.lamp_pin is None for seat in profile.wired)
    assert str(profile.wired[1].buttons.bits()[Button.PLAY]) == "a.GPB3"
    assert profile.wired[1].buttons.bits()[Button.PLAY] == bit_of("a.GPB3") == ("a", 11)
    assert profile.bus_names() == ("main",)


def test_six_pods() -> None:
    """pods-6: six seats, each with the pod that is chosen by its PLAY; no bus, no chip, no pin."""
    profile = load_profile("pods-6")
    assert [(seat.number, seat.label, seat.pod, seat.rotate) for seat in profile.pods] == [
        (number, str(number), "", 0) for number in range(1, 7)
    ]
    assert (profile.wired, profile.buses, profile.bus_names(), profile.pod_paths) == ((), {}, (), ())


def test_two_seats_and_two_pods() -> None:
    """mixed-4: seats 1 and 2 as in direct-2, seats 3 and 4 with pods."""
    profile, direct = load_profile("mixed-4"), load_profile("direct-2")
    assert (profile.wired, profile.buses) == (direct.wired, direct.buses)
    assert [seat.number for seat in profile.pods] == [3, 4]


def test_pods_that_are_known() -> None:
    """A pod may be named by its number, in either case, turned round, and be on a line of its own."""
    profile = parse_profile(PODS, "known.toml")
    assert [(seat.pod, seat.rotate) for seat in profile.pods] == [
        ("e66141040331a52c", 180),
        ("0123456789abcdef", 0),
    ]
    assert profile.pod_paths == ("/dev/serial0", "/dev/ttyUSB*")


def test_own_file(tmp_path: Path) -> None:
    """A path reads a file of one's own; its stem is the profile's name."""
    path = tmp_path / "kitchen.toml"
    path.write_text(text_of("direct-2"), "utf-8")
    assert load_profile(path).name == "kitchen"
    assert load_profile(str(path)) == load_profile(path)


def test_kernel_mux_channels_are_buses() -> None:
    """Behind a mux that the kernel drives, each channel in use is a bus of its own."""
    text = text_of("direct-6-usermux").replace('"user"', '"kernel"')
    assert parse_profile(text, "k.toml").bus_names() == tuple(f"hub/{channel}" for channel in range(6))


def test_sh1106_window() -> None:
    """An SH1106 shows its memory from column 2 on unless the profile says otherwise."""
    text = text_of("direct-2").replace('"ssd1306"', '"sh1106"', 1)
    first, second = parse_profile(text, "s.toml").wired
    assert (first.screen.window, second.screen.window) == (2, 0)
    text = text.replace("address = 0x3C", "address = 0x3C, offset = 0")
    assert parse_profile(text, "s.toml").wired[0].screen.window == 0


def test_unknown_board() -> None:
    """A name that is not bundled: the names that are, and the nearest one."""
    with pytest.raises(ProfileError, match=r"direct-6-usermux.*did you mean 'direct-6-usermux'\?"):
        load_profile("direct-6-usermx")


def test_unreadable_files(tmp_path: Path) -> None:
    """A file that is missing, a folder, or no text: its path and why."""
    with pytest.raises(ProfileError, match=r"none\.toml: cannot be read: No such file"):
        load_profile(tmp_path / "none.toml")
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(ProfileError, match="Is a directory"):
        load_profile(folder)
    (tmp_path / "bytes.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(ProfileError, match="UTF-8"):
        load_profile(tmp_path / "bytes.toml")


def fault(old: str, new: str, board: str = "direct-2") -> tuple[int | None, str | None, str]:
    """Line, key and text of the error after one replacement."""
    text = text_of(board)
    assert old in text
    changed = text.replace(old, new, 1)
    with pytest.raises(ProfileError) as caught:
        parse_profile(changed, "my.toml")
    error = caught.value
    line = None if error.line is None else changed.splitlines()[error.line - 1]
    assert str(error).startswith(f"my.toml, line {error.line}: ")
    return error.line, error.key, f"{error} | {line}"


@pytest.mark.parametrize(
    ("old", "new", "key", "says", "on"),
    [
        ('title = "', 'titel = "', "titel", "did you mean 'title'", "titel ="),
        (
            "lamp = 26",
            "lmap = 26",
            "seats[1].lmap",
            "allowed: label, screen, buttons, lamp, pod, rotate; did",
            "lmap =",
        ),
        ("lamp = 26", "lamp = 28", "seats[1].lamp", "28; allowed: a whole number from 0 to 27", "lamp = 28"),
        ("lamp = 25", 'lamp = "25"', "seats[2].lamp", "'25'; allowed: a whole number", 'lamp = "25"'),
        ("left = 5", "left = 2", "seats[1].buttons.left", "GPIO 2 belongs to i2c", "left = 2"),
        ("left = 5", "left = 1", "seats[1].buttons.left", "GPIO 1 belongs to id-eeprom", "left = 1"),
        (
            "left = 21",
            "left = 5",
            "seats[2].buttons.left",
            "GPIO 5 is already seat 1's button left",
            "left = 5",
        ),
        ("lamp = 25", "lamp = 26", "seats[2].lamp", "GPIO 26 is already seat 1's lamp", "lamp = 26"),
        ("mark = 13", "mark = 26", "seats[1].lamp", "GPIO 26 is already seat 1's button mark", "lamp = 26"),
        ("mark = 13, ", "", "seats[1].buttons", "mark is missing; allowed: a whole number", "buttons ="),
        ("address = 0x3D", "address = 0x3C", "seats[2].screen.address", "same place as seat 1", "screen ="),
        (
            "address = 0x3D",
            "address = 0x3E",
            "seats[2].screen.address",
            "0x3E; allowed: 0x3C or 0x3D",
            "0x3E",
        ),
        ('"ssd1306"', '"ssd13306"', "seats[1].screen.chip", "did you mean 'ssd1306'?", "ssd13306"),
        ('bus = "main"', 'bus = "mian"', "seats[1].screen.bus", "no bus 'mian'; there are: main", "mian"),
        ("[buses.main]", "[buses.mian]", "seats[1].screen.bus", "did you mean 'mian'?", "screen ="),
        ("number = 1", "", "buses.main", "needs either number", "[buses.main]"),
        ("number = 1", 'number = 1\nadapter = "x"', "buses.main", "not both", "[buses.main]"),
        ("number = 1", "number = true", "buses.main.number", "True; allowed", "number = true"),
        ("speed = 400_000", "speed = 4", "buses.main.speed", "from 10000 to 1000000", "speed = 4"),
        ("speed = 400_000", "sped = 4", "buses.main.sped", "did you mean 'speed'", "sped"),
        ('label = "2"', 'label = "1"', "seats[2].label", "already seat 1's", "label"),
        ('label = "2"', 'label = ""', "seats[2].label", "1 to 12 characters", "label"),
        ('label = "2"', 'label = "2"\nnumber = 5', "seats[2].number", "unknown key", "number = 5"),
        ("address = 0x3D", "address = 0x3D, rotate = 90", "seats[2].screen.rotate", "0 or 180", "90"),
        (
            "address = 0x3D",
            "address = 0x3D, offset = 2",
            "seats[2].screen.offset",
            "only an sh1106",
            "offset",
        ),
        ("address = 0x3D", "address = 0x3D, channel = 2", "seats[2].screen", "go together", "channel"),
        ("[buses.main]", 'enabled = ["spi", "uart"]\n[buses.main]', None, None, None),
        ("[buses.main]", 'enabled = ["usb"]\n[buses.main]', "enabled[1]", "'usb'; allowed: 'i2s'", "enabled"),
        ("[buses.main]", 'name = "x"\n[buses.main]', "name", "unknown key", 'name = "x"'),
        ("[buses.main]", 'active = "off"\n[buses.main]', "active", "'high' or 'low'", "active"),
        ("[buses.main]", "settle_ms = 100\n[buses.main]", "settle_ms", "from 5 to 30", "settle_ms"),
    ],
)
def test_faults(old: str, new: str, key: str | None, says: str | None, on: str | None) -> None:
    """Each fault is told with its line, its key, the value, what is allowed and the nearest name."""
    if key is None:
        parse_profile(text_of("direct-2").replace(old, new, 1), "my.toml")
        return
    assert says is not None
    assert on is not None
    _, where, message = fault(old, new)
    assert where == key
    assert says in message.split(" | ")[0]
    assert on in message.split(" | ")[1]


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (
            'mux = "hub"',
            'mux = "hup"',
            "seats[1].screen.mux",
            "no mux 'hup'; there are: hub; did you mean 'hub'?",
        ),
        ("channel = 1", "channel = 0", "seats[2].screen.address", "same place as seat 1"),
        ("channel = 1", "channel = 8", "seats[2].screen.channel", "8; allowed: a whole number from 0 to 7"),
        (
            "address = 0x70",
            "address = 0x69",
            "muxes.hub.address",
            "0x69; allowed: a whole number from 0x70 to 0x77",
        ),
        ('driven = "user"', 'driven = "me"', "muxes.hub.driven", "'kernel' or 'user'"),
        ('bus = "main"', 'bus = "man"', "muxes.hub.bus", "did you mean 'main'?"),
        (
            'mux = "hub", channel = 5',
            'bus = "main"',
            "seats[1].screen.address",
            "is also seat 6's, on bus main",
        ),
        (
            "[muxes.hub]",
            '[muxes.hab]\nbus = "main"\naddress = 0x70\n[muxes.hub]',
            "muxes.hub.address",
            "already mux hab's",
        ),
        (
            "[buses.main]",
            'enabled = ["spi"]\n[buses.main]',
            "seats[2].buttons.left",
            "GPIO 10 belongs to spi",
        ),
        (
            "[buses.main]",
            'enabled = ["uart"]\n[buses.main]',
            "seats[6].buttons.mark",
            "GPIO 15 belongs to uart",
        ),
        ("[buses.main]", 'enabled = ["onewire"]\n[buses.main]', "seats[1].buttons.left", "GPIO 4 belongs to"),
    ],
)
def test_faults_with_a_mux(old: str, new: str, key: str, says: str) -> None:
    """Muxes, channels and pins that functions of the header own are checked as well."""
    _, where, message = fault(old, new, "direct-6-usermux")
    assert where == key
    assert says in message


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('"a.GPA0"', '"a.GPA7"', "seats[1].buttons.left", "a.GPA7; GPA7 and GPB7 of an MCP23017 are outputs"),
        ('"a.GPA0"', '"b.GPB7"', "seats[1].buttons.left", "as inputs they can spoil the bus"),
        ('"a.GPA0"', '"a.GPA8"', "seats[1].buttons.left", "0 to 27 or an expander's pin, as 'a.GPA0'"),
        (
            '"a.GPA0"',
            "28",
            "seats[1].buttons.left",
            "28; allowed: a whole number from 0 to 27 or an expander",
        ),
        ('"a.GPA0"', '"c.GPA0"', "seats[1].buttons.left", "no expander 'c'; there are: a, b"),
        ('"a.GPA0"', "5", "seats[1].buttons", "all four are on the header, or all on the same expander"),
        ('"a.GPA0"', '"b.GPA6"', "seats[1].buttons", "or all on the same expander"),
        ('"a.GPA0"', '"a.GPA1"', "seats[1].buttons.right", "a.GPA1 is already seat 1's button left"),
        ('"a.GPB0"', '"a.GPA0"', "seats[2].buttons.left", "a.GPA0 is already seat 1's button left"),
        ('lamp = "a.GPB7"', 'lamp = "a.GPA7"', "seats[2].lamp", "a.GPA7 is already seat 1's lamp"),
        ('lamp = "a.GPB7"', 'lamp = "x.GPA7"', "seats[2].lamp", "no expander 'x'"),
        ('lamp = "a.GPB7"', "lamp = 27", "seats[2].lamp", "GPIO 27 is already expander a's interrupt"),
        ("interrupt = 22", "interrupt = 17", "expanders.b.interrupt", "GPIO 17 is already mux hub's reset"),
        ("interrupt = 22", "interrupt = 3", "expanders.b.interrupt", "GPIO 3 belongs to i2c"),
        ("address = 0x21", "address = 0x20", "expanders.b.address", "is already expander a's"),
        (
            "address = 0x21",
            "address = 0x28",
            "expanders.b.address",
            "0x28; allowed: a whole number from 0x20",
        ),
        ("[expanders.b]", "[expanders.hub]", "expanders.hub", "already a mux's name"),
        ('bus = "main"\naddress = 0x20', 'bus = "x"\naddress = 0x20', "expanders.a.bus", "no bus 'x'"),
        ("[buses.main]", 'active = "high"\n[buses.main]', "seats[1].buttons.left", 'take active = "low"'),
        ('driven = "user"', 'driven = "kernel"', "muxes.hub.reset", "the kernel drives this mux"),
    ],
)
def test_faults_with_expanders(old: str, new: str, key: str, says: str) -> None:
    """Expanders, their pins, interrupts and resets are checked as all else is."""
    _, where, message = fault(old, new, "expander-6")
    assert where == key
    assert says in message


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('pod = ""', 'pdo = ""', "seats[3].pdo", "lamp, pod, rotate; did you mean 'pod'?"),
        ('pod = ""', "", "seats[3]", "needs either screen and buttons, or pod"),
        (
            'pod = ""',
            "pod = 7",
            "seats[3].pod",
            "7; allowed: a pod's number, 16 digits 0 to 9 and a to f, or",
        ),
        ('pod = ""', 'pod = "e66141040331a52"', "seats[3].pod", "'e66141040331a52'; allowed: a pod's number"),
        ('pod = ""', 'pod = "e66141040331a52g"', "seats[3].pod", "'e66141040331a52g'; allowed: a pod's"),
        ('pod = ""', 'pod = ""\nrotate = 90', "seats[3].rotate", "90; allowed: 0 or 180"),
        ('pod = ""', 'pod = ""\nlamp = 4', "seats[3].lamp", "leave out either lamp or pod"),
        ("lamp = 26", 'pod = ""', "seats[1].screen", "leave out either screen or pod"),
        ("lamp = 26", "rotate = 180", "seats[1].rotate", "here it belongs into screen"),
        (
            'pod = ""\n\n[[seats]]\nlabel = "4"\npod = ""',
            'pod = "0123456789ABCDEF"\n\n[[seats]]\nlabel = "4"\npod = "0123456789abcdef"',
            "seats[4].pod",
            "'0123456789abcdef' is already seat 3's",
        ),
        (
            'screen = { chip = "ssd1306", bus = "main", address = 0x3C }',
            "",
            "seats[1]",
            "screen is missing; a seat has either screen and buttons, or pod",
        ),
        ("buttons = { left = 5, right = 6, mark = 13, play = 19 }", "", "seats[1]", "buttons is missing"),
        ("[buses.main]", 'pod_paths = ["ttyUSB0"]\n[buses.main]', "pod_paths[1]", "'ttyUSB0'; allowed: the"),
        ("[buses.main]", 'pod_paths = ["/*/ttyUSB0"]\n[buses.main]', "pod_paths[1]", "* and ? in its name"),
        ("[buses.main]", 'pod_paths = "/dev/a"\n[buses.main]', "pod_paths", "allowed: a list"),
        ("[buses.main]", 'pod_path = ["/dev/a"]\n[buses.main]', "pod_path", "did you mean 'pod_paths'?"),
        (
            "[buses.main]",
            'pod_paths = ["/dev/a", "/dev/a"]\n[buses.main]',
            "pod_paths[2]",
            "'/dev/a' is there twice",
        ),
    ],
)
def test_faults_with_pods(old: str, new: str, key: str, says: str) -> None:
    """Pods, and where they are looked for, are checked as all else is; wires and a pod exclude each other."""
    _, where, message = fault(old, new, "mixed-4")
    assert where == key
    assert says in message


def test_paths_without_pods() -> None:
    """Lines of pods on a board without pods are a mistake."""
    _, where, message = fault("[buses.main]", 'pod_paths = ["/dev/a"]\n[buses.main]')
    assert where == "pod_paths"
    assert 'give one pod = ""' in message


def test_pod_on_the_headers_serial_line() -> None:
    """A pod that may be on the header's UART takes GPIO 14 and 15: no seat may have them."""
    text = text_of("mixed-4").replace("[buses.main]", 'pod_paths = ["/dev/tty*"]\n[buses.main]')
    parse_profile(text, "my.toml")
    with pytest.raises(ProfileError, match="GPIO 15 belongs to uart"):
        parse_profile(text.replace("lamp = 26", "lamp = 15"), "my.toml")


def test_number_of_seats() -> None:
    """One seat is too few, seven are too many."""
    two, six = GOOD[0][1], GOOD[1][1]
    one = {**two, "seats": two["seats"][:1]}
    assert "1 seats; allowed: 2 to 6" in str(refused(one))
    seventh = copy.deepcopy(six["seats"][0]) | {"label": "7"}
    seventh["screen"]["channel"] = 6
    assert "7 seats; allowed: 2 to 6" in str(refused({**six, "seats": [*six["seats"], seventh]}))


def test_syntax_errors() -> None:
    """What is not TOML is told with its line."""
    text = text_of("direct-2").replace("lamp = 26", "lamp = ")
    with pytest.raises(ProfileError, match="not TOML") as caught:
        parse_profile(text, "my.toml")
    assert text.splitlines()[(caught.value.line or 0) - 1] == "lamp = "


@pytest.mark.parametrize(("name", "path"), KEYS)
def test_every_corruption_of_one_key(name: str, path: Path_) -> None:
    """Rename a key, leave it out, give it another kind of value: always one error with file, line, key."""
    good = dict(GOOD)[name]
    corrupted = []
    if isinstance(path[-1], str):
        renamed = copy.deepcopy(good)
        table = holder(renamed, path)
        table[f"{path[-1]}x"] = table.pop(path[-1])
        corrupted.append(renamed)
        if path[-1] not in OPTIONAL:
            missing = copy.deepcopy(good)
            del holder(missing, path)[path[-1]]
            corrupted.append(missing)
    for value in (True, 1.5, -1, 9999999, "", "?", [], {}, [[]], {"x": 1}):
        changed = copy.deepcopy(good)
        holder(changed, path)[path[-1]] = value
        if not (value == "?" and path[-1] in ("title", "label")) and value != EMPTY.get(str(path[-1])):
            corrupted.append(changed)
    for profile in corrupted:
        refused(profile)


@given(st.sampled_from(board_names()), st.data())
def test_corrupted_text(name: str, data: st.DataObject) -> None:
    """A few characters put anywhere in a profile: it is good, or refused with a ProfileError."""
    text = text_of(name)
    at = data.draw(st.integers(0, len(text)))
    junk = data.draw(st.text(alphabet='abk019-."[]{}=,\n #_\\é\0', max_size=4))
    cut_to = data.draw(st.integers(at, min(len(text), at + 6)))
    changed = text[:at] + junk + text[cut_to:]
    with contextlib.suppress(ProfileError):
        parse_profile(changed, "my.toml")


@given(st.sampled_from(["direct-2", "direct-6-usermux", "expander-6"]), st.data())
def test_pins_exchanged_or_shared(name: str, data: st.DataObject) -> None:
    """Any pin given to a second purpose is refused, and the message names the first."""
    profile = copy.deepcopy(dict(GOOD)[name])
    slots = [(seat["buttons"], button) for seat in profile["seats"] for button in seat["buttons"]]
    first, second = data.draw(
        st.lists(st.sampled_from(range(len(slots))), min_size=2, max_size=2, unique=True)
    )
    slots[second][0][slots[second][1]] = slots[first][0][slots[first][1]]
    assert re.search(
        r"(GPIO \d+|[ab]\.GP[AB]\d) is already seat \d's|the same expander", str(refused(profile))
    )
