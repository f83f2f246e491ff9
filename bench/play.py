"""Start-up, memory and idle load of ``twentytwo play --sim``: the device's program on a simulated board.

Run: .venv/bin/python bench/play.py [BOARD] [SECONDS]
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

STARTS = 5


def main() -> None:
    """Start it several times until every panel is lit; leave the last alone and read the kernel's account."""
    board = sys.argv[1] if len(sys.argv) > 1 else "direct-6"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    print(f"board {board}, load of the machine before: {os.getloadavg()[0]:.1f}")
    times, work = [], []
    for number in range(STARTS):
        began = time.monotonic()
        command = [str(Path(sys.executable).parent / "twentytwo"), "play", "--sim", "--board", board]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as table:
            assert table.stdout is not None
            while "every panel is lit" not in table.stdout.readline():
                pass
            times.append(time.monotonic() - began)
            work.append(cpu_seconds(table.pid))
            if number == STARTS - 1:
                rest(table.pid, seconds)
            table.send_signal(signal.SIGTERM)
    print(f"every panel lit after {listed(times)} s, of which the process worked for {listed(work)} s")


def listed(seconds: list[float]) -> str:
    """The times, shortest first."""
    return ", ".join(f"{one:.2f}" for one in sorted(seconds))


def rest(pid: int, seconds: float) -> None:
    """What the process uses while nobody plays."""
    time.sleep(3.0)  # what belongs to starting is over by then
    before, woken = cpu_seconds(pid), wakes(pid)
    time.sleep(seconds)
    load, often = (cpu_seconds(pid) - before) / seconds, (wakes(pid) - woken) / seconds
    status = Path(f"/proc/{pid}/status").read_text()
    resident, threads = (int(re.search(rf"{key}:\s+(\d+)", status)[1]) for key in ("VmRSS", "Threads"))  # type: ignore[index]
    print(
        f"resident {resident / 1024:.1f} MiB, {threads} threads, {load:.2%} of one core"
        f" and {often:.0f} wakes a second over {seconds:.0f} s"
    )


def cpu_seconds(pid: int) -> float:
    """User and system time that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wakes(pid: int) -> int:
    """How often its threads have gone to sleep, and so have been woken."""
    states = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/status")]
    found = [re.search(r"^voluntary_ctxt_switches:\s+(\d+)", state, re.MULTILINE) for state in states]
    return sum(int(one[1]) for one in found if one)


if __name__ == "__main__":
    main()
