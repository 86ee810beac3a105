"""Roles and states that custom elements keep in their ElementInternals: asked of the page's side, told to the engine.

An isolated world cannot read another world's ElementInternals, and the tree of accessibility, which can, costs Chromium
more than the whole snapshot. So the properties of the elements are listed, private ones too, which runs none of the page's
code, and the internals among them are read by a function that is not allowed any side effect.
See docs/decisions/0017-what-the-tree-says-of-an-element.md.
"""

import asyncio
from typing import Any

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.targets import Context
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import PageScriptError, send

_GROUP = f"{ENGINE_NAME}-internals"
_WORDS = [
    "Autocomplete",
    "Busy",
    "Checked",
    "Current",
    "Description",
    "Disabled",
    "Expanded",
    "HasPopup",
    "Invalid",
    "Label",
    "Level",
    "Modal",
    "MultiSelectable",
    "Orientation",
    "Pressed",
    "ReadOnly",
    "Required",
    "RoleDescription",
    "Selected",
    "Sort",
    "ValueMax",
    "ValueMin",
    "ValueNow",
    "ValueText",
]
_PROPERTIES = ["role", *(f"aria{word}" for word in _WORDS)]
_ATTRIBUTES = ["role", *(f"aria-{word.lower()}" for word in _WORDS)]
_READ = "function(properties, ...all) { return all.map((one) => properties.map((property) => one[property])); }"


async def ask(context: Context) -> bool:
    """Tell the engine what the custom elements of the last walk keep in their internals. True when that is news."""
    news = False
    for _ in range(2):  # the first time tells which kinds of element have any
        nodes = await closed_roots.objects(context, "__gbrowse.customNodes()")
        if not nodes:
            break
        found = await asyncio.gather(*(_internals_of(context, node) for node in nodes))
        said = iter(await _read(context, [one for one in found if one]))
        answers = [next(said, None) if one else None for one in found]
        changed = await _tell(context, answers, nodes)
        news = news or changed
        if not changed:
            break
    for group in (_GROUP, closed_roots.GROUP):
        await send(context, "Runtime.releaseObjectGroup", objectGroup=group)
    return news


async def _internals_of(context: Context, node: str) -> str | None:
    """The page's own ElementInternals of a node, when the element holds them in a property of its own."""
    try:
        described = await send(context, "DOM.describeNode", objectId=node)
        backend_id = described["node"]["backendNodeId"]
        owner = await send(context, "DOM.resolveNode", backendNodeId=backend_id, objectGroup=_GROUP)
        listed = await send(
            context, "Runtime.getProperties", objectId=owner["object"]["objectId"], ownProperties=True
        )
    except Error:
        return None  # the element has gone since
    for item in [*listed.get("privateProperties", []), *listed["result"]]:
        value = item.get("value", {})
        if value.get("className") == "ElementInternals":
            object_id: str | None = value.get("objectId")
            return object_id
    return None


async def _read(context: Context, internals: list[str]) -> list[dict[str, str]]:
    """The attributes that each stands for. Empty when the page has put code of its own in the way."""
    if not internals:
        return []
    try:
        reply = await send(
            context,
            "Runtime.callFunctionOn",
            objectId=internals[0],
            functionDeclaration=_READ,
            arguments=[{"value": _PROPERTIES}, *({"objectId": one} for one in internals)],
            returnByValue=True,
            throwOnSideEffect=True,
        )
    except (PageScriptError, Error):
        return []
    return [
        {name: value for name, value in zip(_ATTRIBUTES, row, strict=True) if isinstance(value, str)}
        for row in reply["result"]["value"]
    ]


async def _tell(context: Context, answers: list[dict[str, str] | None], nodes: list[str]) -> bool:
    reply: dict[str, Any] = await send(
        context,
        "Runtime.callFunctionOn",
        objectId=nodes[0],
        functionDeclaration="function(...told) { return __gbrowse.tellInternals(...told); }",
        arguments=[{"value": answers}, *({"objectId": node} for node in nodes)],
        returnByValue=True,
    )
    return bool(reply["result"].get("value"))
