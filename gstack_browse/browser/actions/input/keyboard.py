"""Press keys and type text, into a field or into the focused element."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gstack_browse.browser.actions.input import prepared_input, text_input
from gstack_browse.browser.actions.input.mouse import Mouse, page_left_error
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import EDIT, ElementReport, wait_until_ready
from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import FieldContent, Focused
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import ActionFailed, BrowseError, UsageError
from gstack_browse.registry.values.measures import shift_character
from gstack_browse.text.sanitise import element_name, one_line, quote_text

TRIES = 3
"""Most tries to send one key that Chromium drops. Of a text some characters may have come."""
_SUBMITS = ("Enter", "Space", " ")
"""How a key or chord ends that sends a form: in a field, on its button or, with Control, by a page's script."""


async def submit(page: PageCommand, field: Element) -> str:
    """Press Enter in a field. Return a remark if the form was evidently not sent; else "".

    It is not sent if Enter added a line to the field, or the browser found an invalid field in the form.
    """
    await field.ask("focusWidget")
    before: FieldContent | None = await field.ask("readFieldContent")
    await field.ask("watchInvalidFields")
    await press(page, "Enter")
    page.request_turn_end()  # the turn that is known to have ended is that of the writing
    after: FieldContent | None = await prepared_input.ask_after_action(page, field.ask("readFieldContent"))
    if refused := await _read_invalid_field_remark(page, field.frame):
        return refused
    is_line = before and after and after["value"].count("\n") > before["value"].count("\n")
    return "Enter added a line: this field does not submit by Enter" if is_line else ""


def describe_invalid_field(field_and_reason: str) -> str:
    """Return the remark that the browser did not send a form because it rejects one of its fields."""
    return f"the browser does not accept {one_line(field_and_reason, 200)}"


async def _read_invalid_field_remark(page: PageCommand, frame: Frame | None) -> str:
    """Return the remark that a form was not sent because of an invalid field; "" without such a field.

    Counts what was found in that frame since the engine's `watchInvalidFields` was called there.
    """
    field = await prepared_input.ask_after_action(page, page.world.call("takeShownInvalidField", frame=frame))
    return describe_invalid_field(field) if field else ""


async def type_into(
    page: PageCommand, target: str, text: str, *, clear: bool = False, pause: float = 0.0
) -> str:
    """Type after a field's content, or replace it (`clear`). Return why the text may not have arrived.

    Returns "" if it has. `pause`: seconds between two keys.
    """
    element, report = await wait_until_ready(page, target, EDIT)
    await place_caret(page, element, report, clear=clear)
    remark = await type_text(page, text, frame=element.frame, pause=pause)
    if not remark and await prepared_input.ask_after_action(page, element.ask("isOtherRecord")):
        return "another record is in its place since: a part of it may be there"
    return remark


async def place_caret(page: PageCommand, element: Element, report: ElementReport, *, clear: bool) -> None:
    """Focus a field, with the caret at the end of its content. `clear`: delete the content first.

    Raises ActionFailed if the page moves the focus to another element: keys would go there.
    """
    await element.ask("focusAtEnd", clear)
    focused: Focused = await element.ask("describeFocused")
    if focused["elsewhere"]:
        raise ActionFailed(
            f"{element_name(focused['text'])} got the focus instead of {element.target}: nothing was typed",
            "'type <text>' without --into types where the focus is",
        )
    if report.fill == "keys":  # the focused field does not hold the editor's text
        await press(page, "ControlOrMeta+a" if clear else "ControlOrMeta+End")
    if clear:
        await press(page, "Delete")


