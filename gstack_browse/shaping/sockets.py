"""Web sockets that are kept from opening: patterns as they are typed, and as Chromium has them (https://urlpattern.spec.whatwg.org)."""

import re

ALL = ("ws://*:*/*", "wss://*:*/*")
"""Patterns of every web socket."""
_TYPED = r"(?i)(?:GET\s+)?(wss?)://([^/?#:]*)(?::([0-9]+|\*))?(/[^?#]*)?\Z"
_ABOUT = r"(?i)(?:[A-Z]{3,10}\s+)?wss?:"


def is_about(typed: str) -> bool:
    """Whether a pattern is for web sockets."""
    return bool(re.match(_ABOUT, typed))


def url_pattern(typed: str) -> str | None:
    """`ws://localhost:3000/**` as a URL pattern, in which `*` is anything; None for what cannot be one."""
    found = re.match(_TYPED, typed)
    if not found or "{" in typed or not found[2]:
        return None
    scheme, host, port, path = found.groups()
    written = _written(host)
    return f"{scheme.lower()}://{written}{f':{port}' if port else ':*' if '*' in host else ''}{_written(path or '/*')}"


def _written(part: str) -> str:
    pieces = (("*" if piece else "") + re.sub(r"([+?:{}()\\])", r"\\\1", text) for piece, text in _pieces(part))
    return "".join(pieces)


def _pieces(part: str) -> list[tuple[str, str]]:
    """What the part consists of: text, and whether something of any length stands before it."""
    words = re.split(r"(\*+)", part)
    return [("", words[0]), *zip(words[1::2], words[2::2], strict=True)]
