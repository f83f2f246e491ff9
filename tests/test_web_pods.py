"""Pods on the page of the simulated table: what a page is told of them, and what it can have done to them."""

from collections.abc import Iterator

import pytest
from conftest import WAIT_S
from test_web_server import end_of, opened, snapshot
from web_table import MemoryTable, noise

from firmware.simulation import SimHost
from firmware.simulator import Shown
from firmware.web.wire import POD_ACTS, PodState
from hardware.profile import load_profile

UP, AWAY, NOISY = PodState(True, False), PodState(False, False), PodState(True, True)


@pytest.fixture
def table() -> MemoryTable:
    """Six seats; 3, 4 and 5 have pods."""
    table = MemoryTable()
    table.pods = {3: UP, 4: AWAY, 5: NOISY}
    return table


@pytest.fixture
def serving(table, start):
    """The real server on a free port."""
    return start(table.serve())


def test_a_page_is_told_of_pods(serving) -> None:
    """Hello names the seats with pods; a frame's second byte says besides the lamp how the pod is."""
    with opened(serving) as client:
        hello, frames = snapshot(client)
        assert [seat["seat"] for seat in hello["seats"] if seat["pod"]] == [3, 4, 5]
        assert [frame[1] for frame in frames] == [0, 0, 0, 2 | 4, 8, 0]
        assert all(frame[2:] == noise(frame[0]) for frame in frames)


def test_changes_of_a_pod_are_sent(serving, table) -> None:
    """A pod that is pulled is told, though its picture and lamp are the same."""
    with opened(serving) as client:
        snapshot(client)
        table.pods[3] = AWAY
        table.show(3)
        while not (frame := client.recv(timeout=WAIT_S)):
            pass
        assert (frame[0], frame[1]) == (3, 4)


@pytest.mark.parametrize("act", POD_ACTS)
def test_acts_reach_the_table(serving, table, act) -> None:
    """Each act is done to the pod of the seat that the page names."""
    with opened(serving) as client:
        client.send(f"pod 4 {act}")
        assert table.acts.get(timeout=WAIT_S) == (4, act)


@pytest.mark.parametrize(
    ("path", "message", "reason"),
    [
        ("/socket", "pod 1 unplug", "this socket has no such pod"),
        ("/socket", "pod 7 unplug", "this socket has no such pod"),
        ("/socket", "pod 03 unplug", "this socket has no such pod"),
        ("/seat/3/socket", "pod 4 unplug", "this socket has no such pod"),
        ("/socket", "pod 3 burn", "nothing that can be done to a pod"),
        ("/socket", "pod 3 Unplug", "nothing that can be done to a pod"),
        ("/socket", "pod 3", "not understood"),
        ("/socket", "pod 3 unplug now", "not understood"),
    ],
)
def test_acts_that_cannot_be(serving, table, path, message, reason) -> None:
    """A seat on wires, another page's seat, a strange act: the socket ends with a reason, nothing is done."""
    with opened(serving, path) as client:
        client.send(message)
        code, said = end_of(client)
        assert code == 1008
        assert said.startswith(reason)
    assert table.acts.empty()


def test_acts_on_the_simulated_board() -> None:
    """What the page asks for is done on the board's own thread, at its next step, and shown."""
    host = SimHost(load_profile("mixed-4"))
    shown = Shown(host.wires, host.do)
    changes: list[int] = []
    shown.watch(changes.append)

    def done(act: str) -> PodState | None:
        changes.clear()
        before = shown.pod(3)
        shown.act_on_pod(3, act)
        assert shown.pod(3) == before
        host.advance(host.clock() + 0.01)
        return shown.pod(3)

    assert [shown.pod(seat) for seat in shown.seats] == [None, None, UP, UP]
    assert (done("unplug"), changes[:1]) == (AWAY, [3])
    assert (done("plug"), changes[:1]) == (UP, [3])
    assert (done("garble"), changes[:1]) == (NOISY, [3])
    assert (done("clear"), changes[:1]) == (UP, [3])
    assert done("reset") == UP
    host.close()


# In a browser


@pytest.fixture
def page(serving, open_page) -> Iterator[object]:
    """The page, with a menu at each pod's seat."""
    page = open_page(serving.address)
    page.wait_for_selector("[data-link='up'] [data-seat='5'] .pod[data-odd]")
    return page


def menu(page, seat):
    """A seat's menu."""
    return page.locator(f"[data-seat='{seat}'] .pod")


@pytest.mark.browser
def test_only_pods_have_a_menu(page) -> None:
    """Seats 3 to 5 have a menu that says how the pod is; wired seats have none."""
    assert page.locator(".pod").count() == 3
    assert [menu(page, seat).locator("summary").inner_text() for seat in (3, 4, 5)] == [
        "Pod",
        "Pod: unplugged",
        "Pod: garbled",
    ]


@pytest.mark.browser
def test_the_menu_by_mouse(page, table) -> None:
    """A click opens the menu, one on an act does it and closes it; what is done can be undone."""
    menu(page, 3).locator("summary").click()
    assert menu(page, 3).get_by_role("button").all_inner_texts() == ["Unplug", "Reset", "Garble its line"]
    menu(page, 3).get_by_role("button", name="Unplug").click()
    assert table.acts.get(timeout=WAIT_S) == (3, "unplug")
    assert menu(page, 3).get_attribute("open") is None
    menu(page, 4).locator("summary").click()
    assert menu(page, 4).get_by_role("button", name="Reset").is_disabled()
    menu(page, 4).get_by_role("button", name="Plug in").click()
    assert table.acts.get(timeout=WAIT_S) == (4, "plug")
    menu(page, 5).locator("summary").click()
    menu(page, 5).get_by_role("button", name="Clear its line").click()
    assert table.acts.get(timeout=WAIT_S) == (5, "clear")
    assert table.edges.empty()


@pytest.mark.browser
def test_the_menu_by_keyboard(page, table) -> None:
    """Enter and Space work the menu while the focus is in it, and press no button; Esc closes it."""
    page.keyboard.press("3")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert menu(page, 3).get_attribute("open") is not None
    page.keyboard.press("Escape")
    assert menu(page, 3).get_attribute("open") is None
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert table.acts.get(timeout=WAIT_S) == (3, "reset")
    assert table.edges.empty()
    page.keyboard.press("Enter")  # the focus is on the seat again
    assert table.next_edges(2) == [(3, "play", True), (3, "play", False)]


@pytest.mark.browser
def test_the_menu_of_a_seat_alone(serving, table, open_page) -> None:
    """A seat's own page has its pod's menu, too."""
    page = open_page(f"{serving.address}seat/3")
    page.wait_for_selector("[data-link='up'] .pod")
    menu(page, 3).locator("summary").click()
    menu(page, 3).get_by_role("button", name="Garble").click()
    assert table.acts.get(timeout=WAIT_S) == (3, "garble")
