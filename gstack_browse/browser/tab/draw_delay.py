"""Delays a read after an action until the page has drawn the next animation frame.

Many pages draw the effect of an action in that frame. Only a read that follows an action at once waits, reads of the logs included;
a command typed later finds the frame drawn. Other actions wait for their element anyway, and a script for its own condition.

A read that is a step of a chain also waits up to 150 ms for changes that a timer of the page makes. It waits for transitions and
animations that show, hide or move something and end within 500 ms, as `snapshot -D` does everywhere: a dialog may be opened by their end.
Transitions of colours, those that take longer, and those in frames and shadow trees are not waited for.
"""

import asyncio
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError

if TYPE_CHECKING:
    from gstack_browse.browser.tab.tab import Tab

FRAME_SECONDS = 0.1
"""Time limit for a page to draw. One that is out of view, or stuck in a script, may never do so."""
LATE_SECONDS = 1.0
"""Longer time limit if the page's main thread is not blocked: the machine may be slow."""
QUIET_MILLISECONDS, MOST_MILLISECONDS = 50, 150
"""A step of a chain reads once the page was unchanged for the first, at latest after the second."""
MOST_SECONDS = 2.0
"""Time limit for the page's answer: timers of a page that is out of view are slow."""
JUST_SECONDS = 1.0
"""Time after an action in which a read counts as following at once."""


async def wait_until_drawn(tab: "Tab") -> None:
    """Wait until the page has drawn what the last action changed.

    Returns at once if no action came just before.
    """
    acted, tab.acted = tab.acted, 0.0
    if acted + JUST_SECONDS > asyncio.get_running_loop().time():
        frame = asyncio.ensure_future(tab.world.frame(FRAME_SECONDS))
        frame.add_done_callback(consume_exception)
        await asyncio.wait({frame}, timeout=FRAME_SECONDS)
        if not frame.done() and not await tab.world.stays_silent():
            await asyncio.wait({frame}, timeout=LATE_SECONDS)


def watch_changes(tab: "Tab") -> None:
    """Start to record changes of the page, for `wait_until_unchanged`. Does not wait for the page."""
    watching = asyncio.ensure_future(tab.world.call("watchChanges"))
    watching.add_done_callback(consume_exception)


async def wait_until_unchanged(tab: "Tab") -> bool:
    """Wait until the page has stopped changing since `watch_changes`.

    Returns False if it still changes after 150 ms.
    """
    is_unchanged = await _ask_while_moving(tab, "waitUntilUnchanged", QUIET_MILLISECONDS, MOST_MILLISECONDS)
    return is_unchanged is None or bool(is_unchanged)


async def wait_until_faded(tab: "Tab") -> None:
    """Wait for transitions and animations that show, hide or move something and end within 500 ms."""
    await _ask_while_moving(tab, "waitUntilFaded")


async def _ask_while_moving(tab: "Tab", question: str, *arguments: int) -> object:
    """Return the page's answer; None without one: the read that follows reports the state of the page."""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return await tab.world.call(question, *arguments)
    except (TimeoutError, FrameGone, PageScriptError, ProtocolError):
        return None
