"""Fetch a page's structure: its forms, and its tree of roles and names."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.output import read, snapshots
from gstack_browse.snapshot.yaml_text import render_yaml

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession


async def list_forms(page: "PageSession") -> list[dict[str, Any]]:
    """Return every form with its fields (scripts/forms.js); the last may be fields without a form."""
    found: dict[str, Any] = await page.world.call("forms", frame=page.frame)
    read.add_cut_note(page, found["cut"])
    forms: list[dict[str, Any]] = found["forms"]
    return forms


async def render_tree(page: "PageSession") -> str:
    """Return the accessibility tree of the page, or of the selected frame, as YAML.

    The walk in the page masks secret fields.
    """
    scope = ":root" if page.tab.frame else None
    tree = await snapshots.take_snapshot(page, scope, clickable=False, addresses=True)
    read.add_cut_note(page, tree.cut)
    return render_yaml(tree)
