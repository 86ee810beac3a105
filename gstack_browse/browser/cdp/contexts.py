"""Makes execution contexts in documents without scripts.

Without one, no script of ours can run in a document.
Chromium makes a context where a document has a script. As long as `Runtime` is enabled, it makes one in every document, which takes three
milliseconds each. That is one flag for the whole page. A session that enables `Runtime` sets it, and makes the missing contexts. The first
one that disables it or ends clears it for all (V8RuntimeAgentImpl::disable, endEnsureAllContextsInGroup).

In our own browser the flag is cleared once the main frame has its context; a frame without one gets it on demand. In a shared browser
others use the flag, too, and any of their sessions that ends clears it.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import Target

_ENABLE, _DISABLE = "Runtime.enable", "Runtime.disable"
_GROUP = "gbrowse contexts"
"""Name of the group of remote objects made here, to release them together."""


def limit_contexts(target: Target, *, all_later: bool) -> None:
    """Make the missing contexts of a page. Leave documents of later frames without, unless `all_later`.

    Call it for each new document of the main frame, since the flag is set again in another process.
    """
    if target.session.id == target.observed.id:
        return  # Playwright adopts the page at this moment, and needs the events in this session
    target.session.notify(_ENABLE)
    target.has_all_contexts = all_later
    if not all_later:
        target.session.notify(_DISABLE)


async def make_contexts(target: Target, only: str = "") -> None:
    """Make the missing contexts in a target's frames.

    Args:
        only: id of the one frame that needs it; "" for all

    They are known on return, since the last request goes through the session that reports them. A frame whose first document is still
    loading has no URL, and may be left out. Raises ProtocolError.
    """
    if target.has_all_contexts:
        await _make_each(target, only)
        return
    await target.session.send(_ENABLE)
    target.session.notify(_DISABLE)
    await target.observed.send("Runtime.evaluate", {"expression": "0"})


async def _make_each(target: Target, only: str) -> None:
    """Make the missing contexts frame by frame, without `Runtime.enable`."""
    told = await target.observed.send("Page.getFrameTree")
    without = [
        frame["id"]
        for frame in _frames_below(told["frameTree"])
        if frame["url"] and frame["id"] not in target.contexts and only in ("", frame["id"])
    ]
    await asyncio.gather(*(_make_in(target, frame_id) for frame_id in without))
    if without:
        target.observed.notify("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


def _frames_below(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the frames below a frame, at any depth."""
    for child in tree.get("childFrames", ()):
        yield child["frame"]
        yield from _frames_below(child)


async def _make_in(target: Target, frame_id: str) -> None:
    """Resolve the document as an object: Chromium makes the page's own context for that, and ours with it."""
    with suppress(ProtocolError, KeyError):  # the frame is gone, or its document is in another process
        owner = await target.observed.send("DOM.getFrameOwner", {"frameId": frame_id})
        told = await target.observed.send("DOM.describeNode", {"backendNodeId": owner["backendNodeId"]})
        document = told["node"]["contentDocument"]["backendNodeId"]
        await target.observed.send("DOM.resolveNode", {"backendNodeId": document, "objectGroup": _GROUP})
