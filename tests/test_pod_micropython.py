"""The pod's own program on a real MicroPython, its line a pseudo-terminal with pyserial at the other end."""

import os
import random
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from needs import need_micropython
from PIL import Image
from pod_kernel import Kernel
from pod_rig import Noise

from drivers.pod import PodBoard
from drivers.podlink import RESET_KEYS, PodLink, Settings
from drivers.podseat import PodPlace
from drivers.serialports import SerialStream
from firmware.pod import pins
from hardware import link
from hardware.frame import pack
from hardware.sim.panel import Panel
from hardware.sim.podprocess import PodProcess
from hardware.sim.sh1106 import SH1106
from hardware.sim.ssd1306 import SSD1306

pytestmark = pytest.mark.micropython

ROOT = Path(__file__).parent.parent
MAIN = ROOT / "firmware" / "pod" / "main.py"
BUTTON_PINS = (pins.LEFT, pins.RIGHT, pins.MARK, pins.PLAY)
IDS = ("e66141040331a52c", "e66141040331a52d")
WAIT_S = 10
"""Nothing that a test waits for takes as long, except when it fails."""


@pytest.fixture(scope="module")
def micropython() -> str:
    """The interpreter, or no test."""
    return need_micropython()


class Bench:
    """A pod's process, and the table's end of its line. ``noise``: what the line does to each frame."""

    def __init__(self, pod: PodProcess, noise: Noise | None = None) -> None:
        self.pod = pod
        self.noise = noise
        self.chance = random.Random(1)
        self.edges: list[tuple[int, bool, float]] = []
        self.sent = bytearray()
        self.reading = True
        self.waiting = b""
        pod.start()
        self.open()

    def open(self) -> None:
        """Open the line anew."""
        self.stream = SerialStream(self.pod.path)
        self.link = PodLink(self.pod.path, lambda: self.chance.getrandbits(16), time.monotonic())

    def until(self, so: Callable[[], bool], seconds: float = WAIT_S) -> bool:
        """Run both ends until something is so, at most for a time; return whether it is."""
        end = time.monotonic() + seconds
        while True:
            self.pod.pump()
            if self.reading:
                self._step()
            if so():
                return True
            now = time.monotonic()
            if now >= end:
                return False
            due = max(0.0, min(self.link.deadline() if self.reading else end, end) - now)
            fds = [self.pod.fileno(), *([self.stream.fileno()] if self.reading else [])]
            select.select(fds, [], [], min(due + 0.0005, 0.05))

    def _step(self) -> None:
        now = time.monotonic()
        if data := self.stream.read():
            if self.noise is not None:
                data = self.noise.spoil(data)
            self.edges += self.link.receive(data, now)
        while self.waiting or (frame := self.link.transmit(now)):
            if not self.waiting:
                self.sent += frame
                self.waiting = frame if self.noise is None else self.noise.spoil(frame)
            sent = self.stream.write(self.waiting)
            self.waiting = self.waiting[sent:]
            if not sent:
                return

    def told(self) -> list[tuple[int, bool]]:
        """The edges without their times."""
        return [(button, down) for button, down, _ in self.edges]

    def shows(self, picture: bytes) -> bool:
        """Whether the panel shows this, bit for bit."""
        return self.pod.panel.visible() == picture

    def stroke(self, button: int) -> None:
        """Press and release a button, with bounce."""
        name = link.BUTTONS[button]
        for change in (self.pod.press, self.pod.release, self.pod.press):
            change(name)
        assert self.until(lambda: (button, True) in self.told()[-1:])
        for change in (self.pod.release, self.pod.press, self.pod.release):
            change(name)
        assert self.until(lambda: (button, False) in self.told()[-1:])


MakeBench = Callable[..., Bench]


@pytest.fixture
def bench(micropython: str) -> Iterator[MakeBench]:
    """Make benches whose pods end with the test."""
    made: list[Bench] = []

    def begin(
        program: Path = MAIN,
        *,
        panel: Panel | None = None,
        options: tuple[str, ...] = (),
        noise: Noise | None = None,
    ) -> Bench:
        pod = PodProcess(
            micropython,
            program,
            ROOT,
            panel or SSD1306(0x3C, seed=5, strict=True),
            IDS[0],
            BUTTON_PINS,
            options,
        )
        made.append(Bench(pod, noise))
        return made[-1]

    yield begin
    for one in made:
        one.stream.close()
        one.pod.stop()


def variant(folder: Path, lines: str) -> Path:
    """The pod's program after some lines that change it."""
    path = folder / "variant.py"
    path.write_text(f"{lines}\nfrom firmware.pod import main\nmain.main()\n")
    return path


