"""Screens on simulated panels: what they show, bit for bit, what it costs on the wire, and how they fail."""

import atexit
import errno
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from rig_hardware import Rig, noise, two_panels

from drivers.oled import Oled, commands
from hardware.frame import BLANK, pack
from hardware.sim.bus import SimI2CBus
from hardware.sim.panel import Panel
from hardware.sim.sh1106 import SH1106
from hardware.sim.ssd1306 import SSD1306
from hardware.sim.ssd1309 import SSD1309
from hardware.sim.tree import CHIPS

SCREENS = [
    'chip = "ssd1306"',
    'chip = "ssd1306", rotate = 180',
    'chip = "ssd1309"',
    'chip = "ssd1309", rotate = 180',
    'chip = "sh1106", offset = 2',
    'chip = "sh1106", offset = 2, rotate = 180',
    'chip = "sh1106", offset = 0',
    'chip = "sh1106", offset = 4, rotate = 180',
]
ERRORS = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.ENXIO, errno.EAGAIN, errno.EBUSY]


def hand(cards: int, cursor: int, marked: tuple[int, ...] = ()) -> Image.Image:
    """A hand of cards as boxes with a letter each, a bar under the cursor's card, marked cards inverted."""
    image = Image.new("1", (128, 64))
    draw = ImageDraw.Draw(image)
    draw.text((0, 0), "Your turn: beat 7", fill=1)
    width = 11
    for card in range(cards):
        box = (card * width, 32, card * width + width - 2, 55)
        draw.rectangle(box, outline=1, fill=card in marked)
        draw.text((box[0] + 3, 38), "A", fill=card not in marked)
    draw.rectangle((cursor * width, 58, cursor * width + width - 2, 60), fill=1)
    return image


def wired(chip: str = "ssd1306", **options: int) -> tuple[SimI2CBus, Panel, Oled]:
    """One panel straight on a bus, set up and blank."""
    bus = SimI2CBus()
    panel = CHIPS[chip](strict=True, seed=9)
    bus.attach(panel)
    oled = Oled(bus, 0x3C, chip, **options)
    oled.transfer()
    return bus, panel, oled


# What the panel holds


@pytest.mark.parametrize("screen", SCREENS)
def test_panel_equals_image(screen: str) -> None:
    """For each chip, window and mounting, from random memory on: the glass shows each image bit for bit."""
    rig = Rig(two_panels(screen), seed=len(screen))
    rig.step()
    assert rig.visible(1) == BLANK
    upright = rig.profile.seats[0].screen.rotate == 0
    for number in range(6):
        shown = rig.show(1, noise(number) if number % 2 else hand(11, number))
        rig.step()
        assert rig.visible(1) == shown
        assert rig.visible(2) == BLANK
        if upright and rig.profile.seats[0].screen.chip != "sh1106":
            assert rig.sim.panel(1).memory() == shown
    assert rig.sim.panel(1).refused == []


@settings(max_examples=60, deadline=None)
@given(
    screen=st.sampled_from(SCREENS),
    seed=st.integers(0, 2**32),
    boxes=st.lists(
        st.tuples(
            st.integers(0, 127), st.integers(0, 63), st.integers(1, 40), st.integers(1, 30), st.booleans()
        ),
        max_size=12,
    ),
)
def test_any_sequence_of_images(screen: str, seed: int, boxes: list[tuple[int, int, int, int, bool]]) -> None:
    """Whatever is drawn after whatever, the panel shows exactly the last image."""
    rig = Rig(two_panels(screen), seed=seed)
    image = noise(seed)
    shown = rig.show(2, image)
    rig.step()
    assert rig.visible(2) == shown
    for left, top, width, height, lit in boxes:
        image = image.copy()
        ImageDraw.Draw(image).rectangle((left, top, left + width, top + height), fill=lit)
        shown = rig.show(2, image)
        rig.step()
        assert rig.visible(2) == shown


@pytest.mark.parametrize(("real", "wrong"), [(2, 0), (0, 2)])
def test_wrong_window_shows(real: int, wrong: int) -> None:
    """With the wrong window offset the picture is shifted: a border of one pixel would make it visible."""
    bus = SimI2CBus()
    panel = SH1106(window=real, seed=3)
    bus.attach(panel)
    oled = Oled(bus, 0x3C, "sh1106", window=wrong)
    oled.show(noise(1))
    oled.transfer()
    assert panel.visible() != pack(noise(1))
    memory = panel.memory()
    assert b"".join(memory[p * 132 + wrong : p * 132 + wrong + 128] for p in range(8)) == pack(noise(1))


