"""Fetches what pages show: text, markup, links, attributes, styles, states."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input import around_frames
from gstack_browse.browser.input.find import ask, locate_first, means
from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable, StaleRef, UsageError
from gstack_browse.registry.suggest import nearest
from gstack_browse.text.columns import format_count
from gstack_browse.text.redact import REDACTED

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_CHARACTERS = 20_000_000
"""Of a text or a markup; the page sends no more (scripts/engine-budget.js)."""


async def text(page: "PageSession", target: str | None, *, unseen: bool = False) -> tuple[str, int]:
    """Rendered text of an element or of the page, and how many characters nobody can see; with `unseen` the text of those."""
    found: dict[str, Any] = await ask_or_page(page, "reading", target, unseen)
    note_cut(page, found["cut"], MOST_CHARACTERS if found.get("isLong") else 0)
    return found["text"], found["hidden"]


def left_out(characters: int) -> str:
    """What to say where text that nobody can see was not printed."""
    return f"{format_count(characters, 'character')} hidden: text --hidden"


def cut_off(elements: int) -> str:
    """What to say where the page has more elements than are read at a time."""
    return f"cut: the page is enormous; only its first {elements:,} elements and lines were read"


def note_cut(page: "PageSession", elements: int, characters: int = 0) -> None:
    """Add a note where `elements` is not 0, or where a text has as many characters as are read at most."""
    if elements:
        page.notes.append(cut_off(elements))
    elif characters >= MOST_CHARACTERS:
        page.notes.append(f"cut: the page is enormous; only its first {MOST_CHARACTERS:,} characters were read")


async def html(page: "PageSession", target: str | None) -> str:
    """Markup inside an element, or the document with its doctype."""
    found: str | None = await ask_or_page(page, "html", target)
    if found is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    note_cut(page, 0, len(found))
    return found


async def links(page: "PageSession") -> list[tuple[str, str]]:
    """(text, absolute address) of every link."""
    found: dict[str, Any] = await page.world.call("links", frame=page.frame)
    note_cut(page, found["cut"])
    return [(name, address) for name, address in found["links"]]


async def attributes(page: "PageSession", target: str) -> dict[str, str]:
    """Attributes by name, secrets masked."""
    found: dict[str, str] | None = await ask_or_page(page, "attrs", target)
    if found is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    return found


async def title(page: "PageSession") -> str:
    """The title of the page."""
    return str(await page.world.call("title"))


async def value(page: "PageSession", target: str, *, again: bool = False) -> str:
    """What a field holds now. Raises UsageError for what holds nothing, StaleRef where it disappeared.

    Who asks `again` means one element, and gets failures without hints.
    """
    element, held = await ask(page, target, "fieldValue", first=not again, again=again)
    if held is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    if held["value"] is None:
        raise UsageError(
            f"{element.target} is no field and has no value", f"Its words: text {shlex.quote(target)}"
        )
    return REDACTED if held["secret"] and held["value"] else str(held["value"])


async def box(page: "PageSession", target: str) -> tuple[float, float, float, float]:
    """Left, top, width and height in CSS pixels, from the top left of the viewport. Raises NotInteractable without a box."""
    element = await locate_first(page, target)
    found: Sequence[float] | None = await element.ask("boxOf")
    if found and element.frame != page.tab.page.main_frame:
        try:
            found = await element.box_in_page(timeout=page.budget(5000))
        except PlaywrightError as error:
            raise failures.translate(error) from None
    if not found:
        raise NotInteractable(
            f"{target} is not rendered: it has no box", f"See what it is: attrs {shlex.quote(target)}"
        )
    left, top, width, height = found
    return left, top, width, height


async def locator(page: "PageSession", target: str) -> tuple[str, bool]:
    """A selector that means just this element, the most readable one, and whether that is in a frame that `frame` has to choose first."""
    element = await locate_first(page, target)
    for selector in await element.ask("locators") or ():
        if await means(element, selector):
            return selector, element.frame is not page.frame
    if await element.ask("locators"):
        raise ActionFailed(
            f"No selector leads to {target}: it is in a closed shadow tree",
            "Use its ref. Tests can reach it only where the page opens that tree",
        )
    raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")


async def css(page: "PageSession", target: str, property: str) -> str:
    """Computed value of a CSS property. Raises UsageError with the nearest name when there is no such one."""
    element, value = await ask(page, target, "css", property, first=True)
    if value is None:
        near = nearest(property, await page.world.call("cssProperties", frame=element.frame))
        raise UsageError(f'There is no CSS property "{property[:60]}"', f"Did you mean {near}?" if near else "")
    return str(value)


async def state(page: "PageSession", wanted: str, target: str, *, again: bool = False) -> bool:
    """One of the states of `is`, now. What no selector finds is hidden; any other state of that is an error, and every state of a stale ref.

    Who asks `again` gets failures without hints, and NoMatch for what is missing.
    """
    try:
        _, states = await around_frames.states(page, target, again=again)
    except NoMatch:
        if wanted in ("visible", "hidden") and not again:
            return wanted == "hidden"
        raise
    if states is None:
        if target.startswith("@") and ">>" not in target:
            await page.tab.refs.resolve(target)  # says that it is stale
        if wanted in ("visible", "hidden"):
            return wanted == "hidden"
        raise NoMatch(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    if wanted == "checked" and not states["checkable"]:
        _, box = await ask(page, target, "checkState", again=again)
        if box and box["id"]:  # which `check` would tick for it
            return bool(box["state"] == "true")
        raise UsageError(
            f"{target} is nothing that can be checked", "Checkboxes, radio buttons, switches and options can"
        )
    return bool(states[wanted])


async def ask_or_page(page: "PageSession", question: str, target: str | None, *arguments: Any) -> Any:
    """What a function of the page says of the first element the target means, or of the document."""
    if target is None:
        return await page.world.call(question, 0, *arguments, frame=page.frame)
    return (await ask(page, target, question, *arguments, first=True))[1]
