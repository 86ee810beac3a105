"""Hold the parts of the running daemon, and do what concerns several of them.

The parts are its browser, contexts, crash record, boards and lifecycle. Requests come from `dispatch`. Sockets are in
`server`; lock, fork and signals in `main`.
"""

import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.browser.tab.table import TabNumbers
from gstack_browse.daemon.base.boot import BootState
from gstack_browse.daemon.base.log_files import CrashCounter
from gstack_browse.daemon.browser.attachments import Attachments
from gstack_browse.daemon.browser.browser_manager import COMING_SECONDS, BrowserManager
from gstack_browse.daemon.browser.watched_browser import WatchedBrowser, end_message
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.contexts.contexts import Contexts, MemoryLimit
from gstack_browse.daemon.contexts.opener import ContextOpener
from gstack_browse.daemon.lifecycle import Lifecycle
from gstack_browse.daemon.persistence.record import CrashRecord, RecordWriter, Restoration
from gstack_browse.flows.feed import CommandFeed
from gstack_browse.registry import BoundCall
from gstack_browse.settings import Settings
from gstack_browse.workspace.state import WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.daemon.persistence.state_autosaver import StateAutosaver
    from gstack_browse.local_pages.board.board import BoardState
    from gstack_browse.local_pages.board.registry import BoardRegistry


class OpenBoards:
    """Holds the daemon's boards, which are local web pages that ask a person to choose.

    A successor daemon serves them on: `adopt` takes what `release` gave.
    """

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._boards: BoardRegistry | None = None

    @property
    def registry(self) -> "BoardRegistry | None":
        """Return the registry of the open boards (pages that ask a person); None before the first board."""
        return self._boards

    def ensure_registry(self) -> "BoardRegistry":
        """Return the registry of the open boards (pages that ask a person), created if need be."""
        from gstack_browse.local_pages.board.registry import BoardRegistry, PastBoards

        if self._boards is None:
            self._boards = BoardRegistry(PastBoards(self._state))
        return self._boards

    def describe(self, context: str) -> str:
        """Describe the open boards (pages that ask a person) of a context for `status`; "" for none."""
        return self._boards.status_text(context) if self._boards else ""

    @property
    def is_open(self) -> bool:
        """Return whether a board (a page that asks a person) or a gallery of pictures is open."""
        return self._boards is not None and self._boards.is_open

    @property
    def has_gallery(self) -> bool:
        """Return whether a gallery (a local page with pictures for a person) is open."""
        return self._boards is not None and self._boards.has_gallery

    async def release(self) -> "list[BoardState]":
        """Stop serving the boards (pages that ask a person), and return them for a successor daemon.

        Commands that wait for an answer fail.
        """
        boards, self._boards = self._boards, None
        return await boards.release() if boards else []

    async def adopt(self, boards: "Sequence[BoardState]") -> None:
        """Serve boards that a predecessor daemon released; after a failed handover our own again."""
        if boards:
            await self.ensure_registry().adopt(boards)

    async def close(self) -> None:
        """Close all boards (pages that ask a person), since the browser ends."""
        if self._boards:
            await self._boards.close()


MOST_RECENT = 20


