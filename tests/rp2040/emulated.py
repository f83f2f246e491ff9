"""An emulated Pico as the table finds it, in the chip's time: a serial line, a panel, contacts."""

import json
import os
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from drivers.pod import PodBoard
from drivers.podlink import PodLink
from drivers.podseat import PodPlace
from drivers.serialports import Port
from firmware.pod import pins
from hardware.link import BUTTONS
from hardware.seat import Edge
from hardware.sim.ssd1306 import SSD1306

BUILD = Path(os.environ["RP2040_BUILD"])
"""Where job.sh has put all that was fetched and built."""
LINE = "/dev/serial0"
STEP_S = 0.001
"""The table's end of the line gets its turn so often."""
BUTTON_PINS = dict(zip(BUTTONS, (pins.LEFT, pins.RIGHT, pins.MARK, pins.PLAY), strict=True))


class Pico:
    """The emulated chip, a panel and contacts. ``program``: name of the image with its files."""

    def __init__(self, program: str) -> None:
        self.panel = SSD1306(pins.ADDRESS, seed=5, strict=True)
        self.panel_wired = True
        self.closed: set[int] = set()
        """GPIOs that contacts pull to ground"""
        self.now = 0.0
        """seconds since power"""
        self.sent: deque[tuple[float, int]] = deque()
        """bytes from the pod, and when each had left"""
        self.resets: list[tuple[float, str]] = []
        """when the chip started anew, and by whose doing: ``"watchdog"`` or ``"program"``"""
        self.last_write = 0.0
        """end of the last transfer to the panel"""
        self.prompt = ""
        """what MicroPython printed"""
        self.state: dict[str, Any] = {}
        """the emulator's last answer (pod.mjs)"""
        files = [BUILD / name for name in ("rp2040js/package", "bootrom.json", "firmware.bin", program)]
        self._process = subprocess.Popen(
            ["node", str(Path(__file__).parent / "pod.mjs"), *map(str, files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, seconds: float, received: bytes = b"") -> None:
        """Let the chip run; ``received`` begins to arrive at its UART."""
        order = {
            "run": round(seconds * 1e6),
            "rx": received.hex(),
            "closed": sorted(self.closed),
            "panel": self.panel.address if self.panel_wired else 0,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or b"null")
        assert answer is not None, "the emulator has ended"
        self.now = answer["now"] / 1e6
        self.sent.extend((at / 1e6, byte) for at, byte in answer["tx"])
        self.resets += [(at / 1e6, reason) for at, reason in answer["resets"]]
        self.prompt += answer["prompt"]
        for at, address, data, acknowledged in answer["i2c"]:
            assert address == self.panel.address
            if acknowledged:
                self.last_write = at / 1e6
                self.panel.write(bytes.fromhex(data))
                self.panel.stop(True)
        self.state = answer

    def close(self) -> None:
        """End it. A second call does nothing."""
        self._process.kill()
        self._process.communicate()


class SerialLine:
    """The other end of the chip's UART (``hardware.stream.Stream``)."""

    name = LINE

    def __init__(self, pico: Pico) -> None:
        self._pico = pico
        self.written = b""

    def read(self) -> bytes:
        """What has arrived."""
        data = bytes(byte for _, byte in self._pico.sent)
        self._pico.sent.clear()
        return data

    def write(self, data: bytes) -> int:
        """Hand over everything: the line takes it at its own speed."""
        self.written += data
        return len(data)

    def fileno(self) -> int:
        """None."""
        return -1

    def close(self) -> None:
        """Nothing is held."""


class Table:
    """A table with one seat, whose pod is the Pico. The table's clock is the chip's."""

    def __init__(self, program: str = "pod.img", pod_id: str = "") -> None:
        self.pico = Pico(program)
        self.edges: list[Edge] = []
        self.seen: list[float] = []
        """when the table had each edge"""
        self.line = SerialLine(self.pico)
        numbers = iter(range(1, 1000))
        self.board = PodBoard(
            [PodPlace(1, "1", pod_id)], self, draw=lambda: next(numbers), clock=lambda: self.pico.now
        )
        self.seat = self.board.seats[1]

    def find(self) -> list[Port]:
        """The one line that is there (``drivers.pod.Ports``)."""
        return [Port(LINE)]

    def open(self, port: Port) -> SerialLine:
        """Open it."""
        return self.line

    @property
    def link(self) -> PodLink:
        """The link to the pod."""
        ((_, link, _),) = self.board.pods()
        return link

    def until(self, so: Callable[[], bool], seconds: float) -> bool:
        """Run chip and table until something is so, at most for a time; whether it is."""
        end = self.pico.now + seconds
        while True:
            for edge in self.board.poll(self.pico.now):
                self.edges.append(edge)
                self.seen.append(self.pico.now)
            self.board.flush(self.pico.now)
            if so():
                return True
            if self.pico.now >= end:
                return False
            written, self.line.written = self.line.written, b""
            self.pico.run(STEP_S, written)

    def run(self, seconds: float) -> None:
        """Run both for a time."""
        self.until(lambda: False, seconds)

    def contact(self, button: str, bounces: Sequence[float], *, closed: bool) -> float:
        """Close or open a contact that bounces: seconds from each change to the next, an even number.

        Return when it began.
        """
        began = self.pico.now
        pin = {BUTTON_PINS[button]}
        for pause in (*bounces, 0.0):
            self.pico.closed = self.pico.closed | pin if closed else self.pico.closed - pin
            closed = not closed
            if pause:
                self.pico.run(pause)
        return began

    def close(self) -> None:
        """End it all."""
        self.board.close()
        self.pico.close()
