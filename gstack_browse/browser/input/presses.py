"""Verify that a press and its release produced a click: finish it if the element moved, else fail.

Presses are made by Playwright, or by the protocol under a guard. See scripts/presses.js for what the page notes
of a press, and docs/decisions/0024-a-click-is-verified.md.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input import at_once, keyboard
from gstack_browse.browser.input.around_frames import cover_over_middle, free_place
from gstack_browse.browser.input.at_once import Became, unless_leaving
from gstack_browse.browser.input.find import Element, exists
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.mouse import Button
from gstack_browse.browser.input.other_records import other_record_error
from gstack_browse.browser.input.perform import (
    comes_to_rest,
    is_misplaced,
    is_restless,
    is_there,
    perform,
    reached,
    scroll_to,
)
from gstack_browse.browser.input.readiness import LOOK_AGAIN_SECONDS, POINTER, Probe, ready
from gstack_browse.browser.input.scaled_frames import page_point
from gstack_browse.errors import ActionFailed, Covered, KeepsMoving, NotInteractable, StaleRef, TimedOut

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

APART = 1
"""Milliseconds between the presses of a double click.

With 0, the second is sent while the page may still handle the first, and Chromium drops it if the page has just
opened a window or a dialog.
"""
HELD = 40
"""Milliseconds of a press on an element to draw on or to drag: more than two frames."""
TRIES = 3
"""Repetitions of a release that missed its moving element. One that evades them all does so on purpose."""
NO_CLICK = {
    "gone": "the page took it away as it was pressed: it heard no click event",
    "taken": "the page acted on the press, and took it away as the focus changed: it heard no click event",
    "disabled": "the page disabled it as it was pressed: it heard no click event",
    "elsewhere": "the page took the release for something else: it heard no click event",
    "acted": "the page acted on the release: it heard no click event",
}
"""Outcome → remark on a press that the page acted on without a click event."""
RECLOSED = "it opened as the pointer came over it, and the click closed it: 'hover' opens it"
ONE_CLICK = {
    "gone": "the page took it away at the first click: it heard no second one",
    "disabled": "the page disabled it at the first click: it heard no second one",
    "elsewhere": "the page took the second click for something else: it heard one",
}
"""Outcome → remark on a double click of which the page heard only the first click."""
MOVED = "moved away under the pointer"
COVERED_SECONDS = 1.0
"""How long an element may be out of reach after the release before the press counts as handled."""
UNFINISHED = frozenset({"moved", "unheard", "released", "lost"})
"""Outcomes of a press whose click is still to be made."""
Place = Mapping[str, object] | None
"""A point of an element as Playwright counts it; None for its middle."""


def place_of(element: Element, probe: Probe) -> tuple[Element, Place]:
    """Return the element to press, and the point in it.

    It is the label if that stands for the element. The point avoids covers and other elements' words.
    """
    if not probe.label:
        return element, probe.aside
    label = Element(element.target, element.frame, int(probe.label["id"]), element.page)
    return label, {"x": probe.label["x"], "y": probe.label["y"]}


async def press(
    page: "PageSession", element: Element, probe: Probe, *, double: bool = False, **how: Any
) -> Became:
    """Let Playwright press an element, or press under our own guard if Playwright cannot.

    Playwright cannot if it does not see what a press hits, or would wait in vain for a stable position. Returns
    the outcome.
    """
    if not how.get("modifiers") and (
        at := await page_point(shown_of(element, probe), how.get("position"), probe)
    ):
        what = await press_at(page, element, probe, at, double=double, button=how.get("button", "left"))
        if what == "missed":
            raise NotInteractable(f"{probe.text} {MOVED}", failures.SEE_ELEMENTS)
        return what
    if not (probe.is_guarded or await is_restless(element, probe) or await is_misplaced(element)):
        try:
            return await _press(page, element, probe, double=double, is_guarded=False, **how)
        except KeepsMoving:
            if await comes_to_rest(element):
                raise
            page.notes.append(f"{probe.text} never stands still: it was pressed where it was then")
    if element.frame != page.tab.page.main_frame and not how.get("position"):
        await scroll_to(page, element, probe)
        await refuse_covered(element, probe)
    for _ in range(TRIES):
        what = await _press(page, element, probe, double=double, is_guarded=True, **how)
        if what != "missed":
            return what
    raise NotInteractable(f"{probe.text} {MOVED}", failures.SEE_ELEMENTS)


async def press_at(
    page: "PageSession",
    element: Element,
    probe: Probe,
    at: Sequence[float],
    *,
    double: bool,
    button: Button,
) -> Became:
    """Press at a point of the page, under the guard of the element's document. Returns the outcome.

    "missed": the guard has blocked the press. Takes as long as the page does to handle it, up to the command's
    deadline.
    """
    await element.ask("watchPress", True, double, button != "left")
    await at_once.press_button(page, at, button, is_double=double)
    what = await became(page, element)
    require_delivered(element, what, probe.text)
    return what if button == "left" or what in ("missed", "another") else ""


async def _press(
    page: "PageSession", element: Element, probe: Probe, *, double: bool, is_guarded: bool, **how: Any
) -> Became:
    """Press once by Playwright, and return the outcome.

    `is_guarded`: Playwright does not check what the press hits; "missed" if that would have been another
    element.
    """
    is_watched = is_guarded or how.get("button", "left") == "left"
    await element.ask("watchPress", is_guarded, double, not is_watched)
    shown = shown_of(element, probe)
    act_on = shown.locator.dblclick if double else shown.locator.click
    how["delay"] = APART if double else HELD if probe.is_held else 0
    how["is_tried_briefly"] = is_watched and not double
    try:
        try:
            await perform(page, probe, act_on, pressed=element, shown=shown, force=is_guarded, **how)
        except Covered:
            is_inner = element.frame != page.tab.page.main_frame
            is_free = is_inner and not is_guarded and not how.get("position")
            place = await free_place(element) if is_free else None
            if place is None:
                raise
            await perform(page, probe, act_on, pressed=element, shown=shown, **{**how, "position": place})
    except TimedOut:
        if is_watched and await _was_clicked(page, element):
            return "hit"  # the page's handlers take longer
        raise
    what = await became(page, element)
    require_delivered(element, what, probe.text)
    return what if is_watched else ""


def require_delivered(element: Element, what: Became, pressed: str) -> None:
    """Raise ActionFailed if the press did not arrive in the element's window, though that answers."""
    if what != "undelivered":
        return
    if element.frame != element.page.tab.page.main_frame:
        raise ActionFailed(f"{pressed} was not pressed: no press came into its frame", failures.SEE_ELEMENTS)
    may_have_person = element.page.session.running.may_have_person
    raise failures.input_held_back(f"{pressed} was not pressed", may_have_person=may_have_person)


