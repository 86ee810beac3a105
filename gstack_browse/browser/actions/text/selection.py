"""Focus an element, select text, copy and paste by real keys; verify each."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

from gstack_browse.browser.actions.input import text_input
from gstack_browse.browser.actions.input.keyboard import press
from gstack_browse.browser.actions.input.prepared_input import await_unless_interrupted
from gstack_browse.browser.actions.readiness import wait_until_ready
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import ClipboardEventReport, Selected
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import ActionFailed, NoMatch
from gstack_browse.text.sanitise import element_name, quote_text
from gstack_browse.text.units import format_count

FOCUS = frozenset({"enabled", "focus"})
FRAME_SECONDS = 0.05
WRITTEN = frozenset({"text", "rich"})
"""Kinds of field to write into: text fields and editors."""


async def focus(page: PageCommand, target: str) -> None:
    """Focus an element. Raises ActionFailed if it cannot have the focus, or another element has it then."""
    element, report = await wait_until_ready(page, target, FOCUS)
    result = await await_unless_interrupted(page, element.ask("focusElement"))
    if result is None or result["focused"]:
        return
    if result["other"]:
        raise ActionFailed(f"{report.name} did not get the focus: {element_name(result['other'])} has it")
    raise ActionFailed(f"{report.name} cannot have the focus", failures.SEE_ELEMENTS)


async def blur(page: PageCommand) -> str:
    """Remove the focus from the focused element, in any frame. Return its name; "" if none had the focus."""
    for frame in page.tab.page.frames:
        with suppress(FrameGone, PageScriptError, ProtocolError):
            if description := await await_unless_interrupted(page, page.world.call("blurFocused", frame=frame)):
                return element_name(description)
    return ""


async def select_text(page: PageCommand, target: str, first: str | None, last: str | None) -> str:
    """Select an element's text, or from the text `first` to `last`. Return it quoted, with its length.

    Raises NoMatch for a text that is not there, ActionFailed if the element has no text to select.
    """
    element, report = await wait_until_ready(page, target, frozenset())
    if await element.ask("focusForSelection"):
        await page.world.wait_next_frame(FRAME_SECONDS)  # editors move their caret when they get the focus
    selected: Selected | None = await element.ask("selectText", first, last)
    if selected is None:
        raise NoMatch(f"{report.name} disappeared", failures.SEE_ELEMENTS)
    if selected["missing"]:
        hint = (
            f"It has {quote_text(selected['content'], 120)}" if selected["content"] else failures.SEE_ELEMENTS
        )
        raise NoMatch(f"{report.name} has no text {quote_text(selected['missing'], 60)}", hint)
    if not selected["text"]:
        raise ActionFailed(f"{report.name} has no text that can be selected", failures.SEE_ELEMENTS)
    if report.fill in WRITTEN and "Shift" not in page.tab.held.keys:
        # Toolbars and older editors read a selection when a key or the mouse comes up.
        await press(page, "Shift")
    count = format_count(len(selected["text"]), "character")
    return f"{count} of a secret" if selected["secret"] else f"{quote_text(selected['text'], 80)} ({count})"


PASTE_IN_TERMINALS = "Shift+Insert"
"""Terminals (xterm.js 6) paste by this: they take Control+V as a control character."""
_locks: "WeakKeyDictionary[object, asyncio.Lock]" = WeakKeyDictionary()
"""Browser → lock: Chromium has one clipboard, and no command may paste another's data."""


async def copy(page: PageCommand) -> str:
    """Copy the selected text. Return it. Raises ActionFailed if nothing is selected."""
    async with _clipboard_lock(page):
        _, report = await _press_clipboard_keys(page, "copy", "ControlOrMeta+c")
    if report is None or not (report["text"] or report["handled"]):
        raise ActionFailed(
            "Nothing was copied: nothing is selected",
            "Select something: select-text <target>, or press Control+A. Chromium copies nothing from a password field",
        )
    return report["text"]


class PasteResult(NamedTuple):
    """`receiver`: ref or description of the element, "" for the page. `problem`: why nothing shows, or ""."""

    receiver: str
    problem: str


async def paste(page: PageCommand, text: str | None, markup: str) -> PasteResult:
    """Paste text and markup (HTML) into the focused element; with neither, what was copied last.

    A given text is in Chromium's clipboard only during the paste, and never if the context has a clipboard of its own.
    """
    async with _clipboard_lock(page):
        if await text_input.uses_context_clipboard(page):
            frame, report = await text_input.paste(page, text, markup)
        else:
            frame, report = await _paste_by_keys(page, text, markup)
        page_settling.watch_written_field(page.tab, frame)
    if report is None:
        return PasteResult("", "" if page.tab.is_interrupted else "nothing has heard of it")
    name = await _name_receiver(page, frame, report)
    if report["changed"] or report["handled"]:
        return PasteResult(name, "")
    if report["editable"]:
        return PasteResult(name, "its content did not change")
    return PasteResult(name, "it takes no text, and the page did nothing with it")


@asynccontextmanager
async def _clipboard_lock(page: PageCommand) -> AsyncIterator[None]:
    """Hold the lock of Chromium's only clipboard within this context."""
    async with _locks.setdefault(page.context.running, asyncio.Lock()):
        yield


async def _paste_by_keys(
    page: PageCommand, text: str | None, markup: str
) -> tuple[Frame, ClipboardEventReport | None]:
    """Paste from Chromium's clipboard by keys, after writing `text` and `markup` there if given.

    Return the frame that got the `paste` event, and its report (None: no frame got one).
    """
    is_given = text is not None or bool(markup)
    if is_given:
        await text_input.write_clipboard(page, text or "", markup)
    reached = await _press_clipboard_keys(page, "paste", "ControlOrMeta+v")
    if is_given:  # pages may be allowed to read the clipboard
        with suppress(ActionFailed, FrameGone, PageScriptError, ProtocolError):
            await await_unless_interrupted(page, text_input.write_clipboard(page, "", ""))
    return reached


async def _press_clipboard_keys(
    page: PageCommand, event: str, key: str
) -> tuple[Frame, ClipboardEventReport | None]:
    """Press `key` to "copy" or "paste" (`event`). Return the frame that got the event, and its report.

    The report is None if no frame got the event. In a terminal that takes Control+V as a character, another chord pastes.
    """
    frames = page.tab.page.frames[: text_input.MOST_FRAMES]
    is_terminal = await _watch_clipboard_event(page, frames, event)
    keys = (PASTE_IN_TERMINALS, key) if event == "paste" and is_terminal else (key,)
    for pressed in keys:
        if pressed != keys[0]:
            await _watch_clipboard_event(page, frames, event)
        await press(page, pressed)
        for frame in frames:
            if report := await await_unless_interrupted(
                page, text_input.ask_or_none(page, frame, "takeClipboardReport")
            ):
                return frame, report
    return page.frame, None


async def _watch_clipboard_event(page: PageCommand, frames: Sequence[Frame], event: str) -> bool:
    """Make frames record the next "copy" or "paste". Return whether a terminal (xterm.js) has the focus."""
    return any(
        await asyncio.gather(
            *(text_input.ask_or_none(page, frame, "watchClipboard", event) for frame in frames)
        )
    )


async def _name_receiver(page: PageCommand, frame: Frame, report: ClipboardEventReport) -> str:
    """Return the ref of the element that got a paste event, or its description; "" for the page itself."""
    if not report["description"]:
        return ""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        (ref,) = await page.tab.refs.refs_of(frame, [report["id"]])
        return ref or report["description"]
    return report["description"]
