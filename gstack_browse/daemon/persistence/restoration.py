"""Restore sessions: those of a predecessor, or what an earlier daemon saved (BROWSE_PERSIST=1)."""

from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.browser.state.session_state import SessionState
from gstack_browse.browser.tab.table import TabNumbers
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.daemon.persistence.record import CrashRecord
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.devtools.browser import BrowserContext
    from gstack_browse.daemon.persistence.state_autosaver import StateAutosaver


class Restoration:
    """Restores the sessions of one daemon. A saved state with which Chromium fails is set aside."""

    def __init__(self, contexts: Contexts, numbers: TabNumbers, record: CrashRecord) -> None:
        self._contexts = contexts
        self._numbers = numbers
        self._record = record
        self._autosaver: "StateAutosaver | None" = None
        self._restored_text = ""
        """Notice of what is restored from an earlier daemon; "" for nothing."""

    def schedule(self, state: SessionState | None) -> None:
        """Schedule the restore of an earlier browser's state, in all of its contexts."""
        self._contexts.schedule_restore(state)
        for context in self._contexts:
            if context.pending_state:
                self._numbers.reserve(context.pending_state.next_id)
                context.downloads.restore(context.pending_state.downloads)

    def schedule_saved(self, autosaver: "StateAutosaver", settings: Settings) -> None:
        """Schedule the restore of what an earlier daemon saved, unless a predecessor passed a state on."""
        from gstack_browse.daemon.persistence.state_autosaver import (  # no part of a start without it
            filter_allowed,
            restored_notice,
        )

        self._autosaver = autosaver
        default = self._contexts.default
        if default.pending_state:
            return
        if saved := autosaver.read():
            restored = filter_allowed(saved, settings, self._record.refs)
            self.schedule(restored)
            self._restored_text = restored_notice(restored, saved.at)
            for context in self._contexts.others:
                context.notice = restored_notice(restored.contexts[context.name], saved.at)
            self._record.mark_all_reported()
        elif autosaver.problem:
            default.notice = f"Nothing was restored: {autosaver.problem}"

    async def open_default_session(
        self, browser: BrowserSession, *, first: "BrowserContext | None" = None, has_tab: bool = True
    ) -> None:
        """Open the default session with its pending state.

        Without one, open it with the context `first`, or with a new tab if `has_tab`.
        Raises SetupFailed if Chromium fails with a saved state.
        """
        default = self._contexts.default
        if not default.pending_state:
            await (browser.open(first=first) if has_tab else browser.open_context(None))
            return
        from gstack_browse.browser.session import tab_taking  # no part of most starts
        from gstack_browse.browser.transfer import restore

        if browser.running.is_shared:
            await tab_taking.take_back(browser, default.pending_state)
            default.pending_state = None
            return
        try:
            await restore.open_session(browser, default.pending_state)
        except ProtocolError as error:
            if self._restored_text and self._autosaver:
                raise self._restore_error(self._autosaver, error) from None
            raise
        default.pending_state = None
        default.notice, self._restored_text = default.notice or self._restored_text, ""

    def _restore_error(self, autosaver: "StateAutosaver", error: ProtocolError) -> SetupFailed:
        """Give up on the saved state and set its file aside. Return the error that says so."""
        self._contexts.default.pending_state, self._restored_text = None, ""
        return SetupFailed(
            f"What an earlier daemon kept could not be restored: {one_line(error.message, 200)}",
            f"Run the command again: it begins with nothing. The file is now {autosaver.set_aside()}",
        )
