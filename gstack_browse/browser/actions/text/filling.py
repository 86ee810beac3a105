"""Fill a field, also with a secret: wait until it is ready, write the value, and read it back.

Raises TargetError with the reason if a field cannot be filled in time, ActionFailed if it did not take the value. A secret reaches no
document but that of the field that its source was asked about.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from gstack_browse.browser.actions.input import field_settling, keyboard, prepared_input, presses, text_input
from gstack_browse.browser.actions.input.field_settling import ShownValueCounter, WrittenField, normalise_value
from gstack_browse.browser.actions.lists import widgets
from gstack_browse.browser.actions.locate.find import Element, PipelinedCall, locate_first
from gstack_browse.browser.actions.readiness import EDIT, ElementReport, load_name, wait_until_ready
from gstack_browse.browser.actions.text import sliders, writing
from gstack_browse.browser.actions.text.writing import LONG_TEXT
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine import click_listeners, failures
from gstack_browse.browser.engine.answer_types import FieldContent, Filled, WriteStart
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.errors import ActionFailed, NotInteractable, TargetError
from gstack_browse.text.sanitise import quote_text

_request_ids = itertools.count(1)


class BulkTextInput:
    """Writes a text into a field in one piece, without keys, if the page has no key listeners."""

    def __init__(self, page: PageCommand, target: str, value: str) -> None:
        self._page = page
        self._document = _document_of(page, target)
        is_answered = page.pipelined_call is not None and page.pipelined_call.reply
        """Whether the look was made ahead, and has prepared the field for keys."""
        is_short = 0 < len(value) <= LONG_TEXT and not field_settling.ends_with_separator(value)
        is_due = self.has_no_key_listeners and is_short and not is_answered
        self._request_id = str(next(_request_ids)) if is_due else ""
        self.prepared = ("whole", self._request_id, value) if is_due else ()
        """What the look at the field is to prepare; () if keys are to be pressed."""
        self._writing: asyncio.Future[Filled | None] | None = None
        self.held: Filled | None = None
        """What the field holds once it is written; None if the page navigates, or a dialog is open."""

    @property
    def has_no_key_listeners(self) -> bool:
        """Return whether the page had no key listeners when they were last listed; False if they were not yet."""
        return self._document is not None and self._document.hears_keys is False

    def begin(self) -> None:
        """Ask whether the page has key listeners, and have it write the text as soon as the field is ready.

        Both are sent together with the call that finds the field, to save round trips.
        """
        if self._document and (self.prepared or self._document.hears_keys is None):
            self._page.context.background.start(click_listeners.detect_key_listeners(self._document))
        if self.prepared:
            written = self._page.world.call("writePreparedText", self._request_id, as_user=True)
            self._writing = asyncio.ensure_future(written)
            self._writing.add_done_callback(consume_exception)

    async def wait_until_written(self) -> bool:
        """Wait until the page has written the text. Return False if it did not, or if it has key listeners.

        Then the text is to be typed key by key.
        """
        if self._writing is None:
            return False
        held = await prepared_input.await_unless_interrupted(self._page, self._writing)
        if held is None:
            return not self._writing.done()
        if not self.has_no_key_listeners:
            return False
        self._page.note_turn_ended()
        self.held = held
        return True

    def cancel(self) -> None:
        """Stop waiting for the page to write the text."""
        if self._writing:
            self._writing.cancel()


def _document_of(page: PageCommand, target: str) -> ExecutionContext | None:
    """Return the document that a target is in, if only the page's scripts can listen there; else None.

    None also if the document is not known yet, or if extensions or another program may listen for keys, too.
    """
    running = page.context.running
    if running.is_shared or running.params.settings.extensions:
        return None
    return page.world.frames.known_context(None if target.startswith("@") else page.frame)


DRAW_SECONDS = 1.0
"""Seconds for an editor to draw its new text."""
LOOK_AGAIN_SECONDS = 0.02


async def fill_editor(element: Element, value: str) -> FieldContent | None:
    """Replace all text of a code editor by keys. Return its content then; None if it has gone.

    An editor draws only a part of a long text. If what it draws is a part of `value`, `value` counts as its content.
    """
    await element.ask("focusWidget")
    page, keyboard = element.page, element.page.keyboard
    await keyboard.press("ControlOrMeta+a")
    await (keyboard.insert_text(value) if value else keyboard.press("Delete"))
    budget = PollBudget(page, page.give_up_time(DRAW_SECONDS))
    while True:
        held: FieldContent | None = await element.ask("readFieldContent")
        if held is None or normalise_value(held["value"]) == normalise_value(value):
            return held
        if budget.is_exhausted():
            return {**held, "value": value} if _is_part(held["value"], value) else held
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


def _is_part(drawn: str, value: str) -> bool:
    """Return whether the text that an editor draws is some of the lines of `value`, but not all of them."""
    shown, lines = normalise_value(drawn).split("\n"), normalise_value(value).split("\n")
    return 0 < len(shown) < len(lines) and normalise_value(drawn).strip("\n") in normalise_value(value)


@dataclass(frozen=True)
class NormalisedValue:
    """A value that the page has changed: the field's content, and a remark on that for the reply."""

    holds: str
    remark: str


