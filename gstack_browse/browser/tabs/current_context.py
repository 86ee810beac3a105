"""The browser context that a session is in: made, exchanged for another one, closed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.playwright_names import BrowserContext, Page
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tabs.background import Background
from gstack_browse.browser.tabs.page_factory import PageFactory

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.cookie_jar import CookieJar


class OpenContext(NamedTuple):
    """A browser context of a browser. `id`: what Chromium calls the context; "" where that is not known.

    `coming`: its first page, where that is still being made. `putting`: what puts cookies in, where that has begun.
    """

    running: RunningBrowser
    context: BrowserContext
    id: str
    coming: "asyncio.Task[Page] | None" = None
    putting: "asyncio.Task[None] | None" = None


class CurrentContext:
    """Browser, browser context, Chromium's id of the context, and the origins that were restored in it: they change together.

    `name`: of an agent's context. `new` asks Playwright for a browser context with a storage state. `pages` are made in the context.
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
        """What Chromium calls the context; "" until that is known."""
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
        """A new browser context with Playwright's storage state, but without the cookies; and its id where that is needed.

        A session with a name needs the id, to hear of its pages and no others; so does whoever puts cookies in. `named` is
        called with it as soon as it is known: Playwright takes its time over the rest.
        """
        cookies = storage.get("cookies", []) if storage else []
        storage = {**storage, "cookies": []} if storage else None
        if not (cookies or self._name) or self.running.has_single_context:
            async with self.running.context_lock:
                return await self._new(storage), ""
        context, context_id = await identified(self.running, lambda: self._new(storage), named)
        if self._name and not context_id:  # it would hear of the default session's pages
            await context.close()
            raise PlaywrightError("Chromium does not say which browser context is the new one")
        return context, context_id

    def enter(self, context: BrowserContext, context_id: str, restored_origins: Iterable[str] = ()) -> None:
        """Switch the session to a browser context. If the session is closed, close the context and raise Playwright's Error."""
        if self._is_closed:
            self._background.start(close(OpenContext(self.running, context, context_id)))
            raise PlaywrightError("Target closed")
        self.context, self.id, self._is_open = context, context_id, True
        self._restored_origins = set(restored_origins)

    @contextmanager
    def leaving_for(self, running: RunningBrowser) -> Iterator[None]:
        """Around the way to a browser context of `running`: when the block fails the session is where it was."""
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
        """Where the session is."""
        return OpenContext(self.running, self.context, self.id)

    async def close(self) -> None:
        """Close the browser context with its pages, as far as it is open."""
        self._is_closed = True
        self.running.sessions.discard(self)
        if self._is_open:
            await self.leave(self.now)

    async def leave(self, left: OpenContext) -> None:
        """Close what the session has left: the browser where nobody else is in that, else the browser context."""
        if self.running is not left.running:
            left.running.sessions.discard(self)
        if left.running.sessions:
            await close(left)
        else:
            await left.running.close()

    @property
    def visited_origins(self) -> set[str] | None:
        """The origins that may keep something in the context: those visited there, and those restored. None where that is not known."""
        connection = self.running.connection
        if not connection.hears_first or self.id not in connection.targets.visited:
            return None
        return connection.targets.visited[self.id] | self._restored_origins

    @property
    def jar(self) -> "CookieJar":
        """The cookies of the context."""
        from gstack_browse.browser.tabs.cookie_jar import CookieJar  # no part of a cold start

        return CookieJar(lambda: self.context, self.running.connection, self.id)


async def close(left: OpenContext) -> None:
    """Close a browser context with its pages, if it is still there."""
    with suppress(PlaywrightError):
        await left.context.close()
    left.running.forget_context(left.id)


async def identified(
    running: RunningBrowser,
    make: Callable[[], Awaitable[BrowserContext]],
    named: Callable[[str], object] = lambda context_id: None,
) -> tuple[BrowserContext, str]:
    """A browser context, and what Chromium calls it: as Chromium is heard to answer, or else the one that was not there before.

    "" where that cannot be told, or where `make` gives one that there was. `named` is called as soon as it is heard.
    """
    async with running.context_lock:
        if heard := running.connection.expect_context():
            heard.add_done_callback(lambda heard: None if heard.cancelled() else named(heard.result()))
            try:
                context = await make()
            finally:
                heard.cancel()  # of no effect where it was heard
            return context, "" if heard.cancelled() else heard.result()
        before = await running.connection.browser_contexts()
        context = await make()
        new = await running.connection.browser_contexts() - before
    return context, new.pop() if len(new) == 1 else ""
