"""Copies what is selected and pastes into what has the focus, by real keys: the page's own events carry real data."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.playwright_names import Frame
from gstack_browse.browser.engine.answers import Heard
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, send
from gstack_browse.browser.input import at_once, keyboard
from gstack_browse.browser.tabs import left_fields
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_FRAMES = 100
PASTE_IN_TERMINALS = "Shift+Insert"
"""A terminal takes Control+V as a control character."""
_locks: "WeakKeyDictionary[object, asyncio.Lock]" = WeakKeyDictionary()
"""A browser has one clipboard: what one command puts there must not be pasted by another."""


async def copy(page: "PageSession") -> str:
    """Copy what is selected. Returns the text. Raises ActionFailed where there is nothing to copy."""
    async with _alone(page):
        _, heard = await _press(page, "copy", "ControlOrMeta+c")
    if heard is None or not (heard["text"] or heard["handled"]):
        raise ActionFailed(
            "Nothing was copied: nothing is selected",
            "Select something: select-text <target>, or press Control+A",
        )
    return heard["text"]


async def paste(page: "PageSession", text: str | None, markup: str) -> tuple[str, str]:
    """Paste a text, or with None what was copied last. Returns the element that received the text, and why the element does not show it.

    A text or `markup` that was given is in the clipboard only for the paste.
    """
    async with _alone(page):
        is_given = text is not None or bool(markup)
        if is_given:
            await _put(page, text or "", markup)
        frame, heard = await _press(page, "paste", "ControlOrMeta+v")
        left_fields.watch(page.tab, frame)
        if is_given:
            await _empty(page)
    if heard is None:
        return "", "" if page.tab.is_leaving else "nothing has heard of it"
    name = await _name(page, frame, heard)
    if heard["changed"] or heard["handled"]:
        return name, ""
    return name, "its content did not change" if heard[
        "editable"
    ] else "it takes no text, and the page did nothing with it"


@asynccontextmanager
async def _alone(page: "PageSession") -> AsyncIterator[None]:
    async with _locks.setdefault(page.session.running, asyncio.Lock()):
        yield


async def _put(page: "PageSession", text: str, markup: str) -> None:
    """Put data into the clipboard, as a page may when a person presses one of its buttons."""
    context = await page.world.frames.context_of(page.tab.page.main_frame)
    await page.world.call("hasFocus")  # so that the engine is there
    answer = await send(
        context,
        "Runtime.evaluate",
        expression=f"__gbrowse.putClipboard({_quoted(text)},{_quoted(markup)})",
        uniqueContextId=context.id,
        returnByValue=True,
        userGesture=True,
    )
    if answer.get("value") is not True:
        raise ActionFailed(
            "Chromium did not take the text into its clipboard", "Use 'type --into <target> <text>'"
        )


async def _empty(page: "PageSession") -> None:
    """Take what was given for a paste out of the clipboard again: other contexts, and pages that may read it, get there too."""
    with suppress(ActionFailed, FrameGone, PageScriptError, PlaywrightError):
        await at_once.unless_leaving(page, _put(page, "", ""))


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)


async def _press(page: "PageSession", event: str, key: str) -> tuple[Frame, Heard | None]:
    """Press keys. Returns the frame that has heard of the event, and what became of that."""
    frames = _frames(page)
    is_terminal = await _await(page, frames, event)
    keys = (PASTE_IN_TERMINALS, key) if event == "paste" and is_terminal else (key,)
    for pressed in keys:
        if pressed != keys[0]:
            await _await(page, frames, event)
        await keyboard.press(page, pressed)
        for frame in frames:
            if heard := await at_once.unless_leaving(page, _quietly(page, frame, "clipboardHeard")):
                return frame, heard
    return page.frame, None


async def _await(page: "PageSession", frames: Sequence[Frame], event: str) -> bool:
    """Have the frames note the next event. Returns whether what has the focus takes keys as a terminal does."""
    return any(await asyncio.gather(*(_quietly(page, frame, "awaitClipboard", event) for frame in frames)))


def _frames(page: "PageSession") -> Sequence[Frame]:
    return page.tab.page.frames[:MOST_FRAMES]


async def _quietly(page: "PageSession", frame: Frame, question: str, *arguments: str) -> Any:
    """What a frame answers; None for one that is gone."""
    with suppress(FrameGone, PageScriptError, PlaywrightError):
        return await page.world.call(question, *arguments, frame=frame)
    return None


async def _name(page: "PageSession", frame: Frame, heard: Heard) -> str:
    """The ref of what has heard of a paste, else what it looks like; "" for the page."""
    if not heard["look"]:
        return ""
    with suppress(FrameGone, PageScriptError, PlaywrightError):
        (ref,) = await page.tab.refs.refs_of(frame, [heard["id"]])
        return ref or heard["look"]
    return heard["look"]
