"""Header fields of requests and responses, and their secrets. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gstack_browse.logs.entries import safe_url
from gstack_browse.text.redact import REDACTED, redact
from gstack_browse.text.secrets import hide_value

Headers = Sequence[tuple[str, str]]

_COOKIES = ("cookie", "set-cookie")
_CREDENTIALS = ("authorization", "proxy-authorization")
_CHALLENGES = ("www-authenticate", "proxy-authenticate")
"""A server's requests for credentials: the names sound secret, the values are not."""
_ADDRESSES = ("location", "referer", ":path", "content-location")


def to_headers(told: Mapping[str, str]) -> Headers:
    """Convert Chromium's mapping, in which several values of a name are joined by line ends."""
    return [(name, value) for name, values in told.items() for value in str(values).split("\n")]


def parse_head(text: str) -> Headers:
    """Parse the fields of a transmitted head (RFC 9112), without its first line."""
    lines = (line.partition(":") for line in text.split("\r\n")[1:])
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon]


def find_value(headers: Headers, name: str) -> str:
    """Return the first value of a field (`name` in lower case); "" if it is missing."""
    return next((value for other, value in headers if other.lower() == name), "")


def hide_header_secrets(headers: Headers) -> Headers:
    """Hide the values of cookies and credentials; names and attributes stay."""
    return [(name, _hide_value(name.lower(), value)) for name, value in headers]


def _hide_value(name: str, value: str) -> str:
    if name in _COOKIES:
        return "; ".join(_hide_cookie_value(name, index, part) for index, part in enumerate(value.split("; ")))
    if name in _CREDENTIALS:
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {REDACTED}" if space else REDACTED
    if name in _ADDRESSES:
        return redact(safe_url(value))
    return value if name in _CHALLENGES else hide_value(name, value)


def _hide_cookie_value(name: str, index: int, part: str) -> str:
    """Hide the value of a cookie's pair; an attribute of `Set-Cookie` (RFC 6265, 4.1) stays."""
    if name == "set-cookie" and index:
        return part
    key, equals, _ = part.partition("=")
    return f"{key}={REDACTED}" if equals else REDACTED


def parse_cookies(headers: Headers, name: str) -> Iterable[tuple[str, str, Mapping[str, str]]]:
    """Yield (name, value, attributes in lower case) of each cookie in `cookie` or `set-cookie` fields."""
    for value in (value for other, value in headers if other.lower() == name):
        parts = [part.strip() for part in value.split(";") if part.strip()]
        pairs = parts if name == "cookie" else parts[:1]
        attributes = {} if name == "cookie" else dict(_split_attribute(part) for part in parts[1:])
        for pair in pairs:
            key, _, content = pair.partition("=")
            yield key, content, attributes


def _split_attribute(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip().lower(), value.strip()


def parse_media_type(value: str) -> str:
    """Return the media type of a `Content-Type`, in lower case and without parameters."""
    return re.split(r"[;,]", value, maxsplit=1)[0].strip().lower()
