"""A browser context that has a name (`--as`), and what the daemon keeps for whoever works in it. Opens and closes nothing."""

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
    """One browser context. `name` is "" for the default one, which is there as long as the browser is."""

    def __init__(
        self, name: str, state: WritableStateDir, limits: DownloadLimits, hide: Callable[[str], str]
    ) -> None:
        self.name = name
        self.logs = Logs()
        self.downloads = Downloads(DownloadFolder(state, name), limits)
        self.journal = Journal(state, self.logs, hide, name)
        self.browser: BrowserSession | None = None
        """Its session; None as long as it is not open."""
        self.early: BrowserSession | None = None
        """The session that it is going to have, in a browser that Playwright has not got yet."""
        self.carried: SessionState | None = None
        """What it begins with when it is opened."""
        self.news = ""
        """What its next reply says, once."""
        self.opening: asyncio.Task[BrowserSession] | None = None
        self.runs = 0
        """How many commands of it are being answered."""
        self.last_command = ""
        self.last_used = time.monotonic()
        self.failures_in_a_row = 0

    @property
    def shown_name(self) -> str:
        """What people call it."""
        return self.name or DEFAULT_CONTEXT

    @property
    def holder(self) -> BrowserSession | None:
        """Whoever has its tabs: its session, or what is going to be that."""
        return self.browser or self.early

    @property
    def tab_count(self) -> int:
        """How many tabs it has, or begins with."""
        if self.holder:
            return len(self.holder.tabs)
        return len(self.carried.tabs) if self.carried else 0

    @property
    def is_open(self) -> bool:
        """Whether it has a session, or is about to."""
        return self.browser is not None or (self.opening is not None and not self.opening.done())

    @property
    def is_kept(self) -> bool:
        """Whether there is anything to remember of it."""
        return bool(not self.name or self.is_open or self.carried or self.runs)

    def take(self, state: SessionState) -> None:
        """Go on, when it is next used, with what an earlier browser had."""
        self.carried = state
        if state.last_command:
            self.last_command, self.last_used = state.last_command, state.used_at

    def stamped(self, state: SessionState) -> SessionState:
        """A state of it, with what its owner did last: a successor says so, too."""
        last = self.last_command
        return replace(state, last_command=last, used_at=self.last_used) if last else state

    def begin(self) -> None:
        """A command of it has come in."""
        self.runs += 1

    def end(self, command: str) -> None:
        """A command of it has been answered. `command`: its name, where it has one."""
        self.runs -= 1
        self.last_command = command or self.last_command
        self.last_used = time.monotonic()
