"""Text and position of console messages and exceptions, from events of the protocol. Pure.

The texts are the page's own; they are sanitised elsewhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MOST_STACKS = 5
"""Limit of asynchronous stacks that are searched for a position."""
MOST_NAME = 100
"""Limit of a function's name in characters."""
_FORMAT = re.compile(r"%([sdifoOc%])")
_STACK = re.compile(r"\n\s+at ")
_TWICE = re.compile(r"([\w$.]{1,100}): (?:\1: )+")
_UNCAUGHT = re.compile(r"Uncaught (?:\(in promise\) )?")


@dataclass(frozen=True)
class Position:
    """A position in a script; line and column count from 1, column 0 is unknown."""

    url: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        place = f"{self.url or '<anonymous>'}:{self.line}:{self.column}"
        return f"{self.function} ({place})" if self.function else place

    @property
    def short(self) -> str:
        """File name, line and column: `dash.js:17:8`; "" without a URL."""
        name = _file_name(self.url)
        return f"{name}:{self.line}:{self.column}" if name else ""


def format_arguments(arguments: Sequence[dict[str, Any]]) -> str:
    """Format a console call's arguments as a console does; the first may be a format string."""
    if len(arguments) > 1 and arguments[0].get("type") == "string" and "%" in arguments[0]["value"]:
        return _apply_format(arguments[0]["value"], iter(arguments[1:]))
    return " ".join(format_remote_object(argument) for argument in arguments)


def format_remote_object(value: dict[str, Any]) -> str:
    """Format a remote object: strings bare, `{a: 1}`, `[1, 2]`, else Chromium's description."""
    if value["type"] == "undefined":
        return "undefined"
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "value" in value:
        return format_primitive(value["value"])
    described = str(value.get("description", value["type"]))
    if value.get("subtype") == "error":
        return collapse_wrapped_error(described)
    return _format_preview(value, described)


def format_exception(details: dict[str, Any]) -> str:
    """Format an exception without its stack: `TypeError: x is not a function`.

    For a script of another origin Chromium only gives a text.
    """
    exception = details.get("exception")
    if exception is None:
        return (
            collapse_wrapped_error(_UNCAUGHT.sub("", str(details.get("text", "")), count=1)) or "Script error."
        )
    if exception.get("subtype") == "error":
        return error_message(str(exception.get("description", "Error")))
    return format_remote_object(exception)


def error_message(described: str) -> str:
    """Return name and message from an error's description, which ends with the stack."""
    return collapse_wrapped_error(_STACK.split(described, maxsplit=1)[0])


def collapse_wrapped_error(described: str) -> str:
    """Remove the repeated name of an error that wraps another one: `Error: Error: x`."""
    return _TWICE.sub(r"\1: ", described, count=1) if _TWICE.match(described) else described


def find_error_position(details: dict[str, Any]) -> Position | None:
    """Return an error's position: the first frame with a URL, else the error's own (syntax errors)."""
    if found := find_caller(details.get("stackTrace")):
        return found
    if "url" in details:
        return Position(str(details["url"]), details["lineNumber"] + 1, details["columnNumber"] + 1)
    first = next(_walk_frames(details.get("stackTrace")), None)
    return _to_position(first) if first else None


def find_caller(stack: dict[str, Any] | None) -> Position | None:
    """Return the position of the first frame with a URL, including those of asynchronous callers."""
    return next((_to_position(frame) for frame in _walk_frames(stack) if frame["url"]), None)


def _to_position(frame: dict[str, Any]) -> Position:
    """Return the place of a stack frame in its source, with line and column from 1."""
    return Position(
        str(frame["url"]),
        frame["lineNumber"] + 1,
        frame["columnNumber"] + 1,
        str(frame["functionName"])[:MOST_NAME],
    )


def _walk_frames(stack: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield the frames of a stack and of its asynchronous callers."""
    for _ in range(MOST_STACKS):
        if not stack:
            return
        yield from stack["callFrames"]
        stack = stack.get("parent")


def _file_name(url: str) -> str:
    """Return the last component of a URL's path, without the query."""
    if url.startswith(("data:", "blob:")):
        return url[:4]
    path = urlsplit(url).path if url.isprintable() and "[" not in url else url.partition("?")[0]
    return (path.rstrip("/").rpartition("/")[2] + "/" * path.endswith("/")) if path else ""


def _apply_format(form: str, values: Iterator[dict[str, Any]]) -> str:
    """Replace `%s` and the like by the values in order, dropping styles (`%c`); append remaining values."""

    def replace_placeholder(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        value = next(values, None)
        if value is None:
            return match[0]
        return "" if match[1] == "c" else format_remote_object(value)

    return " ".join(
        [_FORMAT.sub(replace_placeholder, form), *(format_remote_object(value) for value in values)]
    )


def format_primitive(value: Any) -> str:
    """Format a JSON value as JavaScript does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return "null" if value is None else str(value)


def _format_preview(value: dict[str, Any], described: str) -> str:
    """Format an array or object by Chromium's preview of it, as `[1, 2, …]` or `{a: 1}`.

    Returns `described`, Chromium's description, if there is no preview.
    """
    preview = value.get("preview", {})
    more = ["…"] if preview.get("overflow") else []
    properties = preview.get("properties", [])
    if value.get("subtype") == "array" and preview:
        items = (_format_property(item) for item in properties if item["name"].isdigit())
        return f"[{_join_parts(items, more)}]"
    if described == "Object" and preview:
        pairs = (f"{item['name']}: {_format_property(item)}" for item in properties)
        return f"{{{_join_parts(pairs, more)}}}"
    return described


def _format_property(item: dict[str, Any]) -> str:
    """Return a property of a preview as text: `{"type": "number", "value": "1"}` → `1`."""
    return "function" if item["type"] == "function" else str(item.get("value", item["type"]))


def _join_parts(parts: Iterable[str], more: list[str]) -> str:
    """Join parts by commas, then `more`: `["a: 1"]`, `["…"]` → `a: 1, …`."""
    return ", ".join([*parts, *more])
