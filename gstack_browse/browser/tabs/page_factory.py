"""Makes pages for tabs, and tells them from pages that other pages open."""

import asyncio
from collections.abc import Awaitable, Callable

from gstack_browse.browser.cdp.driver_types import BrowserContext, Page
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.tabs.background import Background


class PageFactory:
    """Makes pages in one browser context at a time.

    `opened` is called with each page that `new` did not make. `awaited` is called when a page is needed before Playwright is loaded.

    Playwright reports every page in the same way, perhaps before `new_page` returns. So pages that appear meanwhile are
    sorted after it has returned.
    """

    def __init__(
        self, background: Background, opened: Callable[[Page], None], awaited: Callable[[], None]
    ) -> None:
        self._background = background
        self._opened = opened
        self._awaited = awaited
        self._context: BrowserContext | None = None
        self._making = 0
        self._unclaimed: list[Page] = []
        self._spare: list[Page] = []
        self._coming: asyncio.Task[Page] | None = None
        self._usable = asyncio.Event()
        self._came = asyncio.Event()

    def use(self, context: BrowserContext, coming: Awaitable[Page] | None = None) -> None:
        """Make pages in this context from now on.

        Hands out first the pages that it has already, or the one that `coming` opens.
        """
        self._coming = self._background.start(self._made(coming)) if coming else None
        self._spare = [] if coming else list(context.pages)
        self._listen(context)
        self._use(context)

    def go_back(self, context: BrowserContext) -> None:
        """Make pages in a context again that was left for another, if it was."""
        if self._context is not context:
            self._spare.clear()
            self._coming = None
            self._use(context)

    async def adopt(self, context: BrowserContext, given: asyncio.Event) -> asyncio.Task[Page]:
        """Ask Playwright for the page that this context had before Playwright was loaded.

        Args:
            given: set once further pages can be made in the context

        Returns a task with the page: a script of the page may delay it.
        """
        self._listen(context)
        coming = self._background.start(self._made(context.new_page()))
        waiting = asyncio.ensure_future(given.wait())
        try:
            await asyncio.wait([coming, waiting], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        self._use(context)
        return coming

    def give_next(self, page: Page) -> None:
        """Keep an unused page for the next `new`."""
        self._spare.append(page)

    async def new(self) -> Page:
        """Return a blank page. If the caller is cancelled meanwhile, close the page."""
        making = self._background.start(self._make())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._close_unwanted)
            raise

    async def found(self, coming: Awaitable[object], is_it: Callable[[Page], Awaitable[bool]]) -> Page:
        """Return the page that appears because of `coming` and satisfies `is_it`. Wait until there is one."""
        self._making += 1
        found: Page | None = None
        try:
            await coming
            seen: set[Page] = set()
            while found is None:
                self._came.clear()
                for page in [page for page in self._unclaimed if page not in seen]:
                    seen.add(page)
                    found = page if await is_it(page) else found
                if found is None:
                    await self._came.wait()
        finally:
            self._claim(found)
        return found

    def close(self, page: Page) -> None:
        """Close a page in the background. Playwright asks the browser, not the page, which may hang."""
        self._background.start(_close(page))

    async def _make(self) -> Page:
        if not self._usable.is_set():
            self._awaited()
            await self._usable.wait()
        assert self._context is not None
        if self._coming:
            coming, self._coming = self._coming, None
            return await coming
        while self._spare:
            if not (page := self._spare.pop()).is_closed():
                return page
        while True:
            context = self._context
            try:
                return await self._made(_new_page(context))
            except ProtocolError:
                if self._context is context:
                    raise

    async def _made(self, making: Awaitable[Page]) -> Page:
        self._making += 1
        page: Page | None = None
        try:
            page = await making
        finally:
            self._claim(page)
        return page

    def _claim(self, page: Page | None) -> None:
        """Mark a page as made here. Once none is being made, report the others as opened by pages."""
        self._making -= 1
        self._unclaimed = [other for other in self._unclaimed if other is not page]
        if not self._making:
            unclaimed, self._unclaimed = self._unclaimed, []
            for other in unclaimed:
                self._opened(other)

    def _listen(self, context: BrowserContext) -> None:
        context.on("page", self._appeared)

    def _use(self, context: BrowserContext) -> None:
        self._context = context
        self._usable.set()

    def _appeared(self, page: Page) -> None:
        if self._making:
            self._unclaimed.append(page)
            self._came.set()
        else:
            self._opened(page)

    def _close_unwanted(self, made: asyncio.Task[Page]) -> None:
        if not made.cancelled() and not made.exception():
            self.close(made.result())


async def _new_page(context: BrowserContext) -> Page:
    """Open a page in a context.

    Raises ProtocolError, also if the context closes meanwhile: Playwright would never answer.
    """
    has_closed = asyncio.get_running_loop().create_future()

    def closed(_: BrowserContext) -> None:
        if not has_closed.done():
            has_closed.set_result(None)

    context.once("close", closed)
    making = asyncio.ensure_future(context.new_page())
    try:
        await asyncio.wait([making, has_closed], return_when=asyncio.FIRST_COMPLETED)
        if making.done():
            return making.result()
        raise ProtocolError("Target page, context or browser has been closed")
    finally:
        making.add_done_callback(consume_exception)
        making.cancel()
        if not has_closed.done():
            context.remove_listener("close", closed)


async def _close(page: Page) -> None:
    try:
        await page.close(run_before_unload=False)
    except ProtocolError:
        return  # the page had closed already
