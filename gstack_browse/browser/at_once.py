"""Input dispatched at once, for elements that one look in the page proves ready. Never waits, never guesses.

Playwright's own actions wait two animation frames to see that an element stands still (32 ms), which is right when it
may be moving. Here the page's first answer has excluded that (see scripts/at-once.js). A function answers False where the
element was not reached all the same; then nothing has happened to it, and the caller takes Playwright's way.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.world import FrameGone, hear

if TYPE_CHECKING:
    from gstack_browse.browser.find import Element
    from gstack_browse.browser.page import PageSession
    from gstack_browse.browser.tab import Tab

_DELETE = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}


async def click(page: "PageSession", at: Sequence[float]) -> bool:
    """Press and release the left button where the page has put a guard. True when it was hit; False when nothing was done."""
    x, y = at
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
        verdict = asyncio.ensure_future(_unless_navigating(page.tab, page.world.call("disarm")))
        page.end_turn()
        return bool(await verdict != "missed")
    except (FrameGone, PlaywrightError):
        return True  # the press took the page away: the aftermath tells


async def _unless_navigating(tab: "Tab", sent: Coroutine[Any, Any, Any]) -> Any:
    """The page's answer, or None where a navigation has begun: Chromium answers nothing before that has ended."""
    task = asyncio.ensure_future(sent)
    task.add_done_callback(lambda _: tab.touch())
    await tab.until(lambda: task.done() or tab.is_navigating)
    if task.done():
        return task.result()
    task.add_done_callback(hear)
    return None


async def hover(element: "Element", at: Sequence[float]) -> bool:
    """Move the pointer to the element. False when it is not over it then."""
    page = element.page
    x, y = at
    move = page.world.session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
    try:
        await _unless_navigating(page.tab, move)
        is_there = asyncio.ensure_future(_unless_navigating(page.tab, element.ask("isPointedAt")))
        page.end_turn()
        return await is_there is not False
    except (FrameGone, PlaywrightError):
        return True  # the page left when the pointer came: the aftermath tells


async def fill(element: "Element", value: str, *, is_focused: bool) -> dict[str, Any] | None:
    """Replace the content of a text field, focused with all of it selected, by trusted input. Returns what it holds then.

    Where the page moves the focus elsewhere, the value is set without it: keys would end up in another field.
    """
    if not is_focused:
        await element.ask("setValue", value)
        return await held(element)
    page = element.page
    send = page.world.session.send
    if value:
        inputs = [send("Input.insertText", {"text": value})]
    else:
        inputs = [send("Input.dispatchKeyEvent", {"type": kind, **_DELETE}) for kind in ("keyDown", "keyUp")]
    *_, holds = await asyncio.gather(
        *(_unless_navigating(page.tab, sent) for sent in inputs),
        _unless_navigating(page.tab, element.ask("filled")),
    )
    if holds is not None:
        page.turn_ended()
    return dict(holds) if holds else None


async def choose(element: "Element", indices: Sequence[int]) -> dict[str, Any] | None:
    """Select options of a list by their places. Returns the list as it is then; None when the page has replaced it."""
    page = element.page
    after: dict[str, Any] | None = await _unless_navigating(page.tab, element.ask("choose", indices))
    if after:
        page.turn_ended()
    return after


async def held(element: "Element") -> dict[str, Any] | None:
    """What a field holds, with the end of the page's turn asked for behind the question; None when it is gone."""
    asked = asyncio.ensure_future(element.ask("value"))
    element.page.end_turn()
    holds: dict[str, Any] | None = await asked
    return holds
