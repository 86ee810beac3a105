"""Starts Playwright's driver and Chromium, and says at once when either dies.

Chromium is driven over the debugging pipe, which leads from the driver through us (`cdp.pipe`), so that it ends with the
daemon in every case: a killed daemon closes the pipe and the driver's standard input; when a killed driver closes its
end of the pipe, we close Chromium's. No port is opened.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.interception import Interception
from gstack_browse.browser.cdp.playwright_names import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import (
    chromium,
    driver,
    driver_process,
    extensions,
    known_start,
    lifeline,
    limits,
)
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher, PipeUnusable
from gstack_browse.browser.launch.scratch import Scratch, sweep
from gstack_browse.browser.launch.start_options import DOWNLOADS, options_of, uses_sandbox
from gstack_browse.browser.launch.window import HEADLESS, Look
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    import psutil  # takes 10 ms, which no first command is to wait for: functions that need it import it

    from gstack_browse.browser.cdp.far_files import FarFiles
    from gstack_browse.browser.launch.endpoint import Endpoint
    from gstack_browse.browser.launch.profile import LastingProfile

CHROMIUM, DRIVER = "Chromium", "the Playwright driver"
"""What may die, as messages call it."""
CLOSE_SECONDS = 2


Died = Callable[[str], None]


@dataclass(frozen=True)
class Origin:
    """What a browser was started from, to start another one like it."""

    settings: Settings
    died: Died
    workspace: Path | None = None
    """Whose files pages may be shown; None: no files."""
    endpoint: "Endpoint | None" = None
    """Where a browser runs that is to be used; None: one of our own is started."""


@dataclass
class Launched:
    """A Chromium that runs: `only` is its single context when it has extensions, which live in no other."""

    browser: Browser
    connection: Connection
    only: BrowserContext | None = None


class Running:
    """A Chromium that runs, with its driver as soon as that was given. `died` is called once if one of them ends by itself."""

    playwright: Playwright
    browser: Browser
    shares_disk = True
    """Whether the browser reads and writes the files that we do."""
    is_shared = False
    """Whether the session is in a browser context that is somebody else's: see `connect`."""

    def __init__(
        self,
        connection: Connection,
        scratch: Scratch,
        executable: Path,
        origin: Origin,
        look: Look,
        only: BrowserContext | None = None,
    ) -> None:
        self.connection = connection
        self.interception = Interception(connection)
        self.executable = executable
        self.origin = origin
        self.look = look
        self.far_name = CHROMIUM
        """What ends when the other end of the wire does, as messages call it."""
        self.died = origin.died
        self.downloads = scratch.path / DOWNLOADS
        """Where Chromium puts what pages download, under names that mean nothing, until it is whole."""
        self.reporting: set[str] = set()
        """Browser contexts of whose downloads we hear: see `downloader`."""
        self.copying: set[str] = set()
        """Browser contexts whose pages may write to the clipboard: see `clipboard`."""
        self.granted: dict[str, frozenset[str]] = {}
        """What the pages of browser contexts may do unasked: see `emulation`."""
        self.sessions: set[object] = set()
        """Whose tabs are in it; the browser is closed when the last one has left it."""
        self.making = asyncio.Lock()
        """Held while a browser context is made: what Chromium calls the new one is told from those that there were."""
        self.way = "Playwright first"
        """How it was started, for people."""
        self.profile: LastingProfile | None = None
        """The lasting profile that it has."""
        self._is_closed = False
        self.scratch = scratch
        self._only = only
        self._far_files: FarFiles | None = None
        self._has_driver = self._has_browser = False
        self._stops: list[Callable[[], None]] = []
        self._processes: "list[psutil.Process]" = []
        self._children: list[int] = []

    def give_driver(self, playwright: Playwright) -> None:
        """There is a Playwright for it, which ends with it."""
        self.playwright = playwright
        self._has_driver = True

    def give_browser(self, browser: Browser) -> None:
        """Playwright has it now."""
        self.browser = browser
        self._has_browser = True

    def give_far_browser(self, playwright: Playwright, browser: Browser, name: str) -> None:
        """Playwright has a browser that is no process of ours: only its driver is, and is watched. `name`: where that browser is, for people."""
        self.far_name = f"The browser at {name}"
        self.give_driver(playwright)
        self.give_browser(browser)
        self.watch({name: process for name, process in processes_of(self.scratch).items() if name == DRIVER})

    @property
    def is_single(self) -> bool:
        """Whether there can be no second context: extensions live in the first one only."""
        return self._only is not None and self.origin.settings.extensions is not None

    @property
    def has_profile(self) -> bool:
        """Whether the default session is in the browser's own context, which has a profile: one for extensions, or a lasting one."""
        return self._only is not None

    @property
    def is_lasting(self) -> bool:
        """Whether what the default session holds stays on the disk."""
        return self.profile is not None

    async def new_context(
        self,
        storage: Any,
        options: Mapping[str, Any],
        size: Mapping[str, Any],
        *,
        name: str,
    ) -> BrowserContext:
        """A browser context with these options that holds `storage` (Playwright's storage state). In a window the window has the size.

        A lasting profile holds its own. `name`: of the session, "" for the default one.
        """
        if self._only and (self.is_single or not name):
            if storage and not self.is_lasting:
                await self._only.set_storage_state(storage)
            return self._only
        if self.look.visible and not self.look.keeps_size:
            return await self.browser.new_context(storage_state=storage, no_viewport=True, **options)
        return await self.browser.new_context(storage_state=storage, accept_downloads=True, **options, **size)

    @property
    def far_files(self) -> "FarFiles":
        """The files on the browser's own machine."""
        if self._far_files is None:
            from gstack_browse.browser.cdp.far_files import FarFiles  # only where the disk is not ours

            self._far_files = FarFiles(self.connection, self.making)
        return self._far_files

    def forget(self, browser_context: str) -> None:
        """A browser context is closed: keep nothing about it."""
        self.interception.forget(browser_context)
        self.connection.forget(browser_context)
        self.granted.pop(browser_context, None)
        for known in (self.reporting, self.copying):
            known.discard(browser_context)

    def watch(self, processes: "dict[str, psutil.Process]") -> None:
        """Call `died` with CHROMIUM or DRIVER as soon as that process ends, or its end of the pipe."""
        self._watch_wire()
        self._processes += processes.values()
        for name, process in processes.items():
            self._stops.append(lifeline.watch(process.pid, partial(self._ended, name)))

    def watch_child(self, name: str, number: int) -> None:
        """The same for a child of ours whose end nobody waits for before `close`: until then its number is its own."""
        self._watch_wire()
        self._children.append(number)
        self._stops.append(lifeline.watch(number, partial(self._ended, name)))

    def _watch_wire(self) -> None:
        self.connection.ended = lambda by_browser: self._ended(self.far_name if by_browser else DRIVER)

    def _ended(self, name: str) -> None:
        self.died(name)  # looked up now: whoever the browser is handed to listens in its own way

    def expect_end(self) -> None:
        """What ends from here on was ended by us: nobody is told."""
        for stop in self._stops:
            stop()
        self.connection.ended = lambda by_browser: None

    async def close(self) -> None:
        """Stop Chromium and the driver: asked to, and killed when they do not within two seconds."""
        self.expect_end()
        if self._is_closed:
            return
        self._is_closed = True
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._close_by_driver()
        except (TimeoutError, PlaywrightError):
            pass  # it hangs, or is dead already
        finally:
            self.connection.close()
            await asyncio.to_thread(self._clear_away)

    async def _close_by_driver(self) -> None:
        if self._has_browser:
            await self.browser.close()
        if self._has_driver:
            await self.playwright.stop()

    def _clear_away(self) -> None:
        """Kill what is left, then remove what it kept on disk."""
        import psutil

        processes = list(self._processes)
        for number in self._children:
            with suppress(psutil.NoSuchProcess):
                processes.append(psutil.Process(number))
        for process in processes:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(processes, timeout=1)
        self.scratch.remove()
        if self.profile:
            self.profile.release()


