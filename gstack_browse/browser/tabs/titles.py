"""Titles of tabs."""

import asyncio
from collections.abc import Awaitable, Callable

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable

BLANK = "about:blank"
TITLE_SECONDS = 0.5


async def titles(tabs: TabTable, prepare: Callable[[Tab], Awaitable[None]]) -> dict[int, str]:
    """Titles by tab number, "" where there is none. The browser is asked, not the pages, so that one that hangs has one."""
    asked = list(tabs)
    found = await asyncio.gather(*(_title(tab, prepare) for tab in asked))
    return {tab.id: name for tab, name in zip(asked, found, strict=True)}


async def _title(tab: Tab, prepare: Callable[[Tab], Awaitable[None]]) -> str:
    try:
        async with asyncio.timeout(TITLE_SECONDS):
            await prepare(tab)
            answer = await tab.world.session.send("Target.getTargetInfo")
    except (TimeoutError, PlaywrightError):
        return ""
    info = answer["targetInfo"]
    return str(info["title"]) if info["title"] not in (info["url"], BLANK) else ""
