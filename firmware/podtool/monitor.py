"""Prints what a pod tells as it comes: a line for each hello, press, release, fault and return."""

import time
from collections.abc import Callable

from firmware.podtool.ports import wait_for
from firmware.podtool.talk import Talk, unusable
from hardware.link import BUTTONS, Hello

AGAIN_S = 0.5
"""A line that cannot be had is tried so often."""


def monitor(path: str, say: Callable[[str], None], stop: Callable[[], bool] = lambda: False) -> None:
    """Watch the pod on a line until ``stop``, or Ctrl-C."""
    began = time.monotonic()

    def tell(line: str) -> None:
        say(f"{time.monotonic() - began:9.3f} s  {line}")

    trouble = ""
    while not stop():
        if not wait_for(path, AGAIN_S):
            continue
        try:
            talk = Talk(path)
        except OSError as problem:
            told = unusable(problem)
            if told != trouble:
                trouble = told
                tell(told)
            time.sleep(AGAIN_S)
            continue
        trouble = ""
        tell(f"{path} is open")
        try:
            _watch(talk, tell, stop)
        except OSError as problem:
            tell(problem.strerror or str(problem))
        finally:
            talk.close()


def _watch(talk: Talk, tell: Callable[[str], None], stop: Callable[[], bool]) -> None:
    hello: Hello | None = None
    fault: str | None = None
    bad = 0

    def look() -> bool:
        nonlocal hello, fault, bad
        now = time.monotonic()
        if talk.link.hello is not hello and talk.link.hello is not None:
            hello = talk.link.hello
            tell(described(hello))
        while talk.edges:
            button, down, at = talk.edges.popleft()
            tell(f"{BUTTONS[button]} {'down' if down else 'up'}, {max(0.0, now - at) * 1000:.0f} ms ago")
        if talk.link.bad_frames > bad:
            tell(f"{talk.link.bad_frames - bad} damaged frames")
            bad = talk.link.bad_frames
        if (problem := talk.link.problem(now)) != fault:
            fault = problem
            tell(problem or "works")
        return stop()

    while not talk.until(look, AGAIN_S):
        pass


def described(hello: Hello) -> str:
    """A pod's hello in words."""
    lowest, highest = hello.lowest, hello.highest
    versions = str(lowest) if lowest == highest else f"{lowest} to {highest}"
    panel = f", panel {hello.columns}×{hello.rows}, build {hello.build or '?'}" if hello.columns else ""
    return f"hello from pod {hello.pod_id.hex()}: link version {versions}{panel}, start {hello.boot:04x}"
