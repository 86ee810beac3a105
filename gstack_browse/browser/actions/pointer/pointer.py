"""Click, hover and scroll as a person does with a mouse, and report the result.

Functions raise a TargetError with the reason if the element cannot be reached in time.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

from gstack_browse.browser.actions import reach
from gstack_browse.browser.actions.input import prepared_input, presses
from gstack_browse.browser.actions.input.mouse import Button, Mouse
from gstack_browse.browser.actions.input.prepared_input import PressOutcome
from gstack_browse.browser.actions.lists import choosing
from gstack_browse.browser.actions.locate.covers import Cover
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.pointer import drag
from gstack_browse.browser.actions.pointer.drag import require_no_held_button
from gstack_browse.browser.actions.reach import is_rendered, reach_or_follow
from gstack_browse.browser.actions.readiness import (
    HOVER,
    LOOK_AGAIN_SECONDS,
    POINTER,
    ElementReport,
    wait_until_ready,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import CheckState, Pane
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import (
    ActionFailed,
    Disappeared,
    NoMatch,
    NotInteractable,
    StaleRef,
    TargetError,
)
from gstack_browse.registry.values.measures import PointIn
from gstack_browse.text.sanitise import element_name, quote_text

_OPENS_APART = frozenset({"Control", "Meta", "ControlOrMeta", "Shift", "Alt"})
"""Keys with which a click on a link opens a tab or a window, or saves its target."""
MOVES_SLIDER = "A click moves a slider to where it is pressed: 'fill' gives it a value"
DRAWN_SECONDS = 0.5
"""How long a page may take to change a checkbox after a press on what is drawn in its place."""
MOST_NAMED = 5
"""Most options that a reply names beside the pressed one."""


class _CoveredSince(NotInteractable):
    """Raised if the element was covered as the pointer came over it. No press was made."""


async def click(
    page: PageCommand,
    target: str,
    *,
    button: Button = "left",
    double: bool = False,
    modifiers: Sequence[str] = (),
    at: PointIn | None = None,
    in_new_tab: bool = False,
) -> str:
    """Click an element, or select the `<option>` of a closed list. Return a remark for the reply, or "".

    `at`: the point of the element to click; None for any that is not covered. `in_new_tab`: click a link with the key that opens
    it in a new tab; other elements are refused.
    """
    await require_no_held_button(page)
    page.tab.effects.file_choosers.last_target = target
    if in_new_tab:
        modifiers = [*modifiers, "ControlOrMeta"]
    if at:
        aimed = await reach.wait_for_point(page, target, at, POINTER)
        _require_link(aimed.report, in_new_tab)
        how: dict[str, Any] = {"button": button, "modifiers": modifiers, "point": aimed.position}
        async with _expecting_new_tab(page, aimed.element, aimed.report, button, modifiers):
            outcome = await presses.press(page, aimed.element, aimed.report, double=double, **how)
            return await presses.ensure_click(
                page, aimed.element, aimed.report, outcome, is_double=double, **how
            )
    is_plain = button == "left" and not double and not modifiers
    went: list[Disappeared | _CoveredSince] = []
    while True:
        try:
            element, report = await wait_until_ready(page, target, POINTER, "point" if modifiers else "press")
        except NoMatch as error:
            raise (went[0] if went else error) from None
        _require_link(report, in_new_tab)
        if report.is_slider and is_plain:
            page.note_once(MOVES_SLIDER)
        is_drawn = report.label is not None and report.label["drawn"]
        before: CheckState | None = await element.ask("readCheckState") if is_drawn else None
        try:
            remark = await click_ready_element(
                page, element, report, button=button, double=double, modifiers=modifiers, is_over=bool(went)
            )
            is_unchanged = before is not None and await _stays_unchanged(page, element, before)
            return f"{remark}, which has not changed it" if is_unchanged else remark
        except (Disappeared, _CoveredSince) as error:
            went.append(error)
            if len(went) == presses.TRIES:
                raise


async def _stays_unchanged(page: PageCommand, element: Element, before: CheckState) -> bool:
    """Return whether a checkbox or switch has the state `before` still after DRAWN_SECONDS.

    False for what is neither (its `id` is 0), for a radio button that was chosen already, and for an element that has gone.
    """
    if not before["id"] or (before["radio"] and before["state"] == "true"):
        return False
    looks = PollBudget(page, page.now() + DRAWN_SECONDS)
    with suppress(FrameGone, ProtocolError, TargetError):
        while True:
            # the press may have opened a dialog
            now = await prepared_input.await_unless_interrupted(page, element.ask("readCheckState"))
            if now is None or now["state"] != before["state"]:
                return False
            if looks.is_exhausted():
                return True
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
    return False


async def click_ready_element(
    page: PageCommand,
    element: Element,
    report: ElementReport,
    *,
    button: Button = "left",
    double: bool = False,
    modifiers: Sequence[str] = (),
    is_over: bool = False,
) -> str:
    """Click an element that `wait_until_ready` has returned. Return a remark for the reply; "" for none.

    `is_over`: the pointer is over the element already, from an earlier try.
    """
    is_plain = button == "left" and not double and not modifiers
    if report.tag == "option" and report.select_node:
        return await _select_option(page, element, report, is_plain=is_plain)
    pressed, point = presses.find_press_target(element, report)
    how: dict[str, Any] = {"button": button, "modifiers": modifiers, "point": point}
    if report.is_pointer_beside:
        await _hover_before_press(page, element, report)
    async with _expecting_new_tab(page, pressed, report, button, modifiers):
        outcome = PressOutcome.BLOCKED
        if report.prepared and is_plain:
            outcome = await prepared_input.click_prepared_point(
                page, report.prepared, holds=report.is_held, moves=not is_over
            )
            presses.require_delivery_in_frame(element, outcome, report.name)
        elif report.prepared and not modifiers and not report.is_held:
            outcome = await presses.press_at(
                page, pressed, report, report.prepared, double=double, button=button
            )
        elif report.prepared:
            await prepared_input.hover(element, report.prepared)
        if outcome in presses.REPEATABLE:
            outcome = await _press_once_reachable(page, pressed, report, double=double, **how)
        remark = await presses.ensure_click(page, pressed, report, outcome, is_double=double, **how)
    if report.list_node:
        return await _report_pressed_option(element, report)
    return remark or _describe_substitute(report)


async def _press_once_reachable(
    page: PageCommand, element: Element, report: ElementReport, **how: Any
) -> PressOutcome:
    """Press the element once the pointer reaches it. Return the outcome. `how`: see `presses.press`.

    Without a press, raises Disappeared if the element has gone, and _CoveredSince if an element that appeared under the pointer
    covers it.
    """
    if not report.prepared or await is_rendered(element):
        if report.prepared and await _find_cover(element):
            raise _CoveredSince(f"{report.name} is covered since the pointer is there", failures.SEE_ELEMENTS)
        try:
            return await presses.press(page, element, report, **how)
        except NotInteractable:
            if await is_rendered(element):
                raise
    raise Disappeared(f"{report.name} disappeared as the pointer came over it", failures.SEE_ELEMENTS)


async def _find_cover(element: Element) -> Cover | None:
    """Return what covers an element now; None if nothing does, or the element has gone."""
    with suppress(FrameGone, ProtocolError):
        return ElementReport(await element.ask("probeElement", "press")).cover
    return None


def _describe_substitute(report: ElementReport) -> str:
    """Return a remark if not the element itself was pressed, but its label or a drawing of it; else ""."""
    if not report.label:
        return ""
    return "through what is drawn in its place" if report.label["drawn"] else "through its label"


async def _select_option(page: PageCommand, option: Element, report: ElementReport, *, is_plain: bool) -> str:
    """Select an `<option>` of a closed `<select>`, without a press. Return `selected "Red"`.

    `is_plain`: the click is a single left one without modifiers. Raises NotInteractable for others.
    """
    if not is_plain:
        raise NotInteractable(
            f"{report.name} is in a closed list, where there is nothing to press on",
            "Click it without options, or use 'select'",
        )
    return f"selected {quote_text(await choosing.choose_option(option, report), 80)}"


async def _report_pressed_option(option: Element, report: ElementReport) -> str:
    """Return a remark on what is selected in a list box after a press on `option`; "" if that has gone."""
    with suppress(FrameGone, ProtocolError):  # the press navigated: the observer reports it
        if outcome := await option.ask("describePressedOption", report.list_node):
            return _describe_selection(outcome)
    return ""


def _describe_selection(outcome: dict[str, Any]) -> str:
    """Return the remark on a list's selection after a press. `outcome`: from `describePressedOption`."""
    name, *others = (quote_text(label, 80) for label in (outcome["label"], *outcome["others"]))
    if not outcome["stays"]:
        return f"{name} is in another list now"
    also = f"; also selected: {', '.join(others[:MOST_NAMED])}" if others else ""
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    return f"{'selected' if outcome['selected'] else 'deselected'} {name}{also}{more}"


