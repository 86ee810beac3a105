"""Copy a page's DOM for a trace, by the protocol: the page runs nothing for it, and hears nothing."""

import asyncio
from collections.abc import Iterator
from typing import Any

from gstack_browse.browser.cdp.session import Session

COPY_SECONDS = 2.0
MOST_NODES = 100_000
MOST_DEPTH = 200
"""Depth from which elements are no longer nested: JSON is written by recursion."""
_ELEMENT, _TEXT, _FRAGMENT = 1, 3, 11
_LEFT_OUT = frozenset({"SCRIPT", "NOSCRIPT", "BASE"})
_SHADOW = "__playwright_shadow_root_"
"""Playwright's attribute of a template that stands for a shadow root."""
_SRC = "__playwright_src__"

Node = str | list[Any]
"""A text, or `[name, attributes, *children]`."""


class TooLarge(Exception):
    """A document has more than MOST_NODES nodes."""


class FrameCopy:
    """A document: its frame's id ("" for the main one), address, document type and nodes."""

    def __init__(self, frame: str, document: dict[str, Any]) -> None:
        self.frame = frame
        self.url: str = document.get("documentURL", "")
        self.doctype = next(
            (child["nodeName"] for child in document.get("children", ()) if child["nodeType"] == 10), ""
        )
        self.frames: list[FrameCopy] = []
        self._base = document.get("baseURL") or self.url
        self._count = 0
        roots = [child for child in document.get("children", ()) if child["nodeType"] == _ELEMENT]
        self.html: Node = self._copy(roots[0]) if roots else ["HTML", {}]

    def all_frames(self) -> "Iterator[FrameCopy]":
        """Yield this document and those of its frames, outer ones first."""
        yield self
        for frame in self.frames:
            yield from frame.all_frames()

    def _copy(self, root: dict[str, Any]) -> Node:
        """Return the node with all below it. No recursion: pages may nest thousands of elements."""
        top: list[Any] = []
        stack: list[tuple[dict[str, Any], list[Any], int]] = [(root, top, 0)]
        while stack:
            node, parent, depth = stack.pop()
            self._count += 1
            if self._count > MOST_NODES:
                raise TooLarge
            kind, name = node["nodeType"], node["nodeName"].upper()
            if kind == _TEXT:
                parent.append(node["nodeValue"])
                continue
            if kind == _FRAGMENT:
                copied: list[Any] = ["template", {_SHADOW: node.get("shadowRootType", "open")}]
            elif kind == _ELEMENT and name not in _LEFT_OUT:
                copied = [name, self._copy_attributes(node)]
                if name == "HEAD":
                    copied.append(["BASE", {"href": self._base}])
            else:
                continue
            parent.append(copied)
            inside = copied if depth < MOST_DEPTH else parent
            stack += [(child, inside, depth + 1) for child in reversed(_inner_nodes(node))]
        return top[0] if top else ["HTML", {}]

    def _copy_attributes(self, node: dict[str, Any]) -> dict[str, str]:
        """Return a node's attributes without event handlers; a frame's address becomes that of its copy."""
        given = node.get("attributes", [])
        attributes = {
            name: value
            for name, value in zip(given[::2], given[1::2], strict=False)
            if not name.lower().startswith("on")
        }
        if (inner := node.get("contentDocument")) and (frame := node.get("frameId")):
            self.frames.append(FrameCopy(frame, inner))
            attributes.pop("src", None)
            attributes[_SRC] = f"/snapshot/{frame}"
        return attributes


def _inner_nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return shadow roots of the page's own, then children."""
    own = [root for root in node.get("shadowRoots", ()) if root.get("shadowRootType") != "user-agent"]
    return [*own, *node.get("children", ())]


async def copy_document(session: Session) -> FrameCopy:
    """Copy the document of a page and of its frames in the same process.

    Raises ProtocolError if the page has gone, TimeoutError if it does not answer, TooLarge.
    """
    async with asyncio.timeout(COPY_SECONDS):
        result = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    session.notify("DOM.disable")  # else Chromium reports every change
    return await asyncio.to_thread(FrameCopy, "", result["root"])
