"""Reports how a page has changed the value of a text field when it lost the focus.

Only frames in which a text was written into a field are asked, until no such field has the focus. The document of the main frame says
with each answer whether it has changes to report, and is not asked otherwise: a query costs as much as a fifth of `fill`.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.answer_types import ChangedFields
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.text.sanitise import quote_text


def watch(tab: Tab, frame: Frame) -> None:
    """Check a frame's fields after each of the next actions, because a text was written there."""
    tab.written_in[frame] = tab.document


def frames_to_ask(tab: Tab) -> list[Frame]:
    """Return the frames of the tab's present document in which a text was written."""
    tab.written_in = {frame: document for frame, document in tab.written_in.items() if document == tab.document}
    return list(tab.written_in)


async def list_changes(tab: Tab, frames: Sequence[Frame]) -> list[str]:
    """Return a line for each field whose value the page has changed since the field was left.

    frames: those to ask, found before the action
    """
    here = frames_to_ask(tab) if frames else []
    due = [frame for frame in frames if frame in here and _may_have_changes(tab, frame)]
    told = await asyncio.gather(*(_list_changes_in(tab, frame) for frame in due)) if due else []
    return [line for lines in told for line in lines]


def _may_have_changes(tab: Tab, frame: Frame) -> bool:
    """Return whether a frame may have fields that changed. Of the main frame this is known.

    Other frames must be asked.
    """
    return frame != tab.page.main_frame or tab.world.has_changed_fields


async def _list_changes_in(tab: Tab, frame: Frame) -> list[str]:
    """Return a line for each field of a frame that the page has changed since it was left.

    [] if the page is leaving.
    """
    if tab.is_leaving or tab.closed_reason:
        return []
    with suppress(FrameGone, PageScriptError, ProtocolError):  # the page is gone, which the observer reports
        told: ChangedFields | None = await tab.work.unless_asked(
            tab.world.call("takeFieldsChangedAfterBlur", frame=frame)
        )
        if told and not told["waits"]:
            tab.written_in.pop(frame, None)
        if told and told["changed"]:
            refs = await tab.refs.refs_of(frame, [field["id"] for field in told["changed"]])
            return [
                _describe_value(ref, field["value"])
                for ref, field in zip(refs, told["changed"], strict=True)
                if ref
            ]
    return []


def _describe_value(ref: str, value: str) -> str:
    return f"{ref} is {quote_text(value, 80)} now" if value else f"{ref} is empty now"
