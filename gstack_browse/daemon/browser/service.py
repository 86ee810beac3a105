"""State of the running daemon: its browser (started when first needed), contexts, logs, and end.

Requests come from `dispatch`. Sockets are in `server`; lock, fork and signals in `main`.
"""

import asyncio
import os
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gstack_browse.browser.downloads.downloads import Downloads
from gstack_browse.browser.launch.running import LaunchParams, RunningBrowser
from gstack_browse.browser.launch.window import WindowOptions, default_window
from gstack_browse.browser.session.listener import Logs
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.browser.state.session_state import SessionState
from gstack_browse.browser.tab.table import TabNumbers
from gstack_browse.daemon.base.boot import BootState
from gstack_browse.daemon.base.error_log import CrashCounter
from gstack_browse.daemon.browser.attachments import Attachments
from gstack_browse.daemon.browser.browser_start import BrowserStart
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import AgentContext, RunningCommand, ShutdownReason
from gstack_browse.daemon.contexts.context_limits import MemoryLimit
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.daemon.persistence.record import CrashRecord
from gstack_browse.daemon.persistence.restoration import Restoration
from gstack_browse.daemon.socket.server import Say
from gstack_browse.errors import BrowseError, SetupFailed, StateLost
from gstack_browse.registry import Bound
from gstack_browse.settings import Settings
from gstack_browse.workspace.state import WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.browser.launch.endpoint import Endpoint
    from gstack_browse.daemon.persistence.keeper import StateAutosaver
    from gstack_browse.local_pages.board.desk import BoardRegistry
    from gstack_browse.local_pages.board.state import BoardState


