"""The page in a real browser: pictures, buttons by mouse, touch and keyboard, connection and look."""

import math

import pytest
from conftest import WAIT_S
from web_table import MemoryTable, noise

from firmware.web import wire

pytestmark = pytest.mark.browser

PIXELS = """
(canvas) => {
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let lit = "";
  for (let index = 0; index < width * height; index += 1) lit += data[4 * index] > 127 ? "1" : "0";
  return [width, height, lit];
}
"""


@pytest.fixture
def table():
    """Six seats with pictures of their own."""
    return MemoryTable()


@pytest.fixture
def serving(table, start):
    """The real server on a free port."""
    return start(table.serve())


def canvas(page, seat):
    """What a seat's canvas shows, as a panel's memory: 1024 bytes in page order."""
    width, height, lit = page.eval_on_selector(f"[data-seat='{seat}'] canvas", PIXELS)
    assert (width, height) == (128, 64)
    return bytes(
        int(lit[8 * row * 128 + column : 8 * (row + 1) * 128 : 128][::-1], 2)
        for row in range(8)
        for column in range(128)
    )


def wait_for_picture(page, seat, picture):
    """Until the canvas shows this panel memory; at last it has to be equal bit for bit."""
    for _ in range(1000):
        if canvas(page, seat) == picture:
            return
        page.wait_for_timeout(WAIT_S)
    assert canvas(page, seat) == picture


def button(page, seat, name):
    """A seat's button, as a screen reader names it."""
    return page.get_by_role("button", name=f"{name.title()}, seat {seat}", exact=True)


def middle(locator):
    """The middle of an element in the window."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# Pictures


def test_every_canvas_is_its_panels_memory(serving, table, open_page):
    """All six canvases equal their panels' memory bit for bit, also after each has changed."""
    page = open_page(serving.address)
    for seat in table.seats:
        wait_for_picture(page, seat, noise(seat))
    for seat in table.seats:
        table.show(seat, noise(f"new {seat}"))
    for seat in table.seats:
        wait_for_picture(page, seat, noise(f"new {seat}"))


def test_the_lowest_bit_is_on_top(serving, table, open_page):
    """A byte of the panel's memory is eight pixels of a column, the lowest bit uppermost."""
    picture = bytearray(1024)
    picture[2 * 128 + 5] = 0b0000_0001
    table.show(1, bytes(picture))
    page = open_page(f"{serving.address}seat/1")
    wait_for_picture(page, 1, bytes(picture))
    lit = page.eval_on_selector("canvas", PIXELS)[2]
    assert [index for index, pixel in enumerate(lit) if pixel == "1"] == [16 * 128 + 5]


def test_lamps(serving, table, open_page):
    """A lamp shines when it is lit; a seat without one shows none."""
    page = open_page(serving.address)
    table.show(2, lamp=True)
    page.wait_for_selector("[data-seat='2'] .lamp[data-lamp=lit]")
    assert page.get_by_label("Turn lamp lit").count() == 1
    assert page.is_visible("[data-seat='1'] .lamp[data-lamp=off]")
    assert page.is_hidden("[data-seat='4'] .lamp")


def test_a_seat_alone_gets_nothing_of_the_others(serving, table, open_page, chromium):
    """On /seat/3 one seat is to be seen, and all that its socket received is that seat's."""
    received, addresses = [], []

    def listen(page):
        def opened(web):
            addresses.append(web.url)
            web.on("framereceived", lambda data: received.append(data))

        page.on("websocket", opened)

    page = open_page(f"{serving.address}seat/3", before=listen)
    for seat in table.seats:
        table.show(seat, noise(f"canary {seat}"))
    wait_for_picture(page, 3, noise("canary 3"))
    assert addresses == [f"ws://127.0.0.1:{serving.port}/seat/3/socket"]
    assert page.locator(".seat").count() == 1
    everything = b"".join(data if isinstance(data, bytes) else data.encode() for data in received)
    assert noise("canary 3") in everything
    for seat in set(table.seats) - {3}:
        assert noise(seat)[:16] not in everything
        assert noise(f"canary {seat}")[:16] not in everything
        assert f"Place {seat}" not in page.content()


def test_the_page_asks_nobody_else(serving, open_page):
    """Every request goes to the server itself."""
    asked = []
    page = open_page(
        serving.address, before=lambda page: page.on("request", lambda ask: asked.append(ask.url))
    )
    assert len(asked) > 5
    assert all(address.startswith(serving.address) for address in asked)
    page.reload()


# Mouse and touch


def test_a_click_presses_and_releases(serving, table, open_page):
    """A click on each of the four buttons is its press and its release."""
    page = open_page(serving.address)
    for name in ("left", "right", "mark", "play"):
        button(page, 5, name).click()
        assert table.next_edges(2) == [(5, name, True), (5, name, False)]


