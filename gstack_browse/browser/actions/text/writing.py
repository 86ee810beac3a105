"""Write text into fields: insert all but the last character at once, and press the key of that one.

A field that may collect keys itself (`collectsKeys` in scripts/actions/prepared-input.js) gets the key of every
character of a short text. A page that listens for keys hears of the text by that press, as it does from a
person. A press that would reach anything but the field is blocked in the isolated world (see `guardKeys` in
scripts/actions/prepared-input.js); then the value is set as a whole.
"""

import asyncio
from contextlib import suppress

from gstack_browse.browser.actions.input import keyboard
from gstack_browse.browser.actions.input import prepared_input as dispatch
from gstack_browse.browser.actions.input.field_settling import (
    WrittenField,
    find_replacement_field,
    normalise_value,
)
from gstack_browse.browser.actions.input.text_input import put_text
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import ElementReport, load_name
from gstack_browse.browser.actions.text import sliders
from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import FieldContent, Filled, WriteStart
from gstack_browse.errors import ActionFailed, Disappeared, NotInteractable, TimedOut

MOST_TRIES = 3
SELECTED_SECONDS = (0.05, 0.2)
"""Seconds for an editor to notice its selection, at the first and at the second try."""
SEE_FOCUS = "Click it, and 'type' the text"
LONG_TEXT = 2_000
"""Characters; Chromium needs seconds to insert a thousand lines as a person would."""


def make_text_preparation(value: str) -> tuple[str, ...]:
    """Return the arguments `prepare` of `wait_until_ready` that let the page insert a text at once.

    It is ("text", `value`, the part to insert, "each key" or ""), for `prepareText` in scripts/actions/prepared-input.js;
    `complete_text` types the rest. "each key": every character has a key. () for a long text, which is not prepared.
    """
    if len(value) > LONG_TEXT:
        return ()
    return (
        "text",
        value,
        keys.split_for_typing(value)[0],
        "each key" if keys.can_press_each_key(value) else "",
    )


async def complete_text(element: Element, value: str, begun: WriteStart) -> FieldContent | None:
    """Press the keys that complete a text that `prepareText` began. Return the field's content.

    That is the content of the new field if the page has replaced it. Without the focus the value is set in one piece, since keys
    would go to another field.
    """
    if not begun["focused"]:
        return await _set_value(element, value)
    press = keys.make_key_presses(value) if begun["eachKey"] else keys.split_for_typing(value)[1]
    content = await dispatch.press_keys(element, press, value)
    if content and content["replacement"]:
        return content
    if content and content["gone"] and content["missed"]:
        return await _rewrite_into_replacement(element, value)
    if content and (
        content["missed"] or _holds_only_last_key(content, value) or _has_extra_last_key(content, value)
    ):
        return await _set_value(element, value)
    return content


async def _rewrite_into_replacement(element: Element, value: str) -> FieldContent | None:
    """Write a text into the field that replaced `element` before the text's last key. Return its content."""
    field = await find_replacement_field(element)
    if field:
        return await _set_value(field, value)
    if element.page.tab.is_interrupted:
        return None
    raise ActionFailed(
        "The page replaced the field while it was filled, and may lack the last character",
        failures.SEE_ELEMENTS,
    )


def _holds_only_last_key(content: FieldContent, value: str) -> bool:
    """Return whether a field holds only the last character: the page emptied it before that key."""
    return len(value) > 1 and content["value"] == value[-1:]


def _has_extra_last_key(content: FieldContent, value: str) -> bool:
    """Return whether a field has the last character twice: the page had inserted it at `keydown` already."""
    return value != "" and content["value"] == value + value[-1]


def _lacks_last_key(held: FieldContent, value: str) -> bool:
    """Return whether a field holds all but the last character: the page redrew it before that key."""
    return len(value) > 1 and normalise_value(held["value"]) == normalise_value(value)[:-1]


async def _set_value(element: Element, value: str) -> FieldContent | None:
    """Set a field's value by script, without keys. Return its content then."""
    await element.ask("setFieldValue", value)
    return await dispatch.read_content(element)


