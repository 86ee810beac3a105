"""How much browser contexts may take: how many are open at a time, and how much memory each. Idle ones are let go first."""

import asyncio
import time
from collections.abc import Sequence, Set

from gstack_browse.browser.tabs import garbage, heaps, questions
from gstack_browse.daemon import unfinished
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.errors import ActionFailed
from gstack_browse.text.columns import format_bytes, format_count

IDLE_SECONDS = 60.0
"""How long nobody must have used a context that is let go for another one: agents think between their commands."""
REST_SECONDS = 5.0
"""How long nobody must have used one of several contexts for its pages' garbage to be collected, see `with_garbage`."""
AT_ONCE = 2
"""So many at each tick, of which there are two a second."""
LOOK_SECONDS = 5.0
"""How often the memory of contexts is looked at where it is limited."""


def idlest(contexts: Sequence[AgentContext]) -> AgentContext | None:
    """The open context that nobody has used for the longest; None where all are in use."""
    idle = [context for context in contexts if _is_idle(context)]
    return min(idle, key=lambda context: context.last_used, default=None)


def _is_idle(context: AgentContext) -> bool:
    session = context.browser
    if session is None or context.runs or session.is_in_use_by_person or questions.open_ones(session.tabs):
        return False
    if unfinished.recordings([session]):
        return False
    return time.monotonic() - context.last_used >= IDLE_SECONDS


def with_garbage(contexts: Sequence[AgentContext], busy: Set[AgentContext]) -> list[AgentContext]:
    """The contexts whose pages' garbage is to be collected next: those of several that have been left alone for the longest.

    Two at a time, since each takes a core for some 20 ms. A context that is alone waits for more garbage, as `garbage.collect` does.
    """
    several = [context for context in contexts if context.browser]
    if len(several) < 2:
        return []
    latest = time.monotonic() - REST_SECONDS
    resting = [context for context in several if context not in busy and context.last_used <= latest]
    due = [context for context in resting if context.browser and garbage.is_any(context.browser.tabs)]
    return sorted(due, key=lambda context: context.last_used)[:AT_ONCE]


def too_many(most: int) -> ActionFailed:
    """There is room for no other context."""
    return ActionFailed(
        f"{format_count(most, 'context')} are open and in use, as many as may be (BROWSE_MAX_CONTEXTS)",
        "Close one: 'contexts' lists them, 'context-close <name>' closes one",
    )


class MemoryLimit:
    """Closes tabs of contexts that take more than `most` bytes; 0: as much as they want."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._next = 0.0
        self._task: asyncio.Future[list[None]] | None = None

    def tick(self, contexts: Sequence[AgentContext]) -> None:
        """Look if it is time to. Called about twice a second."""
        if not self._most or (self._task and not self._task.done()) or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LOOK_SECONDS
        self._task = asyncio.ensure_future(asyncio.gather(*(self.keep(context) for context in contexts)))

    async def keep(self, context: AgentContext) -> None:
        """Close the largest tab of a context that takes too much, and the next one, until the rest is within the limit."""
        session = context.browser
        if session is None or session.handed:
            return
        taken = await heaps.of_tabs(session)
        for number in sorted(taken, key=lambda number: taken[number], reverse=True):
            total = sum(taken.values())
            if total <= self._most:
                return
            if tab := session.tabs.get(number):
                why = f"was closed: the heaps of its context took {format_bytes(total)}, and may take {format_bytes(self._most)} (BROWSE_CONTEXT_MB)"
                await session.tab_factory.close(tab, why)
            del taken[number]
