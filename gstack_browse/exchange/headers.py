"""Header fields of requests and answers, and which of their values are secret. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gstack_browse.logs.entries import safe_url
from gstack_browse.text.redact import REDACTED, redact
from gstack_browse.text.secrets import hide_value

Headers = Sequence[tuple[str, str]]

_COOKIES = ("cookie", "set-cookie")
_CREDENTIALS = ("authorization", "proxy-authorization")
_CHALLENGES = ("www-authenticate", "proxy-authenticate")
"""What a server asks for; the name sounds secret, the value is not."""
_ADDRESSES = ("location", "referer", ":path", "content-location")


def fields(told: Mapping[str, str]) -> Headers:
    """Fields as Chromium tells them: several of one name in one value, a line each."""
    return [(name, value) for name, values in told.items() for value in str(values).split("\n")]


def fields_of_text(text: str) -> Headers:
    """Fields of a head as it was sent (RFC 9112): in that order, without the first line."""
    lines = (line.partition(":") for line in text.split("\r\n")[1:])
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon]


def value_of(headers: Headers, name: str) -> str:
    """The first value of that name, in whatever case; "" for none."""
    return next((value for other, value in headers if other.lower() == name), "")


def without_secrets(headers: Headers) -> Headers:
    """The same with the values of cookies and credentials left out; their names and attributes stay."""
    return [(name, _shown(name.lower(), value)) for name, value in headers]


def _shown(name: str, value: str) -> str:
    if name in _COOKIES:
        return "; ".join(_cookie(name, index, part) for index, part in enumerate(value.split("; ")))
    if name in _CREDENTIALS:
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {REDACTED}" if space else REDACTED
    if name in _ADDRESSES:
        return redact(safe_url(value))
    return value if name in _CHALLENGES else hide_value(name, value)


def _cookie(name: str, index: int, part: str) -> str:
    """A pair of a cookie without its value, or an attribute of one that is set (RFC 6265, 4.1)."""
    if name == "set-cookie" and index:
        return part
    key, equals, _ = part.partition("=")
    return f"{key}={REDACTED}" if equals else REDACTED


def cookies(headers: Headers, name: str) -> Iterable[tuple[str, str, Mapping[str, str]]]:
    """Name, value and attributes (in lower case) of each cookie that is sent (`cookie`) or set (`set-cookie`)."""
    for value in (value for other, value in headers if other.lower() == name):
        parts = [part.strip() for part in value.split(";") if part.strip()]
        pairs = parts if name == "cookie" else parts[:1]
        attributes = {} if name == "cookie" else dict(_attribute(part) for part in parts[1:])
        for pair in pairs:
            key, _, content = pair.partition("=")
            yield key, content, attributes


def _attribute(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip().lower(), value.strip()


def media_type(value: str) -> str:
    """The media type of a `Content-Type`, in lower case and without parameters."""
    return re.split(r"[;,]", value, maxsplit=1)[0].strip().lower()
