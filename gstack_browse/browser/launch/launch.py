"""Starts Playwright's driver and Chromium.

The driver reaches Chromium over the debugging pipe, which leads through this process (`cdp.pipe`). So Chromium ends with the daemon in
every case: a killed daemon closes the pipe and the driver's standard input; when a killed driver closes its end of the pipe, we close
Chromium's. No port is opened. The result of a start is a `RunningBrowser`.
"""

import asyncio
import shlex
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.driver_types import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import (
    chromium,
    driver,
    driver_process,
    extensions,
    installer,
    known_start,
    limits,
)
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher, PipeUnusable, write_start_script
from gstack_browse.browser.launch.running import (
    CLOSE_SECONDS,
    LaunchParams,
    OnDeath,
    RunningBrowser,
    processes_of,
)
from gstack_browse.browser.launch.scratch import PREFERENCES, WINDOW_PREFERENCES, Scratch, remove_abandoned
from gstack_browse.browser.launch.start_options import make_launch_options, uses_sandbox
from gstack_browse.browser.launch.window import HEADLESS, WindowOptions
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.browser.launch.profile import LastingProfile
    from gstack_browse.browser.launch.relays import Relays


@dataclass
class LaunchedBrowser:
    """A started Chromium.

    `only`: the context of its own profile; None for a headless one without a profile.
    """

    browser: Browser
    connection: Connection
    only: BrowserContext | None = None
    relays: "Relays | None" = None


async def start(
    settings: Settings,
    progress: installer.Progress,
    on_death: OnDeath,
    window: WindowOptions = HEADLESS,
    ready: driver_process.Driver | None = None,
    workspace: Path | None = None,
) -> RunningBrowser:
    """Start a driver and a Chromium.

    Args:
        progress: called with lines about installations
        on_death: called with CHROMIUM or DRIVER when that process ends
        ready: a driver that runs already; None: start one
        workspace: pages may be shown its files; None: no files

    Raises SetupFailed with the reason and a hint.
    """
    profile = await _lock_profile(settings)
    try:
        async with start_driver(ready, progress) as (scratch, playwright):
            executable = await _choose_executable(playwright, settings, window, progress)
            launched, _ = await asyncio.gather(
                _launch(playwright, executable, settings, window, scratch, profile, progress),
                world.register(playwright),
            )
    except BaseException:
        if profile:
            profile.release()
        raise
    params = LaunchParams(settings, on_death, workspace)
    running = RunningBrowser(launched.connection, scratch, executable, params, window, launched.only)
    running.profile, running.relays = profile, launched.relays
    running.attach_driver(playwright)
    running.attach_browser(launched.browser)
    running.watch_processes(processes_of(scratch))
    return running


async def _lock_profile(settings: Settings) -> "LastingProfile | None":
    if not settings.profile:
        return None
    from gstack_browse.browser.launch import profile  # no part of most starts

    return await asyncio.to_thread(profile.lock_profile, settings.profile)


@asynccontextmanager
async def start_driver(
    ready: driver_process.Driver | None, progress: installer.Progress
) -> AsyncIterator[tuple[Scratch, Playwright]]:
    """Yield a driver (`ready`, or a new one) and its directory. If the block fails, end both.

    Args:
        progress: called with lines about the installation of libraries that the driver lacks
    """
    scratch = ready.scratch if ready else driver_process.make_scratch()
    playwright: Playwright | None = None
    try:
        limits.require_usable_limits()
        swept = asyncio.get_running_loop().run_in_executor(None, remove_abandoned)
        playwright = await driver.start(scratch, ready, progress)
        await swept
        yield scratch, playwright
    except BaseException:
        if playwright:
            await playwright.stop()
        if ready:
            ready.end()
        await asyncio.to_thread(_kill_processes, scratch)
        await asyncio.to_thread(scratch.remove)
        raise


async def _choose_executable(
    playwright: Playwright, settings: Settings, window: WindowOptions, progress: installer.Progress
) -> Path:
    """Find or install the Chromium to start: a full one for a window or extensions. Raises SetupFailed."""
    if not (window.visible or settings.extensions):
        found = chromium.find_executable(playwright, settings)
        return found or await chromium.install(playwright, settings, progress)
    if full := chromium.find_executable(playwright, settings, full=True):
        return full
    raise SetupFailed(
        f"There is no Chromium here that can {'show a window' if window.visible else 'load extensions'}",
        "Install one: python -m playwright install chromium, or as root on Debian: apt-get install chromium",
    )


async def _launch(
    playwright: Playwright,
    executable: Path,
    settings: Settings,
    window: WindowOptions,
    scratch: Scratch,
    profile: "LastingProfile | None",
    progress: installer.Progress,
) -> LaunchedBrowser:
    loaded = (
        extensions.make_flags(extensions.find_extensions(settings.extensions)) if settings.extensions else []
    )
    with ExitStack() as undo:
        relays = await _open_relays(settings)
        if relays:
            undo.callback(relays.close)
        options = make_launch_options(settings, window, scratch, loaded, relays)
        if settings.ca_cert:
            from gstack_browse.browser.launch import certificates  # no usual start needs it

            options["env"] |= await asyncio.to_thread(
                certificates.make_trust_store, settings.ca_cert, scratch.path
            )
        lasting = profile.path if profile else None
        starter = _BrowserStarter(
            playwright, executable, options, window, scratch, lasting, has_extensions=bool(loaded)
        )
        launched = await _start_with_libraries(starter, settings, executable, window, progress)
        undo.pop_all()
    launched.relays = relays
    return launched


