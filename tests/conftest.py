"""What several tests need: an option for golden pictures, a server in a thread, and a real browser."""

import asyncio
import os
import queue
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from needs import missing
from reaper import Reaper

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT_S = 10
"""Nothing that a test waits for takes as long, except when it fails."""

REAPER = pytest.StashKey[Reaper]()

Run = Callable[[Callable[[str], None], asyncio.Event], Awaitable[None]]
"""A server to be: ``run(ready, stop)`` calls ``ready(address)`` and returns when ``stop`` is set."""


class Serving:
    """A server on an event loop in a thread of its own."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._ready: queue.Queue[str] = queue.Queue()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._main)
        self._thread.start()
        try:
            self.address = self._ready.get(timeout=WAIT_S)
        except queue.Empty:
            self.stop()
            raise
        if self._error is not None:
            self.stop()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rstrip("/").rpartition(":")[2])

    def stop(self) -> None:
        """End it, and raise what went wrong in it; a second call does nothing."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(WAIT_S)
            assert not self._thread.is_alive(), "the server did not end"
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _main(self) -> None:
        async def main() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            await self._run(self._ready.put, self._stop)

        try:
            asyncio.run(main())
        except BaseException as error:  # noqa: BLE001 - handed over to the test's thread
            self._error = error
            self._ready.put("")


@pytest.fixture
def start() -> Iterator[Callable[[Run], Serving]]:
    """Start servers that end with the test."""
    running: list[Serving] = []

    def begin(run: Run) -> Serving:
        running.append(Serving(run))
        return running[-1]

    yield begin
    for serving in running:
        serving.stop()


@pytest.fixture(scope="module")
def chromium():
    """A running Chromium (a module's: while Playwright is up, no other event loop can run in its thread)."""
    if not CHROMIUM.exists():
        missing(f"the browser {CHROMIUM}", "install Debian's chromium, or set CHROMIUM to yours")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(CHROMIUM_ARGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a page in a window of its own, after ``before(page)``. No script may fail on it."""
    contexts, complaints = [], []

    def begin(address: str, before=lambda page: None, **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_S * 1000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        before(page)
        page.goto(address)
        page.wait_for_selector("html[data-link=up]")
        return page

    yield begin
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def fast_folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder on a disk in memory if there is one: for tests that write and sync thousands of times.

    A killed process loses nothing that the kernel has, so such a disk shows as much as another.
    """
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="twentytwo-", dir=memory) as made:
        yield Path(made)


def pytest_configure(config):
    """What tests start ends with them, also when they are killed."""
    if os.path.isdir("/proc/self"):
        config.stash[REAPER] = Reaper()


def pytest_unconfigure(config):
    """Nothing is left behind."""
    if REAPER in config.stash:
        config.stash[REAPER].close()


def pytest_addoption(parser):
    """Golden pictures change only when asked to."""
    parser.addoption("--update-golden", action="store_true", help="write the golden pictures anew")