async def refuse_covered(element: Element, probe: Probe) -> None:
    """Raise Covered if a page around the element's frame covers it: no guard of ours is there."""
    if cover := await cover_over_middle(element):
        raise cover.refusal(probe.text)


def shown_of(element: Element, probe: Probe) -> Element:
    """Return the element that shows this one: the image for the area of an image map, else itself."""
    return Element(element.target, element.frame, probe.image_node or element.node, element.page)


async def became(page: "PageSession", element: Element) -> Became:
    """Return the page's report on a press; "" if it navigated or opened a dialog.

    The observer reports those.
    """
    with suppress(FrameGone, ProtocolError):
        said: Became = await unless_leaving(page, page.world.call("pressBecame", frame=element.frame)) or ""
        return said
    return ""


async def _was_clicked(page: "PageSession", element: Element) -> bool:
    """Return whether the page has heard of the click, once it answers."""
    with suppress(FrameGone, ProtocolError):
        return bool(await unless_leaving(page, page.world.call("wasClicked", frame=element.frame)))
    return False


async def at_rest(element: Element) -> bool:
    """Press an element that can be reached without scrolling. Returns False if it was not pressed.

    Playwright would scroll it if one of its edges is out of view.
    """
    probe = Probe(await element.ask("probe", "press", "press"))
    if not probe.prepared:
        return False
    return await at_once.click(element.page, probe.prepared) not in ("missed", "undelivered")


async def of_option(option: Element, text: str, *, follows: bool, seconds: float, **how: Any) -> bool:
    """Press an option of a list. Returns False if the mouse did not reach it.

    `text`: the list's name. `follows`: repeat the release if the option moves as the list gets the focus; the
    page hears of one gesture.
    """
    page = option.page
    if follows:
        await option.ask("watchPress", False, False)
    is_pressed = await reached(option, text, seconds=seconds, **how)
    for _ in range(TRIES if follows else 0):
        if await became(page, option) != "moved":
            break
        await option.ask("endPress", "moved", False)
        await reached(option, text, seconds=seconds, **how)
    return is_pressed


async def ended(
    page: "PageSession", element: Element, probe: Probe, became: Became, *, is_double: bool, **how: Any
) -> str:
    """Verify that a press became a click. Returns a remark.

    Repeats the gesture if the element had moved at the release, or was replaced as the focus changed: the page
    hears of one gesture. `how`: Playwright's arguments of the press. Raises ActionFailed or StaleRef if there
    was no click, unless the page has visibly acted on the press.
    """
    if became == "another":
        raise await other_record_error(page, element.target)
    if became == "held":
        became = await _released(page, element, probe, how)
    if is_double:
        return await _ended_twice(page, element, probe, became)
    if became == "taken" and await _has_successor(page, element):
        became = "lost"
    if became not in UNFINISHED:
        return await _remark(page, element, became)
    said = became
    for _ in range(TRIES):
        if became == "lost":
            element, probe, how = await _in_its_place(page, element, probe, how)
        said = became if became in UNFINISHED and said not in ("unheard", "released") else said
        await element.ask("endPress", said, probe.is_guarded)
        became = await _finish(page, element, probe, how, said)
        if became == "another":
            raise await other_record_error(page, element.target)
        if became not in UNFINISHED and became != "missed":
            return await _remark(page, element, became)
    why = "heard no click event" if became in ("unheard", "released") else MOVED
    raise ActionFailed(f"{probe.text} was pressed and not clicked: it {why}", failures.SEE_ELEMENTS)


