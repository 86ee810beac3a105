"""Replace the content of a field.

If its type takes no text input, its value is set; else its content is selected and replaced by one input event.
"""

import asyncio

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.reach import wait_until_back
from gstack_browse.browser.input.readiness import WAIT_SECONDS
from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.text.sanitise import element_name

LEAST_SECONDS = 0.5
"""Least time limit for a page to handle the input."""


async def put_text(element: Element, text: str, value: str) -> None:
    """Replace the content of a field by `value`.

    `text`: the field's name in messages; "" to ask the page for it.
    Raises Disappeared if the field was removed, ActionFailed if its type refuses the value, and TimedOut if the page is
    too busy.
    """
    page = element.page
    while (answer := await element.ask("beginFill", value)) is None:
        if not await wait_until_back(element):
            raise failures.disappeared(text or element.target)
    if answer == "refused":
        raise ActionFailed(f"{text or await _name_of(element)} does not take that value", failures.SEE_ELEMENTS)
    if answer == "set":
        return
    seconds = min(max(page.patience(WAIT_SECONDS), LEAST_SECONDS), page.remaining())
    keyboard = page.keyboard
    try:
        async with asyncio.timeout(seconds):
            await page.tab.act(keyboard.insert_text(value) if value else keyboard.press("Delete"))
    except TimeoutError:
        # the page is too busy to be asked for a name
        raise TimedOut(
            f"{text or element.target} did not take the text in time, and may hold a part of it",
            failures.SEE_ELEMENTS,
        ) from None
    except ProtocolError as error:
        raise failures.translate(error) from None


async def _name_of(element: Element) -> str:
    return element_name(await element.ask("lookText")) or element.target
