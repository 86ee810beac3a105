"""Locate points of elements in the viewport, in any frame. Scrolls to them; presses nothing."""

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse.browser.actions.input.presses import reach_or_follow
from gstack_browse.browser.actions.locate.covers import Cover, StillWatch
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.reach import page_transform
from gstack_browse.browser.actions.readiness import LOOK_AGAIN_SECONDS, WAIT_SECONDS, Probe, wait_until_ready
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import ClickPoint
from gstack_browse.errors import Covered, NotInteractable, StaleRef
from gstack_browse.registry.values.measures import PointIn

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

ANYWHERE = PointIn("", "")
"""Any point where the element can be pressed; the middle if that is free."""
SEEN = PointIn("~", "~")
"""The middle of the element's visible part, covered or not."""


class Aim(NamedTuple):
    """An element and a point of it, in the viewport (x, y) and relative to the element (`position`).

    `position` is counted from the corner inside the element's border.
    """

    element: Element
    probe: Probe
    x: float
    y: float
    position: dict[str, float]
    corner: tuple[float, float]
    """The top left corner of the element in the viewport."""
    size: tuple[float, float]
    cover: str
    """Name of the cover over the point; "" for none."""

    @property
    def text(self) -> str:
        """Return the element's name in replies."""
        return self.probe.text

    def point_at(self, at: PointIn) -> tuple[float, float]:
        """Return another point of the element in the viewport. The point may be outside of the element."""
        (left, top), (width, height) = self.corner, self.size
        return left + at.across_in(width), top + at.down_in(height)


async def wait_for_point(page: "PageSession", target: str, at: PointIn | None, required: frozenset[str]) -> Aim:
    """Wait until an action on the element at that point can work. Returns the point.

    `required`: the required properties. Raises what `wait_until_ready` raises, and NotInteractable for a point outside of the
    element.
    """
    element, probe = await wait_until_ready(page, target, required)
    is_free = "uncovered" in required
    return await _aim_at(page, element, probe, at or (ANYWHERE if is_free else SEEN), is_free=is_free)


async def aim_again(page: "PageSession", element: Element, at: PointIn | None) -> Aim:
    """Return the present position of an element found before, once it is visible.

    The target is resolved again only if the page has replaced the element: during a drag, `li:nth-child(2)` may
    mean the placeholder.
    """
    give_up = page.give_up_time(WAIT_SECONDS)
    while True:
        probe = Probe(await element.ask("probe", ""))
        if probe.gone:
            return await wait_for_point(page, element.target, at, frozenset())
        obstacle = probe.find_obstacle(frozenset())
        if obstacle is None:
            return await _aim_at(page, element, probe, at or SEEN, is_free=False)
        if page.now() >= give_up:
            raise obstacle
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _aim_at(page: "PageSession", element: Element, probe: Probe, at: PointIn, *, is_free: bool) -> Aim:
    """Return the point of an element that is ready. `is_free`: wait until no cover is over the point."""
    spot = await _find_spot(page, element, probe, at, is_free=is_free)
    if is_free and element.frame != page.tab.page.main_frame:
        place = {"x": spot["position"]["x"], "y": spot["position"]["y"]}
        await reach_or_follow(page, element, probe, place, is_press=False)  # no page around covers it
        spot = await _find_spot(page, element, probe, at, is_free=is_free)
    x, y = spot["point"] or (0, 0)
    left, top, width, height = spot["box"]
    in_page = await page_transform(element, spot["box"])
    corner, (right, bottom) = in_page(left, top), in_page(left + width, top + height)
    return Aim(
        element,
        probe,
        *in_page(x, y),
        {"x": spot["position"]["x"], "y": spot["position"]["y"]},
        corner,
        (right - corner[0], bottom - corner[1]),
        Cover(spot["cover"]).text if spot["cover"] else "",
    )


async def _find_spot(
    page: "PageSession", element: Element, probe: Probe, at: PointIn, *, is_free: bool
) -> ClickPoint:
    """Return the point. `is_free`: wait until no cover is over it, or raise Covered."""
    give_up = page.give_up_time(WAIT_SECONDS)
    covers = StillWatch(page)
    while True:
        spot: ClickPoint | None = await element.ask("clickPoint", at.across, at.down)
        if spot is None:
            raise StaleRef(f"{probe.text} disappeared", failures.SEE_ELEMENTS)
        if spot["point"] is None:
            width, height = spot["size"]
            raise NotInteractable(
                f"{at} is not in {probe.text}, which is {width:g}x{height:g}",
                "Count from its top left corner; percentages work, too",
            )
        if not spot["inView"]:
            raise NotInteractable(
                f"{probe.text} is outside of the visible page and cannot be scrolled to", failures.SEE_ELEMENTS
            )
        cover = Cover(spot["cover"]) if spot["cover"] and is_free else None
        if cover is None:
            return spot
        if covers.is_here_to_stay(cover.permanence_key) or page.now() >= give_up:
            where = f" at {at}" if at is not ANYWHERE else ""
            raise Covered(
                f"{probe.text} is covered{where} by {cover.text}", "Choose another point of it, or close that"
            )
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
