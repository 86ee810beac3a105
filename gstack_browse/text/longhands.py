"""Shorthands whose longhands Chromium does not tell: with `var()` and the like it knows values only later. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def unclear(told: Any) -> Iterator[dict[str, Any]]:
    """Declarations that may be such shorthands, anywhere in Chromium's answer on the rules of an element."""
    if isinstance(told, list):
        for item in told:
            yield from unclear(item)
    elif isinstance(told, dict):
        if "cssProperties" in told:
            yield from _unclear_of(told["cssProperties"])
        else:
            for item in told.values():
                yield from unclear(item)


def complete(declarations: Sequence[dict[str, Any]], known: Mapping[str, Sequence[str]]) -> None:
    """Add the longhands to those declarations that are shorthands."""
    for item in declarations:
        if found := known.get(item["name"]):
            item["longhandProperties"] = [{"name": name, "value": ""} for name in found]


def _unclear_of(declarations: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Written declarations of which Chromium names neither longhands nor, behind what is written, the property itself."""
    follow = {item["name"] for item in declarations if "range" not in item} - {"all"}
    for item in declarations:
        is_known = item.get("longhandProperties") or item["name"] in follow or item["name"].startswith("--")
        if "range" in item and not is_known and item.get("parsedOk", True) is not False:
            yield item
