"""Look at an element of a frame from the pages around it: covers, hiding, inertness, points.

A frame itself does not know whether a page around it covers it, hides it or makes it inert.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gstack_browse.browser.actions.locate.find import Element, ask_about
from gstack_browse.browser.actions.locate.polling import Cover
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.answer_types import ClickPoint, FramePoint, FrameState
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

LOOK_AGAIN_SECONDS = 0.1
"""Seconds between two looks at a cover that tell whether it changes."""


async def check_frames(element: Element) -> FrameState:
    """Return whether a page around the element's frames hides one of them, or blocks input to it."""
    seen = FrameState(hidden=False, blocker="")
    frame = element.frame
    with suppress(FrameGone, PageScriptError, ProtocolError, ValueError):  # a frame is being replaced
        while (around := frame.parent_frame) and not seen["hidden"]:
            told: FrameState = await element.page.world.call("frameState", *_place(frame), frame=around)
            seen = FrameState(hidden=told["hidden"], blocker=told["blocker"] or seen["blocker"])
            frame = around
    return seen


async def fetch_states(
    page: "PageSession", target: str, *, first: bool = False, again: bool = False
) -> tuple[Element, dict[str, bool] | None]:
    """Return the element that `target` means, and its states for `is`; None as states once it is gone.

    An element in a hidden frame is hidden. Raises what `find.ask_about` raises.
    """
    element, answer = await ask_about(page, target, "states", first=first, again=again)
    if answer and answer["visible"] and (await check_frames(element))["hidden"]:
        answer = {**answer, "visible": False, "hidden": True}
    return element, answer


def _place(frame: Frame) -> tuple[int, int]:
    """Return a frame's index among its siblings, and their number.

    Raises ValueError for a frame that was removed.
    """
    siblings = frame.parent_frame.child_frames if frame.parent_frame else []
    return siblings.index(frame), len(siblings)


@dataclass
class Outward:
    """Points of a frame converted to points of the page, and the cover over each.

    `points`: CSS pixels of the page. `is_distorted`: a frame on the way is rotated or in perspective.
    `are_in_view`: no window on the way has scrolled a point away.
    """

    points: list[list[float]]
    covers: list[Cover | None]
    is_distorted: bool = False
    are_in_view: bool = True


async def to_page_points(element: Element, points: Sequence[list[float]]) -> Outward:
    """Convert points of an element's window to points of the page, in CSS pixels.

    A point whose cover is unknown counts as uncovered.
    """
    found = Outward(list(points), [None] * len(points))
    frame = element.frame
    with suppress(FrameGone, PageScriptError, ProtocolError, ValueError):  # a frame is being replaced
        while around := frame.parent_frame:
            looks: list[FramePoint] = await element.page.world.call(
                "framePoints", *_place(frame), found.points, frame=around
            )
            covers = [Cover(look["cover"]) if look["cover"] else None for look in looks]
            found.covers = [new or old for new, old in zip(covers, found.covers, strict=True)]
            found.is_distorted |= any(look["distorted"] for look in looks)
            found.are_in_view &= all(look["inView"] for look in looks)
            found.points, frame = [look["point"] for look in looks], around
    return found


async def may_pass(element: Element) -> bool:
    """Return whether a cover over an element, in a page around its frame, may go away by itself.

    It may if it changes or shows that it is busy, or while the page has requests pending.
    """
    if element.page.tab.requests.pending:
        return True
    before = await cover_over_middle(element)
    await asyncio.sleep(LOOK_AGAIN_SECONDS)
    cover = await cover_over_middle(element)
    return cover is None or before is None or cover.is_busy or cover.key != before.key


async def cover_over_middle(element: Element) -> Cover | None:
    """Return the cover over an element's press point in the pages around its frame; None for none."""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        spot: ClickPoint | None = await element.ask("clickPoint", "", "")
        if spot and spot["point"]:
            return (await to_page_points(element, [spot["point"]])).covers[0]
    return None


async def free_point(element: Element) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return a point near an edge of an element that no page covers.

    As coordinates in the page, and in the element's window.
    None if all are covered.
    """
    points: list[list[float]] = await element.ask("edgePoints")
    found = await to_page_points(element, points)
    for inside, (x, y), cover in zip(points, found.points, found.covers, strict=True):
        if cover is None:
            return (x, y), (inside[0], inside[1])
    return None