async def replace_text(
    element: Element, report: ElementReport, value: str, before: FieldContent | None = None
) -> FieldContent | None:
    """Replace a field's content by `value`, in the first of several ways that works. Return the content.

    `before`: what it held, if known.
    """
    if report.fill == "text" and len(value) > LONG_TEXT:
        return await _set_value(element, value)
    beginning, press = keys.split_for_typing(value)
    if report.collects_keys and (each := keys.make_key_presses(value)):
        beginning, press = "", each
    if report.fill == "rich" and beginning and before and "\n" in before["value"]:
        held = await _empty_then_insert(element, beginning, press)
        if held and _holds_text(held, value):
            return held
    if report.fill in ("text", "rich"):
        element = await _write_text(element, report, beginning)
        held = await _press_keys(element, beginning, press)
        is_taken = held and (report.fill == "text" or _holds_text(held, value))
        if held and is_taken and not _holds_only_last_key(held, value):
            return held
    if report.type == "range" and (held := await _step_slider_by_key(element, report, value)):
        return held
    if (other := await find_replacement_field(element)) and other.node != element.node:
        drawn = WrittenField(other, report, beginning, before)
        await drawn.read()
        element = drawn.element
    return await dispatch.read_content(await _write_text(element, report, value))


async def _write_text(element: Element, report: ElementReport, value: str) -> Element:
    """Write a text into a field, or into the one that has replaced it. Return the field that got it."""
    for _ in range(MOST_TRIES):
        try:
            await _put_text_into(element, report, value)
        except Disappeared:
            other = await find_replacement_field(element)
            if other is None or other.node == element.node:
                raise
            element = other
        else:
            return element
    raise failures.element_gone_error(await load_name(element, report))


async def _put_text_into(element: Element, report: ElementReport, value: str) -> None:
    """Replace a field's content by a text, which must not reach another field.

    If the page moves the focus away from a rich text editor meanwhile, the text is blocked, and written again.
    """
    if report.fill != "rich":
        await put_text(element, report.name, value)
        return
    for _ in range(MOST_TRIES):
        await element.ask("guardNextText")
        await put_text(element, report.name, value)
        if not await element.ask("removeKeyGuard"):
            return
    raise ActionFailed(
        f"The page moved the focus elsewhere as {await load_name(element, report)} was filled", SEE_FOCUS
    )


async def retry_text(field: WrittenField) -> None:
    """Write the value again into a field that does not show it: key by key, then in one piece.

    A masked field may take only keys (Inputmask), a field in several parts only a whole text (MUI X), and one that the page
    replaces loses keys. If the field holds a part of the text after the keys, the page takes no more, and the rest is not tried.
    """
    element, report, value = field.element, field.report, field.value
    if report.fill == "rich" and not value:
        await _empty_with_pauses(field)
    if report.fill == "rich" and field.held and _lacks_last_key(field.held, value):
        await _put_text_into(element, report, value)
        await field.read(await dispatch.read_content(element))
    if report.fill == "set":  # a page may draw it anew as the field before it loses the focus (SurveyJS 2)
        await _put_text_into(element, report, value)
        await field.read(await dispatch.read_content(element))
    if report.fill != "text" or not keys.can_press_each_key(value):
        return
    await load_name(element, report)
    if not field.is_replaced:
        if await field.read(await _fill_by_keys(field)):
            return
        if field.is_emptied and field.before:  # the field hears no key
            field.held = await _set_value(field.element, field.before["value"])
            return
        if field.holds_only_part_of_value:
            return
        element = field.element
    await put_text(element, report.name, value)
    await field.read(await dispatch.read_content(element))