def _require_link(report: ElementReport, is_wanted: bool) -> None:
    """Raise NotInteractable if a link is wanted (`--new-tab`) and the element is not one."""
    if is_wanted and not report.link:
        raise NotInteractable(
            f"{report.name} is no link: there is nothing to open in a new tab", "Click it without --new-tab"
        )


@asynccontextmanager
async def _expecting_new_tab(
    page: PageCommand, element: Element, report: ElementReport, button: Button, modifiers: Sequence[str]
) -> AsyncIterator[None]:
    """Make the command wait for a new tab or download, if the click within this context begins one.

    A click on a link does with a middle button or a modifier key, unless the page prevents it.
    """
    effects = page.tab.effects
    is_apart = button == "middle" or bool(_OPENS_APART & {*modifiers, *page.tab.held.keys})
    if not (report.link and (is_apart or (report.link == "download" and button == "left"))):
        yield
        return
    effects.expect_opening()
    if not is_apart:
        yield
        return
    await element.ask("watchNextClick")
    yield
    is_prevented = await prepared_input.ask_after_action(
        page, page.world.call("isNextClickPrevented", frame=element.frame)
    )
    if is_prevented:
        effects.note_opened()
    elif is_prevented is False:
        effects.note_opening_certain()


async def hover(page: PageCommand, target: str, at: PointIn | None = None) -> str:
    """Move the pointer over an element. Return a remark for the reply; "" for none.

    With a button down, the pointer moves in several steps, like a drag. `at`: the point of the element; None for any.
    """
    if at or page.tab.held.button:
        aimed = await reach.wait_for_point(page, target, at, frozenset() if page.tab.held.button else HOVER)
        await drag.move_mouse(Mouse(page), aimed.x, aimed.y)
        return ""
    async with page.world.unthrottled_pointer_moves():
        for _ in range(presses.TRIES):
            element, report = await wait_until_ready(page, target, HOVER, "point")
            if report.prepared and await prepared_input.hover(element, report.prepared):
                return ""
            if await _is_other_record(element):
                continue
            if report.prepared and (cover := await _find_cover(element)):
                return f"{cover.name} lies over it now"
            is_gone = report.prepared and not await is_rendered(element)
            if report.motion != "endless" and not is_gone:
                break
        await _move_pointer_onto(page, element, report)
    return ""


