"""Parse the numbers, methods and types that choose requests. Pure."""

import re

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths

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
    """A request method, in whatever case."""
    if not re.fullmatch(r"[A-Za-z]{1,20}", word):
        raise UsageError(f'"{word[:60]}" is no request method', "For example GET or POST")
    return word.upper()


def number(word: str, paths: CallerPaths) -> int:
    """The number of a request as `network` prints it: `41`, or `#41`."""
    found = re.match(_NUMBER, word)
    if not found or not int(found[1]):
        raise UsageError(f'"{word[:60]}" is no number of a request', "'network' lists them: #41 is request 41")
    return int(found[1])
