"""Attach Playwright's sync or async API to the daemon's browser, and find the active tab's page."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from playwright import async_api, sync_api


class Attached(NamedTuple):
    """Playwright's sync objects for the live browser. `page` is the active tab's."""

    page: "sync_api.Page"
    context: "sync_api.BrowserContext"
    browser: "sync_api.Browser"
    playwright: "sync_api.Playwright"


class AsyncAttached(NamedTuple):
    """Playwright's async objects for the live browser. `page` is the active tab's."""

    page: "async_api.Page"
    context: "async_api.BrowserContext"
    browser: "async_api.Browser"
    playwright: "async_api.Playwright"


@contextmanager
def attach(opened: Mapping[str, Any], timeout: float | None = None) -> Iterator[Attached]:
    """Attach Playwright's sync API to the live browser for a `with` block. Raises Playwright's Error.

    `opened`: the decoded output of `attach --json`: address and active tab. `timeout`: milliseconds to connect; None: Playwright's default.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(opened["address"], timeout=timeout)
        try:
            context = browser.contexts[0]
            yield Attached(_find_page(context, opened["page"]), context, browser, playwright)
        finally:
            browser.close()  # disconnects; Playwright does not close a browser that it has not started


def _find_page(context: "sync_api.BrowserContext", target_id: str) -> "sync_api.Page":
    """Return the page with that CDP target id; the first page, or a new one, if that has closed."""
    for page in context.pages:
        session = context.new_cdp_session(page)
        info = session.send("Target.getTargetInfo")
        session.detach()
        if info["targetInfo"]["targetId"] == target_id:
            return page
    return context.pages[0] if context.pages else context.new_page()


@asynccontextmanager
async def attach_async(opened: Mapping[str, Any], timeout: float | None = None) -> AsyncIterator[AsyncAttached]:
    """Attach Playwright's async API to the live browser for an `async with`. Raises Playwright's Error.

    `opened`: the decoded output of `attach --json`: address and active tab. `timeout`: milliseconds to connect; None: Playwright's default.
    """
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(opened["address"], timeout=timeout)
        try:
            context = browser.contexts[0]
            page = await _find_page_async(context, opened["page"])
            yield AsyncAttached(page, context, browser, playwright)
        finally:
            await browser.close()


async def _find_page_async(context: "async_api.BrowserContext", target_id: str) -> "async_api.Page":
    """Return the page with that CDP target id; the first page, or a new one, if that has closed."""
    for page in context.pages:
        session = await context.new_cdp_session(page)
        info = await session.send("Target.getTargetInfo")
        await session.detach()
        if info["targetInfo"]["targetId"] == target_id:
            return page
    return context.pages[0] if context.pages else await context.new_page()