async def _is_other_record(element: Element) -> bool:
    """Return whether an element shows another data record, such as another row, than when it was found."""
    with suppress(FrameGone, ProtocolError):
        return bool(await element.ask("isOtherRecord"))
    return False


async def _hover_before_press(page: PageCommand, element: Element, report: ElementReport) -> None:
    """Move the pointer over an element and let the page draw, before a press in a small widget.

    Some widgets take the hovered element for the clicked one, such as stars of a rating.
    """
    if report.prepared:
        await prepared_input.move_and_draw(page, report.prepared)
    else:
        await _move_pointer_onto(page, element, report)
        await page.world.wait_next_frame(page_settling.FRAME_SECONDS)


async def _move_pointer_onto(page: PageCommand, element: Element, report: ElementReport) -> None:
    """Wait until the pointer can reach an element, and move it there; again if the element moves away."""
    pointed, point = presses.find_press_target(element, report)
    for _ in range(presses.TRIES):
        at = await reach_or_follow(page, pointed, report, point, is_press=False)
        await prepared_input.move_pointer(page, at.page)
        with suppress(FrameGone, ProtocolError):
            if page.tab.is_interrupted or await pointed.ask("isPointedAt", *at.window):
                return


SCROLL_SECONDS = 1.0
"""Seconds for a page to draw its new position, when it hears of the scroll. A hidden page may never draw."""


