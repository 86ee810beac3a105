"""Convert points and boxes of an element's frame to the viewport of the page around.

The frames around may be scaled, zoomed, rotated, covered or scrolled away.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import dist

from gstack_browse.browser.actions.locate.covers import Cover, sibling_position
from gstack_browse.browser.actions.locate.find import Box, Element
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import FramePoint
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.engine.world import frame_transform
from gstack_browse.errors import StaleRef


@dataclass
class PagePoints:
    """Points of a frame converted to CSS pixels of the page (`points`), and the cover over each.

    `is_distorted`: a frame between them is rotated or in perspective. `are_in_view`: no frame has scrolled a point away.
    """

    points: list[list[float]]
    covers: list[Cover | None]
    is_distorted: bool = False
    are_in_view: bool = True


async def to_page_points(element: Element, points: Sequence[list[float]]) -> PagePoints:
    """Convert points [x, y] from the viewport of the element's frame to that of the page, in CSS pixels.

    Also finds what covers each point in the pages around the frame; a point of which that is unknown counts as uncovered.
    """
    found = PagePoints(list(points), [None] * len(points))
    frame = element.frame
    with suppress(FrameGone, PageScriptError, ProtocolError, ValueError):  # a frame is being replaced
        while around := frame.parent_frame:
            answers: list[FramePoint] = await element.page.world.call(
                "convertFramePoints", *sibling_position(frame), found.points, frame=around
            )
            covers = [Cover(answer["cover"]) if answer["cover"] else None for answer in answers]
            found.covers = [new or old for new, old in zip(covers, found.covers, strict=True)]
            found.is_distorted |= any(answer["distorted"] for answer in answers)
            found.are_in_view &= all(answer["inView"] for answer in answers)
            found.points, frame = [answer["point"] for answer in answers], around
    return found


async def find_uncovered_point(element: Element) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return a point near an element's edge that no page around its frame covers, or None.

    As ((x, y) in the viewport of the page, (x, y) in that of the element's frame), in CSS pixels.
    """
    points: list[list[float]] = await element.ask("findEdgePoints")
    found = await to_page_points(element, points)
    for inside, (x, y), cover in zip(points, found.points, found.covers, strict=True):
        if cover is None:
            return (x, y), (inside[0], inside[1])
    return None


_PROBE_DISTANCE = 100.0

Transform = Callable[[float, float], tuple[float, float]]


async def page_transform(element: Element, box: Sequence[float]) -> Transform:
    """Return a function that converts a point (x, y) of an element's frame to the page's viewport.

    Both in CSS pixels. `box`: the element's rectangle in the viewport of its frame (left, top, width, height), needed if the
    frame is rotated. Raises StaleRef if the element is not rendered.
    """
    if element.frame == element.page.tab.page.main_frame:
        return lambda x, y: (x, y)
    outer = await to_page_points(element, [[0, 0], [_PROBE_DISTANCE, 0]])
    if outer.is_distorted:
        return await _transform_by_corners(element, box)
    (left, top), right_of_it = outer.points
    scale = dist((left, top), right_of_it) / _PROBE_DISTANCE
    return lambda x, y: (left + scale * x, top + scale * y)


async def _transform_by_corners(element: Element, box: Sequence[float]) -> Transform:
    """Return a function that converts a point of a rotated or skewed frame to the page's viewport.

    It maps `box`, the element's rectangle in its frame, to the four corners that Chromium reports of the element in the page.
    """
    try:
        corners = await element.corners()
        place = await frame_transform(element.page.world.frames, element.frame)
    except ProtocolError as error:
        raise failures.translate(error) from None
    if not corners:
        raise StaleRef(f"{element.target} disappeared", failures.SEE_ELEMENTS)
    (x0, y0), (x1, y1), _, (x3, y3) = (place.to_page_point(x, y) for x, y in corners)
    left, top, width, height = box

    def to_page(x: float, y: float) -> tuple[float, float]:
        across, down = (x - left) / (width or 1), (y - top) / (height or 1)
        return x0 + across * (x1 - x0) + down * (x3 - x0), y0 + across * (y1 - y0) + down * (y3 - y0)

    return to_page


async def measure_box_in_page(element: Element) -> Box | None:
    """Return the bounding box of an element in the page's viewport; None if it is not rendered.

    In CSS pixels. Raises FrameGone, ProtocolError, and StaleRef if it is removed meanwhile.
    """
    found: Sequence[float] | None = await element.ask("boxOf")
    if not found:
        return None
    left, top, width, height = found
    to_page = await page_transform(element, found)
    corners = [to_page(x, y) for x in (left, left + width) for y in (top, top + height)]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    return Box(left, top, max(x for x, _ in corners) - left, max(y for _, y in corners) - top)
