"""Collects the garbage of renderers that have left documents behind.

A renderer frees a document only in a full collection, which Chromium puts off while there is memory. A tab that goes from
page to page grows by hundreds of megabytes meanwhile: 1,025 MB after 400 pages, 420 with a collection every 50 documents.
"""

import asyncio
from contextlib import suppress

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable

DOCUMENTS = 50
"""Documents of a tab after which to collect when its browser context is idle."""
MOST_DOCUMENTS = 100
"""Documents of a tab after which to collect in any case."""
COLLECT_SECONDS = 5.0


async def collect(tabs: TabTable, *, is_idle: bool) -> None:
    """Collect the garbage of the tabs that are due. Does not wait for a busy page."""
    limit = DOCUMENTS if is_idle else MOST_DOCUMENTS
    await asyncio.gather(*(_collect(tab) for tab in tabs if _left_by(tab) >= limit))


async def collect_all(tabs: TabTable) -> None:
    """Collect the garbage of every tab that has navigated since its last collection.

    Does not wait for a busy page.
    """
    await asyncio.gather(*(_collect(tab) for tab in tabs if _left_by(tab)))


async def collect_rest(tabs: TabTable) -> None:
    """Collect again half a second after `collect_all`, for what that made collectable.

    That is a tenth of a renderer's memory, in 5 ms.
    """
    await asyncio.gather(*(_collect(tab) for tab in tabs if not _left_by(tab)))


def is_any(tabs: TabTable) -> bool:
    """Return whether `collect_all` has anything to do."""
    return any(_left_by(tab) for tab in tabs)


def _left_by(tab: Tab) -> int:
    return tab.requests.documents - tab.collected


async def _collect(tab: Tab) -> None:
    tab.collected = tab.requests.documents
    with suppress(ProtocolError, FrameGone, TimeoutError):  # closed, crashed or stuck in a script
        async with asyncio.timeout(COLLECT_SECONDS):
            await tab.world.session.send("HeapProfiler.collectGarbage")
