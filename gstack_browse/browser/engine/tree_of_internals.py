"""Reads ElementInternals that no property leads to, from Chromium's accessibility tree.

Building that tree takes long in large documents, and Chromium then keeps it up to date. So it is asked only in small ones,
only if the text of a class says that it attaches internals, and disabled at once.
"""

import asyncio
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import evaluate, send

MOST_ELEMENTS = 3_000
"""Elements of the largest document that is asked: about 45 ms for the tree of so many."""
_MOST_CLASSES = 8
"""Classes examined above an element, up to HTMLElement."""
_ATTACHES = "attachInternals"
_NATIVE = "[native code]"
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
_WORDS = {
    "autocomplete": "aria-autocomplete",
    "busy": "aria-busy",
    "checked": "aria-checked",
    "disabled": "aria-disabled",
    "expanded": "aria-expanded",
    "hasPopup": "aria-haspopup",
    "invalid": "aria-invalid",
    "level": "aria-level",
    "modal": "aria-modal",
    "multiselectable": "aria-multiselectable",
    "orientation": "aria-orientation",
    "pressed": "aria-pressed",
    "readonly": "aria-readonly",
    "required": "aria-required",
    "roledescription": "aria-roledescription",
    "selected": "aria-selected",
    "valuemax": "aria-valuemax",
    "valuemin": "aria-valuemin",
    "valuetext": "aria-valuetext",
}


async def is_attached_by_class(context: ExecutionContext, listed: dict[str, Any], group: str) -> bool:
    """Return whether the text of an element's class, or of one that it extends, attaches internals.

    Runs none of the page's code. Raises ProtocolError.

    listed: the element's own properties
    """
    for _ in range(_MOST_CLASSES):
        above = [one for one in listed.get("internalProperties", []) if one["name"] == "[[Prototype]]"]
        if not above or "objectId" not in above[0].get("value", {}):
            return False
        listed = await send(
            context,
            "Runtime.getProperties",
            objectId=above[0]["value"]["objectId"],
            ownProperties=True,
        )
        made = [one["value"] for one in listed["result"] if one["name"] == "constructor" and "value" in one]
        text = str(made[0].get("description", "")) if made else ""
        if _ATTACHES in text:
            return True
        if _NATIVE in text:
            return False
    return False


async def ask(context: ExecutionContext, nodes: list[int]) -> list[dict[str, str]]:
    """Return the attributes that the internals of nodes stand for.

    All empty if the document is too large to ask.

    nodes: backend ids
    """
    count = await evaluate(context, "document.getElementsByTagName('*').length", by_value=True)
    if count["value"] > MOST_ELEMENTS:
        return [{} for _ in nodes]
    session = context.target.session
    session.notify("Accessibility.enable")
    asked = [
        session.send("Accessibility.getPartialAXTree", {"backendNodeId": node, "fetchRelatives": False})
        for node in nodes
    ]
    session.notify("Accessibility.disable")
    answers = await asyncio.gather(*asked, return_exceptions=True)
    return [
        _attributes(answer["nodes"][0]) if isinstance(answer, dict) else _no_attributes(answer)
        for answer in answers
    ]


def _no_attributes(error: BaseException) -> dict[str, str]:
    """Return no attributes, for an element that has gone. Raises any other error."""
    if isinstance(error, ProtocolError):
        return {}
    raise error


def _attributes(node: dict[str, Any]) -> dict[str, str]:
    role = str(node.get("role", {}).get("value", "")).lower()
    if node.get("ignored") or role in _NO_ROLE:
        return {}
    said = {"role": _SYNONYMS.get(role, role)}
    for source in node.get("name", {}).get("sources", []):
        if source.get("attribute") == "aria-label" and (label := source.get("value", {}).get("value")):
            said["aria-label"] = str(label)
    for one in node.get("properties", []):
        value = one["value"].get("value")
        if (name := _WORDS.get(one["name"])) and value not in ("", None):
            said[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if "aria-valuemax" in said and "value" in node:
        said["aria-valuenow"] = str(node["value"].get("value", ""))
    return said
