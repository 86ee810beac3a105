"""Choose from lists that pages build, and verify the choice. `widget_list` works the list itself."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gstack_browse.browser.actions.input import field_settling
from gstack_browse.browser.actions.input.text_input import put_text
from gstack_browse.browser.actions.lists.widget_list import (
    KEYS,
    LOADING_SECONDS,
    LOOK_AGAIN_SECONDS,
    OPENING_SECONDS,
    WidgetList,
)
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import (
    describe_other_selected,
    list_available,
    not_kept_error,
    option_label,
    unconfirmed_choice_error,
)
from gstack_browse.browser.command.page import PollBudget
from gstack_browse.browser.engine.answer_types import ChoiceOutcome, FoundOption
from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable
from gstack_browse.text.sanitise import one_line, quote_text

SEE_WHAT_CAME = "See what came of it before you try again: snapshot -iD"
LEAST_PRESSES = 2
"""Least number of tries to press an option: a list that is drawn anew has another element for it."""
TAKING_SECONDS = 1.5
"""Seconds for a widget to show the choice."""


async def recognise(element: Element, name: str, count: int) -> "Widget | None":
    """Return the ARIA widget that an element is, or None. `name`: its name in messages.

    In a widget that takes several options, earlier choices stay. Raises NotInteractable if it takes one, and `count` are to be
    chosen.
    """
    description = await element.ask("describeWidget")
    if description is None:
        return None
    if count > 1 and description["single"]:
        raise NotInteractable(f"{name} takes one option, not {count}", "Name one label")
    return Widget(element, name, description)


async def choose_radio(element: Element, name: str, value: str) -> None:
    """Choose the radio button with this number or label in a group, such as "4" of five stars.

    `element`, `name`: the group, and its name in messages. Raises NotInteractable, with the available ones, if no button has it.
    """
    widget = Widget(element, name, await element.ask("describeWidget"))
    as_number = value.strip().replace(".", "", 1).isdigit()
    listing = await widget.list_options(value, as_number=as_number)
    if not listing["found"]:
        hint = (
            list_available(listing["options"], listing["total"])
            if listing["total"] > 1
            else "Use 'click <target>'"
        )
        raise NotInteractable(f"{name} cannot be filled with that: no choice has that name or number", hint)
    await widget.press_option(listing["found"], value)


class Widget(WidgetList):
    """An ARIA widget with a list, while options of it are being chosen."""

    def __init__(self, element: Element, name: str, description: dict[str, Any]) -> None:
        super().__init__(element, name, description)
        self._shown: list[str] = []
        """Labels that the widget showed right after they were chosen."""

    async def choose(self, wanted_label: str) -> str:
        """Choose the option with this label, unless it is chosen already. Return its label for the reply.

        Raises a TargetError with the available options if it is missing, ActionFailed if the widget does not take it.
        """
        self.before = before = await self.read_outcome([wanted_label])
        if (
            self.description["suggests"]
            and (suggested := await self._fill_by_suggestion(wanted_label)) is not None
        ):
            return suggested
        if self.description["opens"]:
            if before["ownMatch"] and not before["open"]:
                return one_line(wanted_label, 80)  # it is chosen already
            await self.open(wanted_label)
        try:
            option = await self.find(wanted_label)
        except NoMatch:
            takes_several = self.takes_several or (await self.list_options(""))["multiple"]
            if before["exactMatch"] and takes_several:
                await self.restore_typed_text()
                return one_line(wanted_label, 80)  # it is chosen already: such a list offers only the others
            raise
        if option["disabled"]:
            listing = await self.list_options("")
            hint = list_available(listing["options"], listing["total"])
            raise NotInteractable(f'The option "{option_label(option, wanted_label)}" is disabled', hint)
        await self.press_option(option, wanted_label)
        label = option_label(option, wanted_label)
        if (await self.read_outcome([label]))["exactMatch"]:
            self._shown.append(label)
        return label

    async def press_option(self, option: FoundOption, wanted_label: str) -> None:
        """Press a visible option and wait until the widget shows it as chosen, else raise ActionFailed."""
        node = option["id"]
        before = self.before or await self.read_outcome(option["labels"])
        if self.takes_several and option["chosen"] and (before["exactMatch"] or not option["active"]):
            return
        budget = PollBudget(self._page, self._page.now() + LOADING_SECONDS, LEAST_PRESSES)
        while not await self.press(node):
            if self._shows_choice(option, before, await self.read_outcome(option["labels"], node)):
                return  # a busy page heard of the press late
            if budget.is_exhausted():
                raise ActionFailed(
                    f'The option "{option_label(option, wanted_label)}" could not be pressed', KEYS
                )
            node = (await self._find_option_again(wanted_label) or option)["id"]
        await self._wait_until_chosen(option, wanted_label, node, before)

    async def _find_option_again(self, wanted_label: str) -> FoundOption | None:
        """Return an option's present element, after the page has redrawn, scrolled or closed the list.

        A closed list is opened again. None if the option is missing.
        """
        listing = await self.list_options(wanted_label)
        if listing["found"] or not self.description["opens"]:
            return listing["found"]
        if listing["open"]:
            with suppress(NoMatch):
                return await self.find(wanted_label)
            return None
        await self.open(wanted_label)
        return await self.find(wanted_label)

    async def _wait_until_chosen(
        self, option: FoundOption, wanted_label: str, node: int, before: ChoiceOutcome
    ) -> None:
        """Wait until the widget shows a pressed option as chosen. Raises ActionFailed after TAKING_SECONDS.

        `node`: the option's node id; `before`: what the widget showed before the press. If the press has deselected this one, it is
        pressed again: several options can be chosen, or the list is always open, and may not say so.
        """
        may_undo = option["chosen"] and (self.takes_several or not self.description["opens"])
        budget = PollBudget(self._page, self._page.give_up_time(TAKING_SECONDS))
        while True:
            await self._page.world.wait_next_frame(OPENING_SECONDS)
            after = await self.read_outcome(option["labels"], node)
            if after["chosen"] is None and after["open"] and self.takes_several:  # it is drawn anew
                found = (await self.list_options(wanted_label))["found"]
                node, after["chosen"] = (found["id"], found["chosen"]) if found else (node, None)
            if self._shows_choice(option, before, after):
                return
            if may_undo and after["chosen"] is False:
                await self.press(node)  # it had been chosen: the press took it out
                may_undo = False
            if budget.is_exhausted():
                is_taken = self._shows_choice(option, before, after, may_be_empty=True)
                if not is_taken and not await self._shows_choice_after_closing(option, before, after):
                    raise self._not_taken_error(option, after)
                return

    async def _shows_choice_after_closing(
        self, option: FoundOption, before: ChoiceOutcome, after: ChoiceOutcome
    ) -> bool:
        """Close the list by Escape. Return whether the widget then shows the choice, perhaps only as a count.

        `before`, `after`: what the widget showed before the press on the option, and after it.
        """
        if not after["open"] or after["text"] == before["text"] or self.description["inDialog"]:
            return False
        await self.escape()
        budget = PollBudget(self._page, self._page.give_up_time(OPENING_SECONDS))
        while True:
            left = await self.read_outcome(option["labels"])
            if not left["open"] or budget.is_exhausted():
                return self._shows_choice(option, before, left)
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def close(self, chosen: Sequence[str]) -> None:
        """Close the list if the choice did not close it, and add a note on other options that stay selected.

        Closes by the list's button that accepts the choice; else by Escape, in a dialog, which that would close, by taking the focus away.
        Raises ActionFailed if the list has not kept all choices. `chosen`: their labels.
        """
        if await self.element.ask("readChoiceOutcome", [], 0) is None:
            await self._verify_replacement(chosen)
            return
        marked = (await self.list_options(""))["chosen"]
        if self.takes_several:
            self._page.notes.extend(describe_other_selected(self.name, marked, chosen))
        if not self.was_opened:
            return
        budget = self.make_poll_budget(OPENING_SECONDS)
        while (listing := await self.list_options(""))["open"] and not budget.is_exhausted():
            if self.takes_several or listing["multiple"]:
                break
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        buttons = await self.press_accept_button() if listing["open"] else []
        await self._leave_open_list()
        if buttons and (lost := await self._labels_not_shown(chosen, marked)):
            raise unconfirmed_choice_error(self.name, lost, buttons)
        if len(chosen) > 1 and (lost := await self._labels_not_shown(self._shown, marked)):
            raise not_kept_error(self.name, lost)

    async def _verify_replacement(self, chosen: Sequence[str]) -> None:
        """Verify that the element that has replaced the widget shows the chosen labels.

        Raises ActionFailed if it shows something else.
        """
        name = self.name
        if (other := await field_settling.find_replacement_field(self.element)) is None:
            self._page.notes.append(
                f"The page has taken {name} away since: whether it took the choice cannot be seen"
            )
            return
        budget = self.make_poll_budget(TAKING_SECONDS)
        while True:
            after: list[ChoiceOutcome | None] = [
                await other.ask("readChoiceOutcome", [label], 0) for label in chosen
            ]
            if all(each is None or each["ownMatch"] or each["exactMatch"] for each in after):
                self._page.notes.append(f"The page has put another in the place of {name} since")
                return
            if budget.is_exhausted():
                raise not_kept_error(name, chosen)
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _leave_open_list(self) -> None:
        """Close the list if it is still open: by Escape, or in a dialog, which Escape would close, by a blur."""
        listing = await self.list_options("")
        if listing["open"] and listing["expanded"]:
            if self.description["inDialog"]:
                await self._page.world.call("blurFocused", frame=self.element.frame)
            else:
                await self.escape()
            await self.wait_until_closed()

    async def _labels_not_shown(self, chosen: Sequence[str], marked: Sequence[str]) -> list[str]:
        """Return the `chosen` labels that neither the closed widget shows nor its reopened list marks.

        [] if the list marks no chosen options at all. `marked`: labels that it marked as selected before it was closed.
        """
        after = {label: await self.read_outcome([label]) for label in chosen}
        missing = [
            label
            for label, each in after.items()
            if not (each["ownMatch"] or each["exactMatch"] or each["open"])
        ]
        if not missing:
            return []
        await self.element.ask("describeWidget")
        await self.open("")
        found = {label: (await self.list_options(label))["found"] for label in missing}
        marks_chosen = bool(marked or (await self.list_options(""))["chosen"])
        await self._leave_open_list()
        return [label for label, option in found.items() if marks_chosen and option and not option["chosen"]]

    async def close_after_failure(self) -> None:
        """Remove typed text and close the list after a failed choice."""
        await self.restore_typed_text()
        listing = await self.list_options("")
        is_open = listing["open"] or listing["expanded"]
        if self.was_opened and is_open and not self.description["inDialog"]:
            await self.escape()
            await self.wait_until_closed()

    # private: seeing

    def _shows_choice(
        self, option: FoundOption, before: ChoiceOutcome, after: ChoiceOutcome, *, may_be_empty: bool = False
    ) -> bool:
        """Return whether the widget shows the option as chosen after a press, and did not before.

        `may_be_empty`: accept a widget that shows nothing, too, as it has had time to show something.
        """
        if not self.description["opens"]:
            return bool(after["chosen"])
        several, typed = self.takes_several, self.typed
        if typed and after["open"] and after["value"] == typed and not several:
            return False  # it shows what was typed
        if after["ownMatch"] or (after["exactMatch"] and (option["chosen"] or not before["exactMatch"])):
            return True
        if after["partialMatch"] and not before["partialMatch"]:
            return True
        if several and after["chosen"]:
            return True
        is_newly_marked = bool(after["chosen"]) and not option["chosen"]  # the widget may show how many are
        if not after["text"] and not may_be_empty:
            return False
        return (is_newly_marked or not after["open"]) and self._shows_other_content(
            before["text"], after["text"]
        )

    def _shows_other_content(self, before: str, after: str) -> bool:
        """Return whether the widget's text changed, but not to another option's label: to a count, say.

        Adds a note with the new text to the reply.
        """
        if before == after or any(label and label in after and label not in before for label in self.others):
            return False
        self._page.notes.append(f"{self.name} shows {quote_text(after, 80)} now")
        return True

    def _not_taken_error(self, option: FoundOption, after: ChoiceOutcome) -> ActionFailed:
        """Return the error for an option that was pressed, and that the widget does not show as chosen.

        The page may have acted on it all the same: a list in the toolbar of jspreadsheet 5 shows its icon whatever is chosen.
        """
        shown = one_line(after["text"], 80)
        now = f'it shows "{shown}"' if shown else "it shows nothing"
        message = f'"{option_label(option, "")}" was pressed, and {self.name} does not show it: {now}'
        # A list of commands marks the option and shows nothing; another one offers other options now.
        has_acted = not shown if after["chosen"] else after["chosen"] is None
        is_sure = after["open"] and has_acted and self.description["opens"]
        return ActionFailed(message, SEE_WHAT_CAME if is_sure else f"{SEE_WHAT_CAME}\n{KEYS}")

    async def _fill_by_suggestion(self, wanted_label: str) -> str | None:
        """Fill a text field with its `<datalist>` suggestion of that label or value. Return the label or None."""
        for option in await self.element.ask("listSuggestions"):
            if wanted_label in (option["value"], option["label"]):
                await put_text(self.element, self.name, option["value"])
                return one_line(option["label"] or option["value"], 80)
        return None