async def start(
    settings: Settings,
    progress: chromium.Progress,
    died: Died,
    look: Look = HEADLESS,
    ready: driver_process.Driver | None = None,
    workspace: Path | None = None,
) -> Running:
    """Start the driver, unless one is `ready`, and a Chromium. Raises SetupFailed with the reason and what to do."""
    profile = await _profile(settings)
    try:
        async with driven(ready) as (scratch, playwright):
            executable = await _executable(playwright, settings, look, progress)
            launched, _ = await asyncio.gather(
                _launch(playwright, executable, settings, look, scratch, profile), world.register(playwright)
            )
    except BaseException:
        if profile:
            profile.release()
        raise
    origin = Origin(settings, died, workspace)
    running = Running(launched.connection, scratch, executable, origin, look, launched.only)
    running.profile = profile
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
async def driven(ready: driver_process.Driver | None) -> AsyncIterator[tuple[Scratch, Playwright]]:
    """A driver, the one that is `ready` if there is one, and its directory. When the block fails all that it began is ended again."""
    scratch = ready.scratch if ready else driver_process.scratch()
    playwright: Playwright | None = None
    try:
        limits.refuse_hopeless()
        swept = asyncio.get_running_loop().run_in_executor(None, sweep)
        playwright = await driver.start(scratch, ready)
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
    playwright: Playwright, settings: Settings, look: Look, progress: chromium.Progress
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
) -> Launched:
    sandbox = uses_sandbox(settings)
    loaded = extensions.flags(extensions.find(settings.extensions)) if settings.extensions else []
    options = options_of(settings, look, scratch, loaded)
    if settings.ca_cert:
        from gstack_browse.browser.launch import certificates  # no usual start needs it

        options["env"] |= await asyncio.to_thread(certificates.trusting, settings.ca_cert, scratch.path)
    lasting = profile.path if profile else None
    starter = _Starter(playwright, executable, options, look, scratch, lasting, has_extensions=bool(loaded))
    try:
        return await (starter.with_pipe() if settings.wire else starter.without_pipe("BROWSE_WIRE=0"))
    except PipeUnusable as problem:
        return await _fall_back(starter, str(problem))
    except PlaywrightError as error:
        from gstack_browse.browser.launch.start_failures import explained  # no part of a start that works

        raise explained(str(error), executable, sandbox, look) from None


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

    async def with_pipe(self) -> Launched:
        """Raises PipeUnusable, with the browser closed again, and Playwright's Error."""
        async with PipeLauncher(self._scratch.path, self._executable) as launcher:
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

        browser, only = await self._start(self._executable, "profile-without-pipe")
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


def processes_of(scratch: Scratch) -> "dict[str, psutil.Process]":
    """The driver, told from other children of ours by its temporary directory, and its Chromium."""
    import psutil

    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if child.environ().get("TMPDIR") == str(scratch.path):
                return dict(zip([DRIVER, CHROMIUM], [child, *child.children()], strict=False))
    return {}
