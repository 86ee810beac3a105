"""Report in a few lines what a gesture changed visibly: order, place, size, value, contents.

Only what was compared is reported. "Nothing changed" is said only if all frames of the page were compared,
before and after.
"""

import asyncio
from contextlib import suppress

from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine.answer_types import Place, VisualState
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.text.sanitise import element_name, quote_text
from gstack_browse.text.units import format_count

MOST_FRAMES = 10
REST_SECONDS = 1.0
"""Seconds for a moved element to come to rest: pages move it back, or into its new place."""
CHANGE_SECONDS = 0.3
"""Seconds for the page to show any change before the gesture counts as having changed nothing."""
FRAME_SECONDS = 0.05
NOTHING = "nothing changed on the page"


class VisualDiff:
    """Compares what the page shows before and after a gesture on `source`, and on `goal` if there is one.

    `is_dragged`: the gesture is meant to change the source itself.
    """

    def __init__(
        self, page: PageCommand, source: Element, goal: Element | None = None, *, is_dragged: bool = True
    ) -> None:
        self._page = page
        self._is_dragged = is_dragged
        self._source = source
        self._goal = None if goal and (goal.frame, goal.node) == (source.frame, source.node) else goal
        self._before: VisualState | None = None
        self._goal_before: VisualState | None = None
        self._print = ""
        self._selection = ""
        self._url = page.tab.url

    async def record_before(self) -> None:
        """Record what the page shows before the gesture, to be compared by `describe_changes`."""
        self._before, self._goal_before, self._print, self._selection = await asyncio.gather(
            _read_visual_state(self._source),
            _read_visual_state(self._goal),
            self._read_page_fingerprint(),
            self._read_selected_text(),
        )

    @property
    def distance_to_goal(self) -> tuple[float, float] | None:
        """Return how far (right, down) the goal's middle was from the dragged element's before the gesture.

        In CSS pixels. None if unknown: an element without a box, or in another frame.
        """
        if not (self._before and self._goal_before and self._goal) or self._goal.frame != self._source.frame:
            return None
        (x, y, width, height), (to_x, to_y, to_width, to_height) = self._before["box"], self._goal_before["box"]
        if not (to_width and to_height):
            return None
        return to_x + to_width / 2 - x - width / 2, to_y + to_height / 2 - y - height / 2

    async def describe_changes(self) -> list[str]:
        """Return lines for the reply on what the gesture changed, once the page is at rest.

        [] if it navigated or closed, and if nothing is known to have changed.
        """
        if self._page.tab.open_dialog or self._page.tab.closed_reason:
            return []
        with suppress(FrameGone, PageScriptError, ProtocolError):
            return await self._compare()
        return []

    async def _compare(self) -> list[str]:
        """Return lines on what changed, or one line that nothing did, or something elsewhere on the page."""
        found = await self._list_changes()
        if found or not self._before:
            return found
        if self._print:
            if not await self._wait_for_change():
                return [NOTHING]
            if found := await self._list_changes():
                return found
        if not self._is_dragged:
            return []
        same = f"{element_name(self._before['description'], 60)} is in its place, and reads as before"
        return [f"{same}; something else on the page changed: see 'snapshot -D'" if self._print else same]

    async def _list_changes(self) -> list[str]:
        """Return lines on changes of the dragged element, the goal and the selected text; [] without any."""
        after, goal, selection = await self._wait_until_at_rest()
        found = describe_source_changes(self._before, after)
        if after is None and self._before and (shown := await self._describe_drop_point()):
            found.append(f"where it was dropped is {element_name(shown, 60)}")
        found += describe_goal_changes(self._goal_before, goal)
        if selection and selection != self._selection:
            found.append(f"selected {quote_text(selection, 100)}")
        return found

    async def _describe_drop_point(self) -> str:
        """Return a description of what is under the pointer now; "" for nothing, and in a frame.

        Libraries replace what was dragged by an element of the same words (FullCalendar).
        """
        at = self._page.tab.held.at
        if not self._is_dragged or at is None or self._source.frame != self._page.tab.page.main_frame:
            return ""
        shown: str = await self._page.world.call("describeElementAt", *at, frame=self._source.frame)
        return shown

    async def _wait_for_change(self) -> bool:
        """Wait until anything on the page differs from before. Return whether it does within CHANGE_SECONDS.

        A page may read files and ask servers before it shows the result of a drop.
        """
        budget = PollBudget(self._page, self._page.give_up_time(CHANGE_SECONDS))
        while self._print == await self._read_page_fingerprint():
            if budget.is_exhausted():
                return False
            await self._page.world.wait_next_frame(FRAME_SECONDS)
        return True

    async def _wait_until_at_rest(self) -> tuple[VisualState | None, VisualState | None, str]:
        """Wait until the dragged element stands still, at most REST_SECONDS. Return what the page shows then.

        As (state of the element, state of the goal, selected text). A state is None if the element is gone, or there is no goal.
        """
        budget = PollBudget(self._page, self._page.give_up_time(REST_SECONDS))
        last = await _read_visual_state(self._source)
        while True:
            await self._page.world.wait_next_frame(FRAME_SECONDS)
            now, goal, selection = await asyncio.gather(
                _read_visual_state(self._source), _read_visual_state(self._goal), self._read_selected_text()
            )
            if (now == last and not (now and now["moving"])) or budget.is_exhausted():
                return now, goal, selection
            last = now

    async def _read_page_fingerprint(self) -> str:
        """Return a digest of everything that the page shows in all frames; "" if that is not possible."""
        frames = self._page.tab.page.frames
        if len(frames) > MOST_FRAMES:
            return ""
        prints: list[str] = []
        for frame in frames:
            with suppress(FrameGone, PageScriptError):
                prints.append(await self._page.world.call("computePageFingerprint", frame=frame))
        return "/".join(prints) if len(prints) == len(frames) and all(prints) else ""

    async def _read_selected_text(self) -> str:
        """Return the text that is selected in the frame of the dragged element."""
        selection: str = await self._page.world.call("readSelectedText", frame=self._source.frame)
        return selection


