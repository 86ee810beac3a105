"""Tells which frames of a page an action has led elsewhere."""

from collections.abc import Mapping
from contextlib import suppress

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import NO_PAGE, shown_url
from gstack_browse.text.columns import format_count

MOST_FRAMES = 2
"""Limit for frames named in a reply; pages with advertisements have dozens."""


async def lines(tab: Tab, before: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return a line for each frame that shows another document than before the action.

    Frames that are new or blank have no line.

    before: `Target.frame_documents` of then
    """
    now = tab.page.target.frame_documents
    moved = [
        (frame, now[frame][1])
        for frame, (loader, _) in before.items()
        if frame in now and now[frame][0] != loader and now[frame][1] not in NO_PAGE
    ]
    told = [f"{await _name(tab, frame)} now at {shown_url(url)}" for frame, url in moved[:MOST_FRAMES]]
    more = len(moved) - MOST_FRAMES
    return [*told, f"and {format_count(more, 'more frame')}"] if more > 0 else told


async def _name(tab: Tab, frame: str) -> str:
    """Return a frame's name for a reply: `frame @e6`; "a frame" for one inside another frame."""
    with suppress(ProtocolError, FrameGone, PageScriptError):
        node = 0 if tab.is_leaving else await tab.world.owner_of(frame)
        if node and (refs := await tab.refs.refs_of(tab.page.main_frame, [node])) and refs[0]:
            return f"frame {refs[0]}"
    return "a frame"
