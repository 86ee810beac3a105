"""The daemon's browser contexts by name: opens one at its first command, closes it on request.

What a context has is in `agent_context`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.launch.window import default_window
from gstack_browse.browser.session import heaps
from gstack_browse.browser.session.current_context import SpareContext
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.browser.state.session_state import SessionState
from gstack_browse.commands.control import ContextFacts
from gstack_browse.daemon.contexts import agent_context, context_limits
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.socket.server import Say
from gstack_browse.errors import ActionFailed, BrowseError, SetupFailed
from gstack_browse.protocol import DEFAULT_CONTEXT
from gstack_browse.settings import MAX_CONTEXTS
from gstack_browse.text.columns import format_count
from gstack_browse.text.sanitise import one_line

Make = Callable[[AgentContext, RunningBrowser], BrowserSession]


class Contexts:
    """The default context and those with a name.

    Args:
        make_context: Makes a context of a name.
        open_default: Opens the default session.
        make_session: Makes a context's session in a running Chromium.
        on_change: Called after a context has closed.
        before_close: Called with a context before its tabs close.
        most_open: How many may be open beside the default one.
    """

    def __init__(
        self,
        default: AgentContext,
        *,
        make_context: Callable[[str], AgentContext],
        open_default: Callable[..., Awaitable[BrowserSession]],
        make_session: Make,
        on_change: Callable[[], None],
        before_close: Callable[[AgentContext], None],
        most_open: int = MAX_CONTEXTS,
    ) -> None:
        self.default = default
        self._make_context = make_context
        self._open_default = open_default
        self._make_session = make_session
        self._on_change = on_change
        self._before_close = before_close
        self._most_open = most_open
        self._making_room = asyncio.Lock()
        self._others: dict[str, AgentContext] = {}
        self.spare = SpareContext()
        """An empty context of Chromium's, prepared for the next one that is opened."""
        self._needs_spare = False
        """Whether a context was just opened: another one may follow."""

    def __iter__(self) -> Iterator[AgentContext]:
        """Iterate over the default context, then the others in order of creation."""
        return iter([self.default, *self._others.values()])

    @property
    def others(self) -> list[AgentContext]:
        """The contexts with a name."""
        return list(self._others.values())

    def sessions(self) -> list[BrowserSession]:
        """List the sessions of open contexts."""
        return [context.browser for context in self if context.browser]

    def get(self, name: str) -> AgentContext | None:
        """Return the context of that name; None if it does not exist."""
        return self._others.get(name) if name not in ("", DEFAULT_CONTEXT) else self.default

    def get_or_make(self, name: str) -> AgentContext:
        """Return the context of that name. A new one is kept only if it is used (`clean_up_after_command`)."""
        found = self.get(name)
        if found is None:
            found = self._others[name] = self._make_context(name)
        return found

    def clean_up_after_command(self, context: AgentContext) -> None:
        """Forget a context that holds nothing. If the command opened one, prepare an empty one for the next."""
        if not context.is_needed:
            self._others.pop(context.name, None)
        if self._needs_spare and context.browser:
            self._needs_spare = False
            self.spare.make(context.browser.running)

    def tick(self) -> None:
        """Discard a prepared context that was not needed. Called about twice a second."""
        self.spare.tick()

    async def open_session(self, context: AgentContext, say: Say, share: str = "") -> BrowserSession:
        """Return the session of a context with a name, opened if need be, with the logins of `share`.

        Raises SetupFailed, and ActionFailed, also if there is no context `share`.
        """
        session = context.browser or await self._wait_until_open(context, say, share)
        if share and session.shared_from != share:
            raise ActionFailed(
                f"{context.name} is open already, with logins of its own",
                f"Leave out --share, or close it before: 'context-close {context.name}'",
            )
        return session

    async def _wait_until_open(self, context: AgentContext, say: Say, share: str) -> BrowserSession:
        """Return a context's session: wait for a running opening, or begin one."""
        opening = context.opening_task
        if opening is None or opening.done():
            opening = asyncio.create_task(self._open(context, say, share))
            context.opening_task = opening
            opening.add_done_callback(consume_exception)
        await self._open_default(say)
        return await asyncio.shield(opening)

    async def _open(self, context: AgentContext, say: Say, share: str) -> BrowserSession:
        """Open a context. Raises ActionFailed if the browser allows only one."""
        default = await self._open_default(say)
        if context.browser:  # it has the first page
            self._needs_spare = self._has_room
            return context.browser
        if default.running.is_shared:
            raise ActionFailed(
                "The browser that is connected is not gbrowse's: it gets no second browser context",
                "Leave out --as, or run 'disconnect' first",
            )
        if default.running.has_single_context:
            raise ActionFailed(
                "There can be no second browser context: extensions live in one only (BROWSE_EXTENSIONS_DIR)",
                "Leave out --as",
            )
        logins = await self._copy_state(share) if share and context.pending_state is None else None
        await self._make_room(context)
        session = self._make_session(context, await self._choose_chromium(default))
        try:
            if logins:
                await _open_with_logins(session, logins, share)
            else:
                await self._fill_session(session, context)
        except BaseException:
            await session.close()
            raise
        context.browser, context.pending_state = session, None
        self._needs_spare = self._has_room
        return session

    @property
    def _has_room(self) -> bool:
        return sum(other.is_open for other in self._others.values()) < self._most_open

    async def _fill_session(self, session: BrowserSession, context: AgentContext) -> None:
        """Restore the pending state, or open a first tab."""
        if context.pending_state:
            await _restore(session, context, context.pending_state)
        else:
            await session.open(await self.spare.take(session.running))

    async def _copy_state(self, name: str) -> SessionState:
        """Return a context's state. Raises ActionFailed if the context is missing, or the browser fails."""
        other = self.get(name)
        _, state = await _observe_state(other) if other else ("", None)
        if state is None:
            raise ActionFailed(f"There is no context called {name}", "Run 'contexts' to see which there are")
        if state.missing:
            raise ActionFailed(f"The browser did not tell the {state.missing} of {name}", "Try again")
        return state

    async def _make_room(self, context: AgentContext) -> None:
        """Suspend the idlest context if too many are open. Raises ActionFailed if all are in use."""
        async with self._making_room:
            if sum(other.is_open for other in self._others.values()) <= self._most_open:
                return
            others = [other for other in self._others.values() if other is not context]
            idle = context_limits.find_idlest(others)
            if idle is None:
                raise context_limits.too_many_error(self._most_open)
            await self.suspend(idle)

    async def suspend(self, context: AgentContext) -> None:
        """Close an idle context until it is next used. Raises ActionFailed if it was used meanwhile."""
        _, state = await _capture_state(context)
        if context.running_count or context.browser is None:
            raise context_limits.too_many_error(self._most_open)
        context.pending_state = state
        context.notice = (
            "nobody had used this context for long, so it was closed to make room; its pages were loaded again"
        )
        await self._close_session(context, "its context was closed to make room")
        self._on_change()

    async def _choose_chromium(self, default: BrowserSession) -> RunningBrowser:
        """Return the Chromium that contexts share; a new one if all of them show a person a window."""
        if running := self._find_windowless():
            return running
        from gstack_browse.browser.transfer.session_transfer import start_like  # no part of most starts

        return await start_like(
            default.running, default_window(default.running.params.settings), has_profile=False
        )

    def _find_windowless(self) -> RunningBrowser | None:
        """Return a Chromium without a window; None if all have one."""
        return next((one.running for one in self.sessions() if not one.handed), None)

    def schedule_restore(self, state: SessionState | None) -> None:
        """Keep what an earlier browser had, to restore each context when it is first used."""
        if state is None:
            return
        for name, inner in [("", state), *state.contexts.items()]:
            self.get_or_make(name).schedule_restore(replace(inner, contexts={}))

    async def capture(self) -> SessionState | None:
        """Return the state for a successor; None if it is empty."""
        observed = await asyncio.gather(*(_capture_state(context) for context in self))
        states = {name: self.get_or_make(name).add_last_command(state) for name, state in observed if state}
        default = states.pop("", None)
        if default is None and states:
            first = next(iter(states.values()))
            default = SessionState(
                {"cookies": [], "origins": []}, [], 0, first.next_id, first.viewport, first.scale
            )
        return replace(default, contexts=states) if default else None

    async def close(self, name: str) -> tuple[str, str]:
        """Close a context with its tabs and logins. Raises ActionFailed, also if there is no such context.

        Returns:
            Two texts: what the context contained, and the work that was aborted.
        """
        context = self.get(name)
        if context is self.default:
            raise ActionFailed("The default context is there as long as the browser is", "'stop' ends both")
        if context and context.opening_task:
            with suppress(BrowseError):
                await self._open_default(lambda line: None)  # at once
            await asyncio.wait([context.opening_task])
        if context is None or not (context.browser or context.pending_state):
            raise ActionFailed(f"There is no context called {name}", "Run 'contexts' to see which there are")
        open_tabs = (
            context.browser.tabs
            if context.browser
            else context.pending_state.tabs
            if context.pending_state
            else ()
        )
        contents = format_count(len(open_tabs), "tab")
        ended = agent_context.describe_recordings([context.browser]) if context.browser else ""
        context.pending_state = None
        await self._close_session(context, "its context was closed")
        await context.journal.flush()
        self.clean_up_after_command(context)
        self._on_change()
        return contents, ended

    async def list_facts(self) -> list[ContextFacts]:
        """Return facts about each context."""
        return list(await asyncio.gather(*(_context_facts(context) for context in self if context.is_needed)))

    async def flush_logs(self) -> None:
        """Append new log entries to the log files."""
        for context in self:
            await context.journal.flush()

    def flush_logs_now(self) -> None:
        """Append new log entries to the log files, blocking, before the process ends."""
        for context in self:
            context.journal.flush_now()

    @property
    def log_problem(self) -> str:
        """Which log files could not be written the last time, and why; "" if all could."""
        return next((trouble for context in self if (trouble := context.journal.problem)), "")

    async def _close_session(self, context: AgentContext, why: str) -> None:
        """Close a context's tabs. Commands that run there fail."""
        if context.browser:
            self._before_close(context)
            browser, context.browser = context.browser, None
            context.downloads.break_off(why)
            await browser.close()


