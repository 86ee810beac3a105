"""Fill editors that take keys in a hidden field and draw the text themselves.

Such editors are Monaco, CodeMirror 5 and Ace.
"""

import asyncio
from typing import TYPE_CHECKING

from gstack_browse.browser.engine.answers import FieldContent
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.settling import plain

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

DRAW_SECONDS = 1.0
"""Seconds for an editor to draw its new text."""
LOOK_AGAIN_SECONDS = 0.02


async def fill(page: "PageSession", element: Element, value: str) -> FieldContent | None:
    """Replace all text of an editor by keys. Returns what it draws afterwards; None once it is gone.

    Of a long text an editor draws a part. If it draws a part of `value`, `value` is returned.
    """
    await element.ask("focusOn")
    keyboard = page.keyboard
    await keyboard.press("ControlOrMeta+a")
    await (keyboard.insert_text(value) if value else keyboard.press("Delete"))
    looks = Looks(page, page.wait_until(DRAW_SECONDS))
    while True:
        held: FieldContent | None = await element.ask("value")
        if held is None or plain(held["value"]) == plain(value):
            return held
        if looks.are_over():
            return {**held, "value": value} if _is_part(held["value"], value) else held
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


def _is_part(drawn: str, value: str) -> bool:
    """Return whether an editor shows some lines of a longer text."""
    shown, lines = plain(drawn).split("\n"), plain(value).split("\n")
    return 0 < len(shown) < len(lines) and plain(drawn).strip("\n") in plain(value)
