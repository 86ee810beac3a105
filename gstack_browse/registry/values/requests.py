"""Parse the numbers, methods and types that choose requests. Pure."""

import re

from gstack_browse.errors import UsageError
from gstack_browse.registry.values.paths import CallerPaths

TYPES = (
    "document",
    "stylesheet",
    "script",
    "image",
    "font",
    "media",
    "fetch",
    "xhr",
    "websocket",
    "eventsource",
    "ping",
    "prefetch",
    "manifest",
    "texttrack",
    "signedexchange",
    "cspviolationreport",
    "fedcm",
    "other",
)
"""Chromium's words for what a request is for (`Network.ResourceType`)."""
_SHORT = {
    "css": "stylesheet",
    "doc": "document",
    "img": "image",
    "js": "script",
    "sse": "eventsource",
    "ws": "websocket",
}
"""What the tools of browsers call some of them."""
_NUMBER = r"#?([0-9]{1,9})\Z"


def types(word: str, paths: CallerPaths) -> frozenset[str]:
    """Types of requests, comma-separated."""
    named = [name.strip().lower() for name in word.split(",") if name.strip()]
    meant = [_SHORT.get(name, name) for name in named]
    unknown = next((name for name in meant if name not in TYPES), "")
    if unknown or not meant:
        raise UsageError(f'"{(unknown or word)[:60]}" is no type of request', f"One of {', '.join(TYPES)}")
    return frozenset(meant)


def method(word: str, paths: CallerPaths) -> str:
    """Return a request method, in whatever case."""
    if not re.fullmatch(r"[A-Za-z]{1,20}", word):
        raise UsageError(f'"{word[:60]}" is no request method', "For example GET or POST")
    return word.upper()


def number(word: str, paths: CallerPaths) -> int:
    """Return the number of a request as `network` prints it: `41`, or `#41`."""
    found = re.match(_NUMBER, word)
    if not found or not int(found[1]):
        raise UsageError(f'"{word[:60]}" is no number of a request', "'network' lists them: #41 is request 41")
    return int(found[1])


_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}\Z"
_OF_REQUESTS = frozenset({"host", "content-length", "connection", "transfer-encoding", "cookie", "upgrade"})
_OF_ANSWERS = frozenset({"content-length", "content-encoding", "transfer-encoding", "connection"})
"""What is Chromium's to set."""
MOST_CHARACTERS = 8000


def request_header(word: str, paths: CallerPaths) -> str:
    """Return the name of a header that a request may be given."""
    if not re.match(_NAME, word):
        raise UsageError(
            f'"{word[:60]}" is no name of a header', "For example X-Api-Key; the value is a word of its own"
        )
    if word.lower() in _OF_REQUESTS:
        hint = "Use 'cookie-set'" if word.lower() == "cookie" else ""
        raise UsageError(f"{word} is Chromium's to set", hint)
    return word


def header_value(value: str) -> str:
    """Return the value of a header, checked."""
    if len(value) > MOST_CHARACTERS or not (value.isascii() and value.isprintable()):
        raise UsageError(f"A header's value is at most {MOST_CHARACTERS} printable ASCII characters")
    return value


def request_pair(word: str, paths: CallerPaths) -> tuple[str, str]:
    """Return name and value of a request's header, typed as `name: value`. Raises UsageError."""
    name, value = _split_header(word)
    return request_header(name, paths), header_value(value)


def answer_pair(word: str, paths: CallerPaths) -> tuple[str, str]:
    """Return name and value of a response's header, typed as `name: value`. Raises UsageError."""
    name, value = _split_header(word)
    if name.lower() in _OF_ANSWERS:
        raise UsageError(f"{name} is Chromium's to set", "It follows from the body")
    return name, header_value(value)


def _split_header(word: str) -> tuple[str, str]:
    """Return name and value of `name: value`, without blanks around them. Raises UsageError."""
    name, colon, value = word.partition(":")
    if not colon or not re.match(_NAME, name.strip()):
        raise UsageError(f'"{word[:60]}" is no header', "Write name: value, for example 'X-Team: blue'")
    return name.strip(), value.strip()
