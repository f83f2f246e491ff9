"""The command ``twentytwo doctor``: is everything there, does it answer, and is it what the profile says?"""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drivers.libraries import check_library
from drivers.pi import LibraryError, i2c_adapters
from firmware.bindings import Bindings
from firmware.device.buses import BusCheck
from firmware.device.buttons import button_findings
from firmware.device.findings import Finding, as_json, gravest
from firmware.device.host import PiHost, libraries_for
from firmware.device.instance import only_instance, running, runtime_folder
from firmware.device.options import add_device_options, bindings_path, chosen_board, open_simulated
from firmware.device.pods import pod_findings
from firmware.exits import CannotRunError, Exit
from firmware.streams import say
from hardware.profile import Profile

MODEL = Path("/proc/device-tree/model")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``twentytwo doctor``."""
    add_device_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(args: argparse.Namespace) -> int:
    """Look at everything and print what was found. Return the exit code of the gravest finding."""
    _, profile = chosen_board(args)
    findings = []
    with _unsaid("drivers"):
        for finding in _simulated(args, profile) if args.sim else _real(args, profile):
            findings.append(finding)
            if not args.json:
                say(finding.line)
    if args.json:
        say(as_json(findings))
    return gravest(findings)


@contextmanager
def _unsaid(name: str) -> Iterator[None]:
    """Warnings of these modules are not logged meanwhile: what they would warn of is among the findings."""
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _simulated(args: argparse.Namespace, profile: Profile) -> Iterator[Finding]:
    host = open_simulated(args, profile, virtual=True)
    yield Finding("computer", Exit.DONE, "simulated")
    yield from BusCheck(profile, host.buses, host.clock).findings()
    yield from button_findings(host)
    yield from pod_findings(host, virtual=True)
    host.close()


def _real(args: argparse.Namespace, profile: Profile) -> Iterator[Finding]:
    model = MODEL.read_text().rstrip("\0") if MODEL.exists() else "no Raspberry Pi"
    adapters = ", ".join(f"{number} = {name}" for number, name in i2c_adapters().items())
    yield Finding("computer", Exit.DONE, f"{model}; I2C buses: {adapters or 'none'}")
    for name in libraries_for(profile):
        yield _library(name)
    folder = runtime_folder(args.runtime)
    process = running(folder)
    if process is not None:
        text = f"process {process} runs it: stop that first (sudo systemctl stop twentytwo), then check again"
        yield Finding("table", Exit.RUNNING, text)
        return
    with only_instance(folder):
        try:
            host = PiHost(profile, Bindings(bindings_path()))
        except CannotRunError as problem:
            yield Finding("pins", problem.exit_code, str(problem))
            return
        if profile.wired:
            yield Finding("pins", Exit.DONE, "the header's lines can be opened")
        yield from BusCheck(profile, host.buses, host.clock, host.set_speed).findings()
        yield from button_findings(host)
        yield from pod_findings(host, virtual=False)
        host.close()


def _library(name: str) -> Finding:
    try:
        check_library(name)
    except LibraryError as problem:
        return Finding(f"library {name}", Exit.LIBRARY, str(problem))
    return Finding(f"library {name}", Exit.DONE, "works")
