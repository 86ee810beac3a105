"""A named browser context (`--as`): its session, logs, downloads and what its next reply mentions.

`contexts` opens and closes them.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from gstack_browse.browser.tabs.download_folder import DownloadFolder
from gstack_browse.browser.tabs.downloads import Downloads
from gstack_browse.browser.tabs.listener import Logs
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.daemon.journal import Journal
from gstack_browse.protocol import DEFAULT_CONTEXT
from gstack_browse.settings import DownloadLimits
from gstack_browse.state import WritableStateDir


class AgentContext:
    """A browser context. `name`: "" for the default one, which exists as long as the browser."""

    def __init__(
        self, name: str, state: WritableStateDir, limits: DownloadLimits, hide: Callable[[str], str]
    ) -> None:
        self.name = name
        self.logs = Logs()
        self.downloads = Downloads(DownloadFolder(state, name), limits)
        self.journal = Journal(state, self.logs, hide, name)
        self.browser: BrowserSession | None = None
        """The session; None while the context is not open."""
        self.pending_state: SessionState | None = None
        """The state to restore when the context is opened."""
        self.notice = ""
        """A remark that the next reply prints, once; "" for none."""
        self.opening_task: asyncio.Task[BrowserSession] | None = None
        self.running_count = 0
        """Number of commands that run in this context."""
        self.last_command = ""
        self.last_used = time.monotonic()
        self.failures_in_a_row = 0

    @property
    def display_name(self) -> str:
        """The name that people use."""
        return self.name or DEFAULT_CONTEXT

    @property
    def tab_count(self) -> int:
        """Count the tabs that are open, or that are to be restored."""
        if self.browser:
            return len(self.browser.tabs)
        return len(self.pending_state.tabs) if self.pending_state else 0

    @property
    def is_open(self) -> bool:
        """Return whether the context has a session, or one is being opened."""
        return self.browser is not None or (self.opening_task is not None and not self.opening_task.done())

    @property
    def is_needed(self) -> bool:
        """Return whether to remember the context: it is open, has a state to restore, or runs a command."""
        return bool(not self.name or self.is_open or self.pending_state or self.running_count)

    def schedule_restore(self, state: SessionState) -> None:
        """Keep a state of an earlier browser, to restore it when the context is opened."""
        self.pending_state = state
        if state.last_command:
            self.last_command, self.last_used = state.last_command, state.used_at

    def add_last_command(self, state: SessionState) -> SessionState:
        """Return `state` with this context's last command and its time, for a successor's `status`."""
        last = self.last_command
        return replace(state, last_command=last, used_at=self.last_used) if last else state

    def begin_command(self) -> None:
        """Count a command that begins."""
        self.running_count += 1

    def end_command(self, command: str) -> None:
        """Note that a command has its reply. `command`: its name; "" if it has none."""
        self.running_count -= 1
        self.last_command = command or self.last_command
        self.last_used = time.monotonic()
