"""Open, search, press and close the list of an ARIA widget, as a person does.

widgets.py verifies the choice. Scripts in the page (scripts/widgets/) decide by ARIA what is a list, where its options are and what
the widget shows. The input is real: the mouse, and keys if the mouse cannot reach.
"""

import asyncio
import math
import re
from typing import Any

from gstack_browse.browser.actions.input import presses, text_input
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import list_available, option_label
from gstack_browse.browser.command.page import PollBudget
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import (
    ChoiceOutcome,
    Column,
    FoundOption,
    ListButtons,
    OpeningPressPoint,
    OpenList,
    OptionPressPoint,
)
from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable, TimedOut
from gstack_browse.text.sanitise import one_line, quote_text

FIRST_SECONDS = 1.0
"""How long the first option of a path may take to appear in the first list."""
NEXT_SECONDS = 2.0
"""How long the next list may take to open and to have its option."""
COLUMN_LOOK_SECONDS = 0.03
_STEP = re.compile(r"\s*[/>›»→]\s*")
"""Separator between the labels of a path."""


WAIT_SECONDS = 5.0
OPENING_SECONDS = 0.6
"""Seconds for a list to show its first option; then it is opened in another way, the last for longer."""
LOADING_SECONDS = 2.0
"""Seconds for the first option of a list that reports to be open."""
OPTION_SECONDS = 1.0
"""Seconds for an option that is not in a list to appear in it."""
PRESS_SECONDS = 2.5
PRESSES_OF_GONE = 2
"""Presses on a widget that reports an open list that has gone (Syncfusion 34): the first may only close it."""
MOVING_SECONDS = 1.5
"""Seconds for which an option that is out of reach may move before it is scrolled to."""
STILL_SECONDS = 0.04
"""Seconds for which it must stand still before that."""
CLIPPED_SECONDS = 0.3
"""Seconds for an option clipped by an ancestor without scrolling: a sliding list may pause when busy.

jqWidgets 27 tells by the place of a press which option is meant, so its list must not be scrolled.
"""
LOOK_AGAIN_SECONDS = 0.03
MOST_SUGGESTIONS = 30
LEAST_STEPS = 100  # least number of scrolls through a list that draws only what is in view
KEYS = (
    "Try keys: 'click' it, 'press ArrowDown' until 'snapshot -i' shows the option as active, then 'press Enter'"
)
_OPENING_KEYS = {"Alt+ArrowDown": OPENING_SECONDS, "ArrowDown": LOADING_SECONDS}
"""Key → seconds: the key that only opens a list, then one by which closed lists may choose.

So do those of jqWidgets 27, Syncfusion 34, Kendo 2026 and Wijmo 5.
"""


