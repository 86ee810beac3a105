"""Select options of a `<select>` or of an equivalent widget, and verify that the page keeps them.

Raises TargetError with the reason if a list cannot be used in time, ActionFailed if the page kept something else.
"""

import asyncio
import itertools
from collections.abc import Sequence
from contextlib import suppress

from gstack_browse.browser.actions import readiness
from gstack_browse.browser.actions.input import field_settling, prepared_input
from gstack_browse.browser.actions.lists import plain_lists, widgets
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import (
    CHOOSE,
    LOOK_AGAIN_SECONDS,
    WAIT_SECONDS,
    ElementReport,
    load_name,
    wait_until_ready,
)
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine.answer_types import Choice, Chosen, Listing, Option, OptionMatches
from gstack_browse.errors import ActionFailed, BrowseError, ManyMatches, NoMatch, NotInteractable, TargetError
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short

_request_ids = itertools.count(1)
_MOST_AVAILABLE = 30
_MOST_NAMED = 10
"""Options that the message about an ambiguous word lists."""
OPTION_SECONDS = 1.0
"""How long an option that is not in a list may take to appear in it."""
STEP_SECONDS = 1.0
"""How long a native list may take to follow the widget that replaces it."""


async def select(page: PageCommand, target: str, wanted: Sequence[str]) -> list[str]:
    """Select options of a `<select>` or of an equivalent widget by label or value. Return their labels.

    Raises TargetError with the available options if one is missing.
    """
    request_id = str(next(_request_ids))
    looking = asyncio.ensure_future(wait_until_ready(page, target, CHOOSE, "choice", request_id, *wanted))
    choosing = prepared_input.choose_prepared_option(page, target, request_id)
    try:
        element, report = await looking
        choice: Choice | None = report.prepared
        if choice and choice["indices"] is not None:
            chosen: Chosen | None = await prepared_input.await_unless_interrupted(page, choosing)
            if chosen:
                page.note_turn_ended()
            if chosen or not choosing.done():
                return await _check_selection(
                    element, choice["options"], choice["indices"], chosen["after"] if chosen else None
                )
        return await _select_step_by_step(element, report, wanted)
    finally:
        looking.cancel()
        choosing.cancel()


async def _select_step_by_step(element: Element, report: ElementReport, wanted: Sequence[str]) -> list[str]:
    """Select options that the page could not select in the call that found the list. Return their labels."""
    await load_name(element, report)
    if report.select_node or report.list_node:
        return await _select_by_option(element, report, wanted)
    listing: Listing | None = report.prepared
    if listing is None:
        if report.fill and (around := await element.ask("findComboboxAround")):
            element = element.with_node(around)
        name = report.name
        box = await widgets.recognise(element, name, len(wanted)) or await plain_lists.recognise(element, name)
        if box:
            labels = await _choose_each(box, wanted)
            if report.native_node:
                await _check_native_list(element.with_node(report.native_node), labels)
            return labels
        is_list = report.tag == "select"
        what = "is hidden, and nothing beside it stands for it" if is_list else "is not a <select>"
        raise NotInteractable(f"{name} {what}", "Open it with 'click' and choose with 'snapshot -i'")
    return await _select_in_list(element, report.name, listing, wanted)


async def _choose_each(box: widgets.Widget | plain_lists.PlainDropdown, wanted: Sequence[str]) -> list[str]:
    """Choose options of a list that the page has built, by label, and close the list. Return the labels.

    Raises BrowseError for the first that fails; its message names those that were chosen before.
    """
    labels: list[str] = []
    try:
        for wanted_label in wanted:
            labels.append(await box.choose(wanted_label))
    except BrowseError as error:
        if labels:
            error.message += f" (chosen before: {', '.join(quote_text(label, 40) for label in labels)})"
        with suppress(ProtocolError, BrowseError):  # the page has gone
            await box.close_after_failure()
        raise
    await box.close(labels)
    return labels


async def _check_native_list(hidden: Element, labels: Sequence[str]) -> None:
    """Verify that the hidden `<select>` behind a widget has selected the labels chosen in the widget.

    Raises ActionFailed if it has these options, and others are still selected after STEP_SECONDS.
    """
    budget = PollBudget(hidden.page, hidden.page.give_up_time(STEP_SECONDS))
    while listing := await hidden.ask("listOptions"):
        selected = [option["label"] for option in listing["options"] if option["selected"]]
        held = {one_line(label, 80).casefold() for label in selected}
        known = {one_line(option["label"], 80).casefold() for option in listing["options"]}
        wanted = {label.casefold() for label in labels}
        if wanted <= held or not wanted <= known:
            return
        if budget.is_exhausted():
            shown = ", ".join(quote_text(label, 40) for label in selected)
            raise ActionFailed(
                f"{hidden.target} holds {shown}: what stands beside it took the choice, and the list did not",
                "Look at the page: snapshot -i",
            )
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _select_by_option(element: Element, report: ElementReport, wanted: Sequence[str]) -> list[str]:
    """Select options in the list of the targeted `<option>`. Return their labels.

    If that option alone is wanted, other selected options of a multiple list stay selected.
    """
    box = element.with_node(report.select_node or report.list_node)
    listing: Listing = await box.ask("listOptions", *wanted)
    if len(wanted) == 1 and await element.ask("findOptionIndex") in listing["matches"][0]["indices"]:
        return [await choose_option(element, report)]
    return await _select_in_list(box, f"The list of {report.name}", listing, wanted)