def test_ssd1306_driver_on_sh1106_shows_garbage() -> None:
    """An SH1106 sold as SSD1306 refuses the windows that it is sent: a wrong picture, no crash."""
    bus = SimI2CBus()
    panel = SH1106(seed=3, window=2)
    bus.attach(panel)
    oled = Oled(bus, 0x3C, "ssd1306")
    oled.show(noise(1))
    oled.transfer()
    assert panel.visible() != pack(noise(1))
    assert "command 0x21" in panel.refused


# What it costs


def test_nothing_changed_sends_nothing() -> None:
    """The same image again, or an equal one, costs 0 bytes."""
    rig = Rig()
    rig.show(3, hand(7, 2))
    rig.step()
    before = rig.bus.traffic
    rig.show(3, hand(7, 2))
    rig.run(60.0)
    assert rig.bus.traffic.since(before).bytes == 0


def test_full_repaint_of_an_ssd1306() -> None:
    """A full frame takes at most 1,040 bytes and 20 transfers, mux selection included."""
    rig = Rig()
    rig.step()
    before = rig.bus.traffic
    rig.show(3, noise(1))
    rig.step()
    cost = rig.bus.traffic.since(before)
    assert cost.bytes <= 1040
    assert cost.transfers <= 20


def test_full_repaint_of_an_sh1106() -> None:
    """Page by page a full frame takes 8 × (3 command + 128 data + 4 address and control) = 1,080 bytes."""
    bus, _, oled = wired("sh1106")
    before = bus.traffic
    oled.show(noise(1))
    oled.transfer()
    cost = bus.traffic.since(before)
    assert cost.bytes == 1080
    assert cost.transfers <= 20


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["ssd1306", "sh1106"]),
    st.lists(st.tuples(st.integers(0, 127), st.integers(0, 63)), min_size=1, max_size=80),
)
def test_transfers_of_a_frame(chip: str, spots: list[tuple[int, int]]) -> None:
    """However scattered the changes, a frame is at most 20 transfers and no more bytes than a full one."""
    bus, panel, oled = wired(chip)
    image = Image.new("1", (128, 64))
    for spot in spots:
        image.putpixel(spot, 1)
    before = bus.traffic
    oled.show(image)
    oled.transfer()
    cost = bus.traffic.since(before)
    assert panel.visible() == pack(image)
    assert cost.transfers <= 20
    assert cost.bytes <= (1034 if chip == "ssd1306" else 1080)


def test_six_seats_from_blank() -> None:
    """Six panels painted full from blank take at most 6,300 bytes and 250 ms at 400 kHz."""
    rig = Rig()
    rig.step()
    before = rig.bus.traffic
    shown = {seat: rig.show(seat, noise(seat)) for seat in rig.board.seats}
    rig.step()
    cost = rig.bus.traffic.since(before)
    assert {seat: rig.visible(seat) for seat in shown} == shown
    assert cost.bytes <= 6300
    assert cost.seconds(400_000) <= 0.25


@pytest.mark.parametrize("cards", range(2, 12))
@pytest.mark.parametrize("inverted", [False, True], ids=["bar", "inverted"])
def test_cursor_move(cards: int, inverted: bool) -> None:
    """Moving the cursor a card costs at most 100 bytes, be it a bar under the card or the card inverted."""
    rig = Rig()
    for cursor in range(cards):
        before = rig.bus.traffic
        shown = rig.show(4, hand(cards, 0 if inverted else cursor, (cursor,) if inverted else ()))
        rig.step()
        assert rig.visible(4) == shown
        if cursor:
            assert rig.bus.traffic.since(before).bytes <= 100


def test_one_line_of_text() -> None:
    """One changed line of text costs at most a quarter of a full frame."""
    bus, _, oled = wired()
    image = hand(7, 0)
    oled.show(image)
    oled.transfer()
    changed = image.copy()
    draw = ImageDraw.Draw(changed)
    draw.rectangle((0, 0, 127, 11), fill=0)
    draw.text((0, 0), "Seat 3 plays 9 9", fill=1)
    before = bus.traffic
    oled.show(changed)
    oled.transfer()
    assert 0 < bus.traffic.since(before).bytes <= 1034 / 4


def test_latest_frame_wins() -> None:
    """Of many images asked for at once only the last is sent."""
    rig = Rig()
    rig.step()
    before = rig.bus.traffic
    for number in range(50):
        shown = rig.show(2, noise(number))
    rig.step()
    assert rig.visible(2) == shown
    assert rig.bus.traffic.since(before).bytes <= 1040


# Brightness and power


def test_contrast() -> None:
    """Brightness is sent once, and only if it changes; a level outside 0 to 255 is refused."""
    bus, panel, oled = wired()
    oled.set_contrast(1)
    oled.transfer()
    assert panel.contrast == 1
    before = bus.traffic
    oled.set_contrast(1)
    assert not oled.due
    oled.transfer()
    assert bus.traffic == before
    with pytest.raises(ValueError, match="256"):
        oled.set_contrast(256)


