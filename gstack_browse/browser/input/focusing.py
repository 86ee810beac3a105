"""Focus an element, blur it, select text; verify each."""

from contextlib import suppress
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answers import Selected
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.input.at_once import unless_leaving
from gstack_browse.browser.input.keyboard import press
from gstack_browse.browser.input.readiness import ready
from gstack_browse.errors import ActionFailed, NoMatch
from gstack_browse.text.columns import format_count
from gstack_browse.text.sanitise import element_name, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

FOCUS = frozenset({"enabled"})
FRAME_SECONDS = 0.05
WRITTEN = frozenset({"text", "rich"})
"""Kinds of field to write into: text fields and editors."""


async def focus(page: "PageSession", target: str) -> None:
    """Focus an element. Raises ActionFailed if it cannot have the focus, or the page moves the focus on."""
    element, probe = await ready(page, target, FOCUS)
    said = await unless_leaving(page, element.ask("focus"))
    if said is None or said["has"]:
        return
    if said["other"]:
        raise ActionFailed(f"{probe.text} did not get the focus: {element_name(said['other'])} has it")
    raise ActionFailed(f"{probe.text} cannot have the focus", failures.SEE_ELEMENTS)


async def blur(page: "PageSession") -> str:
    """Blur the focused element, in whatever frame. Returns its name; "" if no element had the focus."""
    for frame in page.tab.page.frames:
        with suppress(FrameGone, PageScriptError, ProtocolError):
            if look := await unless_leaving(page, page.world.call("blur", frame=frame)):
                return element_name(look)
    return ""


async def select_text(page: "PageSession", target: str, first: str | None, last: str | None) -> str:
    """Select an element's text, or the part between two texts. Returns the selected text for the reply.

    Raises NoMatch for a text that is not there, ActionFailed if the element has no text to select.
    """
    element, probe = await ready(page, target, frozenset())
    if await element.ask("beginSelecting"):
        await page.world.frame(FRAME_SECONDS)  # editors move their caret when they get the focus
    said: Selected | None = await element.ask("selectText", first, last)
    if said is None:
        raise NoMatch(f"{probe.text} disappeared", failures.SEE_ELEMENTS)
    if said["missing"]:
        has = f"It has {quote_text(said['has'], 120)}" if said["has"] else failures.SEE_ELEMENTS
        raise NoMatch(f"{probe.text} has no text {quote_text(said['missing'], 60)}", has)
    if not said["text"]:
        raise ActionFailed(f"{probe.text} has no text that can be selected", failures.SEE_ELEMENTS)
    if probe.fill in WRITTEN and "Shift" not in page.tab.held.keys:
        # Toolbars and older editors read a selection when a key or the mouse comes up.
        await press(page, "Shift")
    count = format_count(len(said["text"]), "character")
    return f"{count} of a secret" if said["secret"] else f"{quote_text(said['text'], 80)} ({count})"
