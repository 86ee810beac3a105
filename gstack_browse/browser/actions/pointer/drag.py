"""Drag an element to another, by a distance, or along points.

The element is pressed and moved a little, as a person does, and only then the goal is located: pages show drop
zones only during a drag, and a goal that is far away is scrolled to with the button down.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import hypot
from typing import Literal

from gstack_browse.browser.actions.input import presses
from gstack_browse.browser.actions.input.mouse import (
    FRAME_SECONDS,
    Button,
    Finger,
    Mouse,
    Pointer,
    page_left_error,
)
from gstack_browse.browser.actions.input.prepared_input import PressOutcome, ask_after_action
from gstack_browse.browser.actions.locate.find import Element, ask_about, other_record_error
from gstack_browse.browser.actions.locate.page_points import measure_box_in_page
from gstack_browse.browser.actions.pointer.changes import NOTHING, VisualDiff
from gstack_browse.browser.actions.reach import Aim, find_point_again, wait_for_point
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import Dragged
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import BrowseError, NotInteractable, TargetError
from gstack_browse.registry.values.measures import Point, PointIn

STEPS = 3
"""Movements from one point to the next, one a frame: with three a drag takes seven frames, the least that SortableJS with animation needs."""
NUDGE = 6.0
"""Pixels of the first movement, after which pages have begun their drag and show drop zones."""
DWELL_FRAMES = 3
"""Frames for which the pointer rests before the release, after the one at the end of its way.