def test_a_mouse_holds_until_it_lets_go(serving, table, open_page):
    """A button is down while the mouse holds it, wherever it goes; other mouse buttons press nothing."""
    page = open_page(serving.address)
    x, y = middle(button(page, 1, "mark"))
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.up(button="right")
    page.mouse.down()
    assert table.next_edges(1) == [(1, "mark", True)]
    page.mouse.move(5, 5)
    page.evaluate("0")
    assert table.edges.empty()
    page.mouse.up()
    assert table.next_edges(1) == [(1, "mark", False)]


def test_a_tap_presses_and_releases(serving, table, open_page):
    """A finger's tap on a phone is one press and one release."""
    page = open_page(f"{serving.address}seat/2", has_touch=True, viewport={"width": 360, "height": 740})
    button(page, 2, "right").tap()
    button(page, 2, "play").tap()
    assert table.next_edges(4) == [
        (2, "right", True),
        (2, "right", False),
        (2, "play", True),
        (2, "play", False),
    ]


def test_two_fingers_hold_two_buttons(serving, table, open_page):
    """Several touches hold several buttons; one that the browser takes away releases its button."""
    page = open_page(f"{serving.address}seat/2", has_touch=True)
    devtools = page.context.new_cdp_session(page)

    def touch(kind, *names):
        points = [
            dict(zip(("x", "y"), middle(button(page, 2, name)), strict=True), id=index)
            for index, name in enumerate(names)
        ]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", "left")
    touch("touchStart", "left", "right")
    assert table.next_edges(2) == [(2, "left", True), (2, "right", True)]
    touch("touchCancel")
    assert sorted(table.next_edges(2)) == [(2, "left", False), (2, "right", False)]


def test_a_click_without_a_pointer_is_a_stroke(serving, table, open_page):
    """What a screen reader does, a bare click, presses and releases."""
    page = open_page(serving.address)
    button(page, 1, "play").evaluate("(button) => button.click()")
    assert table.next_edges(2) == [(1, "play", True), (1, "play", False)]


# Keyboard

KEYS = [
    ("ArrowLeft", "left"),
    ("ArrowRight", "right"),
    ("ArrowUp", "mark"),
    ("m", "mark"),
    ("Shift+M", "mark"),
    ("Space", "mark"),
    ("Enter", "play"),
    ("NumpadEnter", "play"),
]


def test_keys_press_the_first_seat(serving, table, open_page):
    """Without any choice the keys press the first seat's buttons."""
    page = open_page(serving.address)
    for key, name in KEYS:
        page.keyboard.press(key)
        assert table.next_edges(2) == [(1, name, True), (1, name, False)]


def test_digits_choose_a_seat(serving, table, open_page):
    """A digit chooses the seat that the keys press; one without a seat changes nothing."""
    page = open_page(serving.address)
    for digit in "497":
        page.keyboard.press(digit)
    page.keyboard.press("Enter")
    assert table.next_edges(2) == [(4, "play", True), (4, "play", False)]
    assert page.locator("[data-chosen]").get_attribute("data-seat") == "4"


def test_tab_chooses_the_next_seat(serving, table, open_page):
    """Tab goes to the seat's link, then to the next seat, which the keys press from then on."""
    page = open_page(serving.address)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert table.next_edges(2) == [(2, "left", True), (2, "left", False)]
    outline = page.eval_on_selector("[data-chosen]", "(seat) => getComputedStyle(seat).outlineStyle")
    assert outline == "solid"


def test_a_click_chooses_the_seat_for_the_keys(serving, table, open_page):
    """After a click on a seat's button Enter plays at that seat, and does not repeat the click."""
    page = open_page(serving.address)
    button(page, 3, "left").click()
    page.keyboard.press("Enter")
    assert table.next_edges(4) == [
        (3, "left", True),
        (3, "left", False),
        (3, "play", True),
        (3, "play", False),
    ]


def test_the_choice_survives_a_reload(serving, table, open_page):
    """After a reload the keys press the same seat."""
    page = open_page(serving.address)
    page.keyboard.press("6")
    page.reload()
    page.wait_for_selector("[data-link=up] [data-seat='6'][data-chosen]")
    page.keyboard.press("m")
    assert table.next_edges(2) == [(6, "mark", True), (6, "mark", False)]


def test_a_repeated_key_is_no_press(serving, table, open_page):
    """A key that is held repeats: the button is down once, and stays up once it was let go."""
    page = open_page(serving.address)
    for _ in range(30):
        page.keyboard.down("ArrowRight")
    page.evaluate(LOSE_FOCUS)
    page.keyboard.down("ArrowRight")
    page.keyboard.up("ArrowRight")
    page.keyboard.press("Enter")
    assert table.next_edges(4) == [
        (1, "right", True),
        (1, "right", False),
        (1, "play", True),
        (1, "play", False),
    ]


