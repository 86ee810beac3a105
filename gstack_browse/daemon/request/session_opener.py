"""Wait for the browser of a command: its session, opened if need be."""

import asyncio

from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.daemon.browser.service import Service
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.request import timeouts
from gstack_browse.daemon.request.timeouts import Deadline
from gstack_browse.daemon.socket.server import Say
from gstack_browse.errors import BrowseError
from gstack_browse.protocol import Request
from gstack_browse.registry import Bound, Requires
from gstack_browse.workspace.directory import DAEMON_LOG


class SessionOpener:
    """Finds or opens the session of a browser context for one request. `say` gets lines of progress."""

    def __init__(self, service: Service, context: AgentContext, request: Request, say: Say) -> None:
        self._service = service
        self._context = context
        self._request = request
        self._say = say

    async def find_open(self, bound: Bound, deadline: float) -> BrowserSession | None:
        """Return the session if it is open; for a command on the browser, once no other one moves its tabs."""
        if (browser := self._context.browser) and bound.command.requires is Requires.BROWSER:
            try:
                async with Deadline(deadline):
                    await browser.transfer.wait_until_moved()
            except TimeoutError:
                raise await timeouts.find_deadline_error(self._request, bound, self._context.browser) from None
        return self._context.browser

    async def wait_for_start(self, bound: Bound, deadline: float) -> tuple[BrowserSession, float]:
        """Return the session and the deadline, which is put off where something had to be installed first."""
        try:
            async with Deadline(deadline):
                browser = await self._open_session()
        except TimeoutError:
            if not self._may_wait_for_installation:
                raise await self._start_error(bound) from None
            browser = await self._open_session()
        if self._may_wait_for_installation:
            deadline = asyncio.get_running_loop().time() + timeouts.deadline_seconds(self._request, bound)
        return browser, deadline

    @property
    def _may_wait_for_installation(self) -> bool:
        """Return whether the start installs (or installed) programs and the request sets no deadline.

        The installation does not count towards the default deadline then.
        """
        return self._service.browser.is_installing and self._request.timeout is None

    async def _start_error(self, bound: Bound) -> BrowseError:
        """Return the failure of a command whose browser did not start in time."""
        name, seconds = bound.command.name, timeouts.deadline_seconds(self._request, bound)
        if self._service.browser.session:
            return await timeouts.find_timeout_error(name, seconds, self._service.browser.session.running)
        log = self._service.state.shown(DAEMON_LOG)
        return timeouts.start_timeout_error(name, seconds, log, self._service.browser.start_queue)

    async def _open_session(self) -> BrowserSession:
        """Open the session of the request's context, and the browser if it does not run."""
        if self._context.name:
            return await self._service.context_opener.open_session(
                self._context, self._say, self._request.share
            )
        return await self._service.browser.open(self._say)
