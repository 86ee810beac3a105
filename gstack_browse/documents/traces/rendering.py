"""Render a Playwright trace as text: its actions, requests and messages, and an action's document.

A document may say `[[n, m]]` instead of an element: that is element m, in post-order, of the document n before it in
its frame.
"""

import html
from collections.abc import Sequence
from typing import Any

from gstack_browse.documents.reader import main_content, markdown, markup_tree
from gstack_browse.documents.traces.trace_reader import (
    Action,
    Picture,
    Trace,
    TraceArchive,
    number_of,
    object_of,
    parse_event,
    text_of,
)
from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_bytes, format_count

MOST_KEPT_BYTES = 200_000_000
"""Limit for the documents of a frame, as they stand in the trace."""
MOST_NODES = 200_000
"""Limit for nodes of a document: references could make a small file an endless one."""
MOST_CHARACTERS = 50_000_000
"""Limit for a document's HTML, for the same reason."""
_LEFT_OUT = frozenset({"SCRIPT", "STYLE", "NOSCRIPT"})
MOST_TITLE = 200
MOST_ERROR = 500
_MOST_DEPTH = 10


class FrameDocuments:
    """The documents of the main frames in a trace, from which that of one action is rendered."""

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
                frame = text_of(snapshot, "frameId")
                lines = self._lines.setdefault(frame, [])
                lines.append(line)
                if text_of(snapshot, "callId") in action.calls:
                    self._found = frame, len(lines) - 1
                    self.url = text_of(snapshot, "frameUrl")

    def render(self) -> str:
        """Return the document that the action's page had, as HTML; "" if the trace has none.

        Raises FileFailed if it is too large.
        """
        if self._found is None:
            return ""
        frame, index = self._found
        pieces: list[str] = []
        stack: list[tuple[Any, int] | str] = [(self._parse_html(frame, index), index)]
        count = length = 0
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            count += 1
            length += len(pieces[-1]) if pieces else 0
            if count > MOST_NODES or length > MOST_CHARACTERS:
                what = f"{MOST_NODES:,} nodes" if count > MOST_NODES else f"{MOST_CHARACTERS:,} characters"
                raise FileFailed(f"The document has more than {what}", "playwright show-trace may open it")
            node, at = item
            if isinstance(node, str):
                pieces.append(html.escape(node))
            elif place := _parse_reference(node, at):
                nodes = self._list_in_post_order(frame, place[0])
                if place[1] < len(nodes):
                    stack.append((nodes[place[1]], place[0]))
            elif _is_element(node) and node[0].upper() not in _LEFT_OUT:
                name, attributes, children = node[0], node[1] if len(node) > 1 else {}, node[2:]
                pieces.append(_render_start_tag(name, attributes))
                if name.lower() not in markup_tree.VOID:
                    stack.append(f"</{name}>")
                    stack += [(child, at) for child in reversed(children)]
        return "".join(pieces)

    def _parse_html(self, frame: str, index: int) -> Any:
        """Return the document number `index` of a frame (id), parsed: nested lists, as a trace has them."""
        if (frame, index) not in self._parsed:
            event = parse_event(self._lines[frame][index]) or {}
            self._parsed[frame, index] = object_of(event, "snapshot").get("html")
        return self._parsed[frame, index]

    def _list_in_post_order(self, frame: str, index: int) -> Sequence[Any]:
        """Return a document's texts and elements, children before their parent, as references count them."""
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
    """Return whether a node of a trace's document is an element: a list that begins with a tag."""
    return (
        isinstance(node, list)
        and bool(node)
        and isinstance(node[0], str)
        and node[0].replace("-", "").isalnum()
    )


def _parse_reference(node: Any, at: int) -> tuple[int, int] | None:
    """Return (index of the document, index of the node) that a reference `[[n, m]]` names.

    `at`: index of the document with the reference. None if `node` is no reference, or a broken one.
    """
    if not (isinstance(node, list) and node and isinstance(node[0], list) and len(node[0]) == 2):
        return None
    back, index = (number_of({"n": part}, "n", -1) for part in node[0])
    document = at - int(back)
    return (document, int(index)) if 0 <= document <= at and index >= 0 else None


def _render_start_tag(name: str, attributes: Any) -> str:
    """Render a start tag, with only those attributes whose names are harmless."""
    shown = attributes if isinstance(attributes, dict) else {}
    pairs = "".join(
        f' {key}="{html.escape(value)}"'
        for key, value in shown.items()
        if isinstance(value, str) and key.replace("-", "").replace("_", "").isalnum()
    )
    return f"<{name}{pairs}>"


