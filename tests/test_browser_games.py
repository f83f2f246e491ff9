"""The finished games on the page: behind a button, by mouse, touch and keyboard, as people read them."""

from pathlib import Path

import pytest
from test_browser_page import button
from web_table import MemoryTable

from firmware.web.games import PAGE

pytestmark = pytest.mark.browser

RECORDS = Path(__file__).parent / "fixtures" / "records"
SEALED, GIVEN_UP, SIX = (
    (RECORDS / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("v2-sealed", "v2-abandoned", "v1-six-house-rules")
)


class Shelf:
    """Finished games that a test sets."""

    def __init__(self, *records):
        self.kept = dict(enumerate(records, 1))
        self.ended = None

    def records(self):
        return self.kept

    def watch(self, ended):
        self.ended = ended

    def add(self, text):
        self.kept = {**self.kept, len(self.kept) + 1: text}
        self.ended()


@pytest.fixture
def table():
    """Six seats."""
    return MemoryTable()


def rows(page):
    """The games listed, from the top: what stands in each row."""
    return page.locator("#list label")


def chart_of(page):
    """The address of the chart that is shown, once it is drawn."""
    page.wait_for_function("() => document.getElementById('chart').complete")
    assert page.eval_on_selector("#chart", "(image) => image.naturalWidth") > 0
    return page.get_attribute("#chart", "src")


def test_games_are_behind_a_button(table, start, open_page):
    """Nothing of the games is to be seen until the button is clicked; then list, chart and record are; the
    close button, Esc, and a click beside bring the table back, with the focus on its seat."""
    page = open_page(start(table.serve(games=Shelf(GIVEN_UP, SEALED))).address)
    assert page.is_hidden("#games")
    for away in (
        lambda: page.get_by_role("button", name="Close the games").click(),
        lambda: page.keyboard.press("Escape"),
        lambda: page.mouse.click(5, 400),
    ):
        page.get_by_role("button", name="Games", exact=True).click()
        page.wait_for_selector("#chosen:visible")
        assert rows(page).count() == 2
        assert page.inner_text("#count") == "2 games"
        assert chart_of(page) == "/games/2.svg"
        away()
        assert page.is_hidden("#games")
        page.keyboard.press("Enter")
        assert table.next_edges(2) == [(1, "play", True), (1, "play", False)]


def test_a_row_says_what_people_want_to_know(table, start, open_page):
    """Date, players, winner, deals and duration; a game that was given up says so; the seal stands below."""
    named = SEALED.replace("player 1 person", "player 1 person <i>Nia</i>")
    page = open_page(
        start(table.serve(games=Shelf(GIVEN_UP, named))).address, locale="en-GB", timezone_id="UTC"
    )
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")
    text = rows(page).nth(0).inner_text()
    assert "<i>Nia</i>" in text
    assert "2026" in text
    assert "given up" in rows(page).nth(1).inner_text()
    for name in ("Played ", "by ", "winner ", "deals ", "duration "):
        assert name in rows(page).nth(0).text_content()
    assert page.inner_text("#packs").startswith("Seal ")
    assert "<i>Nia</i>" in page.get_attribute("#chart", "alt")
    assert page.locator("#games i").count() == 0


def test_the_record_is_downloaded(table, start, open_page):
    """The link saves the chosen game's record, byte for byte, under a name of its own."""
    page = open_page(start(table.serve(games=Shelf(GIVEN_UP, SEALED))).address)
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")
    rows(page).nth(1).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the record").click()
    assert started.value.suggested_filename == "twentytwo-game-1.txt"
    assert Path(started.value.path()).read_text(encoding="utf-8") == GIVEN_UP


def test_by_keyboard_alone(table, start, open_page):
    """G opens, arrows choose, Tab reaches the record, Esc closes; no key of it reaches a seat's button."""
    page = open_page(start(table.serve(games=Shelf(SIX, GIVEN_UP, SEALED))).address)
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")
    assert chart_of(page) == "/games/3.svg"
    page.keyboard.press("ArrowDown")
    assert chart_of(page) == "/games/2.svg"
    page.keyboard.press("ArrowDown")
    assert chart_of(page) == "/games/1.svg"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    with page.expect_download() as started:
        page.keyboard.press("Enter")
    assert started.value.suggested_filename == "twentytwo-game-2.txt"
    page.keyboard.press("Escape")
    assert page.is_hidden("#games")
    assert table.edges.empty()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_button_is_reached_by_tab(table, start, open_page, key):
    """Shift+Tab from the first seat comes to the button, and Enter or Space opens the games."""
    page = open_page(start(table.serve(games=Shelf(SEALED))).address)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press(key)
    page.wait_for_selector("#chosen:visible")
    assert table.edges.empty()


def test_what_is_held_is_let_go_before_the_list_covers_the_table(table, start, open_page):
    """A key that is down when the games are opened is up then."""
    page = open_page(start(table.serve(games=Shelf(SEALED))).address)
    page.keyboard.down("ArrowLeft")
    page.keyboard.press("g")
    assert table.next_edges(2) == [(1, "left", True), (1, "left", False)]


def test_before_the_first_game(table, start, open_page):
    """An empty list says so in words; when a game ends it is there without a reload."""
    shelf = Shelf()
    page = open_page(start(table.serve(games=shelf)).address)
    page.keyboard.press("g")
    page.wait_for_selector("#none:has-text('No game has ended yet')")
    assert page.is_hidden("#chosen")
    shelf.add(SEALED)
    page.wait_for_selector("#chosen:visible")
    assert page.inner_text("#count") == "1 game"
    assert page.is_hidden("#none")


def test_a_game_that_ends_comes_on_top(table, start, open_page):
    """The chosen game stays chosen, with the focus on it; the new one is above it."""
    shelf = Shelf(GIVEN_UP, SEALED)
    page = open_page(start(table.serve(games=shelf)).address)
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")
    page.keyboard.press("ArrowDown")
    shelf.add(SIX)
    page.wait_for_selector("#count:has-text('3 games')")
    assert rows(page).count() == 3
    assert chart_of(page) == "/games/1.svg"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert chart_of(page) == "/games/3.svg"


def test_hundreds_of_games(table, start, open_page):
    """Fifty are listed, and fifty more at each press of the button below them, to the first game of all."""
    page = open_page(start(table.serve(games=Shelf(*[SEALED] * 120))).address)
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")
    for shown in (PAGE, 2 * PAGE):
        assert rows(page).count() == shown
        page.get_by_role("button", name="Older games").click()
        page.wait_for_function(f"() => document.querySelectorAll('#list label').length > {shown}")
    assert rows(page).count() == 120
    assert page.is_hidden("#older")


def test_games_that_cannot_be_read(table, start, open_page):
    """A server that cannot read its games: the page says so, and shows them when it is opened again."""
    shelf = Shelf("twentytwo 1\nseats 1 2\n\nplay 1 As\n")
    page = open_page(start(table.serve(games=shelf)).address)
    page.keyboard.press("g")
    page.wait_for_selector("#none:has-text('cannot be read')")
    page.keyboard.press("Escape")
    shelf.kept = {}
    shelf.add(SEALED)
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")


def test_another_server_s_games_after_a_restart(table, start, open_page):
    """The list that is open when the server goes away and comes back is read anew."""
    first = start(table.serve(games=Shelf(GIVEN_UP, SEALED)))
    page = open_page(first.address)
    page.keyboard.press("g")
    page.wait_for_selector("#chosen:visible")
    first.stop()
    page.wait_for_selector("[data-link=lost]")
    start(table.serve(games=Shelf(SIX), port=first.port))
    page.wait_for_selector("#count:has-text('1 game')")
    assert rows(page).count() == 1


def test_a_seat_alone_has_nothing_of_it(table, start, open_page):
    """On /seat/N there is no button for the games, the key does nothing, and no list is asked for."""
    asked = []
    page = open_page(
        f"{start(table.serve(games=Shelf(SEALED))).address}seat/2",
        before=lambda page: page.on("request", lambda ask: asked.append(ask.url)),
    )
    assert page.is_hidden("#open-games")
    page.keyboard.press("g")
    button(page, 2, "play").click()
    assert table.next_edges(2) == [(2, "play", True), (2, "play", False)]
    assert page.is_hidden("#games")
    assert not any("/games" in address and "games.js" not in address for address in asked)


@pytest.mark.parametrize("size", [(320, 568), (740, 360), (1280, 800)])
def test_the_games_fit_any_window(table, start, open_page, size):
    """Nothing is cut at the sides; list, chart and link are in the window; a finger can hit the controls."""
    width, height = size
    touch = width < 1000
    page = open_page(
        start(table.serve(games=Shelf(*[SEALED, SIX, GIVEN_UP] * 10))).address,
        viewport={"width": width, "height": height},
        has_touch=touch,
        is_mobile=touch,
    )
    opener = page.locator("#open-games")
    if touch:
        assert min(opener.bounding_box()["width"], opener.bounding_box()["height"]) >= 44
    opener.click()
    page.wait_for_selector("#chosen:visible")
    rows(page).nth(1).click()
    chart_of(page)
    for selector in ("#games", ".games", "#chosen"):
        assert page.eval_on_selector(selector, "(box) => box.scrollWidth <= box.clientWidth")
    for selector in ("#close", "#list label:nth-child(2)", "#chart"):
        box = page.locator(selector).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] < height
    page.locator("#record").scroll_into_view_if_needed()
    assert page.locator("#record").bounding_box()["y"] < height


@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_button_is_there_at_every_table(start, open_page, count):
    """Roomy and tight windows, the keys in the middle, at a side, or left out: no seat covers the button."""
    page = open_page(start(MemoryTable(range(1, count + 1)).serve()).address)
    for width, height in ((1280, 800), (1366, 625), (1024, 560)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            """([width, height]) => {
              if (innerWidth !== width || innerHeight !== height) return false;
              const box = document.getElementById("open-games").getBoundingClientRect();
              const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
              return document.elementFromPoint(x, y)?.id === "open-games";
            }""",
            arg=[width, height],
        )
