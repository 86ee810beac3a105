"""The origin of an address, as browsers write it."""

from urllib.parse import urlsplit

from gstack_browse.errors import UsageError

_PORTS = {"http": 80, "https": 443}


def parse_origin(word: str) -> str:
    """Return the origin of a URL without a default port; the default scheme is https. Raises UsageError."""
    try:
        parts = urlsplit(word.strip() if "://" in word else f"https://{word.strip()}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        raise UsageError(f'"{word[:60]}" has no origin', "Write it as https://example.com")
    host = f"[{host}]" if ":" in host else _to_ascii(host)
    return f"{parts.scheme}://{host}{'' if port in (None, _PORTS[parts.scheme]) else f':{port}'}"


def origin_or_none(url: str) -> str:
    """Return the origin of a URL; "" if it has none."""
    try:
        return parse_origin(url) if "://" in url else ""
    except UsageError:
        return ""


def _to_ascii(host: str) -> str:
    """Encode a host name in IDNA; raise UsageError if that fails."""
    try:
        return host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        raise UsageError(f'"{host[:60]}" is no host') from None
