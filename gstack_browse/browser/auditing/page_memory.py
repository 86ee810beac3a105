"""Measure the memory of a page's process: heap, nodes, listeners, and nodes outside of any document."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.session import Session
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_bytes, format_count

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand

MOST_TREES = 10


class DetachedTrees(NamedTuple):
    """Detached DOM trees with the same description of their root: number of trees, and of all nodes."""

    root: str
    trees: int
    nodes: int


@dataclass(frozen=True)
class MemoryUse:
    """The memory of a page: bytes of the JavaScript heap, of DOM, styles and buffers, and counts."""

    heap: int
    heap_reserved: int
    buffers: int
    dom: int
    documents: int
    nodes: int
    listeners: int
    detached: list[DetachedTrees]


def parse_detached_trees(answer: Iterable[Mapping[str, Any]]) -> list[DetachedTrees]:
    """Group the trees of `DOM.getDetachedDomNodes` by the description of their root; most nodes first."""
    found: dict[str, tuple[int, int]] = {}
    for item in answer:
        root = _describe_node(item["treeNode"])
        trees, nodes = found.get(root, (0, 0))
        found[root] = trees + 1, nodes + _count_nodes(item["treeNode"])
    return sorted((DetachedTrees(root, *counts) for root, counts in found.items()), key=lambda one: -one.nodes)


def render_lines(used: MemoryUse) -> list[str]:
    """Render a line for each figure, and for each kind of detached DOM tree the number of trees and nodes."""
    rows = [
        ("heap", f"{format_bytes(used.heap)} of {format_bytes(used.heap_reserved)}"),
        ("DOM and styles", format_bytes(used.dom)),
        ("array buffers", format_bytes(used.buffers)),
        ("documents", f"{used.documents:,}"),
        ("nodes", f"{used.nodes:,}"),
        ("listeners", f"{used.listeners:,}"),
        ("detached nodes", f"{sum(one.nodes for one in used.detached):,}"),
    ]
    lines = align_rows(rows)
    for one in used.detached[:MOST_TREES]:
        many = f" × {one.trees:,}" if one.trees > 1 else ""
        lines.append(f"  {one.root}{many}: {format_count(one.nodes, 'node')}")
    if len(used.detached) > MOST_TREES:
        lines.append(f"  … {format_count(len(used.detached) - MOST_TREES, 'more kind')}")
    return lines


def render_json(used: MemoryUse) -> str:
    """Render the figures as a JSON object, in bytes."""
    answer = asdict(used)
    answer["detached"] = [one._asdict() for one in used.detached]
    return json.dumps(answer, ensure_ascii=False, indent=1)


def _describe_node(node: Mapping[str, Any]) -> str:
    """Describe a DOM node of the protocol by name, id and first classes: `div#menu.open`, or `#text`."""
    names = iter(node.get("attributes", []))
    attributes = dict(zip(names, names, strict=False))
    name = node.get("localName") or node.get("nodeName", "")
    named = f"#{attributes['id']}" if attributes.get("id") else ""
    classes = "".join(f".{word}" for word in attributes.get("class", "").split()[:3])
    return one_line(f"{name}{named}{classes}", 80)


def _count_nodes(node: Mapping[str, Any]) -> int:
    """Count the nodes of a DOM tree of the protocol. Not recursive, as trees can be deep."""
    count, pending = 0, [node]
    while pending:
        one = pending.pop()
        count += 1
        pending += one.get("children", [])
        pending += one.get("shadowRoots", [])
    return count


async def measure_memory(page: "PageCommand", *, collect: bool) -> MemoryUse:
    """Measure the memory of the process of the page's main frame. `collect`: collect garbage before."""
    session = await dialogs.open_further_session(page.context.running, page.world.frames.target)
    try:
        if collect:
            await session.send("HeapProfiler.collectGarbage")
        return await _query_memory(session)
    finally:
        session.leave()


async def _query_memory(session: Session) -> MemoryUse:
    """Ask Chromium for the size of the heap, DOM counters and detached nodes, in a session with a page."""
    heap: dict[str, Any] = await session.send("Runtime.getHeapUsage")
    counters: dict[str, Any] = await session.send("Memory.getDOMCounters")
    await session.send("DOM.enable")
    await session.send("DOM.getDocument", {"depth": 0})
    detached = await session.send("DOM.getDetachedDomNodes")
    return MemoryUse(
        heap=int(heap["usedSize"]),
        heap_reserved=int(heap["totalSize"]),
        buffers=int(heap.get("backingStorageSize", 0)),
        dom=int(heap.get("embedderHeapUsedSize", 0)),
        documents=counters["documents"],
        nodes=counters["nodes"],
        listeners=counters["jsEventListeners"],
        detached=parse_detached_trees(detached["detachedNodes"]),
    )