def picture(seed: int) -> bytes:
    """A picture of random dots."""
    return random.Random(seed).randbytes(1024)


def test_link_gives_the_same_frames_on_micropython(micropython):
    """The specification's test vectors hold on MicroPython, both ways."""
    vectors = re.findall(
        r"^\|.*\| `([0-9a-f]+)` \| `([0-9a-f]+)` \|$", (ROOT / "docs/protocol.md").read_text(), re.M
    )
    program = (
        "import sys\nfrom hardware import link\n"
        "hexed = lambda data: ''.join(['%02x' % byte for byte in data])\n"
        "for line in sys.stdin:\n"
        "    data = bytes([int(line[n:n + 2], 16) for n in range(0, len(line) - 1, 2)])\n"
        "    frame = link.frame(data)\n"
        "    print(hexed(frame), hexed(link.Decoder().feed(frame)[0]))\n"
    )
    done = subprocess.run(
        [micropython, "-c", program],
        input="".join(f"{message}\n" for message, _ in vectors),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MICROPYPATH": f".frozen:{ROOT}"},
    )
    assert done.stdout.split() == [word for message, frame in vectors for word in (frame, message)]
    assert len(vectors) >= 16


def test_hello(bench):
    """The pod says hello: its id, version, panel, build; before that it shows that no table is there."""
    one = bench()
    assert one.until(lambda: one.link.up)
    hello = one.link.hello
    assert hello.pod_id.hex() == IDS[0]
    assert (hello.lowest, hello.highest) == (link.LOWEST, link.HIGHEST)
    assert (hello.columns, hello.rows, hello.abilities, hello.build) == (128, 64, link.HAS_LAMP, "source")


@pytest.mark.parametrize("seed", [1, 2])
def test_pictures_are_exact(bench, seed):
    """Whole pictures and small changes reach the panel's memory bit for bit; lamp and contrast work."""
    one = bench()
    one.link.settings = Settings(lamp=True, contrast=9)
    one.link.picture.wanted = picture(seed)
    assert one.until(lambda: one.shows(picture(seed)))
    assert one.until(lambda: one.pod.pins[pins.LAMP] == 1 and one.pod.panel.contrast == 9)
    changed = bytearray(picture(seed))
    for place in (0, 127, 128, 500, 1023):
        changed[place] ^= 0xFF
        one.link.picture.wanted = bytes(changed)
        assert one.until(lambda: one.shows(bytes(changed)))
    assert one.link.bad_frames == 0


def test_sh1106_pod(bench, tmp_path):
    """The same on an SH1106, upside down, by a change in the pin map alone."""
    program = variant(
        tmp_path,
        "from firmware.pod import pins\npins.PANEL = 'sh1106'\npins.UPSIDE_DOWN = True\npins.ADDRESS = 0x3D",
    )
    one = bench(program, panel=SH1106(0x3D, seed=6, window=2, turned=True, strict=True))
    one.link.picture.wanted = picture(3)
    assert one.until(lambda: one.shows(picture(3)))


def test_strokes(bench):
    """Strokes of all buttons, with bounce on both edges, are told once each and in order."""
    one = bench()
    assert one.until(lambda: one.link.up)
    for button in (0, 1, 2, 3, 2, 1, 0):
        one.stroke(button)
    assert one.told() == [(button, down) for button in (0, 1, 2, 3, 2, 1, 0) for down in (True, False)]


def test_hold(bench):
    """A button that is held is told once, and once when it is let go; the times tell how long it was held."""
    one = bench()
    assert one.until(lambda: one.link.up)
    one.pod.press("play")
    pressed = time.monotonic()
    assert one.until(lambda: one.told() == [(3, True)])
    assert not one.until(lambda: len(one.edges) > 1, 0.4)
    assert one.link.levels == 0b1000
    one.pod.release("play")
    held = time.monotonic() - pressed
    assert one.until(lambda: one.told() == [(3, True), (3, False)])
    assert one.edges[1][2] - one.edges[0][2] == pytest.approx(held, abs=0.3)


def test_reset_by_the_table(bench):
    """Told to start anew the pod does, and is painted anew after its start; no press is told twice."""
    one = bench()
    one.link.picture.wanted = picture(4)
    assert one.until(lambda: one.shows(picture(4)))
    one.stroke(1)
    boot = one.link.hello.boot
    one.link.restart()
    assert one.until(lambda: "reset" in one.pod.told)
    one.pod.resume()
    one.pod.panel.power_on_reset()
    assert one.until(lambda: one.link.up and one.link.hello.boot != boot and one.shows(picture(4)))
    one.stroke(2)
    assert one.told() == [(1, True), (1, False), (2, True), (2, False)]


