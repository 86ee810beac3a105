"""Gives a field a value: waits until that can work, does it, and reads the field back.

A TargetError says why a field cannot be filled in time, and ActionFailed that it did not take the value.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from gstack_browse.browser.engine.answers import Begun, Filled, Held
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.input import editors, steps, unheard, widgets, writing
from gstack_browse.browser.input.find import Element, LookAhead, locate_first
from gstack_browse.browser.input.readiness import EDIT, Probe, named, ready
from gstack_browse.errors import ActionFailed, NotInteractable, TargetError
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession


FORMS = {
    "date": "Write a date as 2026-12-31",
    "time": "Write a time as 23:59",
    "datetime-local": "Write date and time as 2026-12-31T23:59",
    "month": "Write a month as 2026-12",
    "week": "Write a week as 2026-W53",
    "number": "Write a number as 42 or -3.5",
}
"""Types of input that make nothing of a value in another form."""


async def fill(
    page: "PageSession", target: str, value: str, then: LookAhead | None = None
) -> tuple[Element, str]:
    """Give a field a value and read the field back. Returns the field, and the value that the page made of it, "" for the same.

    `then`: see `look_ahead`.
    """
    text = unheard.WholeText(page, target, value)
    looking = asyncio.ensure_future(ready(page, target, EDIT, *(text.prepared or writing.prepared(value))))
    text.begin()
    before: Held | None = None
    try:
        element, probe = await looking
        if text.prepared:
            before = probe.prepared and probe.prepared["before"]
            if probe.prepared and await text.is_written():
                kept = await _kept(element, value, text.held)
                return element, await verified(element, probe, value, before, kept)
            element, probe = await ready(page, target, EDIT, *writing.prepared(value))
    except NotInteractable as refused:
        refused.hint = await _dragged(page, target) or refused.hint
        raise
    finally:
        looking.cancel()
        text.cancel()
    page.ahead = None if text.is_unheard else then
    return element, await _write(page, element, probe, value, before)


async def _dragged(page: "PageSession", target: str) -> str:
    """What to drag in the place of a field, or a handle, that takes no value; "" for nothing."""
    with suppress(TargetError, FrameGone, PageScriptError):
        element = await locate_first(page, target)
        handles = await page.tab.refs.refs_of(element.frame, await element.ask("handlesFor"))
        if handles:
            others = f" (or {', '.join(handles[1:])})" if handles[1:] else ""
            return f"Drag one of the slider's handles to the right or left: drag {handles[0]} 20,0{others}"
    return ""


def look_ahead(target: str, value: str) -> LookAhead:
    """The look of the next `fill`, which the action before sends along."""
    return LookAhead(target, "probe", ("edit", *writing.prepared(value)))


async def _kept(element: Element, value: str, held: Filled | None) -> Held | None:
    """What a field holds that was written in one piece, or the one that the page has put in its place."""
    return await writing.in_its_place(element, value, held) if held and held["gone"] else held


async def _write(page: "PageSession", element: Element, probe: Probe, value: str, before: Held | None) -> str:
    """Give the field the value. `before`: what it held before anything was tried, where that is known."""
    if probe.fill == "sink":
        raise NotInteractable(
            f"{probe.text} takes keys and keeps no text", "Use 'type --into <target> <text>', and 'press Enter'"
        )
    if probe.fill in ("steps", "part"):
        return await steps.fill(page, element, probe.text, value, is_part=probe.fill == "part")
    if probe.fill == "choice":
        await widgets.rate(page, element, probe.text, value)
        return ""
    if probe.fill == "keys":
        held = await element.ask("value")
        return await verified(element, probe, value, held, await editors.fill(page, element, value))
    begun: Begun | None = probe.prepared
    if begun:
        after = await writing.at_once(
            element,
            value,
            is_focused=begun["focused"],
            is_each_key=begun["eachKey"],
        )
        after = await writing.by_keys_where_lost(element, probe, value, after)
        return await verified(element, probe, value, before or begun["before"], after)
    if value and probe.type in FORMS and not await element.ask("parsed", value):
        raise ActionFailed(f"{probe.text} does not take that value", FORMS[probe.type])
    before = before or await element.ask("value")
    after = await writing.in_time(element, probe, value, before)
    after = await writing.by_keys_where_lost(element, probe, value, after)
    return await verified(element, probe, value, before, after)


async def verified(element: Element, probe: Probe, value: str, before: Held | None, after: Held | None) -> str:
    """What became of a value where a field does not hold it. Raises ActionFailed when nothing did."""
    if after is None:
        return ""  # the page replaced the field after its change event: there is nothing left to read
    if after["value"] == value:
        return ""
    holds, wanted = writing.plain(after["value"]), writing.plain(value)
    if holds == wanted or (wanted and holds.strip() == wanted.strip()):
        return ""
    if (before and holds == writing.plain(before["value"])) or (wanted and not holds):
        raise ActionFailed(
            f"{await named(element, probe)} did not take the value"
            + (f' and still reads "{one_line(holds, 60)}"' if holds and not after["secret"] else ""),
            "The page may reject it: look at the field's type, pattern and limits with 'attrs'",
        )
    return "" if after["secret"] else holds
