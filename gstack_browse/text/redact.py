"""Removes secrets from text on its way out: passwords inside URLs, and values a command was given as secret."""

import re
from collections.abc import Iterable

REDACTED = "[redacted]"
_SHORTEST_SECRET = 4
"""A shorter value would be found in innocent words."""
_URL_PASSWORD = re.compile(r"(?<=://)([^\s/:@?#]*):[^\s/@?#]+@")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the passwords of URLs and without any of `secrets`."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, REDACTED)
    if "@" in text and "://" in text:
        text = _URL_PASSWORD.sub(rf"\1:{REDACTED}@", text)
    return text
