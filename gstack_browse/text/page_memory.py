"""What a page holds in memory, as lines and as JSON. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from gstack_browse.text.columns import aligned_lines, counted, size
from gstack_browse.text.sanitise import one_line

MOST_TREES = 10


class DetachedTrees(NamedTuple):
    """Trees of nodes in no document whose roots look alike: how they look, how many trees, how many nodes."""

    root: str
    trees: int
    nodes: int


@dataclass(frozen=True)
class MemoryUse:
    """Bytes of JavaScript's heap and of what is beside it; how many documents, nodes and listeners there are."""

    heap: int
    heap_reserved: int
    buffers: int
    dom: int
    documents: int
    nodes: int
    listeners: int
    detached: list[DetachedTrees]


def detached_trees(told: Iterable[Mapping[str, Any]]) -> list[DetachedTrees]:
    """The trees that the protocol tells of, those with most nodes first."""
    found: dict[str, tuple[int, int]] = {}
    for item in told:
        root = _shown(item["treeNode"])
        trees, nodes = found.get(root, (0, 0))
        found[root] = trees + 1, nodes + _size(item["treeNode"])
    return sorted((DetachedTrees(root, *counts) for root, counts in found.items()), key=lambda one: -one.nodes)


def as_lines(used: MemoryUse) -> list[str]:
    """A line for each figure, and for each kind of detached tree."""
    rows = [
        ("heap", f"{size(used.heap)} of {size(used.heap_reserved)}"),
        ("DOM and styles", size(used.dom)),
        ("array buffers", size(used.buffers)),
        ("documents", f"{used.documents:,}"),
        ("nodes", f"{used.nodes:,}"),
        ("listeners", f"{used.listeners:,}"),
        ("detached nodes", f"{sum(one.nodes for one in used.detached):,}"),
    ]
    lines = aligned_lines(rows)
    for one in used.detached[:MOST_TREES]:
        many = f" × {one.trees:,}" if one.trees > 1 else ""
        lines.append(f"  {one.root}{many}: {counted(one.nodes, 'node')}")
    if len(used.detached) > MOST_TREES:
        lines.append(f"  … {counted(len(used.detached) - MOST_TREES, 'more kind')}")
    return lines


def as_json(used: MemoryUse) -> str:
    """The same as an object, in bytes."""
    told = asdict(used)
    told["detached"] = [one._asdict() for one in used.detached]
    return json.dumps(told, ensure_ascii=False, indent=1)


def _shown(node: Mapping[str, Any]) -> str:
    """`div#menu.open`, or `#text`."""
    names = iter(node.get("attributes", []))
    attributes = dict(zip(names, names, strict=False))
    name = node.get("localName") or node.get("nodeName", "")
    named = f"#{attributes['id']}" if attributes.get("id") else ""
    classes = "".join(f".{word}" for word in attributes.get("class", "").split()[:3])
    return one_line(f"{name}{named}{classes}", 80)


def _size(node: Mapping[str, Any]) -> int:
    """How many nodes a tree has. Trees can be deep, so nothing here calls itself."""
    count, pending = 0, [node]
    while pending:
        one = pending.pop()
        count += 1
        pending += one.get("children", [])
        pending += one.get("shadowRoots", [])
    return count
