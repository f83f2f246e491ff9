"""The check of a board's pods: which are there, which seat each has, and what keeps one from working."""

from collections.abc import Callable, Iterator

from drivers.pod import PodBoard
from firmware.device.findings import Finding
from firmware.exits import Exit
from firmware.live import Finished, Host, run_live, run_virtually
from firmware.seats import pod_places

ENOUGH_S = 4.0
"""A pod that is there has said so by then, and one that is silent is known to be."""


class PodCheck:
    """Looks at all pods until every one works, for a few seconds at most (``firmware.live.Program``)."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._board = PodBoard(
            [*pod_places(host.profile, host.bindings)], host.ports, draw=host.draw, clock=host.clock
        )
        self._end = host.clock() + ENOUGH_S
        self.findings: list[Finding] = []
        """what was found, once the check is over"""

    def listen(self, wake: Callable[[], None]) -> None:
        """From now on call ``wake`` (from any thread) when ``step`` has something to do."""
        self._host.listen(wake)
        self._board.listen(wake)

    def start(self) -> None:
        """Real time begins."""
        self._board.start()

    def step(self, now: float) -> float | None:
        """Do all that is due by ``now``. Raise Finished when enough is known."""
        self._host.advance(now)
        self._board.poll(now)
        self._board.flush(now)
        working = {seat for _, link, seat in self._board.pods() if seat is not None and link.up}
        if now >= self._end or working == self._board.seats.keys():
            self.findings = [*self._found()]
            raise Finished
        times = (self._end, self._board.deadline(), self._host.deadline())
        # Whether a pod works is asked often: nobody wakes this for that.
        return min(now + 0.1, *(at for at in times if at is not None))

    def close(self) -> None:
        """Let the lines go. A second call does nothing."""
        self._board.close()

    def _found(self) -> Iterator[Finding]:
        lines = {seat: (path, link) for path, link, seat in self._board.pods() if seat is not None}
        for number, seat in self._board.seats.items():
            path, link = lines.get(number, ("", None))
            if link is not None and link.up and link.hello is not None and seat.fault is None:
                text = f"{link.hello.pod_id.hex()} on {path}, build {link.hello.build}"
                yield Finding(f"pod of seat {number}", Exit.DONE, text)
            else:
                text = seat.fault or "it has not said yet what it is: check again"
                yield Finding(f"pod of seat {number}", Exit.ABSENT, text)
        for path, link, owner in self._board.pods():
            if owner is None and link.up and link.hello is not None:
                yield Finding("spare pod", Exit.DONE, f"{link.hello.pod_id.hex()} on {path}")


def pod_findings(host: Host, *, virtual: bool) -> list[Finding]:
    """Look at the pods of a board, in real or virtual time."""
    if not host.profile.pods:
        return []
    check = PodCheck(host)
    if virtual:
        run_virtually(check, host.clock)
    else:
        run_live(check, host.clock)
    return check.findings