def test_two_keys_on_one_button(serving, table, open_page):
    """Two keys that mean the same button hold it together: it is up when both are."""
    page = open_page(serving.address)
    page.keyboard.down("m")
    page.keyboard.down("Space")
    page.keyboard.up("m")
    page.keyboard.press("ArrowLeft")
    page.keyboard.up("Space")
    assert table.next_edges(4) == [
        (1, "mark", True),
        (1, "left", True),
        (1, "left", False),
        (1, "mark", False),
    ]


def test_a_key_releases_the_seat_that_it_pressed(serving, table, open_page):
    """Choosing another seat while a key is held leaves the key on the first seat's button."""
    page = open_page(serving.address)
    page.keyboard.down("Enter")
    page.keyboard.press("2")
    page.keyboard.up("Enter")
    assert table.next_edges(2) == [(1, "play", True), (1, "play", False)]


def test_a_key_whose_end_was_lost(serving, table, open_page):
    """A key that goes down twice without coming up has come up in between."""
    page = open_page(serving.address)
    for _ in range(2):
        page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter' }))")
    assert table.next_edges(3) == [(1, "play", True), (1, "play", False), (1, "play", True)]


def test_the_browsers_own_keys_press_nothing(serving, table, open_page):
    """Keys with Ctrl, Alt or Meta are the browser's; what was held before them is let go."""
    page = open_page(serving.address)
    page.keyboard.down("ArrowUp")
    page.keyboard.press("Control+m")
    page.keyboard.up("ArrowUp")
    page.keyboard.press("Enter")
    assert table.next_edges(4) == [
        (1, "mark", True),
        (1, "mark", False),
        (1, "play", True),
        (1, "play", False),
    ]


# Letting go

LOSE_FOCUS = 'dispatchEvent(new Event("blur"))'
HIDE = """
Object.defineProperty(document, "hidden", { value: true });
document.dispatchEvent(new Event("visibilitychange"));
"""


def test_a_page_that_nobody_looks_at_lets_go(serving, table, open_page):
    """Focus lost, page hidden, reloaded, left, closed: what was held is let go within 1 s."""
    page = open_page(serving.address)
    ways = [
        lambda: page.evaluate(LOSE_FOCUS),
        lambda: page.evaluate(HIDE),
        lambda: page.reload(),
        lambda: page.goto("about:blank"),
    ]
    for go_away in ways:
        page.keyboard.press("1")
        page.keyboard.down("ArrowLeft")
        page.mouse.move(*middle(button(page, 2, "play")))
        page.mouse.down()
        assert table.next_edges(2) == [(1, "left", True), (2, "play", True)]
        go_away()
        assert sorted(table.edges.get(timeout=1) for _ in range(2)) == [
            (1, "left", False),
            (2, "play", False),
        ]
        page.mouse.up()
        page.keyboard.up("ArrowLeft")
        page.wait_for_function("document.readyState == 'complete'")
        if page.url != serving.address:
            page.goto(serving.address)
        page.wait_for_selector("[data-link=up]")
    page.keyboard.press("1")
    page.keyboard.down("ArrowLeft")
    assert table.next_edges(1) == [(1, "left", True)]
    page.close()
    assert table.edges.get(timeout=1) == (1, "left", False)


def test_two_tabs_show_and_press_the_same(serving, table, open_page):
    """Two tabs show the same pictures; a button that both hold goes up with the last of them."""
    one, two = open_page(serving.address), open_page(serving.address)
    one.keyboard.down("m")
    assert table.next_edges(1) == [(1, "mark", True)]
    two.keyboard.down("m")
    two.keyboard.press("Enter")
    assert table.next_edges(2) == [(1, "play", True), (1, "play", False)]
    table.show(1, noise("both"))
    for page in (one, two):
        wait_for_picture(page, 1, noise("both"))
    one.close()
    two.keyboard.press("Enter")
    assert table.next_edges(2) == [(1, "play", True), (1, "play", False)]
    two.keyboard.up("m")
    assert table.next_edges(1) == [(1, "mark", False)]


# The connection


def test_the_page_comes_back_after_a_restart(table, start, open_page):
    """While the server is away the page says so and presses nothing; then it shows what is now."""
    first = start(table.serve())
    page = open_page(first.address)
    wait_for_picture(page, 1, noise(1))
    first.stop()
    page.wait_for_selector("[data-link=lost]")
    assert "Connection lost" in page.inner_text("[role=status]")
    assert page.locator(":is(.seat button, #open-games):enabled").count() == 0
    page.keyboard.down("Enter")
    assert page.locator("[data-down]").count() == 0
    page.keyboard.up("Enter")
    page.eval_on_selector("canvas", "(canvas) => canvas.dataset.same = 'yes'")
    table.show(1, noise("meanwhile"))
    start(table.serve(port=first.port))
    page.wait_for_selector("[data-link=up]", timeout=3000)
    wait_for_picture(page, 1, noise("meanwhile"))
    assert page.inner_text("[role=status]") == ""
    assert page.locator("canvas[data-same]").count() == 1
    assert table.edges.empty()
    page.keyboard.press("Enter")
    assert table.next_edges(2) == [(1, "play", True), (1, "play", False)]


