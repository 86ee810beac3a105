"""Limits of browser contexts: how many are open, and how much memory each takes. Idle ones go first."""

import asyncio
import time
from collections.abc import Sequence, Set

from gstack_browse.browser import dialogs
from gstack_browse.browser.session import heaps
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.errors import ActionFailed
from gstack_browse.text.columns import format_bytes, format_count

IDLE_SECONDS = 60.0
"""A context may be closed for another one after so long without a command: agents think between commands."""
REST_SECONDS = 5.0
"""Garbage of a context's pages is collected after so long without a command, see `select_for_collection`."""
COLLECTED_PER_TICK = 2
"""Contexts whose garbage is collected at one tick; there are two ticks a second."""
CHECK_SECONDS = 5.0
"""How often a limited memory is measured."""


def find_idlest(contexts: Sequence[AgentContext]) -> AgentContext | None:
    """Return the open context that has been idle for the longest; None if all are in use."""
    idle = [context for context in contexts if _is_idle(context)]
    return min(idle, key=lambda context: context.last_used, default=None)


def _is_idle(context: AgentContext) -> bool:
    """Return whether a context may be closed: it is unused, and nothing would be lost."""
    session = context.browser
    if (
        session is None
        or context.running_count
        or session.is_in_use_by_person
        or dialogs.open_ones(session.tabs)
    ):
        return False
    if agent_context.describe_recordings([session]):
        return False
    return time.monotonic() - context.last_used >= IDLE_SECONDS


def select_for_collection(contexts: Sequence[AgentContext], busy: Set[AgentContext]) -> list[AgentContext]:
    """Return the contexts whose pages' garbage to collect next: the longest idle ones of several.

    Two at a time, since each takes a core for some 20 ms. A single context waits for more garbage, as `garbage.collect` does.
    """
    several = [context for context in contexts if context.browser]
    if len(several) < 2:
        return []
    latest = time.monotonic() - REST_SECONDS
    resting = [context for context in several if context not in busy and context.last_used <= latest]
    due = [context for context in resting if context.browser and heaps.is_any(context.browser.tabs)]
    return sorted(due, key=lambda context: context.last_used)[:COLLECTED_PER_TICK]


def too_many_error(most: int) -> ActionFailed:
    """Return the failure where no further context may be opened."""
    return ActionFailed(
        f"{format_count(most, 'context')} are open and in use, as many as may be (BROWSE_MAX_CONTEXTS)",
        "Close one: 'contexts' lists them, 'context-close <name>' closes one",
    )


class MemoryLimit:
    """Closes tabs of contexts whose heaps take more than `most` bytes; 0: no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._next = 0.0
        self._task: asyncio.Future[list[None]] | None = None

    def tick(self, contexts: Sequence[AgentContext]) -> None:
        """Check the contexts if it is time to. Called about twice a second."""
        if not self._most or (self._task and not self._task.done()) or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + CHECK_SECONDS
        self._task = asyncio.ensure_future(asyncio.gather(*(self.enforce(context) for context in contexts)))

    async def enforce(self, context: AgentContext) -> None:
        """Close the largest tabs of a context until the rest is within the limit."""
        session = context.browser
        if session is None or session.handed:
            return
        heap_bytes = await heaps.of_tabs(session)
        for number in sorted(heap_bytes, key=lambda number: heap_bytes[number], reverse=True):
            total = sum(heap_bytes.values())
            if total <= self._most:
                return
            if tab := session.tabs.get(number):
                why = f"was closed: the heaps of its context took {format_bytes(total)}, and may take {format_bytes(self._most)} (BROWSE_CONTEXT_MB)"
                await session.tab_factory.close(tab, why)
            del heap_bytes[number]
