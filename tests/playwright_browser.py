"""A browser of Playwright's own, as an oracle: what does Playwright say of the same?"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

from gstack_browse import settings
from gstack_browse.browser.launch.chromium import find_executable


@asynccontextmanager
async def playwright_browser() -> AsyncIterator[Browser]:
    """Start the Chromium that the product would start, by Playwright."""
    async with async_playwright() as playwright:
        path = find_executable(settings.read())
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()
