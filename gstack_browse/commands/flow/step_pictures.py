"""Collect a report's page picture, console errors and failed requests for a step."""

import base64
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.session.listener import Logs
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.flows.log import Mark, StepRecord
from gstack_browse.protocol import Reply
from gstack_browse.snapshot.annotate import Box
from gstack_browse.text.sanitise import one_line

MOST_PICTURE = 60_000
MOST_ENTRIES = 20
LOOK_SECONDS = 2.0
"""Time limit for a page to say whether it shows a secret; longer on a busy machine."""
_PICTURES = (("60", "800"), ("40", "640"), ("25", "480"))
"""Quality and largest side: tried in turn until a picture is small enough."""


async def take_picture(
    run: Callable[[Sequence[str]], Awaitable[Reply]], tab: Tab | None, secrets: Sequence[str]
) -> tuple[bytes, str]:
    """Return a picture of a page that fits a report, or the reason for its absence.

    A secret that can be read in it is such a reason, too.

    run: runs a command in the caller's context
    """
    if tab is None or tab.gone_error() or tab.question:
        return b"", "no page shows"
    try:
        for frame in tab.page.frames:
            if await _ask_page(tab, frame, "showsSecret", list(secrets)):
                return b"", "a secret can be read on the page"
    except (FrameGone, ProtocolError, PageScriptError, TimeoutError):
        return b"", "the page does not say whether a secret can be read on it"
    for quality, side in _PICTURES:
        reply = await run(["screenshot", "-", "--viewport", "--quality", quality, "--max-side", side])
        if reply.code:
            return b"", one_line(reply.message, 200)
        picture = base64.b64decode(reply.text)
        if len(picture) <= MOST_PICTURE:
            return picture, ""
    return b"", f"it is larger than {MOST_PICTURE} bytes"


async def mark_candidates(step: StepRecord, tab: Tab, refs: Sequence[str]) -> None:
    """Measure the candidates of a step for its picture. Nothing is marked on a page that does not answer."""
    try:
        size = await _ask_page(tab, tab.page.main_frame, "pageSize")
        boxes = await tab.world.run_with_timeout(tab.refs.boxes_of(refs), LOOK_SECONDS)
    except (FrameGone, ProtocolError, PageScriptError, TimeoutError):
        return
    step.view = size["seenWidth"], size["seenHeight"]
    step.marks = [Mark(ref, box) for ref, box in boxes.items() if _is_in_view(box, *step.view)]
    step.unseen = [ref for ref in refs if ref not in {mark.ref for mark in step.marks}]


async def _ask_page(tab: Tab, frame: Frame, function: str, *arguments: Any) -> Any:
    """Call the engine in a frame, for LOOK_SECONDS at most."""
    return await tab.world.run_with_timeout(tab.world.call(function, *arguments, frame=frame), LOOK_SECONDS)


def _is_in_view(box: Box, width: float, height: float) -> bool:
    """Return whether any part of a box is in the picture."""
    left, top, wide, high = box
    return left < width and top < height and left + wide > 0 and top + high > 0


def take_logs(step: StepRecord, logs: Logs, before: tuple[int, int], mask: Callable[[str], str]) -> None:
    """Add console errors and failed requests since `before`, the logs' totals when the step began."""
    console = [entry for entry in logs.console.entries_since(before[0]) if entry.level == "error"]
    failed = [entry for entry in logs.network.entries_since(before[1]) if entry.is_failed]
    step.console = [mask(one_line(entry.text, 300)) for entry in console[:MOST_ENTRIES]]
    step.requests = [mask(one_line(entry.render(), 300)) for entry in failed[:MOST_ENTRIES]]