async def _released(page: "PageSession", element: Element, probe: Probe, how: dict[str, Any]) -> Became:
    """Repeat the release if a dialog came at the press, since Chromium drops input while it is open.

    Without a dialog the page got the release elsewhere, as in the list of a `<select>`. Raises ActionFailed if
    the release is not heard.
    """
    if not page.tab.had_dialogs:
        return "hit"
    with suppress(FrameGone, ProtocolError):
        await page.world.call("hearClick", frame=element.frame)
        await unless_leaving(page, page.tab.page.mouse.up(button=how.get("button", "left")))
        is_heard = await unless_leaving(page, page.world.call("isPrevented", frame=element.frame)) is not None
        if not is_heard and not page.tab.is_leaving:
            raise ActionFailed(
                f"{probe.text} was pressed and not clicked: a dialog kept the release from it",
                failures.SEE_ELEMENTS,
            )
    return "hit"


async def _ended_twice(page: "PageSession", element: Element, probe: Probe, became: Became) -> str:
    """Verify that a double click was heard. Returns a remark; raises ActionFailed. It is never repeated."""
    if became not in UNFINISHED and became not in NO_CLICK:
        return await _remark(page, element, became)
    clicks = 0
    with suppress(FrameGone, ProtocolError):  # the page navigated: the observer reports it
        clicks = await page.world.call("clicksHeard", frame=element.frame)
    if became not in UNFINISHED:
        return (ONE_CLICK if clicks else NO_CLICK)[became]
    if became == "moved" and clicks:
        why = "was clicked once: it moved away before the second press"
    else:
        why = f"was pressed twice and heard {'one click' if clicks else 'no click event'}"
    raise ActionFailed(f"{probe.text} {why}", failures.SEE_ELEMENTS)


async def _remark(page: "PageSession", element: Element, became: Became) -> str:
    """Return the remark on a press that is over; "" for none."""
    if became == "refused":
        with suppress(FrameGone, ProtocolError):  # the page navigated: the observer reports it
            return keyboard.not_accepted(await page.world.call("refusedField", frame=element.frame))
    return RECLOSED if became == "reclosed" else NO_CLICK.get(became, "")


async def _has_successor(page: "PageSession", element: Element) -> bool:
    """Return whether the target matches an element again; waits for that up to COVERED_SECONDS.

    For a ref: whether its error names a new element that is like it.
    """
    looks = Looks(page, page.wait_until(COVERED_SECONDS))
    while True:
        try:
            with suppress(FrameGone):
                if await exists(page, element.target):
                    return True
        except StaleRef as error:
            return error.names_new
        if looks.are_over():
            return False
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _stays_out_of_reach(page: "PageSession", element: Element) -> bool:
    """Return whether the page keeps an element covered, hidden or removed after the release on it.

    Playwright cannot find that out within that time: on a busy machine a press takes longer.
    """
    looks = Looks(page, page.wait_until(COVERED_SECONDS))
    with suppress(StaleRef, FrameGone, ProtocolError):
        while not (probe := Probe(await element.ask("probe", "press"))).gone:
            if probe.obstacle(POINTER) is None:
                return False
            if looks.are_over():
                return True
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
    return True


async def _in_its_place(
    page: "PageSession", element: Element, probe: Probe, how: dict[str, Any]
) -> tuple[Element, Probe, dict[str, Any]]:
    """Return the element that the selector means now, and how to press it.

    Raises StaleRef for a ref, which means only the element that has gone, and ActionFailed if there is no
    element.
    """
    why = "the page took it away as the focus changed"
    if not element.target.startswith("@") and not await _has_successor(page, element):
        raise ActionFailed(f"{probe.text} was pressed and not clicked: {why}", failures.SEE_ELEMENTS)
    try:
        found, now = await ready(page, element.target, POINTER)
    except StaleRef as error:
        raise StaleRef(
            f"{element.target} was pressed and not clicked: {why}. {error.message}", error.hint
        ) from None
    pressed, place = place_of(found, now)
    is_at = how.get("position") not in (None, place_of(element, probe)[1])
    return pressed, now, how if is_at else {**how, "position": place}


async def _finish(
    page: "PageSession", element: Element, probe: Probe, how: dict[str, Any], said: Became
) -> Became:
    """Press and release where the element is now, and return the outcome.

    `said`: the outcome so far; the page has been told which events to suppress after it. Returns "acted" if the
    page heard all but the click, and has covered or removed the element since.
    """
    if said == "released" and await _stays_out_of_reach(page, element):
        return "acted"
    shown = shown_of(element, probe)
    try:
        await perform(
            page, probe, shown.locator.click, pressed=element, shown=shown, force=probe.is_guarded, **how
        )
    except (NotInteractable, TimedOut) as error:
        if isinstance(error, TimedOut) and await _was_clicked(page, element):
            return "hit"
        if said == "released" and (isinstance(error, Covered) or not await is_there(element)):
            return "acted"
        raise ActionFailed(
            f"{probe.text} was pressed and not clicked: it {MOVED}", failures.SEE_ELEMENTS
        ) from None
    return await became(page, element)