async def type_text(page: PageCommand, text: str, *, frame: Frame | None = None, pause: float = 0.0) -> str:
    """Type `text` into the focused element of a frame. Return why it may not have arrived; "" if it has.

    For example `nothing has the focus: the page got the keys`. `frame`: None for the frame that the command works in. `pause`:
    seconds between two keys.
    """
    text_input.refuse_held_paste(page, text)
    document = page.tab.document
    focused: Focused = await page.world.call("describeFocused", frame=frame or page.frame)
    page_settling.watch_written_field(page.tab, frame or page.frame)

    def send() -> Awaitable[None]:
        return _type_slowly(page, text, pause) if pause else send_keys(page, page.keyboard.type(text))

    await _send_verified(page, send, frame or page.frame, has_key=any(map(keys.can_type, text)))
    if page.tab.open_dialog:
        return "the rest is typed once the dialog is answered"
    if not focused["text"]:
        return "nothing has the focus: the page got the keys"
    name = element_name(focused["text"])
    if focused["readonly"]:
        return f"{name} has the focus, and is read-only"
    if focused["textless"]:
        return f"{name} has the focus, and takes no text: the page got the keys"
    if focused["id"] and text.strip("\r\n\t"):
        with suppress(FrameGone):  # the page navigated: the observer reports it
            now = await prepared_input.await_unless_interrupted(
                page, page.world.call("readFieldContent", focused["id"], frame=frame or page.frame)
            )
            if not page.tab.is_interrupted and page.tab.document == document:
                return _describe_missing_text(name, focused["content"], now, text)
    return ""


def _describe_missing_text(name: str, before: str, now: FieldContent | None, text: str) -> str:
    """Return a remark if a field, called `name`, evidently did not take all of a typed text; else "".

    `before`: its content before typing; `now`: after it, None if it has gone. A page may format what is typed, so letters and digits
    count. Enter and Tab may send a form or leave the field, so a text with them is only looked for if nothing has changed.
    """
    if now and now["value"] == before:
        return f"the value of {name} did not change"
    if any(key in text for key in "\r\n\t"):
        return ""
    if now is None:
        return f"the page removed {name} meanwhile"
    held = iter(now["value"].casefold())
    if all(character in held for character in text.casefold() if character.isalnum()):
        return ""
    holds = f"holds {quote_text(now['value'], 80)}" if not now["secret"] else "does not hold all of it"
    return f"{name} {holds}"


async def _type_slowly(page: PageCommand, text: str, pause: float) -> None:
    """Type key by key, with `pause` seconds after each. Raises ActionFailed if the page navigates.

    If a dialog opens, the rest is typed in the background once it is answered.
    """
    document = page.tab.document
    for at, character in enumerate(text):
        if page.tab.document != document:
            raise page_left_error()
        await send_keys(page, page.keyboard.type(character))
        if page.tab.open_dialog:
            page.context.background.start(_type_rest(page, text[at + 1 :], pause))
            return
        await asyncio.sleep(pause)


async def _type_rest(page: PageCommand, text: str, pause: float) -> None:
    """Type the rest of a text once the open dialog has ended. `pause`: seconds after each character."""
    tab, keyboard = page.tab, page.keyboard
    with suppress(ProtocolError):  # the tab is gone
        for character in text:
            await tab.wait_until(lambda: tab.open_dialog is None)
            await keyboard.type(character)
            await asyncio.sleep(pause)


async def press(page: PageCommand, key: str) -> None:
    """Press and release a key or chord such as `Control+a`. A character that no key types is inserted.

    Raises ActionFailed if Chromium keeps the key from the page.
    """
    if text_input.is_paste(page, key) and await text_input.uses_context_clipboard(page):
        await text_input.press_paste_keys(page, key)
        return
    keyboard = page.keyboard
    if any(held.startswith("Shift") for held in page.tab.held.keys):
        key = shift_character(key)  # the keyboard types a character as it is written
    has_key = len(key) > 1 or key.isascii() or keys.can_type(key)

    def send() -> Awaitable[None]:
        return send_keys(page, keyboard.press(key) if has_key else keyboard.insert_text(key))

    await _send_verified(page, send, page.frame, has_key=has_key, tries=TRIES)


