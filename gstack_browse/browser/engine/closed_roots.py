"""Find closed shadow roots and click listeners by the protocol, and pass them to the engine.

The engine keeps them in its isolated world, so the page is not changed and cannot notice.
"""

import asyncio
from dataclasses import dataclass
from itertools import chain
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import PageScriptError, evaluate, send

CLICKS = frozenset({
    "click", "dblclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend",
})  # fmt: skip
MAX_LISTENERS = 10_000
"""Elements that are examined one by one, about 0.3 ms each."""
GROUP = f"{ENGINE_NAME}-reveal"


async def open_closed_roots(context: ExecutionContext) -> bool:
    """Pass the engine the closed shadow roots of elements that it could not look into.

    Return whether there was any.
    """
    candidates = await resolve_objects(context, "__gbrowse.listClosedRootCandidates()")
    described = await asyncio.gather(*(_describe_node(context, object_id) for object_id in candidates))
    pairs = [
        (host, root["backendNodeId"])
        for host, node in zip(candidates, described, strict=True)
        for root in node.get("shadowRoots", [])
        if root.get("shadowRootType") == "closed"
    ]
    await asyncio.gather(*(_open_root(context, host, backend_id) for host, backend_id in pairs))
    await evaluate(context, "__gbrowse.markCandidatesExamined()")
    release_objects(context)
    return bool(pairs)


async def mark_listeners(context: ExecutionContext) -> int:
    """Mark in the engine all elements with click listeners: of a document, its shadow trees and frames.

    Return the number of elements beyond MAX_LISTENERS, which were left out.
    """
    roots = await resolve_objects(context, "__gbrowse.listTreeRoots()")
    found = await asyncio.gather(*(find_click_listeners(context, root) for root in roots))
    backend_ids = list(dict.fromkeys(chain.from_iterable(found)))
    examined = backend_ids[:MAX_LISTENERS]
    nodes = await asyncio.gather(*(resolve_node(context, backend_id) for backend_id in examined))
    living = [node for node in nodes if node]
    if living:
        function = "function(...nodes) { __gbrowse.markListeners(...nodes); }"
        # Nobody waits for the reply. The protocol needs a node to call a function on, any one of the engine's world.
        context.target.session.notify("Runtime.callFunctionOn", _call_parameters(roots[0], function, living))
    release_objects(context)
    return len(backend_ids) - len(examined)


async def resolve_objects(context: ExecutionContext, expression: str, group: str = GROUP) -> list[str]:
    """Evaluate JavaScript that yields an array of nodes. Return their `Runtime.RemoteObjectId`s.

    group: the object group by which they are released together
    """
    nodes = await evaluate(context, expression, group=group)
    listed = await send(context, "Runtime.getProperties", objectId=nodes["objectId"], ownProperties=True)
    return [item["value"]["objectId"] for item in listed["result"] if item["name"].isdigit()]


def request_document_object(context: ExecutionContext) -> "asyncio.Future[dict[str, Any]] | None":
    """Request the object id of `document` in the page's main world.

    Return the reply's future; None if there is no such world yet.
    """
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return None
    wanted = {"expression": "document", "uniqueContextId": page}
    reply = context.target.session.send("Runtime.evaluate", wanted)
    reply.add_done_callback(consume_exception)
    return reply


def received_document_id(context: ExecutionContext) -> str:
    """Return the object id of `document` that `World.load_engine` has requested; "" before the reply."""
    reply = context.document
    if reply is None or not reply.done() or reply.cancelled() or reply.exception():
        return ""
    return str(reply.result()["result"].get("objectId", ""))


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
    """Mark nodes in the engine as having click listeners. It returns a new snapshot if that changes it.

    listening: object ids of the nodes; they are released afterwards
    options: argument of the engine's `walkPage` for that snapshot
    """
    function = "function(...args) { return __gbrowse.reportListeners(...args); }"
    call = _call_parameters(listening[0], function, listening)
    call["arguments"].insert(0, {"value": options})
    future = context.target.session.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    release_objects(context)
    reply = await future
    if "exceptionDetails" in reply:
        raise PageScriptError("The engine could not mark the elements with listeners")
    packed: str = reply["result"]["value"]
    return ListenerReport(packed[0] == "+", packed[1] == "!", packed[2:])