class FillResult(NamedTuple):
    """The field that got the value, and what the page made of the value (None: unchanged)."""

    field: Element
    changed: NormalisedValue | None


FORMS = {
    "date": "Write a date as 2026-12-31",
    "time": "Write a time as 23:59",
    "datetime-local": "Write date and time as 2026-12-31T23:59",
    "month": "Write a month as 2026-12",
    "week": "Write a week as 2026-W53",
    "number": "Write a number as 42 or -3.5",
    "range": "Write a number within its limits",
    "color": "Write a color as #a1b2c3",
}
"""Input type → hint on the form of its values: in another form they are dropped or changed."""


async def fill(
    page: PageCommand, target: str, value: str, next_call: PipelinedCall | None = None
) -> FillResult:
    """Fill a field and read it back. Return it, and what the page made of the value (None: unchanged).

    `next_call`: result of `make_pipelined_call` for the next field, to send in the same round trip.
    """
    text = BulkTextInput(page, target, value)
    typed = writing.make_text_preparation(value)
    looking = asyncio.ensure_future(wait_until_ready(page, target, EDIT, *(text.prepared or typed)))
    text.begin()
    before: FieldContent | None = None
    try:
        element, report = await looking
        page_settling.watch_written_field(page.tab, element.frame)
        if text.prepared:
            before = report.prepared and report.prepared["before"]
            if report.prepared and await text.wait_until_written() and not _replacement_field(text.held):
                return await _read_written_field(WrittenField(element, report, value, before), text.held)
            if not _replacement_field(report.prepared) and not _replacement_field(text.held):
                element, report = await wait_until_ready(page, target, EDIT, *typed)
        if report.is_in_popup and await _focus_by_press(element, report):
            element, report = await wait_until_ready(page, target, EDIT, *typed)
    except NotInteractable as refused:
        refused.hint = await _suggest_drag(page, target) or refused.hint
        raise
    finally:
        looking.cancel()
        text.cancel()
    page.pipelined_call = None if text.has_no_key_listeners else next_call
    if replacement := _replacement_field(report.prepared) or _replacement_field(text.held):
        return await _write_into_replacement(element, replacement, value)
    return await _write(element, report, value, before)


def _replacement_field(content: WriteStart | FieldContent | None) -> int:
    """Return the node id of the field that replaced the filled one when that got the focus; 0 for none.

    `content`: the engine's answer. Kendo's NumericTextBox shows its number in one field and is typed into through another.
    """
    replacement: Any = content.get("replacement") if content else 0
    return int(replacement or 0)


async def _write_into_replacement(element: Element, replacement: int, value: str) -> FillResult:
    """Write `value` into the field that replaced `element`. Return it, and what the page made of `value`.

    `replacement`: the field's node id.
    """
    field = element.with_node(replacement)
    report = ElementReport(await field.ask("probeElement", "edit", *writing.make_text_preparation(value)))
    return await _write(field, report, value, None, may_be_replaced=False)


async def _focus_by_press(element: Element, report: ElementReport) -> bool:
    """Focus a field in a popup by a press. Return False if the pointer cannot reach it.

    A popup closes when the field outside of it loses the focus without a press in the popup (air-datepicker 3.6).
    """
    if not report.in_view or report.cover or report.label:
        return False
    with suppress(TargetError, ActionFailed):
        await presses.press(element.page, element, report)
        return True
    return False


