"""The self-test: what its pages show, what it notes, and what it says in the end."""

import json
import re

import pytest
from PIL import Image

from firmware.cli import main
from firmware.device.testpages import BAR_Y, CORNERS, Page, asks, draw
from firmware.device.trials import ASK_S, END_S, GUARD_S, HOLD_S, LINGER_S, Trials
from firmware.exits import Exit
from firmware.table.canvas import small
from firmware.table.words import catalogue
from hardware.frame import pack
from hardware.profile import board_names
from hardware.seat import HEIGHT, WIDTH, Button, Edge

ENGLISH = catalogue()
PLAY, LEFT = Button.PLAY, Button.LEFT


# Pages


@pytest.fixture(params=[{}, {"asks": True}, {"seen": frozenset(Button), "down": frozenset({PLAY})}])
def image(request):
    """Pages of seat 3."""
    return draw(Page(3, "3", **request.param), ENGLISH)


def test_a_border_of_one_pixel_runs_round_every_page(image):
    """All outermost pixels are lit, and none next to them but what the page shows within."""
    pixels = image.load()
    assert all(pixels[x, y] for x in range(WIDTH) for y in (0, HEIGHT - 1))
    assert all(pixels[x, y] for x in (0, WIDTH - 1) for y in range(HEIGHT))
    assert not any(pixels[x, y] for x in range(1, WIDTH - 1) for y in (1, HEIGHT - 2))
    assert not any(pixels[x, y] for x in (1, WIDTH - 2) for y in range(1, HEIGHT - 1))


def test_each_corner_has_a_letter_of_its_own(image):
    """A in the upper left, B right of it, C and D below: a picture that is turned or mirrored shows it."""
    for letter, (x, y) in CORNERS.items():
        stencil = small().stencil(letter)
        assert image.crop((x, y, x + stencil.width, y + stencil.height)).tobytes() == stencil.tobytes()
    for turn in (
        Image.Transpose.ROTATE_180,
        Image.Transpose.FLIP_LEFT_RIGHT,
        Image.Transpose.FLIP_TOP_BOTTOM,
    ):
        assert image.transpose(turn).tobytes() != image.tobytes()


@pytest.mark.parametrize("columns", [-2, 2])
def test_a_wrong_window_offset_is_visible(image, columns):
    """Shifted by the two columns that an SH1106's modules differ in, a page lacks its border at one side."""
    shifted = Image.new("1", (WIDTH, HEIGHT))
    shifted.paste(image, (columns, 0))
    edge = 0 if columns > 0 else WIDTH - 1
    assert not any(shifted.getpixel((edge, y)) for y in range(HEIGHT))


def test_pages_differ_by_seat_button_and_question():
    """Every seat's page is another, and so is one with a button down, seen, or asked for."""
    pages = [Page(seat, str(seat)) for seat in range(1, 7)]
    pages += [Page(1, "1", down=frozenset({button})) for button in Button]
    pages += [Page(1, "1", seen=frozenset({button})) for button in Button]
    pages += [Page(1, "1", asks=True), Page(1, "Anna")]
    assert len({draw(page, ENGLISH).tobytes() for page in pages}) == len(pages)


def test_a_question_is_known_by_its_bar():
    """By the pixels of the bar alone: no page without a question has it, nor has a dark panel."""
    for seen in (frozenset(), frozenset(Button)):
        assert asks(pack(draw(Page(4, "4", seen=seen, asks=True), ENGLISH)))
        assert not asks(pack(draw(Page(4, "4", seen=seen), ENGLISH)))
    assert not asks(bytes(1024))
    assert BAR_Y % 8 == 0


# Trials