async def _open_relays(settings: Settings) -> "Relays | None":
    if not settings.client_certs:
        return None
    from gstack_browse.browser.launch import relays  # TLS and certificates: no part of most starts

    return await relays.open_relays(settings)


async def _start_with_libraries(
    starter: "_BrowserStarter",
    settings: Settings,
    executable: Path,
    window: WindowOptions,
    progress: installer.Progress,
) -> LaunchedBrowser:
    """Start the browser. If it lacks libraries, install them and start it once more. Raises SetupFailed."""
    try:
        try:
            return await _start_once(starter, settings)
        except ProtocolError as error:
            from gstack_browse.browser.launch.libraries import LOADER_MESSAGE  # no part of a start that works

            if LOADER_MESSAGE not in str(error):
                raise
        await asyncio.to_thread(chromium.install_missing_libraries, executable, progress)
        return await _start_once(starter, settings)
    except ProtocolError as error:
        from gstack_browse.browser.launch.start_failures import (
            explain_start_failure,  # no part of a start that works
        )

        raise explain_start_failure(str(error), executable, uses_sandbox(settings), window) from None


async def _start_once(starter: "_BrowserStarter", settings: Settings) -> LaunchedBrowser:
    """Start the browser with our pipe, or without it if the pipe is unusable. Raises ProtocolError."""
    try:
        return await (
            starter.start_with_pipe() if settings.wire else starter.start_without_pipe("BROWSE_WIRE=0")
        )
    except PipeUnusable as problem:
        return await _fall_back(starter, str(problem))


async def _fall_back(starter: "_BrowserStarter", problem: str) -> LaunchedBrowser:
    """Start the browser once more, without a pipe. Raises SetupFailed if that fails, too."""
    asyncio.get_running_loop().call_exception_handler({"message": f"{problem}: going on as with BROWSE_WIRE=0"})
    try:
        return await starter.start_without_pipe(problem)
    except ProtocolError:
        raise SetupFailed(problem, "Set BROWSE_CHROMIUM to another Chrome or Chromium") from None


class _BrowserStarter:
    """Starts one browser by Playwright.

    Extensions get a new profile, since they run only in one; `lasting` is a kept profile.
    """

    def __init__(
        self,
        playwright: Playwright,
        executable: Path,
        options: dict[str, Any],
        window: WindowOptions,
        scratch: Scratch,
        lasting: Path | None,
        *,
        has_extensions: bool,
    ) -> None:
        self._playwright = playwright
        self._executable = executable
        self._options = options
        self._window = window
        self._scratch = scratch
        self._lasting = lasting
        self._has_profile = has_extensions or lasting is not None
        has_person = window.visible or lasting is not None  # a lasting profile may have a window later
        self._preferences = WINDOW_PREFERENCES if has_person else PREFERENCES

    async def start_with_pipe(self) -> LaunchedBrowser:
        """Start the browser with our pipe.

        Raises ProtocolError, and PipeUnusable after closing the browser.
        """
        path, preferences = self._scratch.path, self._preferences
        async with PipeLauncher(path, self._executable, preferences=preferences) as launcher:
            browser, only = await self._start(launcher.program, "profile")
            try:
                launched = LaunchedBrowser(browser, await launcher.connect(browser), only)
            except PipeUnusable:
                await _close(browser)
                raise
            if not (self._has_profile or self._window.visible):
                full = self._playwright.chromium.executable_path
                known_start.save(str(self._executable), full, launcher.arguments)
            return launched

    async def start_without_pipe(self, why: str) -> LaunchedBrowser:
        """Start the browser without a pipe. `why`: the reason, for people. Raises ProtocolError."""
        from gstack_browse.browser.cdp.tunnel import TunnelConnection  # no part of a start with a pipe

        program = write_start_script(self._scratch.path, shlex.quote(str(self._executable)), self._preferences)
        browser, only = await self._start(program, "profile-without-pipe")
        connection = TunnelConnection(why)
        await connection.open(browser)
        return LaunchedBrowser(browser, connection, only)

    async def _start(self, program: Path, profile: str) -> tuple[Browser, BrowserContext | None]:
        options = {**self._options, "executable_path": program}
        if not self._has_profile:
            return await self._playwright.chromium.launch(**options), None
        if self._window.visible and not self._window.keeps_size:
            options["no_viewport"] = True
        only = await self._playwright.chromium.launch_persistent_context(
            self._lasting or self._scratch.path / profile, **options, **self._window.context
        )
        assert only.browser is not None
        return only.browser, only


async def _close(browser: Browser) -> None:
    """Close a browser. One that does not answer ends with its pipe."""
    with suppress(TimeoutError, ProtocolError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await browser.close()


def _kill_processes(scratch: Scratch) -> None:
    """Kill driver and browser after a failed start: they may not end by themselves."""
    import psutil

    for process in processes_of(scratch).values():
        with suppress(psutil.Error):
            process.kill()
