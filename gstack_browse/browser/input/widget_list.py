"""The list that a widget opens: opened, looked through, pressed and closed, as a person would. What came of a choice is for widgets.py to see.

What is a list, where its options are and what the widget shows are questions to the page (scripts/widget*.js), which answers from
ARIA alone. The input is real: the mouse, and keys where the mouse cannot reach.
"""

import asyncio
import math
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.list_answers import (
    ChoiceOutcome,
    FoundOption,
    ListButtons,
    OpenList,
    PlaceOfOption,
    PlaceToOpen,
)
from gstack_browse.browser.input import columns, own_paste, presses
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.option_words import available
from gstack_browse.errors import NoMatch, NotInteractable, TimedOut
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

WAIT_SECONDS = 5.0
OPENING_SECONDS = 0.6
"""How long a list may take to show its first option after it was told to open; then it is told in another way, the last time for longer."""
LOADING_SECONDS = 2.0
"""How long it may take where it says that it is open."""
OPTION_SECONDS = 1.0
"""How long an option that is not in a list may take to appear in it."""
PRESS_SECONDS = 2.5
PRESSES_OF_GONE = 2
"""On a widget that says it is open, with its list gone: the first may do no more than close it."""
MOVING_SECONDS = 1.5
"""How long an option that is out of reach may move before it is scrolled to."""
STILL_SECONDS = 0.04
"""How long it has to stand still before that."""
CLIPPED_SECONDS = 0.3
"""The same for one that is outside of what nobody can scroll: a list that slides open may pause on a busy machine."""
LOOK_AGAIN_SECONDS = 0.03
MOST_SUGGESTIONS = 30
LEAST_STEPS = 100  # by which a list is scrolled on that draws only what is in view, however long that takes
KEYS = (
    "Try keys: 'click' it, 'press ArrowDown' until 'snapshot -i' shows the option as active, then 'press Enter'"
)
_OPENING_KEYS = {"Alt+ArrowDown": OPENING_SECONDS, "ArrowDown": LOADING_SECONDS}
"""The key that only opens a list, then the one that many closed lists choose by: as a native one does."""


