"""Choose by path through lists side by side, where each choice opens the next list ("Asia / Japan")."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gstack_browse.browser.engine.list_answers import Column, FoundOption
from gstack_browse.browser.input.find import Element
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.option_words import available, label_of
from gstack_browse.errors import ActionFailed, NoMatch
from gstack_browse.text.sanitise import quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

FIRST_SECONDS = 1.0
"""How long the first option of a path may take to appear in the first list."""
NEXT_SECONDS = 2.0
"""How long the next list may take to open and to have its option."""
LOOK_AGAIN_SECONDS = 0.03
_STEP = re.compile(r"\s*[/>›»→]\s*")
"""Separator between the labels of a path."""


async def by_path(
    page: "PageSession", element: Element, word: str, press: Callable[[int], Awaitable[bool]]
) -> FoundOption | None:
    """Press all options of a path but the last, and return that one.

    None if the word is no path, or no list has its first option. Raises NoMatch if a later step has no such
    option, ActionFailed if an option could not be pressed.
    """
    steps = [step for step in _STEP.split(word.strip()) if step]
    if len(steps) < 2 or (option := await _in_column(page, element, steps[0], 0, FIRST_SECONDS)) is None:
        return None
    for index, step in enumerate(steps[1:], 1):
        before = label_of(option, steps[index - 1])
        if not await press(option["id"]):
            raise ActionFailed(f'The option "{before}" could not be pressed')
        found = await _in_column(page, element, step, index, NEXT_SECONDS)
        if found is None:
            column: Column | None = await element.ask("inColumn", step, index)
            hint = available(column["options"], column["total"]) if column else "Nothing opened beside it"
            raise NoMatch(f'There is no option {quote_text(step, 60)} behind "{before}"', hint)
        option = found
    option["labels"] = [" ".join(word.split()), *option["labels"]]
    return option


async def _in_column(
    page: "PageSession", element: Element, word: str, index: int, seconds: float
) -> FoundOption | None:
    """Return the option of that name in the list with that index (from 0); None after `seconds`."""
    looks = Looks(page, page.wait_until(seconds))
    while True:
        column: Column | None = await element.ask("inColumn", word, index)
        if column and column["found"]:
            return column["found"]
        if looks.are_over():
            return None
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
