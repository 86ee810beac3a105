"""One line from a request to its reply: find, bind, prepare, run under a deadline, make the text safe.

Turns every failure into words, whatever it is; nothing else does.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any

from gstack_browse.browser.engine import failures
from gstack_browse.browser.tabs.page import PageOpener, PageSession
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.commands.control import Send
from gstack_browse.daemon import error_log, page_call, progress, replies, rules, timeouts
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.boot import CHROMIUM_FIRST
from gstack_browse.daemon.confirmation import Confirmations, asked
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.early_end import EarlyEnd, not_now
from gstack_browse.daemon.ends import End
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.progress import ProgressLine
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.view import DaemonView
from gstack_browse.errors import (
    BrowseError,
    ExpectationFailed,
    FileFailed,
    PicturesDiffer,
    ProblemsFound,
    ServiceFailed,
    SetupFailed,
    StateLost,
    TabGone,
    TimedOut,
    TokensDiffer,
    UsageError,
)
from gstack_browse.protocol import FOLLOW, Reply, Request, failure
from gstack_browse.registry import REGISTRY, Bound, Command, Requires, bind, meant
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.usage import command_help
from gstack_browse.text import colour
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, sanitise
from gstack_browse.workspace import DAEMON_LOG

_EXTRA_SECONDS = 10.0
"""What a command gets beyond its own `--timeout`, so that it can say why it failed."""
_TO_SAY_WHY_SECONDS = 0.25
_FAILURES_BEFORE_HANDOFF = 3


class Dispatch:
    """Runs requests against a service."""

    def __init__(self, service: Service, handover: Handover) -> None:
        self.service = service
        self.handover = handover
        self.confirmations = Confirmations(service.settings.confirm)

    async def answer(self, request: Request, say: Say) -> Reply:
        """The reply to one request. Never raises, except when the client has gone."""
        if self.service.closing:
            return failure(not_now())
        context = self.service.contexts.of(request.as_)
        context.begin()
        try:
            return self._counted(context, await self.run(request, say))
        finally:
            context.end(request.cmd)
            self.service.contexts.settle(context)

    async def run(self, request: Request, say: Say, outer: "_Run | None" = None) -> Reply:
        """The same for a command that `outer` runs, such as a step of a chain."""
        service = self.service
        is_waiting = FOLLOW not in request.args
        line = ProgressLine(say, is_wanted=request.progress and request.reply == "text" and is_waiting)
        run = _Run(self, request, line.say, outer)
        service.runs.add(run)
        line.begin(run.progress)
        try:
            return await run.reply()
        finally:
            line.end()
            run.ended()
            service.runs.discard(run)
            service.followers.discard(run)
            service.note_command()
            service.last_used = service.now()
            service.has_answered.set()

    def _counted(self, context: AgentContext, reply: Reply) -> Reply:
        """After three failures in a row, mention that a person could take over."""
        if reply.code in (0, 2) or reply.error in (
            SetupFailed.kind,
            ExpectationFailed.kind,
            FileFailed.kind,
            PicturesDiffer.kind,
            ProblemsFound.kind,
            TokensDiffer.kind,
            ServiceFailed.kind,
        ):
            context.failures_in_a_row = 0 if reply.code == 0 else context.failures_in_a_row
            return reply
        context.failures_in_a_row += 1
        browser = context.browser
        if context.failures_in_a_row >= _FAILURES_BEFORE_HANDOFF and browser and not browser.handed:
            stuck = replies.aimed("Stuck? 'handoff' shows the page to a person", context.name)
            reply.hint += ("\n" if reply.hint else "") + stuck
        return reply


class _Run:
    """One request on its way through the line."""

    def __init__(self, dispatch: Dispatch, request: Request, say: Say, outer: "_Run | None") -> None:
        self.dispatch = dispatch
        self.request = request
        self.say = say
        self.done: list[str] = []
        """What the command has to show so far. It is printed even when the command fails or is cut off."""
        self._outer = outer
        self._inner: _Run | None = None
        """The command that this one runs now, such as a step of a chain."""
        if outer:
            outer._inner = self
        self._began = asyncio.get_running_loop().time()
        self._tab: Tab | None = None
        self._rules: Mapping[str, str] | None = outer._rules if outer else request.rules
        self._service = service = dispatch.service
        self._context = context = service.contexts.of(request.as_)
        cwd = service.workspace / request.cwd if request.cwd else service.workspace
        self._paths = CallerPaths(cwd=cwd, workspace=service.workspace, stdin=request.stdin)
        self._task = asyncio.current_task()
        self._limit: asyncio.Timeout | None = None
        """The deadline of a command of the daemon's."""
        self._notes: list[str] = []
        self._bound: Bound | None = None
        self._sources: list[str] = []
        """The addresses of the pages whose text the reply has; "" for text of several pages."""
        self._early_end = EarlyEnd(service, context, request.cmd, is_step=outer is not None)
        holder = service.holder_of(context)
        self._is_about_a_departure = bool(holder and holder.tabs.departures.untold)
        """Whether a TabGone of ours is news of a tab that went before our turn. What our own tab did is not the next command's."""

    def ended(self) -> None:
        """It has its reply."""
        if self._outer:
            self._outer._inner = None

    def progress(self) -> str:
        """How far it is, or the command that it runs."""
        if self._inner:
            return self._inner.progress()
        seconds = asyncio.get_running_loop().time() - self._began
        has_turn = self._tab is None or self._tab.lane.task is self._task
        running = self._context.downloads.running()
        return self._service.hide(
            progress.words(self.request.cmd, seconds, self._tab, running, has_turn=has_turn)
        )

    @property
    def context(self) -> AgentContext:
        """The browser context that it is about."""
        return self._context

    def interrupt(self, why: End) -> None:
        """End it early, with an answer that says why."""
        self._early_end.interrupt(why)

    async def reply(self) -> Reply:
        try:
            text = await self._early_end.after(self._text())
            reply = Reply(self._finished(text))
        except BrowseError as error:
            is_told = bool(self.done) and isinstance(error, StateLost)  # by a step of a chain
            reply = self._failed(error if is_told else self._early_end.reason() or error)
        except asyncio.CancelledError:
            if (interruption := self._early_end.caught()) is None:
                raise
            reply = self._failed(interruption)
        except Exception as error:  # noqa: BLE001 - the one place: whatever went wrong becomes words, and the daemon goes on
            reply = self._failed(self._early_end.reason() or failures.explain(error) or self._fault(error))
        self._early_end.done()
        if reply.error == TabGone.kind and self._is_about_a_departure and not self._outer:
            self._settle_departure()
        reply.notes = [one_line(self._service.hide(note), 500) for note in self._notes]
        if self._bound:
            self._service.recent.append((self._bound, reply.code, _prefix(self._context)))
        return reply

    def _settle_departure(self) -> None:
        """Whoever sent this means the active tab, and has just heard what became of it."""
        if self.request.tab is None and (browser := self._service.holder_of(self._context)):
            browser.tabs.departures.settle()

    async def _text(self) -> str:
        command, words = meant(REGISTRY, [self.request.cmd, *self.request.args])
        self._bound = self._early_end.bound = bound = bind(command, words, self._paths)
        if bound.wants_help:
            return command_help(command)
        if command.needs_browser and self._rules:
            rules.require(self._rules, self._service.settings.rules)
        if command.name in self.dispatch.confirmations.names:
            self.dispatch.confirmations.require(
                *asked(bound, self.request, self._service.holder_of(self._context))
            )
        if command.requires is Requires.NOTHING:
            return await self._call(bound)
        if command.requires is Requires.DAEMON:
            return await self._on_daemon(bound)
        self._refuse_after_loss(command)
        deadline = asyncio.get_running_loop().time() + self._seconds(bound)
        browser = self._context.browser
        if browser is None or self.request.share:
            browser, deadline = await self._started(bound, deadline)
        self._mention_losses()
        if not browser.tabs and not (browser.running.is_shared and command.requires is Requires.BROWSER):
            await self._present(browser, deadline)
        answering = self._on_browser if command.requires is Requires.BROWSER else self._on_page
        text = await answering(bound, browser, deadline)
        self._service.crashes.forget()
        return text

    async def _started(self, bound: Bound, deadline: float) -> tuple[BrowserSession, float]:
        """The browser, and the deadline: that is the same, except where a Chromium had to be installed first."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._opened(early=bound.command.name == CHROMIUM_FIRST), deadline
        except TimeoutError:
            if self._service.is_installing and self.request.timeout is None:
                browser = await self._opened()
                return browser, asyncio.get_running_loop().time() + self._seconds(bound)
        log = self._service.state.shown(DAEMON_LOG)
        raise timeouts.not_started(bound.command.name, self._seconds(bound), log)

    async def _opened(self, *, early: bool = False) -> BrowserSession:
        if self._context.name:
            return await self._service.contexts.ready(self._context, self.say, self.request.share)
        return await self._service.ready(self.say, early=early)

    def _seconds(self, bound: Bound) -> float:
        """The command's deadline: what the request says, else room for its `--timeout`, else its own."""
        if self.request.timeout is not None:
            return self.request.timeout / 1000
        if bound.timeout is not None:
            return bound.timeout + _EXTRA_SECONDS
        return bound.command.timeout

    def _patience(self, bound: Bound) -> float | None:
        """How long the caller wants a command of the daemon's to wait; less than the deadline, so that it can say what is missing."""
        if self.request.timeout is not None:
            return max(self.request.timeout / 1000 - _TO_SAY_WHY_SECONDS, 0.0)
        return bound.timeout

    def _refuse_after_loss(self, command: Command) -> None:
        """Say once what an earlier daemon lost. Only commands that begin anew run on a blank page."""
        record, name = self._service.record, self._context.name
        if record.lost_of(name) and command.requires is Requires.PAGE and not command.fresh:
            self._service.begin()  # whoever hears of it is likely to go on
            raise record.failure(name)

    def _mention_losses(self) -> None:
        context = self._context
        self._notes.extend(filter(None, (self._service.record.news(context.name), context.news)))
        context.news = ""

    def _call(self, bound: Bound, *need: Any) -> Awaitable[str]:
        self._early_end.handler_called()
        text: Awaitable[str] = bound.command.handler(*need, *bound.positional, **bound.options)
        return text

    async def _on_daemon(self, bound: Bound) -> str:
        caller = DaemonView(
            self._service,
            self._context,
            self.dispatch.handover,
            self.dispatch.confirmations,
            self.request,
            self.done,
            self._run_step,
            self._paths,
            say=self.say,
            patience=self._patience(bound),
            stream=self._stream,
        )
        self._early_end.ends_daemon = bound.command.ends_daemon
        try:
            async with asyncio.timeout(self._seconds(bound)) as self._limit:
                return await self._call(bound, caller)
        except TimeoutError:
            raise self._too_late() from None
        finally:
            if caller.has_heard_of_departure:
                self._settle_departure()

    def _stream(self) -> Send:
        """What sends parts of the reply. Whoever follows keeps no daemon from its idle end, nor from being replaced."""
        if (send := self.request.send) is None or self._limit is None:
            raise UsageError(f"{self.request.cmd} --follow runs by itself", "Without --follow it can be a step")
        self._limit.reschedule(None)
        self._early_end.is_following = True
        self._service.runs.discard(self)
        self._service.followers.add(self)

        async def send_safely(text: str) -> None:
            await send(self._service.hide(redact(self._fenced_part(sanitise(text)))))

        return send_safely

    def _fenced_part(self, text: str) -> str:
        is_wanted = self.request.fence or self._service.settings.fence
        return replies.fenced(text, [""]) if is_wanted else text

    async def _run_step(self, step: Request) -> Reply:
        return await self.dispatch.run(step, self.say, self)

    async def _present(self, browser: BrowserSession, deadline: float) -> None:
        """Open a tab where the last one has just closed itself, if the browser does so in time."""
        try:
            async with asyncio.timeout_at(deadline):
                await browser.tab_factory.present()
        except TimeoutError:
            raise self._too_late() from None

    async def _on_browser(self, bound: Bound, browser: BrowserSession, deadline: float) -> str:
        need: object = browser
        await browser.running.connection.caught_up(browser.current.id)
        if bound.command.need is PageOpener:
            need = PageOpener(browser, tab=self.request.tab, deadline=deadline, patience=bound.timeout)
        try:
            async with asyncio.timeout_at(deadline):
                return await self._call(bound, need)
        except TimeoutError:
            raise self._too_late() from None

    async def _on_page(self, bound: Bound, browser: BrowserSession, deadline: float) -> str:
        tab = self._meant(bound.command, browser)
        self._tab = tab
        page = PageSession(browser, tab, deadline=deadline, patience=bound.timeout)
        page.cwd = str(self._paths.cwd)
        has_lane = False
        try:
            async with asyncio.timeout_at(deadline), tab.lane:
                has_lane = True
                self._refuse_departed(tab, browser)
                try:
                    return await page_call.text_of(bound, page, lambda: self._call(bound, page), self._notes)
                finally:
                    self._sources = [tab.url] if bound.command.page_text else []
        except TimeoutError:
            name, seconds = bound.command.name, self._seconds(bound)
            if not has_lane:
                raise timeouts.not_begun(name, seconds, tab) from None
            raise await timeouts.not_finished_on_page(name, seconds, page) from None

    def _refuse_departed(self, tab: Tab, browser: BrowserSession) -> None:
        """Raise TabGone for a tab that has gone while the command waited for its turn."""
        if tab.id not in browser.tabs:
            self._is_about_a_departure = True
            raise browser.tabs.departures.failure(tab.id)

    def _meant(self, command: Command, browser: BrowserSession) -> Tab:
        """The tab that the caller means. Raises TabGone where the active one is another than it was.

        A command that begins anew goes on in it and says so; not in a chain, whose author has seen nothing yet.
        """
        if self.request.tab is None and command.fresh and not self._outer and (news := browser.tabs.departed()):
            self._notes.append(news)
            browser.tabs.departures.settle()
        return browser.tab(self.request.tab)

    def _too_late(self) -> TimedOut:
        assert self._bound is not None
        return timeouts.not_finished(self._bound.command.name, self._seconds(self._bound))

    # making the text fit to be sent

    def _finished(self, text: str) -> str:
        assert self._bound is not None
        text = sanitise(text)
        if self._bound.command.page_text and not self._bound.wants_help:
            text = replies.bounded(text, self._bound)
            self._sources = self._sources or [""]
        text = self._service.hide(redact(self._fenced(text)))
        is_coloured = self.request.colour and self.request.reply == "text" and self._bound.command.is_tree
        return colour.tree(text) if is_coloured else text

    def _fenced(self, text: str) -> str:
        """`text` in a fence if there is text of pages in it. What a command runs for another is fenced with that one's."""
        if self._outer:
            self._outer._sources += self._sources
            return text
        is_wanted = self.request.fence or self._service.settings.fence
        return replies.fenced(text, self._sources) if is_wanted else text

    def _fault(self, error: Exception) -> BrowseError:
        """A fault of the system's, or of our own: the details go to the daemon's log, one line to the user."""
        error_log.report(error, [*(self._bound.secrets if self._bound else []), *self._service.revealed_values])
        return replies.fault(error, self._service.state.shown(DAEMON_LOG))

    def _failed(self, error: BrowseError) -> Reply:
        browser = self._context.browser
        is_elsewhere = self.request.tab is not None and not (
            browser and browser.tabs.active == self.request.tab
        )
        hide = self._service.hide
        reply = replies.failed(
            error, self._bound, self._context.name, self.request.tab if is_elsewhere else None
        )
        reply.message, reply.hint = hide(reply.message), hide(reply.hint)
        if self.done:
            reply.text = hide(redact(self._fenced(sanitise("\n".join(self.done)))))
        return reply


def _prefix(context: AgentContext) -> str:
    """What a line about a context begins with that has a name."""
    return f"{context.name}: " if context.name else ""