async def main_world_document_id(
    context: ExecutionContext, reply: "asyncio.Future[dict[str, Any]] | None"
) -> str:
    """Return the object id of `document` in the page's main world. No script can replace that object.

    reply: result of `request_document_object`; if None, the id is found by other messages
    """
    if reply and (object_id := (await reply)["result"].get("objectId", "")):
        return str(object_id)
    document = await evaluate(context, "document", group=GROUP)
    return await _main_world_id(context, document["objectId"])


async def _main_world_id(context: ExecutionContext, root: str) -> str:
    """Return the object id in the page's main world of a document or shadow root.

    root: its object id in the engine's isolated world
    """
    # In no object group: Chromium would describe each handler of an object in one, too: 2.5 s instead of 0.2 s for JupyterLab.
    node = await send(context, "DOM.describeNode", objectId=root)
    named = await send(context, "DOM.resolveNode", backendNodeId=node["node"]["backendNodeId"])
    object_id: str = named["object"]["objectId"]
    return object_id


def request_listeners(context: ExecutionContext, tree: str) -> "asyncio.Future[dict[str, Any]]":
    """Request all event listeners in a document or shadow tree, without shadow trees and frames in it.

    tree: its object id in the page's main world
    """
    # `pierce` crashes the renderer of Chromium 156 beside resolved closed roots and frames of other processes
    wanted = {"objectId": tree, "depth": -1, "pierce": False}
    return context.target.session.send("DOMDebugger.getEventListeners", wanted)


async def click_listener_ids(reply: "asyncio.Future[dict[str, Any]]") -> list[int]:
    """Return the backend ids of nodes with listeners for one of the events CLICKS. Raises ProtocolError.

    reply: result of `request_listeners`
    """
    found = await reply
    return [
        item["backendNodeId"]
        for item in found["listeners"]
        if item["type"] in CLICKS and "backendNodeId" in item
    ]


async def _describe_node(context: ExecutionContext, object_id: str) -> dict[str, Any]:
    """Return the `DOM.Node` of an element; {} if the element is gone."""
    try:
        node: dict[str, Any] = (await send(context, "DOM.describeNode", objectId=object_id))["node"]
    except ProtocolError:
        return {}  # the element has gone since
    return node


async def _open_root(context: ExecutionContext, host: str, backend_id: int) -> None:
    """Pass a closed shadow root to the engine, which looks into it from now on.

    host: object id of the element that has it
    backend_id: that of the shadow root
    """
    root = await resolve_node(context, backend_id)
    if root:
        function = "function(root) { __gbrowse.openClosedRoot(this, root); }"
        await send(context, "Runtime.callFunctionOn", **_call_parameters(host, function, [root]))


async def find_click_listeners(context: ExecutionContext, root: str) -> list[int]:
    """Return the backend ids of nodes with click listeners in a document or shadow tree; [] if it is gone.

    root: object id of the document or shadow root in the engine's isolated world
    """
    try:
        # Chromium reports only listeners of the object's world, so the object of the page's world is needed.
        tree = await _main_world_id(context, root)
        found = await click_listener_ids(request_listeners(context, tree))
        context.target.session.notify("Runtime.releaseObject", {"objectId": tree})
    except ProtocolError:
        return []  # the tree has gone since
    return found


async def resolve_node(context: ExecutionContext, backend_id: int) -> str | None:
    """Return the object id, in the engine's world, of the node with a backend id; None if it is gone."""
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


def _call_parameters(this: str, function: str, arguments: list[str]) -> dict[str, Any]:
    """Return parameters of `Runtime.callFunctionOn`. `this`, `arguments`: object ids. `function`: source."""
    return {
        "objectId": this,
        "functionDeclaration": function,
        "arguments": [{"objectId": argument} for argument in arguments],
    }


def release_objects(context: ExecutionContext) -> None:
    """Let Chromium free the remote objects that the functions of this module have created in a document."""
    context.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": GROUP})
