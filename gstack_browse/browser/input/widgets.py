"""Chooses from lists that pages build themselves, as a person would: opens, finds by label, presses, looks.

What is a list, where its options are and what it shows are questions to the page (scripts/widget*.js), which answers from
ARIA alone. The input is real: the mouse, and keys where the mouse cannot reach.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answers import ChoiceOutcome, FoundOption, OpenList
from gstack_browse.browser.input import columns, presses
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.option_words import available, label_of, staying
from gstack_browse.errors import ActionFailed, BrowseError, NoMatch, NotInteractable, TimedOut
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

WAIT_SECONDS = 5.0
OPENING_SECONDS = 0.6
"""How long a list may take to show its first option after it was told to open; then it is told in another way, the last time for longer."""
LOADING_SECONDS = 2.0
"""How long it may take where it says that it is open."""
OPTION_SECONDS = 1.0
"""How long an option that is not in a list may take to appear in it."""
TAKING_SECONDS = 1.5
"""How long a widget may take to show what was chosen."""
PRESS_SECONDS = 2.5
LOOK_AGAIN_SECONDS = 0.03
LEAST_STEPS = 100  # by which a list is scrolled on that draws only what is in view, however long that takes
KEYS = (
    "Try keys: 'click' it, 'press ArrowDown' until 'snapshot -i' shows the option as active, then 'press Enter'"
)
_OPENING_KEYS = {"ArrowDown": OPENING_SECONDS, "Alt+ArrowDown": LOADING_SECONDS}


async def choose(page: "PageSession", element: Element, text: str, wanted: Sequence[str]) -> list[str] | None:
    """Choose options of a widget by label. Returns the labels; None for what is no list of any kind.

    `text` is what to call it. In a widget that takes several, what was chosen before stays. Raises a TargetError with the
    options that there are when one is not there, ActionFailed when the widget does not take one.
    """
    look = await element.ask("widget")
    if look is None:
        return None
    if len(wanted) > 1 and look["single"]:
        raise NotInteractable(f"{text} takes one option, not {len(wanted)}", "Name one label")
    widget = _Widget(page, element, text, look)
    try:
        labels = [await widget.choose(word) for word in wanted]
    except BrowseError:
        await widget.leave()
        raise
    await widget.close(labels)
    return labels


async def rate(page: "PageSession", element: Element, text: str, value: str) -> None:
    """Choose the radio button that stands for a number, or has that label. Raises NotInteractable when there is none."""
    widget = _Widget(page, element, text, await element.ask("widget"))
    as_number = value.strip().replace(".", "", 1).isdigit()
    listing = await widget.listing(value, as_number=as_number)
    if not listing["found"]:
        hint = (
            available(listing["options"], listing["total"]) if listing["total"] > 1 else "Use 'click <target>'"
        )
        raise NotInteractable(f"{text} cannot be filled with that: no choice has that name or number", hint)
    await widget.take(listing["found"], value)


class _Widget:
    """One widget, from the first look at it to the last."""

    def __init__(self, page: "PageSession", element: Element, text: str, look: dict[str, Any]) -> None:
        self._page = page
        self._element = element
        self._text = text
        self._look = look
        self._keyboard = page.tab.page.keyboard
        self._has_opened = False
        self._typed_over: str | None = None
        """What stood in the field that was typed in to find an option."""
        self._typed = ""
        """What was typed there."""
        self._before: ChoiceOutcome | None = None
        """What it showed before the choice."""
        self._others: list[str] = []
        """Labels of options that were not chosen."""

    async def choose(self, word: str) -> str:
        """Choose one option. Returns its label."""
        self._before = before = await self._outcome([word])
        if self._look["suggests"] and (suggested := await self._suggested(word)) is not None:
            return suggested
        if self._look["opens"]:
            if before["own"] and not before["open"]:
                return one_line(word, 80)  # it is chosen already
            await self._open(word)
        option = await self._find(word)
        if option["disabled"]:
            listing = await self.listing("")
            hint = available(listing["options"], listing["total"])
            raise NotInteractable(f'The option "{label_of(option, word)}" is disabled', hint)
        await self.take(option, word)
        return label_of(option, word)

    async def listing(self, word: str, *, as_number: bool = False) -> OpenList:
        """The options of the open list: see `listing` in scripts/widget-lists.js."""
        listing: OpenList | None = await self._element.ask("listing", word, as_number)
        if listing is None:
            raise NoMatch(f"{self._text} disappeared", failures.SEE_ELEMENTS)
        return listing

    async def take(self, option: FoundOption, word: str) -> None:
        """Press an option that can be seen and wait until the widget has taken it."""
        node = option["id"]
        before = self._before or await self._outcome(option["labels"])
        if self._takes_several and option["chosen"] and before["exact"]:
            return
        if not await self._press(node):
            if self._took(option, before, await self._outcome(option["labels"], node)):
                return  # a busy page heard of the press late
            # A list that is drawn anew has another node for it.
            node = ((await self.listing(word))["found"] or option)["id"]
            if not await self._press(node, seconds=LOADING_SECONDS):
                raise ActionFailed(f'The option "{label_of(option, word)}" could not be pressed', KEYS)
        await self._until_taken(option, node, before)

    async def _until_taken(self, option: FoundOption, node: int, before: ChoiceOutcome) -> None:
        may_undo = self._takes_several and option["chosen"]
        looks = Looks(self._page, self._page.wait_until(TAKING_SECONDS))
        while True:
            await self._page.world.frame(OPENING_SECONDS)
            after = await self._outcome(option["labels"], node)
            if self._took(option, before, after):
                return
            if may_undo and after["chosen"] is False:
                await self._press(node)  # it had been chosen: the press took it out
                may_undo = False
            if looks.are_over():
                if not await self._took_behind_list(option, before, after):
                    raise self._not_taken(option, after)
                return

    async def _took_behind_list(self, option: FoundOption, before: ChoiceOutcome, after: ChoiceOutcome) -> bool:
        """Whether the widget, which shows something else now, stays with that when its list is closed: it may show a number."""
        if not after["open"] or after["shows"] == before["shows"] or self._look["inDialog"]:
            return False
        await self._escape()
        looks = Looks(self._page, self._page.wait_until(OPENING_SECONDS))
        while True:
            left = await self._outcome(option["labels"])
            if not left["open"] or looks.are_over():
                return self._took(option, before, left)
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def close(self, chosen: Sequence[str]) -> None:
        """Close the opened list where the choice did not, and tell what else is chosen. Escape would close a dialog around the list, too."""
        if self._takes_several:
            self._page.notes.extend(staying(self._text, (await self.listing(""))["chosen"], chosen))
        if not self._has_opened or self._look["inDialog"]:
            return
        looks = self._looks(OPENING_SECONDS)
        while (listing := await self.listing(""))["open"] and not looks.are_over():
            if self._takes_several or listing["multiple"]:
                break
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        if listing["open"] and listing["expanded"]:
            await self._escape()
            await self._until_closed()

    async def leave(self) -> None:
        """Leave the widget as it was: without what was typed, and closed."""
        try:
            if self._typed_over is not None and await self._element.ask("filter"):
                await self._replace(self._typed_over)
            if self._has_opened and (await self.listing(""))["open"] and not self._look["inDialog"]:
                await self._escape()
                await self._until_closed()
        except (PlaywrightError, BrowseError):
            return  # the page has gone; why is being told

    async def _until_closed(self) -> None:
        """Wait until the list has gone: the next command would take one that can be seen for another's."""
        looks = self._looks(OPENING_SECONDS)
        while (await self.listing(""))["open"]:
            if looks.are_over():
                return
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _escape(self) -> None:
        await self._element.ask("focusOn", True)
        await self._keyboard.press("Escape")

    # private: opening

    async def _open(self, word: str) -> None:
        """Have the list show its options: by a press, then by keys."""
        listing = await self._without_leaving_list(word)
        if listing["open"]:
            return
        if listing["expanded"]:
            await self._escape()  # which of the lists it is can be told when it opens
            await self._element.ask("widget")
        self._has_opened = True
        place = await self._element.ask("openAt")
        is_pressed = place and await self._press(self._element.node, place, LOADING_SECONDS)
        if is_pressed and await self._shows_options(word):
            return
        for key, seconds in _OPENING_KEYS.items():
            if (await self.listing(word))["expanded"]:
                break
            await self._element.ask("focusOn")
            await self._keyboard.press(key)
            if await self._shows_options(word, seconds):
                return
            await self._step_back()
        if await self._element.ask("filter") is None and not await self._shows_options(word):
            raise NotInteractable(f"{self._text} did not show any options when it was opened", KEYS)

    async def _step_back(self) -> None:
        """Take back what a key has chosen that was to open the list: a closed one may take the next option by it, as a native one does."""
        before, after = self._before, await self._outcome([])
        if before and before["shows"] and after["shows"] != before["shows"]:
            await self._keyboard.press("ArrowUp")

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
            await self._element.ask("widget")  # what has gone may come again
        return listing

    async def _shows_options(self, word: str, seconds: float = OPENING_SECONDS) -> bool:
        """Whether options are shown within that time, or within that of a list which says that it is open."""
        soon, late = self._looks(seconds), self._looks(LOADING_SECONDS)
        while True:
            listing = await self.listing(word)
            if listing["open"]:
                return True
            waits = listing["expanded"] and await self._element.ask("filter") is None  # else for what is typed
            is_late, is_over = late.are_over(), soon.are_over()
            if is_late if waits else is_over:
                return False
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    def _looks(self, seconds: float, give_up: float = math.inf) -> Looks:
        """For so long, whatever `--timeout` says."""
        return Looks(self._page, min(self._page.now() + seconds, give_up))

    # private: finding

    async def _find(self, word: str) -> FoundOption:
        """Find an option by its label: among those shown, after typing the label into the field, or further down."""
        give_up = self._page.wait_until(WAIT_SECONDS)
        first = await self.listing(word)
        if first["found"]:
            return self._option(first, first["found"], word)
        if found := await columns.by_path(self._page, self._element, word, self._press):
            return found
        if (field := await self._element.ask("filter")) is not None:
            self._typed_over = field["held"]
            await self._replace(word)
            found = await self._appears(word, self._looks(OPTION_SECONDS, give_up))
            if not found and first["open"]:
                await self._replace(self._typed_over)  # the field may look for something else than labels
        found = found or await self._appears(word, self._looks(OPTION_SECONDS, give_up))
        found = found or await self._further_down(word, give_up)
        if found:
            return found
        raise NoMatch(f'There is no option "{one_line(word, 60)}"', available(first["options"], first["total"]))

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
        await self._element.ask("scrollList", True)
        looks = Looks(self._page, give_up, LEAST_STEPS)
        while True:
            await self._page.world.frame(OPENING_SECONDS)
            if found := await self._appears(word, Looks(self._page, self._page.now(), 1)):
                return found
            if not await self._element.ask("scrollList", False):
                return None
            if looks.are_over():
                raise TimedOut(
                    f'{self._text} showed no option "{one_line(word, 60)}" in time: its list goes on',
                    "Give it longer, for example --timeout 20000",
                )

    async def _replace(self, words: str) -> None:
        """Write into the field that has the focus, by keys, in the place of all that it holds."""
        self._typed = words
        await self._keyboard.press("ControlOrMeta+A")
        if words:
            await self._keyboard.type(words)
        else:
            await self._keyboard.press("Delete")

    def _option(self, listing: OpenList, option: FoundOption, word: str) -> FoundOption:
        if listing["rivals"]:
            names = list(dict.fromkeys(one_line(name, 40) for name in listing["rivals"]))
            hint = "Open it with 'click' and choose with 'snapshot -i'"
            if len(names) == len(listing["rivals"]):
                hint = f"Name one whole: {', '.join(names[:10])}"
            raise NotInteractable(f'Several options are called "{one_line(word, 60)}"', hint)
        if listing["multiple"]:
            self._look["multiple"] = True
        self._others = [
            other["label"] for other in listing["options"] if other["label"] not in option["labels"]
        ]
        return option

    # private: choosing

    @property
    def _takes_several(self) -> bool:
        return bool(self._look["multiple"])

    async def _press(self, node: int, at: Any = None, seconds: float = PRESS_SECONDS) -> bool:
        """Press the middle of an element with the mouse, or a point of it; press Space on a radio button that the mouse does not reach.

        False when the mouse did not reach it.
        """
        pressed = Element(self._element.target, self._element.frame, node, self._page)
        place = await pressed.ask("pressable")
        if place["byKey"]:
            await pressed.ask("focusOn")
            await self._keyboard.press("Space")
            return True
        shown = Element(self._element.target, self._element.frame, place["id"], self._page)
        follows = not self._look["opens"]  # a list that stands on the page gets the focus by the press
        return await presses.of_option(shown, self._text, follows=follows, seconds=seconds, position=at)

    async def _outcome(self, labels: list[str], node: int = 0) -> ChoiceOutcome:
        outcome: ChoiceOutcome | None = await self._element.ask("outcome", labels, node)
        return outcome or {
            "held": "",
            "shows": "",
            "own": True,
            "exact": True,
            "says": True,
            "chosen": None,
            "open": False,
        }

    def _took(self, option: FoundOption, before: ChoiceOutcome, after: ChoiceOutcome) -> bool:
        """Whether the widget shows the choice: what stands beside it may have said the same before."""
        if not self._look["opens"]:
            return bool(after["chosen"])
        if self._typed and after["open"] and after["held"] == self._typed and not self._takes_several:
            return False  # it shows what was typed
        if after["own"] or (after["exact"] and (option["chosen"] or not before["exact"])):
            return True
        if after["says"] and not before["says"]:
            return True
        if self._takes_several and after["chosen"]:
            return True
        is_newly_marked = bool(after["chosen"]) and not option["chosen"]  # the widget may show how many are
        return (is_newly_marked or not after["open"]) and self._shows_anew(before["shows"], after["shows"])

    def _shows_anew(self, before: str, after: str) -> bool:
        """Whether it shows something else now, which is the label of none of the other options: a short form, or a count."""
        if before == after or any(label and label in after and label not in before for label in self._others):
            return False
        self._page.notes.append(f'{self._text} shows "{one_line(after, 80)}" now')
        return True

    def _not_taken(self, option: FoundOption, after: ChoiceOutcome) -> ActionFailed:
        shown = one_line(after["shows"], 80)
        now = f'it shows "{shown}"' if shown else "it shows nothing"
        return ActionFailed(f'{self._text} did not take "{label_of(option, "")}": {now}', KEYS)

    async def _suggested(self, word: str) -> str | None:
        """Fill a field with one of its suggestions. None when it has no such one, which a page may yet add."""
        for option in await self._element.ask("suggestions"):
            if word in (option["value"], option["label"]):
                await self._element.locator.fill(option["value"], timeout=self._page.budget(WAIT_SECONDS))
                return one_line(option["label"] or option["value"], 80)
        return None
