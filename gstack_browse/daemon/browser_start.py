"""Start the daemon's browser, in one of two ways.

1. Chromium first: `starter` has already started Chromium. Commands that do without Playwright run in its first page at once; Playwright's
   driver is started later, and takes the browser over ("adoption").
2. Driver first: Playwright's driver starts Chromium, or connects to a remote browser.

`service` decides which session uses the browser, and what is restored in it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.adoption import Adoption
from gstack_browse.browser.launch import driver_process, installer, known_start, launch, takeover
from gstack_browse.browser.launch.ahead import EarlyChromium
from gstack_browse.browser.launch.running import DRIVER, LaunchParams, RunningBrowser
from gstack_browse.browser.launch.window import WindowOptions
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.daemon import error_log
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.boot import BootState
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.respite import IdleScheduler
from gstack_browse.vault import client_cert_passphrases, proxy_login

if TYPE_CHECKING:
    from gstack_browse.browser.launch.endpoint import Endpoint


class BrowserStart:
    """Starts a browser in a task; all commands that need one wait for it.

    Args:
        params: Settings, workspace and endpoint. `params.on_death` is called if Playwright cannot take the browser over.
        boot_state: Processes that `starter` has started already; those that are used are removed from it.
        choose_look: Returns the options of the browser's window. May raise SetupFailed.
        default: The context named "default", which always gets a session.
        first: The context of the command that started the browser. It gets the first page of a Chromium that was started ahead.
        make_session: Makes a context's session in a running Chromium.
        open_session: Opens the default context's session, with a tab if that context is `first`.
        idle_scheduler: Tells when Playwright may take over without delaying commands.
        is_ending: Whether the daemon is ending. A failed takeover is no fault then.
    """

    def __init__(
        self,
        params: LaunchParams,
        boot_state: BootState,
        choose_look: Callable[[], WindowOptions],
        *,
        default: AgentContext,
        first: AgentContext,
        make_session: Callable[[AgentContext, RunningBrowser], BrowserSession],
        open_session: Callable[..., Awaitable[object]],
        idle_scheduler: IdleScheduler,
        is_ending: Callable[[], bool],
    ) -> None:
        self.is_installing = False
        """Whether a browser is being installed, which takes minutes."""
        self.queue = ""
        """Description of the queue in which the start of a remote browser waits; "" for none."""
        self._params = params
        self._boot_state = boot_state
        self._choose_look = choose_look
        self._default = default
        self._first = first
        self._make_session = make_session
        self._open_session = open_session
        self._idle_scheduler = idle_scheduler
        self._is_ending = is_ending
        self._listeners: set[Say] = set()
        self.is_resting = False
        """Whether Playwright is not started until a command needs it (`BROWSE_DRIVER=lazy`)."""
        self._is_decided = asyncio.Event()
        """Set once it is known whether `first` gets a session before Playwright is there."""
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def is_done(self) -> bool:
        """Return whether the start has succeeded or failed."""
        return self._task.done()

    async def wait_for_browser(self, say: Say, *, patient: bool = False) -> BrowserSession:
        """Return the default context's session, once Playwright controls the browser. Raises SetupFailed.

        `say` is called with lines of progress. Unless `patient`, Playwright takes over at once; else when no command has come for a moment.
        """
        self._listeners.add(say)
        if not patient:
            self._idle_scheduler.start_now()
        try:
            return await asyncio.shield(self._task)
        finally:
            self._listeners.discard(say)

    async def wait_for_early_session(self, context: AgentContext) -> BrowserSession | None:
        """Wait for the session of `first` that needs no Playwright.

        Returns None for other contexts, or if `first` gets no such session.
        """
        if context is not self._first:
            return None
        deciding = asyncio.ensure_future(self._is_decided.wait())
        await asyncio.wait((self._task, deciding), return_when=asyncio.FIRST_COMPLETED)
        deciding.cancel()
        return context.session

    async def wait_until_done(self, seconds: float | None = None) -> None:
        """Wait until the start has succeeded or failed, at most `seconds`."""
        await asyncio.wait([self._task], timeout=seconds)

    async def cancel(self, seconds: float) -> None:
        """Cancel the start, and wait at most `seconds` for its end."""
        self._task.cancel()
        await self.wait_until_done(seconds)

    async def _run(self) -> BrowserSession:
        """Start the browser, and give the contexts their sessions."""
        browser = self._default.browser = await self._start_browser()
        self._first.browser, self._first.early_session = self._first.browser or self._first.early_session, None
        error_log.log_line(f"The browser was started: {browser.running.start_description}")
        return browser

    async def _start_browser(self) -> BrowserSession:
        """Start the browser with a Chromium that was started ahead, if it can be used; else by the driver."""
        ahead = self._boot_state.ahead
        taken_over = await takeover.take_over(ahead, self._params) if ahead else None
        self._boot_state.ahead = (
            None  # not sooner: if the start is cancelled before, BootState ends that Chromium
        )
        if ahead and taken_over:
            return await self._start_chromium_first(ahead, *taken_over)
        self._boot_state.driver = driver_process.spawn() if ahead else self._boot_state.driver
        self._is_decided.set()
        return await self._start_driver_first()

    async def _start_driver_first(self) -> BrowserSession:
        """Start Chromium by Playwright's driver, or connect to a remote browser."""
        loop = asyncio.get_running_loop()

        def from_thread(line: str) -> None:
            loop.call_soon_threadsafe(self._report_progress, line)

        driver, self._boot_state.driver = self._boot_state.driver, None
        params = self._params
        if params.endpoint:
            running = await _connect_remote(params, params.endpoint, driver, self._set_queue, from_thread)
        else:
            settings = await proxy_login.add_stored_password(params.settings)
            settings = await client_cert_passphrases.add_stored_passphrases(settings)
            running = await launch.start(
                settings, from_thread, params.on_death, self._choose_look(), driver, workspace=params.workspace
            )
        try:
            browser = self._make_session(self._default, running)
            await self._open_session(browser, has_tab=self._first is self._default)
        except BaseException:
            await running.close()
            raise
        return browser

    def _set_queue(self, text: str) -> None:
        """Set the description of a remote browser's queue. Called from a thread."""
        self.queue = text

    def _report_progress(self, line: str) -> None:
        self.is_installing = True
        for say in list(self._listeners):
            say(line)

    async def _start_chromium_first(
        self, ahead: EarlyChromium, running: RunningBrowser, adoption: Adoption
    ) -> BrowserSession:
        """Use the Chromium that was started ahead. Playwright takes it over when commands pause or need it.

        Only `first` has a session before that.
        """
        first = self._make_session(self._first, running)
        driver: driver_process.Driver | None = None
        try:
            await first.begin(adoption)
            self._first.early_session = first
            self._is_decided.set()
            self.is_resting = self._params.settings.starts_driver_late
            if not self.is_resting:
                await self._idle_scheduler.wait_for_first_reply()
                driver = driver_process.spawn(running.scratch)
            await self._wait_until_needed(first)
            self.is_resting = False
            driver = driver or driver_process.spawn(running.scratch)
            await takeover.attach_playwright(running, ahead.known, driver)
            taking_over = await first.adopt(adoption)
            browser = first if self._first is self._default else await self._open_default_session(running)
        except BaseException as error:
            running.stop_watching()
            if isinstance(error, Exception):
                self._report_failed_takeover(error)
            if driver:
                driver.end()
            await running.close()
            raise
        taking_over.add_done_callback(self._check_takeover)
        return browser

    async def _wait_until_needed(self, browser: BrowserSession) -> None:
        """Wait until a command needs Playwright, the first page closes, or commands pause.

        If `is_resting`, a pause does not count.
        """
        tab = browser.tabs.get()
        if not tab:
            self._idle_scheduler.start_now()
            return
        scheduler = self._idle_scheduler
        scheduled = asyncio.ensure_future(
            scheduler.wait_for_request() if self.is_resting else scheduler.wait_until_idle()
        )
        scheduled.add_done_callback(lambda _: tab.touch())
        try:
            await tab.until(lambda: scheduled.done() or tab.needs_playwright or tab.id not in browser.tabs)
        finally:
            scheduled.cancel()
        self._idle_scheduler.start_now()

    async def _open_default_session(self, running: RunningBrowser) -> BrowserSession:
        """Open the default session without a tab, because another context has the first page."""
        browser = self._make_session(self._default, running)
        await self._open_session(browser, has_tab=False)
        return browser

    def _check_takeover(self, done: asyncio.Task[None]) -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, Exception):
            self._report_failed_takeover(error)

    def _report_failed_takeover(self, error: Exception) -> None:
        """Give up the running browser and all that is in it, because Playwright could not take it over.

        The next start is driver first. Nothing is reported if the daemon is ending, or a process of the browser has ended: that is
        the reason then.
        """
        if not self._is_ending():
            known_start.delete()
            error_log.log_exception(error)
            self._params.on_death(DRIVER)


async def _connect_remote(
    params: LaunchParams,
    endpoint: "Endpoint",
    driver: driver_process.Driver | None,
    tell_queue: Callable[[str], None],
    progress: installer.Progress,
) -> RunningBrowser:
    """Connect to a browser that others have started: Playwright's server, or a debugging address."""
    if endpoint.is_playwright:
        from gstack_browse.browser.launch import served  # imported only for remote browsers, to start faster

        return await served.start(params, endpoint, driver, progress)
    from gstack_browse.browser.launch import connect

    return await connect.start(params, endpoint, driver, tell_queue, progress)
