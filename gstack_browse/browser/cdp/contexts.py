"""Contexts of scripts in documents that have none: without one, nothing of a frame's document can be asked.

Chromium makes a context where a document has a script, and, as long as `Runtime` is enabled, in every document, which takes it three
milliseconds each. That is one flag for the whole page: set by a session that enables `Runtime`, cleared for all by the first one that ends with
it or disables it (V8RuntimeAgentImpl::disable, endEnsureAllContextsInGroup). Setting it makes the contexts that there are not. In a page of a
browser of our own it is cleared as soon as the main frame has its context; a frame that has none gets one when somebody wants to go in. In a
browser that is shared the flag is others', too, and whoever looks at a page there and goes clears it. See decisions 0445 and 0443.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.targets import Target

_ENABLE, _DISABLE = "Runtime.enable", "Runtime.disable"
_GROUP = "gbrowse contexts"
"""Chromium's objects that are asked for here, until they are released."""


def spare(target: Target, *, all_later: bool) -> None:
    """Have Chromium make contexts in the documents of a page that have none, and in those of later frames only where `all_later`.

    To be called where a document has come into the main frame: in another process the flag is set again.
    """
    if target.session.id == target.observed.id:
        return  # Playwright takes the page over at this moment, and hears in this session
    target.session.notify(_ENABLE)
    target.has_all_contexts = all_later
    if not all_later:
        target.session.notify(_DISABLE)


async def begin(target: Target, only: str = "") -> None:
    """Have Chromium make contexts in the documents of a target's frames that have none; in the frame `only`, where one is named, at least.

    They are known when this returns: the last question is asked in the session that tells of them. A frame whose first document is on its way has
    no address yet, and may be left alone. Raises Playwright's Error.
    """
    if target.has_all_contexts:
        await _begin_each(target, only)
        return
    await target.session.send(_ENABLE)
    target.session.notify(_DISABLE)
    await target.observed.send("Runtime.evaluate", {"expression": "0"})


async def _begin_each(target: Target, only: str) -> None:
    """One frame at a time, and without a word about `Runtime`."""
    told = await target.observed.send("Page.getFrameTree")
    without = [
        frame["id"]
        for frame in _below(told["frameTree"])
        if frame["url"] and frame["id"] not in target.contexts and only in ("", frame["id"])
    ]
    await asyncio.gather(*(_begin_in(target, frame_id) for frame_id in without))
    if without:
        target.observed.notify("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


def _below(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The frames in a frame, at any depth."""
    for child in tree.get("childFrames", ()):
        yield child["frame"]
        yield from _below(child)


async def _begin_in(target: Target, frame_id: str) -> None:
    """Ask for the document as an object, which needs the page's own context; ours come with that."""
    with suppress(Error, KeyError):  # the frame is gone, or its document is in another process
        owner = await target.observed.send("DOM.getFrameOwner", {"frameId": frame_id})
        told = await target.observed.send("DOM.describeNode", {"backendNodeId": owner["backendNodeId"]})
        document = told["node"]["contentDocument"]["backendNodeId"]
        await target.observed.send("DOM.resolveNode", {"backendNodeId": document, "objectGroup": _GROUP})
