"""Rebuild the document that a trace has of an action, as text of HTML. Pure.

A document may say `[[n, m]]` instead of an element: that is element m, in post-order, of the document n before it in its frame.
"""

import html
from collections.abc import Sequence
from typing import Any

from gstack_browse.documents.traces.archive import TraceArchive
from gstack_browse.documents.traces.trace_reader import (
    Action,
    Event,
    number_of,
    object_of,
    parse_event,
    text_of,
)
from gstack_browse.errors import FileFailed

MOST_KEPT_BYTES = 200_000_000
"""Limit for the documents of a frame, as they stand in the trace."""
MOST_NODES = 200_000
"""Limit for nodes of a document: references could make a small file an endless one."""
_VOID = frozenset(
    "AREA BASE BR COL EMBED HR IMG INPUT LINK META PARAM SOURCE TRACK WBR".split()  # noqa: SIM905 - a list of words
)
_LEFT_OUT = frozenset({"SCRIPT", "STYLE", "NOSCRIPT"})


class FrameDocuments:
    """The documents of the main frames up to the wanted one, in the order of time."""

    def __init__(self, archive: TraceArchive, action: Action) -> None:
        self._lines: dict[str, list[bytes]] = {}
        self._parsed: dict[tuple[str, int], Any] = {}
        self._nodes: dict[tuple[str, int], list[Any]] = {}
        self._found: tuple[str, int] | None = None
        """Frame and index of the wanted document."""
        self.url = ""
        size = 0
        for name in archive.names(".trace"):
            for line in archive.lines(name):
                if b'"frame-snapshot"' not in line[:40]:
                    continue
                snapshot = object_of(parse_event(line) or {}, "snapshot")
                if snapshot.get("isMainFrame") is not True:
                    continue
                size += len(line)
                if size > MOST_KEPT_BYTES:
                    raise FileFailed(
                        "The documents of the trace are too large", "playwright show-trace may open it"
                    )
                self._keep_line(line, snapshot, action)

    def _keep_line(self, line: bytes, snapshot: Event, action: Action) -> None:
        """Keep the line of a frame's document; note it if it is the action's."""
        frame = text_of(snapshot, "frameId")
        lines = self._lines.setdefault(frame, [])
        lines.append(line)
        if text_of(snapshot, "callId") in action.calls:
            self._found = frame, len(lines) - 1
            self.url = text_of(snapshot, "frameUrl")

    def render(self) -> str:
        """Return the wanted document as HTML; "" if the trace has none of the action."""
        if self._found is None:
            return ""
        frame, index = self._found
        pieces: list[str] = []
        stack: list[tuple[Any, int] | str] = [(self._parse_html(frame, index), index)]
        count = 0
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            count += 1
            if count > MOST_NODES:
                raise FileFailed(
                    f"The document has more than {MOST_NODES:,} nodes", "playwright show-trace may open it"
                )
            node, at = item
            if isinstance(node, str):
                pieces.append(html.escape(node))
            elif place := _parse_reference(node, at):
                nodes = self._post_order(frame, place[0])
                if place[1] < len(nodes):
                    stack.append((nodes[place[1]], place[0]))
            elif _is_element(node) and node[0].upper() not in _LEFT_OUT:
                name, attributes, children = node[0], node[1] if len(node) > 1 else {}, node[2:]
                pieces.append(_start_tag(name, attributes))
                if name.upper() not in _VOID:
                    stack.append(f"</{name}>")
                    stack += [(child, at) for child in reversed(children)]
        return "".join(pieces)

    def _parse_html(self, frame: str, index: int) -> Any:
        """Return a kept document of a frame, as the trace nests it."""
        if (frame, index) not in self._parsed:
            event = parse_event(self._lines[frame][index]) or {}
            self._parsed[frame, index] = object_of(event, "snapshot").get("html")
        return self._parsed[frame, index]

    def _post_order(self, frame: str, index: int) -> Sequence[Any]:
        """Return the texts and elements of a document, children before their parent."""
        if (frame, index) in self._nodes:
            return self._nodes[frame, index]
        nodes: list[Any] = []
        stack: list[tuple[Any, bool]] = [(self._parse_html(frame, index), False)]
        while stack and len(nodes) < MOST_NODES:
            node, is_seen = stack.pop()
            if isinstance(node, str) or (is_seen and _is_element(node)):
                nodes.append(node)
            elif _is_element(node):
                stack.append((node, True))
                stack += [(child, False) for child in reversed(node[2:])]
        self._nodes[frame, index] = nodes
        return nodes


def _is_element(node: Any) -> bool:
    """Return whether a node of a snapshot is an element: a list that begins with a tag."""
    return (
        isinstance(node, list)
        and bool(node)
        and isinstance(node[0], str)
        and node[0].replace("-", "").isalnum()
    )


def _parse_reference(node: Any, at: int) -> tuple[int, int] | None:
    """Return document and node that a reference means; None for anything else."""
    if not (isinstance(node, list) and node and isinstance(node[0], list) and len(node[0]) == 2):
        return None
    back, index = (number_of({"n": part}, "n", -1) for part in node[0])
    document = at - int(back)
    return (document, int(index)) if 0 <= document <= at and index >= 0 else None


def _start_tag(name: str, attributes: Any) -> str:
    """Render a start tag with the attributes of harmless names."""
    shown = attributes if isinstance(attributes, dict) else {}
    pairs = "".join(
        f' {key}="{html.escape(value)}"'
        for key, value in shown.items()
        if isinstance(value, str) and key.replace("-", "").replace("_", "").isalnum()
    )
    return f"<{name}{pairs}>"
