"""The browser context that a session is in: made, exchanged for another one, closed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.driver_types import BrowserContext, Page
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tabs.background import Background
from gstack_browse.browser.tabs.page_factory import PageFactory

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.cookie_jar import CookieJar


class OpenContext(NamedTuple):
    """A browser context of a browser. `id` is Chromium's id of it; "" if it is unknown.

    `coming`: a task that opens its first page. `putting`: a task that puts cookies in. None if not begun.
    """

    running: RunningBrowser
    context: BrowserContext
    id: str
    coming: "asyncio.Task[Page] | None" = None
    putting: "asyncio.Task[None] | None" = None


class CurrentContext:
    """The session's browser, browser context and context id. They change together.

    `name` is that of an agent's context. `new` makes a Playwright context from a storage state. `pages` makes pages in the context.
    """

    context: BrowserContext

    def __init__(
        self,
        running: RunningBrowser,
        name: str,
        new: Callable[[Any], Awaitable[BrowserContext]],
        pages: PageFactory,
        background: Background,
    ) -> None:
        self.running = running
        running.sessions.add(self)
        self.id = ""
        """Chromium's id of the context; "" until it is known."""
        self._is_open = False
        self._is_closed = False
        self._restored_origins: set[str] = set()
        self._name = name
        self._new = new
        self._pages = pages
        self._background = background

    async def make(
        self, storage: Any, named: Callable[[str], object] = lambda context_id: None
    ) -> tuple[BrowserContext, str]:
        """Make a browser context with a storage state without its cookies. Return it and its id.

        Args:
            storage: Playwright's storage state, or None
            named: called with the id as soon as it is known; Playwright takes longer

        The id is needed to put cookies in, and to subscribe a named session to its own pages only. Else it is "".
        Raises ProtocolError if a named session gets no id.
        """
        cookies = storage.get("cookies", []) if storage else []
        storage = {**storage, "cookies": []} if storage else None
        if not (cookies or self._name) or self.running.has_single_context:
            async with self.running.context_lock:
                return await self._new(storage), ""
        context, context_id = await identified(self.running, lambda: self._new(storage), named)
        if self._name and not context_id:  # without an id it would get the default session's pages
            await context.close()
            raise ProtocolError("Chromium does not say which browser context is the new one")
        return context, context_id

    def enter(self, context: BrowserContext, context_id: str, restored_origins: Iterable[str] = ()) -> None:
        """Switch the session to a browser context.

        If the session is closed, close the context and raise ProtocolError.
        """
        if self._is_closed:
            self._background.start(close(OpenContext(self.running, context, context_id)))
            raise ProtocolError("Target closed")
        self.context, self.id, self._is_open = context, context_id, True
        self._restored_origins = set(restored_origins)

    @contextmanager
    def leaving_for(self, running: RunningBrowser) -> Iterator[None]:
        """Wrap a move to a browser context of `running`. If the block fails, restore the session's place."""
        before, origins = self.now, self._restored_origins
        self.running = running
        running.sessions.add(self)
        try:
            yield
        except BaseException:
            if self.context is not before.context:
                self._background.start(close(self.now))
            if running is not before.running:
                running.sessions.discard(self)
            self.running, self.context, self.id = before[:3]
            self._restored_origins = origins
            self._pages.go_back(self.context)
            raise

    @property
    def now(self) -> OpenContext:
        """Return the session's browser, context and context id."""
        return OpenContext(self.running, self.context, self.id)

    async def close(self) -> None:
        """Close the browser context with its pages, as far as it is open."""
        self._is_closed = True
        self.running.sessions.discard(self)
        if self._is_open:
            await self.leave(self.now)

    async def leave(self, left: OpenContext) -> None:
        """Close the browser context that the session has left, or its browser if no other session uses that."""
        if self.running is not left.running:
            left.running.sessions.discard(self)
        if left.running.sessions:
            await close(left)
        else:
            await left.running.close()

    @property
    def visited_origins(self) -> set[str] | None:
        """Return the origins that were visited or restored in the context; None if they are unknown.

        Only these may have storage in the context.
        """
        connection = self.running.connection
        if not connection.hears_first or self.id not in connection.targets.visited:
            return None
        return connection.targets.visited[self.id] | self._restored_origins

    @property
    def jar(self) -> "CookieJar":
        """Return the cookies of the context."""
        from gstack_browse.browser.tabs.cookie_jar import CookieJar  # a cold start does not need it

        return CookieJar(lambda: self.context, self.running.connection, self.id)


async def close(left: OpenContext) -> None:
    """Close a browser context with its pages, if it is still there."""
    with suppress(ProtocolError):
        await left.context.close()
    left.running.forget_context(left.id)


async def identified(
    running: RunningBrowser,
    make: Callable[[], Awaitable[BrowserContext]],
    named: Callable[[str], object] = lambda context_id: None,
) -> tuple[BrowserContext, str]:
    """Make a browser context. Return it with Chromium's id for it.

    Args:
        make: makes the context
        named: called with the id as soon as Chromium reports it

    The id comes from Chromium's reply on the pipe, else from comparing the list of contexts before and after.
    It is "" if neither gives exactly one, or if `make` returns an existing context.
    """
    async with running.context_lock:
        if heard := running.connection.expect_context():
            heard.add_done_callback(lambda heard: None if heard.cancelled() else named(heard.result()))
            try:
                context = await make()
            finally:
                heard.cancel()  # no effect if it has a result
            return context, "" if heard.cancelled() else heard.result()
        before = await running.connection.browser_contexts()
        context = await make()
        new = await running.connection.browser_contexts() - before
    return context, new.pop() if len(new) == 1 else ""