SortableJS without HTML5 drags checks its position every 50 ms.
"""
PAST = 3.0
"""Pixels past the middle of the goal."""
END_SECONDS = 0.5
"""Seconds for a page to handle the end of an interrupted gesture before the next one begins anyway."""
LONG_PRESS = "some pages let go of what is not held for a moment first: try --hold 400"
DRAG = frozenset({"enabled", "uncovered"})


@dataclass(frozen=True)
class DragPath:
    """How to drag: start point in the element, points on the way (of the element, too), end in the goal."""

    at: PointIn | None = None
    to_at: PointIn | None = None
    via: Sequence[PointIn] = ()
    steps: int = STEPS
    hold_seconds: float = 0.0
    is_touch: bool = False


async def drag(page: PageCommand, source: str, goal: str | Point, path: DragPath) -> list[str]:
    """Drag an element to another one, or by a distance. Return remarks on the result for the reply.

    `goal`: a target, or the distance in CSS pixels. Raises what `wait_until_ready` raises for either element; no button stays
    pressed then.
    """
    await require_no_held_button(page)
    goal_at = goal if isinstance(goal, Point) else (await ask_about(page, goal, "probeElement", ""))[0]
    start = await wait_for_point(page, source, path.at, DRAG)
    diff = VisualDiff(page, start.element, None if isinstance(goal_at, Point) else goal_at)
    await diff.record_before()
    pointer: Pointer = Finger(page) if path.is_touch else Mouse(page)
    document = page.tab.document
    await start.element.ask("watchDrags")
    async with page.world.unthrottled_pointer_moves(), pointer.releasing_on_error():
        try:
            await _press_dragged_element(pointer, start)
            await asyncio.sleep(path.hold_seconds)
            remarks = await _move_to_goal(page, pointer, start, goal_at, path, diff.distance_to_goal)
            for _ in range(DWELL_FRAMES):
                await page.world.wait_next_frame(FRAME_SECONDS)
            await _wait_for_drag_data(pointer, start.element, start.name)
            await pointer.release()
        except (BrowseError, FrameGone):
            if page.tab.document == document:
                raise
            raise page_left_error() from None
    outcome = await read_drag_outcome(start.element)
    changes = await diff.describe_changes()
    if outcome and outcome["begun"] and outcome["effect"] == "none":
        return [
            *remarks,
            "nothing there took what was dragged",
            *(line for line in changes if line != NOTHING),
        ]
    has_begun = outcome is not None and outcome["begun"]  # then it was held for long enough
    may_want_hold = changes == [NOTHING] and not path.hold_seconds and not has_begun
    return remarks + changes + [LONG_PRESS] * may_want_hold


async def _press_dragged_element(pointer: Pointer, start: Aim) -> None:
    """Press on the element to be dragged. Raises NotInteractable if it has moved away under the pointer."""
    pointer.frame = start.element.frame
    await start.element.ask("watchDragStart")
    await pointer.press(start.x, start.y)
    outcome = await presses.read_outcome(pointer.page, start.element)
    if outcome is PressOutcome.OTHER_RECORD:
        raise await other_record_error(pointer.page, start.element.target)
    if outcome is PressOutcome.BLOCKED:
        raise NotInteractable(
            f"{start.name} moved away under the pointer, or a resize handle came over it",
            f"{failures.SEE_ELEMENTS}, or name another point of it: --at 20%,20%",
        )


async def require_no_held_button(page: PageCommand) -> None:
    """Raise NotInteractable if an earlier `mouse down` still holds a button: no other press can begin.

    Waits first for the end of a gesture that was cancelled.
    """
    await page.tab.held.wait_until_ended(page.wait_seconds(END_SECONDS))
    if button := page.tab.held.button:
        raise NotInteractable(
            f"The {button} mouse button is down already",
            "Release it with 'mouse up', or go on with 'mouse move <x,y>'",
        )


async def _move_to_goal(
    page: PageCommand,
    pointer: Pointer,
    start: Aim,
    goal: Element | Point,
    path: DragPath,
    distance_to_goal: tuple[float, float] | None,
) -> list[str]:
    """Move with the button down along `path` to the goal. Return a remark if something covers the goal.

    `goal`: an element, or a distance from the start. `distance_to_goal`: (right, down) in CSS pixels before the drag; None if
    unknown.
    """
    document = page.tab.document
    points = [start.point_at(at) for at in path.via]
    towards = points[0] if points else await _point_towards_goal(start, goal, distance_to_goal)
    await pointer.move(*_first_drag_point(start, towards))
    await page.world.wait_next_frame(FRAME_SECONDS)
    for point in points:
        await pointer.move_in_steps(*point, path.steps)
    if isinstance(goal, Point):
        await _arrive(page, pointer, start.x + goal.x, start.y + goal.y, path.steps)
        return []
    if page.tab.requests.is_navigating or page.tab.document != document:
        raise page_left_error()
    end = await find_point_again(goal, path.to_at)
    x, y = (end.x, end.y) if path.to_at else _point_past_middle(start, end)
    await _arrive(page, pointer, x, y, path.steps)
    is_own = end.element.node == start.element.node
    return [f"over {end.name} lies {end.cover}"] if end.cover and not is_own else []


async def _arrive(page: PageCommand, pointer: Pointer, x: float, y: float, steps: int) -> None:
    """Move to the end of a drag, and once more in the next frame.

    Some pages take only the first move of each frame.
    """
    await pointer.move_in_steps(x, y, steps)
    await pointer.move(x, y)


async def _point_towards_goal(
    start: Aim, goal: Element | Point, distance_to_goal: tuple[float, float] | None
) -> tuple[float, float]:
    """Return a point (x, y) in the direction of the goal, for the drag's first movement.

    In CSS pixels; below the start if the goal's place is unknown. `goal`: an element, or a distance from the start.
    `distance_to_goal`: see `VisualDiff`.
    """
    known = goal if isinstance(goal, Point) else distance_to_goal
    if known:
        right, down = known
        return start.x + right, start.y + down
    assert not isinstance(goal, Point)
    box = None
    with suppress(FrameGone, ProtocolError, TargetError):
        box = await measure_box_in_page(goal)
    return box.middle if box else (start.x, start.y + NUDGE)


def _point_past_middle(start: Aim, end: Aim) -> tuple[float, float]:
    """Return the point where a drag ends: a little past the goal's middle, as seen from the start.

    Lists exchange two items when the pointer has passed the middle of one, not when it is on it.
    """
    right, down = end.x - start.x, end.y - start.y
    length = hypot(right, down)
    if not length:
        return end.x, end.y
    part = min(PAST / length, end.size[0] / 4 / length, end.size[1] / 4 / length)
    return end.x + right * part, end.y + down * part


def _first_drag_point(start: Aim, towards: tuple[float, float]) -> tuple[float, float]:
    """Return the first point of the drag: from the start towards `towards`, at most NUDGE pixels away."""
    right, down = towards[0] - start.x, towards[1] - start.y
    length = hypot(right, down)
    part = min(NUDGE / length, 1.0) if length else 0.0
    return start.x + right * part, start.y + down * part


async def _wait_for_drag_data(pointer: Pointer, source: Element, name: str) -> None:
    """If the page has begun an HTML5 drag (`dragstart`), wait until Chromium reports what it carries.

    Raises NotInteractable if another element's drag would have begun. `name`: of `source`, in messages.
    """
    if not isinstance(pointer, Mouse) or pointer.held.drag_data is not None:
        return
    dragged: Dragged = await source.page.world.call("readDragOutcome", frame=source.frame)
    if dragged["missed"]:
        raise NotInteractable(f"{name} went away as its drag began", failures.SEE_ELEMENTS)
    if dragged["begun"]:
        await pointer.wait_for_drag_data()


async def read_drag_outcome(element: Element) -> Dragged | None:
    """Return what the frame of a drag's source or goal has recorded of the drag since `watchDrags`.

    None if it navigated, or a dialog is open.
    """
    outcome: Dragged | None = await ask_after_action(
        element.page, element.page.world.call("readDragOutcome", frame=element.frame)
    )
    return outcome


MouseStep = Literal["move", "down", "up", "click", "wheel"]
MOUSE_STEPS = 5
"""Movements on the way to a point while a button is down."""


async def perform_mouse_step(page: PageCommand, step: MouseStep, point: Point | None, button: Button) -> str:
    """Perform one step of a mouse gesture at a point (None: where the pointer is). Return the reply.

    For "wheel" the point is the distance: CSS pixels to the right and down.
    """
    mouse = Mouse(page)
    if step == "wheel" and point:
        await mouse.wheel(*point)
        return f"Turned the wheel by {point}"
    if step in ("down", "click"):
        await require_no_held_button(page)
    if step == "up" and not page.tab.held.button:
        raise NotInteractable("No mouse button is down", "Press one with 'mouse down <x,y>'")
    at = point or page.tab.held.at
    if at is None:
        raise NotInteractable(
            "Where the pointer is, no command has said",
            "Name the point: mouse down <x,y>, or 'hover' an element first",
        )
    x, y = shown = Point(*at)
    if step == "move":
        await move_mouse(mouse, x, y)
        return f"Mouse at {shown}"
    if step == "down":
        await mouse.press(x, y, button)
        return f"Mouse down at {shown}"
    async with mouse.releasing_on_error():
        if step == "up":
            if point:
                await move_mouse(mouse, x, y)
            await page.world.wait_next_frame(FRAME_SECONDS)
        else:
            await mouse.press(x, y, button)
        await mouse.release()
    return f"Mouse {'up' if step == 'up' else 'clicked'} at {shown}"


async def move_mouse(mouse: Mouse, x: float, y: float) -> None:
    """Move to a point (CSS pixels) in one step; with a button down, in several steps, like a drag."""
    if mouse.held.button and mouse.held.at:
        await mouse.move_in_steps(x, y, MOUSE_STEPS)
    else:
        await mouse.move(x, y)