async def _read_visual_state(element: Element | None) -> VisualState | None:
    """Return an element's position, size, text and value now; None if it is gone, or `element` is None."""
    sight: VisualState | None = await element.ask("readVisualState") if element else None
    return sight


def describe_source_changes(before: VisualState | None, after: VisualState | None) -> list[str]:
    """Return lines on how the dragged element changed: place, size, value, picture, else text; [] if not."""
    if before is None:
        return []
    if after is None:
        return [f"{element_name(before['description'], 60)} is no longer on the page"]
    found = _describe_order(before, after) or _describe_move(before, after)
    if before["value"] != after["value"]:
        found.insert(0, f"value {quote_text(after['value'], 60)} (was {quote_text(before['value'], 60)})")
    if before["fingerprint"] and before["fingerprint"] != after["fingerprint"]:
        found.append(f"the picture on {element_name(after['description'], 60)} changed")
    if not found and before["words"] != after["words"]:
        found.append(_describe_words(before, after))
    return found


def _describe_words(before: VisualState, after: VisualState) -> str:
    """Return the line on an element's new text, by its earlier name: `<div> "Grip" reads "40 px"`."""
    return f"{element_name(before['description'], 60)} reads {quote_text(after['words'], 60) if after['words'] else 'nothing'}"


def _describe_order(before: VisualState, after: VisualState) -> list[str]:
    """Return a line on the new place of the element, else of the nearest ancestor that has one.

    [] for none. A dragged handle moves the list item around it.
    """
    if line := _describe_place(before, after):
        return [line]
    places = {one["id"]: one for one in before["around"]}
    for one in after["around"]:
        if line := _describe_place(places.get(one["id"], one), one):
            return [f"{element_name(one['description'], 60)} is {line}"]
    return []


def _describe_place(before: Place, after: Place) -> str:
    """Return the new place of an element among its siblings, or in its new parent; "" if unchanged."""
    place = f"{after['index'] + 1} of {after['siblings']} in {element_name(after['parentDescription'], 60)}"
    neighbour = f", after {element_name(after['before'], 60)}" if after["before"] else ""
    if before["parent"] != after["parent"]:
        return f"now {place}{neighbour} (was in {element_name(before['parentDescription'], 60)})"
    if before["index"] != after["index"]:
        return f"now {place}{neighbour} (was {before['index'] + 1})"
    return ""


def _describe_move(before: VisualState, after: VisualState) -> list[str]:
    """Return lines on how the element moved, or how it or an element around it was resized; [] if neither."""
    (left, top, width, height), (x, y, now_width, now_height) = before["box"], after["box"]
    found = []
    if not (now_width or now_height) and (width or height):
        return [
            f"{element_name(after['description'], 60)} is no longer shown",
            *_describe_resize(before, after),
        ]
    if (width, height) != (now_width, now_height):
        found.append(f"now {now_width}x{now_height} (was {width}x{height})")
    else:
        found += _describe_resize(before, after)
    if (left, top) != (x, y):
        found.append(f"moved by {x - left},{y - top}")
    return found


def _describe_resize(before: VisualState, after: VisualState) -> list[str]:
    """Return a line on the nearest ancestor whose size changed; [] for none.

    A dragged handle resizes the element around it.
    """
    sizes = {one["id"]: (one["width"], one["height"]) for one in before["around"]}
    for one in after["around"]:
        width, height = sizes.get(one["id"], (one["width"], one["height"]))
        if (width, height) != (one["width"], one["height"]):
            return [
                f"{element_name(one['description'], 60)} is {one['width']}x{one['height']} (was {width}x{height})"
            ]
    return []


def describe_goal_changes(before: VisualState | None, after: VisualState | None) -> list[str]:
    """Return a line on what changed about the element that received the drop; [] if nothing did."""
    if before is None or after is None:
        return []
    if before["children"] != after["children"]:
        items = format_count(after["children"], "child", "children")
        return [f"{element_name(after['description'], 60)} has {items} (had {before['children']})"]
    if before["value"] != after["value"]:
        return [f"{element_name(after['description'], 60)} holds {quote_text(after['value'], 60)}"]
    if before["words"] != after["words"]:
        return [_describe_words(before, after)]
    if before["fingerprint"] and before["fingerprint"] != after["fingerprint"]:
        return [f"the picture on {element_name(after['description'], 60)} changed"]
    return []
