"""A pod and the table's end of its link, on a simulated line in virtual time (docs/protocol.md)."""

import random

import pytest
from pod_rig import POD_ID, Rig

from drivers.podlink import LOST_S, RESET_KEYS, RESET_S, Settings
from firmware.pod.app import MAX_QUEUED, SILENCE_MS, STALE_MS
from hardware import link

PICTURE = random.Random(22).randbytes(1024)


def strokes(rig: Rig, buttons: str, gap: float = 0.1) -> list[tuple[int, bool]]:
    """Plan short strokes of these buttons, by number, from now on; return the edges that they are."""
    for number, button in enumerate(buttons):
        rig.press(rig.now + 0.01 + number * gap, int(button), 0.05)
    return [(int(button), down) for button in buttons for down in (True, False)]


def told(rig: Rig) -> list[tuple[int, bool]]:
    """The edges that have arrived, without their times."""
    return [(button, down) for button, down, _ in rig.edges]


@pytest.mark.parametrize("picture", [PICTURE, b"\xff" * 1024, b"\0" * 1024])
def test_session_brings_picture_lamp_contrast_and_power(picture):
    """After the hellos the pod has the wanted picture bit for bit, lamp, contrast and power."""
    rig = Rig()
    rig.link.picture.wanted = picture
    rig.link.settings = Settings(lamp=True, contrast=7, power=False)
    rig.run(0.5)
    assert rig.pod.picture == picture
    assert rig.desk.lamps[-1] is True
    assert (rig.pod.panel.contrast, rig.pod.panel.power) == (7, False)
    assert rig.link.problem(rig.now) is None
    assert rig.link.hello.pod_id == POD_ID
    assert (rig.link.hello.build, rig.link.hello.abilities) == ("rig", link.HAS_LAMP)
    assert rig.link.lost_orders == 0


