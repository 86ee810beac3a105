"""Makes pages for tabs, and tells them from pages that other pages open."""

import asyncio
from collections.abc import Callable

from gstack_browse.browser.cdp.playwright_names import BrowserContext, Page
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs.background import Background


class PageFactory:
    """Pages of one browser context at a time. `opened` is called with each page that was not made by `new`.

    Playwright reports every page in the same way, and may do so before `new_page` returns. So pages that appear while
    one is being made are looked at when it is there.
    """

    def __init__(self, background: Background, opened: Callable[[Page], None]) -> None:
        self._background = background
        self._opened = opened
        self._context: BrowserContext | None = None
        self._making = 0
        self._unclaimed: list[Page] = []
        self._spare: list[Page] = []

    def use(self, context: BrowserContext) -> None:
        """Make pages in this context from now on. Pages that it has already are the first to be given out."""
        self._context = context
        self._spare = list(context.pages)
        context.on("page", self._appeared)

    async def new(self) -> Page:
        """A blank page. A caller who is cancelled while the page is made never has it: the page is closed again."""
        making = self._background.start(self._make())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._close_unwanted)
            raise

    def close(self, page: Page) -> None:
        """Close a page in the background. Playwright asks the browser, not the page, which may hang."""
        self._background.start(_close(page))

    async def _make(self) -> Page:
        assert self._context is not None
        self._making += 1
        page: Page | None = None
        try:
            page = self._spare.pop() if self._spare else await self._context.new_page()
        finally:
            self._making -= 1
            self._unclaimed = [other for other in self._unclaimed if other is not page]
            if not self._making:
                unclaimed, self._unclaimed = self._unclaimed, []
                for other in unclaimed:
                    self._opened(other)
        return page

    def _appeared(self, page: Page) -> None:
        if self._making:
            self._unclaimed.append(page)
        else:
            self._opened(page)

    def _close_unwanted(self, made: asyncio.Task[Page]) -> None:
        if not made.cancelled() and not made.exception():
            self.close(made.result())


async def _close(page: Page) -> None:
    try:
        await page.close(run_before_unload=False)
    except PlaywrightError:
        return  # it was gone already
