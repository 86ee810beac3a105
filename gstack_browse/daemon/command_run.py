"""One request on its way to its text: find, bind, prepare, run under a deadline.

What the reply says of that text, or of a failure, is `dispatch`'s.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.tabs import drawing
from gstack_browse.browser.tabs.page import PageOpener, PageSession
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.commands.control import Send
from gstack_browse.daemon import page_call, progress, replies, rules, timeouts
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.confirmation import Confirmations, asked
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.deadline import Deadline
from gstack_browse.daemon.early_end import EarlyEnd
from gstack_browse.daemon.ends import End
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.view import DaemonView
from gstack_browse.errors import BrowseError, NavigationFailed, TabGone, TimedOut, UsageError
from gstack_browse.logs.entries import ABORTED
from gstack_browse.protocol import Reply, Request
from gstack_browse.registry import READ, REGISTRY, Bound, Command, Requires, bind, resolve_call
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.usage import command_help
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import sanitise
from gstack_browse.workspace import DAEMON_LOG


class Runner(Protocol):
    """What all runs share, and runs a step of one of them: see `dispatch`."""

    service: Service
    handover: Handover
    confirmations: Confirmations

    async def run(
        self, request: Request, say: Say, context: AgentContext, outer: "CommandRun | None" = None
    ) -> Reply:
        """The reply to a request that `outer` makes, such as a step of a chain."""


@lru_cache(maxsize=64)
def _directory(workspace: Path, cwd: str) -> Path:
    """The directory in which a command was typed, as a request tells it. Most commands are typed where the last one was."""
    return workspace / cwd


class CommandRun:
    """One request. To be made in the task that answers it."""

    def __init__(
        self, runner: Runner, request: Request, say: Say, context: AgentContext, outer: "CommandRun | None"
    ) -> None:
        self.request = request
        self.outer = outer
        """The command that runs this one."""
        self.say = say
        self.service = service = runner.service
        self.context = context
        """The browser context that it is about."""
        self.bound: Bound | None = None
        self.done: list[str] = []
        """What the command has to show so far. It is printed even when the command fails or is cut off."""
        self.notes: list[str] = []
        """Remarks for standard error."""
        self.sources: list[str] = []
        """The addresses of the pages whose text the reply has; "" for text of several pages."""
        self.early_end = EarlyEnd(service, context, request.cmd, is_step=outer is not None)
        holder = context.holder
        self.is_about_a_departure = bool(holder and holder.tabs.departures.untold)
        """Whether a TabGone of ours is news of a tab that went before our turn. What our own tab did is not the next command's."""
        self._runner = runner
        self._inner: CommandRun | None = None
        """The command that this one runs now, such as a step of a chain."""
        if outer:
            outer._inner = self
        self._began = self._now()
        self._tab: Tab | None = None
        self._rules: Mapping[str, str] | None = outer._rules if outer else request.rules
        cwd = _directory(service.workspace, request.cwd)
        self._paths = CallerPaths(cwd=cwd, workspace=service.workspace, stdin=request.stdin)
        self._task = asyncio.current_task()
        self._limit: Deadline | None = None
        """The deadline of a command of the daemon's."""

    def ended(self) -> None:
        """The command has its reply."""
        if self.outer:
            self.outer._inner = None

    def progress(self) -> str:
        """How far it is, or the command that it runs."""
        if self._inner:
            return self._inner.progress()
        seconds = self._now() - self._began
        has_turn = self._tab is None or self._tab.lane.task is self._task
        running = self.context.downloads.running()
        return self.service.hide(
            progress.words(self.request.cmd, seconds, self._tab, running, has_turn=has_turn)
        )

    @property
    def uses_browser(self) -> bool:
        """Whether the command acts on the tabs of its browser context, and not only on the daemon."""
        return self.bound is not None and self.bound.command.needs_browser

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def interrupt(self, why: End) -> None:
        """End it early, with an answer that says why."""
        self.early_end.interrupt(why)

    def settle_departure(self) -> None:
        """Whoever sent this means the active tab, and has just heard what became of it."""
        if self.request.tab is None and (browser := self.context.holder):
            browser.tabs.departures.settle()

    async def text(self) -> str:
        """Return what the command prints. Raises what the command raises; TimedOut at its deadline."""
        try:
            return await self._text()
        except (TabGone, PlaywrightError) as error:
            browser = self.service.browser
            if browser and failures.is_crash(error) and await browser.running.has_lost_zygote():
                raise TimedOut(
                    f"{self.request.cmd} did not finish: {timeouts.NO_PAGES}", timeouts.RESTART
                ) from None
            raise

    async def _text(self) -> str:
        command, words = resolve_call(REGISTRY, [self.request.cmd, *self.request.args])
        self.bound = self.early_end.bound = bound = bind(command, words, self._paths)
        if bound.wants_help:
            return command_help(command)
        if command.needs_browser and self._rules:
            rules.require(self._rules, self.service.settings.rules)
        if command.name in self._runner.confirmations.names:
            self._runner.confirmations.require(*asked(bound, self.request, self.context.holder))
        if command.requires is Requires.NOTHING:
            return await self._call(bound)
        if self.context.name in self.service.record.untold:
            self._refuse_after_loss(bound)
        if command.requires is Requires.DAEMON:
            return await self._on_daemon(bound)
        deadline = self._now() + timeouts.seconds(self.request, bound)
        browser = await self._open_browser(command, deadline)
        if browser is None or self.request.share:
            browser, deadline = await self._started(bound, deadline)
        browser.downloads.allows_any = self.request.any_download
        self._mention_losses()
        if not browser.tabs.active and not (browser.running.is_shared and command.requires is Requires.BROWSER):
            await self._present(browser, deadline)
        answering = self._on_browser if command.requires is Requires.BROWSER else self._on_page
        text = await answering(bound, browser, deadline)
        self.service.crashes.forget()
        return text

    async def _open_browser(self, command: Command, deadline: float) -> BrowserSession | None:
        """Return the browser if it is open. A command on the browser first waits while another one moves its tabs."""
        if (browser := self.context.browser) and command.requires is Requires.BROWSER:
            try:
                async with Deadline(deadline):
                    await browser.transfer.wait_until_moved()
            except TimeoutError:
                raise await self._too_late() from None
        return self.context.browser

    async def _started(self, bound: Bound, deadline: float) -> tuple[BrowserSession, float]:
        """The browser, and the deadline: that is the same, except where a Chromium had to be installed first."""
        try:
            async with Deadline(deadline):
                return await self._first_opened(bound.command), deadline
        except TimeoutError:
            if self.service.is_installing and self.request.timeout is None:
                browser = await self._opened()
                return browser, self._now() + timeouts.seconds(self.request, bound)
        if self.service.browser:
            raise await timeouts.not_finished(
                bound.command.name, timeouts.seconds(self.request, bound), self.service.browser.running
            )
        log = self.service.state.shown(DAEMON_LOG)
        seconds, queue = timeouts.seconds(self.request, bound), self.service.start_waits_for
        raise timeouts.not_started(bound.command.name, seconds, log, queue)

    async def _first_opened(self, command: Command) -> BrowserSession:
        """The browser; before Playwright has it, if the command does without, and no tab needs what Playwright tells."""
        browser = await self._opened(early=command.before_playwright)
        if command.requires is Requires.BROWSER and any(tab.needs_playwright for tab in browser.tabs):
            return await self._opened()  # a window may be opening, which only Playwright can take in
        return browser

    async def _opened(self, *, early: bool = False) -> BrowserSession:
        if self.context.name:
            return await self.service.contexts.ready(self.context, self.say, self.request.share, early=early)
        return await self.service.ready(self.say, early=early)

    def _refuse_after_loss(self, bound: Bound) -> None:
        """Say once what an earlier daemon lost. Only commands that begin anew run in an empty browser; to forget what it remembers is one of those."""
        record, name, command = self.service.record, self.context.name, bound.command
        is_forgotten = command.recalls and bound.kind is not READ
        if command.needs_previous_state and not is_forgotten:
            self.service.begin()  # whoever hears of it is likely to go on
            raise record.failure(name)

    def _mention_losses(self) -> None:
        context, record = self.context, self.service.record
        if context.name in record.untold:
            self.notes.append(record.news(context.name))
        if context.news:
            self.notes.append(context.news)
            context.news = ""

    def _call(self, bound: Bound, *need: Any) -> Awaitable[str]:
        self.early_end.handler_called()
        text: Awaitable[str] = bound.command.handler(*need, *bound.positional, **bound.options)
        return text

    async def _on_daemon(self, bound: Bound) -> str:
        caller = DaemonView(
            self.service,
            self.context,
            self._runner.handover,
            self._runner.confirmations,
            self.request,
            self.done,
            self._run_step,
            self._paths,
            say=self.say,
            patience=timeouts.patience(self.request, bound),
            stream=self._stream,
        )
        self.early_end.ends_daemon = bound.command.ends_daemon
        try:
            async with Deadline(self._now() + timeouts.seconds(self.request, bound)) as self._limit:
                if bound.command.recalls and bound.kind is READ:
                    await self._drawn()
                return await self._call(bound, caller)
        except TimeoutError:
            raise await self._too_late() from None
        finally:
            if caller.has_heard_of_departure:
                self.settle_departure()

    async def _drawn(self) -> None:
        """Let the page do in its next frame what it says of the last action."""
        tab = self.context.browser.tabs.get(self.request.tab) if self.context.browser else None
        if tab and not (tab.gone() or tab.question):
            await drawing.drawn(tab)

    def _stream(self) -> Send:
        """What sends parts of the reply. Whoever follows keeps no daemon from its idle end, nor from being replaced."""
        if (send := self.request.send) is None or self._limit is None:
            raise UsageError(f"{self.request.cmd} --follow runs by itself", "Without --follow it can be a step")
        self._limit.lift()
        self.early_end.is_following = True
        self.service.runs.discard(self)
        self.service.followers.add(self)

        async def send_safely(text: str) -> None:
            await send(self.service.hide(redact(self._fenced_part(sanitise(text)))))

        return send_safely

    def _fenced_part(self, text: str) -> str:
        is_wanted = self.request.fence or self.service.settings.fence
        return replies.fenced(text, [""]) if is_wanted else text

    async def _run_step(self, step: Request) -> Reply:
        return await self._runner.run(step, self.say, self.context, self)

    async def _present(self, browser: BrowserSession, deadline: float) -> None:
        """Open a tab where the last one has just closed itself, if the browser does so in time."""
        try:
            async with Deadline(deadline):
                await browser.tab_factory.present()
        except TimeoutError:
            raise await self._too_late() from None

    async def _on_browser(self, bound: Bound, browser: BrowserSession, deadline: float) -> str:
        need: object = browser
        if bound.command.need is PageOpener:
            need = PageOpener(browser, tab=self.request.tab, deadline=deadline, patience=bound.timeout)
        try:
            async with Deadline(deadline):
                await browser.running.connection.caught_up(browser.current.id)
                return await self._call(bound, need)
        except TimeoutError:
            raise await self._too_late() from None

    async def _on_page(self, bound: Bound, browser: BrowserSession, deadline: float) -> str:
        tab = self._meant(bound.command, browser)
        self._tab = tab
        page = PageSession(browser, tab, deadline=deadline, patience=bound.timeout)
        page.cwd = str(self._paths.cwd)
        page.is_step = self.outer is not None
        has_lane = False
        try:
            async with Deadline(deadline), tab.lane:
                has_lane = True
                self._refuse_departed(tab, browser)
                try:
                    return await page_call.text_of(bound, page, partial(self._call, bound, page), self.notes)
                finally:
                    self.sources = [tab.url] if bound.command.page_text else []
        except NavigationFailed as error:
            if ABORTED in error.message and await browser.running.has_lost_zygote():
                raise NavigationFailed(f"Cannot open the page: {timeouts.NO_PAGES}", timeouts.RESTART) from None
            raise
        except TimeoutError:
            if page.said is not None:
                return page.said
            name, seconds = bound.command.name, page.waited or timeouts.seconds(self.request, bound)
            if not has_lane:
                raise timeouts.not_begun(name, seconds, tab) from None
            raise await timeouts.not_finished(name, seconds, browser.running, page) from None

    def _refuse_departed(self, tab: Tab, browser: BrowserSession) -> None:
        """Raise TabGone for a tab that has gone while the command waited for its turn."""
        if tab.id not in browser.tabs:
            self.is_about_a_departure = True
            raise browser.tabs.departures.failure(tab.id)

    def _meant(self, command: Command, browser: BrowserSession) -> Tab:
        """The tab that the caller means. Raises TabGone where the active one is another than it was.

        A command that begins anew goes on in it and says so; not in a chain, whose author has seen nothing yet.
        """
        if self.request.tab is None and command.fresh and not self.outer and (news := browser.tabs.departed()):
            self.notes.append(news)
            browser.tabs.departures.settle()
        return browser.tab(self.request.tab)

    async def _too_late(self) -> BrowseError:
        assert self.bound is not None
        browser, seconds = self.context.browser, timeouts.seconds(self.request, self.bound)
        running = browser.running if browser else None
        return await timeouts.not_finished(self.bound.command.name, seconds, running)
