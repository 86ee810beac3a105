"""Parse headers of requests and responses, as a person types them. Pure."""

import re

from gstack_browse.errors import UsageError
from gstack_browse.registry.values.paths import CallerPaths

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}\Z"
_OF_REQUESTS = frozenset({"host", "content-length", "connection", "transfer-encoding", "cookie", "upgrade"})
_OF_ANSWERS = frozenset({"content-length", "content-encoding", "transfer-encoding", "connection"})
"""Headers that Chromium itself has to set."""
MOST_CHARACTERS = 8000


def parse_header_name(word: str, _paths: CallerPaths) -> str:
    """Parse the name of a request header. Raises UsageError if malformed, or set by Chromium itself."""
    if not re.match(_NAME, word):
        raise UsageError(
            f'"{word[:60]}" is no name of a header', "For example X-Api-Key; the value is a word of its own"
        )
    if word.lower() in _OF_REQUESTS:
        hint = "Use 'cookie-set'" if word.lower() == "cookie" else ""
        raise UsageError(f"{word} is Chromium's to set", hint)
    return word


def check_header_value(value: str) -> str:
    """Return the value of a header. Raises UsageError unless it is short, printable ASCII."""
    if len(value) > MOST_CHARACTERS or not (value.isascii() and value.isprintable()):
        raise UsageError(f"A header's value is at most {MOST_CHARACTERS} printable ASCII characters")
    return value


def parse_request_header(word: str, paths: CallerPaths) -> tuple[str, str]:
    """Parse a header of a request, typed as `name: value`. Return both. Raises UsageError."""
    name, value = _split_header(word)
    return parse_header_name(name, paths), check_header_value(value)


def parse_response_header(word: str, _paths: CallerPaths) -> tuple[str, str]:
    """Parse a header of a response, typed as `name: value`. Return both. Raises UsageError."""
    name, value = _split_header(word)
    if name.lower() in _OF_ANSWERS:
        raise UsageError(f"{name} is Chromium's to set", "It follows from the body")
    return name, check_header_value(value)


def _split_header(word: str) -> tuple[str, str]:
    """Split a typed header `name: value` into name and value, without outer blanks. Raises UsageError."""
    name, colon, value = word.partition(":")
    if not colon or not re.match(_NAME, name.strip()):
        raise UsageError(f'"{word[:60]}" is no header', "Write name: value, for example 'X-Team: blue'")
    return name.strip(), value.strip()