async def _select_in_list(element: Element, name: str, listing: Listing, wanted: Sequence[str]) -> list[str]:
    """Select the options that `wanted` names, by label or value. Return their labels.

    `name`: the list's name in messages. `listing`: its options, as the page has reported them. Raises NotInteractable for several
    options in a list that takes one.
    """
    listing, indices = await _find_options(element, listing, wanted)
    if len(indices) > 1 and not listing["multiple"]:
        raise NotInteractable(f"{name} takes one option, not {len(indices)}", "Name one value or label")
    after = await prepared_input.select_options(element, indices)
    return await _check_selection(element, listing["options"], indices, after)


async def _find_options(element: Element, listing: Listing, wanted: Sequence[str]) -> tuple[Listing, list[int]]:
    """Wait for the wanted options (labels or values) of a list. Return (its options, the wanted indices).

    Raises a TargetError if they do not come in time.
    """
    loading = len(listing["options"]) <= 1
    page = element.page
    budget = PollBudget(page, page.give_up_time(WAIT_SECONDS if loading else OPTION_SECONDS))
    while True:
        is_last = budget.is_exhausted()
        try:
            return listing, [
                _find_option(element.target, listing["options"], wanted_label, matching, may_be_part=is_last)
                for wanted_label, matching in zip(wanted, listing["matches"], strict=True)
            ]
        except TargetError:
            if is_last:
                raise
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
        listing = await element.ask("listOptions", *wanted) or listing


def _find_option(
    target: str, options: list[Option], wanted_label: str, matching: OptionMatches, *, may_be_part: bool
) -> int:
    """Return the index of the only option with that label or value; else raise a TargetError.

    `target`: of the list, for messages. `matching`: the options that match by the page's answer. `may_be_part`: accept also an
    option with `wanted_label` as a part of its label.
    """
    found = [options[place] for place in matching["indices"]]
    quoted = quote_text(wanted_label, 60)
    if not found or (matching["isPart"] and not may_be_part):
        raise NoMatch(f"There is no option {quoted}", _hint_available(options))
    if len(found) > 1:
        lines = [
            f"  {_labelled_with_group(option)} (value {quote_unless_short(option['value'], 40)})"
            for option in found[:_MOST_NAMED]
        ]
        more = [f"  … and {len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
        hint = "\n".join(["Use the label with its group, or the value:", *lines, *more])
        raise ManyMatches(f"{quoted} means {len(found)} options of {target}", hint)
    if found[0]["disabled"]:
        raise NotInteractable(
            f"The option {quote_text(found[0]['label'], 60)} is disabled", _hint_available(options)
        )
    return matching["indices"][0]


def _labelled_with_group(option: Option) -> str:
    """Return an option's label with that of its group, quoted: "Fruit / Other"."""
    steps = [option["group"], option["label"]] if option["group"] else [option["label"]]
    return quote_text(" / ".join(one_line(step, 40) for step in steps))


def _hint_available(options: list[Option]) -> str:
    """Return a hint that lists the labels of the enabled options."""
    enabled = [option for option in options if not option["disabled"]]
    return readiness.list_available(enabled[:_MOST_AVAILABLE], len(enabled))


async def _check_selection(
    element: Element, before: list[Option], indices: list[int], after: Listing | None
) -> list[str]:
    """Wait until the page shows the options at these indices as selected, and return their labels.

    `before`: the options before the choice. `after`: the list right after it, None if the page has replaced it. Raises
    ActionFailed if the page did not keep the choice.
    """
    labels = [before[index]["label"] or before[index]["value"] for index in indices]
    wanted = {before[index]["label"] for index in indices}
    after = await field_settling.wait_until_selected(element, after, wanted)
    if after is not None and field_settling.selected_labels(after) != wanted:
        now = [option for option in after["options"] if option["selected"]]
        held = ", ".join(quote_unless_short(option["label"], 40) for option in now) or "nothing"
        # A menu that goes back to its first option, such as "Add filter…", has done what was chosen.
        raise ActionFailed(
            f"The page did not keep the selection: {held} is selected",
            "It may have acted on the choice all the same: look at 'snapshot -iD' before choosing again",
        )
    return labels


async def choose_option(element: Element, report: ElementReport) -> str:
    """Select the `<option>` element in its list. Return its label.

    In a multiple list, selected options stay selected.
    """
    box = element.with_node(report.select_node or report.list_node)
    index = await element.ask("findOptionIndex")
    listing: Listing = await box.ask("listOptions")
    options = listing["options"]
    if options[index]["disabled"]:
        raise NotInteractable(f"{report.name} is disabled", _hint_available(options))
    kept = {at for at, option in enumerate(options) if option["selected"] and listing["multiple"]}
    indices = sorted({*kept, index})
    after = await prepared_input.select_options(box, indices)
    return (await _check_selection(box, options, indices, after))[-1]