@pytest.mark.parametrize("version", [link.LOWEST - 1, link.HIGHEST + 1])
def test_other_version(bench, tmp_path, version):
    """A pod of the version before or after is refused, both versions are told, and no press is one."""
    one = bench(variant(tmp_path, f"from hardware import link\nlink.LOWEST = link.HIGHEST = {version}"))
    assert one.until(lambda: one.link.hello is not None)
    dark = one.pod.panel.visible()
    one.pod.press("left")
    assert not one.until(lambda: one.link.up, 0.5)
    problem = one.link.problem(time.monotonic())
    assert f"version {version} of the link, this table version {link.HIGHEST}" in problem
    assert "twentytwo pod flash" in problem
    assert one.edges == []
    assert one.pod.panel.visible() != dark or any(dark)
    assert one.pod.running


@pytest.mark.parametrize(
    "garbage",
    [
        "payload[:9]",
        "payload[:17] + bytes(60)",
        "bytes(range(32, 96))",
        "payload[:18] + b'\\7' + payload[19:]",
    ],
)
def test_garbage_hello(bench, tmp_path, garbage):
    """A pod whose hello is garbage is no pod: no session, no press, and something to do about it."""
    lines = (
        "from hardware import link\n"
        "pack = link.Hello.pack\n"
        f"def garbled(self):\n    payload = pack(self)\n    return {garbage}\n"
        "link.Hello.pack = garbled"
    )
    one = bench(variant(tmp_path, lines))
    one.pod.press("left")
    assert one.until(lambda: one.link._decoder.good > 2)
    assert not one.link.up
    assert one.edges == []
    assert one.until(lambda: "flash" in (one.link.problem(time.monotonic()) or ""))


def test_control_bytes_and_modem_commands(bench):
    """Ctrl-A to Ctrl-E, ``AT`` and 4 KB of junk on the line stop nothing and press nothing."""
    one = bench()
    assert one.until(lambda: one.link.up)
    for junk in (b"\3\3\3", b"\1\2\4\5", b"AT\r\nATE1\r\n", b"z" * 4096):
        one.stream.write(junk)
        one.edges.clear()
        one.stroke(0)
        assert one.told() == [(0, True), (0, False)]
    assert one.pod.running


def test_table_that_does_not_read(bench):
    """While the line is full because nobody reads, the pod goes on and feeds its dog; then it is as new."""
    one = bench()
    one.link.picture.wanted = picture(7)
    assert one.until(lambda: one.shows(picture(7)))
    assert "dog 8000" in one.pod.told
    one.reading = False
    tag = one.link._tag
    for number in range(120):
        # Each of them is answered, by 17 bytes: more than a line holds, as nobody takes them.
        burst = b"".join(
            link.frame(link.pack_order(link.PING, tag, (number * 10 + n) & 0xFF, 0)) for n in range(10)
        )
        assert one.until(lambda burst=burst: one.stream.write(burst) == len(burst))
    one.pod.told.clear()
    assert one.until(lambda: one.pod.told.count("fed") >= 2)
    one.pod.press("mark")
    one.pod.release("mark")
    one.reading = True
    one.link.picture.wanted = picture(8)
    assert one.until(lambda: one.link.up and one.shows(picture(8)))
    one.edges.clear()
    one.stroke(3)
    assert one.told()[-2:] == [(3, True), (3, False)]


def test_program_that_stops(bench):
    """A pod whose program fails says so on its panel and line; the keys that start it anew bring it back."""
    one = bench(options=("-i",))
    one.link.picture.wanted = picture(9)
    assert one.until(lambda: one.shows(picture(9)))
    one.pod.fail()
    assert one.until(lambda: "has stopped" in (one.link.problem(time.monotonic()) or ""))
    assert not one.shows(picture(9))
    assert one.pod.panel.lit
    assert one.until(lambda: not one.pod.running)
    one.pod.resume()
    assert one.until(lambda: one.link.up and one.shows(picture(9)))
    assert one.sent.count(RESET_KEYS) == 1
    assert one.edges == []
    one.stroke(0)


