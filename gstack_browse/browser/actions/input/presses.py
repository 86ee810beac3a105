"""Press elements, and verify that a press and its release produced a click event.

`press` presses, `ensure_click` repeats the release if the element has moved, or raises the reason why there was no
click. A guard in the page (scripts/actions/presses.js) records each press, and blocks one that would hit another element. See
docs/decisions/0024-a-click-is-verified.md.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gstack_browse.browser.actions.input import keyboard, prepared_input
from gstack_browse.browser.actions.input.mouse import Button
from gstack_browse.browser.actions.input.prepared_input import (
    PressOutcome,
    ask_after_action,
    await_unless_interrupted,
)
from gstack_browse.browser.actions.locate.find import Element, exists, other_record_error
from gstack_browse.browser.actions.reach import (
    ElementPoint,
    is_rendered,
    reach_or_follow,
    wait_until_reachable,
)
from gstack_browse.browser.actions.readiness import (
    LOOK_AGAIN_SECONDS,
    POINTER,
    WAIT_SECONDS,
    ElementReport,
    wait_until_ready,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import ActionFailed, BrowseError, Covered, NotInteractable, StaleRef, TargetError

HELD_SECONDS = 0.04
"""Seconds between press and release on an element to draw on or to drag: more than two frames."""
TRIES = 3
"""Most tries to press a moving element, or to repeat its release. An element that evades all does so on purpose."""
NO_CLICK = {
    PressOutcome.REMOVED: "the page took it away as it was pressed: it heard no click event",
    PressOutcome.REMOVED_AFTER_ACTION: "the page acted on the press, and took it away as the focus changed: it heard no click event",
    PressOutcome.DISABLED: "the page disabled it as it was pressed: it heard no click event",
    PressOutcome.RELEASED_ON_OTHER: "the page took the release for something else: it heard no click event",
    PressOutcome.ACTED: "the page acted on the release: it heard no click event",
}
"""Outcome → remark on a press that the page acted on without a click event."""
IN_FRAME = "it contains a frame, which took the press: snapshot -i lists what is in that"
RECLOSED = "it opened as the pointer came over it, and the click closed it: 'hover' opens it"
ONE_CLICK = {
    PressOutcome.REMOVED: "the page took it away at the first click: it heard no second one",
    PressOutcome.DISABLED: "the page disabled it at the first click: it heard no second one",
    PressOutcome.RELEASED_ON_OTHER: "the page took the second click for something else: it heard one",
}
"""Outcome → remark on a double click of which the page heard only the first click."""
MOVED = "moved away under the pointer"
COVERED_SECONDS = 1.0
"""If an element is out of reach for so long after the release, the page has handled the press."""
UNFINISHED = frozenset(
    {PressOutcome.MOVED, PressOutcome.AWAY, PressOutcome.RELEASED_WITHOUT_CLICK, PressOutcome.REMOVED_BY_FOCUS}
)
"""Outcomes of a press without a click event, after which the gesture is repeated."""


OTHER_RECORD = (PressOutcome.OTHER_RECORD, PressOutcome.OTHER_RECORD_SINCE)
"""Outcomes of a press on an element that shows another record."""
REPEATABLE = (PressOutcome.BLOCKED, PressOutcome.UNDELIVERED)
"""Outcomes of a press after which it is repeated. Chromium drops one while a dialog or a window opens."""
NOT_PRESSED = (PressOutcome.BLOCKED, PressOutcome.OTHER_RECORD, PressOutcome.UNDELIVERED, None)
"""Outcomes of a press that the page did not get."""


def find_press_target(element: Element, report: ElementReport) -> tuple[Element, ElementPoint]:
    """Return the element to press, and the point to press at (None: any point).

    That is `element`, or its label if only that is visible.
    """
    if not report.label:
        return element, report.aside
    label = element.with_node(int(report.label["id"]))
    return label, {"x": report.label["x"], "y": report.label["y"]}


async def press(
    page: PageCommand,
    element: Element,
    report: ElementReport,
    *,
    double: bool = False,
    button: Button = "left",
    modifiers: Sequence[str] = (),
    point: ElementPoint = None,
) -> PressOutcome:
    """Press and release a button on an element once the pointer reaches it. Return the outcome.

    `report`: what `wait_until_ready` has found out about the element. `point`: where to press in the element; None for any point
    that is not covered. Raises a TargetError with the reason if the pointer does not reach it in time.
    """
    for _ in range(TRIES):
        at = await reach_or_follow(page, element, report, point)
        outcome = await press_at(
            page, element, report, at.page, double=double, button=button, modifiers=modifiers
        )
        if outcome not in REPEATABLE:
            return outcome
    if outcome == PressOutcome.UNDELIVERED:
        may_have_person = page.context.running.may_have_person
        raise failures.input_blocked_error(f"{report.name} was not pressed", may_have_person=may_have_person)
    raise NotInteractable(f"{report.name} {MOVED}", failures.SEE_ELEMENTS)


async def press_at(
    page: PageCommand,
    element: Element,
    report: ElementReport,
    at: Sequence[float],
    *,
    double: bool,
    button: Button,
    modifiers: Sequence[str] = (),
) -> PressOutcome:
    """Press and release at a point (CSS pixels of the viewport) of an element. Return the outcome.

    A listener in the element's document blocks the press if another element is there. Waits until the page has handled it.
    """
    await element.ask("watchPress", double and button == "left")
    down = HELD_SECONDS if report.is_held and not double else 0.0
    await prepared_input.press_button(
        page, at, button, is_double=double, modifiers=modifiers, seconds_down=down
    )
    outcome = await read_outcome(page, element)
    require_delivery_in_frame(element, outcome, report.name)
    return outcome


def require_delivery_in_frame(element: Element, outcome: PressOutcome, pressed: str) -> None:
    """Raise ActionFailed if the element is in a frame and no press came into that.

    Such a press may have reached something else. One that has not come into the page itself was dropped by Chromium, and can be
    repeated. `pressed`: the element's name.
    """
    if outcome == PressOutcome.UNDELIVERED and element.frame != element.page.tab.page.main_frame:
        raise ActionFailed(f"{pressed} was not pressed: no press came into its frame", failures.SEE_ELEMENTS)


async def read_outcome(page: PageCommand, element: Element) -> PressOutcome:
    """Return the outcome of the last press, as its frame has recorded it; UNKNOWN if the page navigates."""
    return PressOutcome(
        await ask_after_action(page, page.world.call("takePressOutcome", frame=element.frame)) or ""
    )


async def press_visible(element: Element) -> PressOutcome | None:
    """Press an element at once if no scrolling is needed. Return the outcome; None if it is not pressed."""
    report = ElementReport(await element.ask("probeElement", "press", "press"))
    return await prepared_input.click_prepared_point(element.page, report.prepared) if report.prepared else None


async def press_in_list(
    element: Element,
    name: str,
    *,
    seconds: float,
    point: ElementPoint = None,
    outcome: PressOutcome | None = None,
) -> bool:
    """Press an option of a list, or what opens the list. Return whether the page got the press.

    Repeats the press if the element has moved at the release, as an option may when its list gets the focus. Does not verify the
    click: the caller checks the list.

    Args:
        name: the list's name in messages
        seconds: how long the pointer may take to reach the element, for each try
        point: where to press in the element; None for any point where a press reaches it
        outcome: of an earlier press on the element, after which it is repeated if necessary; None without one
    """
    has_moved = False
    for _ in range(TRIES + 1):
        has_moved |= outcome == PressOutcome.MOVED
        if outcome not in (PressOutcome.MOVED, PressOutcome.BLOCKED, None):
            break
        watch = ("watchRepeatedPress", PressOutcome.MOVED.value) if has_moved else ("watchPress",)
        outcome = await _press_watched(element, name, watch, seconds=seconds, point=point)
        if outcome is None:
            break
    return has_moved or outcome not in NOT_PRESSED


async def _press_watched(
    element: Element, name: str, watch: Sequence[Any], *, seconds: float, point: ElementPoint
) -> PressOutcome | None:
    """Press an element once the pointer reaches it. Return the outcome; None if it is not reached in time.

    Args:
        name: the list's name in messages
        watch: the function of scripts/actions/presses.js that records the press, followed by its arguments
        seconds: how long the pointer may take to reach it
        point: where to press in the element; None for any point where a press reaches it
    """
    try:
        at = await wait_until_reachable(element, name, point=point, seconds=seconds)
    except TargetError:
        return None
    await element.ask(watch[0], *watch[1:])
    await prepared_input.press_button(element.page, at.page, "left")
    return await read_outcome(element.page, element)


async def ensure_click(
    page: PageCommand,
    element: Element,
    report: ElementReport,
    outcome: PressOutcome,
    *,
    is_double: bool,
    **options: Any,
) -> str:
    """Verify that a press with this outcome produced a click. Return a remark for the reply; "" for none.

    Repeats the gesture if the element had moved at the release, or was replaced when the focus changed; the page gets
    each event once. Raises ActionFailed or StaleRef if there was no click, unless the page has visibly acted on the press.

    Args:
        element: the one that was pressed
        report: what was found out about it before the press: its name in messages, and whether it moves
        outcome: what `press` or `press_at` returned
        is_double: the press was a double click, which is not repeated
        options: further arguments of that press (`button`, `modifiers`, `point`), to repeat it
    """
    if outcome in OTHER_RECORD:
        raise await _other_record_error(page, element, outcome)
    if outcome == PressOutcome.STILL_DOWN:
        await _repeat_release(page, element, report, options)
        outcome = PressOutcome.CLICKED
    if is_double:
        return await _ensure_double_click(page, element, report, outcome)
    if outcome == PressOutcome.REMOVED_AFTER_ACTION and await _has_replacement(page, element):
        outcome = PressOutcome.REMOVED_BY_FOCUS
    if outcome not in UNFINISHED:
        return await _describe_outcome(page, element, outcome)
    first_outcome = outcome  # which events the page has got by now
    for _ in range(TRIES):
        if outcome == PressOutcome.REMOVED_BY_FOCUS:
            element, report, options = await _find_replacement(page, element, report, options)
        first_outcome = (
            outcome
            if outcome in UNFINISHED
            and first_outcome not in (PressOutcome.AWAY, PressOutcome.RELEASED_WITHOUT_CLICK)
            else first_outcome
        )
        outcome = await _repeat_press(page, element, report, options, first_outcome)
        if outcome in OTHER_RECORD:
            raise await _other_record_error(page, element, PressOutcome.OTHER_RECORD_SINCE)
        if outcome not in UNFINISHED and outcome != PressOutcome.BLOCKED:
            return await _describe_outcome(page, element, outcome)
    why = (
        "heard no click event" if outcome in (PressOutcome.AWAY, PressOutcome.RELEASED_WITHOUT_CLICK) else MOVED
    )
    raise ActionFailed(f"{report.name} was pressed and not clicked: it {why}", failures.SEE_ELEMENTS)


async def _other_record_error(page: PageCommand, element: Element, outcome: PressOutcome) -> BrowseError:
    """Return the error for an element that shows another record. For a ref it says if that was pressed."""
    error = await other_record_error(page, element.target)
    if isinstance(error, StaleRef) and outcome == PressOutcome.OTHER_RECORD_SINCE:
        error.message = f"{element.target} was pressed and not clicked: {error.message}"
    return error


async def _repeat_release(
    page: PageCommand, element: Element, report: ElementReport, options: dict[str, Any]
) -> None:
    """Repeat the release that Chromium dropped because a dialog opened at the press.

    Without a dialog do nothing: the release went elsewhere, as to the list of a `<select>`. `report`: names the element in the
    error. `options`: arguments of `press`. Raises ActionFailed if the page does not get the release.
    """
    if not page.tab.dialogs.has_dialog_in_command:
        return
    with suppress(FrameGone, ProtocolError):
        await page.world.call("watchNextClick", frame=element.frame)
        await prepared_input.release(page, options.get("button", "left"))
        is_heard = (
            await await_unless_interrupted(page, page.world.call("isNextClickPrevented", frame=element.frame))
            is not None
        )
        if not is_heard and not page.tab.is_interrupted:
            raise ActionFailed(
                f"{report.name} was pressed and not clicked: a dialog kept the release from it",
                failures.SEE_ELEMENTS,
            )


async def _ensure_double_click(
    page: PageCommand, element: Element, report: ElementReport, outcome: PressOutcome
) -> str:
    """Verify that the page got a double click. Return a remark ("" for none), or raise ActionFailed."""
    if outcome not in UNFINISHED and outcome not in NO_CLICK:
        return await _describe_outcome(page, element, outcome)
    clicks = 0
    with suppress(FrameGone, ProtocolError):  # the page navigated: the observer reports it
        clicks = await page.world.call("countClicksBeforeFailure", frame=element.frame)
    if outcome not in UNFINISHED:
        return (ONE_CLICK if clicks else NO_CLICK)[outcome]
    if outcome == PressOutcome.MOVED and clicks:
        why = "was clicked once: it moved away before the second press"
    else:
        why = f"was pressed twice and heard {'one click' if clicks else 'no click event'}"
    raise ActionFailed(f"{report.name} {why}", failures.SEE_ELEMENTS)


async def _describe_outcome(page: PageCommand, element: Element, outcome: PressOutcome) -> str:
    """Return the remark on the outcome of a press for the reply; "" if there is nothing to remark."""
    if outcome == PressOutcome.FORM_REFUSED:
        with suppress(FrameGone, ProtocolError):  # the page navigated: the observer reports it
            return keyboard.describe_invalid_field(
                await page.world.call("readInvalidField", frame=element.frame)
            )
    remarks = {**NO_CLICK, PressOutcome.CLOSED_AGAIN: RECLOSED, PressOutcome.IN_FRAME: IN_FRAME}
    return remarks.get(outcome, "")


async def _has_replacement(page: PageCommand, element: Element) -> bool:
    """Return whether the target's selector matches an element again within COVERED_SECONDS.

    A ref never matches another element: return whether its error (StaleRef) names a similar new one.
    """
    budget = PollBudget(page, page.give_up_time(COVERED_SECONDS))
    while True:
        try:
            with suppress(FrameGone):
                if await exists(page, element.target):
                    return True
        except StaleRef as error:
            return error.names_new
        if budget.is_exhausted():
            return False
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _stays_out_of_reach(page: PageCommand, element: Element) -> bool:
    """Return whether an element stays covered, hidden or removed for COVERED_SECONDS after the release."""
    budget = PollBudget(page, page.give_up_time(COVERED_SECONDS))
    with suppress(StaleRef, FrameGone, ProtocolError):
        while not (report := ElementReport(await element.ask("probeElement", "press"))).gone:
            if report.find_obstacle(POINTER) is None:
                return False
            if budget.is_exhausted():
                return True
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
    return True


async def _find_replacement(
    page: PageCommand, element: Element, report: ElementReport, options: dict[str, Any]
) -> tuple[Element, ElementReport, dict[str, Any]]:
    """Return the element that the selector matches now, its report, and `options` with its press point.

    `options`: arguments of `press`. Raises ActionFailed if it matches none, and StaleRef for a ref, which means only the removed
    element.
    """
    why = "the page took it away as the focus changed"
    if not element.target.startswith("@") and not await _has_replacement(page, element):
        raise ActionFailed(f"{report.name} was pressed and not clicked: {why}", failures.SEE_ELEMENTS)
    try:
        found, now = await wait_until_ready(page, element.target, POINTER)
    except StaleRef as error:
        raise StaleRef(
            f"{element.target} was pressed and not clicked: {why}. {error.message}", error.hint
        ) from None
    except TargetError:  # it matches the same element, which the page has hidden
        raise ActionFailed(f"{report.name} was pressed and not clicked: {why}", failures.SEE_ELEMENTS) from None
    pressed, point = find_press_target(found, now)
    is_at = options.get("point") not in (None, find_press_target(element, report)[1])
    return pressed, now, options if is_at else {**options, "point": point}


async def _repeat_press(
    page: PageCommand,
    element: Element,
    report: ElementReport,
    options: dict[str, Any],
    first_outcome: PressOutcome,
) -> PressOutcome:
    """Press and release again, where the element is now, and return the outcome.

    Events that the page got at the first press are hidden from it. ACTED if only the click was missing then, and the page has covered
    or removed the element since. `first_outcome`: that of the first press; `options`: arguments of `press`.
    """
    if first_outcome == PressOutcome.RELEASED_WITHOUT_CLICK and await _stays_out_of_reach(page, element):
        return PressOutcome.ACTED
    try:
        at = await wait_until_reachable(
            element,
            report.name,
            point=options.get("point"),
            seconds=WAIT_SECONDS,
            must_be_still=report.motion != "endless",
        )
    except NotInteractable as error:
        if first_outcome == PressOutcome.RELEASED_WITHOUT_CLICK and (
            isinstance(error, Covered) or not await is_rendered(element)
        ):
            return PressOutcome.ACTED
        raise ActionFailed(
            f"{report.name} was pressed and not clicked: it {MOVED}", failures.SEE_ELEMENTS
        ) from None
    await element.ask("watchRepeatedPress", first_outcome.value)
    await prepared_input.press_button(
        page, at.page, options.get("button", "left"), modifiers=options.get("modifiers") or ()
    )
    return await read_outcome(page, element)
