"""The browser context that an open context is in, and a spare one for the next."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.devtools.browser import BrowserContext
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.state.emulation import Appearance
from gstack_browse.browser.windows.tab_factory import PageFactory

if TYPE_CHECKING:
    from gstack_browse.browser.state.cookie_jar import CookieJar

ORIGINS_SECONDS = 60.0
"""Time limit for putting in what origins keep: several hundred need a page each."""


class ContextInBrowser(NamedTuple):
    """A browser and a context in it, perhaps still being filled.

    `page_task` opens its first page, `cookies_task` sets its cookies; None if not begun.
    """

    running: RunningBrowser
    context: BrowserContext
    page_task: "asyncio.Task[Page] | None" = None
    cookies_task: "asyncio.Task[None] | None" = None


class CurrentContext:
    """The browser and the browser context that an open context is in. They change together.

    `pages` makes pages in the context.
    """

    context: BrowserContext

    def __init__(self, running: RunningBrowser, pages: PageFactory, background: Background) -> None:
        self.running = running
        running.contexts.add(self)
        self._is_open = False
        self._is_closed = False
        self._restored_origins: set[str] = set()
        self._pages = pages
        self._background = background

    def switch_to(self, context: BrowserContext, restored_origins: Iterable[str] = ()) -> None:
        """Switch to the browser context `context`. If ours is closed, close `context` and raise ProtocolError.

        `restored_origins`: origins whose storage is written into it (see `visited_origins`).
        """
        if self._is_closed:
            self._background.start(close_context(ContextInBrowser(self.running, context)))
            raise ProtocolError("Target closed")
        self.context, self._is_open = context, True
        self._restored_origins = set(restored_origins)

    @contextmanager
    def moving_to(self, running: RunningBrowser) -> Iterator[None]:
        """Make `running` the context's browser for a `with` block with `switch_to`. Undo both if it fails."""
        before, origins = self.pair, self._restored_origins
        self.running = running
        running.contexts.add(self)
        try:
            yield
        except BaseException:
            if self.context is not before.context:
                self._background.start(close_context(self.pair))
            if running is not before.running:
                running.contexts.discard(self)
            self.running, self.context = before[:2]
            self._restored_origins = origins
            self._pages.return_to_context(self.context)
            raise

    async def write_storage(self, origins: list[dict[str, Any]]) -> None:
        """Write local storage and databases of `origins` (as in Playwright's storage state) into the context.

        Raises ProtocolError.
        """
        if origins:
            from gstack_browse.browser.devtools.storage_state import (
                write_origins,  # a cold start does not need it
            )

            open_page = partial(self.running.connection.open_hidden_page, self.id)
            await write_origins(open_page, origins, seconds=ORIGINS_SECONDS)

    @property
    def pair(self) -> ContextInBrowser:
        """Return the browser and the browser context together."""
        return ContextInBrowser(self.running, self.context)

    async def close(self) -> None:
        """Close the browser context with its pages, if it is open."""
        self._is_closed = True
        self.running.contexts.discard(self)
        if self._is_open:
            await self.close_previous(self.pair)

    async def close_previous(self, previous: ContextInBrowser) -> None:
        """Close the previous browser context, or its browser if no open context uses it any more."""
        if self.running is not previous.running:
            previous.running.contexts.discard(self)
        if previous.running.contexts:
            await close_context(previous)
        else:
            await previous.running.close()

    @property
    def visited_origins(self) -> set[str]:
        """Return the origins that were visited or restored in the context: those that may have storage.

        It contains "" if there were too many to note all of them. A lasting profile may have storage of others, which stays in it.
        """
        visited = self.running.connection.targets.visited
        return visited.get(self.id, set()) | self._restored_origins

    @property
    def id(self) -> str:
        """Return Chromium's id of the context."""
        return self.context.id

    @property
    def jar(self) -> "CookieJar":
        """Return a cookie jar that reads and sets the context's cookies."""
        from gstack_browse.browser.state.cookie_jar import CookieJar  # a cold start does not need it

        is_default = self.running.has_profile or self.running.is_shared
        return CookieJar(self.running.connection, self.id, is_default=is_default)


async def close_context(opened: ContextInBrowser) -> None:
    """Close a browser context with its pages, unless it has closed already."""
    with suppress(ProtocolError):
        await opened.context.close()
    opened.running.forget_context(opened.context.id)


_NAME = "spare"
"""Not "": the browser context of the default one may be the browser's own."""
KEEP_SECONDS = 60.0
"""Time after which an unused spare context is closed."""


class SpareContext:
    """Keeps one browser context with a page ready, so that the next context opens at once."""

    def __init__(self) -> None:
        self._background = Background()
        self._making: asyncio.Task[ContextInBrowser | None] | None = None
        self._crashed: set[Page] = set()
        self._until = 0.0

    @property
    def is_there(self) -> bool:
        """Return whether there is a spare browser context, or one is being made."""
        return self._making is not None

    def make(self, running: RunningBrowser) -> None:
        """Make a spare browser context in the background, unless one exists or cannot be made."""
        if self._making or running.params.endpoint or running.has_single_context or running.window.visible:
            return
        self._until = time.monotonic() + KEEP_SECONDS
        self._making = self._background.start(self._open(running))

    async def take(self, running: RunningBrowser) -> ContextInBrowser | None:
        """Return the spare browser context, once made, for the caller to keep; None if this browser has none."""
        making, self._making = self._making, None
        spare = await asyncio.shield(making) if making else None
        if spare and spare.running is running and self._is_usable(spare):
            return spare
        if spare:
            self._background.start(close_context(spare))
        return None

    def close_if_expired(self) -> None:
        """Close the spare context if it is not taken within KEEP_SECONDS. Called about twice a second."""
        if self._making and time.monotonic() >= self._until:
            making, self._making = self._making, None
            self._background.start(_close_spare(making))

    async def _open(self, running: RunningBrowser) -> ContextInBrowser | None:
        """Open the spare browser context with one page. Return None if the browser has ended."""
        with suppress(ProtocolError):  # the browser has ended, say: the next request for a context fails
            context = await running.new_context(Appearance().all_options(), name=_NAME)
            running.connection.events.mute_context(context.id)
            spare = ContextInBrowser(running, context)
            try:
                page = await context.new_page()
            except BaseException:
                await close_context(spare)  # its page has ended at once
                raise
            page.on("crash", self._crashed.add)
            return spare
        return None

    def _is_usable(self, spare: ContextInBrowser) -> bool:
        """Return whether the spare browser context still has its one page, and that has not crashed."""
        pages = spare.context.pages
        has_crashed = bool(self._crashed.intersection(pages))
        self._crashed.difference_update(pages)
        return len(pages) == 1 and not has_crashed


async def _close_spare(making: asyncio.Task[ContextInBrowser | None]) -> None:
    """Close the spare browser context once the task `making` has opened it."""
    if spare := await making:
        await close_context(spare)
