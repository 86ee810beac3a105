"""Input dispatched at once, for elements that one look in the page proves ready. Never waits, never guesses.

Playwright's own actions wait two animation frames to see that an element stands still (32 ms), which is right when it
may be moving. These functions answer False whenever that is not excluded, or the press did not reach its element;
then nothing has happened to the page, and the caller takes Playwright's way.
"""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.world import FrameGone

if TYPE_CHECKING:
    from gstack_browse.browser.find import Element
    from gstack_browse.browser.tab import Tab

_DELETE = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}


async def click(element: "Element") -> bool:
    """Press and release the left button over the element. True when it was hit; False when nothing was done."""
    page = element.page
    if element.frame != page.tab.page.main_frame:
        return False
    aim = await element.ask("arm")
    if aim is None:
        return False
    x, y = aim
    button: dict[str, Any] = {"x": x, "y": y, "button": "left", "clickCount": 1}
    send = page.world.session.send
    try:
        await asyncio.gather(
            send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y}),
            send("Input.dispatchMouseEvent", {"type": "mousePressed", "buttons": 1, **button}),
            _unless_navigating(
                page.tab, send("Input.dispatchMouseEvent", {"type": "mouseReleased", "buttons": 0, **button})
            ),
        )
        return bool(await _unless_navigating(page.tab, page.world.call("disarm")) != "missed")
    except (FrameGone, PlaywrightError):
        return True  # the press took the page away: the aftermath tells


async def _unless_navigating(tab: "Tab", sent: Coroutine[Any, Any, Any]) -> Any:
    """The page's answer, or None where a navigation has begun: Chromium answers nothing before that has ended."""
    task = asyncio.ensure_future(sent)
    task.add_done_callback(lambda _: tab.touch())
    await tab.until(lambda: task.done() or tab.is_navigating)
    if task.done():
        return task.result()
    task.add_done_callback(lambda late: late.cancelled() or late.exception())
    return None


async def fill(element: "Element", value: str) -> bool:
    """Replace the content of a text field by trusted input. True when it was sent.

    Where the page moves the focus elsewhere, the value is set without it: keys would end up in another field.
    """
    page = element.page
    if element.frame != page.tab.page.main_frame:
        return False
    if not await element.ask("startFilling"):
        await element.ask("setValue", value)
        return True
    send = page.world.session.send
    if value:
        await send("Input.insertText", {"text": value})
    else:
        await asyncio.gather(
            send("Input.dispatchKeyEvent", {"type": "keyDown", **_DELETE}),
            send("Input.dispatchKeyEvent", {"type": "keyUp", **_DELETE}),
        )
    return True
