"""Chromium's own accessibility tree over the protocol: role and name of each node, by backend node id."""

from typing import Any

from gstack_browse.browser.cdp.session import Session

SAME_ROLE = {
    "image": "img", "disclosuretriangle": "button", "disclosuretrianglegrouped": "button",
    "popupbutton": "button", "togglebutton": "button", "combobox": "combobox", "menulistpopup": "listbox",
    "menulistoption": "option", "listboxoption": "option", "textfield": "textbox", "date": "textbox",
    "datetime": "textbox", "inputtime": "textbox", "colorwell": "button", "linkgrouped": "link",
    "textfieldwithcombobox": "combobox",
}  # fmt: skip
"""Chromium's internal names (right of them: the role they are exposed as), in lower case."""


async def operable(cdp: Session, roles: frozenset[str]) -> dict[int, tuple[str, str]]:
    """Role and name of every node with one of `roles` in the page's process, by backend node id."""
    found: dict[int, tuple[str, str]] = {}
    tree = await cdp.send("Accessibility.getFullAXTree")
    for node in tree["nodes"]:
        role = _role(node)
        if role in roles and "backendDOMNodeId" in node:
            found[node["backendDOMNodeId"]] = (role, _text(node.get("name")))
    return found


def _role(node: dict[str, Any]) -> str:
    if node.get("ignored"):
        return ""
    role = str(node.get("role", {}).get("value", "")).lower()
    return SAME_ROLE.get(role, role)


def _text(value: dict[str, Any] | None) -> str:
    return " ".join(str((value or {}).get("value", "")).split())
