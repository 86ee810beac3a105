"""Text of declarations as Markdown."""

import re


def escape_tags(text: str) -> str:
    """Return the text so that a word such as `<select>` outside of code is no HTML element."""
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", text)
