"""Read a field or a list after writing, once the page has had time to draw the new value.

Many pages keep the value in a state of their own and draw the field from that: a moment later, often as a new field that replaces
the old one. Until then the field may show its earlier content, and a text written again would be added to the page's.
"""

import asyncio
import re
from contextlib import suppress
from typing import Any

from gstack_browse.browser.actions.input import prepared_input
from gstack_browse.browser.actions.locate.find import Element, locate
from gstack_browse.browser.actions.readiness import ElementReport
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PollBudget
from gstack_browse.browser.engine.answer_types import FieldContent, Listing
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import BrowseError

LATE_SECONDS = 0.5
"""Seconds that a page which keeps a field's value itself may take to put it in."""
LATE_LOOKS = 5
LOOK_AGAIN_SECONDS = 0.02
_MINUS = ("-", "\u2212")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_WRITTEN = re.compile(r"\d[\d.,]*")
_THOUSANDS = re.compile(r"(?!0\D)\d{1,3}([.,])\d{3}(?:\1\d{3})*")
_BETWEEN = re.compile(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3})")
"""Separators of thousands other than point and comma."""


class WrittenField:
    """A field that a value was written into, or the one that has replaced it since, with its content."""

    def __init__(
        self, element: Element, report: ElementReport, value: str, before: FieldContent | None
    ) -> None:
        """`before`: what the field held before `value` was written."""
        self.element = element
        self.held: FieldContent | None = None
        """What the field holds; None if it has gone, the page navigates, or a dialog is open."""
        self.report = report
        self.value = value
        self.before = before
        self._first = element.node
        self._parsed: str | None = None

    @property
    def is_replaced(self) -> bool:
        """Return whether the page has replaced the field by another element since the value was written."""
        return self.element.node != self._first

    @property
    def is_emptied(self) -> bool:
        """Return whether the field is empty, though the written value is not."""
        return (
            bool(self.value.strip())
            and self.held is not None
            and not normalise_value(self.held["value"]).strip()
        )

    @property
    def holds_only_part_of_value(self) -> bool:
        """Return whether the field contains a part of the written value, and nothing else.

        True also for an empty field, and for one that cannot be read.
        """
        return self.held is None or has_characters_in_order(self.value, self.held["value"])

    async def read(self, reported: FieldContent | None = None) -> bool:
        """Read the field's content into `held` until it shows the written value. Return whether it does.

        Gives up after LATE_SECONDS. `reported`: its content right after writing, if known.
        """
        page = self.element.page
        looks = PollBudget(page, page.now() + LATE_SECONDS, LATE_LOOKS)
        self.held = reported
        if reported is None or reported.get("gone"):
            self.element, self.held = await read_field(self.element)
        while self.held is not None and not await self._shows(self.held):
            if looks.is_exhausted():
                return False
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            self.element, self.held = await read_field(self.element)
        return True

    async def read_parsed_value(self) -> str:
        """Return the written value as the browser parses it for this input type: a slider's nearest step."""
        if self._parsed is None:
            self._parsed = await self.element.ask("parseFieldValue", self.value)
        return self._parsed

    async def _shows(self, held: FieldContent) -> bool:
        """Return whether the content `held` shows the written value, as it is or as the field formats it.

        Formatted text has the letters and digits of the value in order, and is no other number. After an empty value was written,
        any content that differs from the earlier one counts.
        """
        if held["value"] == self.value:
            return True
        if not self.value:
            return self.before is not None and held["value"] != self.before["value"]
        if self.report.fill == "set":
            return held["value"] == await self.read_parsed_value()
        return has_characters_in_order(held["value"], self.value) and not is_different_number(
            held["value"], self.value
        )


def has_characters_in_order(held: str, value: str) -> bool:
    """Return whether `held` has all letters and digits of `value` in order; others may stand between."""
    wanted = _letters_and_digits(value)
    if not wanted:
        return value.strip() in held
    there = iter(_letters_and_digits(held))
    return all(letter in there for letter in wanted)