class WidgetList:
    """The list of one widget, from the first look at it to the last."""

    def __init__(self, page: "PageSession", element: Element, text: str, look: dict[str, Any]) -> None:
        self._page = page
        self.element = element
        self.text = text
        self.look = look
        self.keyboard = page.tab.page.keyboard
        self.was_opened = False
        self._has_shown = False
        """Whether there were options to see when it was opened last."""
        self.before: ChoiceOutcome | None = None
        """What the widget showed before the choice."""
        self.others: list[str] = []
        """Labels of options that were not found."""
        self.typed = ""
        """What was typed to find an option."""
        self._typed_over: str | None = None
        """What stood in the field before that."""

    @property
    def takes_several(self) -> bool:
        return bool(self.look["multiple"])

    async def listing(self, word: str, *, as_number: bool = False) -> OpenList:
        """The options of the open list: see `listing` in scripts/widget-lists.js."""
        listing: OpenList | None = await self.element.ask("listing", word, as_number)
        if listing is None:
            raise NoMatch(f"{self.text} disappeared", failures.SEE_ELEMENTS)
        return listing

    async def outcome(self, labels: list[str], node: int = 0) -> ChoiceOutcome:
        """What the widget shows, and whether that says one of the labels: see `outcome` in scripts/widget-choices.js."""
        outcome: ChoiceOutcome | None = await self.element.ask("outcome", labels, node)
        return outcome or {
            "held": "",
            "shows": "",
            "own": True,
            "exact": True,
            "says": True,
            "chosen": None,
            "open": False,
        }

    async def press(self, node: int, at: Any = None, seconds: float = PRESS_SECONDS) -> bool:
        """Press the middle of an element with the mouse, or a point of it; press Space on a radio button that the mouse does not reach.

        False when the mouse did not reach it.
        """
        follows = not self.look["opens"]  # a list that stands on the page gets the focus by the press
        pressed = Element(self.element.target, self.element.frame, node, self._page)
        if at:
            return await presses.of_option(pressed, self.text, follows=follows, seconds=seconds, position=at)
        place = await self._place_of(pressed)
        if not place["box"]:
            return False
        if place["byKey"]:
            await pressed.ask("focusOn")
            await self.keyboard.press("Space")
            return True
        shown = Element(self.element.target, self.element.frame, place["id"], self._page)
        if self.was_opened and not place["at"] and await presses.at_rest(shown):
            return True
        return await presses.of_option(shown, self.text, follows=follows, seconds=seconds, position=place["at"])

    async def _place_of(self, option: Element) -> PlaceOfOption:
        """Where to press an option of a list that has just opened, once it no longer moves.

        Playwright scrolls what moves in several ways, which pushes a list that slides open out of its place for good. So does what scrolls to an option
        that is out of reach only as yet.
        """
        place: PlaceOfOption = await option.ask("pressable", not self.was_opened)
        looks, since = self.looks(MOVING_SECONDS), self._page.now()
        is_still = not self.was_opened
        while place["box"] and not (place["id"] and is_still):
            await self._page.world.frame(OPENING_SECONDS)
            box, now = place["box"], self._page.now()
            is_late = looks.are_over()
            has_rested = now - since >= (CLIPPED_SECONDS if place["clipped"] else STILL_SECONDS)
            place = await option.ask("pressable", has_rested or is_late)
            is_still = place["box"] == box or is_late
            since = since if is_still else now
        return place

    # opening

    async def open(self, word: str) -> None:
        """Have the list show its options: by a press on the widget, or on the button of it that opens the list, then by keys."""
        listing = await self._without_leaving_list(word)
        showed_before, self._has_shown = self._has_shown, listing["open"]
        if listing["open"]:
            return
        if listing["expanded"] and not self.was_opened:
            await self.escape()  # which of the lists it is can be told when it opens
            await self.element.ask("widget")
        # Escape may take back what has been chosen, and a press closes it
        left = PRESSES_OF_GONE if listing["expanded"] and self.was_opened else 1
        self.was_opened = True
        while left:
            place: PlaceToOpen | None = await self.element.ask("openAt")
            is_pressed = place and await self.press(place["id"], place["at"], LOADING_SECONDS)
            if is_pressed and await self._shows_options(word):
                return
            left -= 1
            if showed_before and (await self.listing(word))["expanded"]:
                left, showed_before = PRESSES_OF_GONE, False  # it has gone before it could be seen
        if await self._opens_by_button(word):
            return
        for key, seconds in _OPENING_KEYS.items():
            if (await self.listing(word))["expanded"]:
                break
            await self.element.ask("focusOn")
            await self.keyboard.press(key)
            if await self._shows_options(word, seconds):
                return
            await self._step_back()
        if await self.element.ask("filter") is None and not await self._shows_options(word):
            raise NotInteractable(f"{self.text} did not show any options when it was opened", KEYS)

    async def _opens_by_button(self, word: str) -> bool:
        button: int = await self.element.ask("openingButton")
        if not button or (await self.listing(word))["expanded"]:
            return False
        return await self.press(button) and await self._shows_options(word)

    async def _step_back(self) -> None:
        """Take back what a key has chosen that was to open the list: a closed one may take the next option by it, as a native one does."""
        before, after = self.before, await self.outcome([])
        if before and before["shows"] and after["shows"] != before["shows"]:
            await self.keyboard.press("ArrowUp")

    async def _without_leaving_list(self, word: str) -> OpenList:
        """What is open. A list that can be seen of a widget which says that it is closed is on its way out, mostly: it gets the time to go."""
        looks = Looks(self._page, self._page.wait_until(OPENING_SECONDS))
        is_leaving = False
        while True:
            listing = await self.listing(word)
            if not (listing["open"] and listing["collapsed"]) or looks.are_over():
                break
            is_leaving = True
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        if is_leaving:
            await self.element.ask("widget")  # what has gone may come again
        return listing

    async def _shows_options(self, word: str, seconds: float = OPENING_SECONDS) -> bool:
        """Whether options are shown within that time, or within that of a list which says that it is open."""
        soon, late = self.looks(seconds), self.looks(LOADING_SECONDS)
        while True:
            listing = await self.listing(word)
            if listing["open"]:
                self._has_shown = True
                return True
            waits = listing["expanded"] and await self.element.ask("filter") is None  # else for what is typed
            is_late, is_over = late.are_over(), soon.are_over()
            if is_late if waits else is_over:
                return False
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    def looks(self, seconds: float, give_up: float = math.inf) -> Looks:
        """For so long, whatever `--timeout` says."""
        return Looks(self._page, min(self._page.now() + seconds, give_up))

    # closing

    async def escape(self) -> None:
        """Press Escape where the widget hears of it."""
        await self.element.ask("focusOn", True)
        await self.keyboard.press("Escape")

    async def confirm(self) -> list[str]:
        """Press the button of the open list that takes what is chosen in it, where there is one. Returns the names of its buttons."""
        buttons: ListButtons = await self.element.ask("listButtons")
        if buttons["takes"] and await self.press(buttons["takes"]):
            await self.until_closed()
        return buttons["names"]

    async def until_closed(self) -> None:
        """Wait until the list has gone: the next command would take one that can be seen for another's."""
        looks = self.looks(OPENING_SECONDS)
        while (await self.listing(""))["open"]:
            if looks.are_over():
                return
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def untyped(self) -> None:
        """Take back what was typed to find an option."""
        field = await self.element.ask("filter") if self._typed_over is not None else None
        if field and field["held"] != self._typed_over:
            await self._replace(self._typed_over or "")

    # finding

    async def find(self, word: str) -> FoundOption:
        """Find an option by its label: among those shown, after typing the label into the field, or further down."""
        give_up = self._page.wait_until(WAIT_SECONDS)
        first = await self.listing(word)
        if self._has_shown and not first["open"]:  # it was on its way out
            await self.open(word)
            first = await self.listing(word)
        if first["found"]:
            return self._option(first, first["found"], word)
        if found := await columns.by_path(self._page, self.element, word, self.press):
            return found
        if (field := await self.element.ask("filter")) is not None:
            self._typed_over = field["held"]
            await self._replace(word)
            found = await self._appears(word, self.looks(OPTION_SECONDS, give_up))
            if not found and first["open"]:
                await self._replace(self._typed_over)  # the field may look for something else than labels
        found = found or await self._appears(word, self.looks(OPTION_SECONDS, give_up))
        found = found or await self._further_down(word, give_up)
        if found:
            return found
        options = first["options"] or (await self.element.ask("suggestions"))[:MOST_SUGGESTIONS]
        raise NoMatch(f"There is no option {quote_text(word, 60)}", available(options, first["total"]))

    async def _appears(self, word: str, looks: Looks) -> FoundOption | None:
        while True:
            listing = await self.listing(word)
            if listing["found"]:
                return self._option(listing, listing["found"], word)
            if looks.are_over():
                return None
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _further_down(self, word: str, give_up: float) -> FoundOption | None:
        """Look through a list that draws only what is in view. Raises TimedOut where that takes too long."""
        await self.element.ask("scrollList", True)
        looks = Looks(self._page, give_up, LEAST_STEPS)
        while True:
            await self._page.world.frame(OPENING_SECONDS)
            if found := await self._appears(word, Looks(self._page, self._page.now(), 1)):
                return found
            if not await self.element.ask("scrollList", False):
                return None
            if looks.are_over():
                raise TimedOut(
                    f"{self.text} showed no option {quote_text(word, 60)} in time: its list goes on",
                    "Give it longer, for example --timeout 20000",
                )

    async def _replace(self, words: str) -> None:
        """Write into the field that has the focus, by keys, in the place of all that it holds.

        In an empty one these keys may be for what is chosen already: Tom Select marks all of that by Control+A.
        """
        self.typed = words
        field = await self.element.ask("filter")
        if field and field["held"]:
            await self.keyboard.press("ControlOrMeta+A")
            if not words:
                await self.keyboard.press("Delete")
        if words:
            own_paste.refuse_held_paste(self._page, words)
            await self.keyboard.type(words)

    def _option(self, listing: OpenList, option: FoundOption, word: str) -> FoundOption:
        if listing["rivals"]:
            names = list(dict.fromkeys(one_line(name, 40) for name in listing["rivals"]))
            hint = "Open it with 'click' and choose with 'snapshot -i'"
            if len(names) == len(listing["rivals"]):
                hint = f"Name one whole: {', '.join(names[:10])}"
            raise NotInteractable(f"Several options are called {quote_text(word, 60)}", hint)
        if listing["multiple"]:
            self.look["multiple"] = True
        self.others = [other["label"] for other in listing["options"] if other["label"] not in option["labels"]]
        return option
