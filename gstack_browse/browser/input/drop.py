"""Drop files and text on an element, as a person does from the desktop."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.answers import Dragged
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.input.at_once import unless_leaving
from gstack_browse.browser.input.changes import VisualDiff
from gstack_browse.browser.input.mouse import FRAME_SECONDS, Mouse
from gstack_browse.browser.input.spots import Aim, aim
from gstack_browse.browser.input.upload import still_there, there
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

HOVER = frozenset({"uncovered"})
_COPY_LINK_MOVE = 1 | 2 | 16
"""Operations that the drag's source allows (the protocol's bits): the desktop allows all."""


async def drop(
    page: "PageSession", target: str, paths: Sequence[Path], *, text: str = "", url: str = ""
) -> list[str]:
    """Drop files, text or a URL. Returns remarks on changes. Raises ActionFailed if nothing accepts them."""
    await asyncio.to_thread(still_there, paths)
    files = await there(page, paths)
    goal = await aim(page, target, None, HOVER)
    witness = VisualDiff(page, goal.element, is_dragged=False)
    await witness.look()
    mouse = Mouse(page)
    await goal.element.ask("watchDrags")
    async with mouse.holding():
        mouse.bring(_cargo(files, text, url))
        await mouse.move(goal.x, goal.y)
        await mouse.move(goal.x, goal.y)
        if (said := await _read_outcome(page, goal)) and not said["accepts"]:
            raise _refusal(goal)  # Chromium would open a file that no element accepts in a new tab
        await mouse.release()
    await page.world.frame(FRAME_SECONDS)
    if (said := await _read_outcome(page, goal)) and not said["dropped"]:
        raise _refusal(goal)
    return await witness.lines()


def _refusal(goal: Aim) -> ActionFailed:
    return ActionFailed(
        f"{goal.text} does not take what was dropped",
        "Name the element that does; for a file field or a button that asks for files use 'upload'",
    )


def _cargo(files: Sequence[str], text: str, url: str) -> dict[str, Any]:
    """Return the drag data in the protocol's form."""
    kinds = {"text/plain": text or url, "text/uri-list": url}
    items = [{"mimeType": kind, "data": data} for kind, data in kinds.items() if data]
    return {"items": items, "files": list(files), "dragOperationsMask": _COPY_LINK_MOVE}


async def _read_outcome(page: "PageSession", goal: Aim) -> Dragged | None:
    """Return what the page noted of the drop; None if it navigated, or a dialog is open."""
    with suppress(FrameGone, PageScriptError, ProtocolError):
        said: Dragged | None = await unless_leaving(page, page.world.call("dragged", frame=goal.element.frame))
        return said
    return None
