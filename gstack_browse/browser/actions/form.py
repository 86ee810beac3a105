"""Fill several fields: locate all first, fill one after the other, verify that they keep their values."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from gstack_browse.browser.actions import upload
from gstack_browse.browser.actions.input.field_settling import normalise_value
from gstack_browse.browser.actions.lists import choosing
from gstack_browse.browser.actions.locate.find import (
    Element,
    PipelinedCall,
    add_hint,
    ask_about,
    ask_about_each,
    ask_elements,
)
from gstack_browse.browser.actions.pointer import checking
from gstack_browse.browser.actions.readiness import LOOK_AGAIN_SECONDS, SEVERAL_SECONDS, WAIT_SECONDS
from gstack_browse.browser.actions.text import filling
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine.answer_types import FieldContent, FieldKind
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import (
    ActionFailed,
    BrowseError,
    ManyMatches,
    NoMatch,
    NotInteractable,
    PageReplaced,
    RefError,
    TargetError,
    UsageError,
)
from gstack_browse.registry.values.targets import Files, FormField, FormFields, StoredSecret
from gstack_browse.text.sanitise import quote_text
from gstack_browse.text.units import format_count

NAVIGATED = "the page has navigated"

FieldWithKind = tuple[Element, FieldKind]


class Secrets(Protocol):
    """Source of stored secrets. Both methods raise Refused for a field outside of the secret's origin."""

    async def check_usable(self, name: str, target: str, element: Element) -> None:
        """Raise ActionFailed if there is no secret `name`, and Refused if the element must not get it."""

    async def reveal(self, name: str, target: str, element: Element) -> str:
        """Return the secret `name` for a field. Raises Refused if the element must not get it."""


async def fill(page: PageCommand, fields: FormFields, secrets: Secrets) -> list[str]:
    """Fill the fields of a form. Return remarks for the reply, such as how the page changed a value.

    Raises an error before any field is filled if one of them is missing or cannot take its value, and afterwards one that
    lists the fields that did not take their values.
    """
    kinds = await _find_fields(page, [field.target for field in fields])
    pairs = zip(fields, kinds, strict=True)
    fields.lists = frozenset(
        field.target for field, (_, kind_of_field) in pairs if kind_of_field["kind"] in ("select", "list")
    )
    for field, (element, kind_of_field) in zip(fields, kinds, strict=True):
        _check_value_fits(field, kind_of_field)
        if isinstance(field.value, StoredSecret):
            try:
                await secrets.check_usable(field.value.name, field.target, element)
            except BrowseError as error:
                raise _nothing_filled_error(error) from None
    _check_no_duplicates(fields, kinds)
    page.document = await page.world.frames.context_of(page.frame)
    return await _Filling(page, fields, [kind_of_field for _, kind_of_field in kinds], secrets).run()


# finding


async def _find_fields(page: PageCommand, targets: Sequence[str]) -> list[FieldWithKind]:
    """Locate the field of each target. Return each element with its kind of field. Waits for missing ones."""
    begun, give_up = page.now(), page.give_up_time(WAIT_SECONDS)
    found: dict[str, FieldWithKind] = {}
    while True:
        missing = [target for target in targets if target not in found]
        kinds = await ask_about_each(page, missing, "findFieldToFill")
        answers = await asyncio.gather(
            *(
                _resolve_field(page, target, kind_of_field)
                for target, kind_of_field in zip(missing, kinds, strict=True)
            ),
            return_exceptions=True,
        )
        failures = dict[str, BrowseError]()
        for target, answer in zip(missing, answers, strict=True):
            if isinstance(answer, BrowseError):
                failures[target] = answer
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[target] = answer
        if not failures:
            return [found[target] for target in targets]
        for target, error in failures.items():
            is_final = isinstance(error, ManyMatches) and page.now() >= begun + SEVERAL_SECONDS
            if is_final or page.now() >= give_up or not isinstance(error, TargetError):
                raise _nothing_filled_error(
                    await add_hint(page, target, error) if isinstance(error, TargetError) else error
                )
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _resolve_field(page: PageCommand, target: str, call: PipelinedCall) -> FieldWithKind:
    """Locate a form field, by the reply of `call` if it has one. Return its element and its kind of field.

    Raises NoMatch.
    """
    page.pipelined_call = call
    try:
        element, kind_of_field = await ask_about(page, target, "findFieldToFill", with_hint=False)
    except FrameGone:
        raise NoMatch("The page was replaced meanwhile") from None
    if kind_of_field is None:
        raise NoMatch("The element disappeared")
    return element, kind_of_field


