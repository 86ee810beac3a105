"""Run one request up to its text: find, bind and prepare the command, run it under a deadline.

`dispatch` makes a reply of the text or the failure.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand, PageOpener
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.tab.effects import refused_lines
from gstack_browse.browser.tab.tab import PERSON, Tab
from gstack_browse.commands.daemon_interface import Send
from gstack_browse.daemon.contexts.agent_context import DISCONNECTED, AgentContext, ShutdownReason
from gstack_browse.daemon.request import policy, progress, timeouts
from gstack_browse.daemon.request.cancellation import Cancellation
from gstack_browse.daemon.request.flow_steps import StepRecorder
from gstack_browse.daemon.request.policy import Confirmations, describe_request
from gstack_browse.daemon.request.timeouts import Deadline
from gstack_browse.daemon.request.view import DaemonView
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.server import Say
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.errors import BrowseError, NavigationFailed, PageReplaced, TabGone, TimedOut, UsageError
from gstack_browse.flows.feed import FeedCommand
from gstack_browse.flows.log import DoneCommand
from gstack_browse.network.logs import ABORTED
from gstack_browse.protocol import Reply, Request
from gstack_browse.registry import (
    READ,
    REGISTRY,
    WRITE,
    BoundCall,
    Command,
    Requires,
    bind,
    local_command_error,
    resolve_call,
)
from gstack_browse.registry.usage import command_help
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import fence, sanitise
from gstack_browse.workspace.directory import DAEMON_LOG

_PAUSES = (0.0, 0.05, 0.1, 0.2, *[0.25] * 8)
"""Seconds between the attempts of a reading command on a page that is replaced each time: 2.4 s in all.

What acts is not repeated: nobody knows how much of it has happened.
"""
_PREVIOUS_ACTION_SECONDS = 5.0
"""How long an action waits for the end of one that was cut off."""


async def run_page_command(
    bound: BoundCall, page: PageCommand, call: Callable[[], Awaitable[str]], notes: list[str]
) -> str:
    """Run a command's handler on a page by `call`. Return the output. The caller holds the tab's lock.

    Remarks for standard error are added to `notes`, also if the handler fails.

    Raises:
        TabGone, StateLost: The page no longer exists.
        DialogOpen: A dialog blocks it.
        BrowseError: Whatever the handler raises.
    """
    tab, command, is_write = page.tab, bound.command, bound.kind is WRITE
    if (gone := tab.gone_error()) and not command.fresh:
        raise gone
    await dialogs.check_not_blocked(page.context.tabs, tab)
    held_before = tab.held.lines()
    try:
        with tab.running(command.name):
            if gone is None:
                await page.context.prepare(tab)
            if not is_write:
                await _wait_for_last_action(command, page)
            elif not command.fresh:
                await tab.held.wait_until_ended(_PREVIOUS_ACTION_SECONDS)
            if is_write and page.is_step and gone is None:
                # Of the actions on a page only those that open a document make sense on a lost one (`fresh`).
                page_settling.watch_changes(tab, navigates=command.fresh)
            page.output = await (_read_again_if_replaced(page, call) if bound.kind is READ else call())
            return await page.add_late_effects(page.output)
    finally:
        if is_write:
            tab.note_action(asyncio.get_running_loop().time())
        elif command.waits:
            tab.note_wait()
        notes.extend(page.notes)
        notes.extend(f"{old} was drawn anew: {new}" for old, new in page.redrawn.items())
        if tab.effects.refused:
            notes.extend(refused_lines(tab.effects.take_refused()))
        if held_before:
            notes.extend(line for line in tab.held.lines() if line in held_before)


async def _wait_for_last_action(command: Command, page: PageCommand) -> None:
    """Wait until the page has drawn what the last action changed; in a chain, until it stops changing.

    If it never stops, add a note to the reply. Before a command that waits itself (`command.waits`) only the drawing is waited for.
    """
    has_just_acted = page.tab.acted > 0
    await page_settling.wait_until_drawn(page.tab)
    if (
        page.is_step
        and has_just_acted
        and not command.waits
        and not await page_settling.wait_until_unchanged(page.tab)
    ):
        page.notes.append("The page is still changing")


async def _read_again_if_replaced(page: PageCommand, call: Callable[[], Awaitable[str]]) -> str:
    """Return the result of `call` (a handler that reads the page); repeat it if the document was replaced.

    Raises FrameGone if that removed the frame that the user had selected.
    """
    frame = page.tab.frame
    for pause in _PAUSES:
        try:
            return await call()
        except (FrameGone, ProtocolError, PageReplaced) as error:
            if page.tab.gone_error() or not isinstance(failures.to_browse_error(error), PageReplaced):
                raise
        if page.tab.frame is not frame:
            raise failures.frame_gone_error()
        page.notes.clear()
        await asyncio.sleep(pause)
    return await call()


class Runner(Protocol):
    """Shared objects of the dispatcher for a command run, and a way to run steps."""

    service: Service
    handover: Handover
    confirmations: Confirmations

    async def run(
        self, request: Request, say: Say, context: AgentContext, parent: "CommandRun | None" = None
    ) -> Reply:
        """Run a request and return its reply.

        `say`: sends a remark to the client meanwhile. `parent`: the command of which the request is a step; None if it is none.
        """


@lru_cache(maxsize=64)
def _resolve_directory(workspace: Path, cwd: str) -> Path:
    """Return the caller's directory `cwd`, maybe relative to the workspace. Cached, since it mostly stays."""
    return workspace / cwd