async def _suggest_drag(page: PageCommand, target: str) -> str:
    """Return a hint to drag a slider's handles, since it cannot be filled; "" if the target has none."""
    with suppress(TargetError, FrameGone, PageScriptError):
        element = await locate_first(page, target)
        handles = await page.tab.refs.refs_of(element.frame, await element.ask("findHandlesFor"))
        if handles:
            others = f" (or {', '.join(handles[1:])})" if handles[1:] else ""
            return f"Drag one of the slider's handles to the right or left: drag {handles[0]} 20,0{others}"
    return ""


def make_pipelined_call(target: str, value: str) -> PipelinedCall:
    """Return the first call that `fill` will make for a target, to be sent along with an earlier action."""
    return PipelinedCall(target, "probeElement", ("edit", *writing.make_text_preparation(value)))


async def _write(
    element: Element,
    report: ElementReport,
    value: str,
    before: FieldContent | None,
    *,
    may_be_replaced: bool = True,
) -> FillResult:
    """Write the value as fits the kind of field. Return the field, and what the page made of the value.

    `before`: what the field held before any attempt, if known. `may_be_replaced`: write into another field if the page replaces
    this one.
    """
    if report.fill == "terminal":
        raise NotInteractable(
            f"{report.name} takes keys and keeps no text",
            "Use 'type --into <target> <text>', and 'press Enter'",
        )
    if report.fill in ("steps", "part"):
        stands = await sliders.fill(element, report.name, value, is_part=report.fill == "part")
        return FillResult(element, _describe_changed_value(stands) if stands else None)
    if report.fill == "choice":
        await widgets.choose_radio(element, report.name, value)
        return FillResult(element, None)
    if report.fill == "keys":
        field = WrittenField(element, report, value, await element.ask("readFieldContent"))
        field.held = await fill_editor(element, value)
        return FillResult(element, await verify_value(field))
    begun: WriteStart | None = report.prepared
    if not begun and value and report.type in FORMS and not await element.ask("acceptsValue", value):
        is_named = report.type == "range" and (await element.ask("readSliderPosition"))["text"]
        if is_named:  # by `aria-valuetext`, as in Streamlit
            await sliders.fill(element, report.name, value)
            return FillResult(element, None)
        raise ActionFailed(f"{report.name} does not take that value", FORMS[report.type])
    before = before or (begun["before"] if begun else await element.ask("readFieldContent"))
    shown = ShownValueCounter(element, value)
    if field_settling.ends_with_separator(value):
        await shown.remember_counts()
    if begun:
        content = await writing.complete_text(element, value, begun)
        if may_be_replaced and (replacement := _replacement_field(content)):
            return await _write_into_replacement(element, replacement, value)
    else:
        content = await writing.replace_text(element, report, value, before)
    return await _read_written_field(WrittenField(element, report, value, before), content, shown)


async def _read_written_field(
    field: WrittenField, content: FieldContent | None, shown: ShownValueCounter | None = None
) -> FillResult:
    """Read a field until it shows the value, else rewrite. Return it, and what the page made of the value.

    `content`: what it held right after writing. `shown`: how often the page showed the value before writing, if that was counted.
    """
    field.held = content
    shown = shown or ShownValueCounter(field.element, field.value)
    is_one_of_several = field_settling.ends_with_separator(field.value)
    if is_one_of_several and field.is_emptied and await shown.are_values_shown():
        return FillResult(field.element, NormalisedValue("", "the page has taken the text out of the field"))
    if not await field.read(content):
        if field.holds_only_part_of_value and await field.element.ask("isSpreadOverFields", field.value):
            holds = field.held["value"] if field.held else ""
            return FillResult(
                field.element,
                NormalisedValue(holds, "the page has spread it over this field and the next ones"),
            )
        is_elsewhere = field.is_emptied and (is_one_of_several or await shown.are_values_shown())
        if not is_elsewhere:
            await writing.retry_text(field)
    return FillResult(field.element, await verify_value(field))


def _describe_changed_value(holds: str) -> NormalisedValue:
    """Return a field's content `holds` with a remark for the reply: `the page made it "1,000"`.

    For a value that the page has accepted in another form; not an error.
    """
    return NormalisedValue(holds, f"the page made it {quote_text(holds, 80)}")


