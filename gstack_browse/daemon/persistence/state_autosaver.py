"""Save the browser's state for the next daemon (BROWSE_PERSIST=1).

The state is observed after commands, and while pages make requests, as soon as no command runs; changes are written. From time to
time, and at an end that is not a crash, all of it is read anew.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from weakref import WeakKeyDictionary

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.state.context_state import ContextState, LastSeen
from gstack_browse.browser.transfer import capture
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.daemon.persistence.state_store import StateStore, StateUnusable, StoredState, is_empty
from gstack_browse.settings import Settings
from gstack_browse.text.json_bytes import encode

QUIET_SECONDS = 0.5
LATEST_SECONDS = 5.0
"""A page that never becomes quiet is observed after so long all the same."""
WHOLE_SECONDS = 30.0
"""Longest age (s) of the last complete observation if something has changed."""
END_SECONDS = 8.0


class StateAutosaver:
    """Saves the browser's state in the background. `problem`: why it cannot now; "" if it can."""

    def __init__(self, file: StateStore) -> None:
        self._file = file
        self.problem = ""
        self._may_write = True
        self._observations: WeakKeyDictionary[OpenContext, _Observation] = WeakKeyDictionary()
        self._written = b""
        self._written_at = 0.0
        self._changed_at = self._first_change = 0.0
        self._requests = 0
        self._task: asyncio.Task[None] | None = None

    def read(self) -> StoredState | None:
        """Return the state that an earlier daemon saved; None for none.

        A file that cannot be read is never overwritten.
        """
        try:
            return self._file.read()
        except StateUnusable as why:
            self.problem = f"what an earlier daemon kept cannot be read, and stays as it is: {why}"
            self._may_write = False
            return None

    def set_aside(self) -> str:
        """Rename the file with the saved state, which could not be restored. Return its new path."""
        return self._file.set_aside()

    def mark_changed(self) -> None:
        """Note that the browser's state may have changed, which schedules a save."""
        self._changed_at = time.monotonic()
        self._first_change = self._first_change or self._changed_at

    def tick(self, contexts: Contexts, *, is_busy: bool) -> None:
        """Begin a scheduled save once pages are quiet, or once it has waited for LATEST_SECONDS.

        Called twice a second. `is_busy`: whether commands run.
        """
        browser = contexts.default.browser
        if browser is None or browser.running.is_shared or not self._may_write:
            return
        if (total := sum(context.logs.network.total for context in contexts)) != self._requests:
            self._requests = total
            self.mark_changed()
        now = time.monotonic()
        is_time = self._first_change and (
            (now - self._changed_at >= QUIET_SECONDS and not is_busy)
            or now - self._first_change >= LATEST_SECONDS
        )
        if is_time and (self._task is None or self._task.done()):
            self._first_change = 0.0
            self._task = browser.background.start(self._save_changes(contexts))

    async def save_finally(self, contexts: Contexts) -> None:
        """Read all of the browser's state and save it, since the daemon ends in an orderly way."""
        if self._task:
            await asyncio.wait([self._task], timeout=END_SECONDS)
        if (
            (browser := contexts.default.browser) and not browser.running.is_shared and self._may_write
        ):  # logins of a person's own browser are not saved
            for observation in self._observations.values():
                observation.whole_at = 0.0
            await capture.await_or_none(self._save_changes(contexts), END_SECONDS)
        self._file.release()

    def discard(self) -> None:
        """Delete the file with the saved state, and save nothing further: 'stop' leaves nothing behind."""
        self._may_write = False
        self._file.delete()
        self._file.release()

    def release(self) -> None:
        """Save nothing further, and unlock the file, so that a successor daemon can save to it."""
        self._may_write = False
        self._file.release()

    def resume(self) -> None:
        """Begin to save again after `release`, since the successor daemon did not start."""
        self._may_write = True
        self.mark_changed()

    def describe(self) -> str:
        """Describe for `status` where the state is saved, whether encrypted, and when last; or why it is not."""
        if self.problem:
            return f"nothing: {self.problem}"
        how = "encrypted" if self._file.is_encrypted else "not encrypted: no keyring can be reached"
        when = f"last at {format_moment(self._written_at)}" if self._written_at else "not written yet"
        return f"{self._file.path} ({how}), {when}"

    async def _save_changes(self, contexts: Contexts) -> None:
        """Read the state of all contexts, and write it to the file if it has changed."""
        states = dict(await asyncio.gather(*(self._observe(context) for context in contexts)))
        default = states.pop("")
        if default is None:
            return
        state = replace(default, contexts={name: found for name, found in states.items() if found})
        if is_empty(state):
            return
        mark = blake2b(encode(state.as_dict())).digest()
        if mark == self._written:
            return
        if not self._may_write:
            return  # stopped meanwhile
        try:
            await asyncio.to_thread(self._file.write, state)
        except StateUnusable as why:
            self.problem = str(why)
            self.mark_changed()  # tried again
            return
        self.problem, self._written, self._written_at = "", mark, time.time()

    async def _observe(self, context: AgentContext) -> tuple[str, ContextState | None]:
        """Return a context's name and its state now.

        If the browser fails, the state is that of the last time; None if there was none.
        """
        browser = context.browser
        if browser is None:
            return context.name, context.pending_state
        observation = self._observations.setdefault(browser, _Observation())
        if not browser.handoff and observation.is_due(context):
            with suppress(
                ProtocolError
            ):  # it is closing, or moving to another browser: observed again after the next change
                await observation.update(browser)
        return context.name, observation.state