class CommandRun:
    """Runs one request. Create it in the task that answers the request."""

    def __init__(
        self, runner: Runner, request: Request, say: Say, context: AgentContext, parent: "CommandRun | None"
    ) -> None:
        self.request = request
        self.parent = parent
        """The command that runs this one; None for a request of a client."""
        self.say = say
        self.service = service = runner.service
        self.context = context
        """The browser context in which it runs."""
        self.bound: BoundCall | None = None
        self.done: list[str] = []
        """The output so far. It is printed even when the command fails or is cut off."""
        self.notes: list[str] = []
        """Remarks for standard error."""
        self.has_page_text = False
        """Whether the output is text of a page, or a step's output is."""
        self.cancellation = Cancellation(service, context, request.cmd, is_step=parent is not None)
        holder = context.browser
        self.reports_closed_tab = bool(holder and holder.tabs.closed_tabs.unreported)
        """Whether our TabGone reports a tab that closed before our turn. One that closes during our turn is not the next command's."""
        self._runner = runner
        self._words: Sequence[str] = ()
        """The words after the command's name, in our own syntax."""
        self._recorder = StepRecorder(context)
        self._child: CommandRun | None = None
        """The command that this one runs now, such as a step of a chain; None for none."""
        if parent:
            parent._child = self
        self._began = self._read_clock()
        self._tab: Tab | None = None
        self._caller_rules: Mapping[str, str] | None = parent._caller_rules if parent else request.rules
        cwd = _resolve_directory(service.workspace, request.cwd)
        self._paths = CallerPaths(cwd=cwd, workspace=service.workspace, stdin=request.stdin)
        self._task = asyncio.current_task()
        self._shown: FeedCommand | None = None
        """The command as it is shown to who watches."""
        self._deadline: Deadline | None = None
        """The deadline, if the command runs on the daemon."""

    def make_flow_entry(self, reply: str) -> DoneCommand | None:
        """Return what the finished command did, for a report or film; None if its words could not be parsed.

        `reply`: the output of the command.
        """
        return self._recorder.make_entry(self.bound, self._words, reply) if self.bound else None

    def finish(self, reply: Reply | None = None) -> None:
        """Note that the command has ended, for its parent command and the watch page.

        `reply`: None if the client has gone.
        """
        if self.parent:
            self.parent._child = None
        if self._shown:
            text = "\n".join(filter(None, [reply.text, reply.message])) if reply else "(its client has gone)"
            self.service.feed.end(
                self._shown, self.service.hide_from_watchers(text), reply.code if reply else 1
            )

    def _announce_start(self, bound: BoundCall) -> None:
        """Show the command as running on the watch page, where a person sees what agents do."""
        if self.service.feed:
            words = [self.service.hide_from_watchers(word) for word in (bound.command.name, *self._words)]
            depth, tab = (
                int(self.parent is not None),
                self.request.tab if isinstance(self.request.tab, int) else None,
            )
            self._shown = self.service.feed.begin(
                words, self.context.name, tab=tab, depth=depth, secrets=bound.secrets
            )

    def describe_progress(self) -> str:
        """Describe how long the command (or its current step) has run, and what it waits for."""
        if self._child:
            return self._child.describe_progress()
        seconds = self._read_clock() - self._began
        has_turn = self._tab is None or self._tab.lock.task is self._task
        running = self.context.downloads.list_running()
        return self.service.hide_secrets(
            progress.describe_wait(self.request.cmd, seconds, self._tab, running, has_turn=has_turn)
        )

    @property
    def uses_browser(self) -> bool:
        """Return whether the command acts on the tabs of its browser context."""
        return self.bound is not None and self.bound.command.needs_browser

    @property
    def wants_fence(self) -> bool:
        """Return whether the request or settings want untrusted page text to be put between marks."""
        return self.request.fence or self.service.settings.fence

    @staticmethod
    def _read_clock() -> float:
        """Return the event loop's time in seconds."""
        return asyncio.get_running_loop().time()

    def interrupt(self, why: ShutdownReason) -> None:
        """Cancel the command; the error in its reply gives the reason `why`."""
        self.cancellation.interrupt(why)

    def mark_closed_tab_reported(self) -> None:
        """Note that the client was told of the active tab's closing, so that no later reply repeats it.

        Do nothing if the request names a tab itself (`--tab`).
        """
        if self.request.tab is None and (browser := self.context.browser):
            browser.tabs.closed_tabs.mark_reported()

    async def execute(self) -> str:
        """Run the command and return its output. Raises what the handler raises, and TimedOut at the deadline."""
        try:
            text = await self._execute()
            if self.bound:
                self._recorder.end(self.bound, self._words, text)
            return text
        except (TabGone, ProtocolError) as error:
            browser = self.service.browser.default_browser
            if browser and failures.is_crash(error) and await browser.running.has_lost_zygote():
                raise TimedOut(
                    f"{self.request.cmd} did not finish: {timeouts.NO_PAGES}", timeouts.RESTART
                ) from None
            raise

    async def _execute(self) -> str:
        """Parse the command's words, check policy, and run it. Return the output. Raises BrowseError.

        Checks that need no browser come first, so that they fail without starting one.
        """
        command, words = resolve_call(REGISTRY, [self.request.cmd, *self.request.args])
        self._words = words
        self.bound = self.cancellation.bound = bound = bind(command, words, self._paths)
        if bound.wants_help:
            return command_help(command)
        if command.is_local:
            raise local_command_error(command)
        self._announce_start(bound)
        if (command.needs_browser or command.asks_web) and self._caller_rules:
            policy.check_policy_matches(self._caller_rules, self.service.settings.rules)
        if self._caller_rules:
            policy.check_home_matches(command.name, self._caller_rules, self.request.cwd)
        if command.name in self._runner.confirmations.names:
            self._runner.confirmations.require_confirmation(
                *describe_request(bound, self.request, self.context.browser)
            )
        if command.requires is Requires.NOTHING:
            return await self._call_handler(bound)
        if self.context.name in self.service.record.unreported:
            self._refuse_after_loss(bound)
        if command.requires is Requires.DAEMON:
            return await self._run_on_daemon(bound)
        opener = RequestContextOpener(self.service, self.context, self.request, self.say)
        deadline = self._read_clock() + timeouts.deadline_seconds(self.request, bound)
        browser = await opener.find_open(bound, deadline)
        if browser is None or self.request.share:
            browser, deadline = await opener.wait_for_start(bound, deadline)
        browser.downloads.allows_any = self.request.any_download
        self._add_pending_notices()
        if not browser.tabs.active and not (browser.running.is_shared and command.requires is Requires.BROWSER):
            await self._ensure_tab(bound, browser, deadline)
        answering = self._run_on_browser if command.requires is Requires.BROWSER else self._run_on_page
        text = await answering(bound, browser, deadline)
        self.service.crashes.reset()
        return text

    def _refuse_after_loss(self, bound: BoundCall) -> None:
        """Raise StateLost, once, if the command needs pages or state that a crash has lost.

        Commands that open a page themselves, and those that delete a log, run in the new, empty browser.
        """
        record, name, command = self.service.record, self.context.name, bound.command
        is_forgotten = command.recalls and bound.kind is not READ
        if command.needs_previous_state and not is_forgotten:
            self.service.browser.start()  # the caller is likely to send another command
            raise record.take_loss_error(name)

    def _add_pending_notices(self) -> None:
        """Add to the reply's notes that state was lost, and the notice that waits for this context."""
        context, record = self.context, self.service.record
        if context.name in record.unreported:
            self.notes.append(record.take_loss_notice(context.name))
        if context.notice:
            self.notes.append(context.notice)
            context.notice = ""

    def _call_handler(self, bound: BoundCall, *need: Any) -> Awaitable[str]:
        """Call the command's handler with the parsed arguments.

        `need`: the handler's first argument, if it has one (a page, an open context or the daemon).
        """
        self.cancellation.mark_handler_called()
        text: Awaitable[str] = bound.command.handler(*need, *bound.positional, **bound.options)
        return text

    async def _run_on_daemon(self, bound: BoundCall) -> str:
        """Run a command that needs the daemon but no page. Return the output. Raises TimedOut at its deadline."""
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
            patience=timeouts.wait_seconds(self.request, bound),
            stream=self._start_stream,
        )
        self.cancellation.ends_daemon = bound.command.ends_daemon
        try:
            async with Deadline(
                self._read_clock() + timeouts.deadline_seconds(self.request, bound)
            ) as self._deadline:
                if bound.command.recalls and bound.kind is READ:
                    # A script may log what the last action changed only when the page draws its next frame.
                    tab = self.context.browser.tabs.get(self.request.tab) if self.context.browser else None
                    if tab and not (tab.gone_error() or tab.open_dialog):
                        await page_settling.wait_until_drawn(tab)
                return await self._call_handler(bound, caller)
        except TimeoutError:
            raise await timeouts.find_deadline_error(self.request, bound, self.context.browser) from None
        finally:
            if caller.has_reported_closed_tab:
                self.mark_closed_tab_reported()

    def _start_stream(self) -> Send:
        """Lift the command's deadline, and return a function that sends parts of its reply at once.

        For a command that follows a log: it keeps the daemon neither from ending when idle nor from being replaced.
        Raises UsageError in a step.
        """
        if (send := self.request.send) is None or self._deadline is None:
            raise UsageError(f"{self.request.cmd} --follow runs by itself", "Without --follow it can be a step")
        self._deadline.remove()
        self.cancellation.is_following = True
        self.service.lifecycle.running_commands.discard(self)
        self.service.lifecycle.followers.add(self)

        async def send_safely(text: str) -> None:
            part = sanitise(text)
            await send(self.service.hide_secrets(redact(fence(part) if self.wants_fence else part)))

        return send_safely

    async def _run_step(self, step: Request) -> Reply:
        """Run a step of this command, such as one line of `chain`. Return the step's reply."""
        return await self._runner.run(step, self.say, self.context, self)

    async def _ensure_tab(self, bound: BoundCall, browser: OpenContext, deadline: float) -> None:
        """Open a tab in the context if none is left. Raises TimedOut at `deadline` (the event loop's clock)."""
        try:
            async with Deadline(deadline):
                await browser.tab_factory.ensure_active_tab()
        except TimeoutError:
            raise await timeouts.find_deadline_error(self.request, bound, self.context.browser) from None

    async def _run_on_browser(self, bound: BoundCall, browser: OpenContext, deadline: float) -> str:
        """Run a command that needs an open context, not a single page. Return the output.

        `deadline`: on the event loop's clock. Raises TimedOut then.
        """
        seconds = timeouts.deadline_seconds(self.request, bound)
        opener = PageOpener(
            browser, tab=self.request.tab, deadline=deadline, seconds=seconds, patience=bound.timeout
        )
        need = opener if bound.command.need is PageOpener else browser
        is_attached, before, imported = browser.is_program_attached(), browser.current.id, set(browser.imported)
        try:
            async with Deadline(deadline):
                # Another command may have begun to move the tabs meanwhile, and would bring back one that this closes.
                await browser.transfer.wait_until_moved()
                text = await self._call_handler(bound, need)
            if is_attached and _has_disconnected_programs(browser, before, imported):
                text += f"\n→ {DISCONNECTED}"
            if opener.awaited:
                self._add_pending_notices()  # a person has had the tab until now
            return text
        except TimeoutError:
            if (tab := opener.awaited) and tab.lock.command == PERSON:
                raise await timeouts.find_queue_timeout_error(
                    bound.command.name, seconds, tab, browser.running
                ) from None
            raise await timeouts.find_deadline_error(self.request, bound, self.context.browser) from None

    async def _run_on_page(self, bound: BoundCall, browser: OpenContext, deadline: float) -> str:
        """Run a command on a page, once its turn in the tab's queue comes. Return the output.

        `deadline`: on the event loop's clock, the waiting included. Raises TimedOut then.
        """
        tab = self._resolve_tab(bound.command, browser)
        self._tab = tab
        seconds = timeouts.deadline_seconds(self.request, bound)
        page = PageCommand(browser, tab, deadline=deadline, seconds=seconds, patience=bound.timeout)
        page.cwd = str(self._paths.cwd)
        page.is_step = self.parent is not None
        has_lane = False
        try:
            async with Deadline(deadline), tab.lock:
                has_lane = True
                self._add_pending_notices()  # a person may have had the tab until now
                if tab.id not in browser.tabs:  # it has closed while the command waited in its queue
                    self.reports_closed_tab = True
                    raise browser.tabs.closed_tabs.make_error(tab.id)
                await self._recorder.begin(page, bound)
                try:
                    text = await run_page_command(
                        bound, page, partial(self._call_handler, bound, page), self.notes
                    )
                finally:
                    self.has_page_text = bound.command.page_text
                if self._shown:  # the listeners need the page as the command has left it
                    for work in list(self.service.feed.page_work):
                        await work(self._shown)
                return text
        except NavigationFailed as error:
            if ABORTED in error.message and await browser.running.has_lost_zygote():
                raise NavigationFailed(f"Cannot open the page: {timeouts.NO_PAGES}", timeouts.RESTART) from None
            raise
        except TimeoutError:
            if page.output is not None:
                return page.output
            name, seconds = bound.command.name, page.waited or seconds
            if not has_lane:
                raise await timeouts.find_queue_timeout_error(name, seconds, tab, browser.running) from None
            raise await timeouts.find_timeout_error(name, seconds, browser.running, page) from None

    def _resolve_tab(self, command: Command, browser: OpenContext) -> Tab:
        """Return the tab on which the command acts.

        Raises TabGone if that has closed, StateLost if a person has closed the window.

        If the active tab has closed, a command that opens a page itself (`fresh`) takes the one that is active now, and notes that in
        the reply. Not in a chain: its author has not seen that tab.
        """
        if (
            self.request.tab is None
            and command.fresh
            and not self.parent
            and (news := browser.tabs.describe_departure())
        ):
            self.notes.append(news)
            browser.tabs.closed_tabs.mark_reported()
        return browser.tab(self.request.tab)


