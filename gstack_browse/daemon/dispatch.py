"""One line from a request to its reply: find, bind, prepare, run under a deadline, make the text safe.

Turns every failure into words, whatever it is; nothing else does.
"""

import asyncio
import shlex
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

from gstack_browse import shortage
from gstack_browse.browser.engine import failures
from gstack_browse.browser.launch.launch import CHROMIUM
from gstack_browse.browser.tabs import drawing, questions
from gstack_browse.browser.tabs.page import PageOpener, PageSession
from gstack_browse.browser.tabs.requests import refused_lines
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.daemon import error_log, progress, replies, rules, timeouts
from gstack_browse.daemon.boot import CHROMIUM_FIRST
from gstack_browse.daemon.busy import stopping
from gstack_browse.daemon.confirmation import Asked, Confirmations, identities
from gstack_browse.daemon.connection import Say
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.progress import ProgressLine
from gstack_browse.daemon.service import End, Service
from gstack_browse.daemon.view import DaemonView
from gstack_browse.errors import (
    BrowseError,
    Busy,
    ExpectationFailed,
    PicturesDiffer,
    SetupFailed,
    StateLost,
    TabGone,
    TimedOut,
)
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.registry import READ, REGISTRY, WRITE, Bound, Command, Requires, bind, meant
from gstack_browse.registry.arguments import CallerPaths
from gstack_browse.registry.usage import command_help
from gstack_browse.text import colour
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, sanitise
from gstack_browse.workspace import DAEMON_LOG

_EXTRA_SECONDS = 10.0
"""What a command gets beyond its own `--timeout`, so that it can say why it failed."""
_FAILURES_BEFORE_HANDOFF = 3
_NEWS_SECONDS = 0.3


