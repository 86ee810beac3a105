"""Measures how much memory the heaps of a session's pages hold.

Chromium does not say which process a page is in. A page's JavaScript, its document and its buffers are in heaps that report their size;
decoded pictures, canvases and video are not.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp import patience
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import Target

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession

ANSWER_SECONDS = 0.3
"""Time limit for pages, extended until the browser has answered 300 pings. One that hangs counts with its last value."""
_PARTS = ("usedSize", "embedderHeapUsedSize", "backingStorageSize")


async def of_tabs(session: "BrowserSession") -> dict[int, int]:
    """Return the heap bytes of each tab that is open now: of its page with frames and workers."""
    connection = session.running.connection
    found = dict.fromkeys((tab.id for tab in session.tabs), 0)
    tab_of = {tab.world.frames.target.id: tab.id for tab in session.tabs if tab.is_prepared}
    targets = [target for target in connection.targets if target.page in tab_of]
    asked = [target.session.send("Runtime.getHeapUsage") for target in targets]
    for one in asked:
        one.add_done_callback(consume_exception)
    if asked:
        await asyncio.wait(asked, timeout=ANSWER_SECONDS)
        await patience.wait_until(connection, lambda: all(one.done() for one in asked), patience.ANSWERS)
    for target, one in zip(targets, asked, strict=True):
        _note(target, one)
        found[tab_of[target.page]] += target.heap
    return found


def _note(target: Target, asked: "asyncio.Future[dict[str, Any]]") -> None:
    """Keep what a target has reported about its heap, if anything."""
    if not asked.done():
        asked.cancel()
    elif not asked.cancelled() and asked.exception() is None:
        target.heap = round(sum(asked.result().get(part, 0) for part in _PARTS))
