"""Covers over an element, and what pages around its frame do to it: hiding, inertness, points.

A frame itself does not know whether a page around it covers it, hides it or makes it inert. A cover that does not change is given up on
soon.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from gstack_browse.browser.actions.locate.find import Element, ask_about
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageSession, PollBudget
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.answer_types import ClickPoint, CoverDescription, FramePoint, FrameState
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import Covered
from gstack_browse.text.sanitise import element_name

STILL_SECONDS = 1.0
"""Seconds for an unchanged cover, on a page that shows no activity, before a command gives up."""


class Cover:
    """An element that lies over another: see `describeCover` in scripts/actions/actionability.js."""

    def __init__(self, answer: CoverDescription) -> None:
        self.text = element_name(answer["text"])
        self.key: str = answer["key"]
        """Differs as soon as the cover changes, or one of both moves."""
        self.is_busy = bool(answer["busy"])
        """Whether a part of it moves, or shows that the page is loading."""
        self.is_around = bool(answer["around"])
        """Whether the element is inside of it, and lets presses through to it."""

    @property
    def permanence_key(self) -> str | None:
        """Return a key that is equal as long as the cover stays the same; None for one that is likely to go."""
        return None if self.is_busy else self.key

    def refusal(self, what: str) -> Covered:
        """Return the error of an action on `what`, which this cover covers, or contains and takes presses for."""
        if self.is_around:
            return Covered(
                f"{what} is covered by {self.text}, which it is in: it takes no presses (pointer-events: none)",
                "The page has it disabled, or something else to press in its place: see 'snapshot -i'",
            )
        return Covered(
            f"{what} is covered by {self.text}",
            "Close or scroll away what lies on top; --timeout 10000 waits for it to go",
        )


class StillWatch:
    """Decides when to give up on an obstacle between an action and its element."""

    def __init__(self, page: PageSession) -> None:
        self._page = page
        self._key: str | None = None
        self._looks = PollBudget(page, 0.0)

    def is_here_to_stay(self, key: str | None) -> bool:
        """Return whether the obstacle with this key has not changed for STILL_SECONDS (or `--timeout`).

        None as key: there is no obstacle, or one that will pass. False while the page has requests pending.
        """
        if key is None or self._page.tab.requests.pending:
            self._key = None
            return False
        if key != self._key:
            self._key, self._looks = key, PollBudget(self._page, self._page.give_up_time(STILL_SECONDS))
        return self._looks.has_met_limits()


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
