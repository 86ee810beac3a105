"""The browser contexts of a daemon by name: opened when first used, closed when told to. What a context holds is `agent_context`'s."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.launch.running import Running
from gstack_browse.browser.launch.window import usual_look
from gstack_browse.browser.tabs import heaps, sharing
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.browser.tabs.spare_context import SpareContext
from gstack_browse.commands.control import ContextFacts
from gstack_browse.daemon import context_limits, unfinished
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.connection import Say
from gstack_browse.errors import ActionFailed, BrowseError, SetupFailed
from gstack_browse.protocol import DEFAULT_CONTEXT
from gstack_browse.settings import MAX_CONTEXTS
from gstack_browse.text.columns import format_count
from gstack_browse.text.sanitise import one_line

Make = Callable[[AgentContext, Running], BrowserSession]


class Contexts:
    """`default` is there always. `named` makes the record of another one, `browser` gives the default session, `early` that of a context which has the first page of a cold start, `make` a session.

    `closing` is called with a context before its tabs close, `changed` after that. At most `most` are open beside the default one.
    """

    def __init__(
        self,
        default: AgentContext,
        *,
        named: Callable[[str], AgentContext],
        browser: Callable[..., Awaitable[BrowserSession]],
        early: Callable[[AgentContext], Awaitable[BrowserSession | None]],
        make: Make,
        changed: Callable[[], None],
        closing: Callable[[AgentContext], None],
        most: int = MAX_CONTEXTS,
    ) -> None:
        self.default = default
        self._named = named
        self._browser = browser
        self._early = early
        self._make = make
        self._changed = changed
        self._closing = closing
        self._most = most
        self._making_room = asyncio.Lock()
        self._others: dict[str, AgentContext] = {}
        self.spare = SpareContext()
        """What the next one begins in."""
        self._wants_spare = False
        """Whether a context has been opened: another one may follow."""

    def __iter__(self) -> Iterator[AgentContext]:
        """The default one, and the others in the order in which they came."""
        return iter([self.default, *self._others.values()])

    @property
    def others(self) -> list[AgentContext]:
        """Those beside the default one."""
        return list(self._others.values())

    def sessions(self) -> list[BrowserSession]:
        """The sessions of those that are open."""
        return [context.browser for context in (self.default, *self._others.values()) if context.browser]

    def get(self, name: str) -> AgentContext | None:
        """The context of that name; None where there is none."""
        return self._others.get(name) if name not in ("", DEFAULT_CONTEXT) else self.default

    def of(self, name: str) -> AgentContext:
        """The context of that name, which may be new: then it is kept from when it is used (`settle`)."""
        found = self.get(name)
        if found is None:
            found = self._others[name] = self._named(name)
        return found

    def settle(self, context: AgentContext) -> None:
        """A command is over: forget a context of which nothing has come. After one that has opened a context prepare the next."""
        if not context.is_kept:
            self._others.pop(context.name, None)
        if self._wants_spare and context.browser:
            self._wants_spare = False
            self.spare.make(context.browser.running)

    def tick(self) -> None:
        """Let go of what was prepared, and was not needed. Called about twice a second."""
        self.spare.tick()

    async def ready(
        self, context: AgentContext, say: Say, share: str = "", *, early: bool = False
    ) -> BrowserSession:
        """The session of a context that is not the default one, opened if need be, with the logins of `share`.

        `early`: the caller is content with a browser that Playwright has not got yet.

        Raises SetupFailed, and ActionFailed, also where there is no context to share with.
        """
        session = context.browser or await self._opened(context, say, share, early=early)
        if share and session.shared_from != share:
            raise ActionFailed(
                f"{context.name} is open already, with logins of its own",
                f"Leave out --share, or close it before: 'context-close {context.name}'",
            )
        return session

    async def _opened(self, context: AgentContext, say: Say, share: str, *, early: bool) -> BrowserSession:
        opening = context.opening
        if opening is None or opening.done():
            opening = asyncio.create_task(self._open(context, say, share))
            context.opening = opening
            opening.add_done_callback(consume_exception)
        if early and (begun := await self._early(context)):
            return begun
        await self._browser(say)
        return await asyncio.shield(opening)

    async def _open(self, context: AgentContext, say: Say, share: str) -> BrowserSession:
        default = await self._browser(say, patient=True)
        if context.browser:  # it has the first page
            self._wants_spare = self._has_room
            return context.browser
        if default.running.is_shared:
            raise ActionFailed(
                "The browser that is connected is not gbrowse's: it gets no second browser context",
                "Leave out --as, or run 'disconnect' first",
            )
        if default.running.is_single:
            raise ActionFailed(
                "There can be no second browser context: extensions live in one only (BROWSE_EXTENSIONS_DIR)",
                "Leave out --as",
            )
        logins = await self._state_of(share) if share and context.carried is None else None
        await self._make_room(context)
        session = self._make(context, await self._running(default))
        try:
            if logins:
                await sharing.open_with_logins(session, logins, share)
            else:
                await self._begin(session, context)
        except BaseException:
            await session.close()
            raise
        context.browser, context.carried = session, None
        self._wants_spare = self._has_room
        return session

    @property
    def _has_room(self) -> bool:
        return sum(other.is_open for other in self._others.values()) < self._most

    async def _begin(self, session: BrowserSession, context: AgentContext) -> None:
        """Open what was carried over, or a first tab."""
        if context.carried:
            await _restore(session, context, context.carried)
        else:
            await session.open(await self.spare.take(session.running))

    async def _state_of(self, name: str) -> SessionState:
        """What another context has. Raises ActionFailed where there is none, and where the browser does not tell."""
        other = self.get(name)
        _, state = await _seen(other) if other else ("", None)
        if state is None:
            raise ActionFailed(f"There is no context called {name}", "Run 'contexts' to see which there are")
        if state.missing:
            raise ActionFailed(f"The browser did not tell the {state.missing} of {name}", "Try again")
        return state

    async def _make_room(self, context: AgentContext) -> None:
        """Let the idlest context go where there are too many. Raises ActionFailed where all are in use."""
        async with self._making_room:
            if sum(other.is_open for other in self._others.values()) <= self._most:
                return
            others = [other for other in self._others.values() if other is not context]
            idle = context_limits.idlest(others)
            if idle is None:
                raise context_limits.too_many(self._most)
            await self.rest(idle)

    async def rest(self, context: AgentContext) -> None:
        """Close an idle context, and keep what it has until it is used again. Raises ActionFailed where that has just happened."""
        _, state = await _captured(context)
        if context.runs or context.browser is None:
            raise context_limits.too_many(self._most)
        context.carried = state
        context.news = (
            "nobody had used this context for long, so it was closed to make room; its pages were loaded again"
        )
        await self._let_go(context, "its context was closed to make room")
        self._changed()

    async def _running(self, default: BrowserSession) -> Running:
        """The Chromium that contexts share; another one where all that there are have a window, with a person."""
        if running := self._shared():
            return running
        from gstack_browse.browser.tabs.session_transfer import start_like  # no part of most starts

        return await start_like(default.running, usual_look(default.running.params.settings), has_profile=False)

    def _shared(self) -> Running | None:
        """A Chromium without a window."""
        return next((one.running for one in self.sessions() if not one.handed), None)

    def take(self, state: SessionState | None) -> None:
        """Begin, each when it is first used, with what an earlier browser had."""
        if state is None:
            return
        for name, inner in [("", state), *state.contexts.items()]:
            self.of(name).take(replace(inner, contexts={}))

    async def capture(self) -> SessionState | None:
        """What a successor should carry over; None where there is nothing."""
        asked = await asyncio.gather(*(_captured(context) for context in self))
        states = {name: self.of(name).stamped(state) for name, state in asked if state}
        default = states.pop("", None)
        if default is None and states:
            first = next(iter(states.values()))
            default = SessionState(
                {"cookies": [], "origins": []}, [], 0, first.next_id, first.viewport, first.scale
            )
        return replace(default, contexts=states) if default else None

    async def close(self, name: str) -> tuple[str, str]:
        """Close a context with its tabs and logins. Returns what was in it, and what has ended unfinished. Raises ActionFailed, also where there is none."""
        context = self.get(name)
        if context is self.default:
            raise ActionFailed("The default context is there as long as the browser is", "'stop' ends both")
        if context and context.opening:
            with suppress(BrowseError):
                await self._browser(lambda line: None)  # at once
            await asyncio.wait([context.opening])
        if context is None or not (context.browser or context.carried):
            raise ActionFailed(f"There is no context called {name}", "Run 'contexts' to see which there are")
        open_tabs = context.browser.tabs if context.browser else context.carried.tabs if context.carried else ()
        told = format_count(len(open_tabs), "tab")
        ended = unfinished.recordings([context.browser]) if context.browser else ""
        context.carried = None
        await self._let_go(context, "its context was closed")
        await context.journal.flush()
        self.settle(context)
        self._changed()
        return told, ended

    async def facts(self) -> list[ContextFacts]:
        """What there is to say of each."""
        return list(await asyncio.gather(*(_facts(context) for context in self if context.is_kept)))

    async def flush(self) -> None:
        """Write what the logs have gained to their files."""
        for context in self:
            await context.journal.flush()

    def flush_now(self) -> None:
        """The same before the process ends."""
        for context in self:
            context.journal.flush_now()

    @property
    def log_trouble(self) -> str:
        """Which logs could not be written the last time, and why; "" when all could."""
        return next((trouble for context in self if (trouble := context.journal.trouble)), "")

    async def _let_go(self, context: AgentContext, why: str) -> None:
        """Close its tabs. What is under way there fails."""
        if context.browser:
            self._closing(context)
            browser, context.browser = context.browser, None
            context.downloads.break_off(why)
            await browser.close()


async def _seen(context: AgentContext) -> tuple[str, SessionState | None]:
    """What a context has, without disturbing its pages."""
    if context.browser is None:
        return context.name, context.carried
    from gstack_browse.browser.tabs import capture  # no part of a start

    return context.name, await capture.seen_of(context.browser)


async def _captured(context: AgentContext) -> tuple[str, SessionState | None]:
    if context.holder is None:
        return context.name, context.carried
    from gstack_browse.browser.tabs import capture  # no part of a start

    if context.browser is None:
        return context.name, await capture.early_state_of(context.holder)
    return context.name, await capture.state_of(context.browser)


async def _facts(context: AgentContext) -> ContextFacts:
    session = context.browser
    memory = sum((await heaps.of_tabs(session)).values()) if session else 0
    idle = 0.0 if context.runs else time.monotonic() - context.last_used
    state = "" if session else "not open" if context.name and not context.early else "starting"
    return ContextFacts(
        context.shown_name, context.tab_count, memory, context.last_command, round(idle, 1), state
    )


async def _restore(session: BrowserSession, context: AgentContext, carried: SessionState) -> None:
    """Open what was carried over. Raises SetupFailed where Chromium fails with it."""
    from gstack_browse.browser.tabs import restore  # no part of most starts

    try:
        await restore.open_session(session, carried)
    except PlaywrightError as error:
        context.carried, context.news = None, ""
        raise SetupFailed(
            f"What {context.name} had before could not be restored: {one_line(error.message, 200)}",
            "Run the command again: it begins with nothing",
        ) from None
