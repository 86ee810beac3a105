"""Say where a text is that a page does not show as it is wanted."""

from contextlib import suppress
from typing import TYPE_CHECKING

from gstack_browse.browser.actions.locate.find import MOST_FRAMES
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine.answer_types import TextElsewhere
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, TooLong
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

_MOST_MILLISECONDS = 1000
_MOST_CHARACTERS = 120


async def where_shown(page: "PageSession", text: str) -> str:
    """Return a hint that names the frame that shows a text; "" for none."""
    for frame in page.tab.page.frames[:MOST_FRAMES]:
        with suppress(FrameGone, PageScriptError, ProtocolError):
            if frame != page.frame and await page.world.call("showsText", text, frame=frame):
                return f"A frame shows it ({one_line(shown_url(frame.url), 150)}): 'frame <selector>' goes into one"
    return ""


async def describe_missing(page: "PageSession", text: str) -> str:
    """Return a hint: where the text is, and which page this is by its heading and address."""
    if framed := await where_shown(page, text):
        return framed
    found: TextElsewhere | None = None
    with suppress(TooLong, FrameGone, PageScriptError, ProtocolError):
        found = await page.world.call("textElsewhere", text, frame=page.frame, milliseconds=_MOST_MILLISECONDS)
    where = await _describe_place(page, found) if found and found["kind"] else "Nothing in the page has it"
    title = found["heading"] if found else ""
    heading = quote_text(title, _MOST_CHARACTERS) if title else "a page without a heading"
    here = f"It shows {heading} at {one_line(shown_url(page.tab.url), 150)}"
    return f"{where}. {here}; 'text' prints all"


async def _describe_place(page: "PageSession", found: TextElsewhere) -> str:
    """Describe the place of a text that is not visible: hidden, out of view, or in other letters (case)."""
    ref = ""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        (ref,) = await page.tab.refs.refs_of(page.frame, [found["id"]]) if found["id"] else [""]
    if found["kind"] == "case":
        return f"In other letters it is there: {quote_text(found['text'], _MOST_CHARACTERS)} {ref}".rstrip()
    why = (
        "is hidden"
        if found["kind"] == "hidden"
        else "cannot be seen: it is out of view, cut off or transparent"
    )
    return f"{ref or 'An element'} has it and {why}"
