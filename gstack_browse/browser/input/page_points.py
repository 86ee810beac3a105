"""Convert points in a frame's window to points of the page.

The pages around a frame compute this if the frame is only moved or scaled (scripts/around-frames.js). If it is rotated
or in perspective, Chromium reports the corners of the element (`DOM.getBoxModel`).
"""

from collections.abc import Callable, Sequence
from math import dist

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.frame_places import place_of
from gstack_browse.browser.input.around_frames import outward
from gstack_browse.browser.input.find import Element
from gstack_browse.errors import StaleRef

_PROBE_DISTANCE = 100.0

Transform = Callable[[float, float], tuple[float, float]]


async def page_transform(element: Element, box: Sequence[float]) -> Transform:
    """Return the function from points in an element's window to points of the page, in CSS pixels.

    `box`: the element's rectangle in its window: left, top, width, height. Raises StaleRef if it is not rendered.
    """
    if element.frame == element.page.tab.page.main_frame:
        return lambda x, y: (x, y)
    outer = await outward(element, [[0, 0], [_PROBE_DISTANCE, 0]])
    if outer.is_distorted:
        return await _transform_by_corners(element, box)
    (left, top), right_of_it = outer.points
    scale = dist((left, top), right_of_it) / _PROBE_DISTANCE
    return lambda x, y: (left + scale * x, top + scale * y)


async def _transform_by_corners(element: Element, box: Sequence[float]) -> Transform:
    """Return that function as the affine map from an element's box to its corners in the page."""
    try:
        corners = await element.corners()
        place = await place_of(element.page.world.frames, element.frame)
    except ProtocolError as error:
        raise failures.translate(error) from None
    if not corners:
        raise StaleRef(f"{element.target} disappeared", failures.SEE_ELEMENTS)
    (x0, y0), (x1, y1), _, (x3, y3) = (place.outward(x, y) for x, y in corners)
    left, top, width, height = box

    def to_page(x: float, y: float) -> tuple[float, float]:
        across, down = (x - left) / (width or 1), (y - top) / (height or 1)
        return x0 + across * (x1 - x0) + down * (x3 - x0), y0 + across * (y1 - y0) + down * (y3 - y0)

    return to_page
