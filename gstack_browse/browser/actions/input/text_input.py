"""Replace the content of a field, and paste from a clipboard that belongs to one browser context.

Chromium has one clipboard for all contexts. While several have pages, each keeps what it has copied in `session.clipboard`.
"""

import asyncio
import json
from contextlib import suppress
from typing import Any

from gstack_browse.browser.actions.input import prepared_input
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.reach import wait_until_back
from gstack_browse.browser.actions.readiness import WAIT_SECONDS, read_name
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import ClipboardEventReport
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, send
from gstack_browse.errors import ActionFailed, TimedOut

LEAST_SECONDS = 0.5
"""Least time limit for a page to handle the input."""


async def put_text(element: Element, name: str, value: str) -> None:
    """Replace the content of a field by `value`.

    `name`: the field's name in messages; "" to ask the page for it. Raises Disappeared if the field was removed, ActionFailed if
    its type refuses the value, and TimedOut if the page is too busy.
    """
    page = element.page
    while (answer := await element.ask("beginFill", value)) is None:
        if not await wait_until_back(element):
            raise failures.element_gone_error(name or element.target)
    if answer == "refused":
        raise ActionFailed(
            f"{name or await read_name(element)} does not take that value", failures.SEE_ELEMENTS
        )
    if answer == "set":
        return
    seconds = min(max(page.wait_seconds(WAIT_SECONDS), LEAST_SECONDS), page.remaining())
    keyboard = page.keyboard
    try:
        async with asyncio.timeout(seconds):
            await page.tab.work.run_until_dialog(
                keyboard.insert_text(value) if value else keyboard.press("Delete")
            )
    except TimeoutError:
        # the page is too busy to be asked for a name
        raise TimedOut(
            f"{name or element.target} did not take the text in time, and may hold a part of it",
            failures.SEE_ELEMENTS,
        ) from None
    except ProtocolError as error:
        raise failures.translate(error) from None


MOST_FRAMES = 100
_CONTROL, _SHIFT, _ALT = frozenset({"Control", "ControlOrMeta", "Meta"}), "Shift", "Alt"
_KEYS = {
    "v": {"key": "v", "code": "KeyV", "keyCode": 86, "ctrlKey": True},
    "insert": {"key": "Insert", "code": "Insert", "keyCode": 45, "shiftKey": True},
}
"""Last key of each chord that pastes → its fields in events."""


async def uses_context_clipboard(page: PageCommand) -> bool:
    """Return whether a paste takes the clipboard of the browser context, and not Chromium's.

    Once no other context has pages, the context's data moves to Chromium's clipboard, which is used again.
    """
    clipboard = page.context.clipboard
    if not clipboard.is_separate:
        return False
    if not clipboard.is_alone:
        return True
    try:
        await clipboard.use_chromium_clipboard(
            lambda: write_clipboard(page, clipboard.text or "", clipboard.markup)
        )
    except (ActionFailed, FrameGone, PageScriptError, ProtocolError):
        return True  # this page cannot write to the clipboard
    return clipboard.is_separate


async def paste(page: PageCommand, text: str | None, markup: str) -> tuple[Frame, ClipboardEventReport | None]:
    """Dispatch a `paste` event with text and markup (HTML); without both, with the context's clipboard.

    Return the frame that got it, and its report (None if the document was replaced meanwhile). Raises ActionFailed if there is
    nothing to paste.
    """
    if text is None and not markup:
        clipboard = page.context.clipboard
        text, markup = clipboard.text, clipboard.markup
        if not (text or markup):
            raise _no_clipboard_error(is_long=text is None)
    return await _paste(page, text or "", markup, None)


async def press_paste_keys(page: PageCommand, key: str) -> None:
    """Dispatch the keys of a pasting chord (Control+v), then a `paste` event with the context's clipboard.

    The page gets no `paste` event if it prevents the default action of the keys.
    """
    clipboard = page.context.clipboard
    last = key.rpartition("+")[2]
    event = {**_KEYS[last.lower().removeprefix("key")], "shiftKey": _SHIFT in _active_modifiers(page, key)}
    await _paste(page, clipboard.text or "", clipboard.markup, event)


