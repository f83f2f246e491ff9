"""Start-up, memory and idle load of ``twentytwo sim``, as whole-process figures of a running table.

Run: .venv/bin/python bench/idle.py [seconds [board]]
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from websockets.sync.client import connect


def main() -> None:
    """Start a table, fetch its page, leave it alone for a while, read the kernel's accounts."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    board = sys.argv[2] if len(sys.argv) > 2 else "direct-6-usermux"
    began = time.monotonic()
    command = [str(Path(sys.executable).parent / "twentytwo"), "sim", "--no-browser", "--port", "0"]
    with subprocess.Popen([*command, "--board", board], stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        address = next(found.group() for line in table.stdout if (found := re.search(r"http://\S+", line)))
        urllib.request.urlopen(address).read()
        print(f"first page after {time.monotonic() - began:.2f} s")
        wait_for_pictures(address)
        print(f"a picture at every seat after {time.monotonic() - began:.2f} s")
        time.sleep(3.0)  # what belongs to starting is over by then
        processes = [table.pid, *children(table.pid)]
        before = [cpu_seconds(pid) for pid in processes]
        time.sleep(seconds)
        for pid, spent in zip(processes, before, strict=True):
            load = (cpu_seconds(pid) - spent) / seconds
            status = Path(f"/proc/{pid}/status").read_text()
            resident = int(re.search(r"VmRSS:\s+(\d+)", status).group(1))  # type: ignore[union-attr]
            name = "table" if pid == table.pid else "pod"
            print(f"{name}: resident {resident / 1024:.1f} MiB, {load:.2%} of one core over {seconds:.0f} s")
        table.send_signal(signal.SIGINT)


def wait_for_pictures(address: str) -> None:
    """Read the page's socket until every seat's panel shines."""
    with connect(f"{address.replace('http', 'ws')}socket", origin=address.rstrip("/")) as socket:  # type: ignore[arg-type]
        dark = {seat["seat"] for seat in json.loads(socket.recv())["seats"]}
        while dark:
            message = socket.recv()
            if isinstance(message, bytes) and any(message[2:]):
                dark.discard(message[0])


def children(pid: int) -> list[int]:
    """The processes that a process has started, from any of its threads."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def cpu_seconds(pid: int) -> float:
    """User and system time that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
