"""What became of a click between its press and its release: made by Playwright, brought to its end, or said to have failed.

See scripts/presses.js for what the page notes of it, and decision 0325.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
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
"""Milliseconds between the presses of a double click. Without any the second is sent while the page may still be handling the first, and
Chromium drops it where the page has just opened a window or a dialog."""
HELD = 40
"""Milliseconds for which the pointer stays down on what is drawn on or dragged: more than two frames."""
TRIES = 3
"""Times that a release follows an element that was not where the pointer came up. What runs away from each of them does so on purpose."""
NO_CLICK = {
    "gone": "the page took it away as it was pressed: it heard no click event",
    "taken": "the page acted on the press, and took it away as the focus changed: it heard no click event",
    "disabled": "the page disabled it as it was pressed: it heard no click event",
    "elsewhere": "the page took the release for something else: it heard no click event",
    "acted": "the page acted on the release: it heard no click event",
}
"""What is said of a press that the page has acted on, instead of on a click."""
RECLOSED = "it opened as the pointer came over it, and the click closed it: 'hover' opens it"
ONE_CLICK = {
    "gone": "the page took it away at the first click: it heard no second one",
    "disabled": "the page disabled it at the first click: it heard no second one",
    "elsewhere": "the page took the second click for something else: it heard one",
}
"""The same of a double click of which the first was heard."""
MOVED = "moved away under the pointer"
COVERED_SECONDS = 1.0
"""How long an element on which the pointer came up may be out of reach before no more is expected of it."""
UNFINISHED = frozenset({"moved", "unheard", "released", "lost"})
"""What became of a press whose click is still to come."""
Place = Mapping[str, object] | None
"""A point of an element, as Playwright counts; None for its middle."""


def place_of(element: Element, probe: Probe) -> tuple[Element, Place]:
    """What is pressed for an element, and where in that: its label, if that stands for it, or a place where its own words are."""
    if not probe.label:
        return element, probe.aside
    label = Element(element.target, element.frame, int(probe.label["id"]), element.page)
    return label, {"x": probe.label["x"], "y": probe.label["y"]}


async def press(
    page: "PageSession", element: Element, probe: Probe, *, double: bool = False, **how: Any
) -> Became:
    """Let Playwright press on an element; under our own guard where Playwright cannot see what a press hits, or waits in vain until it stands still."""
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
    """Press at a point of the page, under the guard of the element's own document: "missed" where that has blocked it.

    It takes as long as the page does to handle it, up to the command's deadline.
    """
    await element.ask("watchPress", True, double, button != "left")
    await at_once.press_button(page, at, button, is_double=double)
    what = await became(page, element)
    require_delivered(element, what, probe.text)
    return what if button == "left" or what in ("missed", "another") else ""


async def _press(
    page: "PageSession", element: Element, probe: Probe, *, double: bool, is_guarded: bool, **how: Any
) -> Became:
    """One press by Playwright. `is_guarded`: without a look at what it hits; "missed" where that would have been something else."""
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
            return "hit"  # what the page does with it takes longer
        raise
    what = await became(page, element)
    require_delivered(element, what, probe.text)
    return what if is_watched else ""


def require_delivered(element: Element, what: Became, pressed: str) -> None:
    """Raise ActionFailed where no press came to the window of an element, which answers all the same."""
    if what != "undelivered":
        return
    if element.frame != element.page.tab.page.main_frame:
        raise ActionFailed(f"{pressed} was not pressed: no press came into its frame", failures.SEE_ELEMENTS)
    may_have_person = element.page.session.running.may_have_person
    raise failures.input_held_back(f"{pressed} was not pressed", may_have_person=may_have_person)


async def refuse_covered(element: Element, probe: Probe) -> None:
    """Raise Covered where something lies over an element in a page around its frame, where no guard of ours is."""
    if cover := await cover_over_middle(element):
        raise cover.refusal(probe.text)


def shown_of(element: Element, probe: Probe) -> Element:
    """What shows an element: for the area of an image map its image."""
    return Element(element.target, element.frame, probe.image_node or element.node, element.page)


async def became(page: "PageSession", element: Element) -> Became:
    """What the page says of a press; "" where it took the page away or opened a dialog, which the observer tells."""
    with suppress(FrameGone, PlaywrightError):
        said: Became = await unless_leaving(page, page.world.call("pressBecame", frame=element.frame)) or ""
        return said
    return ""


async def _was_clicked(page: "PageSession", element: Element) -> bool:
    """Whether the page has heard of the click, once it answers."""
    with suppress(FrameGone, PlaywrightError):
        return bool(await unless_leaving(page, page.world.call("wasClicked", frame=element.frame)))
    return False


async def at_rest(element: Element) -> bool:
    """Press what can be reached as things stand, without scrolling it, as Playwright would where an edge of it is out of view. False where nothing was done."""
    probe = Probe(await element.ask("probe", "press", "press"))
    if not probe.prepared:
        return False
    return await at_once.click(element.page, probe.prepared) not in ("missed", "undelivered")


async def of_option(option: Element, text: str, *, follows: bool, seconds: float, **how: Any) -> bool:
    """Press an option of a list, which is called `text`. False when the mouse did not reach it.

    `follows`: what moves away as the list gets the focus is followed, and the page hears of one gesture.
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
    """See that a click came of a press. Returns a remark; raises ActionFailed or StaleRef where none came, and the page did not mean it.

    The release follows an element that was elsewhere by then, or was put in the place of another as the focus changed: the
    page hears of one gesture. `how`: what Playwright is told of the press.
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
    """Let go once more where a dialog came as the element was pressed: Chromium drops what comes while it is open. Elsewhere the page has the release, as the list of a `<select>`."""
    if not page.tab.had_dialogs:
        return "hit"
    with suppress(FrameGone, PlaywrightError):
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
    """The same for a double click, of which nothing can be taken back."""
    if became not in UNFINISHED and became not in NO_CLICK:
        return await _remark(page, element, became)
    clicks = 0
    with suppress(FrameGone, PlaywrightError):  # the page went elsewhere all the same: the observer tells
        clicks = await page.world.call("clicksHeard", frame=element.frame)
    if became not in UNFINISHED:
        return (ONE_CLICK if clicks else NO_CLICK)[became]
    if became == "moved" and clicks:
        why = "was clicked once: it moved away before the second press"
    else:
        why = f"was pressed twice and heard {'one click' if clicks else 'no click event'}"
    raise ActionFailed(f"{probe.text} {why}", failures.SEE_ELEMENTS)


async def _remark(page: "PageSession", element: Element, became: Became) -> str:
    """What there is to say of a press that is over."""
    if became == "refused":
        with suppress(FrameGone, PlaywrightError):  # the page went elsewhere all the same: the observer tells
            return keyboard.not_accepted(await page.world.call("refusedField", frame=element.frame))
    return RECLOSED if became == "reclosed" else NO_CLICK.get(became, "")


async def _has_successor(page: "PageSession", element: Element) -> bool:
    """Whether a target means something else since its element went, or a ref's message names something new that is like it; waited for."""
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
    """Whether the page has covered an element as the pointer came up on it, hidden it or taken it away, and leaves it so.

    Not for Playwright to find out within that time: on a busy machine a press takes longer.
    """
    looks = Looks(page, page.wait_until(COVERED_SECONDS))
    with suppress(StaleRef, FrameGone, PlaywrightError):
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
    """What a selector means since its element went. Raises StaleRef for a ref, which means that element and no other, ActionFailed for nothing."""
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
    """Press and release where the element is now; the page has been told what it is not to hear after what was `said`.

    "acted" where the page heard all but the click, and has covered the element since, or taken it away.
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
