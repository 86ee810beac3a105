"""Keeps the browser's state for the next daemon (BROWSE_PERSIST=1): when to look, when to write, what to restore.

After a command, and while pages ask for things, the browser is looked at as soon as nothing runs; what has changed is written. Now and
then, and at an end that is not a crash, the look is a whole one.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from weakref import WeakKeyDictionary

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs import capture
from gstack_browse.browser.tabs.last_seen import LastSeen
from gstack_browse.browser.tabs.looking import look
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.daemon.contexts import Contexts
from gstack_browse.daemon.session_store import SessionStore, StoredSession, Unusable, is_empty
from gstack_browse.settings import Settings
from gstack_browse.text.json_bytes import encode

QUIET_SECONDS = 0.5
LATEST_SECONDS = 5.0
"""A page that never rests is looked at all the same."""
WHOLE_SECONDS = 30.0
"""How old the last whole look may be where something has changed."""
END_SECONDS = 8.0


class Keeper:
    """Of one daemon. `problem` says why nothing is kept now."""

    def __init__(self, file: SessionStore) -> None:
        self._file = file
        self.problem = ""
        self._may_write = True
        self._looks: WeakKeyDictionary[BrowserSession, _Look] = WeakKeyDictionary()
        self._written = b""
        self._written_at = 0.0
        self._changed_at = self._first_change = 0.0
        self._requests = 0
        self._task: asyncio.Task[None] | None = None

    def read(self) -> StoredSession | None:
        """What an earlier daemon kept. What cannot be read is never written over."""
        try:
            return self._file.read()
        except Unusable as why:
            self.problem = f"what an earlier daemon kept cannot be read, and stays as it is: {why}"
            self._may_write = False
            return None

    def reject(self) -> str:
        """What was read could not be restored: out of the way with it. Returns where it is."""
        return self._file.set_aside()

    def changed(self) -> None:
        """Something may have changed: a command has run."""
        self._changed_at = time.monotonic()
        self._first_change = self._first_change or self._changed_at

    def tick(self, contexts: Contexts, *, is_busy: bool) -> None:
        """Look if it is time to. Called about twice a second."""
        browser = contexts.default.browser
        if browser is None or browser.running.is_shared or not self._may_write:
            return
        if (total := sum(context.logs.network.total for context in contexts)) != self._requests:
            self._requests = total
            self.changed()
        now = time.monotonic()
        is_time = self._first_change and (
            (now - self._changed_at >= QUIET_SECONDS and not is_busy)
            or now - self._first_change >= LATEST_SECONDS
        )
        if is_time and (self._task is None or self._task.done()):
            self._first_change = 0.0
            self._task = browser.background.start(self._keep(contexts))

    async def finish(self, contexts: Contexts) -> None:
        """The daemon ends with its browser alive: look once more, at everything."""
        if self._task:
            await asyncio.wait([self._task], timeout=END_SECONDS)
        if (
            (browser := contexts.default.browser) and not browser.running.is_shared and self._may_write
        ):  # no person's logins
            for seen in self._looks.values():
                seen.whole_at = 0.0
            await capture.in_time(self._keep(contexts), END_SECONDS)
        self._file.release()

    def forget(self) -> None:
        """The session was stopped: keep nothing."""
        self._may_write = False
        self._file.forget()
        self._file.release()

    def release(self) -> None:
        """A successor keeps from now on."""
        self._may_write = False
        self._file.release()

    def resume(self) -> None:
        """The successor has not started: go on."""
        self._may_write = True
        self.changed()

    def words(self) -> str:
        """What `status` says."""
        if self.problem:
            return f"nothing: {self.problem}"
        how = "encrypted" if self._file.is_encrypted else "not encrypted: no keyring can be reached"
        at = clock(self._written_at) if self._written_at else "not yet"
        return f"{self._file.path} ({how}), last at {at}"

    async def _keep(self, contexts: Contexts) -> None:
        """Look at the browser, and write what has changed."""
        states = dict(await asyncio.gather(*(self._look(context) for context in contexts)))
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
        except Unusable as why:
            self.problem = str(why)
            self.changed()  # tried again
            return
        self.problem, self._written, self._written_at = "", mark, time.time()

    async def _look(self, context: AgentContext) -> tuple[str, SessionState | None]:
        """What a context holds now, or held when it was last looked at; None where that is not known."""
        session = context.browser
        if session is None:
            return context.name, context.carried
        seen = self._looks.setdefault(session, _Look())
        if not session.handed and seen.is_due(context):
            with suppress(
                PlaywrightError
            ):  # it is going, or moving to another: looked at again after the next change
                await seen.look(session)
        return context.name, seen.state


class _Look:
    """What was last seen of one session. `state` is None before the first whole look; `whole_at` is when the last one was (monotonic)."""

    def __init__(self) -> None:
        self.state: SessionState | None = None
        self.whole_at = 0.0
        self._seen: LastSeen | None = None
        self._mark = (0.0, 0)

    def is_due(self, context: AgentContext) -> bool:
        """Whether anything may have changed in a context since the last look: a command has run, or a page has asked for something."""
        before, self._mark = self._mark, (context.last_used, context.logs.network.total)
        return bool(context.runs) or before != self._mark or not self.whole_at

    async def look(self, session: BrowserSession) -> None:
        """Look at a session, now and then at all of it. Raises Playwright's Error."""
        now = time.monotonic()
        if self._seen is None or now - self.whole_at >= WHOLE_SECONDS:
            whole = await capture.seen_of(session)
            if whole.missing:
                return
            self.whole_at = now
            if self._seen is None:
                self._seen = LastSeen(whole)
            else:
                self._seen.saw_whole(whole)
        else:
            await look(session, self._seen)
        state = replace(self._seen.state(), **capture.settings_of(session))
        self.state = replace(state, downloads=[], departed=None)


def restorable(kept: StoredSession, settings: Settings, refs: tuple[int, int]) -> SessionState:
    """A kept state as it may be restored: only what the rules of now allow. Refs go on above those that were printed."""
    contexts = {name: _restorable(state, settings, refs) for name, state in kept.state.contexts.items()}
    return replace(_restorable(kept.state, settings, refs), contexts=contexts)


def _restorable(state: SessionState, settings: Settings, refs: tuple[int, int]) -> SessionState:
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


def told(state: SessionState, at: float) -> str:
    """`Restored 3 tabs and 12 cookies of 14:02`."""
    return f"Restored {replace(state, contexts={}).counts()} of {clock(at)}"


def clock(at: float) -> str:
    """A moment of today as 14:02, of another day with its date."""
    then = time.localtime(at)
    is_today = time.strftime("%F", then) == time.strftime("%F")
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", then)