def is_paste(page: PageCommand, key: str) -> bool:
    """Return whether Chromium pastes when this key or chord is pressed together with the held keys."""
    modifiers, last = _active_modifiers(page, key), key.rpartition("+")[2].lower().removeprefix("key")
    if _ALT in modifiers:
        return False
    return (last == "v" and bool(modifiers & _CONTROL)) or (last == "insert" and _SHIFT in modifiers)


def refuse_held_paste(page: PageCommand, text: str) -> None:
    """Raise ActionFailed if held keys (Control) would turn the typing of `text` into a paste.

    Only while the context has its own clipboard: the paste would take Chromium's.
    """
    if page.context.clipboard.is_separate and any(is_paste(page, character) for character in set(text)):
        held = page.tab.held.keys
        raise ActionFailed(f"{' and '.join(held)} held down: typing a v would paste", f"keyup {held[-1]}")


def _active_modifiers(page: PageCommand, chord: str) -> set[str]:
    """Return the modifiers in a chord such as Control+a, and those that `keydown` holds down."""
    held = {name.removesuffix("Left").removesuffix("Right") for name in page.tab.held.keys}
    return held | set(chord.split("+")[:-1])


def _no_clipboard_error(*, is_long: bool) -> ActionFailed:
    """Return the error for a paste in a context that has no copied text.

    `is_long`: a text was copied, but is too long to be kept.
    """
    if is_long:
        return ActionFailed(
            "What was copied is longer than 1,000,000 characters", "Give paste the text: paste -"
        )
    return ActionFailed(
        "Nothing was copied in this context since another one has had pages",
        "Copy it again: 'copy', or the page's Copy button. Pictures are not pasted",
    )


async def _paste(
    page: PageCommand, text: str, markup: str, event: dict[str, Any] | None
) -> tuple[Frame, ClipboardEventReport | None]:
    """Dispatch a `paste` event in the focused frame, or in the main frame if none has the focus.

    Return the frame and its report; None instead of a report if the document was replaced meanwhile. `event`:
    fields of the key event to dispatch before, None for a paste without keys.
    """
    frames = page.tab.page.frames[:MOST_FRAMES]
    has_focus = await asyncio.gather(*(ask_or_none(page, frame, "hasFocus") for frame in frames))
    frame = next((frame for frame, has in zip(frames, has_focus, strict=True) if has), page.tab.page.main_frame)
    with suppress(FrameGone):
        only = await page.world.frames.context_of(frame)  # never repeat it in the next document
        pasting = page.world.call(
            "pasteWithoutClipboard", text, markup, event, frame=frame, as_user=True, only=only
        )
        return frame, await page.tab.work.run_until_dialog(
            prepared_input.await_unless_interrupted(page, pasting)
        )
    return frame, None


async def write_clipboard(page: PageCommand, text: str, markup: str) -> None:
    """Write text and markup (HTML) to Chromium's clipboard by a script in the page. Raises ActionFailed."""
    context = await page.world.frames.context_of(page.tab.page.main_frame)
    await page.world.call("hasFocus")  # loads the engine
    answer = await send(
        context,
        "Runtime.evaluate",
        expression=f"__gbrowse.writeClipboard({json.dumps(text)},{json.dumps(markup)})",
        uniqueContextId=context.id,
        returnByValue=True,
        userGesture=True,
    )
    if answer.get("value") is not True:
        raise ActionFailed(
            "Chromium did not take the text into its clipboard", "Use 'type --into <target> <text>'"
        )


async def ask_or_none(page: PageCommand, frame: Frame, function: str, *arguments: str) -> Any:
    """Call the engine's function named `function` in a frame. Return its result; None if that fails."""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        return await page.world.call(function, *arguments, frame=frame)
    return None
