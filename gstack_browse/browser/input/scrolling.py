"""Scroll an element into view, or the page, and report the new position."""

import asyncio
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.input.readiness import Probe, ready
from gstack_browse.errors import ActionFailed, StaleRef

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

FRAME_SECONDS = 1.0
"""Seconds for a page to draw its new position, when it hears of the scroll. A hidden page may never draw."""


async def scroll_into_view(page: "PageSession", target: str) -> None:
    """Scroll an element into view and verify that it is there."""
    element, _ = await ready(page, target, frozenset())
    await element.ask("reveal")
    probe = Probe(await element.ask("probe", ""))
    if probe.gone:
        raise StaleRef(f"{target} disappeared while scrolling")
    if not probe.in_view:
        raise ActionFailed(f"{probe.text} could not be scrolled into view")


async def scroll_page(page: "PageSession", direction: str, pixels: int, *, times: int, pause: float) -> str:
    """Scroll the page, or its main pane, `times` times. Returns its position then, for the reply.

    `pause`: seconds between the page's reaction to one scroll and the next.
    """
    moved = 0
    place: dict[str, Any] = {"top": 0, "end": 0}
    for repetition in range(times):
        if repetition and pause:
            await page.world.frame(FRAME_SECONDS)
            await asyncio.sleep(pause)
        place = await page.world.call("scroll", direction, pixels, frame=page.frame)
        moved += place["moved"]
    at = f"{place['top']} of {place['end']} pixels from the top"
    return at if moved else f"nothing moved: {at}"