def test_strokes_arrive_once_in_order_and_with_their_time():
    """Each stroke is one edge down and one up, whose times are those of the contacts to 5 ms."""
    rig = Rig()
    rig.run(0.5)
    started = rig.now
    planned = strokes(rig, "0123321001")
    rig.run(2)
    assert told(rig) == planned
    for number, (_, _, at) in enumerate(rig.edges):
        assert at == pytest.approx(started + 0.01 + number // 2 * 0.1 + number % 2 * 0.05, abs=0.005)
    assert rig.link.levels == 0


def test_every_frame_doubled_changes_nothing():
    """If each frame comes twice, each edge is told once, and the picture is right."""
    rig = Rig()
    rig.to_pod.tamper = rig.to_table.tamper = lambda place, data: data * 2
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    planned = strokes(rig, "0123")
    rig.run(1)
    assert told(rig) == planned
    assert rig.pod.picture == PICTURE


def test_old_order_doubled_late_does_not_undo_a_newer_one():
    """A SHOW that comes once more after a newer one is acknowledged again, but not painted again."""
    rig = Rig()
    rig.run(0.3)
    rig.link.picture.wanted = PICTURE[:128] + bytes(896)
    mark = len(rig.to_pod.log)
    rig.run(0.2)
    old = bytes(rig.to_pod.log[mark:])
    rig.link.picture.wanted = bytes(1024)
    rig.run(0.2)
    rig.to_pod.write(old, rig.now)
    rig.run(0.2)
    assert rig.pod.picture == bytes(1024)


def conversation(tamper_to_pod=None, tamper_to_table=None) -> Rig:
    """Two pictures and three strokes, on a line that is tampered with."""
    rig = Rig(seed=3)
    rig.to_pod.tamper, rig.to_table.tamper = tamper_to_pod, tamper_to_table
    rig.link.picture.wanted = PICTURE[:90] + bytes(934)
    rig.run(0.4)
    rig.link.picture.wanted = PICTURE[:60] + bytes(900) + PICTURE[:64]
    strokes(rig, "012", 0.12)
    rig.run(1.4)
    return rig


@pytest.mark.parametrize("direction", ["to pod", "to table"])
@pytest.mark.parametrize("damage", ["deleted", "zero", "one", "three", "doubled", "changed"])
def test_any_single_byte_anywhere_in_the_conversation(direction, damage):
    """Whichever single byte is lost, added or changed: all strokes arrive once, and the picture is right."""
    plain = conversation()
    expected = [(button, down) for button in (0, 1, 2) for down in (True, False)]
    assert told(plain) == expected
    length = len(plain.to_pod.log if direction == "to pod" else plain.to_table.log)
    assert length > 200

    for position in range(length):

        def tamper(place, data, position=position):
            at = position - place
            if not 0 <= at < len(data):
                return data
            byte = data[at : at + 1]
            instead = {
                "deleted": b"",
                "zero": b"\0" + byte,
                "one": b"\1" + byte,
                "three": byte + b"\3",
                "doubled": byte * 2,
                "changed": bytes([byte[0] ^ 0x15]),
            }[damage]
            return data[:at] + instead + data[at + 1 :]

        rig = conversation(tamper, None) if direction == "to pod" else conversation(None, tamper)
        assert told(rig) == expected, position
        assert rig.pod.picture == rig.link.picture.wanted, position
        assert rig.link.problem(rig.now) is None


def test_latest_picture_wins():
    """Of a hundred pictures in a second on a slow line only the last must arrive, and few bytes pile up."""
    rig = Rig()
    rig.run(0.5)
    chance = random.Random(1)
    before = len(rig.to_pod.log)
    for _ in range(100):
        rig.link.picture.wanted = chance.randbytes(1024)
        rig.run(0.01)
    rig.run(0.2)
    assert rig.pod.picture == rig.link.picture.wanted
    assert len(rig.to_pod.log) - before < 1.2 * 11_520 * 1.1


def test_cursor_move_costs_few_bytes():
    """A change of two columns of cards, 30 bytes of picture, is one frame of at most 60 bytes."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.run(0.4)
    before = len(rig.to_pod.log)
    changed = bytearray(PICTURE)
    for place in (7 * 128 + 20, 7 * 128 + 40):
        changed[place : place + 15] = bytes(byte ^ 0xFF for byte in changed[place : place + 15])
    rig.link.picture.wanted = bytes(changed)
    rig.run(0.1)
    assert rig.pod.picture == changed
    assert len(rig.to_pod.log) - before <= 60
    assert rig.link.lost_orders == 0
    before = len(rig.to_pod.log)
    rig.run(10)
    assert len(rig.to_pod.log) - before <= 20 * 14  # two pings a second


def test_pod_that_starts_anew_is_painted_anew():
    """A pod that was reset is greeted, painted and lit again within a second, and tells no stroke twice."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.link.settings = Settings(lamp=True)
    rig.run(0.5)
    planned = strokes(rig, "01")
    rig.run(0.5)
    for _ in range(20):
        rig.start_pod()
        rig.run(1)
        assert rig.pod.picture == PICTURE
        assert rig.desk.lamps[-1] is True
        planned += strokes(rig, "23")
        rig.run(0.5)
        assert told(rig) == planned


def test_pod_that_takes_its_time_to_start():
    """A pod that starts anew when its line is opened, and babbles meanwhile, is greeted once it is up."""
    rig = Rig()
    pod = rig.pod
    pod.receive = lambda chunk, now: None
    pod.transmit = lambda now: b""
    for _ in range(20):
        rig.to_table.write(
            random.Random(1).randbytes(40) + link.frame(bytes([link.REPORT]) + bytes(8)), rig.now
        )
        rig.run(0.1)
    assert "does not answer" in rig.link.problem(rig.now)
    rig.start_pod()
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    assert rig.link.problem(rig.now) is None
    assert rig.pod.picture == PICTURE
    assert rig.edges == []


def test_table_that_starts_anew_hears_nothing_of_before():
    """Strokes that wait on the pod when a new table comes are not told to it; later ones are."""
    rig = Rig()
    rig.run(0.5)
    rig.to_table.reading = False
    strokes(rig, "01")
    rig.run(0.5)
    rig.edges.clear()
    rig.to_table.reading = True
    rig.start_link()
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    assert told(rig) == []
    assert rig.pod.picture == PICTURE
    planned = strokes(rig, "23")
    rig.run(0.5)
    assert told(rig) == planned


def test_new_table_blanks_the_old_picture_at_once():
    """The first thing that a new session does on a pod is to take the old picture away."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    rig.start_link()
    rig.run(0.02)
    assert rig.link.up
    assert rig.pod.picture == bytes(1024)


def test_frozen_table():
    """While nobody reads for 60 s the picture goes; then the pod tells what is true, and no backlog."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    step, receive = rig.link.transmit, rig.link.receive
    rig.link.transmit, rig.link.receive = (lambda now: b""), (lambda data, now: [])
    rig.to_table.reading = False
    strokes(rig, "0123")
    rig.link.deadline = lambda: float("inf")
    rig.run(1)
    assert rig.pod.picture == PICTURE
    rig.run(59)
    assert rig.pod.picture == bytes(1024)
    assert "No table. Is it" in rig.canvas.words
    rig.link.transmit, rig.link.receive = step, receive
    del rig.link.deadline
    rig.to_table.reading = True
    planned = strokes(rig, "3")
    rig.run(1)
    assert told(rig) == planned
    assert rig.pod.picture == PICTURE


def test_short_freeze_of_the_table_loses_no_stroke():
    """Strokes made while the table was away for two seconds arrive once, with the time of their making."""
    rig = Rig()
    rig.run(0.5)
    step, receive = rig.link.transmit, rig.link.receive
    rig.link.transmit, rig.link.receive = (lambda now: b""), (lambda data, now: [])
    rig.link.deadline = lambda: float("inf")
    rig.to_table.reading = False
    started = rig.now
    planned = strokes(rig, "012")
    rig.run(2)
    rig.link.transmit, rig.link.receive = step, receive
    del rig.link.deadline
    rig.to_table.reading = True
    rig.run(1)
    assert told(rig) == planned
    assert rig.edges[0][2] == pytest.approx(started + 0.01, abs=0.01)
    assert rig.edges[-1][2] == pytest.approx(started + 0.26, abs=0.01)


def test_pod_that_stops_reading():
    """A pod that reads nothing for 60 s is sent little; then it has the current picture within a second."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    rig.to_pod.reading = False
    before = len(rig.to_pod.log)
    chance = random.Random(5)
    for _ in range(600):
        rig.link.picture.wanted = chance.randbytes(1024)
        rig.run(0.1)
    assert len(rig.to_pod.log) - before < 4096
    assert "does not answer" in rig.link.problem(rig.now)
    rig.to_pod.reading = True
    rig.run(1)
    assert rig.link.problem(rig.now) is None
    assert rig.pod.picture == rig.link.picture.wanted


def test_lost_pod_is_noticed_and_comes_back():
    """A pod that falls silent is reported within 2.1 s, and back within a second of its return."""
    rig = Rig()
    rig.run(0.5)
    rig.to_table.tamper = lambda place, data: b""
    rig.run(LOST_S - 0.5)
    assert rig.link.problem(rig.now) is None
    rig.run(0.6)
    assert "does not answer" in rig.link.problem(rig.now)
    assert POD_ID.hex() in rig.link.problem(rig.now)
    rig.run(30)
    rig.to_table.tamper = None
    rig.run(1)
    assert rig.link.problem(rig.now) is None


def test_more_strokes_than_the_queue_holds():
    """A pod whose queue overflows drops it whole; the table gets what came after, and the right levels."""
    rig = Rig()
    rig.run(0.5)
    rig.to_table.tamper = lambda place, data: b""
    planned = strokes(rig, "01" * (MAX_QUEUED // 4 + 2), 0.09)
    rig.run(1.9)
    rig.to_table.tamper = None
    rig.run(1)
    assert told(rig) == planned[MAX_QUEUED + 1 :]
    assert rig.link.levels == 0
    rig.edges.clear()
    planned = strokes(rig, "2")
    rig.run(0.5)
    assert told(rig) == planned


def test_stale_strokes_are_dropped():
    """Strokes that nobody wanted for six seconds are dropped by the pod itself."""
    rig = Rig()
    strokes(rig, "01")
    rig.to_pod.reading = rig.to_table.reading = False
    rig.run(1)
    assert rig.pod.transmit(1000) == b""
    assert len(rig.pod._queue) == 4
    rig.run(STALE_MS / 1000)
    assert len(rig.pod._queue) == 0


@pytest.mark.parametrize(
    ("pod", "words"),
    [
        ((link.LOWEST - 1, link.LOWEST - 1), ["version 0", "version 1", "twentytwo pod flash"]),
        ((link.HIGHEST + 1, link.HIGHEST + 1), ["version 2", "version 1", "update the table", "pod flash"]),
        ((link.HIGHEST + 1, link.HIGHEST + 3), ["versions 2 to 4", "version 1"]),
        ((0, 0), ["version 0"]),
        ((9, 3), ["twentytwo pod flash"]),
    ],
)
def test_pod_of_another_version_is_refused_on_both_ends(pod, words):
    """Without a common version both ends say both versions and what to do, and nothing is a press."""
    rig = Rig()
    rig.start_pod(versions=pod)
    strokes(rig, "0123")
    rig.run(2)
    assert not rig.link.up
    problem = rig.link.problem(rig.now)
    assert POD_ID.hex() in problem
    assert all(word in problem for word in words), problem
    assert rig.edges == []
    assert rig.canvas.words[0] == "Other version"
    assert "Table has 1" in rig.canvas.words
    assert "twentytwo pod" in rig.canvas.words
    assert all(len(word) <= 15 for word in rig.canvas.words)


@pytest.mark.parametrize("pod", [(0, 1), (1, 2), (0, 5)])
def test_pod_that_speaks_our_version_among_others_plays(pod):
    """A pod whose versions include ours plays, whatever else it speaks."""
    rig = Rig()
    rig.start_pod(versions=pod)
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    assert rig.pod.picture == PICTURE


def test_flashed_pod_is_taken_after_all():
    """A pod that was refused, and comes back with the right version, plays."""
    rig = Rig()
    rig.start_pod(versions=(9, 9))
    rig.run(2)
    rig.start_pod()
    rig.link.picture.wanted = PICTURE
    rig.run(1)
    assert rig.link.problem(rig.now) is None
    assert rig.pod.picture == PICTURE


@pytest.mark.parametrize("garble", ["short", "panel", "length", "noise", "name"])
def test_garbage_hello(garble):
    """A hello that is cut short, or of a pod without our panel, makes no session and no press."""
    rig = Rig()
    rig.run(0.5)
    for seed in range(50):
        chance = random.Random(seed)

        def garbled(nonce, chance=chance):
            hello = link.Hello(
                lowest=1, highest=1, nonce=nonce, boot=5, pod_id=POD_ID, columns=128, rows=64, build="x"
            ).pack()
            return {
                "short": hello[: chance.randrange(1, 22)],
                "panel": hello[:18] + bytes([chance.choice((0, 64, 96, 255))]) + hello[19:],
                "length": hello[:21] + bytes([chance.randrange(2, 256)]) + hello[22:],
                "noise": hello[:1] + b"\1\1" + nonce.to_bytes(2, "little") + chance.randbytes(12),
                "name": hello[:-1] + bytes([chance.randrange(128, 256)]),
            }[garble]

        rig.start_link()
        frame = rig.link.transmit(rig.now)
        nonce = link.parse_table_hello(link.Decoder().feed(frame)[0])[2]
        assert rig.link.receive(link.frame(garbled(nonce)), rig.now) == []
        assert not rig.link.up
        assert "flash" in rig.link.problem(rig.now + 2)


def test_prompt_means_that_the_program_has_stopped():
    """A prompt or a traceback is reported, is no press, and keys to start anew go out once in 10 s."""
    for text in (
        b'\r\nTraceback (most recent call last):\r\n  File "app.py"\r\nOSError: 5\r\n>>> ',
        b"MicroPython v1.28 on 2026-01-01; Raspberry Pi Pico with RP2040\r\n>>> ",
    ):
        rig = Rig()
        rig.run(0.5)
        rig.pod.receive = lambda chunk, now: None
        rig.pod.transmit = lambda now: b""
        rig.to_table.write(text, rig.now)
        rig.run(0.2)
        assert "has stopped" in rig.link.problem(rig.now)
        resets = [rig.to_pod.log.count(RESET_KEYS)]
        rig.run(RESET_S * 3 - 0.5)
        resets.append(rig.to_pod.log.count(RESET_KEYS))
        assert resets == [1, 3]
        assert rig.edges == []
        rig.start_pod()
        rig.run(RESET_S)
        assert rig.link.problem(rig.now) is None


@pytest.mark.parametrize(
    "junk", [b"AT\r\n", b"ATE1 E0\r\nAT+CGMI\r\n", b"\r\n>>", b"\x7e\x00\x78\xf0\x7e", b"\xff" * 70]
)
def test_junk_of_others_on_the_line(junk):
    """Junk put on the line at any moment, either way, makes no press and prevents no session."""
    for moment in range(0, 600, 7):
        rig = Rig()
        strokes(rig, "0")
        for wire in (rig.to_pod, rig.to_table):
            wire.tamper = lambda place, data: data
        rig.run(moment / 1000)
        rig.to_pod.write(junk, rig.now)
        rig.to_table.write(junk, rig.now)
        rig.run(1)
        assert rig.link.up
        assert told(rig) in ([], [(0, False)], [(0, True), (0, False)])


def test_echo_is_no_answer():
    """A line that sends the table's own bytes back, as a terminal does, makes neither session nor press."""
    rig = Rig()
    rig.pod.receive = lambda chunk, now: rig.to_table.write(chunk, rig.now)
    rig.run(3)
    assert not rig.link.up
    assert "does not answer" in rig.link.problem(rig.now)


def test_silent_panel_is_reported():
    """A pod whose panel does not answer says so, and that it does again."""
    rig = Rig()
    rig.run(0.5)
    rig.pod.panel.silent = True
    rig.run(1)
    assert "panel" in rig.link.problem(rig.now)
    rig.pod.panel.silent = False
    rig.run(1)
    assert rig.link.problem(rig.now) is None


def test_button_stuck_at_the_start():
    """A button that is down at the pod's start is told on its panel, and no press before it was released."""
    rig = Rig()
    rig.to_pod.reading = False
    rig.start_pod(down=0b0010)
    rig.desk.down = 0b0010
    rig.plans.append((0.1, 0b0010))
    rig.run(0.2)
    assert "RIGHT is down:" in rig.canvas.words
    rig.to_pod.reading = True
    rig.run(0.5)
    assert rig.edges == []
    assert rig.link.levels == 0
    rig.plans.append((rig.now + 0.01, 0))
    rig.run(0.1)
    planned = strokes(rig, "1")
    rig.run(0.5)
    assert told(rig) == planned


def test_offer_shows_the_seat_until_a_picture_comes():
    """A pod without a seat says which one it may become, until a picture comes, be it blank."""
    rig = Rig()
    rig.link.offer = 3
    rig.run(0.5)
    assert "   seat 3" in rig.canvas.words
    assert all(len(word) <= 15 for word in rig.canvas.words)
    rig.link.offer = 0
    rig.run(0.5)
    assert rig.canvas.words[0] == "Spare pod"
    rig.link.offer = None
    rig.run(0.5)
    assert rig.pod.panel._buffer is rig.pod.picture
    assert rig.pod.picture == bytes(1024)
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    rig.link.offer = 2
    rig.run(0.5)
    assert rig.pod.panel._buffer is not rig.pod.picture
    assert "   seat 2" in rig.canvas.words


def test_farewell_takes_the_picture_away():
    """When the table ends the session, the pod's picture goes at once."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    rig.to_pod.write(rig.link.farewell(), rig.now)
    rig.link.transmit = lambda now: b""
    rig.run(0.05)
    assert rig.pod.picture == bytes(1024)
    assert rig.canvas.words[0] == "Pod 31A52C"


def test_silent_table_loses_its_picture():
    """Three seconds after the last word of a table its picture has gone from the pod, and the lamp is off."""
    rig = Rig()
    rig.link.picture.wanted = PICTURE
    rig.link.settings = Settings(lamp=True)
    rig.run(0.5)
    rig.to_pod.reading = False
    rig.run(SILENCE_MS / 1000 + 0.1)
    assert rig.pod.picture == bytes(1024)
    assert rig.desk.lamps[-1] is False


def test_restart_is_acknowledged_first():
    """A pod that is told to start anew acknowledges it before it does, and does it once."""
    for update in (False, True):
        rig = Rig()
        rig.run(0.5)
        rig.link.restart(update=update)
        rig.run(0.2)
        assert rig.desk.restarts == [update]
        assert rig.link.lost_orders == 0


def test_restart_whose_acknowledgement_is_lost_happens_once():
    """If the pod starts anew but its acknowledgement is lost, it is not told to start anew again."""
    rig = Rig()
    rig.run(0.5)
    restarts = []

    def restart(update):
        restarts.append(update)
        rig.start_pod()

    rig.desk.restart = restart
    rig.to_table.tamper = lambda place, data: b"" if not restarts else data
    rig.link.restart()
    rig.run(0.5)
    rig.desk.restart = restart
    rig.run(3)
    assert restarts == [False]
    assert rig.link.problem(rig.now) is None


def test_counters_are_told():
    """The pod's counters come when they are asked for: good and bad frames, and the rest."""
    rig = Rig()
    rig.run(0.5)
    rig.to_pod.write(b"\0junk\0", rig.now)
    rig.link.ask_counts()
    rig.run(0.2)
    assert rig.link.counts["bad_frames"] == 1
    assert rig.link.counts["frames"] >= 2
    assert rig.link.counts["free_bytes"] == 100_000
    assert rig.link.counts["dropped_edges"] == 0


def test_unknown_messages_are_ignored():
    """Types of messages that a later version may add are ignored on both ends; an order is acknowledged."""
    rig = Rig()
    rig.run(0.5)
    tag, sequence = rig.link._tag, rig.link._sequence
    rig.to_pod.write(link.frame(link.pack_order(0x1E, tag, sequence + 1, 0, b"later")), rig.now)
    rig.to_table.write(link.frame(bytes([0x2E, 1, 2, 3])), rig.now)
    rig.to_table.write(link.frame(bytes([0x42])), rig.now)
    rig.link._sequence += 1
    planned = strokes(rig, "3")
    rig.run(0.5)
    assert told(rig) == planned
    assert rig.link.problem(rig.now) is None


def test_edges_that_become_certain_together():
    """Two buttons of which the later in number went down first are told in the order of their contacts."""
    rig = Rig()
    rig.run(0.5)
    rig.pod.levels(0b1000, 1000)
    rig.pod.levels(0b1001, 1003)
    rig.pod.levels(0b1001, 1030)
    report = link.parse_report(link.Decoder().feed(rig.pod.transmit(1030))[0])
    assert report.edges == [(3, True, 30), (0, True, 26)]


@pytest.mark.parametrize("kind", [link.SET, link.SHOW, link.OFFER, link.ASK, link.RESET, link.PING])
def test_order_that_is_lost_is_said_again(kind):
    """Whichever order is lost the first two times: it is said again, and obeyed."""
    rig = Rig()
    lost = []

    def lose(place, data):
        messages = link.Decoder().feed(data)
        if messages and messages[0][0] == kind and len(lost) < 2:
            lost.append(data)
            return b""
        return data

    rig.to_pod.tamper = lose
    rig.link.settings = Settings(lamp=True)
    rig.link.offer = 5 if kind == link.OFFER else None
    rig.link.picture.wanted = PICTURE
    rig.run(0.5)
    rig.link.ask_counts()
    planned = strokes(rig, "1")
    rig.run(0.5)
    assert rig.desk.lamps[-1] is True
    assert rig.link.counts is not None
    assert told(rig) == planned
    if kind == link.OFFER:
        assert "   seat 5" in rig.canvas.words
    else:
        assert rig.pod.picture == PICTURE
    rig.link.restart()
    rig.run(0.5)
    assert rig.desk.restarts == [False]
    assert len(lost) == 2


def test_hello_to_another_table_is_no_answer():
    """A hello that answers another attempt, or nobody, makes no session."""
    rig = Rig()
    nonce = link.parse_table_hello(link.Decoder().feed(rig.link.transmit(0.0))[0])[2]
    for other in (0, nonce ^ 1):
        hello = link.Hello(lowest=1, highest=1, nonce=other, boot=1, pod_id=POD_ID, columns=128, rows=64)
        rig.link.receive(link.frame(hello.pack()), 0.0)
        assert not rig.link.up


def test_reports_of_another_start_are_none():
    """A pod that starts anew, and takes an old hello for one to itself, is not believed."""
    rig = Rig()
    strokes(rig, "0")
    rig.run(0.5)
    while rig.now - rig.link._heard > 0.02:
        rig.run(0.01)
    rig.edges.clear()
    nonce = rig.link._nonce
    rig.start_pod()
    rig.pod.receive(link.frame(link.pack_hello(1, 1, nonce)), 0)
    assert rig.pod.transmit(0)  # its hello is lost
    assert rig.pod.in_session
    strokes(rig, "123", 0.08)
    rig.run(0.3)
    assert told(rig) == []
    rig.run(1)
    planned = strokes(rig, "0")
    rig.run(0.3)
    assert told(rig)[-2:] == planned


def test_numbers_never_run_away():
    """Of orders that nobody acknowledges at most 100 are said; then the table begins anew."""
    rig = Rig()
    rig.run(0.5)
    report = link.Report(
        tag=rig.link._tag, last=1, before=0, status=0, first=1, queued=1, edges=[(0, True, 0)]
    )
    for number in range(101):
        assert rig.link.up, number
        rig.link.receive(link.frame(report.pack()), rig.now)
        frame = rig.link.transmit(rig.now)
        assert frame
    assert not rig.link.up


def test_session_that_cannot_be_mistaken():
    """A pod that starts anew between hello and answer is in no session that the table believes in."""
    for moment in range(40):
        rig = Rig(seed=moment)
        rig.link.picture.wanted = PICTURE
        rig.run(moment / 1000)
        rig.start_pod()
        rig.run(1)
        planned = strokes(rig, "0")
        rig.run(0.3)
        assert rig.pod.picture == PICTURE
        assert told(rig) == planned


def test_whatever_is_due_is_done():
    """Called at its deadline, a link does what is due and names a later time: time never stands still."""
    chance = random.Random(6)
    for _ in range(100):
        rig = Rig(now=chance.uniform(0, 1000))
        rig.link.picture.wanted = chance.randbytes(1024)
        rig.run(chance.uniform(0.3, 1))
        assert rig.link.up
        for _ in range(100):  # nobody answers from now on
            now = rig.link.deadline()
            while rig.link.transmit(now):
                pass
            assert rig.link.deadline() > now
        assert not rig.link.up
