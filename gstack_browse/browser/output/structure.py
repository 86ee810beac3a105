"""Fetches what a page is made of: its forms, and its tree of roles and names."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.output import read, snapshots
from gstack_browse.snapshot.yaml_text import render_yaml

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession


async def forms(page: "PageSession") -> list[dict[str, Any]]:
    """Every form with its fields, as scripts/forms.js describes them; the last may be the fields without a form."""
    found: dict[str, Any] = await page.world.call("forms", frame=page.frame)
    read.note_cut(page, found["cut"])
    forms: list[dict[str, Any]] = found["forms"]
    return forms


async def tree(page: "PageSession") -> str:
    """Return the accessibility tree of the page, or of the frame that was chosen, as YAML.

    The walk in the page masks secret fields.
    """
    scope = ":root" if page.tab.frame else None
    tree = await snapshots.take(page, scope, clickable=False, addresses=True)
    read.note_cut(page, tree.cut)
    return render_yaml(tree)
