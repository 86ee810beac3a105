"""Find the point at which the pointer reaches an element, once it stands still and is not covered.

Scrolls to the element, and sends no input: `prepared_input` does. A guard in the element's document (`watchPress` in
scripts/actions/presses.js) blocks a press that would hit another element after all. `wait_for_point` finds a named point of the element,
in any frame: for drags, clicks at a place and files that are dropped.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import dist
from typing import NamedTuple

from gstack_browse.browser.actions.locate import page_points
from gstack_browse.browser.actions.locate.covers import STILL_SECONDS, Cover, ObstacleMonitor, sibling_position
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import (
    LOOK_AGAIN_SECONDS,
    WAIT_SECONDS,
    ElementReport,
    wait_until_ready,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import ClickPoint, PointerReach, PointInside
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import (
    Covered,
    Disappeared,
    Hidden,
    KeepsMoving,
    NotInteractable,
    OutOfView,
    StaleRef,
    TargetError,
)
from gstack_browse.registry.values.measures import PointIn

LEAST_LOOKS = 3
"""Least number of tries: on a busy machine the time may be over before the page's first answer."""
BACK_SECONDS = 0.2
"""How long an element may be out of its document: pages that sort a list remove it and insert it again."""
ElementPoint = Mapping[str, object] | None
"""A point of an element (`x`, `y` from the corner of its padding box); None: any point that is not covered."""


class PressPoint(NamedTuple):
    """A point of an element in the viewports of the page and of its frame (`window`), in CSS pixels."""

    page: tuple[float, float]
    window: tuple[float, float]


async def reach_or_follow(
    page: PageCommand, element: Element, report: ElementReport, point: ElementPoint, *, is_press: bool = True
) -> PressPoint:
    """Wait until a press at `point` would reach an element; return where in the page that is.

    Accepts an element that never stands still, and adds a note to the reply if a script keeps moving it. `is_press`: see
    `wait_until_reachable`, which says what is raised.
    """
    if not await keeps_moving(element, report):
        try:
            return await wait_until_reachable(element, report.name, point=point, is_press=is_press)
        except KeepsMoving:
            if await is_motion_ending(element):
                raise
        # A script moves the element: there is no animation whose end could be awaited.
        if is_press:
            page.note_once(f"{report.name} never stands still: it was pressed where it was then")
    return await wait_until_reachable(element, report.name, point=point, must_be_still=False, is_press=is_press)


async def wait_until_reachable(
    element: Element,
    name: str,
    *,
    point: ElementPoint = None,
    seconds: float = WAIT_SECONDS,
    must_be_still: bool = True,
    is_press: bool = True,
) -> PressPoint:
    """Wait until a press at `point` of an element would reach it, and return where that is.

    Args:
        name: the element's name in messages
        must_be_still: the element has to stand still for two frames
        is_press: the element has to be enabled, and no element around its frame may take its presses

    Raises the reason (TargetError) after `seconds`; KeepsMoving after a second if a script moves the element, and Covered after a
    second in which the cover does not change.
    """
    page = element.page
    monitor, limit = ObstacleMonitor(page), PollBudget(page, page.give_up_time(seconds), LEAST_LOOKS)
    moving_limit = PollBudget(page, page.give_up_time(min(seconds, STILL_SECONDS)), LEAST_LOOKS)
    while True:
        try:
            return await _reach_now(element, name, point, must_be_still=must_be_still, is_press=is_press)
        except Disappeared:
            if not await wait_until_back(element):
                raise
            obstacle: TargetError = failures.element_gone_error(name)
        except TargetError as error:
            obstacle = error
        is_lasting = monitor.is_permanent(obstacle.key if isinstance(obstacle, Covered) else None)
        if isinstance(obstacle, KeepsMoving) and moving_limit.has_met_limits():
            is_lasting = not await is_motion_ending(element)
        if limit.is_exhausted() or is_lasting:
            raise obstacle
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _reach_now(
    element: Element, name: str, point: ElementPoint, *, must_be_still: bool, is_press: bool
) -> PressPoint:
    """Return the point where a press reaches an element now. Raises a TargetError with the reason if none.

    The arguments are those of `wait_until_reachable`.
    """
    try:
        reach: PointerReach | None = await element.ask("checkPointerReach", point, must_be_still)
    except FrameGone:
        raise failures.element_gone_error(name) from None
    if reach is None:
        raise failures.element_gone_error(name)
    if not reach["visible"]:
        raise Hidden(f"{name} is hidden", failures.SEE_ELEMENTS)
    if reach["disabled"] and is_press:
        raise NotInteractable(f"{name} is disabled", failures.SEE_ELEMENTS)
    if not reach["still"]:
        raise KeepsMoving(f"{name} keeps moving", "Wait until its animation ends")
    spot = reach["spot"]
    if not spot["inView"] or not spot["point"]:
        raise _make_out_of_view_error(name)
    cover = Cover(spot["cover"]) if spot["cover"] else None
    if cover and (is_press or not cover.is_around):
        raise cover.make_error(name)
    window = spot["point"][0], spot["point"][1]
    if element.frame == element.page.tab.page.main_frame:
        return PressPoint(window, window)
    return await _reach_through_frames(element, name, spot, window, is_fixed=point is not None)


