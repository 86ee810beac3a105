"""Contexts of scripts in documents that have none: without one, nothing of a frame's document can be asked.

Chromium makes a context where a document has a script, and, as long as `Runtime` is enabled, in every document. That is one flag for the whole page: the
first session that ends with `Runtime` enabled clears it for all others (V8RuntimeAgentImpl::disable, endEnsureAllContextsInGroup). Whoever looks at a
page of a browser that is shared, and goes, ends such a session. See decision 0445.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine.bundle import ENGINE_NAME

_GROUP = f"{ENGINE_NAME} contexts"
"""Chromium's objects that are asked for here, until they are released."""


async def begin(target: Target, only: str = "") -> None:
    """Have Chromium make contexts in the documents of a target's frames that have none; in the frame `only`, where one is named.

    They are known when this returns: they are asked for in the session that tells of them. A frame whose first document is on its way has no
    address yet, and is left alone. Raises Playwright's Error.
    """
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
