"""Measure the memory of a page's process: heap, nodes, listeners, and nodes outside of any document."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.engine import failures
from gstack_browse.browser.tabs import passkeys
from gstack_browse.text.page_memory import MemoryUse, parse_detached_trees

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession


async def measure_memory(page: "PageSession", *, collect: bool) -> MemoryUse:
    """Measure the process of the page's main frame; with `collect`, after collecting garbage."""
    try:
        session = await passkeys.open_session(page.session.running, page.world.frames.target)
        try:
            if collect:
                await session.send("HeapProfiler.collectGarbage")
            return await _query_memory(session)
        finally:
            with suppress(ProtocolError):
                await session.detach()
    except ProtocolError as error:
        raise failures.translate(error) from None


async def _query_memory(session: Session) -> MemoryUse:
    """Ask a session for heap, DOM counters and detached nodes."""
    heap: dict[str, Any] = await session.send("Runtime.getHeapUsage")
    counters: dict[str, Any] = await session.send("Memory.getDOMCounters")
    await session.send("DOM.enable")
    await session.send("DOM.getDocument", {"depth": 0})
    detached = await session.send("DOM.getDetachedDomNodes")
    return MemoryUse(
        heap=int(heap["usedSize"]),
        heap_reserved=int(heap["totalSize"]),
        buffers=int(heap.get("backingStorageSize", 0)),
        dom=int(heap.get("embedderHeapUsedSize", 0)),
        documents=counters["documents"],
        nodes=counters["nodes"],
        listeners=counters["jsEventListeners"],
        detached=parse_detached_trees(detached["detachedNodes"]),
    )