async def _send_verified(
    page: PageCommand, send: Callable[[], Awaitable[None]], frame: Frame, *, has_key: bool, tries: int = 1
) -> None:
    """Call `send`, which sends keys, and verify that the frame's document got a `keydown` event.

    It is called only after the events were counted: a coroutine made before would never run if that fails. It is called `tries` times
    if Chromium drops the keys, as it does while a window of the page opens by itself. Raises ActionFailed if Chromium did not pass
    them on to the page. Verifies nothing if another frame has the focus, or the text has no keys (`has_key=False`).
    """
    before = await _count_keydowns(page, frame) if has_key else None
    for _ in range(tries):
        await send()
        if not before or before != await _count_keydowns(page, frame):
            return
    may_have_person = page.context.running.may_have_person
    raise failures.input_blocked_error("No key was heard", may_have_person=may_have_person)


async def _count_keydowns(page: PageCommand, frame: Frame) -> list[float] | None:
    """Return [when the frame's document was created, its `keydown` events so far]; None without the focus.

    If two results are equal, the document is still the same, and has got no key in between.
    """
    counts: list[float] | None = await prepared_input.ask_after_action(
        page, page.world.call("countKeydowns", frame=frame)
    )
    return counts


async def press_key(page: PageCommand, key: str) -> str:
    """Press a key or chord. Return a remark on what else it did; "" for nothing.

    That is a drag that ended, a full screen that was left, or an invalid field.
    """
    if key == "Escape" and page.tab.held.drag_data is not None:
        await Mouse(page).cancel_drag()  # pages hear no keys during a drag
        return "the drag is cancelled"
    if not key.endswith(_SUBMITS):
        await press(page, key)
        return await _leave_fullscreen(page) if key == "Escape" else ""
    frame = page.frame
    with suppress(FrameGone, ProtocolError):  # the key goes to the focused element all the same
        await page.world.call("watchInvalidFields", 0, frame=frame)
    await press(page, key)
    return await _read_invalid_field_remark(page, frame)


async def _leave_fullscreen(page: PageCommand) -> str:
    """Have the page leave the full screen, as a window does at Escape. Return a remark if it was in one."""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        if await prepared_input.ask_after_action(page, page.world.call("leaveFullscreen")):
            return "left the full screen"
    return ""


async def key_down(page: PageCommand, key: str) -> None:
    """Press a key and keep it down. Raises UsageError for a chord."""
    _refuse_chord(key)
    keyboard = page.keyboard
    keyboard.require(key)
    held = page.tab.held.keys
    is_new = key not in held
    if text_input.is_paste(page, key) and await text_input.uses_context_clipboard(page):
        await text_input.press_paste_keys(page, key)
        return

    def send() -> Awaitable[None]:
        if is_new and key not in held:
            held.append(key)  # it is down even if the page does not answer in time
        return send_keys(page, keyboard.down(key, is_repeated=not is_new))

    try:
        await _send_verified(page, send, page.frame, has_key=True, tries=TRIES)
    except BrowseError:
        if is_new and key in held:
            held.remove(key)
        raise


async def key_up(page: PageCommand, key: str) -> bool:
    """Release a key. Returns False if it was not down."""
    _refuse_chord(key)
    held, keyboard = page.tab.held, page.keyboard
    keyboard.require(key)
    was_down = key in held.keys
    if was_down:
        held.keys.remove(key)
    await send_keys(page, keyboard.up(key))
    return was_down


def _refuse_chord(key: str) -> None:
    """Raise UsageError if the argument is a chord (keys joined by "+"): only single keys are held down."""
    if "+" in key[1:]:
        raise UsageError("One key at a time is held down", "For a chord use 'press', or several 'keydown'")


async def release_all(page: PageCommand) -> list[str]:
    """Release all keys and mouse buttons that earlier commands hold down in a tab. Return their names."""
    held = page.tab.held
    released = list(held.keys)
    for key in released:
        await key_up(page, key)
    button = held.button
    if button:
        Mouse(page).release_at_start()
    return [*released, *([f"the {button} mouse button"] if button else [])]


async def send_keys(page: PageCommand, pressing: Awaitable[None]) -> None:
    """Await a call of `page.keyboard`, or return when a dialog opens. Raises BrowseError."""
    try:
        await page.tab.work.run_until_dialog(pressing)
    except ProtocolError as error:
        raise failures.translate(error) from None