async def _fill_by_keys(field: WrittenField) -> FieldContent | None:
    """Empty a field, and press a key for each character of its value. Return its content afterwards.

    None if the field is gone.
    """
    element = field.element
    await put_text(element, field.report.name, "")
    emptied = await dispatch.read_content(element)
    if emptied and emptied == field.held:
        emptied = await _set_value(element, "")  # the page takes no Delete
    if emptied and emptied["value"]:
        await element.ask("focusAtEnd", True)  # the page's own text is left (jqWidgets): keys replace it
    return await _press_keys(element, "", keys.make_key_presses(field.value)) or await dispatch.read_content(
        element
    )


async def _empty_then_insert(element: Element, beginning: str, press: list[keys.Event]) -> FieldContent | None:
    """Empty a rich text editor by keys, insert `beginning`, press the keys `press`. Return its content.

    None if keys empty only a part of it. Needed by editors that keep their text themselves: they may notice the removal of
    several paragraphs only by a key, and a new text only by the one paragraph that has changed. Seen in MediaWiki's VisualEditor.
    """
    if not await _empty_by_keys(element):
        return None
    held: FieldContent | None = await element.ask("readFieldContent")
    if held is None or held["value"].strip() or not await element.ask("guardNextKeys", "", 1):
        return None
    await keyboard.send_keys(element.page, element.page.keyboard.insert_text(beginning))
    return await _press_keys(element, beginning, press)


async def _empty_by_keys(element: Element, pause: float = 0) -> bool:
    """Select all text of an editor and delete it, with a pause (seconds) after each key.

    Returns False if the keys would not get there, or would select more than the element.
    """
    attributes = await element.ask("readAttributes")
    if attributes.get("contenteditable", "false") in ("false", "inherit"):
        return False  # a part of an editor
    await element.ask("focusWidget")
    for key in ("ControlOrMeta+a", "Delete"):
        if not await element.ask("guardNextKeys", "", 1):
            return False
        await keyboard.send_keys(element.page, element.page.keyboard.press(key))
        await asyncio.sleep(pause)
    return True


async def _empty_with_pauses(field: WrittenField) -> None:
    """Empty an editor that notices a selection late (Lexical): pause before the key that deletes it."""
    for pause in SELECTED_SECONDS:
        if not await _empty_by_keys(field.element, pause) or await field.read():
            return


async def _step_slider_by_key(element: Element, report: ElementReport, value: str) -> FieldContent | None:
    """Set a range input one step short of a value, and press a key for the step. Return its content.

    Many pages take a value only by a key. If a page keeps a value of its own, from which the key went on, all steps are made by
    keys. None if the slider is not at the value then.
    """
    way = await element.ask("prepareRangeStep", value)
    content = await _press_and_read(element, "", keys.make_press(way["key"])) if way else None
    if content is None or content["missed"] or content["value"] == way["from"]:
        return None
    if content["gone"] or content["value"] == way["wanted"]:
        return content
    late = WrittenField(element, report, way["wanted"], None)
    if await late.read(content):  # another key would add to the value that the page puts in late
        return late.held
    with suppress(ActionFailed, NotInteractable, TimedOut):
        if not await sliders.fill(element, await load_name(element, report), way["wanted"]):
            return await dispatch.read_content(element)
    return None


async def _press_keys(element: Element, beginning: str, press: list[keys.Event]) -> FieldContent | None:
    """Insert `beginning` in a field, and press keys. Return its content; None if it did not get them."""
    content = await _press_and_read(element, beginning, press)
    return None if content is None or content["missed"] or content["gone"] else content


async def _press_and_read(element: Element, beginning: str, press: list[keys.Event]) -> Filled | None:
    """Insert `beginning` in a field, and press keys that can reach no other field. Return its content.

    None if the field does not have the focus, or the page navigates. `press`: key events, `keydown` and `keyup` in turn.
    """
    if not await element.ask("guardNextKeys", beginning, len(press) // 2):
        return None
    try:
        return await dispatch.press_keys(element, press)
    except ProtocolError as error:
        raise failures.translate(error) from None


def _holds_text(held: FieldContent, value: str) -> bool:
    """Return whether a field contains the text, apart from the form of spaces and line breaks."""
    return normalise_value(held["value"]) == normalise_value(value)
