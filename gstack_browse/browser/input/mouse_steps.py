"""Perform single steps of the mouse, at points that the caller names."""

from typing import TYPE_CHECKING, Literal

from gstack_browse.browser.input.drag import refuse_held
from gstack_browse.browser.input.mouse import FRAME_SECONDS, Button, Mouse
from gstack_browse.errors import NotInteractable
from gstack_browse.registry.points import Point

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

Step = Literal["move", "down", "up", "click", "wheel"]
STEPS = 5
"""Movements on the way to a point while a button is down."""


async def act(page: "PageSession", step: Step, point: Point | None, button: Button) -> str:
    """Perform one step. Returns the resulting state for the reply."""
    mouse = Mouse(page)
    if step == "wheel" and point:
        await mouse.wheel(*point)
        return f"Turned the wheel by {point}"
    if step in ("down", "click"):
        await refuse_held(page)
    if step == "up" and not page.tab.held.button:
        raise NotInteractable("No mouse button is down", "Press one with 'mouse down <x,y>'")
    x, y = _inside(page, point)
    shown = Point(x, y)
    if step == "move":
        await move(mouse, x, y)
        return f"Mouse at {shown}"
    if step == "down":
        await mouse.press(x, y, button)
        return f"Mouse down at {shown}"
    async with mouse.holding():
        if step == "up":
            if point:
                await move(mouse, x, y)
            await page.world.frame(FRAME_SECONDS)
        else:
            await mouse.press(x, y, button)
        await mouse.release()
    return f"Mouse {'up' if step == 'up' else 'clicked'} at {shown}"


async def move(mouse: Mouse, x: float, y: float) -> None:
    """Move to a point: in one step, or in several steps with a button down, like a drag."""
    if mouse.held.button and mouse.held.at:
        await mouse.glide(x, y, STEPS)
    else:
        await mouse.move(x, y)


def _inside(page: "PageSession", point: Point | None) -> tuple[float, float]:
    """Return the given point, or the pointer's position. Raises NotInteractable if that is unknown."""
    if point:
        return point
    if page.tab.held.at is None:
        raise NotInteractable(
            "Where the pointer is, no command has said",
            "Name the point: mouse down <x,y>, or 'hover' an element first",
        )
    return page.tab.held.at
