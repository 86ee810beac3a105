"""Complete shorthands whose longhands Chromium does not list: it expands `var()` only later. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def find_unexpanded(told: Any) -> Iterator[dict[str, Any]]:
    """Yield declarations that may be such shorthands, anywhere in a CSS.getMatchedStylesForNode result."""
    if isinstance(told, list):
        for item in told:
            yield from find_unexpanded(item)
    elif isinstance(told, dict):
        if "cssProperties" in told:
            yield from _find_in_declarations(told["cssProperties"])
        else:
            for item in told.values():
                yield from find_unexpanded(item)


def add_longhands(declarations: Sequence[dict[str, Any]], known: Mapping[str, Sequence[str]]) -> None:
    """Add the `known` longhands of each shorthand to its declaration."""
    for item in declarations:
        if found := known.get(item["name"]):
            item["longhandProperties"] = [{"name": name, "value": ""} for name in found]


def _find_in_declarations(declarations: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield written declarations whose longhands and computed property Chromium does not list."""
    follow = {item["name"] for item in declarations if "range" not in item} - {"all"}
    for item in declarations:
        is_known = item.get("longhandProperties") or item["name"] in follow or item["name"].startswith("--")
        if "range" in item and not is_known and item.get("parsedOk", True) is not False:
            yield item