def render_actions(trace: Trace) -> list[str]:
    """Return a headline of the trace, and a line for each action: number, start, length, title."""
    depths = _count_ancestors(trace.actions)
    rows = [
        [
            f"{number:>4}",
            _format_start(action.start - trace.start),
            "not ended" if action.end is None else _format_ms(action.end - action.start),
            "  " * depths[action.key] + one_line(action.title, MOST_TITLE),
        ]
        for number, action in enumerate(trace.actions, 1)
    ]
    lines = [_render_headline(trace)]
    for action, line in zip(trace.actions, align_rows(rows), strict=True):
        lines.append(line)
        if action.error:
            lines.append(f"      failed: {one_line(action.error, MOST_ERROR)}")
    return lines + [f"Error of the test: {one_line(error, MOST_ERROR)}" for error in trace.errors]


def render_requests(trace: Trace) -> list[str]:
    """Return a line for each request: start, method, status, kind, size, length, address."""
    rows = [
        [
            _format_start(request.start - trace.start),
            one_line(request.method, 10),
            str(request.status) if request.status > 0 else "failed",
            one_line(request.kind.partition(";")[0], 40),
            format_bytes(request.size) if request.size >= 0 else "",
            _format_ms(request.milliseconds) if request.milliseconds >= 0 else "",
            one_line(request.url, 500),
        ]
        for request in trace.requests
    ]
    return align_rows(rows) if rows else ["(no requests)"]


def render_messages(trace: Trace) -> list[str]:
    """Return a line for each console message: time, level, text and position in the code."""
    lines = [
        f"{_format_start(message.at - trace.start)}  {one_line(message.level, 20)}: {one_line(message.text, 2000)}"
        + (f" ({one_line(message.place, 300)})" if message.place else "")
        for message in trace.messages
    ]
    return lines or ["(no console messages)"]


def render_document(documents: FrameDocuments, action: Action) -> list[str]:
    """Return the page after an action as lines of Markdown."""
    found = documents.render()
    if not found:
        return [f"The trace has no document of {one_line(action.title, MOST_TITLE)}"]
    root = markup_tree.parse(found)
    main_content.resolve_links(root, documents.url)
    text = markdown.write_markdown(root.find("body") or root)
    return [f"Page: {one_line(documents.url, 500)}", "", text or "(no text)"]


def find_picture(trace: Trace, action: Action) -> Picture | None:
    """Return the picture that shows an action's result: the last of its page before the next action.

    If there is none before, the first one after it; None for none. If the action names no page, pictures of all pages count.
    """
    end = action.end if action.end is not None else action.start
    until = min(
        (other.start for other in trace.actions if other.start >= end and other is not action), default=None
    )
    pictures = [each for each in trace.pictures if action.page in ("", each.page)]
    before = [picture for picture in pictures if until is None or picture.at <= until]
    return before[-1] if before else next(iter(pictures), None)


def _render_headline(trace: Trace) -> str:
    """Return a line that describes the trace: which program made it, its duration, numbers of actions …"""
    maker = one_line(trace.maker, 60)
    seconds = max(((action.end or action.start) - trace.start for action in trace.actions), default=0.0) / 1000
    facts = [
        f"made by {maker if 'gbrowse' in maker else f'Playwright {maker}'.strip()}",
        one_line(trace.browser, 40),
        format_count(len(trace.actions), "action") + f" in {seconds:.1f} s",
        format_count(len(trace.requests), "request"),
        format_count(len(trace.messages), "console message"),
    ]
    skipped = f" ({format_count(trace.skipped, 'line')} not understood)" if trace.skipped else ""
    return f"Trace {one_line(trace.title, 100)}".rstrip() + ": " + ", ".join(filter(None, facts)) + skipped


def _count_ancestors(actions: list[Action]) -> dict[str, int]:
    """Return key of an action → how many other actions contain it: how far its title is indented."""
    parents = {action.key: action.parent for action in actions}
    depths = dict.fromkeys(parents, 0)
    for key in parents:
        above = parents[key]
        while above in parents and depths[key] < _MOST_DEPTH:
            depths[key] += 1
            above = parents[above]
    return depths


def _format_start(milliseconds: float) -> str:
    """Format milliseconds since the first action as `+1.25s`."""
    return f"{milliseconds / 1000:+.2f}s"


def _format_ms(milliseconds: float) -> str:
    """Format a duration as `350 ms` or `1.2 s`."""
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{max(milliseconds, 0):.0f} ms"