async def _reach_through_frames(
    element: Element, name: str, spot: ClickPoint, window: tuple[float, float], *, is_fixed: bool
) -> PressPoint:
    """Return the point to press for an element in a frame, if no page around the frame covers it.

    Args:
        spot: box and point of the element in the viewport of its frame
        window: that point
        is_fixed: press only there, and not at another point of the element if that one is covered
    """
    outer = await page_points.to_page_points(element, [list(window)])
    if not outer.are_in_view:
        has_moved = await _scroll_pages_to(element, window, outer.points[0])
        if has_moved or not outer.is_distorted:
            # Chromium sends presses to the new place only once it has drawn it, so that is looked for again
            raise _make_out_of_view_error(name)
    if outer.is_distorted:  # a rotated frame: which element covers the point there is unknown
        return PressPoint((await page_points.page_transform(element, spot["box"]))(*window), window)
    if not (cover := outer.covers[0]):
        return PressPoint((outer.points[0][0], outer.points[0][1]), window)
    free = None if is_fixed else await page_points.find_uncovered_point(element)
    if free is None:
        raise cover.make_error(name)
    return PressPoint(*free)


def _make_out_of_view_error(name: str) -> OutOfView:
    """Return the error for an element (`name`) that no scrolling brings into view."""
    return OutOfView(f"{name} is outside of the visible page and cannot be scrolled to", failures.SEE_ELEMENTS)


async def _scroll_pages_to(element: Element, window: tuple[float, float], in_page: Sequence[float]) -> bool:
    """Scroll the pages around an element's frame, so that a point is in view. Return whether it has moved.

    `window`, `in_page`: the point in the viewports of the frame and of the page.
    `DOM.scrollIntoViewIfNeeded` of a full Chromium misses it by the border and padding of a frame of another site.
    """
    point: Sequence[float] | None = window
    frame = element.frame
    with suppress(FrameGone, PageScriptError, ProtocolError, ValueError):  # a frame is being replaced
        while point and (around := frame.parent_frame):
            position = sibling_position(frame)
            point = await element.page.world.call("scrollToFramePoint", *position, point, frame=around)
            frame = around
        return point is not None and dist(point, in_page) >= 1
    return False


async def keeps_moving(element: Element, report: ElementReport) -> bool:
    """Wait until an element's finite animations have ended. Return whether another one still moves it."""
    if report.motion != "ends":
        return report.motion == "endless"
    with suppress(FrameGone, ProtocolError):
        patience = element.page.wait_seconds(WAIT_SECONDS)
        return bool(await element.ask("waitForMotionEnd", round(patience * 1000)) == "endless")
    return False


async def is_motion_ending(element: Element) -> bool:
    """Return whether the animation that moves an element ends soon, rather than never; True if unknown."""
    with suppress(FrameGone, ProtocolError):
        return bool(await element.ask("readMotion") == "ends")
    return True


async def wait_until_back(element: Element) -> bool:
    """Wait up to BACK_SECONDS until the page has inserted a removed element again. Return whether it has."""
    budget = PollBudget(element.page, element.page.give_up_time(BACK_SECONDS))
    while not await is_rendered(element):
        if budget.is_exhausted():
            return False
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
    return True


async def is_rendered(element: Element) -> bool:
    """Return whether an element is in its document and has a bounding box."""
    with suppress(StaleRef, FrameGone, ProtocolError, PageScriptError):
        return bool(await element.ask("isInDocumentWithBox"))
    return False


ANYWHERE = PointIn("", "")
"""Any point where the element can be pressed; the middle if that is not covered."""
VISIBLE_MIDDLE = PointIn("~", "~")
"""The middle of the element's visible part, covered or not."""