async def scroll_into_view(page: PageCommand, target: str) -> None:
    """Scroll an element to the middle of the view. Raises ActionFailed if it is not in view then."""
    element, _ = await wait_until_ready(page, target, frozenset())
    await element.ask("scrollToCentre")
    report = ElementReport(await element.ask("probeElement", ""))
    if report.gone:
        raise StaleRef(f"{target} disappeared while scrolling")
    if not report.in_view:
        raise ActionFailed(f"{report.name} could not be scrolled into view")


async def scroll_page(page: PageCommand, direction: str, pixels: int, *, times: int, pause: float) -> str:
    """Scroll the page, or its main scrollable area, `times` times. Return its position for the reply.

    `direction`: up, down, top or bottom. `pixels`: per scroll; 0 for nearly a page. `pause`: seconds between the page's reaction
    to one scroll and the next.
    """
    moved = 0
    place: dict[str, Any] = {"top": 0, "end": 0}
    for repetition in range(times):
        if repetition and pause:
            await page.world.wait_next_frame(SCROLL_SECONDS)
            await asyncio.sleep(pause)
        place = await page.world.call("scrollPage", direction, pixels, frame=page.frame)
        moved += place["moved"]
    if not place["end"]:
        return "nothing moved: the page does not scroll. For one that listens to the wheel: 'mouse wheel 0,600'"
    at = f"{place['top']} of {place['end']} pixels from the top"
    return at if moved else f"nothing moved: {at}"


Direction = Literal["up", "down", "left", "right", "top", "bottom"]
"""Where to scroll: by a distance, or to an end ("top", "bottom")."""
PART = 0.9
"""Default distance, as a part of the pane's visible size."""
PANE_FRAME_SECONDS = 0.05
_SIGNS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}


async def scroll(page: PageCommand, target: str, direction: Direction, pixels: int) -> tuple[str, list[str]]:
    """Scroll the scrollable element around a target. Return (its new position for the reply, remarks).

    `pixels`: the distance; 0 for most of the element's visible size.
    """
    element, report = await wait_until_ready(page, target, frozenset())
    right, down = _SIGNS[direction]
    before: Pane | None = await element.ask("findPane", bool(right))
    if before is None:
        raise NotInteractable(
            f"Neither {report.name} nor what is around it scrolls {direction}",
            "For a page that listens to the wheel: 'hover' it, then 'mouse wheel <x,y>'",
        )
    pane = element.with_node(before["id"])
    is_to_end = direction in ("top", "bottom")
    visible = before["visibleWidth"] if right else before["visibleHeight"]
    step = before["maxTop"] if is_to_end else pixels or round(visible * PART)
    await pane.ask("scrollPane", right * step, down * step)
    await page.world.wait_next_frame(PANE_FRAME_SECONDS)  # virtual lists build their rows now
    after: Pane | None = await pane.ask("describePane")
    if after is None:
        raise StaleRef(f"{report.name} disappeared while scrolling", failures.SEE_ELEMENTS)
    remarks = [] if before["isTarget"] else [f"what scrolls is {element_name(before['description'], 40)}"]
    moved = abs(after["left"] - before["left"]) if right else abs(after["top"] - before["top"])
    return format_position(after, direction, moved), remarks if moved else [
        *remarks,
        "nothing moved: that is its end",
    ]


def format_position(pane: Pane, direction: Direction, moved: int) -> str:
    """Format where an element was scrolled to: `down 600 (rows 40–58 of 10,000)`, or `to bottom (…)`.

    `moved`: by how many pixels. The position is in pixels if the page does not number its rows.
    """
    how = f"to {direction}" if direction in ("top", "bottom") else f"{direction} {moved}"
    if direction in ("left", "right"):
        return f"{how} ({pane['left']:,} of {pane['maxLeft']:,} pixels)"
    rows = pane["rows"]
    if rows is None:
        return f"{how} ({pane['top']:,} of {pane['maxTop']:,} pixels)"
    which = f"{rows['first']:,}–{rows['last']:,}" if rows["first"] != rows["last"] else f"{rows['first']:,}"
    total = f" of {rows['total']:,}" if rows["total"] > 0 else ""
    return f"{how} (rows {which}{total})"