def _has_disconnected_programs(browser: OpenContext, context_id: str, imported: set[str]) -> bool:
    """Return whether a command has disconnected the programs that were attached to a context.

    `context_id`, `imported`: of the context before the command.
    """
    has_imported = browser.imported != imported and not browser.is_program_attached()
    return browser.current.id != context_id or has_imported


class RequestContextOpener:
    """Finds or opens the context of one request. `say` gets lines of progress."""

    def __init__(self, service: Service, context: AgentContext, request: Request, say: Say) -> None:
        self._service = service
        self._context = context
        self._request = request
        self._say = say

    async def find_open(self, bound: BoundCall, deadline: float) -> OpenContext | None:
        """Return the context if it is open; None if not.

        For a command on the whole context, wait first until no other command moves its tabs to another browser. Raises TimedOut.
        """
        if (browser := self._context.browser) and bound.command.requires is Requires.BROWSER:
            try:
                async with Deadline(deadline):
                    await browser.transfer.wait_until_moved()
            except TimeoutError:
                raise await timeouts.find_deadline_error(self._request, bound, self._context.browser) from None
        return self._context.browser

    async def wait_for_start(self, bound: BoundCall, deadline: float) -> tuple[OpenContext, float]:
        """Open the context. Return it with the command's deadline, postponed if something was installed first.

        Both deadlines are on the event loop's clock. Raises TimedOut.
        """
        try:
            async with Deadline(deadline):
                browser = await self._open_context()
        except TimeoutError:
            if not self._may_wait_for_installation:
                raise await self._start_error(bound) from None
            browser = await self._open_context()
        if self._may_wait_for_installation:
            deadline = asyncio.get_running_loop().time() + timeouts.deadline_seconds(self._request, bound)
        return browser, deadline

    @property
    def _may_wait_for_installation(self) -> bool:
        """Return whether the start installs (or installed) a browser and the request sets no deadline itself.

        The installation does not count towards the default deadline then.
        """
        return self._service.browser.is_installing and self._request.timeout is None

    async def _start_error(self, bound: BoundCall) -> BrowseError:
        """Return the error of a command at whose deadline the browser or context was not open yet."""
        name, seconds = bound.command.name, timeouts.deadline_seconds(self._request, bound)
        if self._service.browser.default_browser:
            return await timeouts.find_timeout_error(
                name, seconds, self._service.browser.default_browser.running
            )
        log = self._service.state.printable_path(DAEMON_LOG)
        return timeouts.start_timeout_error(name, seconds, log, self._service.browser.queue_description)

    async def _open_context(self) -> OpenContext:
        """Open the request's context, and return it; start the browser if it does not run."""
        if self._context.name:
            return await self._service.context_opener.ensure_open(self._context, self._say, self._request.share)
        return await self._service.browser.open(self._say)
