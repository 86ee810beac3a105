"""Marks text that comes from a page, so that a reading model can tell it from the tool's own words.

Off unless the caller asks for it (`--fence`, `"fence": true`, `BROWSE_FENCE=1`). A page cannot forge the end of the
fence: the label is drawn for each reply once the page's text is known, so that it stands nowhere in it.
"""

import os


def fence(text: str, source: str) -> str:
    """Put `text` between two marker lines with a random label. `source` says where the text came from."""
    label = _unused_label(text + source)
    return f"--- page text {label} from {source} ---\n{text}\n--- end of page text {label} ---"


def _unused_label(text: str) -> str:
    """Draw a random label that does not occur in `text`."""
    while (label := os.urandom(8).hex()) in text:
        pass
    return label