class _Observation:
    """The last observed state of a context.

    `state`: None before the first complete observation. `whole_at`: when the last complete one was (monotonic).
    """

    def __init__(self) -> None:
        self.state: ContextState | None = None
        self.whole_at = 0.0
        self._seen: LastSeen | None = None
        self._mark = (0.0, 0)

    def is_due(self, context: AgentContext) -> bool:
        """Return whether the context's state may have changed since it was last read.

        That is so if a command has run, or a page has made a request.
        """
        before, self._mark = self._mark, (context.last_used, context.logs.network.total)
        return bool(context.running_count) or before != self._mark or not self.whole_at

    async def update(self, browser: OpenContext) -> None:
        """Read the tabs of a context anew, and every WHOLE_SECONDS its cookies and storage, too.

        Raises ProtocolError.
        """
        now = time.monotonic()
        if self._seen is None or now - self.whole_at >= WHOLE_SECONDS:
            whole = await capture.capture_unchanged(browser)
            if whole.missing:
                return
            self.whole_at = now
            if self._seen is None:
                self._seen = LastSeen(whole)
            else:
                self._seen.set_state(whole)
        else:
            await capture.observe_tabs(browser, self._seen)
        state = replace(self._seen.state(), **capture.settings_of(browser))
        self.state = replace(state, downloads=[], departed=None)


def filter_allowed(saved: StoredState, settings: Settings, refs: tuple[int, int]) -> ContextState:
    """Return a saved state without pages and storage that current policy forbids.

    `refs`: lowest numbers (@e, @c) for its elements, since earlier daemons have printed those below.
    """
    contexts = {name: _filter_state(state, settings, refs) for name, state in saved.state.contexts.items()}
    return replace(_filter_state(saved.state, settings, refs), contexts=contexts)


def _filter_state(state: ContextState, settings: Settings, refs: tuple[int, int]) -> ContextState:
    """Return a context's state without forbidden pages and storage. `refs`: lowest numbers (@e, @c)."""
    rules = settings.hosts
    origins = [
        origin
        for origin in state.storage.get("origins", [])
        if not (rules and rules.refuse_page(str(origin.get("origin"))))
    ]
    tabs = [
        replace(tab, following=(max(tab.following[0], refs[0]), max(tab.following[1], refs[1])))
        for tab in state.tabs[: settings.max_tabs]
        if not (rules and rules.refuse_page(tab.url))
    ]
    first = max(state.first_refs[0], refs[0]), max(state.first_refs[1], refs[1])
    storage = {"cookies": state.storage.get("cookies", []), "origins": origins}
    return replace(state, storage=storage, tabs=tabs, first_refs=first)


def restored_notice(state: ContextState, saved_at: float) -> str:
    """Return the notice for a reply that state was restored: `Restored 3 tabs and 12 cookies of 14:02`.

    `saved_at`: when it was saved, in seconds since 1970.
    """
    return f"Restored {replace(state, contexts={}).counts()} of {format_moment(saved_at)}"


def format_moment(at: float) -> str:
    """Format a time (seconds since 1970), as `14:02` if it is today, else with its date."""
    then = time.localtime(at)
    is_today = time.strftime("%F", then) == time.strftime("%F")
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", then)
