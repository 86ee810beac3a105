"""Copy the selection and paste into the focused element by real keys, so that events carry real data."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.engine.answers import ClipboardEventReport
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.input import at_once, keyboard, own_paste
from gstack_browse.browser.tabs import left_fields
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

PASTE_IN_TERMINALS = "Shift+Insert"
"""Terminals (xterm.js 6) paste by this: they take Control+V as a control character."""
_locks: "WeakKeyDictionary[object, asyncio.Lock]" = WeakKeyDictionary()
"""Browser → lock: Chromium has one clipboard, and no command may paste another's data."""


async def copy(page: "PageSession") -> str:
    """Copy the selection. Returns the text. Raises ActionFailed if nothing is selected."""
    async with _alone(page):
        _, heard = await _press(page, "copy", "ControlOrMeta+c")
    if heard is None or not (heard["text"] or heard["handled"]):
        raise ActionFailed(
            "Nothing was copied: nothing is selected",
            "Select something: select-text <target>, or press Control+A",
        )
    return heard["text"]


async def paste(page: "PageSession", text: str | None, markup: str) -> tuple[str, str]:
    """Paste a text; with None, what was copied last. Returns the receiver's name, and why nothing shows.

    A given text or `markup` is in Chromium's clipboard only for the paste, and never if the context has its own
    clipboard.
    """
    async with _alone(page):
        if await own_paste.uses_own(page):
            frame, heard = await own_paste.paste(page, text, markup)
        else:
            frame, heard = await _paste_by_keys(page, text, markup)
        left_fields.watch(page.tab, frame)
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


async def _paste_by_keys(
    page: "PageSession", text: str | None, markup: str
) -> tuple[Frame, ClipboardEventReport | None]:
    is_given = text is not None or bool(markup)
    if is_given:
        await own_paste.put(page, text or "", markup)
    reached = await _press(page, "paste", "ControlOrMeta+v")
    if is_given:
        await _empty(page)
    return reached


async def _empty(page: "PageSession") -> None:
    """Clear the clipboard after a paste of a given text: pages may be allowed to read it."""
    with suppress(ActionFailed, FrameGone, PageScriptError, ProtocolError):
        await at_once.unless_leaving(page, own_paste.put(page, "", ""))


async def _press(page: "PageSession", event: str, key: str) -> tuple[Frame, ClipboardEventReport | None]:
    """Press keys that copy or paste. Returns the frame that heard the event, and its report on that."""
    frames = _frames(page)
    is_terminal = await _await(page, frames, event)
    keys = (PASTE_IN_TERMINALS, key) if event == "paste" and is_terminal else (key,)
    for pressed in keys:
        if pressed != keys[0]:
            await _await(page, frames, event)
        await keyboard.press(page, pressed)
        for frame in frames:
            if heard := await at_once.unless_leaving(page, own_paste.quietly(page, frame, "clipboardHeard")):
                return frame, heard
    return page.frame, None


async def _await(page: "PageSession", frames: Sequence[Frame], event: str) -> bool:
    """Have the frames note the next event. Returns whether the focused element takes keys like a terminal."""
    return any(
        await asyncio.gather(*(own_paste.quietly(page, frame, "awaitClipboard", event) for frame in frames))
    )


def _frames(page: "PageSession") -> Sequence[Frame]:
    return page.tab.page.frames[: own_paste.MOST_FRAMES]


async def _name(page: "PageSession", frame: Frame, heard: ClipboardEventReport) -> str:
    """Return the ref of the element that heard of a paste, else its description; "" for the page."""
    if not heard["look"]:
        return ""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        (ref,) = await page.tab.refs.refs_of(frame, [heard["id"]])
        return ref or heard["look"]
    return heard["look"]
