"""Finds closed shadow roots and click listeners: scripts cannot see them, the debugging protocol can.

They are passed to the engine in its own world, so the page is not changed and cannot notice.
"""

import asyncio
from dataclasses import dataclass
from itertools import chain
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import PageScriptError, evaluate, send

CLICKS = frozenset(
    {
        "click",
        "mousedown",
        "mouseup",
        "pointerdown",
        "pointerup",
        "dblclick",
        "contextmenu",
        "touchstart",
        "touchend",
    }
)
MAX_LISTENERS = 10_000
"""Elements that are examined one by one, about 0.3 ms each."""
GROUP = f"{ENGINE_NAME}-reveal"


async def open_closed_roots(context: ExecutionContext) -> bool:
    """Give the engine the closed shadow roots of the elements it suspects. Return whether there was any."""
    suspects = await resolve_objects(context, "__gbrowse.closedRootCandidates()")
    described = await asyncio.gather(*(_describe_node(context, object_id) for object_id in suspects))
    pairs = [
        (host, root["backendNodeId"])
        for host, node in zip(suspects, described, strict=True)
        for root in node.get("shadowRoots", [])
        if root.get("shadowRootType") == "closed"
    ]
    await asyncio.gather(*(_open_root(context, host, backend_id) for host, backend_id in pairs))
    await evaluate(context, "__gbrowse.markExamined()")
    release(context)
    return bool(pairs)


async def mark_listeners(context: ExecutionContext) -> int:
    """Tell the engine which elements have a listener for clicks, in the trees that the last walk entered.

    Return how many were left out, since there were too many.
    """
    roots = await resolve_objects(context, "__gbrowse.treeRoots()")
    found = await asyncio.gather(*(find_listening_in(context, root) for root in roots))
    backend_ids = list(dict.fromkeys(chain.from_iterable(found)))
    examined = backend_ids[:MAX_LISTENERS]
    nodes = await asyncio.gather(*(resolve_node(context, backend_id) for backend_id in examined))
    living = [node for node in nodes if node]
    if living:
        _send_listeners(context, roots[0], living)
    release(context)
    return len(backend_ids) - len(examined)


async def resolve_objects(context: ExecutionContext, expression: str, group: str = GROUP) -> list[str]:
    """Return the object ids of the nodes in the array that `expression` evaluates to, in `group`."""
    nodes = await evaluate(context, expression, group=group)
    listed = await send(context, "Runtime.getProperties", objectId=nodes["objectId"], ownProperties=True)
    return [item["value"]["objectId"] for item in listed["result"] if item["name"].isdigit()]


def _send_listeners(context: ExecutionContext, node: str, listening: list[str]) -> None:
    """Tell the engine which elements listen, without waiting: later calls are answered after this one.

    node: object id of any node of the engine's world. listening: object ids
    """
    function = "function(...nodes) { __gbrowse.markListeners(...nodes); }"
    context.target.session.notify("Runtime.callFunctionOn", _call_parameters(node, function, listening))


def request_document(context: ExecutionContext) -> "asyncio.Future[dict[str, Any]] | None":
    """Send the request for `document` in the page's own world. None if that world is not known yet."""
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return None
    wanted = {"expression": "document", "uniqueContextId": page}
    asked = context.target.session.send("Runtime.evaluate", wanted)
    asked.add_done_callback(consume_exception)
    return asked


def received_document(context: ExecutionContext) -> str:
    """Return the object id that `request_document` asked for; "" if the answer has not come."""
    asked = context.document
    if asked is None or not asked.done() or asked.cancelled() or asked.exception():
        return ""
    return str(asked.result()["result"].get("objectId", ""))


@dataclass(frozen=True, slots=True)
class ListenerReport:
    """The engine's answer to `report_listeners`."""

    may_delegate: bool
    """Whether one of the nodes may listen on behalf of its descendants."""
    has_page_changed: bool
    """Whether the page has changed since the nodes were found."""
    walk: str
    """A new walk of the page; "" if it would equal the last one."""


async def report_listeners(
    context: ExecutionContext, listening: list[str], options: dict[str, Any]
) -> ListenerReport:
    """Tell the engine which nodes listen; it walks the page again if its snapshot would change.

    listening: object ids of the nodes; they are released afterwards
    options: how to walk
    """
    function = "function(...args) { return __gbrowse.reportListeners(...args); }"
    call = _call_parameters(listening[0], function, listening)
    call["arguments"].insert(0, {"value": options})
    asked = context.target.session.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    release(context)
    reply = await asked
    if "exceptionDetails" in reply:
        raise PageScriptError("The engine could not be told who listens")
    packed: str = reply["result"]["value"]
    return ListenerReport(packed[0] == "+", packed[1] == "!", packed[3:])


