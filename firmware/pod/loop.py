"""Runs a pod on a line and a board, as three tasks of asyncio. On both Pythons."""

import asyncio

from firmware.pod.app import Outside, Pod

LOOK_MS = 2
"""The buttons are looked at so often."""


class Port:
    """A pod's end of the line."""

    async def read(self) -> bytes:
        """Wait until something has come, and return it."""
        raise NotImplementedError

    def write(self, data: bytes) -> int:
        """Hand over as much as there is room for, without waiting; return how many bytes that were."""
        raise NotImplementedError


class Runner:
    """Runs a pod on a port and a board."""

    def __init__(self, pod: Pod, port: Port, outside: Outside) -> None:
        self._pod = pod
        self._port = port
        self._outside = outside
        self._waiting = b""

    async def run(self) -> None:
        """Run for ever, or until something fails."""
        await asyncio.gather(self._listen(), self._look(), self._paint())

    async def _listen(self) -> None:
        while True:
            chunk = await self._port.read()
            self._pod.receive(chunk, self._outside.now())
            self._send()

    async def _look(self) -> None:
        last = self._outside.now()
        while True:
            now = self._outside.now()
            self._pod.slowest_ms = max(self._pod.slowest_ms, now - last)
            last = now
            self._pod.levels(self._outside.levels(), now)
            self._pod.tick(now)
            self._send()
            self._outside.alive(self._pod.met_table)
            await asyncio.sleep(LOOK_MS / 1000)

    async def _paint(self) -> None:
        while True:
            busy = self._pod.panel.step(self._outside.now())
            # A piece at a time: the buttons are looked at between two of them.
            await asyncio.sleep(0 if busy else LOOK_MS / 1000)

    def _send(self) -> None:
        while True:
            if not self._waiting:
                self._waiting = self._pod.transmit(self._outside.now())
                if not self._waiting:
                    return
            sent = self._port.write(self._waiting)
            self._waiting = self._waiting[sent:]
            if self._waiting:
                return
