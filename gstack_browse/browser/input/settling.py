"""Reads a field or a list back once the page has had time to put its value in.

Many pages keep the value in a state of their own and draw the field from that: a moment later, often as a new field in the place of the old one. Until
then the field may show what it held before. What is written once more meanwhile comes on top of what the page puts in.
"""

import asyncio
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine.answers import Held, Listing
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input import at_once
from gstack_browse.browser.input.find import Element, locate
from gstack_browse.browser.input.looks import Looks
from gstack_browse.browser.input.readiness import Probe
from gstack_browse.errors import BrowseError
from gstack_browse.text import numbers

LATE_SECONDS = 0.5
"""How long a page that keeps the value of a field itself may take to put it in."""
LATE_LOOKS = 5
LOOK_AGAIN_SECONDS = 0.02


class WrittenField:
    """A field that a value was written into, or the one that the page has put in its place since, and what that holds."""

    def __init__(self, element: Element, probe: Probe, value: str, before: Held | None) -> None:
        """`before`: what the field held before `value` was written."""
        self.element = element
        self.held: Held | None = None
        """None where there is no field any more, and where the page goes elsewhere or asks something."""
        self.probe = probe
        self.value = value
        self.before = before
        self._first = element.node
        self._parsed: str | None = None

    @property
    def is_replaced(self) -> bool:
        """Whether the page has put another field in the place of the first."""
        return self.element.node != self._first

    def is_here(self) -> bool:
        """Whether the page that had the field is still shown."""
        return not self.element.page.tab.is_leaving

    @property
    def is_emptied(self) -> bool:
        """Whether there is nothing of the value in the field."""
        return bool(self.value.strip()) and self.held is not None and not plain(self.held["value"]).strip()

    @property
    def has_a_part(self) -> bool:
        """Whether the field holds nothing but a part of the value, or nothing at all."""
        return self.held is None or contains(self.value, self.held["value"])

    async def read(self, said: Held | None = None) -> bool:
        """Read the field until it shows the value, or the time for that is over. Whether it does. `said`: what it was said to hold at first."""
        page = self.element.page
        looks = Looks(page, page.now() + LATE_SECONDS, LATE_LOOKS)
        self.held = said
        if said is None or said.get("gone"):
            self.element, self.held = await read(self.element)
        while self.held is not None and not await self._shows(self.held):
            if looks.are_over():
                return False
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            self.element, self.held = await read(self.element)
        return True

    async def parsed(self) -> str:
        """What the field itself makes of the value: a slider the nearest step."""
        if self._parsed is None:
            self._parsed = await self.element.ask("parsed", self.value)
        return self._parsed

    async def _shows(self, held: Held) -> bool:
        """Whether a field holds a value, or what a page has made of it: its letters are there, in their order."""
        if held["value"] == self.value:
            return True
        if not self.value:
            return self.before is not None and held["value"] != self.before["value"]
        if self.probe.fill == "set":
            return held["value"] == await self.parsed()
        return contains(held["value"], self.value) and not numbers.is_different_number(
            held["value"], self.value
        )


def contains(held: str, value: str) -> bool:
    """Whether the letters and digits of a value are in a text in their order, whatever the case and whatever is between them."""
    wanted = _letters(value)
    if not wanted:
        return value.strip() in held
    there = iter(_letters(held))
    return all(letter in there for letter in wanted)


def _letters(text: str) -> str:
    """The letters and digits of a text, without what a mask puts between them; capitals as small ones."""
    return "".join(filter(str.isalnum, text)).casefold()


_FILLERS = dict.fromkeys(map(ord, "\u200b\ufeff"))
"""Characters without width that editors put into an empty line, so that the caret has a place there."""


def plain(value: str) -> str:
    """A value as two are compared: line breaks and blanks have one form each, fillers none, and a last line may be left open."""
    return (
        value.translate(_FILLERS)
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("\u00a0", " ")
        .removesuffix("\n")
    )


async def read(element: Element) -> tuple[Element, Held | None]:
    """What a field holds, or the field in its place. None where there is none, and where the page goes elsewhere or asks something."""
    page = element.page
    looks = Looks(page, page.now() + LATE_SECONDS, LATE_LOOKS)
    with suppress(FrameGone, PlaywrightError):
        while True:
            element, held = await _ask_in_place(element, "value")
            if held:
                break
            other = await in_its_place(element)
            if other is None or other.node == element.node or looks.are_over():
                break
            element = other  # which may be gone, too, where the page draws often
        return element, held
    return element, None


async def kept_options(element: Element, after: Listing | None, wanted: set[str]) -> Listing | None:
    """The options of a list, or of the one in its place, once they are selected as `wanted` (labels), or the time for that is over."""
    page = element.page
    looks = Looks(page, page.now() + LATE_SECONDS, LATE_LOOKS)
    with suppress(FrameGone, PlaywrightError):
        while True:
            while after is None and (other := await in_its_place(element)) and not looks.are_over():
                is_same = other.node == element.node
                element, after = await _ask_in_place(other, "options")
                if is_same:
                    break
            if after is None or selected(after) == wanted or looks.are_over():
                return after
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            element, after = await _ask_in_place(element, "options")
    return None


async def _ask_in_place(element: Element, question: str) -> tuple[Element, Any]:
    """Find the field that stands in a field's place now, and ask it, in one turn of the page.

    A page that draws often may have replaced it by the next turn. Returns that field with its answer; None as the answer where there is no field, and where the page goes elsewhere or asks something.
    """
    page = element.page
    told = await at_once.unless_leaving(page, element.ask("askInPlace", question))
    if not told:
        return element, None
    if told["node"] != element.node:
        element = Element(element.target, element.frame, told["node"], page)
    return element, told["answer"]


def selected(listing: Listing) -> set[str]:
    """The labels of the options that are selected."""
    return {option["label"] for option in listing["options"] if option["selected"]}


async def in_its_place(element: Element) -> Element | None:
    """The field that the page has put in the place of one that it has taken away; None for none, and where the page is on its way elsewhere."""
    page = element.page
    if page.tab.is_leaving:
        return None
    node: int = await at_once.unless_leaving(page, element.ask("successor")) or 0
    if node:
        return Element(element.target, element.frame, node, page)
    if element.target.startswith("@") or page.tab.is_leaving:
        return None
    with suppress(BrowseError):
        return await locate(page, element.target)
    return None
