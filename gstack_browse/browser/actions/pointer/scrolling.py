"""Scroll an element into view, or the page, and report the new position."""

import asyncio
from typing import TYPE_CHECKING, Any, Literal

from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import Probe, wait_until_ready
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import Pane
from gstack_browse.errors import ActionFailed, NotInteractable, StaleRef
from gstack_browse.text.sanitise import element_name

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

FRAME_SECONDS = 1.0
"""Seconds for a page to draw its new position, when it hears of the scroll. A hidden page may never draw."""


async def scroll_into_view(page: "PageSession", target: str) -> None:
    """Scroll an element into view and verify that it is there."""
    element, _ = await wait_until_ready(page, target, frozenset())
    await element.ask("scrollToCentre")
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


Direction = Literal["up", "down", "left", "right", "top", "bottom"]
"""Where to scroll: by a distance, or to an end ("top", "bottom")."""
PART = 0.9
"""Default distance, as a part of the pane's visible size."""
PANE_FRAME_SECONDS = 0.05
_SIGNS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}


async def scroll(page: "PageSession", target: str, direction: Direction, pixels: int) -> tuple[str, list[str]]:
    """Scroll the pane that the target belongs to. Returns its new position for the reply, and remarks."""
    element, probe = await wait_until_ready(page, target, frozenset())
    right, down = _SIGNS[direction]
    before: Pane | None = await element.ask("pane", bool(right))
    if before is None:
        raise NotInteractable(
            f"Neither {probe.text} nor what is around it scrolls {direction}",
            "For a page that listens to the wheel: 'hover' it, then 'mouse wheel <x,y>'",
        )
    pane = Element(target, element.frame, before["id"], page)
    step = _step(before, direction, pixels)
    await pane.ask("scrollPane", right * step, down * step)
    await page.world.frame(PANE_FRAME_SECONDS)  # virtual lists build their rows now
    after: Pane | None = await pane.ask("paneById")
    if after is None:
        raise StaleRef(f"{probe.text} disappeared while scrolling", failures.SEE_ELEMENTS)
    remarks = [] if before["own"] else [f"what scrolls is {element_name(before['look'], 40)}"]
    moved = abs(after["left"] - before["left"]) if right else abs(after["top"] - before["top"])
    return format_position(after, direction, moved), remarks if moved else [
        *remarks,
        "nothing moved: that is its end",
    ]


def _step(pane: Pane, direction: Direction, pixels: int) -> int:
    """Return how many pixels to scroll: the whole height to an end, the given number, or most of a page."""
    if direction in ("top", "bottom"):
        return pane["height"]
    return pixels or round((pane["across"] if direction in ("left", "right") else pane["page"]) * PART)


def format_position(pane: Pane, direction: Direction, moved: int) -> str:
    """Format a new position: `down 600 (rows 40–58 of 10,000)`, or `to bottom (…)`.

    Gives pixels if the page does not number its rows.
    """
    how = f"to {direction}" if direction in ("top", "bottom") else f"{direction} {moved}"
    if direction in ("left", "right"):
        return f"{how} ({pane['left']:,} of {pane['width']:,} pixels)"
    rows = pane["rows"]
    if rows is None:
        return f"{how} ({pane['top']:,} of {pane['height']:,} pixels)"
    which = f"{rows['first']:,}–{rows['last']:,}" if rows["first"] != rows["last"] else f"{rows['first']:,}"
    total = f" of {rows['total']:,}" if rows["total"] > 0 else ""
    return f"{how} (rows {which}{total})"
