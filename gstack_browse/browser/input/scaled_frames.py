"""Compute where to press elements in zoomed or scaled frames, and forms.

Playwright presses beside such elements, or takes them for covered. Its questions to a form fail if fields have
the names of the form's own properties. A point is converted from frame to frame, by each iframe's own size and
the size at which it is shown. Rotated frames and frames in perspective are left to Playwright.
"""

from collections.abc import Callable
from math import dist
from typing import Any

from gstack_browse.browser.engine.answers import Spot
from gstack_browse.browser.input.around_frames import outward
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.readiness import Probe

_STEP = 100.0
_LEAST_SCALE = 0.005


async def way_to_page(element: Element) -> Callable[[float, float], tuple[float, float]] | None:
    """Return the function from points of the element's window to points of the page; None as `page_point`."""
    found = await outward(element, [[0, 0], [_STEP, 0]])
    (left, top), aside = found.points
    scale = dist((left, top), aside) / _STEP
    if found.is_distorted or abs(scale - 1) < _LEAST_SCALE:
        return None
    return lambda x, y: (left + scale * x, top + scale * y)


async def page_point(element: Element, position: Any, probe: Probe) -> tuple[float, float] | None:
    """Return the point of the page at which to press an element; None to leave it to Playwright.

    position: a point of the element, as Playwright counts

    Raises Covered if a page outside of the frame covers the point.
    """
    is_main, is_form = element.frame == element.page.tab.page.main_frame, probe.tag == "form"
    if is_main and not is_form:
        return None
    across, down = (str(position["x"]), str(position["y"])) if position else ("", "")
    spot: Spot | None = await element.ask("spot", across, down)
    if spot is None or spot["point"] is None:
        return None
    x, y = spot["point"]
    if position:
        x, y = x + position["x"] - spot["position"]["x"], y + position["y"] - spot["position"]["y"]
    if is_main:
        return x, y
    found = await outward(element, [[x, y], [x + _STEP, y]])
    pressed, aside = found.points
    is_scaled = abs(dist(pressed, aside) / _STEP - 1) >= _LEAST_SCALE
    if found.is_distorted or not (is_scaled or is_form):
        return None
    if cover := found.covers[0]:
        raise cover.refusal(probe.text)
    return pressed[0], pressed[1]
