"""Mark text of a page, so that a language model can tell it from the tool's own text.

Off unless the caller requests it (`--fence`, `"fence": true`, `BROWSE_FENCE=1`). A page cannot forge the end of the
fence: the label is drawn for each reply once the page's text is known, and does not occur in it.
"""

import os


def fence(text: str, source: str) -> str:
    """Put `text` between two marker lines with a random label. `source` names where the text comes from."""
    label = _unused_label(text + source)
    return f"--- page text {label} from {source} ---\n{text}\n--- end of page text {label} ---"


def _unused_label(text: str) -> str:
    """Draw a random label that does not occur in `text`."""
    while (label := os.urandom(8).hex()) in text:
        pass
    return label
