"""Console messages and exceptions from the protocol's events: their text, and their place in a script. Pure.

All of it is the page's own text. Sanitising for a terminal happens elsewhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MOST_STACKS = 5
"""Stacks of asynchronous callers that are looked through for a place."""
MOST_NAME = 100
"""Characters of a function's name."""
_FORMAT = re.compile(r"%([sdifoOc%])")
_STACK = re.compile(r"\n\s+at ")
_TWICE = re.compile(r"([\w$.]{1,100}): (?:\1: )+")
_UNCAUGHT = re.compile(r"Uncaught (?:\(in promise\) )?")


@dataclass(frozen=True)
class Position:
    """Where something was said or thrown; line and column count from 1, and a column of 0 is unknown."""

    url: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        place = f"{self.url or '<anonymous>'}:{self.line}:{self.column}"
        return f"{self.function} ({place})" if self.function else place

    @property
    def short(self) -> str:
        """`dash.js:17:8`: the last part of the path, without the query; "" where no URL is known."""
        name = _file(self.url)
        return f"{name}:{self.line}:{self.column}" if name else ""


def text(arguments: Sequence[dict[str, Any]]) -> str:
    """A console call's arguments as a console shows them; the first one may be a format."""
    if len(arguments) > 1 and arguments[0].get("type") == "string" and "%" in arguments[0]["value"]:
        return _formatted(arguments[0]["value"], iter(arguments[1:]))
    return " ".join(shown(argument) for argument in arguments)


def shown(value: dict[str, Any]) -> str:
    """A remote object in one piece: strings bare, `{a: 1}`, `[1, 2]`, else as Chromium describes it."""
    if value["type"] == "undefined":
        return "undefined"
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "value" in value:
        return primitive(value["value"])
    described = str(value.get("description", value["type"]))
    if value.get("subtype") == "error":
        return once(described)
    return _previewed(value, described)


def thrown(details: dict[str, Any]) -> str:
    """The exception without its stack: `TypeError: x is not a function`. For a script of another origin Chromium gives only a text."""
    exception = details.get("exception")
    if exception is None:
        return once(_UNCAUGHT.sub("", str(details.get("text", "")), count=1)) or "Script error."
    if exception.get("subtype") == "error":
        return message(str(exception.get("description", "Error")))
    return shown(exception)


def message(described: str) -> str:
    """Of an error's description, which ends with its stack, the name and the message."""
    return once(_STACK.split(described, maxsplit=1)[0])


def once(described: str) -> str:
    """The message of an error that wraps another one (`Error: Error: x`), with the name once."""
    return _TWICE.sub(r"\1: ", described, count=1) if _TWICE.match(described) else described


def position(details: dict[str, Any]) -> Position | None:
    """Where an error came from: the first frame with a URL, else what the error itself says (syntax errors have no frame)."""
    if found := caller(details.get("stackTrace")):
        return found
    if "url" in details:
        return Position(str(details["url"]), details["lineNumber"] + 1, details["columnNumber"] + 1)
    first = next(_frames(details.get("stackTrace")), None)
    return _position(first) if first else None


def caller(stack: dict[str, Any] | None) -> Position | None:
    """The first frame with a URL, that of asynchronous callers included."""
    return next((_position(frame) for frame in _frames(stack) if frame["url"]), None)


def _position(frame: dict[str, Any]) -> Position:
    return Position(
        str(frame["url"]),
        frame["lineNumber"] + 1,
        frame["columnNumber"] + 1,
        str(frame["functionName"])[:MOST_NAME],
    )


def _frames(stack: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    for _ in range(MOST_STACKS):
        if not stack:
            return
        yield from stack["callFrames"]
        stack = stack.get("parent")


def _file(url: str) -> str:
    if url.startswith(("data:", "blob:")):
        return url[:4]
    path = urlsplit(url).path if url.isprintable() and "[" not in url else url.partition("?")[0]
    return (path.rstrip("/").rpartition("/")[2] + "/" * path.endswith("/")) if path else ""


def _formatted(form: str, values: Iterator[dict[str, Any]]) -> str:
    """`%s` and its like stand for the values in turn; `%c` takes a style, which nobody sees. The rest follows."""

    def put(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        value = next(values, None)
        if value is None:
            return match[0]
        return "" if match[1] == "c" else shown(value)

    return " ".join([_FORMAT.sub(put, form), *(shown(value) for value in values)])


def primitive(value: Any) -> str:
    """A value of JSON as JavaScript writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return "null" if value is None else str(value)


def _previewed(value: dict[str, Any], described: str) -> str:
    preview = value.get("preview", {})
    more = ["…"] if preview.get("overflow") else []
    properties = preview.get("properties", [])
    if value.get("subtype") == "array" and preview:
        items = (_property(item) for item in properties if item["name"].isdigit())
        return f"[{_joined(items, more)}]"
    if described == "Object" and preview:
        pairs = (f"{item['name']}: {_property(item)}" for item in properties)
        return f"{{{_joined(pairs, more)}}}"
    return described


def _property(item: dict[str, Any]) -> str:
    return "function" if item["type"] == "function" else str(item.get("value", item["type"]))


def _joined(parts: Iterable[str], more: list[str]) -> str:
    return ", ".join([*parts, *more])
