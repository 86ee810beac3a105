"""Starts Playwright's driver and Chromium.

Chromium is driven over the debugging pipe, which leads from the driver through us (`cdp.pipe`), so that it ends with the
daemon in every case: a killed daemon closes the pipe and the driver's standard input; when a killed driver closes its
end of the pipe, we close Chromium's. No port is opened. What runs then is a `Running`.
"""

import asyncio
import shlex
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
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
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher, PipeUnusable, runnable
from gstack_browse.browser.launch.running import CLOSE_SECONDS, Died, LaunchParams, Running, processes_of
from gstack_browse.browser.launch.scratch import PREFERENCES, WINDOW_PREFERENCES, Scratch, sweep
from gstack_browse.browser.launch.start_options import options_of, uses_sandbox
from gstack_browse.browser.launch.window import HEADLESS, Look
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.browser.launch.profile import LastingProfile
    from gstack_browse.browser.launch.relays import Relays


@dataclass
class Launched:
    """A Chromium that runs: `only` is its single context when it has extensions, which live in no other."""

    browser: Browser
    connection: Connection
    only: BrowserContext | None = None
    relays: "Relays | None" = None


async def start(
    settings: Settings,
    progress: installer.Progress,
    died: Died,
    look: Look = HEADLESS,
    ready: driver_process.Driver | None = None,
    workspace: Path | None = None,
) -> Running:
    """Start the driver, unless one is `ready`, and a Chromium. Raises SetupFailed with the reason and what to do."""
    profile = await _profile(settings)
    try:
        async with driven(ready, progress) as (scratch, playwright):
            executable = await _executable(playwright, settings, look, progress)
            launched, _ = await asyncio.gather(
                _launch(playwright, executable, settings, look, scratch, profile, progress),
                world.register(playwright),
            )
    except BaseException:
        if profile:
            profile.release()
        raise
    params = LaunchParams(settings, died, workspace)
    running = Running(launched.connection, scratch, executable, params, look, launched.only)
    running.profile, running.relays = profile, launched.relays
    running.give_driver(playwright)
    running.give_browser(launched.browser)
    running.watch(processes_of(scratch))
    return running


async def _profile(settings: Settings) -> "LastingProfile | None":
    if not settings.profile:
        return None
    from gstack_browse.browser.launch import profile  # no part of most starts

    return await asyncio.to_thread(profile.take, settings.profile)


@asynccontextmanager
async def driven(
    ready: driver_process.Driver | None, progress: installer.Progress
) -> AsyncIterator[tuple[Scratch, Playwright]]:
    """Yield a driver (`ready`, or a new one) and its directory. If the block fails, end both.

    Args:
        progress: is told of libraries that are installed because the driver lacks them
    """
    scratch = ready.scratch if ready else driver_process.scratch()
    playwright: Playwright | None = None
    try:
        limits.refuse_hopeless()
        swept = asyncio.get_running_loop().run_in_executor(None, sweep)
        playwright = await driver.start(scratch, ready, progress)
        await swept
        yield scratch, playwright
    except BaseException:
        if playwright:
            await playwright.stop()
        if ready:
            ready.end()
        await asyncio.to_thread(_kill_all, scratch)
        await asyncio.to_thread(scratch.remove)
        raise


async def _executable(
    playwright: Playwright, settings: Settings, look: Look, progress: installer.Progress
) -> Path:
    """The Chromium to start; a full one for a window and for extensions, which the headless shell cannot have."""
    if not (look.visible or settings.extensions):
        found = chromium.find(playwright, settings)
        return found or await chromium.install(playwright, settings, progress)
    if full := chromium.find(playwright, settings, full=True):
        return full
    raise SetupFailed(
        f"There is no Chromium here that can {'show a window' if look.visible else 'load extensions'}",
        "Install one: python -m playwright install chromium, or as root on Debian: apt-get install chromium",
    )


async def _launch(
    playwright: Playwright,
    executable: Path,
    settings: Settings,
    look: Look,
    scratch: Scratch,
    profile: "LastingProfile | None",
    progress: installer.Progress,
) -> Launched:
    loaded = extensions.flags(extensions.find(settings.extensions)) if settings.extensions else []
    with ExitStack() as undo:
        relays = await _relays(settings)
        if relays:
            undo.callback(relays.close)
        options = options_of(settings, look, scratch, loaded, relays)
        if settings.ca_cert:
            from gstack_browse.browser.launch import certificates  # no usual start needs it

            options["env"] |= await asyncio.to_thread(certificates.trusting, settings.ca_cert, scratch.path)
        lasting = profile.path if profile else None
        starter = _Starter(playwright, executable, options, look, scratch, lasting, has_extensions=bool(loaded))
        launched = await _start_with_libraries(starter, settings, executable, look, progress)
        undo.pop_all()
    launched.relays = relays
    return launched