def _nothing_filled_error(error: BrowseError) -> BrowseError:
    """Return an error like `error` with "nothing was filled" added to its message."""
    return type(error)(f"{error.message}; nothing was filled", error.hint)


def _check_value_fits(field: FormField, kind_of_field: FieldKind) -> None:
    """Raise NotInteractable if a field of this kind can never take the value that the form gives it."""
    kind, value, text = kind_of_field["kind"], field.value, kind_of_field["text"]
    wrong = ""
    if isinstance(value, Files):
        return  # any element that opens a file chooser may get files
    if kind == "":
        wrong = f"{text} is no field"
    elif isinstance(value, StoredSecret):
        wrong = "" if kind == "text" else f"{text} takes no secret"
    elif isinstance(value, bool):
        wrong = "" if kind in ("check", "radio") else f"{text} takes no true or false"
        if kind == "radio" and not value:
            wrong = f"{text} is a radio button, which is unchecked by checking another"
    elif kind == "file":
        wrong = f'{text} takes a file: {{"file": "…"}}'
    elif kind == "check":
        wrong = f"{text} takes true or false"
    elif isinstance(value, tuple) and kind not in ("select", "list"):
        wrong = f"{text} takes one value, no list"
    if wrong:
        raise NotInteractable(f"{wrong}; nothing was filled", f"Correct the value of {field.target}")


def _check_no_duplicates(fields: Sequence[FormField], kinds: Sequence[FieldWithKind]) -> None:
    """Raise UsageError if two of the targets match the same field."""
    met: dict[tuple[object, int], str] = {}
    for field, (element, kind_of_field) in zip(fields, kinds, strict=True):
        key = (element.frame, kind_of_field["id"] or element.node)
        if key in met:
            raise UsageError(f"{met[key]} and {field.target} are the same field; nothing was filled")
        met[key] = field.target


# filling


