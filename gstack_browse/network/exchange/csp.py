"""Read which addresses a content security policy lets a page connect to. Pure.

It reads as much as has to be known: in doubt it allows nothing.
"""

from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def directives_of(policy: str) -> dict[str, list[str]]:
    """Return the sources of each directive, in lower case. Of two of a name the first one holds."""
    found: dict[str, list[str]] = {}
    for directive in policy.split(";"):
        if words := directive.lower().split():
            found.setdefault(words[0], words[1:])
    return found


def allows_connection(policy: str, url: str, page: str) -> bool:
    """Return whether a policy surely lets a page connect to a URL of the web."""
    directives = directives_of(policy)
    sources = directives.get("connect-src", directives.get("default-src"))
    if sources is None:
        return True
    try:
        wanted, own = _origin(url), _origin(page)
    except ValueError:
        return False
    return any(
        source == "*"
        or (source == "'self'" and wanted == own)
        or source == f"{wanted[0]}:"
        or (source.startswith(("http://", "https://")) and _is_origin(source, wanted))
        for source in sources
    )


def _is_origin(source: str, wanted: tuple[str, str, int]) -> bool:
    """Return whether a source names just that origin, without a wildcard or a path."""
    try:
        return "*" not in source and urlsplit(source).path in ("", "/") and _origin(source) == wanted
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of a URL, with the scheme's default port."""
    parts = urlsplit(url)
    return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)
