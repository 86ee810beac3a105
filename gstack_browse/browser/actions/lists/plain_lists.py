"""Choose from dropdown lists without ARIA: press the box, then the option that appears.

`scripts/widgets/dropdowns.js` decides what may be such a box, and which options have appeared. A choice counts only if the
box or the list shows it.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from gstack_browse.browser.actions.input import text_input
from gstack_browse.browser.actions.input.presses import press_in_list
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import unconfirmed_choice_error
from gstack_browse.browser.command.page import LEAST_LOOKS, PollBudget
from gstack_browse.browser.engine.answer_types import (
    Dropdown,
    DropdownOutcome,
    ListState,
    RevealedOption,
    RevealedOptionPoint,
    RevealedOptions,
)
from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short

OPENING_SECONDS = 1.0
"""Seconds for an option to appear after a press, or after typing."""
TAKING_SECONDS = 1.5
"""Seconds for the box to show the choice."""
LEAVING_SECONDS = 0.6
"""Seconds after which a list that does not move counts as one that stays open."""
MOVING_SECONDS = 2.0
"""How long a list may move before it counts as one that always moves."""
UNDONE_LOOKS = 4
"""Looks without the name shown before that prove an undone choice: a box may be drawn anew."""
STILL_FRAMES = 3
"""Frames without a change after which a list is not closing: one that closes has changed by then."""
PRESS_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.03
PRESSES = 3
"""Most presses to open a list."""
LOOK = "See what it shows with 'snapshot -iD'"


async def recognise(element: Element, name: str) -> "PlainDropdown | None":
    """Return the dropdown without ARIA that an element is, or None. `name`: its name in messages."""
    dropdown: Dropdown | None = await element.ask("describeDropdown")
    if dropdown is None:
        return None
    element.page.note_widget_rule(dropdown["rule"])
    return PlainDropdown(element, name, dropdown)


class PlainDropdown:
    """A box that opens a list without ARIA, while options of it are being chosen."""

    def __init__(self, element: Element, name: str, dropdown: Dropdown) -> None:
        self._page = element.page
        self._press_at = element.with_node(dropdown["press"])
        self._box = element.with_node(dropdown["id"])
        self._name = name
        self._dropdown = dropdown
        self._shown = dropdown["shows"]
        self._is_open = False
        self._is_shown = True
        """Whether the box itself shows every choice; False if only the list marks one."""

    async def choose(self, wanted_label: str) -> str:
        """Choose the option with this label, unless it is chosen already. Return its label for the reply.

        Raises NoMatch with the available options if it is missing, NotInteractable if several have the label, ActionFailed if the
        dropdown does not show the choice.
        """
        if self._shown.casefold() == " ".join(wanted_label.split()).casefold():
            return one_line(wanted_label, 80)  # it is chosen already
        seen = await self._ensure_open(wanted_label)
        first = seen
        if not seen["found"] and seen["displayed"]:
            return one_line(wanted_label, 80)  # it is chosen already: such a list offers only the others
        if not seen["found"] and seen["filterable"]:
            text_input.refuse_held_paste(self._page, wanted_label)
            await self._page.keyboard.type(wanted_label)
            seen = await self._wait_for_options(wanted_label, OPENING_SECONDS)
            if not seen["found"] and not seen["displayed"]:  # "Germany" has left only "Germany (+49)"
                seen = await self._box.ask("findRevealedOptions", wanted_label, True)
        if not seen["found"]:
            raise NoMatch(f"There is no option {quote_text(wanted_label, 60)}", _hint_available(first))
        if len(seen["found"]) > 1:
            raise NotInteractable(
                f"{len(seen['found'])} options are called {quote_text(wanted_label, 60)}", LOOK
            )
        option = seen["found"][0]
        # many lists take several options, and a press takes one out again: Materialize 1.0, Preline 4.2
        if not (option["ticked"] or (option["marked"] and seen["displayed"])):
            await self._choose_revealed_option(option, wanted_label)
        return one_line(option["label"], 80)

    async def _ensure_open(self, wanted_label: str) -> RevealedOptions:
        """Open the list if it is closed. Return its options; `found` are those with the wanted label."""
        if self._is_open:
            if (await self._wait_until_at_rest())["open"]:
                seen = await self._wait_for_options(wanted_label, 0)
                if seen["found"] or seen["displayed"] or seen["filterable"]:
                    return seen
            await self._press_at.ask("describeDropdown")  # it has closed: visible options are earlier choices
        return await self._open(wanted_label)

    async def _open(self, wanted_label: str) -> RevealedOptions:
        """Press the dropdown and return the options that appear. If none does, press its arrow or press again.

        The first press may have closed the list, or come while it was closing.
        """
        self._is_open = True
        arrow = self._dropdown["arrow"]
        for attempt in range(PRESSES):
            if attempt:
                await self._press_at.ask("describeDropdown")  # options visible now do not count as shown next
            if attempt == 1 and arrow:
                await self._press(self._box.with_node(arrow))
            else:
                await self._press_dropdown()
            seen = await self._wait_for_options(wanted_label, OPENING_SECONDS)
            if seen["total"] or seen["filterable"]:
                break
        return seen

    # private: choosing

    async def _choose_revealed_option(self, option: RevealedOption, wanted_label: str) -> None:
        """Press an option and wait until the dropdown shows the choice. Raises ActionFailed if it does not.

        If the option was chosen before, and the press deselected it, it is pressed once more.
        """
        option, before = await self._press_option(option, wanted_label)
        budget = PollBudget(self._page, self._page.give_up_time(TAKING_SECONDS))
        undone = 0
        while (after := await self._read_outcome(option)) is not None and before is not None:
            if undone < UNDONE_LOOKS and _has_removed_choice(before, after):
                undone += 1
                if undone == UNDONE_LOOKS:
                    option = next(iter((await self._ensure_open(wanted_label))["found"]), option)
                    option, before = await self._press_option(option, wanted_label)
            elif _is_chosen(before, after):
                self._shown = after["text"]
                if (before["text"], before["values"]) == (after["text"], after["values"]):
                    self._is_shown = False
                return
            if budget.is_exhausted():
                break
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        if after and after["exactMatch"]:
            return  # as before
        is_gone = after is None and not self._page.tab.is_interrupted
        if is_gone and await self._page.world.call(
            "isDropdownReplacedBy", option["label"], frame=self._box.frame
        ):
            self._page.notes.append(f"The page has put another in the place of {self._name} since")
            return
        raise ActionFailed(
            f"{quote_text(option['label'], 60)} was pressed, and {self._name} does not show that it was taken",
            LOOK,
        )

    # private: closing

    async def close(self, chosen: Sequence[str]) -> None:
        """Close a list that is still open: by its button that accepts the choice, else by Escape or a press.

        `chosen`: the chosen labels. Adds a note to the reply if it stays open. Raises ActionFailed if a list with buttons has not
        kept the choice.
        """
        state = await self._wait_until_at_rest()
        if not state["open"]:
            return
        if state["confirmButton"]:
            await self._press(self._box.with_node(state["confirmButton"]))
            state = await self._wait_until_at_rest()
        if state["open"] and not await self._try_to_close():
            self._page.notes.append(
                f"The list of {self._name} is still open: 'press Escape', or click beside it"
            )
        elif state["buttons"] and not self._is_shown and not await self._still_marks(chosen):
            raise unconfirmed_choice_error(self._name, chosen, state["buttons"])

    async def close_after_failure(self) -> None:
        """Close the list after a failed choice."""
        if (await self._wait_until_at_rest())["open"]:
            await self._try_to_close()

    async def _try_to_close(self) -> bool:
        """Close the list by Escape, or by a press on the dropdown. Return whether that worked."""
        if not self._dropdown["inLayer"]:
            await self._press_at.ask("focusWidget", True)
            await self._page.keyboard.press("Escape")
            if not (await self._wait_until_at_rest(is_closing=True))["open"]:
                return True
        await self._press_dropdown()
        return not (await self._wait_until_at_rest(is_closing=True))["open"]

    async def _still_marks(self, chosen: Sequence[str]) -> bool:
        """Open the list again. Return whether it marks the chosen options (labels) as selected."""
        await self._press_at.ask("describeDropdown")
        options = [option for label in chosen for option in (await self._ensure_open(label))["found"]]
        await self._wait_until_at_rest()
        await self._try_to_close()
        return all(option["marked"] for option in options)

    async def _wait_until_at_rest(self, *, is_closing: bool = False) -> ListState:
        """Wait until the list has closed, or does not change any more. Return its state then.

        A list for a single choice may close a little later, after LEAVING_SECONDS at most. `is_closing`: something was done to
        close the list; so a list for several choices may, too.
        """
        state: ListState = await self._box.ask("describeOpenedList")
        soon = PollBudget(self._page, self._page.now() + LEAVING_SECONDS)
        late = PollBudget(self._page, self._page.now() + MOVING_SECONDS)
        still = 0
        while self._is_open and state["open"]:
            await self._page.world.wait_next_frame(OPENING_SECONDS)
            before, state = state, await self._box.ask("describeOpenedList")
            still = still + 1 if state["signature"] == before["signature"] else 0
            is_soon, is_late = soon.is_exhausted(), late.is_exhausted()
            if is_late or (still >= STILL_FRAMES and (is_soon or (state["multiple"] and not is_closing))):
                break
        return state

    # private: looking and pressing

    async def _wait_for_options(self, wanted_label: str, seconds: float) -> RevealedOptions:
        """Return the options that a press has revealed, once one has the label, or after `seconds`."""
        budget = PollBudget(self._page, self._page.now() + seconds, LEAST_LOOKS if seconds else 1)
        soon = PollBudget(self._page, self._page.now())
        while True:
            seen: RevealedOptions = await self._box.ask("findRevealedOptions", wanted_label)
            is_among_others = seen["displayed"] and seen["total"]  # the choice may have taken it out of them
            if seen["found"] or budget.is_exhausted() or (is_among_others and soon.is_exhausted()):
                return seen
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _read_outcome(self, option: RevealedOption) -> DropdownOutcome | None:
        """Return what the dropdown shows, and whether its list marks an option; None if the dropdown is gone."""
        outcome: DropdownOutcome | None = await self._box.ask("readDropdownOutcome", option["id"])
        return outcome

    async def _press_dropdown(self) -> None:
        """Press the element that shows the choice, and opens and closes the list."""
        await self._press(self._press_at, self._dropdown["at"])

    async def _press_option(
        self, option: RevealedOption, wanted_label: str
    ) -> tuple[RevealedOption, DropdownOutcome | None]:
        """Press an option at a point that takes presses. Return it, and what the dropdown showed before.

        Finds it again by its label if the list reuses its element for another option. Raises NotInteractable if it cannot be reached.
        """
        for _ in range(PRESSES):
            before = await self._read_outcome(option)
            place: RevealedOptionPoint = await self._box.with_node(option["id"]).ask(
                "findRevealedOptionPressPoint"
            )
            if await self._can_press(self._box.with_node(place["id"]), place["at"]):
                return option, before
            found = (await self._wait_for_options(wanted_label, 0))["found"]
            if not found:
                break
            option = found[0]
        raise self._unreached_error()

    async def _press(self, element: Element, at: Any = None) -> None:
        """Press an element at its point `at`, or anywhere (None). Raises NotInteractable if it is unreachable."""
        if not await self._can_press(element, at):
            raise self._unreached_error()

    async def _can_press(self, element: Element, at: Any = None) -> bool:
        """Press an element at its point `at`, or anywhere (None). Return whether the page got the press."""
        return await press_in_list(element, self._name, seconds=PRESS_SECONDS, point=at)

    def _unreached_error(self) -> NotInteractable:
        """Return the error for a press that did not reach its element."""
        return NotInteractable(f"A press did not reach what {self._name} shows", LOOK)


def _is_chosen(before: DropdownOutcome, after: DropdownOutcome) -> bool:
    """Return whether the states before and after a press show that the pressed option was chosen.

    One of these: the dropdown's text has changed to the option's label, or has that and the list has closed; a field's value has
    changed; the option is newly marked.
    """
    if after["exactMatch"] and (not before["exactMatch"] or not after["open"]):
        return True
    is_mentioned = after["partialMatch"] and after["text"] != before["text"]
    return is_mentioned or after["values"] != before["values"] or (after["marked"] and not before["marked"])


def _has_removed_choice(before: DropdownOutcome, after: DropdownOutcome) -> bool:
    """Return whether the states before and after a press show that it deselected the pressed option."""
    if after["exactMatch"] or after["valueMatch"]:
        return False
    is_unmarked = before["marked"] and not after["marked"] and after["exists"]
    return before["exactMatch"] or before["valueMatch"] or is_unmarked


def _hint_available(seen: RevealedOptions) -> str:
    """Return a hint that lists the labels of the options that the list shows."""
    shown = [quote_unless_short(label, 40) for label in seen["labels"] if label]
    more = f" and {seen['total'] - len(seen['labels'])} more" if seen["total"] > len(seen["labels"]) else ""
    return f"Available: {', '.join(shown)}{more}" if shown else "A press showed no options"