class WidgetList:
    """Opens and reads the list of one widget, finds an option in it, and closes it."""

    def __init__(self, element: Element, name: str, description: dict[str, Any]) -> None:
        """`name`: the widget's name in messages. `description`: the engine's `describeWidget` of it."""
        self._page = element.page
        self.element = element
        self.name = name
        self.description = description
        self.keyboard = element.page.keyboard
        self.was_opened = False
        self._has_shown = False
        """Whether it showed options when it was opened last."""
        self.before: ChoiceOutcome | None = None
        """What the widget showed before the choice."""
        self.others: list[str] = []
        """Labels of the list's options other than the found one."""
        self.typed = ""
        """The text typed to find an option."""
        self._typed_over: str | None = None
        """The field's content before that; None if no text was typed."""

    @property
    def takes_several(self) -> bool:
        """Return whether several options can be selected at the same time."""
        return bool(self.description["multiple"])

    async def list_options(self, wanted_label: str, *, as_number: bool = False) -> OpenList:
        """Return the list's state and its options ("options"); "found": the one with `wanted_label`, or None.

        See `describeOpenList` in scripts/widgets/lists.js. `as_number`: compare labels as numbers. Raises NoMatch if the widget
        has gone.
        """
        listing: OpenList | None = await self.element.ask("describeOpenList", wanted_label, as_number)
        if listing is None:
            raise NoMatch(f"{self.name} disappeared", failures.SEE_ELEMENTS)
        return listing

    async def read_outcome(self, labels: list[str], node: int = 0) -> ChoiceOutcome:
        """Return what the widget shows, whether that contains one of the labels, and whether `node` is chosen.

        `labels`: of the wanted option. `node`: the option's node id, 0 for none. See `readChoiceOutcome` in
        scripts/widgets/choices.js. A widget that has gone counts as one that shows the label.
        """
        outcome: ChoiceOutcome | None = await self.element.ask("readChoiceOutcome", labels, node)
        return outcome or {
            "value": "",
            "text": "",
            "ownMatch": True,
            "exactMatch": True,
            "partialMatch": True,
            "chosen": None,
            "open": False,
        }

    async def press(self, node: int, at: Any = None, seconds: float = PRESS_SECONDS) -> bool:
        """Press an element of the list. Return False if the pointer does not reach it within `seconds`.

        `node`: its node id. `at`: the point of it to press (`ElementPoint`); None for one where a press reaches it. Presses Space
        on a radio button that the mouse does not reach.
        """
        pressed = self.element.with_node(node)
        if at:
            return await presses.press_in_list(pressed, self.name, seconds=seconds, point=at)
        place = await self._find_press_point(pressed)
        if not place["box"]:
            return False
        if place["byKey"]:
            await pressed.ask("focusWidget")
            await self.keyboard.press("Space")
            return True
        shown = self.element.with_node(place["id"])
        is_at_once = self.was_opened and not place["at"]
        outcome = await presses.press_visible(shown) if is_at_once else None
        return await presses.press_in_list(
            shown, self.name, seconds=seconds, point=place["at"], outcome=outcome
        )

    async def _find_press_point(self, option: Element) -> OptionPressPoint:
        """Wait until the list no longer moves, and return the point to press on an option of it.

        Scrolling to an element that moves can push a list that slides open out of its place for good. So can any scrolling to an
        option that is only out of reach until the list has opened.
        """
        place: OptionPressPoint = await option.ask("findOptionPressPoint", not self.was_opened)
        budget, since = self.make_poll_budget(MOVING_SECONDS), self._page.now()
        is_still = not self.was_opened
        while place["box"] and not (place["id"] and is_still):
            await self._page.world.wait_next_frame(OPENING_SECONDS)
            box, now = place["box"], self._page.now()
            is_late = budget.is_exhausted()
            has_rested = now - since >= (CLIPPED_SECONDS if place["clipped"] else STILL_SECONDS)
            place = await option.ask("findOptionPressPoint", has_rested or is_late)
            is_still = place["box"] == box or is_late
            since = since if is_still else now
        return place

    # opening

    async def open(self, wanted_label: str) -> None:
        """Open the list: by a press on the widget or its opening button, else by keys.

        `wanted_label`: of the option to be chosen, which lists may have to load. Raises NotInteractable if no options appear.
        """
        listing = await self._wait_for_closing_list(wanted_label)
        showed_before, self._has_shown = self._has_shown, listing["open"]
        if listing["open"]:
            return
        if listing["expanded"] and not self.was_opened:
            await self.escape()  # its list is identified as it opens
            await self.element.ask("describeWidget")
        # no Escape from here on, it may undo choices; a press closes the list
        left = PRESSES_OF_GONE if listing["expanded"] and self.was_opened else 1
        self.was_opened = True
        while left:
            place: OpeningPressPoint | None = await self.element.ask("findOpeningPressPoint")
            is_pressed = place and await self.press(place["id"], place["at"], LOADING_SECONDS)
            if is_pressed and await self._shows_options(wanted_label):
                return
            left -= 1
            if showed_before and (await self.list_options(wanted_label))["expanded"]:
                left, showed_before = PRESSES_OF_GONE, False  # it has closed before it could be seen
        button: int = await self.element.ask("findOpeningButton")
        is_closed = button and not (await self.list_options(wanted_label))["expanded"]
        if is_closed and await self.press(button) and await self._shows_options(wanted_label):
            return
        for key, seconds in _OPENING_KEYS.items():
            if (await self.list_options(wanted_label))["expanded"]:
                break
            await self.element.ask("focusWidget")
            await self.keyboard.press(key)
            if await self._shows_options(wanted_label, seconds):
                return
            # the ArrowDown that should open the list may have chosen the next option instead
            before, after = self.before, await self.read_outcome([])
            if before and before["text"] and after["text"] != before["text"]:
                await self.keyboard.press("ArrowUp")
        if await self.element.ask("findFocusedFilterField") is None and not await self._shows_options(
            wanted_label
        ):
            raise NotInteractable(f"{self.name} did not show any options when it was opened", KEYS)

    async def _wait_for_closing_list(self, wanted_label: str) -> OpenList:
        """Wait until a list that is closing has gone. Return the list's state then.

        If a list is visible, and its widget reports to be closed, the list is usually about to disappear.
        """
        budget = PollBudget(self._page, self._page.give_up_time(OPENING_SECONDS))
        is_leaving = False
        while True:
            listing = await self.list_options(wanted_label)
            if not (listing["open"] and listing["collapsed"]) or budget.is_exhausted():
                break
            is_leaving = True
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        if is_leaving:
            await self.element.ask("describeWidget")  # the same list may open again
        return listing

    async def _shows_options(self, wanted_label: str, seconds: float = OPENING_SECONDS) -> bool:
        """Wait until the list shows options. Return whether it does within `seconds`.

        Waits for LOADING_SECONDS if the widget reports to be open (`aria-expanded`), and there is no field to type into.
        """
        soon, late = self.make_poll_budget(seconds), self.make_poll_budget(LOADING_SECONDS)
        while True:
            listing = await self.list_options(wanted_label)
            if listing["open"]:
                self._has_shown = True
                return True
            # a list with a filter field may show no option before a text is typed
            waits = listing["expanded"] and await self.element.ask("findFocusedFilterField") is None
            is_late, is_over = late.is_exhausted(), soon.is_exhausted()
            if is_late if waits else is_over:
                return False
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    def make_poll_budget(self, seconds: float, give_up: float = math.inf) -> PollBudget:
        """Return a budget for polling the list that is exhausted after `seconds`, or earlier at `give_up`.

        Starts no polling: the caller polls, and asks `is_exhausted` after each poll. `give_up`: a time on the clock of
        `page.now()`, as `page.give_up_time` returns it. `--timeout` does not change `seconds`, as it does other time limits.
        """
        return PollBudget(self._page, min(self._page.now() + seconds, give_up))

    # closing

    async def escape(self) -> None:
        """Press Escape with the focus in the widget."""
        await self.element.ask("focusWidget", True)
        await self.keyboard.press("Escape")

    async def press_accept_button(self) -> list[str]:
        """Press the button that confirms a choice in the open list ("OK"), if there is exactly one.

        Return the names of all buttons of the list, for messages.
        """
        buttons: ListButtons = await self.element.ask("findListButtons")
        if buttons["confirmButton"] and await self.press(buttons["confirmButton"]):
            await self.wait_until_closed()
        return buttons["names"]

    async def wait_until_closed(self) -> None:
        """Wait until the list has gone, or OPENING_SECONDS: the next command could take it for its own list."""
        budget = self.make_poll_budget(OPENING_SECONDS)
        while (await self.list_options(""))["open"]:
            if budget.is_exhausted():
                return
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def restore_typed_text(self) -> None:
        """Restore the text that the widget's field contained before `find` typed a label into it."""
        field = await self.element.ask("findFocusedFilterField") if self._typed_over is not None else None
        if field and field["held"] != self._typed_over:
            await self._replace_typed_text(self._typed_over or "")

    # finding

    async def find(self, wanted_label: str) -> FoundOption:
        """Find an option by its label: among those shown, after typing the label, or by scrolling.

        Raises NoMatch with the available options, NotInteractable if several match, TimedOut.
        """
        give_up = self._page.give_up_time(WAIT_SECONDS)
        first = await self.list_options(wanted_label)
        if self._has_shown and not first["open"]:  # it was closing
            await self.open(wanted_label)
            first = await self.list_options(wanted_label)
        if first["found"]:
            return self._require_single(first, first["found"], wanted_label)
        if found := await self._press_option_path(wanted_label):
            return found
        if (field := await self.element.ask("focusFilterField")) is not None:
            self._typed_over = field["held"]
            await self._replace_typed_text(wanted_label)
            found = await self._wait_for_option(wanted_label, self.make_poll_budget(OPTION_SECONDS, give_up))
            if not found and first["open"]:
                await self._replace_typed_text(self._typed_over)  # the field may search other texts than labels
        found = found or await self._wait_for_option(
            wanted_label, self.make_poll_budget(OPTION_SECONDS, give_up)
        )
        found = found or await self._search_by_scrolling(wanted_label, give_up)
        if found:
            return found
        options = first["options"] or (await self.element.ask("listSuggestions"))[:MOST_SUGGESTIONS]
        raise NoMatch(
            f"There is no option {quote_text(wanted_label, 60)}", list_available(options, first["total"])
        )

    async def _press_option_path(self, wanted_label: str) -> FoundOption | None:
        """Press the options along a path such as `Europe / Spain`, except the last. Return the last one.

        Returns None if `wanted_label` is no path, or no list has its first option. Raises NoMatch if a later step has no such
        option, ActionFailed if an option could not be pressed.
        """
        steps = [step for step in _STEP.split(wanted_label.strip()) if step]
        if len(steps) < 2 or (option := await self._find_in_column(steps[0], 0, FIRST_SECONDS)) is None:
            return None
        for index, step in enumerate(steps[1:], 1):
            before = option_label(option, steps[index - 1])
            if not await self.press(option["id"]):
                raise ActionFailed(f'The option "{before}" could not be pressed')
            found = await self._find_in_column(step, index, NEXT_SECONDS)
            if found is None:
                column: Column | None = await self.element.ask("findInColumn", step, index)
                hint = (
                    list_available(column["options"], column["total"]) if column else "Nothing opened beside it"
                )
                raise NoMatch(f'There is no option {quote_text(step, 60)} behind "{before}"', hint)
            option = found
        option["labels"] = [" ".join(wanted_label.split()), *option["labels"]]
        return option

    async def _find_in_column(self, wanted_label: str, index: int, seconds: float) -> FoundOption | None:
        """Wait until column `index` (from 0) of a list with columns has the option. None after `seconds`."""
        budget = PollBudget(self._page, self._page.give_up_time(seconds))
        while True:
            column: Column | None = await self.element.ask("findInColumn", wanted_label, index)
            if column and column["found"]:
                return column["found"]
            if budget.is_exhausted():
                return None
            await asyncio.sleep(COLUMN_LOOK_SECONDS)

    async def _wait_for_option(self, wanted_label: str, budget: PollBudget) -> FoundOption | None:
        """Poll the list for the option with this label. Return None once `budget` is exhausted.

        Raises NotInteractable if several options have it.
        """
        while True:
            listing = await self.list_options(wanted_label)
            if listing["found"]:
                return self._require_single(listing, listing["found"], wanted_label)
            if budget.is_exhausted():
                return None
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _search_by_scrolling(self, wanted_label: str, give_up: float) -> FoundOption | None:
        """Scroll a list that draws only what is in view, from its start, until it draws the wanted option.

        Returns None at the list's end. Raises TimedOut at `give_up`, a time on the clock of `page.now()` in seconds.
        """
        await self.element.ask("scrollOpenList", True)
        budget = PollBudget(self._page, give_up, LEAST_STEPS)
        while True:
            await self._page.world.wait_next_frame(OPENING_SECONDS)
            if found := await self._wait_for_option(wanted_label, PollBudget(self._page, self._page.now(), 1)):
                return found
            if not await self.element.ask("scrollOpenList", False):
                return None
            if budget.is_exhausted():
                raise TimedOut(
                    f"{self.name} showed no option {quote_text(wanted_label, 60)} in time: its list goes on",
                    "Give it longer, for example --timeout 20000",
                )

    async def _replace_typed_text(self, words: str) -> None:
        """Replace the content of the list's focused filter field by `words`, by keys.

        Nothing is deleted in an empty field: there Control+A may select the chosen options (Tom Select).
        """
        self.typed = words
        field = await self.element.ask("findFocusedFilterField")
        if field and field["held"]:
            await self.keyboard.press("ControlOrMeta+A")
            if not words:
                await self.keyboard.press("Delete")
        if words:
            text_input.refuse_held_paste(self._page, words)
            await self.keyboard.type(words)

    def _require_single(self, listing: OpenList, option: FoundOption, wanted_label: str) -> FoundOption:
        """Return the found option; raise NotInteractable if several options of the list have the label.

        Notes the list's other labels (`others`), and whether several options can be chosen.
        """
        if listing["rivals"]:
            names = list(dict.fromkeys(one_line(name, 40) for name in listing["rivals"]))
            hint = "Open it with 'click' and choose with 'snapshot -i'"
            if len(names) == len(listing["rivals"]):
                hint = f"Name one whole: {', '.join(names[:10])}"
            raise NotInteractable(f"Several options are called {quote_text(wanted_label, 60)}", hint)
        if listing["multiple"]:
            self.description["multiple"] = True
        self.others = [other["label"] for other in listing["options"] if other["label"] not in option["labels"]]
        return option
