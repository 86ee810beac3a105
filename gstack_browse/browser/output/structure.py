"""Fetches what a page is made of: its forms, and its tree of roles and names."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.playwright_names import Frame
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, call_in
from gstack_browse.browser.output import read
from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.render import render
from gstack_browse.text import aria
from gstack_browse.text.truncate import DEFAULT_CHARACTERS

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

TREE_SECONDS = 20.0
MOST_OF_TREE = 50_000
"""Elements of which Playwright makes a tree within its time, on a machine that is busy, too."""
MOST_TEXT_OF_TREE = 10_000_000
"""The same for characters of text."""


async def forms(page: "PageSession") -> list[dict[str, Any]]:
    """Every form with its fields, as scripts/forms.js describes them; the last may be the fields without a form."""
    found: dict[str, Any] = await page.world.call("forms", frame=page.frame)
    read.note_cut(page, found["cut"])
    forms: list[dict[str, Any]] = found["forms"]
    return forms


async def tree(page: "PageSession") -> str:
    """The accessibility tree as YAML, frames included, what secret fields hold masked.

    Playwright reads all of a page or nothing; of an enormous one it is our own tree.
    """
    extent: dict[str, int] = await page.world.call("extent", frame=page.frame)
    if extent["elements"] > MOST_OF_TREE:
        return await _own_tree(page, f"{extent['elements']:,} elements")
    if extent["characters"] > MOST_TEXT_OF_TREE:
        return await _own_tree(page, f"{extent['characters']:,} characters of text")
    shown = await _documents(page)
    await page.world.frames.open_to_playwright()
    root = page.frame.locator(":root")
    try:
        snapshot = await root.aria_snapshot(mode="ai", timeout=page.budget(TREE_SECONDS))
    except PlaywrightError as error:
        raise failures.translate(error) from None
    return aria.tidy(snapshot, await _secrets(page, shown))


async def _own_tree(page: "PageSession", extent: str) -> str:
    tree = await page.tab.refs.take(clickable=False)
    page.notes.append(f"The page has {extent}, so this is the tree of 'snapshot'")
    if tree.cut:
        page.notes.append(read.cut_off(tree.cut))
    return render(tree, Options(max_chars=DEFAULT_CHARACTERS))


async def _documents(page: "PageSession") -> dict[Frame, ExecutionContext | None]:
    """The documents of the frame and of all frames in it; None for a frame that has none."""
    found: dict[Frame, ExecutionContext | None] = {}
    pending = [page.frame]
    while pending:
        frame = pending.pop()
        pending += frame.child_frames
        found[frame] = None
        with suppress(FrameGone, PlaywrightError):
            found[frame] = await page.world.frames.context_of(frame)
    return found


async def _secrets(page: "PageSession", shown: dict[Frame, ExecutionContext | None]) -> set[str]:
    """What the secret fields of these documents hold.

    Raises FrameGone where the page does not show the same ones any more: what a tree has of others could not be masked.
    """
    contexts = [context for context in shown.values() if context]
    held = await asyncio.gather(*(call_in(context, "secretValues") for context in contexts))
    if await _documents(page) != shown:
        raise FrameGone("Other documents are shown now")
    return {value for values in held for value in values}
