"""Tells which frames of a page an action has led elsewhere."""

from collections.abc import Mapping
from contextlib import suppress

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import NO_PAGE, shown_url
from gstack_browse.text.columns import format_count

MOST_FRAMES = 2
"""Limit for frames named in a reply; pages with advertisements have dozens."""


def document_ids(tab: Tab) -> dict[Frame, str]:
    """Return the loader id of each subframe's document."""
    return {frame: frame.loader for frame in tab.page.frames if frame is not tab.page.main_frame}


async def lines(tab: Tab, before: Mapping[Frame, str]) -> list[str]:
    """Return a line for each frame that shows another document than before the action.

    Frames that are new or blank have no line. before: what `document_ids` returned before the action
    """
    moved = [
        frame
        for frame, loader in before.items()
        if not frame.is_detached() and frame.loader != loader and frame.url not in NO_PAGE
    ]
    told = [f"{await _name(tab, frame)} now at {shown_url(frame.url)}" for frame in moved[:MOST_FRAMES]]
    more = len(moved) - MOST_FRAMES
    return [*told, f"and {format_count(more, 'more frame')}"] if more > 0 else told


async def _name(tab: Tab, frame: Frame) -> str:
    """Return a frame's name for a reply: `frame @e6`; "a frame" for one inside another frame."""
    with suppress(ProtocolError, FrameGone, PageScriptError):
        node = 0 if tab.is_leaving else await tab.world.owner_of(frame.id)
        if node and (refs := await tab.refs.refs_of(tab.page.main_frame, [node])) and refs[0]:
            return f"frame {refs[0]}"
    return "a frame"
