"""Report which rule knew a widget that says nothing of itself by roles and states.

The rules are in `engine/scripts/widgets/rules/`, one a file. They are asked where the general way finds nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession


def report(page: "PageSession", rule: str) -> None:
    """Name the rule in the reply, and in later ones of `status`. Nothing for "", which is no rule."""
    if not rule:
        return
    page.session.widget_rules[rule] += 1
    note = f"known by the widget rule {rule}"
    if note not in page.notes:
        page.notes.append(note)
