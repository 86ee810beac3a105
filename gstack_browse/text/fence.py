"""Marks text that comes from a page, so that a reading model can tell it from the tool's own words.

Off unless the caller asks for it (`--fence`, `"fence": true`, `BROWSE_FENCE=1`). The page cannot forge the end of the
fence: its label is drawn anew for every reply, and what looks like one of its lines is broken up.
"""

import re

_LOOK_ALIKE = re.compile(
    r"[-_=~\u2010-\u2015\u2212\u2500\u2501\ufe58\ufe63\uff0d]{2,}([^\S\n]*(?:end\s+of\s+)?page\s+text)",
    re.IGNORECASE,
)
"""Lines of a fence as a model may take them: whatever dash is used, and with any label."""


def fence(text: str, label: str, source: str) -> str:
    """`text` between two marker lines that carry `label` (random) and where the text came from."""
    inside, origin = (_LOOK_ALIKE.sub(r"- - -\1", words) for words in (text, source))
    return f"--- page text {label} from {origin} ---\n{inside}\n--- end of page text {label} ---"