class _Filling:
    """Fills the fields of a form one after the other, and keeps what was written, remarks and failures."""

    def __init__(
        self,
        page: PageCommand,
        fields: Sequence[FormField],
        kinds: Sequence[FieldKind],
        secrets: Secrets,
    ) -> None:
        self._page = page
        self._secrets = secrets
        self._fields = fields
        self._kinds = kinds
        self._remarks: list[str] = []
        self._failed: list[tuple[list[str], BrowseError]] = []
        self._written: dict[str, tuple[Element, str]] = {}
        """Target → the field written into, and its content right after that."""
        self._documents = page.tab.requests.documents

    async def run(self) -> list[str]:
        """Fill the fields in their order, then verify them. Return remarks for the reply.

        A field that fails does not keep the later ones from being filled, unless the page was replaced. The failures are raised
        at the end, as one error.
        """
        for number, (field, kind_of_field) in enumerate(zip(self._fields, self._kinds, strict=True)):
            if number and self._stop_if_page_left(number):
                break
            try:
                await self._fill_field(field, kind_of_field, self._make_call_ahead(number + 1))
            except (TargetError, RefError, PageReplaced) as error:
                if number and self._stop_if_page_left(number, has_gone=isinstance(error, PageReplaced)):
                    break
                self._failed.append(([field.target], error))
            except ActionFailed as error:
                self._failed.append(([field.target], error))
        if not self._describe_interruption():
            await self._verify_earlier_fields()
        if self._failed:
            raise self._make_error()
        return self._remarks

    def _stop_if_page_left(self, number: int, *, has_gone: bool = False) -> bool:
        """Return whether a navigation or dialog prevents filling the fields from index `number` on.

        If so, note all of these as failed. `has_gone`: the page is known to have navigated.
        """
        if not (why := self._describe_interruption() or (NAVIGATED if has_gone else "")):
            return False
        left = [field.target for field in self._fields[number:]]
        self._failed.append((left, ActionFailed(f"not filled, {why}", "Look at the page: snapshot -i")))
        return True

    def _describe_interruption(self) -> str:
        """Return why the remaining fields cannot be filled: an open dialog or a navigation; "" if they can."""
        tab = self._page.tab
        if tab.open_dialog is not None:
            return "a dialog is open"
        return NAVIGATED if tab.requests.documents != self._documents or tab.requests.is_navigating else ""

    def _make_call_ahead(self, number: int) -> PipelinedCall | None:
        """Return the first call for the field with index `number`, to be sent along with the field before.

        None unless it is a text field.
        """
        if number >= len(self._fields) or self._kinds[number]["kind"] != "text":
            return None
        field = self._fields[number]
        return filling.make_pipelined_call(field.target, field.value) if isinstance(field.value, str) else None

    async def _fill_field(
        self, field: FormField, kind_of_field: FieldKind, next_call: PipelinedCall | None
    ) -> None:
        """Fill, check, select or upload, according to the type of the field's value.

        `next_call`: the first call for the next field, sent along.
        """
        page, target, value = self._page, field.target, field.value
        if isinstance(value, bool):
            await checking.check(page, target, wanted=value)
        elif isinstance(value, Files):
            await upload.upload(page, target, value.paths)
        elif isinstance(value, StoredSecret):
            await self._fill_secret(target, value.name)
        elif isinstance(value, tuple):
            await choosing.select(page, target, value)
        elif not await self._try_to_select(target, value, kind_of_field):
            await self._fill_text(target, value, next_call)

    async def _try_to_select(self, target: str, value: str, kind_of_field: FieldKind) -> bool:
        """Select the option `value` in a list. Return False if the field is no list.

        Also for a list that takes any text and has no such option.
        """
        if kind_of_field["kind"] not in ("select", "list") or (kind_of_field["takesText"] and not value):
            return False
        try:
            await choosing.select(self._page, target, [value])
        except NoMatch:
            if not kind_of_field["takesText"]:
                raise
            return False
        return True

    async def _fill_text(self, target: str, value: str, next_call: PipelinedCall | None) -> None:
        """Fill a text field, add a remark if the page changed the value, and remember it to verify it later.

        `next_call`: the first call for the next field, sent along.
        """
        field, became = await filling.fill(self._page, target, value, next_call)
        if became:
            self._remarks.append(f"{target}: {became.remark}")
        self._written[target] = field, became.holds if became else value

    async def _fill_secret(self, target: str, name: str) -> None:
        """Fill a field with the secret `name`. Add a remark if the page changed the value, without quoting it."""
        reveal = partial(self._secrets.reveal, name, target)
        field, became = await filling.fill_secret(self._page, target, reveal)
        if became:
            self._remarks.append(f"{target}: the page changed it")
        (held,) = await ask_elements([field], "readNativeTextField")
        if held:
            self._written[target] = field, held["value"]

    async def _verify_earlier_fields(self) -> None:
        """Read all written fields again, and note those that the page has emptied or changed since.

        A page may empty one field when another changes.
        """
        written = list(self._written.items())
        contents: list[FieldContent | None] = await ask_elements(
            [field for _, (field, _) in written], "readNativeTextField"
        )
        kept = {field.target for field in self._fields if isinstance(field.value, StoredSecret)}
        for (target, (field, expected)), held in zip(written, contents, strict=True):
            if held is None or normalise_value(held["value"]).strip() == normalise_value(expected).strip():
                continue
            with suppress(FrameGone, ProtocolError):
                await field.ask("forgetBlurredField")
            if expected and not held["value"]:
                self._failed.append(
                    ([target], ActionFailed("the page has emptied it since", "Fill it by itself"))
                )
            elif target in kept:
                self._remarks.append(f"{target}: the page has changed it since")
            elif not held["secret"]:
                self._remarks.append(f"{target}: the page has made it {quote_text(held['value'], 80)} since")

    def _make_error(self) -> BrowseError:
        """Return one error for the failed fields: type and hint of the first, and a message on each of them."""
        left = sum(len(targets) for targets, _ in self._failed)
        problems = "; ".join(f"{', '.join(targets)}: {error.message}" for targets, error in self._failed)
        first = self._failed[0][1]
        done = f"Filled {len(self._fields) - left} of {format_count(len(self._fields), 'field')}"
        return type(first)(f"{done}. {problems}", first.hint)
