"""Read headers of requests and responses: their values, cookies and media types. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

Headers = Sequence[tuple[str, str]]
"""Names and values, in the order in which they were sent."""


def to_headers(mapping: Mapping[str, str]) -> Headers:
    """Convert headers from Chromium's mapping, which joins a name's values by line ends, to pairs."""
    return [(name, value) for name, values in mapping.items() for value in str(values).split("\n")]


def parse_head(text: str) -> Headers:
    """Parse the headers of an HTTP/1.1 message as transferred (RFC 9112), without the first line."""
    lines = (line.partition(":") for line in text.split("\r\n")[1:])
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon]


def find_value(headers: Iterable[tuple[str, str]], name: str) -> str:
    """Return the first value of the header `name` (in lower case); "" if it is missing."""
    return next((value for other, value in headers if other.lower() == name), "")


def parse_cookies(headers: Headers, name: str) -> Iterable[tuple[str, str, Mapping[str, str]]]:
    """Yield (name, value, attributes) of each cookie in the headers of this `name`.

    `name`: `cookie`, which has no attributes, or `set-cookie`, with names of attributes in lower case.
    """
    for value in (value for other, value in headers if other.lower() == name):
        parts = [part.strip() for part in value.split(";") if part.strip()]
        pairs = parts if name == "cookie" else parts[:1]
        split = (part.partition("=") for part in parts[1:] if name == "set-cookie")
        attributes = {key.strip().lower(): content.strip() for key, _, content in split}
        for pair in pairs:
            key, _, content = pair.partition("=")
            yield key, content, attributes


def parse_media_type(value: str) -> str:
    """Return the media type in the value of a `Content-Type` header, in lower case and without parameters."""
    return re.split(r"[;,]", value, maxsplit=1)[0].strip().lower()
