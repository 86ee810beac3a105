"""Compute where frames of other sites are in their page.

Each lives in a process of its own, which does not know the page around it.

Nothing here acts on a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.engine.messages import send

if TYPE_CHECKING:
    from gstack_browse.browser.engine.frame_targets import FrameTargets


@dataclass(frozen=True)
class Iframe:
    """An iframe of another site, in the viewport of the process around it, in CSS pixels."""

    content: tuple[float, ...]
    """The corners of its content, clockwise from the top left one: x, y, x, y …"""
    width: float
    height: float

    def outward(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of its viewport is in the viewport around it."""
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

    def outward(self, x: float, y: float) -> tuple[float, float]:
        """Return where in the page's viewport a point is that Chromium tells in that of the frame's process."""
        for iframe in self.iframes:
            x, y = iframe.outward(x, y)
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
            iframes.append(_iframe(box))
    return FramePlace(tuple(iframes))


def _iframe(box: dict[str, Any]) -> Iframe:
    """Read the protocol's box model, whose width and height are those before any transformation."""
    border, content = box["border"], box["content"]
    across = box["width"] / (_length(border[0:4]) or 1)
    down = box["height"] / (_length(border[2:6]) or 1)
    width, height = _length(content[0:4]) * across or 1, _length(content[2:6]) * down or 1
    return Iframe(tuple(content), width, height)


def _length(edge: Sequence[float]) -> float:
    """The length of a line from one point to another: x, y, x, y."""
    return hypot(edge[2] - edge[0], edge[3] - edge[1])
