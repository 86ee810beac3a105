"""Open browser contexts at their first command, make room for them, close them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.context.current_context import SpareContext
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.launch.running import RunningBrowser, default_window
from gstack_browse.browser.state.context_state import ALL_STORAGE, ContextState
from gstack_browse.commands.daemon_interface import ClosedContext
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.contexts.contexts import (
    Contexts,
    capture_state,
    find_idlest,
    observe_state,
    too_many_error,
)
from gstack_browse.daemon.socket.server import Say
from gstack_browse.errors import ActionFailed, BrowseError, SetupFailed
from gstack_browse.settings import MAX_CONTEXTS
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

Make = Callable[[AgentContext, RunningBrowser], OpenContext]


class ContextOpener:
    """Opens, suspends and closes contexts.

    Args:
        open_default: Opens the default context.
        make_open_context: Returns the OpenContext of an AgentContext in a running Chromium, without tabs.
        on_change: Called after a context has closed.
        before_close: Called with a context before its tabs close.
        most_open: How many may be open beside the default one.
    """

    def __init__(
        self,
        contexts: Contexts,
        *,
        open_default: Callable[[Say], Awaitable[OpenContext]],
        make_open_context: Make,
        on_change: Callable[[], None],
        before_close: Callable[[AgentContext], None],
        most_open: int = MAX_CONTEXTS,
    ) -> None:
        self.spare = SpareContext()
        """An empty context of Chromium's, prepared for the next one that is opened."""
        self._contexts = contexts
        self._open_default = open_default
        self._make_open_context = make_open_context
        self._on_change = on_change
        self._before_close = before_close
        self._most_open = most_open
        self._making_room = asyncio.Lock()
        self._needs_spare = False
        """Whether a context was just opened: another one may follow."""

    async def ensure_open(self, context: AgentContext, say: Say, share: str = "") -> OpenContext:
        """Return a named context, open; open it if it is not.

        `say`: is called with lines of progress. `share`: name of a context whose logins a new one starts with; "" for none.
        Raises SetupFailed, and ActionFailed if that context does not exist or this one is open without its logins.
        """
        browser = context.browser or await self._wait_until_open(context, say, share)
        if share and browser.shared_from != share:
            raise ActionFailed(
                f"{context.name} is open already, with logins of its own",
                f"Leave out --share, or close it before: 'context-close {context.name}'",
            )
        return browser

    async def _wait_until_open(self, context: AgentContext, say: Say, share: str) -> OpenContext:
        """Return a context once it is open; begin to open it unless that has begun.

        `say`: is called with lines of progress. `share`: name of the context whose logins it starts with; "" for none.
        """
        opening = context.opening_task
        if opening is None or opening.done():
            opening = asyncio.create_task(self._open(context, say, share))
            context.opening_task = opening
            opening.add_done_callback(consume_exception)
        await self._open_default(say)
        return await asyncio.shield(opening)

    async def _open(self, context: AgentContext, say: Say, share: str) -> OpenContext:
        """Open a context. Raises ActionFailed if the browser cannot have a second context.

        `say`: is called with lines of progress. `share`: name of the context whose logins it starts with; "" for none.
        """
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
        logins = await self._read_shared_state(share) if share and context.pending_state is None else None
        await self._make_room(context)
        browser = self._make_open_context(context, await self._choose_chromium(default))
        try:
            if logins:
                await _open_with_logins(browser, logins, share)
            else:
                await self._open_tabs(browser, context)
        except BaseException:
            await browser.close()
            raise
        context.browser, context.pending_state = browser, None
        self._needs_spare = self._has_room
        return browser

    @property
    def _has_room(self) -> bool:
        """Return whether one more named context may be open within the limit."""
        return sum(other.is_open for other in self._contexts.others) < self._most_open

    async def _open_tabs(self, browser: OpenContext, context: AgentContext) -> None:
        """Open a context with its tabs that are to be restored, or with one new tab."""
        if context.pending_state:
            await _restore(browser, context, context.pending_state)
        else:
            await browser.open(await self.spare.take(browser.running))

    async def _read_shared_state(self, name: str) -> ContextState:
        """Read the state (cookies, storage) of the context `name`, to start another context with its logins.

        Raises ActionFailed if there is no such context, or the browser does not tell all of it.
        """
        other = self._contexts.get(name)
        _, state = await observe_state(other) if other else ("", None)
        if state is None:
            raise ActionFailed(f"There is no context called {name}", "Run 'contexts' to see which there are")
        if state.missing:
            raise ActionFailed(f"The browser did not tell the {state.missing} of {name}", "Try again")
        return state

    async def _make_room(self, context: AgentContext) -> None:
        """Close the longest idle other context, to be restored later, if opening `context` exceeds the limit.

        Raises ActionFailed if all others are in use.
        """
        async with self._making_room:
            if sum(other.is_open for other in self._contexts.others) <= self._most_open:
                return
            others = [other for other in self._contexts.others if other is not context]
            idle = find_idlest(others)
            if idle is None:
                raise too_many_error(self._most_open)
            await self.suspend(idle)

    async def suspend(self, context: AgentContext) -> None:
        """Close an idle context, and keep its state, which is restored when it is next used.

        Raises ActionFailed if a command has used it meanwhile, or the browser does not tell its cookies.
        """
        _, state = await capture_state(context)
        is_unread = state is not None and state.missing == ALL_STORAGE
        if context.running_count or context.browser is None or is_unread:
            raise too_many_error(self._most_open)
        context.pending_state = state
        context.notice = (
            "nobody had used this context for long, so it was closed to make room; its pages were loaded again"
        )
        await self._close(context, "its context was closed to make room")
        self._on_change()

    async def _choose_chromium(self, default: OpenContext) -> RunningBrowser:
        """Return the Chromium process in which to open contexts.

        Start another one if each has handed its windows to a person. `default`: the default context.
        """
        if windowless := [one.running for one in self._contexts.open_contexts() if not one.handoff]:
            return windowless[0]
        from gstack_browse.browser.transfer.context_transfer import (
            start_similar_browser,
        )  # no part of most starts

        return await start_similar_browser(
            default.running, default_window(default.running.params.settings), has_profile=False
        )

    async def close(self, name: str) -> ClosedContext:
        """Close the context `name` with its tabs and logins. Return what was in it.

        Raises ActionFailed if that fails, or there is no such context.
        """
        context = self._contexts.get(name)
        if context is self._contexts.default:
            raise ActionFailed("The default context is there as long as the browser is", "'stop' ends both")
        if context and context.opening_task:
            with suppress(BrowseError):
                await self._open_default(lambda line: None)  # at once
            await asyncio.wait([context.opening_task])
        if context is None or not (context.browser or context.pending_state or context.flow.is_recording):
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
        context.flow.discard_recording()
        await self._close(context, "its context was closed")
        await context.journal.flush()
        self.clean_up_after_command(context)
        self._on_change()
        return ClosedContext(contents, ended)

    async def _close(self, context: AgentContext, why: str) -> None:
        """Close a context with its tabs. Commands and downloads there fail with the reason `why`."""
        if context.browser:
            self._before_close(context)
            browser, context.browser = context.browser, None
            context.downloads.fail_running(why)
            await browser.close()

    def clean_up_after_command(self, context: AgentContext) -> None:
        """Remove the command's context from the list if it holds nothing.

        If a context has just been opened, prepare an empty one in Chromium, so that the next opens faster.
        """
        self._contexts.forget_unneeded(context)
        if self._needs_spare and context.browser:
            self._needs_spare = False
            self.spare.make(context.browser.running)

    def tick(self) -> None:
        """Close the empty context that was prepared in Chromium, if it has been unused for long.

        Called twice a second.
        """
        self.spare.close_if_expired()


async def _open_with_logins(browser: OpenContext, state: ContextState, name: str) -> None:
    """Open a context with cookies, storage, headers and credentials of the context `name`: its `state`.

    Its secrets stay hidden, and domains of imported cookies restricted, in the new one, too. Raises ProtocolError.
    """
    browser.shared_from = name
    browser.imported = set(state.imported)
    browser.extras.restore(state.extras)
    for value in state.revealed:
        browser.revealed.add(value)
    _, putting = await browser.open_context(state.storage)
    await putting
    await browser.tab_factory.open()


async def _restore(browser: OpenContext, context: AgentContext, state: ContextState) -> None:
    """Open a context with tabs, cookies and storage of `state`, which it had when it was open before.

    Raises SetupFailed if Chromium fails at it; the state is dropped then.
    """
    from gstack_browse.browser.transfer import restore  # no part of most starts

    try:
        await restore.restore_context(browser, state)
    except ProtocolError as error:
        context.pending_state, context.notice = None, ""
        raise SetupFailed(
            f"What {context.name} had before could not be restored: {one_line(error.message, 200)}",
            "Run the command again: it begins with nothing",
        ) from None