class Dispatch:
    """Runs requests against a service."""

    def __init__(self, service: Service, handover: Handover) -> None:
        self.service = service
        self.handover = handover
        self.confirmations = Confirmations(service.settings.confirm)
        self._failures_in_a_row = 0

    async def answer(self, request: Request, say: Say) -> Reply:
        """The reply to one request. Never raises, except when the client has gone."""
        if self.service.closing:
            return failure(_not_now())
        return self._counted(await self.run(request, say))

    async def run(self, request: Request, say: Say, outer: "_Run | None" = None) -> Reply:
        """The same for a command that `outer` runs, such as a step of a chain."""
        service = self.service
        line = ProgressLine(say, is_wanted=request.progress and request.reply == "text")
        run = _Run(self, request, line.say, outer)
        service.runs.add(run)
        line.begin(run.progress)
        try:
            return await run.reply()
        finally:
            line.end()
            run.ended()
            service.runs.discard(run)
            service.note_command()
            service.last_used = service.now()
            service.has_answered.set()

    def _counted(self, reply: Reply) -> Reply:
        """After three failures in a row, mention that a person could take over."""
        if reply.code in (0, 2) or reply.error in (
            SetupFailed.kind,
            ExpectationFailed.kind,
            PicturesDiffer.kind,
        ):
            self._failures_in_a_row = 0 if reply.code == 0 else self._failures_in_a_row
            return reply
        self._failures_in_a_row += 1
        browser = self.service.browser
        if self._failures_in_a_row >= _FAILURES_BEFORE_HANDOFF and browser and not browser.handed:
            reply.hint += ("\n" if reply.hint else "") + "Stuck? 'handoff' shows the page to a person"
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
        cwd = service.workspace / request.cwd if request.cwd else service.workspace
        self._paths = CallerPaths(cwd=cwd, workspace=service.workspace, stdin=request.stdin)
        self._task = asyncio.current_task()
        self._notes: list[str] = []
        self._bound: Bound | None = None
        self._sources: list[str] = []
        """The addresses of the pages whose text the reply has; "" for text of several pages."""
        self._requests_before = -1
        """How many requests pages had made when the handler was called; -1 until then."""
        self._ends_daemon = False
        self._interrupted: End | None = None
        self._cancelling: asyncio.TimerHandle | None = None
        self._is_about_a_departure = service.has_untold_departure
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
        running = self._service.downloads.running()
        return self._service.hide(
            progress.words(self.request.cmd, seconds, self._tab, running, has_turn=has_turn)
        )

    def interrupt(self, why: End) -> None:
        """End it early, with an answer that says why; not the one that ends the daemon, which has its own.

        What only reads something in the daemon is answered sooner than it could be interrupted.
        """
        if self._only_reads and why in (End.STOPPED, End.REPLACED):
            return
        if self._task and (not self._ends_daemon or why is End.DIED):
            self._interrupted = why
            last_news = _NEWS_SECONDS if why is End.DIED and self._may_begin_anew() else 0.0
            self._cancelling = asyncio.get_running_loop().call_later(last_news, self._task.cancel)

    @property
    def _only_reads(self) -> bool:
        bound = self._bound
        return bool(bound and bound.kind is READ and bound.command.requires is Requires.DAEMON)

    async def reply(self) -> Reply:
        try:
            text = await self._text()
            reply = Reply(self._finished(text))
        except BrowseError as error:
            is_told = bool(self.done) and isinstance(error, StateLost)  # by a step of a chain
            reply = self._failed(error if is_told else self._cut_short() or error)
        except asyncio.CancelledError:
            if self._interrupted is None:
                raise
            self._undo_cancel()
            reply = self._failed(self._interruption(self._interrupted))
        except Exception as error:  # noqa: BLE001 - the one place: whatever went wrong becomes words, and the daemon goes on
            reply = self._failed(self._cut_short() or failures.explain(error) or self._fault(error))
        if self._cancelling:
            self._cancelling.cancel()
        if reply.error == TabGone.kind and self._is_about_a_departure and not self._outer:
            self._settle_departure()
        hide = self._service.hide
        reply.message, reply.hint = hide(reply.message), hide(reply.hint)
        reply.notes = [one_line(hide(note), 500) for note in self._notes]
        if self._bound:
            self._service.recent.append((self._bound, reply.code))
        return reply

    def _settle_departure(self) -> None:
        """Whoever sent this means the active tab, and has just heard what became of it."""
        if self.request.tab is None and (browser := self._service.holder):
            browser.tabs.departures.settle()

    def _undo_cancel(self) -> None:
        while self._task and self._task.cancelling():
            self._task.uncancel()

    def _cut_short(self) -> BrowseError | None:
        """What to say instead of a failure that is only a sign of the end; None when it is one of its own."""
        needs_browser = self._bound is not None and self._bound.command.needs_browser
        if self._service.dead and needs_browser:
            return self._interruption(End.DIED)
        return self._interruption(self._interrupted) if self._interrupted else None

    def _interruption(self, why: End) -> BrowseError:
        """Why it was ended early. Busy, so that the client asks again, if nothing of it has happened yet."""
        if why is End.DIED:
            return self._repeated() if self._may_begin_anew() else self._service.lost()
        if self._requests_before < 0 and not self._outer and why is not End.STOPPED:
            return _not_now()
        return StateLost(
            f"{self.request.cmd} was interrupted: {why.value}",
            "It may have been half done. Run 'status' to see where things stand",
        )

    def _repeated(self) -> BrowseError:
        """Busy, so that the client asks again; unless the browser before this one has ended like this one."""
        return self._service.crashes.failure() or _not_now()

    def _may_begin_anew(self) -> bool:
        """Whether the browser died before a command that makes sense without its state had reached anybody.

        Chromium's last words still come through the driver, before its end does: that no request is among them
        is sure when the command fails by itself. A dead driver passes on nothing.
        """
        if self._outer or self._bound is None or not self._bound.command.fresh:
            return False
        if self._requests_before < 0:
            return True
        return self._service.dead == CHROMIUM and self._requests_before == self._service.logs.network.total

    async def _text(self) -> str:
        command, words = meant(REGISTRY, [self.request.cmd, *self.request.args])
        self._bound = bound = bind(command, words, self._paths)
        if bound.wants_help:
            return command_help(command)
        if command.needs_browser and self._rules:
            rules.require(self._rules, self._service.settings.rules)
        if command.name in self.dispatch.confirmations.names:
            self._ask_a_person(bound)
        if command.requires is Requires.NOTHING:
            return await self._call(bound)
        if command.requires is Requires.DAEMON:
            return await self._on_daemon(bound)
        self._refuse_after_loss(command)
        deadline = asyncio.get_running_loop().time() + self._seconds(bound)
        browser = self._service.browser
        if browser is None:
            browser, deadline = await self._started(bound, deadline)
        self._mention_losses()
        if not browser.tabs:
            await self._present(browser, deadline)
        answering = self._on_browser if command.requires is Requires.BROWSER else self._on_page
        text = await answering(bound, browser, deadline)
        self._service.crashes.forget()
        return text

    def _ask_a_person(self, bound: Bound) -> None:
        """Raise Refused unless a person has let this very command through: on the same page, with the same files."""
        browser, request = self._service.holder, self.request
        tab = browser.tabs.get(request.tab) if browser else None
        words = (*request.args, *([request.stdin] if request.stdin else []))
        given = [value for value in (*bound.positional, *bound.options.values()) if isinstance(value, Path)]
        asked = Asked(
            bound.command.name,
            words,
            request.cwd,
            tab.id if tab else 0,
            tab.url if tab else "",
            identities(given),
        )
        line = one_line(redact(shlex.join([bound.command.name, *words]), bound.secrets), 400)
        self.dispatch.confirmations.require(asked, f"{line} (at {shown_url(asked.page)})" if tab else line)

    async def _started(self, bound: Bound, deadline: float) -> tuple[BrowserSession, float]:
        """The browser, and the deadline: that is the same, except where a Chromium had to be installed first."""
        try:
            async with asyncio.timeout_at(deadline):
                early = bound.command.name == CHROMIUM_FIRST
                return await self._service.ready(self.say, early=early), deadline
        except TimeoutError:
            if self._service.is_installing and self.request.timeout is None:
                browser = await self._service.ready(self.say)
                return browser, asyncio.get_running_loop().time() + self._seconds(bound)
        log = self._service.state.shown(DAEMON_LOG)
        raise timeouts.not_started(bound.command.name, self._seconds(bound), log)

    def _seconds(self, bound: Bound) -> float:
        """The command's deadline: what the request says, else room for its `--timeout`, else its own."""
        if self.request.timeout is not None:
            return self.request.timeout / 1000
        if bound.timeout is not None:
            return bound.timeout + _EXTRA_SECONDS
        return bound.command.timeout

    def _refuse_after_loss(self, command: Command) -> None:
        """Say once what an earlier daemon lost. Only commands that begin anew run on a blank page."""
        record = self._service.record
        if record.lost and command.requires is Requires.PAGE and not command.fresh:
            lost = _lost(record.lost)
            record.told()
            self._service.begin()  # whoever hears of it is likely to go on
            raise StateLost(lost, f"{self._how_it_was_lost()}. Run 'goto <url>' to begin again")

    def _mention_losses(self) -> None:
        record = self._service.record
        if record.lost:
            self._notes.append(_lost(record.lost))
            record.told()
        if self._service.news:
            self._notes.append(self._service.news)
            self._service.news = ""

    def _how_it_was_lost(self) -> str:
        if self._service.record.was_idle:
            return "The daemon had ended because nobody used it for long (BROWSE_IDLE_TIMEOUT)"
        return "The browser before this one ended unexpectedly"

    def _call(self, bound: Bound, *need: Any) -> Awaitable[str]:
        self._requests_before = self._service.logs.network.total
        text: Awaitable[str] = bound.command.handler(*need, *bound.positional, **bound.options)
        return text

    async def _on_daemon(self, bound: Bound) -> str:
        caller = DaemonView(
            self._service,
            self.dispatch.handover,
            self.dispatch.confirmations,
            self.request,
            self.done,
            self._run_step,
            self._paths,
        )
        self._ends_daemon = bound.command.ends_daemon
        try:
            async with asyncio.timeout(self._seconds(bound)):
                return await self._call(bound, caller)
        except TimeoutError:
            raise self._too_late() from None
        finally:
            if caller.has_heard_of_departure:
                self._settle_departure()

    async def _run_step(self, step: Request) -> Reply:
        return await self.dispatch.run(step, self.say, self)

    async def _present(self, browser: BrowserSession, deadline: float) -> None:
        """Open a tab where the last one has just closed itself, if the browser does so in time."""
        try:
            async with asyncio.timeout_at(deadline):
                await browser.present()
        except TimeoutError:
            raise self._too_late() from None

    async def _on_browser(self, bound: Bound, browser: BrowserSession, deadline: float) -> str:
        need: object = browser
        await browser.running.connection.caught_up()
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
                return await self._in_lane(bound, tab, page)
        except TimeoutError:
            name, seconds = bound.command.name, self._seconds(bound)
            if not has_lane:
                raise timeouts.not_begun(name, seconds, tab) from None
            raise await timeouts.not_finished_on_page(name, seconds, page) from None

    def _meant(self, command: Command, browser: BrowserSession) -> Tab:
        """The tab that the caller means. Raises TabGone where the active one is another than it was.

        A command that begins anew goes on in it and says so; not in a chain, whose author has seen nothing yet.
        """
        if self.request.tab is None and command.fresh and not self._outer and (news := browser.tabs.departed()):
            self._notes.append(news)
            browser.tabs.departures.settle()
        return browser.tab(self.request.tab)

    async def _in_lane(self, bound: Bound, tab: Tab, page: PageSession) -> str:
        if tab.id not in page.session.tabs:
            self._is_about_a_departure = True
            raise page.session.tabs.departures.failure(tab.id)
        if (gone := tab.gone()) and not bound.command.fresh:
            raise gone
        await questions.refuse(page.session.tabs, tab)
        held = tab.held.lines()
        try:
            with tab.running(bound.command.name):
                if gone is None:
                    await self._ready_page(bound.command, tab, page)
                    await tab.world.caught_up()
                if bound.kind is not WRITE:
                    await drawing.drawn(tab)
                return page.with_late_news(await self._with_all_known(tab, self._call(bound, page)))
        finally:
            if bound.kind is WRITE:
                tab.acted = asyncio.get_running_loop().time()
            if bound.command.page_text:
                self._sources = [tab.url]
            self._notes.extend(page.notes)
            self._notes.extend(refused_lines(tab.effects.take_refused()))
            self._notes.extend(line for line in tab.held.lines() if line in held)

    async def _ready_page(self, command: Command, tab: Tab, page: PageSession) -> None:
        """What a command needs of its tab: that Playwright has the page, unless it does without, and that we listen to it."""
        if command.name != CHROMIUM_FIRST:
            await tab.until_adopted()
            if gone := tab.gone():
                raise gone
        await page.session.prepare(tab)

    async def _with_all_known(self, tab: Tab, call: Awaitable[str]) -> str:
        """A command's text or failure, once Playwright knows all that had happened by then."""
        try:
            text = await call
        except Exception:
            await tab.world.caught_up()
            raise
        await tab.world.effects_known()
        return text

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
        if short := shortage.explain(error):
            return short
        return BrowseError(
            f"Internal error: {type(error).__name__}: {one_line(str(error), 200)}",
            f"This is a bug in gbrowse; {self._service.state.shown(DAEMON_LOG)} has the details",
        )

    def _failed(self, error: BrowseError) -> Reply:
        browser = self._service.browser
        is_elsewhere = self.request.tab is not None and not (
            browser and browser.tabs.active == self.request.tab
        )
        reply = replies.failed(error, self._bound, self.request.tab if is_elsewhere else None)
        if self.done:
            reply.text = self._service.hide(redact(self._fenced(sanitise("\n".join(self.done)))))
        return reply


def _not_now() -> Busy:
    """Nothing of the request has happened: the client asks again, and the next daemon answers."""
    return stopping()


def _lost(what: str) -> str:
    return f"browser state was lost ({what})"
