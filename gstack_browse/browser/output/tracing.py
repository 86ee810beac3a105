"""Record Chromium's work for a page as a trace, for Perfetto and the Performance panel.

`text/trace_tasks.py` finds the longest tasks.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.streams import read_stream
from gstack_browse.browser.engine import failures
from gstack_browse.browser.input import navigate, waiting
from gstack_browse.browser.tabs import passkeys
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.files import write_whole
from gstack_browse.text import trace_tasks
from gstack_browse.text.columns import format_bytes

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_BYTES = 200_000_000
MOST_SUMMARISED = 80_000_000
"""Largest trace (bytes) that is summarised: as objects it takes ten times as much."""
SETTLE_SECONDS = 5.0
"""How long a loaded page may continue to make requests."""
_ENDING_SECONDS = 10.0
"""Reserved of the command's time, to read the trace."""
_BUFFER_KILOBYTES = 150_000
_CATEGORIES = (
    "toplevel",
    "loading",
    "latencyInfo",
    "v8",
    "v8.execute",
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    "devtools.timeline.async",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-v8.cpu_profiler",
)
"""Categories that Chromium's Performance panel records."""


async def record_trace(page: "PageSession", path: Path, milliseconds: int | None) -> str:
    """Record while the page reloads, or for some milliseconds, and save the trace. Return the reply."""
    try:
        session = await passkeys.open_session(page.session.running, page.world.frames.target)
    except ProtocolError as error:
        raise failures.translate(error) from None
    done: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    session.on("Tracing.tracingComplete", done.set_result)
    try:
        await _start(session)
        what = await _wait_while_recording(page, milliseconds)
        await session.send("Tracing.end")
        ended = await done
        content = await _read_trace(session, ended["stream"])
    except ProtocolError as error:
        raise failures.translate(error) from None
    finally:
        with suppress(ProtocolError):
            await session.detach()
    await asyncio.to_thread(write_whole, str(path), content)
    if ended.get("dataLossOccurred"):
        page.notes.append("Chromium's buffer was full: the end is missing")
    lines = [f"Trace saved: {path} ({format_bytes(len(content))}) of {what}", *await _summarise(page, content)]
    return "\n".join(lines)


async def _start(session: Session) -> None:
    """Start to record. Raises ActionFailed while another trace is recorded."""
    config = {
        "recordMode": "recordUntilFull",
        "traceBufferSizeInKb": _BUFFER_KILOBYTES,
        "includedCategories": list(_CATEGORIES),
        "excludedCategories": ["*"],
    }
    try:
        await session.send("Tracing.start", {"transferMode": "ReturnAsStream", "traceConfig": config})
    except ProtocolError as error:
        if "already been started" in error.message:
            raise ActionFailed("Another trace is being recorded", "Try again when it is done") from None
        raise


async def _wait_while_recording(page: "PageSession", milliseconds: int | None) -> str:
    """Reload the page or wait. Return a description of what was recorded."""
    if milliseconds is not None:
        await asyncio.sleep(min(milliseconds / 1000, max(page.remaining() - _ENDING_SECONDS, 0)))
        return shown_url(page.tab.url)
    async with page.action("url"):
        await navigate.reload(page)
    with suppress(TimedOut):
        async with asyncio.timeout(max(page.remaining() - _ENDING_SECONDS, 0.1)):
            await waiting.for_state(page, "load")
    with suppress(TimeoutError, TimedOut):
        async with asyncio.timeout(min(SETTLE_SECONDS, max(page.remaining() - _ENDING_SECONDS, 0.1))):
            await waiting.for_quiet_network(page)
    return f"the loading of {shown_url(page.tab.url)}"


async def _read_trace(session: Session, stream: str) -> bytes:
    """Read a trace. Raises ActionFailed if it is too large."""
    read = bytearray()
    async for piece in read_stream(session, stream):
        read += piece
        if len(read) > MOST_BYTES:
            raise ActionFailed(
                f"The trace is larger than {format_bytes(MOST_BYTES)}", "Record less: --record <ms>"
            )
    return bytes(read)


async def _summarise(page: "PageSession", content: bytes) -> list[str]:
    if len(content) > MOST_SUMMARISED:
        page.notes.append(f"A trace of more than {format_bytes(MOST_SUMMARISED)} is not summarised")
        return []
    return await asyncio.to_thread(trace_tasks.render_longest_tasks, content)
