"""Measure the heaps of a context's pages, and collect their garbage.

Chromium does not say which process a page is in. A page's JavaScript, its document and its buffers are in heaps that report their size;
decoded pictures, canvases and video are not.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp import tasks
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable

if TYPE_CHECKING:
    from gstack_browse.browser.context.open_context import OpenContext

ANSWER_SECONDS = 0.3
"""Time limit for pages, extended until the browser has answered 300 pings. One that hangs counts with its last value."""
_MOST_SECONDS = 2.0
"""Limit of that extension: `status` has to answer also on a machine that is too busy for all else."""
_PARTS = ("usedSize", "embedderHeapUsedSize", "backingStorageSize")


async def measure_heaps(browser: "OpenContext") -> dict[int, int]:
    """Return tab number → bytes in the heaps (JavaScript, DOM, buffers) of its page, frames and workers."""
    connection = browser.running.connection
    found = dict.fromkeys((tab.id for tab in browser.tabs), 0)
    tab_of = {tab.world.frames.target.id: tab.id for tab in browser.tabs if tab.is_prepared}
    targets = [target for target in connection.targets if target.page in tab_of]
    replies = [target.session.send("Runtime.getHeapUsage") for target in targets]
    for one in replies:
        one.add_done_callback(consume_exception)
    if replies:
        await asyncio.wait(replies, timeout=ANSWER_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(_MOST_SECONDS):
                await tasks.wait_until(connection, lambda: all(one.done() for one in replies), tasks.ANSWERS)
    for target, one in zip(targets, replies, strict=True):
        _store_heap_size(target, one)
        found[tab_of[target.page]] += target.heap
    return found


def _store_heap_size(target: Target, reply: "asyncio.Future[dict[str, Any]]") -> None:
    """Store a target's heap size in `target.heap`, if it was reported. `reply`: the future of the answer."""
    if not reply.done():
        reply.cancel()
    elif not reply.cancelled() and reply.exception() is None:
        target.heap = round(sum(reply.result().get(part, 0) for part in _PARTS))


DOCUMENTS = 50
"""Documents of a tab after which to collect when its browser context is idle."""
MOST_DOCUMENTS = 100
"""Documents of a tab after which to collect in any case."""
COLLECT_SECONDS = 5.0


async def collect_garbage(tabs: TabTable, *, is_idle: bool) -> None:
    """Collect the garbage of tabs that have loaded many documents since the last collection.

    Does not wait for a busy page. `is_idle`: no command runs in the browser context, so fewer documents are enough.
    """
    limit = DOCUMENTS if is_idle else MOST_DOCUMENTS
    await asyncio.gather(*(_collect_garbage(tab) for tab in tabs if _documents_since_collection(tab) >= limit))


async def collect_navigated(tabs: TabTable) -> None:
    """Collect the garbage of every tab that has navigated since its last collection.

    Does not wait for a busy page.
    """
    await asyncio.gather(*(_collect_garbage(tab) for tab in tabs if _documents_since_collection(tab)))


async def collect_again(tabs: TabTable) -> None:
    """Collect the garbage of tabs that have not navigated since their last collection.

    Called half a second after `collect_navigated`, whose work made a tenth of a renderer's memory collectable. Takes 5 ms.
    """
    await asyncio.gather(*(_collect_garbage(tab) for tab in tabs if not _documents_since_collection(tab)))


def has_navigated_tab(tabs: TabTable) -> bool:
    """Return whether a tab has navigated since its garbage was collected."""
    return any(_documents_since_collection(tab) for tab in tabs)


def _documents_since_collection(tab: Tab) -> int:
    """Return how many documents a tab has loaded since its garbage was collected."""
    return tab.requests.documents - tab.collected


async def _collect_garbage(tab: Tab) -> None:
    """Collect the garbage of a tab's page, for COLLECT_SECONDS at most. Never raises."""
    tab.collected = tab.requests.documents
    with suppress(ProtocolError, FrameGone, TimeoutError):  # closed, crashed or stuck in a script
        async with asyncio.timeout(COLLECT_SECONDS):
            await tab.world.session.send("HeapProfiler.collectGarbage")
