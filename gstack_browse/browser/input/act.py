"""Acts on elements, truthfully: waits until the action can work, does it, and checks that it did.

Every function raises a TargetError with the reason when the element cannot be acted on in time, and
ActionFailed when the action had no effect.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.playwright_names import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answers import Begun, Choice, Chosen, Focused, Held, Listing, Option
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input import at_once, editors, steps, widgets, writing
from gstack_browse.browser.input.find import Element, LookAhead
from gstack_browse.browser.input.mouse import Mouse
from gstack_browse.browser.input.readiness import CHOOSE, EDIT, LOOK_AGAIN_SECONDS, WAIT_SECONDS, Probe, ready
from gstack_browse.errors import (
    ActionFailed,
    NoMatch,
    NotInteractable,
    StaleRef,
    TargetError,
    UsageError,
)
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

Reveal = Callable[[Element], Awaitable[str]]
"""Gives the secret for a field, and nothing for one that the secret is not for."""

_tickets = itertools.count(1)
OPTION_SECONDS = 1.0
"""How long an option that is not in a list may take to appear in it."""
FORMS = {
    "date": "Write a date as 2026-12-31",
    "time": "Write a time as 23:59",
    "datetime-local": "Write date and time as 2026-12-31T23:59",
    "month": "Write a month as 2026-12",
    "week": "Write a week as 2026-W53",
    "number": "Write a number as 42 or -3.5",
}
"""Types of input that make nothing of a value in another form."""


async def fill(
    page: "PageSession", target: str, value: str, then: LookAhead | None = None
) -> tuple[Element, str]:
    """Give a field a value and read the field back. Returns the field, and the value that the page made of it, "" for the same.

    `then`: see `look_ahead`.
    """
    element, probe = await ready(page, target, EDIT, *writing.prepared(value))
    page.ahead = then
    return element, await _write(page, element, probe, value)


def look_ahead(target: str, value: str) -> LookAhead:
    """The look of the next `fill`, which the action before sends along."""
    return LookAhead(target, "probe", ("edit", *writing.prepared(value)))


async def _write(page: "PageSession", element: Element, probe: Probe, value: str) -> str:
    if probe.fill == "sink":
        raise NotInteractable(
            f"{probe.text} takes keys and keeps no text", "Use 'type --into <target> <text>', and 'press Enter'"
        )
    if probe.fill == "steps":
        return await steps.fill(page, element, probe.text, value)
    if probe.fill == "choice":
        await widgets.rate(page, element, probe.text, value)
        return ""
    if probe.fill == "keys":
        before = await element.ask("value")
        return _verified(probe, value, before, await editors.fill(page, element, value))
    begun: Begun | None = probe.prepared
    if begun:
        after = await writing.at_once(
            element,
            value,
            is_focused=begun["focused"],
            is_each_key=begun["eachKey"],
        )
        after = await writing.by_keys_where_lost(element, probe, value, after)
        return _verified(probe, value, begun["before"], after)
    if value and probe.type in FORMS and not await element.ask("parsed", value):
        raise ActionFailed(f"{probe.text} does not take that value", FORMS[probe.type])
    before = await element.ask("value")
    after = await writing.in_time(element, probe, value)
    return _verified(probe, value, before, await writing.by_keys_where_lost(element, probe, value, after))


async def fill_secret(page: "PageSession", target: str, reveal: Reveal) -> tuple[Element, str]:
    """Give a field the secret that `reveal` returns for it, and read the field back. Returns the field, and the value that the page made of the secret.

    The value reaches no document but that of the element which `reveal` was shown: all else goes by the node's id, which
    means nothing in another.
    """
    element, probe = await ready(page, target, EDIT)
    _require_text_field(probe)
    value = await reveal(element)
    before = await element.ask("value")
    return element, _verified(probe, value, before, await writing.in_time(element, probe, value))


def _require_text_field(probe: Probe) -> None:
    if probe.fill not in ("text", "rich", "value"):
        raise NotInteractable(f"{probe.text} takes no secret: it is no text field", failures.SEE_ELEMENTS)


def _verified(probe: Probe, value: str, before: Held | None, after: Held | None) -> str:
    """What became of a value where a field does not hold it. Raises ActionFailed when nothing did."""
    if after is None:
        return ""  # the page replaced the field after its change event: there is nothing left to read
    holds, wanted = writing.plain(after["value"]), writing.plain(value)
    if holds == wanted or (wanted and holds.strip() == wanted.strip()):
        return ""
    if (before and holds == writing.plain(before["value"])) or (wanted and not holds):
        raise ActionFailed(
            f"{probe.text} did not take the value"
            + (f' and still reads "{one_line(holds, 60)}"' if holds and not after["secret"] else ""),
            "The page may reject it: look at the field's type, pattern and limits with 'attrs'",
        )
    return "" if after["secret"] else holds


async def select(page: "PageSession", target: str, wanted: Sequence[str]) -> list[str]:
    """Select options of a list by value or label, of a `<select>` or of a widget. Returns the labels.

    Raises TargetError with the available options when one is not there.
    """
    ticket = str(next(_tickets))
    looking = asyncio.ensure_future(ready(page, target, CHOOSE, "choice", ticket, *wanted))
    choosing = at_once.begin_choice(page, target, ticket)
    try:
        element, probe = await looking
        choice: Choice | None = probe.prepared
        if choice and choice["indices"] is not None:
            said: Chosen | None = await at_once.unless_leaving(page, choosing)
            if said:
                page.turn_ended()
            if said or not choosing.done():
                return _kept(choice["options"], choice["indices"], said["after"] if said else None)
        return await _select_in_time(page, element, probe, wanted)
    finally:
        looking.cancel()
        choosing.cancel()


async def _select_in_time(
    page: "PageSession", element: Element, probe: Probe, wanted: Sequence[str]
) -> list[str]:
    """Select what the page could not choose in the turn in which it was looked for."""
    if probe.tag == "option":
        return [await choose_option(page, element, probe)]
    listing: Listing | None = probe.prepared
    if listing is None:
        if (labels := await widgets.choose(page, element, probe.text, wanted)) is not None:
            return labels
        raise NotInteractable(
            f"{probe.text} is not a <select>", "Open it with 'click' and choose with 'snapshot -i'"
        )
    listing, indices = await _wanted_options(page, element, listing, wanted)
    if len(indices) > 1 and not listing["multiple"]:
        raise NotInteractable(f"{probe.text} takes one option, not {len(indices)}", "Name one value or label")
    return await _selected(element, listing["options"], indices)


async def _wanted_options(
    page: "PageSession", element: Element, listing: Listing, wanted: Sequence[str]
) -> tuple[Listing, list[int]]:
    """The options as they are now, and where the wanted ones are. Lists that are being loaded get time."""
    loading = len(listing["options"]) <= 1
    give_up = page.wait_until(WAIT_SECONDS if loading else OPTION_SECONDS)
    while True:
        try:
            return listing, [_option(listing["options"], word) for word in wanted]
        except TargetError:
            if page.now() >= give_up:
                raise
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
        listing = await element.ask("options") or listing


def _option(options: list[Option], word: str) -> int:
    """Index of the option with that value, label, or label whatever the case."""
    folded = " ".join(word.split())
    for matches in (_has_value, _has_label, _has_label_in_any_case):
        for index, option in enumerate(options):
            if matches(option, word, folded):
                if option["disabled"]:
                    raise NotInteractable(
                        f'The option "{one_line(option["label"], 60)}" is disabled', _available(options)
                    )
                return index
    raise NoMatch(f'There is no option "{one_line(word, 60)}"', _available(options))


def _has_value(option: Option, word: str, label: str) -> bool:
    return option["value"] == word


def _has_label(option: Option, word: str, label: str) -> bool:
    return option["label"] == label


def _has_label_in_any_case(option: Option, word: str, label: str) -> bool:
    return option["label"].casefold() == label.casefold()


def _available(options: list[Option]) -> str:
    shown = [
        one_line(option["label"], 40) or f'value "{one_line(option["value"], 40)}"'
        for option in options
        if not option["disabled"]
    ]
    more = f" and {len(shown) - 30} more" if len(shown) > 30 else ""
    return f"Available: {', '.join(shown[:30])}{more}" if shown else "It has no options to select"


async def _selected(element: Element, before: list[Option], indices: list[int]) -> list[str]:
    """Select these options of a list and see that the page keeps them. Returns their labels."""
    return _kept(before, indices, await at_once.choose(element, indices))


def _kept(before: list[Option], indices: list[int], after: Listing | None) -> list[str]:
    """The labels of the options that were selected. Raises ActionFailed where the page did not keep them."""
    labels = [before[index]["label"] or before[index]["value"] for index in indices]
    if after is None:
        return labels  # the page replaced the list after its change event
    now = [option for option in after["options"] if option["selected"]]
    if {option["label"] for option in now} != {before[index]["label"] for index in indices}:
        held = ", ".join(one_line(option["label"], 40) for option in now) or "nothing"
        raise ActionFailed(f"The page did not keep the selection: {held} is selected")
    return labels


async def choose_option(page: "PageSession", element: Element, probe: Probe) -> str:
    """Select an option of a closed list. Returns its label."""
    box = Element(element.target, element.frame, probe.select_node, page)
    index = await element.ask("optionIndex")
    listing: Listing = await box.ask("options")
    option = listing["options"][index]
    if option["disabled"]:
        raise NotInteractable(f"{probe.text} is disabled", _available(listing["options"]))
    chosen = (
        [at for at, other in enumerate(listing["options"]) if other["selected"]] if listing["multiple"] else []
    )
    return (await _selected(box, listing["options"], sorted({*chosen, index})))[-1]


async def submit(page: "PageSession", field: Element) -> str:
    """Press Enter in a field. Returns a remark where that only added a line."""
    await field.ask("focusOn")
    before: Held | None = await field.ask("value")
    await press(page, "Enter")
    after: Held | None = None
    with suppress(FrameGone, PlaywrightError):  # it took the page away: the observer tells
        after = await at_once.unless_leaving(page, field.ask("value"))
    is_line = before and after and after["value"].count("\n") > before["value"].count("\n")
    return "Enter added a line: this field does not submit by Enter" if is_line else ""


async def type_into(
    page: "PageSession", target: str, text: str, *, clear: bool = False, pause: float = 0.0
) -> str:
    """Type at the end of what a field holds, or in its place. Returns what keeps the text from showing, "" for nothing."""
    element, probe = await ready(page, target, EDIT)
    await _place_caret(page, element, probe, clear=clear)
    return await type_text(page, text, frame=element.frame, pause=pause)


async def _place_caret(page: "PageSession", element: Element, probe: Probe, *, clear: bool) -> None:
    """Give a field the focus, with the caret at the end of what it holds, or with nothing in it."""
    await element.ask("focusAtEnd", clear)
    if probe.fill == "keys":  # its text is not in the field that has the focus
        await press(page, "ControlOrMeta+a" if clear else "ControlOrMeta+End")
    if clear:
        await press(page, "Delete")


async def type_secret(
    page: "PageSession", target: str, reveal: Reveal, *, clear: bool = False, pause: float = 0.0
) -> str:
    """Type what `reveal` gives for a field at the end of what the field holds. Returns what keeps it from showing, "" for nothing.

    A page may move the focus on, as from digit to digit of a code, but only within the document of the field: before
    each key the document is asked whether it gets the key.
    """
    element, probe = await ready(page, target, EDIT)
    _require_text_field(probe)
    value = await reveal(element)
    await _place_caret(page, element, probe, clear=clear)
    before: Held | None = await element.ask("value")
    for character in value:
        if not await element.ask("getsKeys"):
            raise ActionFailed(
                f"The focus left the document of {target}: the rest of the secret was not typed",
                "Look at the page: snapshot -i",
            )
        await _keys(page, page.tab.page.keyboard.type(character, delay=pause * 1000))
        if page.tab.question:
            raise ActionFailed(
                "A dialog opened meanwhile: the rest of the secret was not typed", "Answer it first"
            )
    with suppress(FrameGone, PlaywrightError):  # the last key took the page away: the observer tells
        after: Held | None = await at_once.unless_leaving(page, element.ask("value"))
        return f"the value of {probe.text} did not change" if before and after == before else ""
    return ""


async def type_text(page: "PageSession", text: str, *, frame: Frame | None = None, pause: float = 0.0) -> str:
    """Send key events for `text` to what has the focus in a frame. Returns what keeps it from showing, "" for nothing.

    `pause`: seconds between two keys.
    """
    focused: Focused = await page.world.call("focused", frame=frame or page.frame)
    await _keys(page, page.tab.page.keyboard.type(text, delay=pause * 1000))
    if page.tab.question:
        return "the rest is typed once the dialog is answered"
    if not focused["text"]:
        return "nothing has the focus: the page got the keys"
    name = one_line(focused["text"], 120)
    if focused["readonly"]:
        return f"{name} has the focus, and is read-only"
    if focused["id"] and text.strip("\r\n\t") and await _still_holds(page, focused, frame or page.frame):
        return f"the value of {name} did not change"
    return ""


async def _still_holds(page: "PageSession", focused: Focused, frame: Frame) -> bool:
    """Whether the focused field still holds its earlier value; False where the field is gone or the page navigates."""
    now = await at_once.unless_leaving(page, page.world.call("value", focused["id"], frame=frame))
    return bool(now and now["value"] == focused["holds"])


async def press(page: "PageSession", key: str) -> None:
    """Press and release a key or chord. A character that no key has is inserted."""
    keyboard = page.tab.page.keyboard
    await _keys(page, keyboard.press(key) if len(key) > 1 or key.isascii() else keyboard.insert_text(key))


async def key_down(page: "PageSession", key: str) -> None:
    """Press a key and keep it down. Raises UsageError for a chord."""
    _refuse_chord(key)
    await _keys(page, page.tab.page.keyboard.down(key))
    if key not in page.tab.held.keys:
        page.tab.held.keys.append(key)


async def key_up(page: "PageSession", key: str) -> bool:
    """Release a key. False where it was not down."""
    _refuse_chord(key)
    await _keys(page, page.tab.page.keyboard.up(key))
    was_down = key in page.tab.held.keys
    if was_down:
        page.tab.held.keys.remove(key)
    return was_down


def _refuse_chord(key: str) -> None:
    if "+" in key[1:]:
        raise UsageError("One key at a time is held down", "For a chord use 'press', or several 'keydown'")


async def release_all(page: "PageSession") -> list[str]:
    """Release the keys and buttons that are held down in a tab. Returns their names, in words."""
    held = page.tab.held
    keys = list(held.keys)
    for key in keys:
        await key_up(page, key)
    button = held.button
    if button:
        Mouse(page).let_go()
    return [*keys, *([f"the {button} mouse button"] if button else [])]


async def scroll_into_view(page: "PageSession", target: str) -> None:
    """Scroll an element into view and check that it is there."""
    element, _ = await ready(page, target, frozenset())
    await element.ask("reveal")
    probe = Probe(await element.ask("probe", ""))
    if probe.gone:
        raise StaleRef(f"{target} disappeared while scrolling")
    if not probe.in_view:
        raise ActionFailed(f"{probe.text} could not be scrolled into view")


async def scroll_page(page: "PageSession", direction: str, pixels: int, *, times: int, pause: float) -> str:
    """Scroll the page (or its main pane) `times` times. Returns where it is now."""
    moved = 0
    place: dict[str, Any] = {"top": 0, "end": 0}
    for repetition in range(times):
        if repetition and pause:
            await asyncio.sleep(pause)
        place = await page.world.call("scroll", direction, pixels, frame=page.frame)
        moved += place["moved"]
    at = f"{place['top']} of {place['end']} pixels from the top"
    return at if moved else f"nothing moved: {at}"


async def _keys(page: "PageSession", action: Awaitable[None]) -> None:
    """Send keys. They go to whatever has the focus, so there is nothing to wait for."""
    try:
        await page.tab.unless_asked(action)
    except PlaywrightError as error:
        raise failures.translate(error) from None