@pytest.mark.parametrize("chip", CHIPS)
def test_power(chip: str) -> None:
    """Asleep the panel is dark, and nothing is sent; awake again it shows the latest image.

    It is set up anew for that: if it has lost its power in its sleep, none of its noise is to be seen.
    """
    bus, panel, oled = wired(chip)
    oled.show(noise(1))
    oled.transfer()
    oled.set_power(False)
    oled.transfer()
    assert panel.visible() == BLANK
    before = bus.traffic
    oled.show(noise(2))
    assert not oled.due
    oled.transfer()
    assert bus.traffic == before
    panel.power_on_reset()
    seen: list[bytes] = []
    panel.changed = lambda: seen.append(panel.visible())
    oled.set_power(True)
    oled.transfer()
    assert panel.visible() == pack(noise(2))
    assert set(seen) <= {BLANK, pack(noise(2))}


def test_dark_before_anything_else() -> None:
    """The first transfers to the panels put out what a crash left there, on all before one is painted."""
    rig = Rig()
    for seat in rig.board.seats:
        rig.show(seat, noise(seat))
    rig.step()
    assert all(rig.visible(seat) != BLANK for seat in rig.board.seats)
    rig.bus.log = []
    rig.reopen()
    rig.step()
    to_panels = [m.data for t in rig.bus.log for m in t.messages if m.address == 0x3C]
    assert to_panels[:6] == [b"\x00\xe3\xe3\xae"] * 6
    assert all(rig.visible(seat) == BLANK for seat in rig.board.seats)


@pytest.mark.parametrize("chip", CHIPS)
def test_memory_before_display_on(chip: str) -> None:
    """Set-up never shows a pixel of the random memory: it is overwritten before the display goes on."""
    bus = SimI2CBus()
    panel = CHIPS[chip](seed=8)
    bus.attach(panel)
    seen: list[bytes] = []
    panel.changed = lambda: seen.append(panel.visible())
    oled = Oled(bus, 0x3C, chip)
    oled.show(noise(1))
    oled.transfer()
    assert seen == [pack(noise(1))]


def test_luma_sends_nothing_by_itself() -> None:
    """luma.oled supplies the bytes of set-up, contrast and power; no panel leaves an exit hook behind."""
    made = commands("ssd1306")
    assert made.on == b"\xaf"
    assert made.off == b"\xae"
    assert made.contrast[7] == b"\x81\x07"
    assert b"\x8d\x14" in made.init
    before = atexit._ncallbacks()
    for _ in range(10):
        wired()
    assert atexit._ncallbacks() == before


# Faults


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("chip", CHIPS)
def test_error_at_any_transfer(chip: str, error: int) -> None:
    """Whichever transfer fails, in whole or half-way: the screen is right again after the next try."""
    chance = random.Random(error)
    for skip in range(18):
        bus, panel, oled = wired(chip)
        oled.show(noise(1))
        fault = bus.fail(error, skip=skip, times=1, after=chance.randint(0, 60))
        failed = []
        while oled.due:
            try:
                oled.transfer()
            except OSError as failure:
                failed.append(failure.errno)
        assert panel.visible() == pack(noise(1))
        assert failed == [error] * fault.hits
        if not fault.hits:
            break
    else:
        pytest.fail("the fault struck every time: the loop ended too early")


def test_error_voids_what_is_known() -> None:
    """After an error the whole frame is painted anew, even if the image did not change."""
    bus, panel, oled = wired()
    oled.show(hand(7, 1))
    oled.transfer()
    bus.fail(times=1)
    oled.show(hand(7, 2))
    with pytest.raises(OSError, match="made to fail"):
        oled.transfer()
    panel.power_on_reset()
    before = bus.traffic
    oled.transfer()
    assert panel.visible() == pack(hand(7, 2))
    assert bus.traffic.since(before).bytes >= 1034


def test_wrong_image_is_refused_at_once() -> None:
    """An image of another size never reaches the bus."""
    _, _, oled = wired()
    with pytest.raises(ValueError, match="64×64"):
        oled.show(Image.new("1", (64, 64)))
    assert not oled.due


def test_models_are_of_the_named_chips() -> None:
    """Each chip that a profile may name has a model, and luma's set-up makes it shine."""
    assert CHIPS == {"ssd1306": SSD1306, "sh1106": SH1106, "ssd1309": SSD1309}
    for chip in CHIPS:
        _, panel, _ = wired(chip)
        assert panel.lit
        assert panel.refused == []
