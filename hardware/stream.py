"""The interface of a byte stream: a serial line to a pod."""

from typing import Protocol


class Stream(Protocol):
    """A serial line that is open. No call waits; each raises OSError once the other end has gone."""

    @property
    def name(self) -> str:
        """What it is called in messages: ``/dev/ttyACM0``."""
        ...

    def read(self) -> bytes:
        """What has arrived, at most a few kilobytes; nothing: ``b""``."""
        ...

    def write(self, data: bytes) -> int:
        """Hand over as much of ``data`` as there is room for, and return how many bytes that were."""
        ...

    def fileno(self) -> int:
        """Its file descriptor, to wait on; -1 if it has none."""
        ...

    def close(self) -> None:
        """Close it, without waiting for what is not yet sent. A second call does nothing."""
        ...
