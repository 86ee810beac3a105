"""What changed between two snapshots, as a unified diff. References are stable, so an inserted row is one line."""

import difflib

NO_CHANGES = "(no changes)"


def unified(before: list[str], after: list[str]) -> str:
    """A unified diff with hunks, or NO_CHANGES."""
    if before == after:
        return NO_CHANGES
    return "\n".join(
        difflib.unified_diff(before, after, "previous snapshot", "this snapshot", lineterm="", n=2)
    )
