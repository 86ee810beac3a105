"""Where a frame of another site is in its page: that lives in a process of its own, and knows nothing of the page around it.

Playwright puts the corner of such a frame where the corner of its iframe is. It leaves out the iframe's border, padding and
transformation, so that what it tells and presses lies beside the element. Nothing here acts on a page.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.playwright_names import Frame
from gstack_browse.browser.engine.messages import evaluate, send

if TYPE_CHECKING:
    from gstack_browse.browser.engine.frame_targets import FrameTargets


@dataclass(frozen=True)
class Iframe:
    """An iframe of another site, in the viewport of the process around it. `width`, `height`: of its own viewport, in its own pixels."""

    corner: tuple[float, float]
    """The top left corner of the rectangle around it, border included: where Playwright begins to count."""
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
    """Where a frame is in its page: within these iframes of other sites, from the inside out."""

    iframes: tuple[Iframe, ...] = ()

    @property
    def is_known_to_playwright(self) -> bool:
        """Whether Playwright takes points of the frame to be where they are."""
        return all(self.in_page(*point) == point for point in ((0.0, 0.0), (100.0, 0.0), (0.0, 100.0)))

    def in_page(self, x: float, y: float) -> tuple[float, float]:
        """Return where in the page's viewport a point is that Playwright takes to be at x, y."""
        for iframe in self.iframes:
            x, y = x - iframe.corner[0], y - iframe.corner[1]
        for iframe in self.iframes:
            x, y = iframe.outward(x, y)
        return x, y


async def place_of(frames: "FrameTargets", frame: Frame) -> FramePlace:
    """Return where a frame is in its page. Raises FrameGone, and Playwright's Error for an iframe that is not rendered."""
    iframes = []
    while around := frame.parent_frame:
        inner, frame = await frames.context_of(frame), around
        if inner.target is frames.main:
            break
        if inner.frame_id == inner.target.id:
            outer = await frames.context_of(around)
            owner = await send(outer, "DOM.getFrameOwner", frameId=inner.frame_id)
            box = (await send(outer, "DOM.getBoxModel", backendNodeId=owner["backendNodeId"]))["model"]
            size = await evaluate(inner, "[innerWidth, innerHeight]", by_value=True)
            border = box["border"]
            iframes.append(Iframe((min(border[::2]), min(border[1::2])), tuple(box["content"]), *size["value"]))
    return FramePlace(tuple(iframes))
