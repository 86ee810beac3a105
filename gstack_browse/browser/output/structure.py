"""Fetches what a page is made of: its forms, and its tree of roles and names."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.text import aria

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

TREE_SECONDS = 20.0


async def forms(page: "PageSession") -> list[dict[str, Any]]:
    """Every form with its fields, as scripts/forms.js describes them; the last may be the fields without a form."""
    found: list[dict[str, Any]] = await page.world.call("forms", frame=page.frame)
    return found


async def tree(page: "PageSession") -> str:
    """The accessibility tree as YAML, frames included, what secret fields hold masked."""
    root = page.frame.locator(":root")
    try:
        snapshot = await root.aria_snapshot(mode="ai", timeout=page.budget(TREE_SECONDS))
    except PlaywrightError as error:
        raise failures.translate(error) from None
    return aria.tidy(snapshot, await _secrets(page))


async def _secrets(page: "PageSession") -> set[str]:
    """What the secret fields hold, of the frame and of all frames in it."""
    values: set[str] = set()
    pending = [page.frame]
    while pending:
        frame = pending.pop()
        pending += frame.child_frames
        try:
            values.update(await page.world.call("secretValues", frame=frame))
        except FrameGone:
            continue  # a frame that went away shows nothing any more
    return values