async def _relays(settings: Settings) -> "Relays | None":
    if not settings.client_certs:
        return None
    from gstack_browse.browser.launch import relays  # TLS and certificates: no part of most starts

    return await relays.opened(settings)


async def _start_with_libraries(
    starter: "_Starter", settings: Settings, executable: Path, look: Look, progress: installer.Progress
) -> Launched:
    """Start the browser. If it lacks libraries, install them and start it once more. Raises SetupFailed."""
    try:
        try:
            return await _start_once(starter, settings)
        except PlaywrightError as error:
            from gstack_browse.browser.launch.libraries import LOADER_MESSAGE  # no part of a start that works

            if LOADER_MESSAGE not in str(error):
                raise
        await asyncio.to_thread(chromium.install_missing_libraries, executable, progress)
        return await _start_once(starter, settings)
    except PlaywrightError as error:
        from gstack_browse.browser.launch.start_failures import explained  # no part of a start that works

        raise explained(str(error), executable, uses_sandbox(settings), look) from None


async def _start_once(starter: "_Starter", settings: Settings) -> Launched:
    """Start the browser with our pipe, or without where that is impossible. Raises Playwright's Error."""
    try:
        return await (starter.with_pipe() if settings.wire else starter.without_pipe("BROWSE_WIRE=0"))
    except PipeUnusable as problem:
        return await _fall_back(starter, str(problem))


async def _fall_back(starter: "_Starter", problem: str) -> Launched:
    """Start the browser once more, without a pipe. Raises SetupFailed when that fails, too."""
    asyncio.get_running_loop().call_exception_handler({"message": f"{problem}: going on as with BROWSE_WIRE=0"})
    try:
        return await starter.without_pipe(problem)
    except PlaywrightError:
        raise SetupFailed(problem, "Set BROWSE_CHROMIUM to another Chrome or Chromium") from None


class _Starter:
    """Starts one browser by Playwright; in a profile of its own for extensions, which run in no other, or in one that is `lasting`."""

    def __init__(
        self,
        playwright: Playwright,
        executable: Path,
        options: dict[str, Any],
        look: Look,
        scratch: Scratch,
        lasting: Path | None,
        *,
        has_extensions: bool,
    ) -> None:
        self._playwright = playwright
        self._executable = executable
        self._options = options
        self._look = look
        self._scratch = scratch
        self._lasting = lasting
        self._has_profile = has_extensions or lasting is not None
        has_person = look.visible or lasting is not None  # a lasting profile may have a window later
        self._preferences = WINDOW_PREFERENCES if has_person else PREFERENCES

    async def with_pipe(self) -> Launched:
        """Raises PipeUnusable, with the browser closed again, and Playwright's Error."""
        path, preferences = self._scratch.path, self._preferences
        async with PipeLauncher(path, self._executable, preferences=preferences) as launcher:
            browser, only = await self._start(launcher.program, "profile")
            try:
                launched = Launched(browser, await launcher.connect(browser), only)
            except PipeUnusable:
                await _close(browser)
                raise
            if not (self._has_profile or self._look.visible):
                full = self._playwright.chromium.executable_path
                known_start.remember(str(self._executable), full, launcher.arguments)
            return launched

    async def without_pipe(self, why: str) -> Launched:
        """Raises Playwright's Error."""
        from gstack_browse.browser.cdp.tunnel import TunnelConnection  # no part of a start with a pipe

        program = runnable(self._scratch.path, shlex.quote(str(self._executable)), self._preferences)
        browser, only = await self._start(program, "profile-without-pipe")
        connection = TunnelConnection(why)
        await connection.open(browser)
        return Launched(browser, connection, only)

    async def _start(self, program: Path, profile: str) -> tuple[Browser, BrowserContext | None]:
        options = {**self._options, "executable_path": program}
        if not self._has_profile:
            return await self._playwright.chromium.launch(**options), None
        if self._look.visible and not self._look.keeps_size:
            options["no_viewport"] = True
        only = await self._playwright.chromium.launch_persistent_context(
            self._lasting or self._scratch.path / profile, **options, **self._look.context
        )
        assert only.browser is not None
        return only.browser, only


async def _close(browser: Browser) -> None:
    """Close a browser that may not answer; the end of its pipe ends it in any case."""
    with suppress(TimeoutError, PlaywrightError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await browser.close()


def _kill_all(scratch: Scratch) -> None:
    """End a driver and a browser whose start has failed, and that may not end by themselves."""
    import psutil

    for process in processes_of(scratch).values():
        with suppress(psutil.Error):
            process.kill()
