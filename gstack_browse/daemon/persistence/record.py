"""Record what is open, so that the next daemon can report losses; restore earlier contexts.

Restored are those of a predecessor, or what an earlier daemon saved (BROWSE_PERSIST=1). The record also bounds the printed
references and the numbers of tabs. The next daemon gives out others, so that an old number cannot hit anything.

The file lies in the workspace: what is read from it is checked. If it cannot be written (a full disk, a removed directory), the
daemon goes on without.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.browser.tab.table import TabNumbers
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.errors import Refused, SetupFailed, StateLost
from gstack_browse.protocol import is_context_name
from gstack_browse.settings import Settings
from gstack_browse.text.json_bytes import read_object
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count
from gstack_browse.workspace.state import SessionFile, WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.browser.devtools.browser import BrowserContext
    from gstack_browse.daemon.persistence.state_autosaver import StateAutosaver

RECORD_SECONDS = 0.05
_MAX_BYTES = 100_000
_BLANK = "about:blank"
_FIRST_REFS = (1, 1)
_HIGHEST_REF = 100_000_000
_HIGHEST_TAB = 1_000_000
_MOST_CONTEXTS = 500


class CrashRecord:
    """The file that records open contexts, and what an earlier daemon lost.

    Contexts are recorded by name; "" is the default one. `hide` masks secrets in a URL.

    Attributes:
        unreported: Context → fields on what was lost, until it is reported.
        was_idle: Whether the earlier daemon ended only because it was idle.
        first_refs: First element refs (@e, @c) that no daemon has printed since the last orderly stop.
        tab: First number of a tab in the same sense.
        refs: The `first_refs` of the next daemon.
    """

    def __init__(self, state: WritableStateDir, hide: Callable[[str], str] = str) -> None:
        self._hide = hide
        self._file = SessionFile(state)
        self._written = b""
        self._is_closed = False
        previous = read_object(lambda: self._file.read(_MAX_BYTES))
        self._open: dict[str, dict[str, Any]] = {}
        """Context → fields on what is open, as written last."""
        self.unreported = {
            name: fields for name, fields in _split_by_context(previous).items() if _describe_context(fields)
        }
        self.was_idle = previous.get("idle") is True
        self.refs = self.first_refs = _parse_refs(previous)
        self.tab = _parse_tab(previous)

    def describe_loss(self, name: str) -> str:
        """Describe the tabs of context `name` that an earlier daemon lost: `3 tabs, last at URL`; "" for none."""
        fields = self.unreported.get(name)
        return _describe_context(fields) if fields else ""

    def describe_open(self, name: str = "") -> str:
        """Describe the open tabs of context `name`, as last recorded: `3 tabs, last at URL`; "" for none."""
        return _describe_context(self._open.get(name, {}))

    def take_loss_notice(self, name: str = "") -> str:
        """Return a notice of the tabs that context `name` lost by a crash, and mark it reported; "" for none."""
        if not (lost := self.describe_loss(name)):
            return ""
        was_connected = self._was_connected(name)
        self.mark_reported(name)
        if was_connected:
            return f"no longer connected to the browser that others have started ({lost}); 'connect' goes there again"
        return f"browser state was lost ({lost})"

    def _was_connected(self, name: str) -> bool:
        """Return whether the tabs that context `name` lost were in a browser that `connect` had joined."""
        return self.unreported.get(name, {}).get("connected") is True

    def take_loss_error(self, name: str = "") -> StateLost:
        """Return an error on the tabs that context `name` lost, with the cause, and mark the loss reported."""
        if self.was_idle:
            cause = "The daemon had ended because nobody used it for long (BROWSE_IDLE_TIMEOUT)"
        else:
            cause = "The browser before this one ended unexpectedly"
        reconnect = "'connect' to go on there, or " if self._was_connected(name) else ""
        return StateLost(self.take_loss_notice(name), f"{cause}. Run {reconnect}'goto <url>' to begin again")

    def mark_reported(self, name: str) -> None:
        """Remove the reported loss of context `name` from the record. Write that even on a full disk."""
        self.unreported.pop(name, {})
        self._force_write()

    def _force_write(self) -> None:
        """Write the record's file even on a full disk: if that fails, empty it first to free its blocks."""
        content = self._content()
        if not self._replace(content) and self._replace(b""):
            self._replace(content)

    def mark_all_reported(self) -> None:
        """Remove all losses and open contexts from the record, since another browser has restored them."""
        self.unreported, self._open = {}, {}
        self._force_write()

    def forget_open(self, name: str) -> None:
        """Remove the context `name` from the open ones in the record.

        Called when this daemon reports its loss, so that the next one does not, too.
        """
        if not self._is_closed and self._open.pop(name, {}):
            self._force_write()

    def forget_all(self) -> None:
        """Empty the record's file and stop writing it: a successor continues the contexts, so none is lost."""
        if not self._is_closed:
            self.mark_all_reported()
            self._is_closed = True

    def reset(self) -> None:
        """Empty the record at an orderly stop, and begin to number element refs and tabs at 1 again."""
        self.refs, self.tab = _FIRST_REFS, 1
        self.forget_all()

    def write(self, default: OpenContext | None, others: Sequence[AgentContext] = ()) -> None:
        """Write the open contexts and unreported losses to the record's file, if anything has changed.

        `default`: the default context; None if closed. `others`: the named contexts; those to be restored count with their tabs.
        """
        if self._is_closed:
            return
        browsers = {"": default} if default else {}
        browsers |= {context.name: holder for context in others if (holder := context.browser)}
        waiting = {context.name: context.pending_state for context in others if context.pending_state}
        self._open = {
            name: fields
            for name, browser in browsers.items()
            if (fields := _context_fields(browser, self._hide))
        }
        self._open |= {
            name: fields
            for name, state in waiting.items()
            if (fields := _tab_fields([tab.url for tab in state.tabs], "", self._hide))
        }
        if browsers:
            bounds = [self.first_refs, *(browser.reserve.bound for browser in browsers.values())]
            self.refs = max(e for e, _ in bounds), max(c for _, c in bounds)
        if self._open and browsers:
            self.tab = next(iter(browsers.values())).tabs.next_id
        content = self._content()
        if content != self._written:
            self._replace(content)

    def close(self, *, idle: bool) -> None:
        """Stop writing the record: the next daemon reports as lost what is in the file now.

        `idle`: this daemon ends because nobody used it, which that report then gives as the cause.
        """
        if idle and self._written and not self._is_closed:
            self._replace(orjson.dumps(orjson.loads(self._written) | {"idle": True}))
        self._is_closed = True
        self._file.forget_removed_workspace()

    def _content(self) -> bytes:
        """Return the record's open contexts, losses and next numbers as JSON for its file; b"" for none."""
        every = {**self._open, **self.unreported}
        default = every.pop("", {})
        refs = {} if self.refs == _FIRST_REFS else {"refs": self.refs}
        tab = {} if self.tab == 1 else {"tab": self.tab}
        contexts = {"contexts": every} if every else {}
        content: dict[str, Any] = default | refs | tab | contexts
        return orjson.dumps(content) if content else b""

    def _replace(self, content: bytes) -> bool:
        """Write `content` to the record's file (b"": remove it), and return whether that worked.

        If it failed, the next change tries again.
        """
        try:
            if content:
                self._file.write(content)
            else:
                self._file.remove()
        except (OSError, Refused):
            return False
        self._written = content
        return True


