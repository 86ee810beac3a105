"""Finds the isolated world of each frame's current document; questions to it are in `messages.py`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext, Target
from gstack_browse.browser.cdp.world_name import WORLD
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import FrameGone, NoDocument, evaluate, send


class FrameTargets:
    """The target of one page, and those of its frames that have processes of their own."""

    def __init__(self, page: Page, connection: Connection) -> None:
        self._page = page
        self._connection = connection

    @property
    def target(self) -> Target:
        """The page."""
        return self._page.target

    def all(self) -> list[Target]:
        """Return the page, and its frames that have processes of their own."""
        return [
            target
            for target in self._connection.targets
            if target.page == self.target.id and target.has_documents
        ]

    def known_context(self, frame: Frame | None) -> ExecutionContext | None:
        """Return the context of a frame if it is known already, as it mostly is."""
        if frame is None:
            return self.target.contexts.get(self.target.id)
        return frame.target.contexts.get(frame.id)

    async def main_context(self) -> ExecutionContext:
        """Return the context of the main frame's current document."""
        return await self.context_of(self._page.main_frame)

    async def root_of(self, target: Target) -> ExecutionContext:
        """Return the context of a target's own current document. Raises FrameGone."""
        return await self._context_in(target, target.id)

    async def context_of(self, frame: Frame | None) -> ExecutionContext:
        """Return the context of a frame's current document. Raises FrameGone."""
        frame = frame or self._page.main_frame
        if frame.is_detached():
            raise FrameGone("The frame has gone")
        return await self._context_in(frame.target, frame.id)

    async def child_context(self, parent: ExecutionContext, node_id: int) -> ExecutionContext | None:
        """Return the context of the document in an iframe that its parent's scripts cannot reach.

        None if it is not there yet.
        """
        frame = await self.shown_by(parent, node_id)
        if frame is None:
            return None
        try:
            return await self.context_of(frame)
        except FrameGone:
            return None

    async def shown_by(self, parent: ExecutionContext, node_id: int) -> Frame | None:
        """Return the frame that an element shows; None if it shows none.

        Raises FrameGone if there is no such element, or ProtocolError.
        """
        owner = await evaluate(parent, f"__gbrowse.nodeFor({node_id})", group=ENGINE_NAME)
        if "objectId" not in owner:
            return None
        described = await send(parent, "DOM.describeNode", objectId=owner["objectId"])
        parent.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": ENGINE_NAME})
        return self._page.frame(described["node"].get("frameId", ""))

    async def _context_in(self, target: Target, frame_id: str) -> ExecutionContext:
        """Return the context of a frame's document, and make our world there if it has none.

        Chromium makes it in each new document, but not in the blank one that a page or a frame begins with.
        """
        if (known := target.contexts.get(frame_id)) is None:
            await target.ping()  # Chromium may have told of it by then
            known = target.contexts.get(frame_id)
        if known is None:
            await self._create_isolated_world(target, frame_id)
            known = target.contexts.get(frame_id)
        if known is None:
            raise NoDocument
        return known

    async def _create_isolated_world(self, target: Target, frame_id: str) -> None:
        """Create the engine's isolated world in a frame. Raises FrameGone if the frame has been removed."""
        wanted = {"frameId": frame_id, "worldName": WORLD, "grantUniveralAccess": True}
        try:
            await target.session.send("Page.createIsolatedWorld", wanted)
        except ProtocolError as error:
            if "No frame" in error.message:
                raise FrameGone(error.message) from None
            raise


@dataclass(frozen=True)
class Iframe:
    """An iframe of another site, in the viewport of the process around it, in CSS pixels."""

    content: tuple[float, ...]
    """The corners of its content, clockwise from the top left one: x, y, x, y …"""
    width: float
    height: float

    def to_parent_point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point of the iframe's viewport to one of the viewport around it."""
        left, top, right, right_top, _, _, bottom_left, bottom = self.content
        across, down = x / self.width, y / self.height
        return (
            left + across * (right - left) + down * (bottom_left - left),
            top + across * (right_top - top) + down * (bottom - top),
        )


@dataclass(frozen=True)
class FramePlace:
    """The place of a frame in its page: its iframes of other sites, innermost first."""

    iframes: tuple[Iframe, ...] = ()

    def to_page_point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point of the frame's process to a point of the page's viewport."""
        for iframe in self.iframes:
            x, y = iframe.to_parent_point(x, y)
        return x, y


async def place_of(frames: "FrameTargets", frame: Frame) -> FramePlace:
    """Return where a frame is in its page.

    Raises FrameGone, and ProtocolError for an iframe that is not rendered.
    """
    iframes = []
    while around := frame.parent_frame:
        inner, frame = await frames.context_of(frame), around
        if inner.target is frames.target:
            break
        if inner.frame_id == inner.target.id:
            outer = await frames.context_of(around)
            owner = await send(outer, "DOM.getFrameOwner", frameId=inner.frame_id)
            box = (await send(outer, "DOM.getBoxModel", backendNodeId=owner["backendNodeId"]))["model"]
            iframes.append(_parse_box_model(box))
    return FramePlace(tuple(iframes))


def _parse_box_model(box: dict[str, Any]) -> Iframe:
    """Build an Iframe from the protocol's box model, whose width and height are untransformed."""
    border, content = box["border"], box["content"]
    across = box["width"] / (_length(border[0:4]) or 1)
    down = box["height"] / (_length(border[2:6]) or 1)
    width, height = _length(content[0:4]) * across or 1, _length(content[2:6]) * down or 1
    return Iframe(tuple(content), width, height)


def _length(edge: Sequence[float]) -> float:
    """Return the length of a line from one point to another: x, y, x, y."""
    return hypot(edge[2] - edge[0], edge[3] - edge[1])
