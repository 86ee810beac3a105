"""Move sliders and spin buttons that pages build themselves to a value, by keys.

The value of a handle without ARIA is the number beside it that follows the keys, or its place in per cent.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gstack_browse.browser.actions.input.presses import press_in_list
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.command.page import PollBudget
from gstack_browse.browser.engine.answer_types import ClickPoint, Track
from gstack_browse.errors import ActionFailed, NotInteractable, TimedOut
from gstack_browse.text.sanitise import one_line, quote_text

STEP_SECONDS = 0.15
"""Seconds for a value to follow a key."""
UNLABELLED_STEP_SECONDS = 0.45
"""Seconds for a handle without ARIA: ion.RangeSlider draws the effect of keys three times a second."""
WAIT_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.01
STEP_LOOKS = 8
EMPTY = "empty"
"""`aria-valuetext` of an empty date part (bits-ui); `aria-valuenow` has the number to which ArrowUp would lead."""
MOST_DELETED = 10
"""Letters deleted from a date part before it counts as one that cannot be emptied."""
LARGEST_HANDLE = 48
"""Largest side of a handle, in CSS pixels."""
MAX_BURST = 20
"""Most key presses before the value is read again."""
MOST_PRESSES = 50
"""Key presses beyond which the track is pressed first, to come near the value."""
KEYS_HINT = (
    "Try keys: 'click' it, then 'press ArrowUp', PageUp, Home or End, and see the value with 'snapshot -i'"
)
DRAG_HINT = "Try the mouse: 'drag' its handle, and see the value with 'snapshot -i'"
PARTS_HINT = "Fill each part with its own number, for example 'fill @e3 2026': 'snapshot -i' lists them"
HANDLES_HINT = "Move one of its handles: 'drag' it, or 'focus' it and press arrow keys"
PERCENTAGE_HINT = (
    "Give a percentage of its way, for example 35%; or try keys, and see what they do with 'snapshot -D'"
)
ARROW_KEYS = (("ArrowUp", "ArrowDown"), ("ArrowRight", "ArrowLeft"))
PAGE_KEYS = (("PageUp", "PageDown"),)


async def fill(element: Element, name: str, value: str, *, is_part: bool = False) -> str:
    """Move a slider to a number or a name (`aria-valuetext`). Return its value if that differs, else "".

    `name`: of the slider, for messages. `is_part`: it is a part of a date or the like (a spinbutton), which is typed into; keys
    move it only if typing fails. Raises NotInteractable for a value beyond its limits, ActionFailed if keys do not move it.
    """
    slider = _Slider(element, name)
    await slider.read_position()
    if slider.is_unlabelled:
        element.page.note_widget_rule(slider.rule)
        return await _fill_unlabelled_slider(slider, element, value)
    if not value.strip() and not is_part:
        raise NotInteractable(f"{name} always has a value", "Give a number")
    if slider.holds_no_number and not is_part:
        raise NotInteractable(f'{name} holds "{slider.shown}", which is not one number', HANDLES_HINT)
    if value and slider.shows_value(value) and not slider.is_empty:
        return ""
    number = _parse_number(value)
    if is_part:
        if number is not None:
            slider.check_range(number)
        elif any(map(str.isdigit, value)):
            raise NotInteractable(f"{name} takes one number, not all of a date or time", PARTS_HINT)
        if await slider.type(value if number is None else f"{number:g}"):
            return ""
        if number is None or slider.is_empty:
            raise slider.make_not_taken_error(value)
    await element.ask("focusWidget")
    if number is None:
        await slider.step_to_text(value)
        return ""
    slider.check_range(number)
    await slider.move_to(number)
    return "" if slider.is_at(number) else slider.shown


async def _fill_unlabelled_slider(slider: "_Slider", element: Element, value: str) -> str:
    """Move a slider without ARIA to a percentage ("40%"), or to a number that the page shows beside it.

    Return its value as text if that differs, else "". Raises NotInteractable for another value or one beyond its limits,
    ActionFailed if the slider's end comes before.
    """
    number = _parse_number(value.strip().removesuffix("%"))
    if number is None:
        raise NotInteractable(f"{slider.name} says no words", PERCENTAGE_HINT)
    await element.ask("focusWidget")
    if value.strip().endswith("%"):
        slider.check_range(number)
    else:
        await slider.find_related_number()
    await slider.move_to(number)
    if slider.is_at(number):
        return ""
    if slider.is_at_end:
        raise ActionFailed(f"{slider.name} ends at {slider.shown}", "Give a number within that")
    return slider.shown


def _parse_number(value: str) -> float | None:
    """Parse a text as a number; None for another text."""
    try:
        return float(value)
    except ValueError:
        return None


@dataclass(frozen=True)
class _KeyPair:
    """Two keys that move a slider up and down, and the distance of one press."""

    up: str
    down: str
    step: float


class _Slider:
    """A slider and its current value."""

    def __init__(self, element: Element, name: str) -> None:
        self._page = page = element.page
        self._element = element
        self.name = name
        self._reading: int | None = None
        """Index of the number around a handle without ARIA that is its own."""
        self._keyboard = page.keyboard
        self._give_up = page.give_up_time(WAIT_SECONDS)
        self._at: dict[str, Any] = {}
        self._has_focus = False
        self._lag = 0.0
        """Longest time in seconds between a key and the value that follows it; 0 if the first look sees it."""

    @property
    def number(self) -> float:
        """Return the slider's value: `aria-valuenow`, or the number shown beside a handle; 0 without one."""
        if self._reading is not None:
            return float(self._at["numbers"][self._reading])
        return float(self._at["now"] or 0)

    @property
    def shown(self) -> str:
        """Return the slider's value as it is displayed: its text, else its number."""
        unit = "%" if self.is_unlabelled and self._reading is None else ""
        return one_line(self._at["text"], 60) or f"{self.number:g}{unit}"

    @property
    def is_unlabelled(self) -> bool:
        """Return whether the slider has no ARIA values, so that numbers around it on the page tell its value."""
        return self._at["numbers"] is not None

    @property
    def rule(self) -> str:
        """Return the name of the rule (scripts/widgets/rules.js) that recognised this widget; "" for none."""
        return str(self._at["rule"])

    @property
    def is_at_end(self) -> bool:
        """Return whether the slider is at the lower or upper end of its range."""
        return self._at["now"] in (self._at["min"], self._at["max"])

    @property
    def is_empty(self) -> bool:
        """Return whether the slider holds no value yet."""
        words = self._at["text"].casefold()
        return words == EMPTY or (self._at["now"] is None and not any(map(str.isdigit, words)))

    @property
    def holds_no_number(self) -> bool:
        """Return whether the slider's value is not one number: a date, say, or a range."""
        return self._at["now"] is None

    def make_not_taken_error(self, value: str) -> ActionFailed:
        """Return the error for a value to which the slider did not move."""
        is_at = "is empty" if self.is_empty else f'is at "{self.shown}"'
        return ActionFailed(f"{self.name} did not take {quote_text(value, 60)}: it {is_at}", KEYS_HINT)

    def shows_value(self, value: str) -> bool:
        """Return whether the slider is at this number, or displays this text."""
        number = _parse_number(value)
        is_there = number is not None and not self.is_empty and self.is_at(number)
        return is_there or self._at["text"].strip().casefold() == value.strip().casefold()

    def is_at(self, number: float) -> bool:
        """Return whether the slider is at that number, apart from the rounding error of steps such as 0.1."""
        return math.isclose(self.number, number, rel_tol=1e-9, abs_tol=1e-9)

    def check_range(self, number: float) -> None:
        """Raise NotInteractable if a number is beyond the limits of the slider."""
        lowest, highest = self._at["min"], self._at["max"]
        if (lowest is not None and number < lowest) or (highest is not None and number > highest):
            limits = f"from {_format_limit(lowest)} to {_format_limit(highest)}"
            raise NotInteractable(f"{self.name} goes {limits}", "Give a number within that")

    async def read_position(self) -> None:
        """Read the slider's value, limits and focus from the page into this object.

        Raises ActionFailed if it is gone, or other numbers are shown beside it.
        """
        at = await self._element.ask("readSliderPosition")
        if at is None:
            raise ActionFailed(f"{self.name} disappeared", KEYS_HINT)
        self._has_focus = at.pop("focused")  # not a part of the value
        if self._reading is not None and len(at["numbers"] or ()) != len(self._at["numbers"]):
            raise ActionFailed(f"{self.name} shows other numbers than before", PERCENTAGE_HINT)
        self._at = at

    async def type(self, value: str) -> bool:
        """Type a value over the old one while the focus stays. Return whether the slider shows it."""
        await self._element.ask("focusAtEnd", True)
        for _ in range(MOST_DELETED if not value else 0):
            if self.is_empty or not await self._press("Backspace"):
                break
        for letter in value:
            await self._press(letter)
            if self.shows_value(value) or not self._has_focus:
                break
        return self.shows_value(value) if value else self.is_empty

    async def find_related_number(self) -> None:
        """Find which number on the page shows the handle's value: one that follows arrow keys back and forth.

        Raises NotInteractable if no number follows, or several that differ do, ActionFailed if no key moves the handle.
        """
        keys = ("ArrowRight", "ArrowLeft")
        there, back = keys[::-1] if self._at["now"] >= self._at["max"] else keys
        if not await self._press(there):
            there, back = back, there  # it is at its end, which may be before the track's
            if not await self._press(there):
                raise ActionFailed(f"{self.name} does not move by keys: it is at {self.shown}", DRAG_HINT)
        numbers = [self._at["numbers"]]
        for key in (back, there):  # the page may show the first number only when it hears of a key
            if not await self._press(key, retry=True):
                raise ActionFailed(f"{self.name} does not move by keys: it is at {self.shown}", DRAG_HINT)
            numbers.append(self._at["numbers"])
        followers: dict[tuple[float, ...], int] = {}
        if len({len(each) for each in numbers}) == 1:
            for index, (first, second, third) in enumerate(zip(*numbers, strict=True)):
                if first != second and first == third:
                    followers.setdefault((first, second), index)
        if len(followers) != 1:
            await self._press(back)
            raise NotInteractable(f"{self.name} shows no number that follows it", PERCENTAGE_HINT)
        (self._reading,) = followers.values()

    async def move_to(self, number: float) -> None:
        """Move as near to a number as possible: by Home or End, else by page keys, then by arrow keys.

        If no key moves it, press the track once, however near that comes. Raises ActionFailed if nothing moves it.
        """
        limits = (None, None) if self._reading is not None else (self._at["min"], self._at["max"])
        for key, limit in zip(("Home", "End"), limits, strict=True):
            if number == limit and await self._press(key) and self.number == number:
                return
        # With a reading, ArrowRight and ArrowLeft are known to move it. ArrowUp and ArrowDown are left out: a key without effect
        # costs a time-out.
        arrows = await self._find_key_pair(ARROW_KEYS if self._reading is None else ARROW_KEYS[1:], number)
        if arrows is None and await self._press_handle():
            arrows = await self._find_key_pair(ARROW_KEYS, number)
        if arrows is None:
            before = self._at
            await self._press_track(number)
            if self._at != before:
                return
            raise ActionFailed(f"{self.name} does not move by keys: it is at {self.shown}", DRAG_HINT)
        if abs(number - self.number) > MAX_BURST * arrows.step:
            pages = await self._find_key_pair(PAGE_KEYS, number)
            if abs(number - self.number) > MOST_PRESSES * (pages or arrows).step:
                await self._press_track(number)
            await self._press_until_nearest(pages or arrows, number)
        await self._press_until_nearest(arrows, number)

    async def _press_track(self, number: float) -> None:
        """Press the slider's track about where `number` is, to save keys.

        Do nothing if its track or limits are unknown, or the point is covered or out of view.
        """
        lowest, highest = self._at["min"], self._at["max"]
        track: Track | None = await self._element.ask("findTrackOf")
        if track is None or lowest is None or highest is None or lowest == highest or self._reading is not None:
            return
        fraction = (number - lowest) / (highest - lowest)
        element = self._element.with_node(track["id"])
        place = (f"{fraction:.4%}", "50%") if track["horizontal"] else ("50%", f"{1 - fraction:.4%}")
        spot: ClickPoint | None = await element.ask("scrollToClickPoint", *place)
        if spot is None or spot["cover"] or not spot["inView"]:
            return
        at = spot["position"]
        if await press_in_list(element, self.name, seconds=WAIT_SECONDS, point=at):
            await self._wait_until_still(self._at)
            await self._element.ask("focusWidget")

    async def _press_handle(self) -> bool:
        """Press a handle that no key has moved, to select it. Return False if it cannot be pressed.

        Some pages move by keys the handle that was pressed last (Syncfusion's range). An element larger than a handle is not
        pressed: it may jump to the pressed point.
        """
        spot: ClickPoint | None = await self._element.ask("scrollToClickPoint", "50%", "50%")
        if spot is None or spot["cover"] or max(spot["size"]) > LARGEST_HANDLE:
            return False
        is_pressed = await press_in_list(self._element, self.name, seconds=WAIT_SECONDS)
        await self.read_position()  # the press may have moved it
        return is_pressed

    async def step_to_text(self, words: str) -> None:
        """Step up from the lowest value until the slider's text (`aria-valuetext`) is `words`.

        If it never is, move back to the earlier value and raise ActionFailed.
        """
        before = self.number
        await self._press("Home")
        while not self.shows_value(words):
            if self._page.now() >= self._give_up:
                raise self._make_slow_error()
            if not await self._press("ArrowUp", retry=True):
                await self.move_to(before)
                raise ActionFailed(f'{self.name} has no value of that name: it is at "{self.shown}"', KEYS_HINT)

    async def _find_key_pair(self, pairs: Sequence[tuple[str, str]], number: float) -> "_KeyPair | None":
        """Press keys of `pairs` (up, down) until one moves the slider. Return its pair and the step per press.

        Of each pair, the key in the direction of `number` is pressed first. None if no key moves the slider.
        """
        for pair in pairs:
            for key, other in (pair, pair[::-1]) if number > self.number else (pair[::-1], pair):
                before = self.number
                await self._press(key)
                if self.number > before:
                    return _KeyPair(key, other, self.number - before)
                if self.number < before:
                    return _KeyPair(other, key, before - self.number)
        return None

    async def _press_until_nearest(self, keys: "_KeyPair", number: float) -> None:
        """Press one of two keys until the slider is as near to a number as their steps allow. Raises TimedOut."""
        self._give_up = self._page.give_up_time(WAIT_SECONDS)
        # Seconds of the last presses. Others begin only if as much time is left before the command's deadline.
        took = 0.0
        while (
            (times := round(abs(number - self.number) / keys.step))
            and self._page.now() < self._give_up
            and self._page.remaining() > took
        ):
            before, begun = abs(number - self.number), self._page.now()
            key, presses = keys.up if number > self.number else keys.down, min(times, MAX_BURST)
            distance = math.copysign(presses * keys.step, number - self.number)
            await self._press(key, presses, distance, retry=True)
            if abs(number - self.number) >= before:
                return
            took = self._page.now() - begun
            self._give_up = self._page.give_up_time(WAIT_SECONDS)  # a slow page gets time as long as it follows
        if times:
            raise self._make_slow_error()

    def _make_slow_error(self) -> TimedOut:
        """Return the error for a slider that has not reached its value in time."""
        return TimedOut(
            f"{self.name} follows the keys slowly: it is at {self.shown}",
            "Fill it again, with a longer --timeout",
        )

    async def _press(self, key: str, times: int = 1, distance: float = 0.0, *, retry: bool = False) -> bool:
        """Press a key `times` times, and read the value once it is still. Return whether it has changed.

        `distance`: by how much it should change; 0 if unknown. `retry`: press it once more if nothing changes, since a page may
        ignore a key that comes soon after another. Not `times`: a page that is only late would go far beyond.
        """
        before = self._at
        aim = self.number + distance if distance else None
        for _ in range(times):
            await self._keyboard.press(key)
        is_moved = await self._wait_until_still(before, aim, abs(distance) / times / 2)
        return is_moved or (retry and await self._press(key, 1, distance / times))

    async def _wait_until_still(
        self, before: dict[str, Any], aim: float | None = None, within: float = 0.0
    ) -> bool:
        """Read the value until it no longer changes. Return whether it differs from `before`.

        For a handle without ARIA, which may draw late, also wait until it is nearer to `aim` than `within`. A value that follows
        a key late has to stay for twice that delay: the next key's effect may be under way.
        """
        seconds = UNLABELLED_STEP_SECONDS if self.is_unlabelled else STEP_SECONDS
        began = changed = self._page.now()
        give_up = max(self._give_up, began + seconds)  # of a slider that never stands still
        looks = PollBudget(self._page, began + seconds, STEP_LOOKS)
        is_first = True
        while not looks.is_exhausted() and self._page.now() < give_up:
            last = self._at
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            await self.read_position()
            if self._at != last:
                changed = self._page.now()
                looks = PollBudget(self._page, changed + seconds, STEP_LOOKS)
                if last == before and not is_first:
                    self._lag = max(self._lag, changed - began)
            is_first = False
            is_still = self._at == last and self._page.now() - changed >= 2 * self._lag
            is_short = aim is not None and self.is_unlabelled and abs(self.number - aim) >= within
            if self._at != before and is_still and not is_short:
                break
        return self._at != before


def _format_limit(limit: float | None) -> str:
    """Format the lower or upper limit of a slider for a message; "no limit" for None."""
    return "no limit" if limit is None else f"{limit:g}"
