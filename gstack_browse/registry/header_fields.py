"""Headers as they are typed: names (RFC 9110, 5.1), values, and both with a colon between. Pure."""

import re

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}\Z"
_OF_REQUESTS = frozenset({"host", "content-length", "connection", "transfer-encoding", "cookie", "upgrade"})
_OF_ANSWERS = frozenset({"content-length", "content-encoding", "transfer-encoding", "connection"})
"""What is Chromium's to set."""
MOST_CHARACTERS = 8000


def request_header(word: str, paths: CallerPaths) -> str:
    """The name of a header that a request may be given."""
    if not re.match(_NAME, word):
        raise UsageError(
            f'"{word[:60]}" is no name of a header', "For example X-Api-Key; the value is a word of its own"
        )
    if word.lower() in _OF_REQUESTS:
        hint = "Use 'cookie-set'" if word.lower() == "cookie" else ""
        raise UsageError(f"{word} is Chromium's to set", hint)
    return word


def header_value(value: str) -> str:
    """The value of a header, checked."""
    if len(value) > MOST_CHARACTERS or not (value.isascii() and value.isprintable()):
        raise UsageError(f"A header's value is at most {MOST_CHARACTERS} printable ASCII characters")
    return value


def request_pair(word: str, paths: CallerPaths) -> tuple[str, str]:
    """`name: value`, of a request."""
    name, value = _split(word)
    return request_header(name, paths), header_value(value)


def answer_pair(word: str, paths: CallerPaths) -> tuple[str, str]:
    """`name: value`, of an answer."""
    name, value = _split(word)
    if name.lower() in _OF_ANSWERS:
        raise UsageError(f"{name} is Chromium's to set", "It follows from the body")
    return name, header_value(value)


def _split(word: str) -> tuple[str, str]:
    name, colon, value = word.partition(":")
    if not colon or not re.match(_NAME, name.strip()):
        raise UsageError(f'"{word[:60]}" is no header', "Write name: value, for example 'X-Team: blue'")
    return name.strip(), value.strip()
