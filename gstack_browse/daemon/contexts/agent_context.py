"""A named browser context (`--as`): its tabs, logs, downloads and what its next reply mentions.

`contexts` opens and closes them.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from typing import Protocol

from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.downloads import DownloadFolder, Downloads
from gstack_browse.browser.network.har_recording import Purpose
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.daemon.base.log_files import Journal
from gstack_browse.documents.film.take import TakeFile
from gstack_browse.flows.feed import TypedSecrets
from gstack_browse.flows.log import FlowLog
from gstack_browse.protocol import DEFAULT_CONTEXT
from gstack_browse.settings import DownloadLimits
from gstack_browse.text.units import format_count, format_seconds
from gstack_browse.workspace.state import WritableStateDir

FLOW_SECONDS = 2.0
"""How long `flow-save` waits for pages to say more about the last elements."""
REST_SECONDS = 0.1
"""A context in which no command has run for so long is at rest."""
DISCONNECTED = "attached programs were disconnected"
"""A line of the reply of the command that has done it."""
MOST_INCOMPLETE = 100
"""How many steps wait to be completed; of older ones less is known."""


class AgentContext:
    """A browser context. `name`: "" for the default one, which exists as long as the browser."""

    def __init__(
        self, name: str, state: WritableStateDir, limits: DownloadLimits, hide: Callable[[str], str]
    ) -> None:
        self.name = name
        self.logs = Logs()
        self.downloads = Downloads(DownloadFolder(state, name), limits)
        self.journal = Journal(state, self.logs, hide, name)
        self._incomplete: deque[Callable[[], Awaitable[None]]] = deque(maxlen=MOST_INCOMPLETE)
        """Work that completes the flow log."""
        self._completing: asyncio.Task[None] | None = None
        self.flow = FlowLog()
        """What the context's commands did, for `flow-save`."""
        self.typed = TypedSecrets(self.flow)
        self.take = TakeFile(state, name)
        """What is filmed of the context, or was when its last daemon ended."""
        self.browser: OpenContext | None = None
        """The open context with its tabs; None while it is not open."""
        self.pending_state: ContextState | None = None
        """The state to restore when the context is opened."""
        self.notice = ""
        """A remark that the next reply prints, once; "" for none."""
        self.opening_task: asyncio.Task[OpenContext] | None = None
        self.running_count = 0
        """Number of commands that run in this context."""
        self.last_command = ""
        self.last_used = time.monotonic()
        self.failures_in_a_row = 0

    @property
    def display_name(self) -> str:
        """Return the context's name for messages: `default` for the default context, whose `name` is ""."""
        return self.name or DEFAULT_CONTEXT

    @property
    def tab_count(self) -> int:
        """Return the number of tabs that are open; in a context that is not open, of those to be restored."""
        if self.browser:
            return len(self.browser.tabs)
        return len(self.pending_state.tabs) if self.pending_state else 0

    @property
    def is_open(self) -> bool:
        """Return whether the context is open (has tabs and cookies), or is being opened."""
        return self.browser is not None or (self.opening_task is not None and not self.opening_task.done())

    @property
    def is_needed(self) -> bool:
        """Return whether the context must be kept: it is the default one, open, in use or to be restored.

        It is kept, too, if a flow or a report was begun in it.
        """
        is_used = self.is_open or self.pending_state or self.running_count or self.flow.is_recording
        return bool(not self.name or is_used)

    def schedule_restore(self, state: ContextState) -> None:
        """Keep an earlier browser's state (tabs, cookies, storage), to restore it when this context opens."""
        self.pending_state = state
        if state.last_command:
            self.last_command, self.last_used = state.last_command, state.used_at

    def add_last_command(self, state: ContextState) -> ContextState:
        """Return a copy of `state` with name and time of this context's last command, for `status`."""
        last = self.last_command
        return replace(state, last_command=last, used_at=self.last_used) if last else state

    def schedule_flow_completion(self, work: Callable[[], Awaitable[None]]) -> None:
        """Schedule `work`, which adds details to an entry of the flow log, for when no command runs.

        The flow log records commands for `flow-save`. `work` asks the page for details; a command need not wait for that.
        """
        self._incomplete.append(work)
        if not self._completing or self._completing.done():
            self._completing = asyncio.create_task(self._complete_flow_when_idle())

    async def _complete_flow_when_idle(self) -> None:
        """Add details to entries of the flow log, one by one, while no command has run for REST_SECONDS."""
        while self._incomplete:
            await asyncio.sleep(REST_SECONDS)
            is_resting = not self.running_count and time.monotonic() - self.last_used >= REST_SECONDS
            if is_resting and self._incomplete:  # `complete_flow_now` may have done it meanwhile
                await self._incomplete.popleft()()

    async def complete_flow_now(self) -> None:
        """Add details that are missing in the flow log, from which `flow-save` makes a script.

        Takes at most FLOW_SECONDS.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(FLOW_SECONDS):
                while self._incomplete:
                    await self._incomplete.popleft()()

    def begin_command(self) -> None:
        """Add one to the number of commands that run in this context."""
        self.running_count += 1

    def end_command(self, command: str) -> None:
        """Subtract one from the number of running commands, and note the command's name and the current time.

        Called once its reply is ready. `command`: its name; "" if unknown.
        """
        self.running_count -= 1
        self.last_command = command or self.last_command
        self.last_used = time.monotonic()


class ShutdownReason(Enum):
    """Reason to cancel commands. All but the last end the daemon, too.

    The value completes the message "was interrupted: …".
    """

    STOPPED = "the daemon was stopped"
    TERMINATED = "the daemon was told to end by a signal"
    IDLE = "the daemon had nothing to do for too long"
    DIED = "the browser ended"
    REPLACED = "a new daemon took over"
    EVICTED = "the daemon's directory was removed or replaced"
    FAULT = "the daemon has a fault"
    CONTEXT_CLOSED = "its context was closed"


class RunningCommand(Protocol):
    """A request that is being answered."""

    @property
    def context(self) -> AgentContext:
        """Return the browser context in which the command runs."""

    @property
    def uses_browser(self) -> bool:
        """Return whether the command acts on tabs of its browser context."""

    def interrupt(self, why: ShutdownReason) -> None:
        """Cancel the command; the error in its reply gives the reason `why`."""


def describe_recordings(contexts: "Sequence[OpenContext]") -> str:
    """Describe what is being recorded in these contexts: requests, trace, film, coverage; "" for nothing.

    Example: `the recording of 12 requests, the coverage of tab 2`. Recordings are lost when the contexts close.
    """
    from gstack_browse.browser.auditing import coverage  # no part of a start

    recorded = [context.recording for context in contexts if context.recording.start_time(Purpose.HAR)]
    traced = [context for context in contexts if context.recording.start_time(Purpose.TRACE)]
    films = [context.film for context in contexts if context.film]
    counts = [recording.count(Purpose.HAR) for recording in recorded]
    found = [f"the recording of {format_count(count, 'request')}" for count in counts] + ["the trace"] * len(
        traced
    )
    tabs = [tab.id for context in contexts for tab in context.tabs if coverage.is_recorded(tab)]
    found += [f"the film of {format_seconds(film.now())}" for film in films]
    return ", ".join(found + [f"the coverage of tab {number}" for number in tabs])


def ended_line(aborted_work: str) -> str:
    """Return the line `→ ended: …` below a reply, which names the work that was aborted; "" for none.

    The line begins with a newline.
    """
    return f"\n→ ended: {aborted_work}" if aborted_work else ""
