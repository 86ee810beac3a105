"""Hold the browser contexts of the daemon by name, and limit their number and memory.

Idle ones go first. What a context has is in `agent_context`; `opener` opens and closes them.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from gstack_browse.browser import dialogs
from gstack_browse.browser.context import heaps
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.commands.daemon_interface import ContextFacts
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.errors import ActionFailed
from gstack_browse.protocol import DEFAULT_CONTEXT
from gstack_browse.text.units import format_bytes, format_count

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
    """Return whether a context may be closed: open, unused for IDLE_SECONDS, and nothing would be lost."""
    browser = context.browser
    if (
        browser is None
        or context.running_count
        or browser.is_in_use_by_person
        or dialogs.list_open_dialogs(browser.tabs)
    ):
        return False
    if agent_context.describe_recordings([browser]):
        return False
    return time.monotonic() - context.last_used >= IDLE_SECONDS


def select_for_collection(contexts: Sequence[AgentContext], busy: Set[AgentContext]) -> list[AgentContext]:
    """Return the contexts in whose pages to run garbage collection next: the longest idle, at most two.

    `busy`: contexts in which commands run. With a single open context none: a collection of 20 ms is worth it for several only.
    """
    several = [context for context in contexts if context.browser]
    if len(several) < 2:
        return []
    latest = time.monotonic() - REST_SECONDS
    resting = [context for context in several if context not in busy and context.last_used <= latest]
    due = [context for context in resting if context.browser and heaps.has_navigated_tab(context.browser.tabs)]
    return sorted(due, key=lambda context: context.last_used)[:COLLECTED_PER_TICK]


def too_many_error(max_open: int) -> ActionFailed:
    """Return the error for a command that would open one more browser context than the limit `max_open`."""
    return ActionFailed(
        f"{format_count(max_open, 'context')} are open and in use, as many as may be (BROWSE_MAX_CONTEXTS)",
        "Close one: 'contexts' lists them, 'context-close <name>' closes one",
    )


class MemoryLimit:
    """Closes tabs of contexts whose pages' heaps take more than `max_bytes`; 0: no limit."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._next = 0.0
        self._task: asyncio.Future[list[None]] | None = None

    def tick(self, contexts: Sequence[AgentContext]) -> None:
        """Begin a background check of all contexts' memory every CHECK_SECONDS. Called twice a second."""
        if not self._max_bytes or (self._task and not self._task.done()) or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + CHECK_SECONDS
        self._task = asyncio.ensure_future(asyncio.gather(*(self.enforce(context) for context in contexts)))

    async def enforce(self, context: AgentContext) -> None:
        """Close a context's largest tabs until the others fit the memory limit."""
        browser = context.browser
        if browser is None or browser.handoff:
            return
        heap_bytes = await heaps.measure_heaps(browser)
        for number in sorted(heap_bytes, key=lambda number: heap_bytes[number], reverse=True):
            total = sum(heap_bytes.values())
            if total <= self._max_bytes:
                return
            if tab := browser.tabs.get(number):
                why = f"was closed: the heaps of its context took {format_bytes(total)}, and may take {format_bytes(self._max_bytes)} (BROWSE_CONTEXT_MB)"
                await browser.tab_factory.close(tab, why)
            del heap_bytes[number]


class Contexts:
    """The default context and those with a name.

    `make_context` makes a context of a name.
    """

    def __init__(self, default: AgentContext, make_context: Callable[[str], AgentContext]) -> None:
        self.default = default
        self._make_context = make_context
        self._others: dict[str, AgentContext] = {}

    def __iter__(self) -> Iterator[AgentContext]:
        """Iterate over the default context, then the others in order of creation."""
        return iter([self.default, *self._others.values()])

    @property
    def others(self) -> list[AgentContext]:
        """Return all contexts but the default one, which are those with a name."""
        return list(self._others.values())

    def open_contexts(self) -> list[OpenContext]:
        """Return all open contexts, with their tabs."""
        return [context.browser for context in self if context.browser]

    def get(self, name: str) -> AgentContext | None:
        """Return the context called `name`, or None. "" and `default` mean the default one."""
        return self._others.get(name) if name not in ("", DEFAULT_CONTEXT) else self.default

    def get_or_make(self, name: str) -> AgentContext:
        """Return the context called `name`, created if needed. `forget_unneeded` removes it if unused."""
        found = self.get(name)
        if found is None:
            found = self._others[name] = self._make_context(name)
        return found

    def forget_unneeded(self, context: AgentContext) -> None:
        """Remove a context from the list, unless it is open, in use or to be restored."""
        if not context.is_needed:
            self._others.pop(context.name, None)

    def schedule_restore(self, state: ContextState | None) -> None:
        """Keep the state of an earlier browser, to restore each of its contexts when that is first used.

        `state`: tabs, cookies and storage of all contexts; None: nothing to restore.
        """
        if state is None:
            return
        for name, inner in [("", state), *state.contexts.items()]:
            self.get_or_make(name).schedule_restore(replace(inner, contexts={}))

    async def capture(self) -> ContextState | None:
        """Return the state (tabs, cookies, storage) of all contexts, for a successor daemon; None if empty."""
        observed = await asyncio.gather(*(capture_state(context) for context in self))
        states = {name: self.get_or_make(name).add_last_command(state) for name, state in observed if state}
        default = states.pop("", None)
        if default is None and states:
            first = next(iter(states.values()))
            default = ContextState(
                {"cookies": [], "origins": []}, [], 0, first.next_id, first.viewport, first.scale
            )
        return replace(default, contexts=states) if default else None

    async def list_facts(self) -> list[ContextFacts]:
        """Return name, tab count, heap size, last command and idle time of each context, default one first."""
        return list(await asyncio.gather(*(_context_facts(context) for context in self if context.is_needed)))

    def flush_logs_now(self) -> None:
        """Append new log entries of all contexts to their log files. Blocks: the process ends next."""
        for context in self:
            context.journal.flush_now()

    @property
    def log_problem(self) -> str:
        """Return which log files could not be written the last time, and why; "" if all could."""
        return next((trouble for context in self if (trouble := context.journal.problem)), "")


async def observe_state(context: AgentContext) -> tuple[str, ContextState | None]:
    """Return a context's name and its state (tabs, cookies, storage), as far as no page is disturbed.

    The state of a context that is not open is the one to be restored; None for none.
    """
    if context.browser is None:
        return context.name, context.pending_state
    from gstack_browse.browser.transfer import capture  # no part of a start

    return context.name, await capture.capture_unchanged(context.browser)


async def capture_state(context: AgentContext) -> tuple[str, ContextState | None]:
    """Return a context's name, and its state (tabs, cookies, storage) as completely as a restore needs it.

    The state of a context that is not open is the one to be restored; None for none.
    """
    if context.browser is None:
        return context.name, context.pending_state
    from gstack_browse.browser.transfer import capture  # no part of a start

    return context.name, await capture.capture_state(context.browser)


async def _context_facts(context: AgentContext) -> ContextFacts:
    """Return the facts on a context that `status` and `contexts` print. Measures the heaps of its pages."""
    browser = context.browser
    memory = sum((await heaps.measure_heaps(browser)).values()) if browser else 0
    idle = 0.0 if context.running_count else time.monotonic() - context.last_used
    state = "" if browser else "not open" if context.name else "starting"
    return ContextFacts(
        context.display_name, context.tab_count, memory, context.last_command, round(idle, 1), state
    )
