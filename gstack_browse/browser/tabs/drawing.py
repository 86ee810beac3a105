"""Lets a read see what a person sees: many pages draw what an action changed in the next animation frame.

Only a read pays for that (of the logs, too), and only one that follows an action at once, as the next step of a chain does: what was typed
later finds the frame drawn. An action after another one waits for its element anyway, and a script for what it wants.

A read that is a step of a chain also waits up to 150 ms for changes that a timer of the page makes. Commands that are typed one by one come later anyway.
"""

import asyncio
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.tab import Tab

FRAME_SECONDS = 0.1
"""How long a page may take to draw. One that is out of view, or stuck in a script, may never do so."""
LATE_SECONDS = 1.0
"""How long one may take that answers meanwhile: the machine may be slow."""
QUIET_MILLISECONDS, MOST_MILLISECONDS = 50, 150
"""A step of a chain reads a page that has not changed for the first, or at once after the second."""
MOST_SECONDS = 0.5
"""How long the page may take to answer that: timers of a page that is out of view are slow."""
JUST_SECONDS = 1.0
"""How long after an action a read counts as one that follows at once."""


async def drawn(tab: "Tab") -> None:
    """Wait until the page has drawn what the last action changed; at once when nothing was done just before."""
    acted, tab.acted = tab.acted, 0.0
    if acted + JUST_SECONDS > asyncio.get_running_loop().time():
        frame = asyncio.ensure_future(tab.world.frame(FRAME_SECONDS))
        frame.add_done_callback(consume_exception)
        await asyncio.wait({frame}, timeout=FRAME_SECONDS)
        if not frame.done() and not await tab.world.stays_silent(ANSWERS):
            await asyncio.wait({frame}, timeout=LATE_SECONDS)


def watch_changes(tab: "Tab") -> None:
    """Start to record changes of the page, for `wait_until_unchanged`. Does not wait for the page."""
    watching = asyncio.ensure_future(tab.world.call("watchChanges"))
    watching.add_done_callback(consume_exception)


async def wait_until_unchanged(tab: "Tab") -> bool:
    """Wait until the page has stopped changing since `watch_changes`. Return False if it still changes after 150 ms."""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return bool(await tab.world.call("waitUntilUnchanged", QUIET_MILLISECONDS, MOST_MILLISECONDS))
    except (TimeoutError, FrameGone, PageScriptError, Error):
        return True  # the read that follows says what has become of the page