async def _observe_state(context: AgentContext) -> tuple[str, SessionState | None]:
    """Return name and state of a context, without disturbing its pages."""
    if context.browser is None:
        return context.name, context.pending_state
    from gstack_browse.browser.transfer import capture  # no part of a start

    return context.name, await capture.seen_of(context.browser)


async def _capture_state(context: AgentContext) -> tuple[str, SessionState | None]:
    """Return name and state of a context, for a restore."""
    if context.browser is None:
        return context.name, context.pending_state
    from gstack_browse.browser.transfer import capture  # no part of a start

    return context.name, await capture.state_of(context.browser)


async def _context_facts(context: AgentContext) -> ContextFacts:
    """Measure a context's heaps, and return its facts."""
    session = context.browser
    memory = sum((await heaps.of_tabs(session)).values()) if session else 0
    idle = 0.0 if context.running_count else time.monotonic() - context.last_used
    state = "" if session else "not open" if context.name else "starting"
    return ContextFacts(
        context.display_name, context.tab_count, memory, context.last_command, round(idle, 1), state
    )


async def _open_with_logins(session: BrowserSession, state: SessionState, name: str) -> None:
    """Open a session with the cookies, storage, headers and credentials of the context `name`.

    Secrets and imported domains of that context count as such in this one. Raises ProtocolError.
    """
    session.shared_from = name
    session.imported = set(state.imported)
    session.extras.restore(state.extras)
    for value in state.revealed:
        session.revealed.add(value)
    _, putting = await session.open_context(state.storage)
    await putting
    await session.tab_factory.open()


async def _restore(session: BrowserSession, context: AgentContext, state: SessionState) -> None:
    """Restore a context's pending state. Raises SetupFailed if Chromium fails with it."""
    from gstack_browse.browser.transfer import restore  # no part of most starts

    try:
        await restore.open_session(session, state)
    except ProtocolError as error:
        context.pending_state, context.notice = None, ""
        raise SetupFailed(
            f"What {context.name} had before could not be restored: {one_line(error.message, 200)}",
            "Run the command again: it begins with nothing",
        ) from None
