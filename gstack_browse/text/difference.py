"""The unified diff of two texts. Pure."""

import difflib

CONTEXT_LINES = 3


def unified(before: str, after: str, *, before_name: str, after_name: str) -> str:
    """A unified diff with hunks, "" when the texts are the same."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        return ""
    lines = difflib.unified_diff(old, new, before_name, after_name, n=CONTEXT_LINES, lineterm="")
    return "\n".join(lines)