class Test:
    """Trials of three seats, and fingers. Time begins at 100."""

    __test__ = False

    def __init__(self, seconds=180.0):
        self.now = 100.0
        self.trials = Trials({1: "1", 2: "2", 3: "3"}, self.now, seconds)
        self.trials.tick(self.now)
        self.wait(1.0)

    def wait(self, seconds):
        """Let time pass, as the deadlines have it."""
        end = self.now + seconds
        while not self.trials.over and (due := self.trials.deadline()) <= end:
            self.now = max(due, self.now)
            self.trials.tick(self.now)
        self.now = end
        self.trials.tick(end)

    def press(self, seat, button, seconds=0.1):
        """A stroke."""
        self.trials.edge(Edge(seat, button, True, self.now))
        self.wait(seconds)
        self.trials.edge(Edge(seat, button, False, self.now))
        self.wait(0.1)

    def press_all(self, seats=(1, 2, 3)):
        """Every button of these seats."""
        for seat in seats:
            for button in Button:
                self.press(seat, button)

    def asking(self):
        """The seats whose panels ask."""
        return [seat for seat in (1, 2, 3) if self.trials.page(seat).asks]

    def answer(self, seat):
        """Hold PLAY of a seat."""
        self.wait(GUARD_S)
        self.press(seat, PLAY, HOLD_S + 0.1)

    def found(self):
        """Codes of panels and buttons, by seat."""
        findings = list(self.trials.findings())
        return [one.code for one in findings[::2]], [one.code for one in findings[1::2]]


OK, UNSEEN = Exit.DONE, Exit.UNSEEN


def test_each_press_is_answered_at_its_own_seat():
    """While a button is down its seat's page and lamp show it, and no other's; later it has been seen."""
    test = Test()
    test.trials.edge(Edge(2, LEFT, True, test.now))
    assert test.trials.page(2).down == {LEFT}
    assert [test.trials.lamp(seat) for seat in (1, 2, 3)] == [False, True, False]
    assert test.trials.page(1).down == test.trials.page(3).down == frozenset()
    test.trials.edge(Edge(2, LEFT, False, test.now))
    assert (test.trials.page(2).down, test.trials.page(2).seen) == (frozenset(), {LEFT})


def test_it_ends_when_all_has_been_seen():
    """Every button pressed, every question answered at its own place: all is well, and soon it is over."""
    test = Test()
    test.press_all()
    for seat in (1, 2, 3):
        assert test.asking() == [seat]
        test.answer(seat)
    assert test.asking() == []
    test.wait(LINGER_S)
    assert test.trials.over
    assert test.found() == ([OK] * 3, [OK] * 3)


def test_what_was_never_seen_is_named():
    """At the end of its time the summary names the buttons not pressed and the panels not answered."""
    test = Test(seconds=30.0)
    test.press_all((1, 2))
    test.press(3, LEFT)
    test.answer(test.asking()[0])
    test.wait(30.0)
    assert test.trials.over
    assert test.found() == ([OK, UNSEEN, UNSEEN], [OK, OK, UNSEEN])
    assert "never pressed: right, mark, play" in list(test.trials.findings())[-1].text


def test_one_panel_at_a_time_asks_and_an_unanswered_one_asks_again():
    """The question moves on after its time, round those that have had no answer."""
    test = Test()
    asked = []
    for _ in range(5):
        asked += test.asking()
        test.wait(ASK_S)
    assert asked == [1, 2, 3, 1, 2]
    assert test.asking() == [3]
    test.answer(3)
    assert test.asking() == [1]


def test_swapped_panels_are_told():
    """The question on panel 1 is answered at seat 2, and the reverse: both stand at the wrong buttons."""
    test = Test()
    test.press_all()
    for seat in (2, 1, 3):
        test.answer(seat)
    assert test.found()[0] == [Exit.SWAPPED, Exit.SWAPPED, OK]
    assert "seat 2" in next(test.trials.findings()).text


def test_short_presses_and_holds_from_before_are_no_answers():
    """A tap of PLAY at another seat answers nothing, nor does a hold that began before the question."""
    test = Test()
    test.press(2, PLAY, HOLD_S - 0.1)
    assert test.asking() == [1]
    test.answer(1)
    test.press(3, PLAY, HOLD_S + 1.0)
    assert test.asking() == [2]
    test.wait(ASK_S)
    assert test.asking() == [3]
    test.answer(3)
    assert test.found()[0] == [OK, UNSEEN, OK]