def has_same_characters(held: str, wanted: str) -> bool:
    """Return whether texts have the same letters and digits, and are no different numbers: 15, 1.5, -15."""
    letters = _letters_and_digits(wanted)
    if not letters or letters != _letters_and_digits(held):
        return False
    has_same_sign = held.strip().startswith(_MINUS) == wanted.strip().startswith(_MINUS)
    return has_same_sign and not (is_different_number(held, wanted) or is_different_number(wanted, held))


def _letters_and_digits(text: str) -> str:
    """Return only the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text)).casefold()


_FILLERS = dict.fromkeys(map(ord, "\u200b\ufeff"))
"""Characters without width that editors put into an empty line to have a place for the caret."""


def normalise_value(value: str) -> str:
    """Return a field's value in the form in which values are compared.

    Line breaks become "\\n", with none at the end, no-break spaces become spaces, and characters without width are removed.
    """
    return (
        value.translate(_FILLERS)
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("\u00a0", " ")
        .removesuffix("\n")
    )


async def read_field(element: Element) -> tuple[Element, FieldContent | None]:
    """Read a field, or the one that the page has replaced it by. Return (that field, its content).

    The content is None if there is no field, the page navigates, or a dialog is open.
    """
    page = element.page
    looks = PollBudget(page, page.now() + LATE_SECONDS, LATE_LOOKS)
    with suppress(FrameGone, ProtocolError):
        while True:
            element, held = await _call_on_replacement(element, "readFieldContent")
            if held:
                break
            other = await find_replacement_field(element)
            if other is None or other.node == element.node or looks.is_exhausted():
                break
            element = other  # it may have gone, too, if the page draws often
        return element, held
    return element, None


async def wait_until_selected(element: Element, after: Listing | None, wanted: set[str]) -> Listing | None:
    """Wait until exactly the `wanted` labels are selected in a `<select>`. Return its options then.

    Returns the options also after LATE_SECONDS; None if the list has gone. `after`: the options right after the choice; None if
    the page has replaced the list since.
    """
    page = element.page
    looks = PollBudget(page, page.now() + LATE_SECONDS, LATE_LOOKS)
    with suppress(FrameGone, ProtocolError):
        while True:
            while (
                after is None and (other := await find_replacement_field(element)) and not looks.is_exhausted()
            ):
                is_same = other.node == element.node
                element, after = await _call_on_replacement(other, "listOptions")
                if is_same:
                    break
            if after is None or selected_labels(after) == wanted or looks.is_exhausted():
                return after
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            element, after = await _call_on_replacement(element, "listOptions")
    return None


async def _call_on_replacement(element: Element, function: str) -> tuple[Element, Any]:
    """Call the engine's function named `function` on `element`, or on the field that has replaced it.

    Return (that field, the function's result). The result is None if there is no field, the page navigates, or a dialog is open.
    """
    # One call for both: a page that draws often may have replaced the field again by the next.
    page = element.page
    reply = await prepared_input.await_unless_interrupted(page, element.ask("callOnReplacementField", function))
    if not reply:
        return element, None
    if reply["node"] != element.node:
        element = element.with_node(reply["node"])
    return element, reply["answer"]


def selected_labels(listing: Listing) -> set[str]:
    """Return the labels of the selected options of a native list."""
    return {option["label"] for option in listing["options"] if option["selected"]}


async def find_replacement_field(element: Element) -> Element | None:
    """Return the field that has replaced a removed one, or `element` if it is still in the page.

    None if there is none, and while the page navigates.
    """
    page = element.page
    if page.tab.is_interrupted:
        return None
    node: int = await prepared_input.await_unless_interrupted(page, element.ask("findReplacementField")) or 0
    if node:
        return element.with_node(node)
    if element.target.startswith("@") or page.tab.is_interrupted:
        return None
    with suppress(BrowseError):
        return await locate(page, element.target)
    return None


SEPARATORS = (",", ";", " ", "\n")
"""Separators of several values in one field."""


def ends_with_separator(value: str) -> bool:
    """Return whether a text with values ends with a comma, semicolon, space or line break (SEPARATORS).

    A field for tags takes the values then, and empties itself.
    """
    return value.endswith(SEPARATORS) and bool(_split_values(value))


class ShownValueCounter:
    """Counts how often the values in a text are shown on the page, before and after they are written."""

    def __init__(self, element: Element, value: str) -> None:
        self._element = element
        self._parts = _split_values(value)
        self._before: list[int] | None = None

    async def remember_counts(self) -> None:
        """Remember how often the page shows each value now; `are_values_shown` compares with that."""
        self._before = await self._count()

    async def are_values_shown(self) -> bool:
        """Return whether the page shows every value now.

        If `remember_counts` was called before, each must be shown more often than it was then.
        """
        after = await self._count()
        before = self._before or [0] * len(self._parts)
        return bool(after) and all(now > then for now, then in zip(after, before, strict=True))

    async def _count(self) -> list[int]:
        """Return how often the page shows each part of the value; [] if its document is gone."""
        question = self._element.ask("countOccurrences", self._parts)
        return await prepared_input.ask_after_action(self._element.page, question) or []


def _split_values(value: str) -> list[str]:
    """Split a text at commas, semicolons and line breaks: `red, dark blue;red` → `["red", "dark blue"]`.

    A value that occurs twice is returned once.
    """
    for separator in ",;":
        value = value.replace(separator, "\n")
    return list(dict.fromkeys(" ".join(line.split()) for line in value.split("\n") if line.strip()))


def is_different_number(held: str, wanted: str) -> bool:
    """Return whether `wanted` is a decimal number, and the field's content `held` a different number.

    True for held "123 €" and wanted "12.3": AutoNumeric, set to a decimal comma, takes a point for a separator of thousands.
    """
    if not _DECIMAL.fullmatch(wanted.strip()):
        return False
    wanted_numbers, held_numbers = _parse_possible_numbers(wanted), _parse_possible_numbers(held)
    return bool(held_numbers) and not wanted_numbers & held_numbers


def is_same_number(held: str, wanted: str) -> bool:
    """Return whether two texts have one number each, and the same one.

    Numbers are read as people usually write them: "1,234.50 €" is "1234.5".
    """
    values = _parse_usual_number(held), _parse_usual_number(wanted)
    return values[0] is not None and values[0] == values[1]


def _parse_usual_number(text: str) -> float | None:
    """Parse the only number in a text as people usually mean it; None for none or several.

    Groups of three digits are thousands: "1.234" → 1234, but "1.5" → 1.5, "0.234" → 0.234.
    """
    found = _WRITTEN.findall(_BETWEEN.sub("", text))
    if len(found) != 1:
        return None
    number = found[0].rstrip(".,")
    *whole, last = re.split(r"[.,]", number)
    is_fraction = bool(whole) and not _THOUSANDS.fullmatch(number)
    value = float(f"{''.join(whole)}.{last}" if is_fraction else "".join([*whole, last]))
    return -value if re.search(r"[-\u2212]\s*\D?\d", text) else value


def _parse_possible_numbers(text: str) -> set[float]:
    """Return all readings of the only number in a text: "1,234" → {1234, 1.234}; else an empty set."""
    found = _WRITTEN.findall(_BETWEEN.sub("", text))
    if len(found) != 1:
        return set()
    number = found[0].rstrip(".,")
    parts = re.split(r"[.,]", number)
    signs = re.findall(r"[.,]", number)
    may_be = set()
    if not signs or (parts[0] != "0" and all(len(part) == 3 for part in parts[1:])):
        may_be.add(float("".join(parts)))
    if signs and signs.count(signs[-1]) == 1:
        may_be.add(float("".join(parts[:-1]) + "." + parts[-1]))
    return may_be
