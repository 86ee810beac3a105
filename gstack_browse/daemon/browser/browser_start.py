"""Start the daemon's browser.

Uses the Chromium that `starter` has started early, starts one, or connects to a remote one. `browser_manager` decides which sessions
use the browser, and what is restored in it.
"""

import asyncio
from collections.abc import Awaitable, Callable

from gstack_browse.browser.launch import launch
from gstack_browse.browser.launch.outbound import logins
from gstack_browse.browser.launch.running import LaunchParams, RunningBrowser, WindowOptions
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.daemon.base import error_log
from gstack_browse.daemon.base.boot import BootState
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.socket.server import Say


class BrowserStart:
    """Starts a browser in a task. Commands that need a browser wait for the task.

    Args:
        params: Settings, workspace and endpoint.
        boot_state: May have a Chromium that was started early. It is taken from there.
        choose_window: Returns the options of the browser's window. May raise SetupFailed.
        default: The context named "default", which always gets a session.
        first: The context of the command that started the browser. It gets the first page, if Chromium was started early.
        make_session: Makes a context's session in a running Chromium, without tabs.
        open_session: Opens the default context's session: restores its tabs, or opens one.
    """

    def __init__(
        self,
        params: LaunchParams,
        boot_state: BootState,
        choose_window: Callable[[], WindowOptions],
        *,
        default: AgentContext,
        first: AgentContext,
        make_session: Callable[[AgentContext, RunningBrowser], BrowserSession],
        open_session: Callable[..., Awaitable[object]],
    ) -> None:
        self.is_installing = False
        """Whether a browser is being installed, which takes minutes."""
        self.queue = ""
        """Description of the queue in which the start of a remote browser waits; "" for none."""
        self._params = params
        self._boot_state = boot_state
        self._choose_window = choose_window
        self._default = default
        self._first = first
        self._make_session = make_session
        self._open_session = open_session
        self._progress_listeners: set[Say] = set()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def is_done(self) -> bool:
        """Return whether the start has succeeded or failed."""
        return self._task.done()

    async def wait_for_browser(self, say: Say) -> BrowserSession:
        """Wait for the start, and return the default context's session. Raises SetupFailed.

        `say` is called with lines of progress.
        """
        self._progress_listeners.add(say)
        try:
            return await asyncio.shield(self._task)
        finally:
            self._progress_listeners.discard(say)

    async def wait_until_done(self, seconds: float | None = None) -> None:
        """Wait until the start has succeeded or failed, at most `seconds`."""
        await asyncio.wait([self._task], timeout=seconds)

    async def cancel(self, seconds: float) -> None:
        """Cancel the start, and wait at most `seconds` for its end."""
        self._task.cancel()
        await self.wait_until_done(seconds)

    async def _run(self) -> BrowserSession:
        """Start the browser, and open the sessions of the default context and of the first command's context."""
        running = await self._start_browser()
        try:
            session = self._make_session(self._default, running)
            first_context = running.browser.first_context
            if self._first is self._default:
                await self._open_session(session, first=first_context)
            else:
                if first_context:
                    first_session = self._make_session(self._first, running)
                    await first_session.open(first=first_context)
                    self._first.browser = first_session
                await self._open_session(session, has_tab=False)
        except BaseException:
            self._first.browser = None
            await running.close()
            raise
        self._default.browser = session
        error_log.log_line(f"The browser was started: {running.start_description}")
        return session

    async def _start_browser(self) -> RunningBrowser:
        """Start or connect to the browser. Raises SetupFailed."""
        params = self._params
        if endpoint := params.endpoint:
            from gstack_browse.browser.launch import (
                connect,  # imported only for remote browsers, to start faster
            )

            return await connect.start(params, endpoint, self._set_queue)
        loop = asyncio.get_running_loop()
        settings = await logins.add_stored_password(params.settings)
        settings = await logins.add_stored_passphrases(settings)

        def report_from_thread(line: str) -> None:
            loop.call_soon_threadsafe(self._report_progress, line)

        running = await launch.start(
            settings,
            report_from_thread,
            params.on_death,
            self._choose_window(),
            params.workspace,
            self._boot_state.early,
        )
        self._boot_state.early = None  # not sooner: if the start is cancelled, BootState ends that Chromium
        return running

    def _set_queue(self, text: str) -> None:
        """Set the description of a remote browser's queue. `connect` calls this in a thread."""
        self.queue = text

    def _report_progress(self, line: str) -> None:
        """Send a line about an installation to all commands that wait."""
        self.is_installing = True
        for say in list(self._progress_listeners):
            say(line)
