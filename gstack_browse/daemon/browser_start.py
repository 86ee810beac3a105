"""One start of the daemon's browser: Chromium first, where that was begun ahead, else Playwright's driver first.

Which session the browser gets, and what that begins with, is `service`'s.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.adoption import Adoption
from gstack_browse.browser.launch import driver_process, installer, known_start, launch, takeover
from gstack_browse.browser.launch.ahead import Ahead
from gstack_browse.browser.launch.running import DRIVER, LaunchParams, Running
from gstack_browse.browser.launch.window import Look
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.daemon import error_log
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.boot import BootState
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.respite import Respite
from gstack_browse.vault import client_cert_passphrases, proxy_login

if TYPE_CHECKING:
    from gstack_browse.browser.launch.endpoint import Endpoint


class BrowserStart:
    """Starts a browser, in a task of its own, for everybody who waits for one.

    `default` is the browser context that gets a session in any case, `first` that of the command that the browser is started for: it has the page that is there before
    Playwright, if one is. `look` says how the browser is to appear, and may raise SetupFailed; `make` gives a context its session in a running Chromium; `open_session` opens the default one,
    with a tab if it is the first. What is used of `begun` is taken out of it. `params.died` is called when Playwright cannot take
    over a browser that is already in use, unless `is_ending`.
    """

    def __init__(
        self,
        params: LaunchParams,
        begun: BootState,
        look: Callable[[], Look],
        *,
        default: AgentContext,
        first: AgentContext,
        make: Callable[[AgentContext, Running], BrowserSession],
        open_session: Callable[..., Awaitable[object]],
        respite: Respite,
        is_ending: Callable[[], bool],
    ) -> None:
        self.is_installing = False
        """Whether the browser has to be installed first, which takes minutes."""
        self.waits_for = ""
        """Description of the queue in which the start of a remote browser waits; "" for none."""
        self._params = params
        self._begun = begun
        self._look = look
        self._default = default
        self._first = first
        self._make = make
        self._open_session = open_session
        self._respite = respite
        self._is_ending = is_ending
        self._listeners: set[Say] = set()
        self._is_decided = asyncio.Event()
        """Set when the first context has a session without Playwright, or it is known that it gets none."""
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def is_over(self) -> bool:
        return self._task.done()

    async def browser(self, say: Say, *, patient: bool = False) -> BrowserSession:
        """The browser with Playwright, which comes when there is time if the caller is `patient`; `say` hears of the progress. Raises SetupFailed."""
        self._listeners.add(say)
        if not patient:
            self._respite.end()
        try:
            return await asyncio.shield(self._task)
        finally:
            self._listeners.discard(say)

    async def earliest(self, context: AgentContext) -> BrowserSession | None:
        """The session of the first context as soon as it can go somewhere, before Playwright has it; None where it cannot, and for others."""
        if context is not self._first:
            return None
        deciding = asyncio.ensure_future(self._is_decided.wait())
        await asyncio.wait((self._task, deciding), return_when=asyncio.FIRST_COMPLETED)
        deciding.cancel()
        return context.holder

    async def over(self, seconds: float | None = None) -> None:
        """Return when the start has succeeded or failed, or after so many seconds."""
        await asyncio.wait([self._task], timeout=seconds)

    async def give_up(self, seconds: float) -> None:
        """End the start, if it is under way. Wait so long for its end."""
        self._task.cancel()
        await self.over(seconds)

    async def _run(self) -> BrowserSession:
        browser = self._default.browser = await self._started()
        self._first.browser, self._first.early = self._first.browser or self._first.early, None
        error_log.note(f"The browser was started: {browser.running.way}")
        return browser

    async def _started(self) -> BrowserSession:
        ahead = self._begun.ahead
        begun = await takeover.begin(ahead, self._params) if ahead else None
        self._begun.ahead = None  # not sooner: whoever gives the start up before ends it
        if ahead and begun:
            return await self._chromium_first(ahead, *begun)
        self._begun.driver = driver_process.spawn() if ahead else self._begun.driver
        self._is_decided.set()
        return await self._driver_first()

    async def _driver_first(self) -> BrowserSession:
        loop = asyncio.get_running_loop()

        def from_thread(line: str) -> None:
            loop.call_soon_threadsafe(self._progress, line)

        driver, self._begun.driver = self._begun.driver, None
        params = self._params
        if params.endpoint:
            running = await _far(params, params.endpoint, driver, self._tell_queue, from_thread)
        else:
            settings = await proxy_login.add_stored_password(params.settings)
            settings = await client_cert_passphrases.add_stored_passphrases(settings)
            running = await launch.start(
                settings, from_thread, params.died, self._look(), driver, workspace=params.workspace
            )
        try:
            browser = self._make(self._default, running)
            await self._open_session(browser, has_tab=self._first is self._default)
        except BaseException:
            await running.close()
            raise
        return browser

    def _tell_queue(self, text: str) -> None:
        """Keep the description of the queue. Is called from a thread."""
        self.waits_for = text

    def _progress(self, line: str) -> None:
        self.is_installing = True
        for say in list(self._listeners):
            say(line)

    async def _chromium_first(self, ahead: Ahead, running: Running, adoption: Adoption) -> BrowserSession:
        """Go on with the Chromium that was started ahead, and have Playwright take it over."""
        first = self._make(self._first, running)
        driver: driver_process.Driver | None = None
        try:
            await first.begin(adoption)
            self._first.early = first
            self._is_decided.set()
            await self._respite.first_answer()
            driver = driver_process.spawn(running.scratch)
            await self._until_needed(first)
            await takeover.join(running, ahead.known, driver)
            taking_over = await first.adopt(adoption)
            browser = first if self._first is self._default else await self._beside(running)
        except BaseException as error:
            running.expect_end()
            if isinstance(error, Exception):
                self._not_adopted(error)
            if driver:
                driver.end()
            await running.close()
            raise
        taking_over.add_done_callback(self._has_taken_over)
        return browser

    async def _until_needed(self, browser: BrowserSession) -> None:
        """Wait until somebody needs Playwright, or nobody anything. Not where the first page has closed already."""
        tab = browser.tabs.get()
        if not tab:
            self._respite.end()
            return
        over = asyncio.ensure_future(self._respite.over())
        over.add_done_callback(lambda _: tab.touch())
        try:
            await tab.until(lambda: over.done() or tab.needs_playwright or tab.id not in browser.tabs)
        finally:
            over.cancel()
        self._respite.end()

    async def _beside(self, running: Running) -> BrowserSession:
        """The default session, where another one has the first page. It gets a tab when a command needs one."""
        browser = self._make(self._default, running)
        await self._open_session(browser, has_tab=False)
        return browser

    def _has_taken_over(self, done: asyncio.Task[None]) -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, Exception):
            self._not_adopted(error)

    def _not_adopted(self, error: Exception) -> None:
        """The browser that ran has to be given up, and what was in it is lost.

        The next start is the usual one, unless this one failed because a process was killed.
        """
        if not self._is_ending():  # else the end is the reason
            known_start.forget()
            error_log.report(error)
            self._params.died(DRIVER)


async def _far(
    params: LaunchParams,
    endpoint: "Endpoint",
    driver: driver_process.Driver | None,
    tell_queue: Callable[[str], None],
    progress: installer.Progress,
) -> Running:
    """A browser that others have started."""
    if endpoint.is_playwright:
        from gstack_browse.browser.launch import served  # no part of a start of our own

        return await served.start(params, endpoint, driver, progress)
    from gstack_browse.browser.launch import connect

    return await connect.start(params, endpoint, driver, tell_queue, progress)
