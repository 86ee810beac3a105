"""The unified diff of two texts. Pure."""

import difflib

from gstack_browse.text.sanitise import split_lines

CONTEXT_LINES = 3


def unified(before: str, after: str, *, before_name: str, after_name: str) -> str:
    """A unified diff with hunks, "" when the texts are the same."""
    old, new = split_lines(before), split_lines(after)
    if old == new:
        return ""
    lines = difflib.unified_diff(old, new, before_name, after_name, n=CONTEXT_LINES, lineterm="")
    return "\n".join(lines)
