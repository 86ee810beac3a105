"""Blocked web sockets: patterns as typed, and as Chromium's (https://urlpattern.spec.whatwg.org)."""

import re

ALL = ("ws://*:*/*", "wss://*:*/*")
"""Patterns of all web sockets."""
_TYPED = r"(?i)(?:GET\s+)?(wss?)://([^/?#:]*)(?::([0-9]+|\*))?(/[^?#]*)?\Z"
_ABOUT = r"(?i)(?:[A-Z]{3,10}\s+)?wss?:"


def is_socket_pattern(typed: str) -> bool:
    """Return whether a pattern is for web sockets."""
    return bool(re.match(_ABOUT, typed))


def to_url_pattern(typed: str) -> str | None:
    """Convert `ws://localhost:3000/**` to a URL pattern, in which `*` is anything; None if impossible."""
    found = re.match(_TYPED, typed)
    if not found or "{" in typed or not found[2]:
        return None
    scheme, host, port, path = found.groups()
    written = _escape_part(host)
    return f"{scheme.lower()}://{written}{f':{port}' if port else ':*' if '*' in host else ''}{_escape_part(path or '/*')}"


def _escape_part(part: str) -> str:
    pieces = (
        ("*" if piece else "") + re.sub(r"([+?:{}()\\])", r"\\\1", text)
        for piece, text in _split_wildcards(part)
    )
    return "".join(pieces)


def _split_wildcards(part: str) -> list[tuple[str, str]]:
    """Split a part into (wildcard before it or "", text)."""
    words = re.split(r"(\*+)", part)
    return [("", words[0]), *zip(words[1::2], words[2::2], strict=True)]
