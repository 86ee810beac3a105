"""Compare two texts as a unified diff. Pure."""

import difflib

from gstack_browse.text.sanitise import split_lines

CONTEXT_LINES = 3


def unified_diff(before: str, after: str, *, before_name: str, after_name: str) -> str:
    """Return a unified diff with hunks; "" if the texts are equal."""
    old, new = split_lines(before), split_lines(after)
    if old == new:
        return ""
    lines = difflib.unified_diff(old, new, before_name, after_name, n=CONTEXT_LINES, lineterm="")
    return "\n".join(lines)
