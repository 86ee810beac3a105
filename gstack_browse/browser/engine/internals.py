"""Read roles and states of custom elements from their ElementInternals, and pass them to the engine.

An isolated world cannot read another world's ElementInternals. The accessibility tree can, but costs Chromium more than the
whole snapshot. So the properties of the elements are listed, private ones too, which runs none of the page's code, and a
function without side effects reads the internals among them. Internals that a class keeps in a variable, with no property
leading to them, are read from the accessibility tree after all, in small documents (`read_accessibility_tree`).
`Runtime.queryObjects` took 6 s beside 300,000 objects, and misses internals that scripts no longer hold.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import PageScriptError, evaluate, send

MOST_ELEMENTS = 3_000
"""Elements of the largest document that is asked: about 45 ms for the tree of so many."""
_MOST_CLASSES = 8
"""Classes examined above an element, up to HTMLElement."""
_ATTACHES = "attachInternals"
_NATIVE = "[native code]"
_WORDS = [
    "Autocomplete", "Busy", "Checked", "Current", "Description", "Disabled", "Expanded", "HasPopup",
    "Invalid", "Label", "Level", "Modal", "MultiSelectable", "Orientation", "Pressed", "ReadOnly",
    "Required", "RoleDescription", "Selected", "Sort", "ValueMax", "ValueMin", "ValueNow", "ValueText",
]  # fmt: skip
_PROPERTIES = ["role", *(f"aria{word}" for word in _WORDS)]
_ATTRIBUTES = ["role", *(f"aria-{word.lower()}" for word in _WORDS)]
_NO_ROLE = frozenset({"", "generic", "none", "unknown"})
_SYNONYMS = {
    "image": "img",
    "togglebutton": "button",
    "popupbutton": "button",
    "disclosuretriangle": "button",
    "textfield": "textbox",
    "textfieldwithcombobox": "combobox",
    "comboboxmenubutton": "combobox",
    "comboboxgrouping": "combobox",
    "listboxoption": "option",
}
"""Chromium's own names for roles, in lower case, and the roles that they stand for."""


async def _has_attaching_class(context: ExecutionContext, properties: dict[str, Any]) -> bool:
    """Return whether the source of a custom element's class, or of a base class, has `attachInternals`.

    Runs none of the page's code. Raises ProtocolError.

    properties: the reply of `Runtime.getProperties` for the element
    """
    for _ in range(_MOST_CLASSES):
        above = [one for one in properties.get("internalProperties", []) if one["name"] == "[[Prototype]]"]
        if not above or "objectId" not in above[0].get("value", {}):
            return False
        properties = await send(
            context, "Runtime.getProperties", objectId=above[0]["value"]["objectId"], ownProperties=True
        )
        made = [one["value"] for one in properties["result"] if one["name"] == "constructor" and "value" in one]
        text = str(made[0].get("description", "")) if made else ""
        if _ATTACHES in text:
            return True
        if _NATIVE in text:
            return False
    return False


async def read_accessibility_tree(context: ExecutionContext, nodes: list[int]) -> list[dict[str, str]]:
    """Return role and states of custom elements in Chromium's accessibility tree, each as ARIA attributes.

    Such as [{"role": "button", "aria-pressed": "true"}]. All are {} if the document has more than MOST_ELEMENTS elements.

    nodes: backend ids of the elements
    """
    count = await evaluate(context, "document.getElementsByTagName('*').length", by_value=True)
    if count["value"] > MOST_ELEMENTS:
        return [{} for _ in nodes]
    session = context.target.session
    session.notify("Accessibility.enable")
    requests = [
        session.send("Accessibility.getPartialAXTree", {"backendNodeId": node, "fetchRelatives": False})
        for node in nodes
    ]
    session.notify("Accessibility.disable")
    answers = await asyncio.gather(*requests, return_exceptions=True)
    return [
        _aria_attributes(answer["nodes"][0]) if isinstance(answer, dict) else _no_attributes(answer)
        for answer in answers
    ]


def _no_attributes(error: BaseException) -> dict[str, str]:
    """Return {} for a ProtocolError, which means that the element is gone; raise any other error."""
    if isinstance(error, ProtocolError):
        return {}
    raise error


