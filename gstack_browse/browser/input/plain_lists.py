"""Chooses from lists that say nothing of themselves, as a person would: presses the box, finds the line that came to be seen, presses that, looks.

What may be such a box, and what came to be seen, are questions to the page (scripts/plain-lists.js). Nothing counts as chosen that the box does not show.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine.answers import PlainList, PlainOutcome, RevealedLine, RevealedLines
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.looks import LEAST_LOOKS, Looks
from gstack_browse.browser.input.perform import reached
from gstack_browse.errors import ActionFailed, BrowseError, NoMatch, NotInteractable
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

OPENING_SECONDS = 1.0
"""How long a line may take to be seen after a press, or after what was typed."""
TAKING_SECONDS = 1.5
"""How long the box may take to show what was chosen."""
PRESS_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.03
PRESSES_MORE = 2
LOOK = "See what it shows with 'snapshot -iD'"


async def choose(page: "PageSession", element: Element, text: str, wanted: Sequence[str]) -> list[str] | None:
    """Choose lines of a box by label. Returns the labels; None for what is not called a list and does not say that it opens.

    Raises NoMatch with the lines that there are when one is not there, NotInteractable where several are meant, ActionFailed where the box does not
    show what was chosen.
    """
    look: PlainList | None = await element.ask("plainList")
    if look is None:
        return None
    box = _Box(page, element, text, look)
    try:
        return [await box.choose(word) for word in wanted]
    finally:
        await box.leave()


class _Box:
    """One box, from the first look at it to the last."""

    def __init__(self, page: "PageSession", element: Element, text: str, look: PlainList) -> None:
        self._page = page
        self._press_at = Element(element.target, element.frame, look["press"], page)
        self._box = Element(element.target, element.frame, look["box"], page)
        self._text = text
        self._at = look["at"]
        self._shown = look["shows"]
        self._is_open = False

    async def choose(self, word: str) -> str:
        """Choose one line. Returns its label."""
        if self._shown.casefold() == " ".join(word.split()).casefold():
            return one_line(word, 80)  # it is chosen already
        seen = await self._revealed(word, 0) if self._is_open else None
        if seen is not None and not (seen["found"] or seen["typing"]):
            await self._press_at.ask("plainList")  # it has closed: what is to be seen is what was chosen before
            seen = None
        if seen is None or not seen["total"]:
            seen = await self._open(word)
        first = seen
        if not seen["found"] and seen["typing"]:
            await self._page.tab.page.keyboard.type(word)
            seen = await self._revealed(word, OPENING_SECONDS)
        if not seen["found"]:
            raise NoMatch(f'There is no option "{one_line(word, 60)}"', _available(first))
        if len(seen["found"]) > 1:
            raise NotInteractable(f'{len(seen["found"])} options are called "{one_line(word, 60)}"', LOOK)
        await self._take(seen["found"][0])
        return one_line(seen["found"][0]["label"], 80)

    async def _open(self, word: str) -> RevealedLines:
        """Press the box. Again where nothing comes to be seen: it was open; or it was about to close, and the second press does that."""
        self._is_open = True
        await self._press(self._press_at, self._at)
        seen = await self._revealed(word, OPENING_SECONDS)
        for _ in range(PRESSES_MORE):
            if seen["total"] or seen["typing"]:
                break
            await self._press_at.ask("plainList")  # what can be seen now is no option that is shown next
            await self._press(self._press_at, self._at)
            seen = await self._revealed(word, OPENING_SECONDS)
        return seen

    async def leave(self) -> None:
        """Close what is still open, as Escape does."""
        try:
            if self._is_open and (await self._revealed("", 0))["total"]:
                await self._page.tab.page.keyboard.press("Escape")
        except (PlaywrightError, BrowseError):
            return  # the page has gone; why is being told

    async def _take(self, line: RevealedLine) -> None:
        """Press a line and wait until the box shows something else that has its label, a field in the box changes, or the line is marked.

        An element with its words that is new in the box, beside the list, is something else, too.
        """
        before = await self._outcome(line)
        await self._press(Element(self._box.target, self._box.frame, line["id"], self._page))
        looks = Looks(self._page, self._page.wait_until(TAKING_SECONDS))
        label = line["label"].casefold()
        while (after := await self._outcome(line)) is not None and before is not None:
            says_it = after["shows"] != before["shows"] and label in after["shows"].casefold()
            is_new = after["added"] and not before["added"]
            if says_it or is_new or after["held"] != before["held"] or (after["marked"] and not line["marked"]):
                self._shown = after["shows"]
                return
            if looks.are_over():
                break
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        if after is None and await self._has_successor(line["label"]):
            self._page.notes.append(f"The page has put another in the place of {self._text} since")
            return
        raise ActionFailed(
            f'"{one_line(line["label"], 60)}" was pressed, and {self._text} does not show that it was taken',
            LOOK,
        )

    async def _has_successor(self, label: str) -> bool:
        """Whether what the page shows in the place of the box, which it has drawn anew, says just this."""
        if self._page.tab.is_navigating or self._page.tab.question:
            return False
        return bool(await self._page.world.call("plainSuccessor", label, frame=self._box.frame))

    async def _revealed(self, word: str, seconds: float) -> RevealedLines:
        looks = Looks(self._page, self._page.now() + seconds, LEAST_LOOKS if seconds else 1)
        while True:
            seen: RevealedLines = await self._box.ask("revealedLines", word)
            if seen["found"] or looks.are_over():
                return seen
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _outcome(self, line: RevealedLine) -> PlainOutcome | None:
        outcome: PlainOutcome | None = await self._box.ask("plainOutcome", line["id"])
        return outcome

    async def _press(self, element: Element, at: Any = None) -> None:
        click = element.locator.click
        if not await reached(self._page, click, self._text, seconds=PRESS_SECONDS, position=at):
            raise NotInteractable(f"A press did not reach what {self._text} shows", LOOK)


def _available(seen: RevealedLines) -> str:
    shown = [one_line(label, 40) for label in seen["labels"] if label]
    more = f" and {seen['total'] - len(seen['labels'])} more" if seen["total"] > len(seen["labels"]) else ""
    return f"Available: {', '.join(shown)}{more}" if shown else "A press showed no options"