def test_another_table_after_a_restart(table, start, open_page):
    """A server that comes back with other seats: the page shows those."""
    first = start(table.serve())
    page = open_page(first.address)
    page.keyboard.press("5")
    first.stop()
    start(MemoryTable((1, 2, 3)).serve(port=first.port))
    page.wait_for_selector("[data-link=up] [data-seats='3']")
    assert page.locator(".seat").count() == 3
    assert page.locator("[data-chosen]").get_attribute("data-seat") == "1"


def test_a_dead_socket_is_noticed(table, start, open_page):
    """A connection that falls silent without an end counts as lost, and is opened anew."""
    serving = start(table.serve(ping_s=0.1))
    sockets = []

    def between(web):
        server = web.connect_to_server()
        number = len(sockets)
        sockets.append(server)
        server.on_message(lambda message: web.send(message) if number > 0 or not silent else None)
        web.on_message(server.send)

    silent = []
    page = open_page(serving.address, before=lambda page: page.route_web_socket("**/socket", between))
    silent.append(True)
    table.show(1, noise("after the silence"))
    page.wait_for_selector("[data-link=lost]")
    page.wait_for_selector("[data-link=up]")
    wait_for_picture(page, 1, noise("after the silence"))
    assert len(sockets) == 2


def test_another_versions_page_asks_to_be_reloaded(serving, table, open_page, monkeypatch):
    """A page that meets another protocol than its own says so instead of drawing wrongly."""
    page = open_page(serving.address)
    monkeypatch.setattr(wire, "VERSION", 4)
    page.reload()
    page.wait_for_selector("[data-link=other]")
    assert "reload" in page.inner_text("[role=status]")


# The look


def test_a_seat_alone_fills_a_fine_display(serving, open_page):
    """On a display with twice the pixels a seat alone is as large as on another, in finer steps."""
    page = open_page(f"{serving.address}seat/1", device_scale_factor=2)
    assert page.locator("canvas").bounding_box()["width"] == 8 * 128


def apart(one, other):
    """Whether neither of two boxes covers a part of the other."""
    return any(
        first[start] + first[size] <= second[start]
        for first, second in ((one, other), (other, one))
        for start, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.parametrize("count", range(2, 7))
def test_the_table_fits_a_screen(start, open_page, count):
    """Two to six seats: nothing to scroll, no seat covers another, clockwise from the near side as seen from
    above, and each panel pixel is the same whole number of screen pixels, at least three."""
    table = MemoryTable(range(1, count + 1))
    page = open_page(start(table.serve()).address)
    for width, height in ((1280, 800), (1366, 625), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            """([width, height]) => {
              const root = document.documentElement;
              return innerWidth === width && root.scrollWidth === width && root.scrollHeight === height;
            }""",
            arg=[width, height],
        )
        boxes = [page.locator(f"[data-seat='{seat}']").bounding_box() for seat in table.seats]
        for index, box in enumerate(boxes):
            assert 0 <= box["x"] <= width - box["width"]
            assert 0 <= box["y"] <= height - box["height"]
            assert all(apart(box, other) for other in boxes[:index])
        angles = []
        for box in boxes:
            left = width / 2 - (box["x"] + box["width"] / 2)
            near = box["y"] + box["height"] / 2 - height / 2
            angles.append(math.atan2(round(left), near) % math.tau)
        assert angles[0] == 0
        assert angles == sorted(angles)
        scale = page.locator("canvas").first.bounding_box()["width"] / 128
        assert scale == int(scale) >= 3


@pytest.mark.parametrize("ratio", [1, 1.25, 2.625])
def test_a_phone(serving, table, open_page, ratio):
    """At 360 pixels' width nothing is cut, panel pixels are whole screen pixels, buttons fit a thumb."""
    page = open_page(
        serving.address,
        viewport={"width": 360, "height": 740},
        device_scale_factor=ratio,
        has_touch=True,
        is_mobile=True,
    )
    for path in ("", "seat/1"):
        page.goto(serving.address + path)
        page.wait_for_selector("[data-link=up]")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        scale = page.locator("canvas").first.bounding_box()["width"] * ratio / 128
        assert abs(scale - round(scale)) < 0.01
        assert round(scale) == int(360 * ratio / 128)
        for name in ("left", "right", "mark", "play"):
            box = button(page, 1, name).bounding_box()
            assert box["width"] >= 44
            assert box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollHeight") == 740
