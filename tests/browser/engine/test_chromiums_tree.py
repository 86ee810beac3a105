"""Test that all controls of a page have the roles and names of Chromium's accessibility tree."""

from gstack_browse.browser.engine.messages import evaluate, send
from gstack_browse.snapshot.tree import OPERABLE
from tests.browser.conftest import Opened, Show
from tests.commands.web import FOLDER

Described = dict[int, tuple[str, str]]

SAME_ROLE = {
    "image": "img", "disclosuretriangle": "button", "disclosuretrianglegrouped": "button",
    "popupbutton": "button", "togglebutton": "button", "combobox": "combobox", "menulistpopup": "listbox",
    "menulistoption": "option", "listboxoption": "option", "textfield": "textbox", "date": "textbox",
    "datetime": "textbox", "inputtime": "textbox", "colorwell": "button", "linkgrouped": "link",
    "textfieldwithcombobox": "combobox",
}  # fmt: skip
"""Chromium's internal names (right of them: the role they are exposed as), in lower case."""


async def described_by_chromium(tab: Opened) -> Described:
    """Role and name of the operable nodes of Chromium's tree, by backend node id."""
    context = await tab.world.frames.main_context()
    found: Described = {}
    for node in (await send(context, "Accessibility.getFullAXTree"))["nodes"]:
        role = "" if node.get("ignored") else str(node.get("role", {}).get("value", "")).lower()
        role = SAME_ROLE.get(role, role)
        if role in OPERABLE and "backendDOMNodeId" in node:
            found[node["backendDOMNodeId"]] = role, " ".join(str(node.get("name", {}).get("value", "")).split())
    return found


async def described_by_engine(tab: Opened) -> Described:
    """Role and name of the operable lines of a snapshot, by backend node id."""
    tree = await tab.tree()
    context = await tab.world.frames.main_context()
    found: Described = {}
    for line in range(len(tree)):
        if tree.roles[line] in OPERABLE:
            node = await evaluate(context, f"__gbrowse.nodeFor({tree.nodes[line]})")
            described = await send(context, "DOM.describeNode", objectId=node["objectId"])
            found[described["node"]["backendNodeId"]] = (tree.roles[line], tree.names[line])
    return found


async def test_every_control_has_the_role_and_name_that_chromium_gives_it(show: Show) -> None:
    tab = await show((FOLDER / "snapshot-controls.html").read_text())
    mine = await described_by_engine(tab)
    theirs = await described_by_chromium(tab)
    parts = {
        node
        for node, (role, name) in theirs.items()
        if node not in mine and await is_internal(tab, node, role, name)
    }
    assert {node: theirs[node] for node in theirs if node not in parts} == mine
    assert len(mine) > 80


async def is_internal(tab: Opened, node: int, role: str, name: str) -> bool:
    """Whether it lies in a shadow tree of Chromium's own (date pickers, the popup of a closed select)."""
    context = await tab.world.frames.main_context()
    described = await send(context, "DOM.describeNode", backendNodeId=node)
    return "pseudo" in described["node"].get("attributes", []) or (role, name) == ("listbox", "")
