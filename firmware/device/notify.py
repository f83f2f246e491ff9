"""What systemd is told of a running service: ready, its status, and that it still lives (sd_notify(3))."""

import contextlib
import os
import socket
from collections.abc import Mapping


class Notifier:
    """Sends to the socket that systemd names in NOTIFY_SOCKET; does nothing if it names none.

    ``beat``: seconds between two signs of life, half of the unit's WatchdogSec; None: none are wanted.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        if self._address.startswith("@"):
            self._address = "\0" + self._address[1:]  # an abstract name
        wanted = environ.get("WATCHDOG_USEC") if self._address else None
        ours = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.beat = int(wanted) / 2e6 if wanted and ours else None

    def ready(self) -> None:
        """The service is up."""
        self._send("READY=1")

    def status(self, text: str) -> None:
        """What ``systemctl status`` is to show: one line."""
        self._send(f"STATUS={text}")

    def alive(self) -> None:
        """A sign of life."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The service is about to end."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        # Whoever supervises may be gone or busy: the table plays on.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.setblocking(False)
            line.sendto(message.encode(), self._address)
