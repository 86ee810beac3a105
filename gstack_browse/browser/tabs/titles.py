"""Titles of tabs."""

import asyncio
from collections.abc import Awaitable, Callable

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable

BLANK = "about:blank"
READY_SECONDS = 2.0
"""Time limit for preparing a tab. A page that hangs meanwhile never gets ready."""
TITLE_SECONDS = 5.0
"""Time limit for the browser, which no page can block. A busy machine takes seconds."""


async def titles(tabs: TabTable, prepare: Callable[[Tab], Awaitable[None]]) -> dict[int, str]:
    """Return titles by tab number, "" for a tab without one.

    Asks the browser, not the pages, so that a page that hangs has its title, too.
    """
    asked = list(tabs)
    found = await asyncio.gather(*(_title(tab, prepare) for tab in asked))
    return {tab.id: name for tab, name in zip(asked, found, strict=True)}


async def _title(tab: Tab, prepare: Callable[[Tab], Awaitable[None]]) -> str:
    try:
        async with asyncio.timeout(READY_SECONDS):
            await prepare(tab)
        async with asyncio.timeout(TITLE_SECONDS):
            answer = await tab.world.session.send("Target.getTargetInfo")
    except (TimeoutError, ProtocolError):
        return ""
    info = answer["targetInfo"]
    return str(info["title"]) if info["title"] not in (info["url"], BLANK) else ""
