"""What became of a click between its press and its release: made by Playwright, brought to its end, or said to have failed.

See scripts/presses.js for what the page notes of it, and decision 0325.
"""

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input.at_once import Became, unless_leaving
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.perform import perform
from gstack_browse.browser.input.readiness import POINTER, Probe, ready
from gstack_browse.errors import ActionFailed, NotInteractable, StaleRef

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

APART = 1
"""Milliseconds between the presses of a double click. Without any the second is sent while the page may still be handling the first, and
Chromium drops it where the page has just opened a window or a dialog."""
NO_CLICK = "the page took it away as it was pressed: it heard no click event"


async def press(
    page: "PageSession", element: Element, probe: Probe, *, double: bool = False, **how: Any
) -> Became:
    """Let Playwright press on an element; under our own guard where Playwright cannot see what a press hits."""
    is_watched = probe.is_opaque or how.get("button", "left") == "left"
    if is_watched:
        await element.ask("watchPress", probe.is_opaque, double)
    pressed = Element(element.target, element.frame, probe.image_node or element.node, page)
    act_on = partial(pressed.locator.dblclick, delay=APART) if double else pressed.locator.click
    await perform(page, probe, act_on, force=probe.is_opaque, **how)
    if not is_watched:
        return ""
    what = await became(page, element)
    if what == "missed":
        raise NotInteractable(f"{probe.text} moved away under the pointer", failures.SEE_ELEMENTS)
    return what


async def became(page: "PageSession", element: Element) -> Became:
    """What the page says of a press; "" where it took the page away or opened a dialog, which the observer tells."""
    with suppress(FrameGone, PlaywrightError):
        said: Became = await unless_leaving(page, page.world.call("pressBecame", frame=element.frame)) or ""
        return said
    return ""


async def ended(page: "PageSession", element: Element, probe: Probe, became: Became, *, is_double: bool) -> str:
    """See that a click came of a press. Returns a remark; raises ActionFailed or StaleRef where none came, and the page did not mean it.

    The release follows an element that has moved on the press, or was put in the place of another as the focus changed: the
    page hears of one gesture. What the page took away when it heard of the press has done its work.
    """
    if became == "gone":
        return NO_CLICK
    if became in ("", "hit", "missed"):
        return ""
    if is_double:
        raise ActionFailed(
            f"{probe.text} was clicked once: it moved away before the second press", failures.SEE_ELEMENTS
        )
    if became == "lost":
        element, probe = await _in_its_place(page, element, probe)
    await element.ask("endPress", became)
    try:
        after = await _finish(page, element, probe)
    except NotInteractable:
        after = "moved"
    if after not in ("", "hit", "gone"):
        why = "moved away under the pointer" if after in ("moved", "missed") else "heard no click event"
        raise ActionFailed(f"{probe.text} was pressed and not clicked: it {why}", failures.SEE_ELEMENTS)
    return NO_CLICK if after == "gone" else ""


async def _in_its_place(page: "PageSession", element: Element, probe: Probe) -> tuple[Element, Probe]:
    """What a selector means since its element went. Raises StaleRef for a ref, which means that element and no other."""
    try:
        return await ready(page, element.target, POINTER)
    except StaleRef as error:
        why = "the page took it away as the focus changed"
        raise StaleRef(
            f"{element.target} was pressed and not clicked: {why}. {error.message}", error.hint
        ) from None


async def _finish(page: "PageSession", element: Element, probe: Probe) -> Became:
    """Press and release where the element is now; the page has been told what it is not to hear."""
    shown = Element(element.target, element.frame, probe.image_node or element.node, page)
    await perform(page, probe, shown.locator.click, force=probe.is_opaque)
    return await became(page, element)