async def own_document(context: ExecutionContext, asked: "asyncio.Future[dict[str, Any]] | None") -> str:
    """Return the object id of `document` in the page's own world; no script can replace that object.

    asked: what `request_document` returned
    """
    if asked and (object_id := (await asked)["result"].get("objectId", "")):
        return str(object_id)
    document = await evaluate(context, "document", group=GROUP)
    return await own_object(context, document["objectId"])


async def own_object(context: ExecutionContext, root: str) -> str:
    """Return the object id, in the page's own world, of the document or shadow root `root`.

    It is in no group: Chromium would describe every handler of an object in a group, too: 2.5 s
    instead of 0.2 s for JupyterLab.
    """
    node = await send(context, "DOM.describeNode", objectId=root)
    named = await send(context, "DOM.resolveNode", backendNodeId=node["node"]["backendNodeId"])
    object_id: str = named["object"]["objectId"]
    return object_id


def request_listeners(context: ExecutionContext, tree: str) -> "asyncio.Future[dict[str, Any]]":
    """Send the request for all listeners in a tree. `tree`: what `own_object` returned."""
    # `pierce` crashes the renderer of Chromium 156 beside resolved closed roots and frames of other processes
    wanted = {"objectId": tree, "depth": -1, "pierce": False}
    return context.target.session.send("DOMDebugger.getEventListeners", wanted)


async def click_listener_ids(asked: "asyncio.Future[dict[str, Any]]") -> list[int]:
    """Return the backend ids of the nodes that listen for clicks. Raises ProtocolError.

    asked: what `request_listeners` returned
    """
    found = await asked
    return [
        item["backendNodeId"]
        for item in found["listeners"]
        if item["type"] in CLICKS and "backendNodeId" in item
    ]


async def _describe_node(context: ExecutionContext, object_id: str) -> dict[str, Any]:
    """Return the protocol's description of an element; {} if it has gone."""
    try:
        node: dict[str, Any] = (await send(context, "DOM.describeNode", objectId=object_id))["node"]
    except ProtocolError:
        return {}  # the element has gone since
    return node


async def _open_root(context: ExecutionContext, host: str, backend_id: int) -> None:
    """Pass the closed shadow root of the element `host` to the engine, which looks inside from now on."""
    root = await resolve_node(context, backend_id)
    if root:
        function = "function(root) { __gbrowse.openClosedRoot(this, root); }"
        await _call_function_on(context, host, function, [root])


async def find_listening_in(context: ExecutionContext, root: str) -> list[int]:
    """Return the backend ids of the nodes that listen for clicks in one tree; [] if it is gone.

    The page's own object for the tree is used, since Chromium reports only listeners of the object's world. Each tree is
    asked by itself: `pierce` would report all at once, but crashes the renderer of Chromium 156 on pages with closed roots and
    frames of other processes. Naming an object runs none of the page's code.
    """
    try:
        tree = await own_object(context, root)
        found = await click_listener_ids(request_listeners(context, tree))
        context.target.session.notify("Runtime.releaseObject", {"objectId": tree})
    except ProtocolError:
        return []  # the tree has gone since
    return found


async def resolve_node(context: ExecutionContext, backend_id: int) -> str | None:
    """Return the object id, in the engine's world, of a node by its backend id; None if it has gone."""
    try:
        reply = await send(
            context,
            "DOM.resolveNode",
            backendNodeId=backend_id,
            executionContextId=context.number,
            objectGroup=GROUP,
        )
    except ProtocolError:
        return None  # of another frame's document, or gone since
    object_id: str | None = reply["object"].get("objectId")
    return object_id


async def _call_function_on(
    context: ExecutionContext, object_id: str, function: str, arguments: list[str]
) -> None:
    """Call `function` with the object `object_id` as `this`. `arguments`: object ids."""
    await send(context, "Runtime.callFunctionOn", **_call_parameters(object_id, function, arguments))


def _call_parameters(object_id: str, function: str, arguments: list[str]) -> dict[str, Any]:
    """Return the parameters of `Runtime.callFunctionOn`. `arguments`: object ids."""
    return {
        "objectId": object_id,
        "functionDeclaration": function,
        "arguments": [{"objectId": argument} for argument in arguments],
    }


def release(context: ExecutionContext) -> None:
    """Release all objects that functions of this module have requested in a context."""
    context.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": GROUP})