class Aim(NamedTuple):
    """An element that is ready for an action, and a point of it (x, y) in CSS pixels of the viewport.

    `position`: the same point, counted from the corner of the element's padding box.
    """

    element: Element
    report: ElementReport
    x: float
    y: float
    position: PointInside
    corner: tuple[float, float]
    """The top left corner of the element in the viewport."""
    size: tuple[float, float]
    cover: str
    """Name of the cover over the point; "" for none."""

    @property
    def name(self) -> str:
        """Return the element's name for messages."""
        return self.report.name

    def point_at(self, at: PointIn) -> tuple[float, float]:
        """Convert a point given relative to the element to (x, y) in the page's viewport. It may lie outside."""
        (left, top), (width, height) = self.corner, self.size
        point = at.to_pixels(width, height)
        return left + point.x, top + point.y


async def wait_for_point(page: PageCommand, target: str, at: PointIn | None, required: frozenset[str]) -> Aim:
    """Wait until an action at a point of the target can work. Return the element with that point.

    Args:
        at: the point relative to the element; None for any that is not covered, or for the middle if `required` allows a cover
        required: properties that the element must have, such as `readiness.POINTER`

    Raises what `wait_until_ready` raises, and NotInteractable for a point outside of the element.
    """
    element, report = await wait_until_ready(page, target, required)
    is_free = "uncovered" in required
    default = ANYWHERE if is_free else VISIBLE_MIDDLE
    return await _make_aim(element, report, at or default, is_free=is_free)


async def find_point_again(element: Element, at: PointIn | None) -> Aim:
    """Return where a point of an element is now, once the element is visible.

    `at`: the point relative to the element; None for the middle of its visible part. Resolves the target again only if the page
    has replaced the element: during a drag, `li:nth-child(2)` may mean the placeholder.
    """
    page, give_up = element.page, element.page.give_up_time(WAIT_SECONDS)
    while True:
        report = ElementReport(await element.ask("probeElement", ""))
        if report.gone:
            return await wait_for_point(page, element.target, at, frozenset())
        obstacle = report.find_obstacle(frozenset())
        if obstacle is None:
            return await _make_aim(element, report, at or VISIBLE_MIDDLE, is_free=False)
        if page.now() >= give_up:
            raise obstacle
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _make_aim(element: Element, report: ElementReport, at: PointIn, *, is_free: bool) -> Aim:
    """Return a ready element with its point `at` in the page. `is_free`: that must not be covered."""
    spot = await _find_click_point(element, report, at, is_free=is_free)
    if is_free and element.frame != element.page.tab.page.main_frame:
        # no page around covers it
        await reach_or_follow(element.page, element, report, spot["position"], is_press=False)
        spot = await _find_click_point(element, report, at, is_free=is_free)
    x, y = spot["point"] or (0, 0)
    left, top, width, height = spot["box"]
    in_page = await page_points.page_transform(element, spot["box"])
    corner, (right, bottom) = in_page(left, top), in_page(left + width, top + height)
    return Aim(
        element,
        report,
        *in_page(x, y),
        spot["position"],
        corner,
        (right - corner[0], bottom - corner[1]),
        Cover(spot["cover"]).name if spot["cover"] else "",
    )


async def _find_click_point(
    element: Element, report: ElementReport, at: PointIn, *, is_free: bool
) -> ClickPoint:
    """Scroll to an element, and return where its point `at` is in the viewport of its frame.

    `is_free`: wait until no cover is over the point, or raise Covered. Raises StaleRef, and NotInteractable for a point outside
    of it.
    """
    page, covers = element.page, ObstacleMonitor(element.page)
    give_up = page.give_up_time(WAIT_SECONDS)
    while True:
        spot: ClickPoint | None = await element.ask("scrollToClickPoint", at.across, at.down)
        if spot is None:
            raise StaleRef(f"{report.name} disappeared", failures.SEE_ELEMENTS)
        if spot["point"] is None:
            width, height = spot["size"]
            raise NotInteractable(
                f"{at} is not in {report.name}, which is {width:g}x{height:g}",
                "Count from its top left corner; percentages work, too",
            )
        if not spot["inView"]:
            raise _make_out_of_view_error(report.name)
        cover = Cover(spot["cover"]) if spot["cover"] and is_free else None
        if cover is None:
            return spot
        if covers.is_permanent(cover.permanence_key) or page.now() >= give_up:
            where = f" at {at}" if at is not ANYWHERE else ""
            raise Covered(
                f"{report.name} is covered{where} by {cover.name}", "Choose another point of it, or close that"
            )
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