def _describe_changed_secret(holds: str, wanted: str) -> NormalisedValue:
    """Return the content of a field that hides it, with a remark that does not tell it."""
    is_cut = wanted.startswith(holds)
    cut = f"the page kept the first {len(holds)} of {len(wanted)} characters"
    return NormalisedValue(holds, cut if is_cut else "the page changed it")


async def verify_value(field: WrittenField) -> NormalisedValue | None:
    """Return what the page has made of the value written into a field; None if it is unchanged or unknown.

    Raises ActionFailed if the field did not take the value: it holds nothing, or what it held before, which is neither the value in the
    page's form nor its beginning.
    """
    before, after = field.before, field.held
    if after is None:
        if not field.element.page.tab.is_interrupted:
            return NormalisedValue("", "the page has taken the field away since: what it holds cannot be read")
        return None
    if after["value"] == field.value:
        return None
    holds, wanted = normalise_value(after["value"]), normalise_value(field.value)
    if holds == wanted or (wanted and holds.strip() == wanted.strip()):
        return None
    if field.report.fill == "set" and holds == await field.read_parsed_value():
        return _describe_changed_value(holds)
    if not after["secret"] and field_settling.is_same_number(holds, wanted):
        return _describe_changed_value(holds)
    is_as_before = before is not None and holds == normalise_value(before["value"])
    # A page that cuts a value holds the same the second time.
    may_be_taken = field_settling.has_same_characters(holds, wanted) or wanted.startswith(holds)
    if (is_as_before and not may_be_taken) or (wanted and not holds):
        raise ActionFailed(
            f"{await load_name(field.element, field.report)} did not take the value"
            + (f" and still reads {quote_text(holds, 60)}" if holds and not after["secret"] else ""),
            "The page may reject it: look at the field's type, pattern and limits with 'attrs'",
        )
    return _describe_changed_secret(holds, wanted) if after["secret"] else _describe_changed_value(holds)


Reveal = Callable[[Element], Awaitable[str]]
"""Returns the secret for a field; raises for a field that must not get it."""


async def fill_secret(page: PageCommand, target: str, reveal: Reveal) -> FillResult:
    """Fill a field with the secret from `reveal`. Return the field, and what the page made of the value.

    The secret reaches no document but that of the element that `reveal` was called with: it is written by the node's id, which
    means nothing in another document.
    """
    element, report = await wait_until_ready(page, target, EDIT)
    _require_text_field(report)
    value = await reveal(element)
    await element.ask("excludeFromReports")
    before = await element.ask("readFieldContent")
    field = field_settling.WrittenField(element, report, value, before)
    await field.read(await writing.replace_text(element, report, value))
    return FillResult(field.element, await verify_value(field))


async def type_secret(
    page: PageCommand, target: str, reveal: Reveal, *, clear: bool = False, pause: float = 0.0
) -> str:
    """Type a field's secret after its content, or replace that (`clear`). Return a remark, or "".

    The remark says why the secret may not have arrived. `reveal`: returns the secret. A page may move the focus on, as from digit
    to digit of a code, but only within the document of the field: before each key the document is asked whether it gets the key.
    """
    element, report = await wait_until_ready(page, target, EDIT)
    _require_text_field(report)
    value = await reveal(element)
    await element.ask("excludeFromReports")
    await keyboard.place_caret(page, element, report, clear=clear)
    before: FieldContent | None = await element.ask("readFieldContent")
    for character in value:
        if not await element.ask("getsKeys"):
            raise ActionFailed(
                f"The focus left the document of {target}: the rest of the secret was not typed",
                "Look at the page: snapshot -i",
            )
        text_input.refuse_held_paste(page, character)
        await keyboard.send_keys(page, page.keyboard.type(character, pause=pause))
        if page.tab.open_dialog:
            raise ActionFailed(
                "A dialog opened meanwhile: the rest of the secret was not typed", "Answer it first"
            )
    after: FieldContent | None = await prepared_input.ask_after_action(page, element.ask("readFieldContent"))
    return f"the value of {report.name} did not change" if before and after == before else ""


def _require_text_field(report: ElementReport) -> None:
    """Raise NotInteractable unless the element is a text field."""
    if report.fill not in ("text", "rich", "value"):
        raise NotInteractable(f"{report.name} takes no secret: it is no text field", failures.SEE_ELEMENTS)
