"""How much memory the pages of a session hold, as far as Chromium attributes memory to pages: their heaps.

Chromium does not say which process a page is in. A page's JavaScript, its document and its buffers are in heaps that tell their size;
decoded pictures, canvases and video are not.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine.world import World

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession

ANSWER_SECONDS = 0.3
"""How long a page may take to say it. One that hangs is counted as when it last answered."""
LEAST_ANSWERS = 300
"""And how many answers of the browser it may miss: the machine may be slow."""
_PARTS = ("usedSize", "embedderHeapUsedSize", "backingStorageSize")


async def of_tabs(session: "BrowserSession") -> dict[int, int]:
    """Bytes by tab: of the page with its frames and workers."""
    tab_of = {tab.world.frames.target.id: tab for tab in session.tabs if tab.is_prepared}
    targets = [target for target in session.running.connection.targets if target.page in tab_of]
    sizes = await asyncio.gather(*(_size(target, tab_of[target.page].world) for target in targets))
    found = dict.fromkeys((tab.id for tab in session.tabs), 0)
    for target, taken in zip(targets, sizes, strict=True):
        found[tab_of[target.page].id] += taken
    return found


async def _size(target: Target, world: World) -> int:
    asked = asyncio.ensure_future(target.observed.send("Runtime.getHeapUsage"))
    asked.add_done_callback(consume_exception)
    await asyncio.wait({asked}, timeout=ANSWER_SECONDS)
    await world.comes_true(asked.done, LEAST_ANSWERS)
    if not asked.done():
        asked.cancel()
        return target.heap
    try:
        told: dict[str, Any] = asked.result()
    except PlaywrightError:
        return target.heap
    target.heap = round(sum(told.get(part, 0) for part in _PARTS))
    return target.heap