class RecordWriter:
    """Writes the crash record of all contexts soon after a change, several changes at once."""

    def __init__(self, record: CrashRecord, contexts: Contexts) -> None:
        self.record = record
        self._contexts = contexts
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopped = False

    def schedule(self) -> None:
        """Schedule a write of the crash record in RECORD_SECONDS, since tabs or their URLs changed."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(RECORD_SECONDS, self.write)

    def write(self) -> None:
        """Write the crash record now if a write is scheduled."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
            if not self._is_stopped:
                self.record.write(self._contexts.default.browser, self._contexts.others)

    def stop(self) -> None:
        """Write the crash record no further, so that it keeps what was open before the browser died."""
        self._is_stopped = True


def _split_by_context(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the crash record's fields for each context, by its name. `content`: the decoded file.

    Others may have written the file: what is malformed is left out.
    """
    named = content.get("contexts")
    found = {"": content}
    for name, fields in named.items() if isinstance(named, dict) else ():
        if isinstance(fields, dict) and is_context_name(name) and len(found) <= _MOST_CONTEXTS:
            found[name] = fields
    return found


def _context_fields(browser: OpenContext, hide: Callable[[str], str]) -> dict[str, Any]:
    """Return what the crash record says of a context: number of tabs, last URL. `hide` masks secrets.

    That a browser was connected is recorded without tabs, too: the next one has other logins.
    """
    active = browser.tabs.get()
    fields = _tab_fields([tab.url for tab in browser.tabs], active.url if active else "", hide)
    return fields | {"connected": True} if browser.running.is_shared else fields


def _tab_fields(urls: list[str], active: str, hide: Callable[[str], str]) -> dict[str, Any]:
    """Return a context's fields for the crash record: "tabs" (number) and "last" (URL).

    {} if all tabs are blank. "tabs" counts blank ones, too. "last": the active tab's URL (`active`) unless that is blank, else the
    last of `urls` that is not. `hide` masks secrets in it.
    """
    shown = [url for url in urls if url != _BLANK]
    if not shown:
        return {}
    last = active if active in shown else shown[-1]
    return {"tabs": len(urls), "last": hide(shown_url(last))}


def _describe_context(fields: dict[str, Any]) -> str:
    """Describe a context in the crash record: `2 tabs, last at URL`; "" for malformed fields.

    Leaves out an address with blanks: it is no URL but a sentence that others have written into the file.
    """
    count, last = fields.get("tabs"), fields.get("last")
    if count is None and fields.get("connected") is True:
        return "no tab of ours was open"
    if not isinstance(count, int) or not isinstance(last, str) or not 0 < count < 100_000:
        return ""
    where = "" if re.search(r"\s", last) else f", last at {shown_url(last)}"
    return f"{format_count(count, 'tab')}{where}"


def _parse_refs(fields: dict[str, Any]) -> tuple[int, int]:
    """Return the next free numbers of element refs `@e` and `@c` in the crash record; (1, 1) if malformed."""
    match fields.get("refs"):
        case [int(first_e), int(first_c)] if 0 < first_e < _HIGHEST_REF and 0 < first_c < _HIGHEST_REF:
            return first_e, first_c
    return _FIRST_REFS


def _parse_tab(fields: dict[str, Any]) -> int:
    """Return the next free tab number in the crash record; 1 if malformed."""
    match fields.get("tab"):
        case int(first) if 0 < first < _HIGHEST_TAB:
            return first
    return 1


class Restoration:
    """Restores the contexts of an earlier daemon. A saved state that Chromium cannot load is renamed."""

    def __init__(self, contexts: Contexts, numbers: TabNumbers, record: CrashRecord) -> None:
        self._contexts = contexts
        self._numbers = numbers
        self._record = record
        self._autosaver: "StateAutosaver | None" = None
        self._restored_text = ""
        """Notice of what is restored from an earlier daemon; "" for nothing."""

    def schedule(self, state: ContextState | None) -> None:
        """Keep the state of an earlier browser, to restore each of its contexts when it is next opened.

        `state`: tabs, cookies and storage; None: nothing to restore.
        """
        if state:  # its daemon may not have been able to empty the record
            self._record.mark_all_reported()
        self._contexts.schedule_restore(state)
        for context in self._contexts:
            if context.pending_state:
                self._numbers.reserve(context.pending_state.next_id)
                context.downloads.restore(context.pending_state.downloads)

    def schedule_saved(self, autosaver: "StateAutosaver", settings: Settings) -> None:
        """Read the state that an earlier daemon saved to a file, and keep it to be restored.

        Do nothing if a predecessor has handed its state over already.
        """
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
        elif autosaver.problem:
            default.notice = f"Nothing was restored: {autosaver.problem}"

    async def open_default_context(
        self, browser: OpenContext, *, first: "BrowserContext | None" = None, has_tab: bool = True
    ) -> None:
        """Open the default context, and restore the state of an earlier one if there is any.

        Without such a state, open it in the browser context `first`, or with a new tab if `has_tab`.
        Raises SetupFailed if Chromium fails with a saved state.
        """
        default = self._contexts.default
        if not default.pending_state:
            await (browser.open(first=first) if has_tab else browser.open_context(None))
            return
        from gstack_browse.browser.context import tab_taking  # no part of most starts
        from gstack_browse.browser.transfer import restore

        if browser.running.is_shared:
            await tab_taking.reattach_tabs(browser, default.pending_state)
            default.pending_state = None
            return
        try:
            await restore.restore_context(browser, default.pending_state)
        except ProtocolError as error:
            if self._restored_text and self._autosaver:
                raise self._restore_error(self._autosaver, error) from None
            raise
        default.pending_state = None
        default.notice, self._restored_text = default.notice or self._restored_text, ""

    def _restore_error(self, autosaver: "StateAutosaver", error: ProtocolError) -> SetupFailed:
        """Drop the saved state that could not be restored, and rename its file. Return the error that says so."""
        self._contexts.default.pending_state, self._restored_text = None, ""
        return SetupFailed(
            f"What an earlier daemon kept could not be restored: {one_line(error.message, 200)}",
            f"Run the command again: it begins with nothing. The file is now {autosaver.set_aside()}",
        )