def test_one_hold_answers_one_question():
    """PLAY held on and on answers the first question, and not the next."""
    test = Test()
    test.press(1, PLAY, 4 * HOLD_S)
    assert test.asking() == [2]


def test_play_and_left_held_end_the_test():
    """Both buttons of one seat, held long enough; that answers no question."""
    test = Test()
    test.trials.edge(Edge(1, LEFT, True, test.now))
    test.press(1, PLAY, END_S - 0.1)
    assert not test.trials.over
    test.press(1, Button.MARK, END_S + 0.1)
    assert not test.trials.over
    test.press(1, PLAY, END_S + 0.1)
    assert test.trials.over
    assert test.found()[0][0] is UNSEEN


def test_a_failing_panel_asks_nothing_and_is_told():
    """A panel that is away is absent; one that came back has a bad contact; stuck buttons are told."""
    test = Test()
    test.trials.fault(1, "does not answer", None)
    test.trials.fault(2, None, (Exit.STUCK, "held down since the start: play"))
    test.wait(ASK_S)
    assert test.asking() == [2]
    test.trials.fault(3, "does not answer", None)
    test.trials.fault(3, None, None)
    test.trials.fault(2, None, None)
    test.answer(2)
    assert test.found()[0] == [Exit.ABSENT, OK, Exit.INTERMITTENT]
    assert test.found()[1] == [UNSEEN, Exit.STUCK, UNSEEN]
    test.trials.fault(1, "does not answer", (Exit.ABSENT, "expander a does not answer"))
    test.trials.fault(1, "does not answer", None)
    test.press_all((2, 3))
    assert test.found()[1] == [Exit.INTERMITTENT, Exit.STUCK, OK]
    test.answer(3)
    test.press_all((1,))
    test.wait(LINGER_S)
    assert test.trials.over


# The command


@pytest.mark.parametrize("board", board_names())
def test_on_every_board_a_person_finds_all_well(board, capsys):
    """A simulated person presses every button and answers every panel by what shines on it: exit code 0."""
    assert main(["selftest", "--sim", "--board", board]) == Exit.DONE
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    assert len(lines) % 2 == 0


@pytest.mark.parametrize(
    ("faults", "code", "told"),
    [
        (["swap:2=5"], Exit.SWAPPED, {"panel of seat 2", "panel of seat 5"}),
        (["stuck:4.left"], Exit.STUCK, {"buttons of seat 4"}),
        (["unplug:1"], Exit.ABSENT, {"panel of seat 1"}),
        (["unplug:1@3+2"], Exit.INTERMITTENT, {"panel of seat 1"}),
        (["unplug:1@3"], Exit.INTERMITTENT, {"panel of seat 1"}),
        (["flaky:1=0.3"], Exit.INTERMITTENT, {"panel of seat 1"}),
        (["chip:1=sh1106"], Exit.UNSEEN, {"panel of seat 1"}),
        (["unplug:hub"], Exit.ABSENT, {f"panel of seat {seat}" for seat in range(1, 7)}),
    ],
)
def test_faults_are_told_apart(faults, code, told, capsys):
    """Panels at each other's place, a button held, a panel away or with a bad contact: each has its code."""
    options = [option for fault in faults for option in ("--fault", fault)]
    assert main(["selftest", "--sim", "--board", "direct-6-usermux", "--json", *options]) == code
    answer = json.loads(capsys.readouterr().out)
    assert answer["exit"] == code
    assert {one["place"] for one in answer["findings"] if one["code"]} == told


def test_a_time_that_cannot_be_is_refused(capsys):
    """One line that says what to choose."""
    assert main(["selftest", "--sim", "--board", "direct-2", "--seconds", "0"]) == Exit.USAGE
    assert re.search("choose 1 to 86400", capsys.readouterr().err)
