"""What scripts cannot see and the debugging protocol can: closed shadow roots, and who listens for clicks.

Tells the engine of it, in its own world; the page is neither changed nor able to notice.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

from playwright.async_api import Error

from gstack_browse.browser.world import ENGINE_NAME, Context, FrameGone, PageScriptError, World, send

CLICKS = frozenset(
    {"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "touchend"}
)
MAX_LISTENERS = 2000
_GROUP = f"{ENGINE_NAME}-reveal"


async def open_closed_roots(world: World, context: Context) -> bool:
    """Give the engine the closed shadow roots of the elements it suspects. True when there was any."""
    suspects = await _suspects(world, context)
    described = await asyncio.gather(*(_describe(context, object_id) for object_id in suspects))
    pairs = [
        (host, root["backendNodeId"])
        for host, node in zip(suspects, described, strict=True)
        for root in node.get("shadowRoots", [])
        if root.get("shadowRootType") == "closed"
    ]
    await asyncio.gather(*(_open(context, host, backend_id) for host, backend_id in pairs))
    await world.call_in(context, "markExamined")
    await _release(context)
    return bool(pairs)


async def mark_listeners(world: World) -> None:
    """Tell the engine which elements have a listener for clicks, in all frames that are known."""
    for process in world.processes():
        context = process.contexts.get(process.root)
        if context:
            await _mark_listeners_in(world, context)


async def _suspects(world: World, context: Context) -> list[str]:
    """Object ids of the elements that may have a closed root."""
    nodes = await world.evaluate(context, "__gbrowse.suspectNodes()", group=_GROUP)
    listed = await send(context, "Runtime.getProperties", objectId=nodes["objectId"], ownProperties=True)
    return [item["value"]["objectId"] for item in listed["result"] if item["name"].isdigit()]


async def _describe(context: Context, object_id: str) -> dict[str, Any]:
    try:
        node: dict[str, Any] = (await send(context, "DOM.describeNode", objectId=object_id))["node"]
    except Error:
        return {}  # the element has gone since
    return node


async def _open(context: Context, host: str, backend_id: int) -> None:
    root = await _resolve(context, backend_id)
    if root:
        function = "function(root) { __gbrowse.openClosedRoot(this, root); }"
        await _call_on(context, host, function, [root])


async def _mark_listeners_in(world: World, context: Context) -> None:
    try:
        await world.call_in(context, "sweepTable")
        document = await world.evaluate(context, "document", group=_GROUP)
        found = await send(
            context, "DOMDebugger.getEventListeners", objectId=document["objectId"], depth=-1, pierce=True
        )
        backend_ids = list(dict.fromkeys(_clicked(found["listeners"])))[:MAX_LISTENERS]
        nodes = await asyncio.gather(*(_resolve(context, backend_id) for backend_id in backend_ids))
        living = [node for node in nodes if node]
        if living:
            await _call_on(
                context, document["objectId"], "function(...n) { __gbrowse.markListeners(...n); }", living
            )
        await _release(context)
    except (FrameGone, PageScriptError):
        return  # a frame that left while it was looked at has nothing to click


def _clicked(listeners: list[dict[str, Any]]) -> Iterator[int]:
    for listener in listeners:
        if listener["type"] in CLICKS and "backendNodeId" in listener:
            yield listener["backendNodeId"]


async def _resolve(context: Context, backend_id: int) -> str | None:
    """The object id, in the engine's world, of a node that the protocol named."""
    try:
        reply = await send(
            context,
            "DOM.resolveNode",
            backendNodeId=backend_id,
            executionContextId=context.number,
            objectGroup=_GROUP,
        )
    except Error:
        return None  # of another frame's document, or gone since
    object_id: str | None = reply["object"].get("objectId")
    return object_id


async def _call_on(context: Context, object_id: str, function: str, arguments: list[str]) -> None:
    await send(
        context,
        "Runtime.callFunctionOn",
        objectId=object_id,
        functionDeclaration=function,
        arguments=[{"objectId": argument} for argument in arguments],
    )


async def _release(context: Context) -> None:
    await send(context, "Runtime.releaseObjectGroup", objectGroup=_GROUP)
