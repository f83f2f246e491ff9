"""Start-up, memory and idle load of ``twentytwo sim``, as whole-process figures of a running table.

Run: .venv/bin/python bench/idle.py [seconds]
"""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def main() -> None:
    """Start a table, fetch its page, leave it alone for a while, read the kernel's accounts."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    began = time.monotonic()
    command = [str(Path(sys.executable).parent / "twentytwo"), "sim", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        address = re.search(r"http://\S+", table.stdout.readline())
        assert address is not None
        urllib.request.urlopen(address.group()).read()
        print(f"first page after {time.monotonic() - began:.2f} s")
        time.sleep(3.0)  # what belongs to starting is over by then
        before = cpu_seconds(table.pid)
        time.sleep(seconds)
        load = (cpu_seconds(table.pid) - before) / seconds
        status = Path(f"/proc/{table.pid}/status").read_text()
        resident = int(re.search(r"VmRSS:\s+(\d+)", status).group(1))  # type: ignore[union-attr]
        print(f"resident {resident / 1024:.1f} MiB, {load:.2%} of one core over {seconds:.0f} s")
        table.send_signal(signal.SIGINT)


def cpu_seconds(pid: int) -> float:
    """User and system time that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
