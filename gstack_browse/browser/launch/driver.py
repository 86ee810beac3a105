"""Starts Playwright, with a driver of its own or with one that runs already (`driver_process`).

Playwright has no option for a running driver. So its transport, the class that starts the process and exchanges messages with it, is
replaced during the start by one that uses the running process. A Playwright without that class in the known place starts its own
driver, and the running one is killed.
"""

import asyncio
import importlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from gstack_browse.browser.cdp.driver_types import Playwright
from gstack_browse.browser.cdp.playwright_internals import AdoptingTransport, cancel_start, driver_command
from gstack_browse.browser.launch import driver_process, installer, limits
from gstack_browse.browser.launch.scratch import Scratch, explain_full_disk
from gstack_browse.errors import BrowseError, SetupFailed

_NAME = "The Playwright driver"
_LIMIT = 32768
"""Buffer for the driver's output in bytes, the same as Playwright's own."""


async def start(
    scratch: Scratch,
    ready: driver_process.Driver | None = None,
    progress: installer.Progress | None = None,
) -> Playwright:
    """Start Playwright.

    Args:
        scratch: temporary directory of the driver
        ready: a driver that runs already; None: start one
        progress: install libraries that the driver lacks, and report that here; None: do not

    Raises SetupFailed.
    """
    with _patched_environment(driver_process.own_variables(scratch)):
        if ready:
            with suppress(_DriverEnded):
                return await _start_with_driver(ready)
        return await start_own(progress)


async def start_own(progress: installer.Progress | None = None) -> Playwright:
    """Start Playwright with a driver of its own.

    With `progress`, install libraries that the driver lacks. Raises SetupFailed.
    """
    with suppress(_DriverEnded):
        return await _start_playwright()
    if progress:
        await asyncio.to_thread(_install_missing_libraries, progress)
        with suppress(_DriverEnded):
            return await _start_playwright()
    raise await asyncio.to_thread(_explain_end)


class _DriverEnded(Exception):
    """The driver ended before it answered."""


def _install_missing_libraries(progress: installer.Progress) -> None:
    from gstack_browse.browser.launch import libraries  # no part of a start that works

    if command := driver_command():
        libraries.install_missing(_NAME, Path(command[0]), progress)


def _explain_end() -> BrowseError:
    """Find out why the driver ended at once: missing library, full disk, or a system limit. Blocks."""
    from gstack_browse.browser.launch import libraries

    command = driver_command()
    if command and (missing := libraries.missing_libraries(Path(command[0]))):
        return libraries.missing_error(_NAME, missing)
    return (
        explain_full_disk()
        or limits.explain_by_limits(_NAME)
        or SetupFailed(
            "The Playwright driver ended at once",
            "Its last words are in .gstack/browse-daemon.log. Look at the installation: gbrowse doctor",
        )
    )


async def _start_playwright() -> Playwright:
    """Start Playwright with a driver of its own. Raises _DriverEnded."""
    # The import takes 0.1 s; in a thread, the daemon answers other clients meanwhile.
    api = await asyncio.to_thread(importlib.import_module, "playwright.async_api")
    before = asyncio.all_tasks()
    try:
        started: Playwright = await api.async_playwright().start()
    except asyncio.CancelledError:
        cancel_start(asyncio.all_tasks() - before)
        raise
    except Exception as error:
        if "Connection closed" not in str(error):
            raise
        raise _DriverEnded from None
    return started


async def _start_with_driver(ready: driver_process.Driver) -> Playwright:
    async def adopt() -> _DriverProcess:
        ready.hand_over()
        return await _DriverProcess.of(ready)

    try:
        with AdoptingTransport(adopt):
            return await _start_playwright()
    finally:
        ready.end()  # if it is still ours


class _DriverProcess:
    """A running driver with the part of asyncio's `Process` that Playwright's transport uses."""

    def __init__(self, pid: int, stdin: asyncio.WriteTransport, stdout: asyncio.StreamReader) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self._pid = pid

    @classmethod
    async def of(cls, driver: driver_process.Driver) -> "_DriverProcess":
        loop = asyncio.get_running_loop()
        stdout = asyncio.StreamReader(_LIMIT)
        await loop.connect_read_pipe(lambda: _DelayedReader(stdout), os.fdopen(driver.stdout, "rb", 0))
        stdin, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(driver.stdin, "wb", 0))
        return cls(driver.pid, stdin, stdout)

    async def communicate(self) -> None:
        """Wait until the driver has ended, and drop its remaining output."""
        await self.stdout.read()
        await asyncio.to_thread(_reap, self._pid)


class _DelayedReader(asyncio.StreamReaderProtocol):
    """Delivers the driver's output one event-loop turn later.

    asyncio does the same for processes that it has started. So a death of Chromium that the kernel reports in the same turn is handled
    before Playwright's errors about it.
    """

    def data_received(self, data: bytes) -> None:
        asyncio.get_running_loop().call_soon(super().data_received, data)

    def eof_received(self) -> None:
        asyncio.get_running_loop().call_soon(super().eof_received)

    def connection_lost(self, exc: Exception | None) -> None:
        asyncio.get_running_loop().call_soon(super().connection_lost, exc)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):  # psutil has reaped it first, after killing it
        os.waitpid(pid, 0)


@contextmanager
def _patched_environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes started in the block."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