def test_panel_that_comes_off(bench):
    """A panel that comes off is told to the table; back on its wires it shows the picture again."""
    one = bench()
    one.link.picture.wanted = picture(10)
    assert one.until(lambda: one.shows(picture(10)))
    one.pod.unplug_panel()
    one.link.picture.wanted = picture(11)
    assert one.until(lambda: "panel" in (one.link.problem(time.monotonic()) or ""))
    one.stroke(1)
    one.pod.plug_panel()
    assert one.until(lambda: one.shows(picture(11)) and one.link.problem(time.monotonic()) is None)


def test_slowest_loop_is_far_from_the_watchdog(bench):
    """The watchdog's time is at least twice the slowest round of the pod's loop that it counted itself."""
    one = bench()
    for seed in range(5):
        one.link.picture.wanted = picture(seed)
        assert one.until(lambda seed=seed: one.shows(picture(seed)))
    one.link.ask_counts()
    assert one.until(lambda: one.link.counts is not None)
    assert one.link.counts["slowest_ms"] * 2 <= 8000
    assert one.link.counts["bad_frames"] == 0


def test_noisy_line(bench):
    """With 2 % damaged bytes and 5 % lost frames each way all presses are told; then a picture comes."""
    one = bench(noise=Noise(3, 0.02, 0.05, pieces=False))
    assert one.until(lambda: one.link.up)
    for number in range(16):
        one.stroke(number % 4)
    assert one.told() == [(number % 4, down) for number in range(16) for down in (True, False)]
    one.link.picture.wanted = picture(12)
    one.noise = None
    assert one.until(lambda: one.shows(picture(12)), 5)
    assert one.link.bad_frames > 0


def test_board_of_two_pods(micropython, tmp_path):
    """Two pods on USB, found by their ids, keep their seats; while one is frozen the other plays on."""
    kernel = Kernel(tmp_path)
    pods = [
        PodProcess(micropython, MAIN, ROOT, SSD1306(0x3C, seed=seed), pod_id, BUTTON_PINS)
        for seed, pod_id in enumerate(IDS)
    ]
    images = [Image.frombytes("1", (128, 64), picture(20 + seed)) for seed in range(2)]
    woken = threading.Event()
    board = PodBoard(
        [PodPlace(1, "1", IDS[0]), PodPlace(2, "2", IDS[1])],
        kernel.ports(),
        draw=lambda: random.getrandbits(16),
        clock=time.monotonic,
    )
    edges = []

    def until(so: Callable[[], bool]) -> bool:
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            for pod in pods:
                pod.pump()
            edges.extend(board.poll(time.monotonic()))
            if so():
                return True
            woken.wait(0.01)
            woken.clear()
        return False

    def stroke(number: int) -> None:
        before = len(edges)
        pods[number].press("mark")
        assert until(lambda: len(edges) == before + 1)
        pods[number].release("mark")
        assert until(lambda: len(edges) == before + 2)
        assert [(edge.seat, edge.down) for edge in edges[before:]] == [
            (number + 1, True),
            (number + 1, False),
        ]

    def right(number: int) -> bool:
        seat = board.seats[number + 1]
        return pods[number].panel.visible() == pack(images[number]) and seat.screen.fault is None

    try:
        board.listen(woken.set)
        board.start()
        for number, pod in enumerate(pods):
            pod.start()
            kernel.plug_line(IDS[number], pod.path)
            board.seats[number + 1].screen.show(images[number])
        board.flush(time.monotonic())
        assert until(lambda: right(0) and right(1))
        stroke(0)
        stroke(1)

        os.kill(pods[0].process_id, signal.SIGSTOP)
        assert until(lambda: "does not answer" in (board.seats[1].screen.fault or ""))
        stroke(1)
        os.kill(pods[0].process_id, signal.SIGCONT)
        assert until(lambda: right(0))
        stroke(0)

        for number, pod in enumerate(pods):
            kernel.unplug(str(kernel.by_id / f"usb-MicroPython_Board_in_FS_mode_{IDS[number]}-if00"))
            pod.stop()
        assert until(lambda: all("not there" in (board.seats[n].screen.fault or "") for n in (1, 2)))
        for number in (1, 0):
            pods[number].panel.power_on_reset()
            pods[number].start()
            kernel.plug_line(IDS[number], pods[number].path)
        assert until(lambda: right(0) and right(1))
        stroke(0)
        stroke(1)

        board.close()
        assert until_blank(pods)
    finally:
        board.close()
        for pod in pods:
            pod.stop()


def until_blank(pods: list[PodProcess]) -> bool:
    """Whether both pods take their pictures away, and show that no table is there."""
    before = [pod.panel.visible() for pod in pods]
    return all(
        pod.wait(lambda pod=pod, old=old: pod.panel.visible() != old)
        for pod, old in zip(pods, before, strict=True)
    )
