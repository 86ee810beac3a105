"""List the fields of a page that a person sees, form by form, a line each with its ref."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gstack_browse.browser.reading import read, snapshots
from gstack_browse.snapshot.items import FIELDS
from gstack_browse.snapshot.render import line_text
from gstack_browse.snapshot.tree import Tree
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

_NO_FIELDS = "(no fields to fill)"


async def list_fields(page: "PageSession", target: str | None) -> str:
    """Return the visible fields of the frame or of an element, below a line for each form.

    Fields in frames are left out, and counted in a note. Raises like `find.locate_first`.
    """
    tree = await snapshots.take_snapshot(page, target or (":root" if page.tab.frame else None), clickable=False)
    read.add_cut_note(page, tree.cut)
    lines = [line for line in tree.shown_scope if tree.roles[line] in FIELDS or tree.roles[line] == "button"]
    told: Mapping[str, Any] = await page.world.call(
        "formsOf", [tree.nodes[line] for line in lines], frame=page.frame
    )
    printed, form_above, elsewhere = list[str](), None, 0
    for line, found in zip(lines, told["fields"], strict=True):
        is_field = tree.roles[line] in FIELDS
        if not found:
            elsewhere += is_field
            continue
        form, type_name, key = found
        if not (is_field or type_name):
            continue  # a button that sends nothing, and takes neither a file nor a colour
        if form != form_above:
            printed.append(_form_line(told["forms"][form], page.frame.url) if form >= 0 else "(in no form)")
            form_above = form
        printed.append(f"  {_field_line(tree, line, type_name, key)}")
    if elsewhere:
        page.notes.append(f"{elsewhere} more in frames: 'frame <selector>' goes into one")
    if target and not printed:
        await read.add_hidden_target_note(page, target)
    return "\n".join(printed) or _NO_FIELDS


def _form_line(form: Mapping[str, Any], url: str) -> str:
    """Render a form: `form "login" post → /session`; no address where it is the page's own."""
    name = f" {quote_text(form['id'], 60)}" if form.get("id") else ""
    action = str(form["action"])
    here, there = urlsplit(url), urlsplit(action)
    if (there.scheme, there.netloc) == (here.scheme, here.netloc):
        action = there._replace(scheme="", netloc="").geturl()
    return f"form{name} {form['method']}" + ("" if there == here else f" → {action[:200]}")


def _selected_options(tree: Tree, line: int) -> list[str]:
    """Return the names of the selected options of a list whose options can be seen."""
    lines = range(line + 1, tree.ends[line])
    return [
        quote_unless_short(tree.names[option], 60)
        for option in lines
        if tree.roles[option] == "option" and "selected" in tree.states.get(option, "").split(", ")
    ]


def _field_line(tree: Tree, line: int, type_name: str, key: str) -> str:
    """Render a field as in a snapshot, with its type and key where they are needed.

    The type is there where the role does not tell it, the key where the field has no label.
    """
    role = tree.roles[line]
    text = line_text(tree, line)
    if role == "listbox" and line not in tree.values and (chosen := _selected_options(tree, line)):
        text += f": {', '.join(chosen)}"
    type_name = f" {type_name}" if type_name else ""
    key = f" (name={one_line(key, 60)})" if key and not tree.names[line] and line not in tree.hints else ""
    return text.replace(f"[{role}]", f"[{role}{type_name}]{key}", 1)
