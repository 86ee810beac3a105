"""Remove secrets from output: passwords inside URLs, and values that a command was given as secret."""

import re
from collections.abc import Iterable

REDACTED = "[redacted]"
_SHORTEST_SECRET = 4
"""Shorter values also occur in ordinary words."""
_URL_PASSWORD = re.compile(r"(?<=://)([^\s/:@?#]*):[^\s/@?#]+@")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace passwords of URLs and all `secrets` in a text."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, REDACTED)
    if "@" in text and "://" in text:
        text = _URL_PASSWORD.sub(rf"\1:{REDACTED}@", text)
    return text
