"""Marks text that comes from a page, so that a reading model can tell it from the tool's own words.

Off by default: replies stay exactly what the reference says. `BROWSE_FENCE=1` turns it on. The page cannot
forge the end of the fence, because its label is drawn anew for every reply.
"""


def fence(text: str, label: str, source: str) -> str:
    """`text` between two marker lines that carry `label` (random) and where the text came from."""
    return f"--- page text {label} from {source} ---\n{text}\n--- end of page text {label} ---"