class Service:
    """The parts of a running daemon. `lifecycle` has its running commands, and ends it."""

    def __init__(
        self,
        settings: Settings,
        state: WritableStateDir,
        inherited_state: ContextState | None = None,
        boot_state: BootState | None = None,
    ) -> None:
        self.settings = settings
        self.state = state
        self.workspace = Path(os.fsdecode(state.workspace))
        self.directory = Path(os.path.realpath(os.fsdecode(state.path)))
        self.lifecycle = Lifecycle()
        self.default_context = self._make_context("")
        self.contexts = Contexts(self.default_context, self._make_context)
        self.memory_limit = MemoryLimit(settings.context_bytes)
        self.record = CrashRecord(state, self.hide_secrets)
        self.record_writer = RecordWriter(self.record, self.contexts)
        tab_numbers = TabNumbers(self.record.tab)
        self.crashes = CrashCounter(state)
        self.recent_commands: deque[tuple[BoundCall, int, str]] = deque(maxlen=MOST_RECENT)
        """The last commands: command, exit code, prefix with the context's name."""
        restoration = Restoration(self.contexts, tab_numbers, self.record)
        restoration.schedule(inherited_state)
        self.autosaver: "StateAutosaver | None" = None
        """Saves the browser's state for the next daemon; None without BROWSE_PERSIST."""
        if settings.persists:
            from gstack_browse.daemon.persistence.state_autosaver import (
                StateAutosaver,  # no part of a start without it
            )
            from gstack_browse.daemon.persistence.state_store import StateStore

            self.autosaver = StateAutosaver(StateStore(state))
            restoration.schedule_saved(self.autosaver, settings)
        self.browser = BrowserManager(
            settings,
            self.contexts,
            tab_numbers,
            workspace=self.workspace,
            pictures=self.directory,
            writer=self.record_writer,
            boot_state=boot_state or BootState(state, -1),
            restoration=restoration,
            lifecycle=self.lifecycle,
            crashes=self.crashes,
        )
        self.context_opener = ContextOpener(
            self.contexts,
            open_default=self.browser.open,
            make_open_context=self.browser.make_open_context,
            on_change=self.record_writer.schedule,
            before_close=self.lifecycle.interrupt_context,
            most_open=settings.max_contexts,
        )
        if inherited_state and inherited_state.connected:
            self.browser.reconnect_to(inherited_state.connected)
        self.boards = OpenBoards(state)
        self.feed = CommandFeed()
        self.watch = WatchedBrowser(self.contexts, self.feed, self.hide_from_watchers)
        self.attachments = Attachments(settings, state, self.contexts.get)

    def hide_secrets(self, text: str) -> str:
        """Return `text` with the secrets masked that were filled into pages."""
        for context in self.contexts.open_contexts():
            text = context.revealed.hide(text)
        return text

    def hide_in_logs(self, text: str) -> str:
        """Return a log's line with secrets masked: those filled into pages, and cookies that commands set."""
        for context in self.contexts.open_contexts():
            text = context.running.connection.cookie_values.hide(text)
        return self.hide_secrets(text)

    def hide_from_watchers(self, text: str) -> str:
        """Return `text` for the watch page or a trace, with secrets masked.

        They are those of `hide_in_logs`, and what was typed into fields for secrets.
        """
        for context in self.contexts:
            text = context.typed.hide(text)
        return self.hide_in_logs(text)

    @property
    def revealed_values(self) -> list[str]:
        """Return the stored secrets that were filled into pages, of all contexts."""
        return [value for context in self.contexts.open_contexts() for value in context.revealed.values]

    def _make_context(self, name: str) -> AgentContext:
        """Create the browser context called `name`, without opening it."""
        return AgentContext(name, self.state, self.settings.downloads, self.hide_in_logs)

    def on_command_done(self) -> None:
        """Do what is due after each command: crash record, outdated attached programs, autosave."""
        self.record_writer.write()
        self.attachments.detach_outdated_clients()
        if self.autosaver:
            self.autosaver.mark_changed()

    async def close_browser(self) -> None:
        """End Chromium or its start, close boards and watch page, and detach attached programs."""
        await self.boards.close()
        await self.watch.close(end_message(self.lifecycle.closing))
        await self.attachments.close()
        await self.browser.close()

    async def capture(self) -> ContextState | None:
        """Read the state (tabs, cookies, storage) of all contexts, for a successor; None if it is empty."""
        if self.contexts.open_contexts():
            await self.browser.wait_until_started(COMING_SECONDS)
        return await self.contexts.capture()

    def resume(self, captured: ContextState | None) -> None:
        """Accept requests again after a failed handover. The next browser restores the `captured` state."""
        self.lifecycle.closing = None
        self.contexts.schedule_restore(captured)

    # what is in use

    @property
    def unfinished_work(self) -> str:
        """Describe recordings and unanswered boards, which are lost if the daemon ends; "" for none."""
        return ", ".join(filter(None, [self.unfinished_recordings, self.unanswered_boards]))

    @property
    def unfinished_recordings(self) -> str:
        """Describe running recordings, which are lost even if a successor daemon takes over; "" for none."""
        return agent_context.describe_recordings(self.contexts.open_contexts())

    @property
    def unanswered_boards(self) -> str:
        """List boards (pages that ask a person) without an answer: `board 1, board 2`; "" for none.

        A successor daemon continues them.
        """
        boards = self.boards.registry
        return ", ".join(f"board {number}" for number in boards.unanswered_numbers()) if boards else ""

    @property
    def is_in_use_by_person(self) -> bool:
        """Return whether a person uses a browser window, the element picker or a gallery of pictures."""
        contexts = self.contexts.open_contexts()
        return self.boards.has_gallery or any(context.is_in_use_by_person for context in contexts)

    def is_idle(self) -> bool:
        """Return whether the daemon was unused for the setting `idle_seconds` (0: never), so that it ends.

        Time does not count while a person uses a window or a board, or a program is attached.
        """
        if self.boards.is_open or self.is_in_use_by_person or self.attachments.is_in_use or self.watch.is_seen:
            self.lifecycle.last_used = self.lifecycle.now()
        seconds = self.settings.idle_seconds
        return bool(seconds) and self.lifecycle.has_been_idle(seconds)