class OpenBoards:
    """Holds the boards of a daemon. For a successor: `release` here, `adopt` there."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._boards: BoardRegistry | None = None

    @property
    def registry(self) -> "BoardRegistry | None":
        """The boards; None before the first one."""
        return self._boards

    def ensure_registry(self) -> "BoardRegistry":
        """Return the boards, to open or to answer one."""
        from gstack_browse.local_pages.board.desk import BoardRegistry
        from gstack_browse.local_pages.board.past import PastBoards

        if self._boards is None:
            self._boards = BoardRegistry(PastBoards(self._state))
        return self._boards

    def describe(self, context: str) -> str:
        """Describe the open boards of a browser context for `status`; "" for none."""
        return self._boards.status_text(context) if self._boards else ""

    @property
    def is_open(self) -> bool:
        """Return whether a person is shown a board or a gallery."""
        return self._boards is not None and self._boards.is_open

    @property
    def has_gallery(self) -> bool:
        """Return whether a person is shown a gallery."""
        return self._boards is not None and self._boards.has_gallery

    async def release(self) -> "list[BoardState]":
        """Stop serving the boards, and return them for a successor. Commands that wait for an answer fail."""
        boards, self._boards = self._boards, None
        return await boards.release() if boards else []

    async def adopt(self, boards: "Sequence[BoardState]") -> None:
        """Serve the boards of a predecessor, or our own again."""
        if boards:
            await self.ensure_registry().adopt(boards)

    async def close(self) -> None:
        """Close all boards: the browser ends."""
        if self._boards:
            await self._boards.close()


RECORD_SECONDS = 0.05
MOST_RECENT = 20
GIVE_UP_SECONDS = 3.0
COMING_SECONDS = 10.0
"""How long a handover waits for a browser that is starting."""


class Service:
    """The daemon's state. `ended` is set once, with the reason: the process must then exit.

    `closing` is set earlier, with the same reason: from then on no request begins.
    """

    def __init__(
        self,
        settings: Settings,
        state: WritableStateDir,
        inherited_state: SessionState | None = None,
        boot_state: BootState | None = None,
    ) -> None:
        self.settings = settings
        self.state = state
        self.workspace = Path(os.fsdecode(state.workspace))
        self.directory = Path(os.path.realpath(os.fsdecode(state.path)))
        self.default_context = self._make_context("")
        self.contexts = Contexts(
            self.default_context,
            make_context=self._make_context,
            open_default=self.open_browser,
            make_session=self._make_session,
            on_change=self._schedule_record,
            before_close=self._interrupt_context,
            most_open=settings.max_contexts,
        )
        self.memory_limit = MemoryLimit(settings.context_bytes)
        self.record = CrashRecord(state, self.hide_secrets)
        self.tab_numbers = TabNumbers(self.record.tab)
        self.crashes = CrashCounter(state)
        self.ended: asyncio.Future[ShutdownReason] = asyncio.get_running_loop().create_future()
        self.closing: ShutdownReason | None = None
        self.dead_process = ""
        """Name of the browser that died, as in `RunningBrowser.browser_name`; "" for none."""
        self.started = self.now()
        self.running_commands: set[RunningCommand] = set()
        self.followers: set[RunningCommand] = set()
        """Commands that follow a log: they run until their client goes away."""
        self.last_used = self.now()
        self.waits_to_upgrade = False
        """Whether the code on disk is newer, but work in progress prevents the upgrade."""
        self.recent_commands: deque[tuple[Bound, int, str]] = deque(maxlen=MOST_RECENT)
        """The last commands: command, exit code, prefix with the context's name."""
        self._restoration = Restoration(self.contexts, self.tab_numbers, self.record)
        self._restoration.schedule(inherited_state)
        self.autosaver: "StateAutosaver | None" = None
        """Saves the browser's state for the next daemon; None without BROWSE_PERSIST."""
        if settings.persists:
            from gstack_browse.daemon.persistence.keeper import StateAutosaver  # no part of a start without it
            from gstack_browse.daemon.persistence.session_store import SessionStore

            self.autosaver = StateAutosaver(SessionStore(state))
            self._restoration.schedule_saved(self.autosaver, settings)
        self._boot_state = boot_state or BootState(state, -1)
        """Resources that were started ahead, for the first browser."""
        self._browser_start: BrowserStart | None = None
        self.endpoint: Endpoint | None = None
        """Address of a browser that others have started; None for our own."""
        self.switch_to_own()
        if inherited_state and inherited_state.connected:
            self._reconnect_to(inherited_state.connected)
        self._last_refs = (1, 1)  # the first (@e, @c) that no browser of this daemon has given out
        self._record_timer: asyncio.TimerHandle | None = None
        self.boards = OpenBoards(state)
        self.attachments = Attachments(settings, state, self.contexts.get)

    def now(self) -> float:
        """Return the time in seconds by a clock that stops while the machine sleeps (CLOCK_MONOTONIC)."""
        return time.monotonic()

    def hide_secrets(self, text: str) -> str:
        """Return `text` without the secrets that pages were given."""
        for session in self.contexts.sessions():
            text = session.revealed.hide(text)
        return text

    @property
    def revealed_values(self) -> list[str]:
        """The secrets that pages were given."""
        return [value for session in self.contexts.sessions() for value in session.revealed.values]

    # the browser and its contexts

    @property
    def browser(self) -> BrowserSession | None:
        """The session of the default context."""
        return self.default_context.browser

    @browser.setter
    def browser(self, session: BrowserSession | None) -> None:
        self.default_context.browser = session

    @property
    def logs(self) -> Logs:
        """The logs of the default context."""
        return self.default_context.logs

    @property
    def downloads(self) -> Downloads:
        """The downloads of the default context."""
        return self.default_context.downloads

    def _make_context(self, name: str) -> AgentContext:
        return AgentContext(name, self.state, self.settings.downloads, self.hide_secrets)

    async def open_browser(self, say: Say) -> BrowserSession:
        """Return the default session, started if need be; `say` gets lines of progress. Raises SetupFailed."""
        if self.browser:
            return self.browser
        if self._browser_start is None or self._browser_start.is_done:
            self._browser_start = self._new_start()
        return await self._browser_start.wait_for_browser(say)

    def start_browser(self) -> None:
        """Start the browser in the background: the command that needs it is about to come."""
        if self._browser_start is None:
            self._browser_start = self._new_start()

    async def wait_until_started(self) -> None:
        """Wait until a running start has succeeded or failed."""
        if self._browser_start:
            await self._browser_start.wait_until_done()

    @property
    def is_starting(self) -> bool:
        start = self._browser_start
        return start is not None and not start.is_done

    @property
    def start_queue(self) -> str:
        """Description of the queue in which the start of a remote browser waits; "" for none."""
        return self._browser_start.queue if self._browser_start else ""

    @property
    def is_installing(self) -> bool:
        """Return whether the start installs a browser first, which takes minutes."""
        return self._browser_start is not None and self._browser_start.is_installing

    def _new_start(self) -> BrowserStart:
        return BrowserStart(
            LaunchParams(self.settings, self._on_browser_death, self.workspace, self.endpoint),
            self._boot_state,
            self._choose_window,
            default=self.default_context,
            first=self.contexts.get_or_make(self._boot_state.context),
            make_session=self._make_session,
            open_session=self._restoration.open_default_session,
        )

    def _choose_window(self) -> WindowOptions:
        inherited_state = self.default_context.pending_state
        return default_window(self.settings, inherited_state.context_options() if inherited_state else None)

    def _make_session(self, context: AgentContext, running: RunningBrowser) -> BrowserSession:
        return BrowserSession(
            running,
            context.logs,
            context.downloads,
            pictures=self.directory,
            changed=self._schedule_record,
            first_refs=(
                max(self.record.first_refs[0], self._last_refs[0]),
                max(self.record.first_refs[1], self._last_refs[1]),
            ),
            numbers=self.tab_numbers,
            name=context.name,
            sessions=self.contexts.sessions,
        )

    def _reconnect_to(self, address: str) -> None:
        from gstack_browse.browser.launch.endpoint import Endpoint  # no part of most starts

        self.endpoint = Endpoint(address, shared=True, ca_cert=self.settings.ca_cert)

    def keep_shared_tabs(self) -> None:
        """Leave our tabs in a person's own browser open for a successor."""
        if self.browser and self.browser.running.is_shared:
            cast("ExternalBrowser", self.browser.running).keeps_tabs = True

    async def connect_to(self, endpoint: "Endpoint") -> "ExternalBrowser":
        """Connect to a browser that others have started, without using it yet. Raises SetupFailed."""
        from gstack_browse.browser.launch import connect  # no part of a start of our own

        params = LaunchParams(self.settings, self._on_browser_death, self.workspace, endpoint)
        return await connect.start(params, endpoint)

    async def switch_to(self, running: "ExternalBrowser") -> BrowserSession:
        """Use that browser. Numbers of tabs and refs continue."""
        self.endpoint = running.endpoint
        self.record.mark_all_reported()
        browser = self._make_session(self.default_context, running)
        await browser.open()
        self.browser = browser
        return browser

    def switch_to_own(self) -> None:
        """Use, from the next start on, the browser that was used before `switch_to`."""
        self.endpoint = None
        if self.settings.remote:
            from gstack_browse.daemon.browser import remote  # no part of a start of our own

            self.endpoint = remote.remote_endpoint(self.settings)

    def _schedule_record(self) -> None:
        """Write the record soon: tabs or their addresses changed. Not for each of a page's many steps."""
        if self._record_timer is None:
            loop = asyncio.get_running_loop()
            self._record_timer = loop.call_later(RECORD_SECONDS, self.write_record)

    def write_record(self) -> None:
        """Write the pending record now, before a command that changed tabs is answered."""
        if self._record_timer:
            self._record_timer.cancel()
            self._record_timer = None
            if not self.dead_process:  # a dying browser closes its pages one by one
                self.record.write(self.browser, self.contexts.others)

    def _on_browser_death(self, what: str) -> None:
        if not self.dead_process:
            self.dead_process = what
            if not self.endpoint:
                self.crashes.count(what)
        self.shut_down(ShutdownReason.DIED)

    def on_command_done(self) -> None:
        """Write what is open, and soon save what the browser has: a command has run."""
        self.write_record()
        self.attachments.detach_outdated_clients()
        if self.autosaver:
            self.autosaver.mark_changed()

    def report_browser_loss(self, context: AgentContext) -> BrowseError:
        """Return the failure that reports the browser's death and a context's loss; it is not reported again."""
        if context.browser is None and self.browser is None:
            again = SetupFailed(f"{self.dead_process} ended while it was starting", "Try again")
            return self.crashes.repeated_crash_error() or again
        open_tabs = self.record.describe_open(context.name)
        if self.endpoint:
            # Not settled: the next daemon says it once more, since the browser that it connects to looks the same.
            return StateLost(
                f"{self.dead_process} is gone{f' ({open_tabs})' if open_tabs else ''}",
                "It may have ended, or cannot be reached. To use it again: gbrowse connect"
                if self.endpoint.shared
                else "The next command connects again, to a new session",
            )
        self.record.forget_open(context.name)
        return StateLost(
            f"{self.dead_process} ended: browser state was lost{f' ({open_tabs})' if open_tabs else ''}",
            "The next command starts a new browser. Run 'goto <url>'",
        )

    # the end

    def shut_down(self, why: ShutdownReason) -> None:
        """Set the reason for the end, unless one is set."""
        if not self.ended.done():
            self.ended.set_result(why)

    def interrupt_all(self, why: ShutdownReason) -> None:
        """Begin no further request, and cancel all running ones with that reason."""
        self.closing = why
        for run in [*self.running_commands, *self.followers]:
            run.interrupt(why)

    def _interrupt_context(self, context: AgentContext) -> None:
        """Cancel commands on the tabs of a context before it closes: Chromium would never answer them."""
        for run in (run for run in self.running_commands if run.context is context and run.uses_browser):
            run.interrupt(ShutdownReason.CONTEXT_CLOSED)

    async def close_browser(self) -> None:
        """End Chromium and the boards; cancel a running start."""
        await self.boards.close()
        await self.attachments.close()
        if self._browser_start:
            pending = self.default_context.pending_state
            if pending and pending.connected:  # else our tabs in that browser would stay open
                await self._browser_start.wait_until_done(COMING_SECONDS)
            await self._browser_start.cancel(GIVE_UP_SECONDS)
        sessions = self.contexts.sessions()
        running = {session.running for session in sessions}
        bounds = [self._last_refs, *(session.reserve.bound for session in sessions)]
        self._last_refs = max(e for e, _ in bounds), max(c for _, c in bounds)
        for context in self.contexts:
            if context.browser:
                context.browser = None
                context.downloads.break_off("the browser was ended")
        await asyncio.gather(*(each.close() for each in running))
        self._browser_start = None
        self._boot_state.discard_browser()
        self._boot_state.context = ""

    async def capture(self) -> SessionState | None:
        """Return the state for a successor; None if it is empty."""
        if self._browser_start and self.contexts.sessions():
            await self._browser_start.wait_until_done(COMING_SECONDS)
        return await self.contexts.capture()

    def resume(self, inherited_state: SessionState | None) -> None:
        """Go on after a failed handover: the next browser restores the captured state."""
        self.closing = None
        self.contexts.schedule_restore(inherited_state)

    @property
    def unfinished_work(self) -> str:
        """Describe what would be lost at an end without a successor; "" for nothing."""
        return agent_context.describe_aborted_work(self.contexts.sessions(), self.boards.registry)

    @property
    def unfinished_recordings(self) -> str:
        """Describe the recordings, which no successor continues; "" for none."""
        return agent_context.describe_recordings(self.contexts.sessions())

    @property
    def unanswered_boards(self) -> str:
        """Name the boards without an answer, which a successor continues; "" for none."""
        return agent_context.list_unanswered_boards(self.boards.registry)

    @property
    def is_in_use_by_person(self) -> bool:
        """Return whether a person uses a window, the picker or a gallery, which are not closed then."""
        sessions = self.contexts.sessions()
        return self.boards.has_gallery or any(session.is_in_use_by_person for session in sessions)

    def is_idle(self) -> bool:
        """Return whether the idle time is over. It does not pass while a person uses a window or a board."""
        if self.boards.is_open or self.is_in_use_by_person or self.attachments.is_in_use:
            self.last_used = self.now()
        return (
            bool(self.settings.idle_seconds)
            and not self.running_commands
            and self.now() - self.last_used >= self.settings.idle_seconds
        )