def _aria_attributes(node: dict[str, Any]) -> dict[str, str]:
    """Convert a node of the accessibility tree (`AXNode`) to ARIA attributes; {} if it has no role."""
    role = str(node.get("role", {}).get("value", "")).lower()
    if node.get("ignored") or role in _NO_ROLE:
        return {}
    attributes = {"role": _SYNONYMS.get(role, role)}
    for source in node.get("name", {}).get("sources", []):
        if source.get("attribute") == "aria-label" and (label := source.get("value", {}).get("value")):
            attributes["aria-label"] = str(label)
    for one in node.get("properties", []):
        name, value = f"aria-{one['name'].lower()}", one["value"].get("value")
        if name in _ATTRIBUTES and value not in ("", None):
            attributes[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if "aria-valuemax" in attributes and "value" in node:
        attributes["aria-valuenow"] = str(node["value"].get("value", ""))
    return attributes


_GROUP = f"{ENGINE_NAME}-internals"
_READ = "function(properties, ...all) { return all.map((one) => properties.map((property) => one[property])); }"


async def send_internals(context: ExecutionContext) -> bool:
    """Read the ElementInternals of the custom elements that the engine has found, and pass them to it.

    Return whether any changed.
    """
    has_changed = False
    # The objects of all calls are released together, at the end of a call, and are valid in one session only.
    async with context.internals_lock:
        for _ in range(2):  # the first time tells which kinds of element have any
            nodes = await closed_roots.resolve_objects(context, "__gbrowse.listCustomElementsToRead()", _GROUP)
            if not nodes:
                break
            found = await asyncio.gather(*(_describe_custom_element(context, node) for node in nodes))
            read = iter(await _read_attributes(context, [one.internals for one in found if one.internals]))
            hidden = [one.node for one in found if not one.internals and one.is_attached]
            of_tree = iter(await read_accessibility_tree(context, hidden) if hidden else [])
            attributes = [
                next(read, None) if one.internals else next(of_tree, None) if one.is_attached else None
                for one in found
            ]
            if not await _store_internals(context, attributes, nodes):
                break
            has_changed = True
        await send(context, "Runtime.releaseObjectGroup", objectGroup=_GROUP)
    return has_changed


@dataclass(frozen=True, slots=True)
class _CustomElement:
    """A custom element, and the object id of its ElementInternals if a property leads to them.

    node: its backend id
    is_attached: it has internals, as far as we know
    """

    node: int = 0
    internals: str = ""
    is_attached: bool = False


async def _describe_custom_element(context: ExecutionContext, object_id: str) -> _CustomElement:
    """Find the ElementInternals of a custom element in its properties, public or private.

    Return an empty record if the element is gone.

    object_id: the element's `Runtime.RemoteObjectId`
    """
    try:
        described = (await send(context, "DOM.describeNode", objectId=object_id))["node"]
        backend_id = described["backendNodeId"]
        owner = await send(context, "DOM.resolveNode", backendNodeId=backend_id, objectGroup=_GROUP)
        own_id = owner["object"]["objectId"]
        listed = await send(context, "Runtime.getProperties", objectId=own_id, ownProperties=True)
        for item in [*listed.get("privateProperties", []), *listed["result"]]:
            value = item.get("value", {})
            if value.get("className") == "ElementInternals":
                return _CustomElement(backend_id, value.get("objectId", ""), True)
        name = described["localName"]
        if name not in context.attaching:
            context.attaching[name] = await _has_attaching_class(context, listed)
        return _CustomElement(backend_id, "", context.attaching[name])
    except ProtocolError:
        return _CustomElement()  # the element has gone since


async def _read_attributes(context: ExecutionContext, internals: list[str]) -> list[dict[str, str]]:
    """Return the ARIA attributes that each ElementInternals sets; [] if page code would run to read them.

    internals: object ids
    """
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
    except (PageScriptError, ProtocolError):
        return []
    return [
        {name: value for name, value in zip(_ATTRIBUTES, row, strict=True) if isinstance(value, str)}
        for row in reply["result"]["value"]
    ]


async def _store_internals(
    context: ExecutionContext, attributes: list[dict[str, str] | None], nodes: list[str]
) -> bool:
    """Store the ARIA attributes of custom elements in the engine. Return whether any changed.

    attributes: for each node its attributes; None for an element without internals
    nodes: object ids
    """
    reply: dict[str, Any] = await send(
        context,
        "Runtime.callFunctionOn",
        objectId=nodes[0],
        functionDeclaration="function(...args) { return __gbrowse.storeInternals(...args); }",
        arguments=[{"value": attributes}, *({"objectId": node} for node in nodes)],
        returnByValue=True,
    )
    return bool(reply["result"].get("value"))
