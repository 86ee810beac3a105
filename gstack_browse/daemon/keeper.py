"""Keeps the browser's state for the next daemon (BROWSE_PERSIST=1): when to look, when to write, what to restore.

After a command, and while pages ask for things, the browser is looked at as soon as nothing runs; what has changed is written. Now and
then, and at an end that is not a crash, the look is a whole one.
"""

import asyncio
import time
from dataclasses import replace
from hashlib import blake2b

import orjson

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs import capture
from gstack_browse.browser.tabs.last_seen import LastSeen
from gstack_browse.browser.tabs.looking import look
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.daemon.session_store import SessionStore, StoredSession, Unusable, is_empty
from gstack_browse.settings import Settings
from gstack_browse.text.columns import counted

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
        self._seen: LastSeen | None = None
        self._written = b""
        self._written_at = 0.0
        self._changed_at = self._first_change = 0.0
        self._whole_at = 0.0
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

    def tick(self, browser: BrowserSession | None, *, is_busy: bool) -> None:
        """Look if it is time to. Called about twice a second."""
        if browser is None or browser.handed or not self._may_write:
            return
        if (total := browser.logs.network.total) != self._requests:
            self._requests = total
            self.changed()
        now = time.monotonic()
        is_time = self._first_change and (
            (now - self._changed_at >= QUIET_SECONDS and not is_busy)
            or now - self._first_change >= LATEST_SECONDS
        )
        if is_time and (self._task is None or self._task.done()):
            self._first_change = 0.0
            self._task = browser.background.start(self._keep(browser))

    async def finish(self, browser: BrowserSession | None) -> None:
        """The daemon ends with its browser alive: look once more, at everything."""
        if self._task:
            await asyncio.wait([self._task], timeout=END_SECONDS)
        if browser and self._may_write:
            self._whole_at = 0.0
            await capture.in_time(self._keep(browser), END_SECONDS)
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

    async def _keep(self, browser: BrowserSession) -> None:
        """Look at the browser, and write what has changed."""
        try:
            state = await self._look(browser)
        except PlaywrightError:
            return  # it is going, or moving to another: looked at again after the next change
        if state is None or is_empty(state):
            return
        mark = blake2b(orjson.dumps(state)).digest()
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

    async def _look(self, browser: BrowserSession) -> SessionState | None:
        """What there is now; None where the browser did not tell."""
        now = time.monotonic()
        if self._seen is None or now - self._whole_at >= WHOLE_SECONDS:
            whole = await capture.seen_of(browser)
            if whole.missing:
                return None
            self._whole_at = now
            if self._seen is None:
                self._seen = LastSeen(whole)
            else:
                self._seen.saw_whole(whole)
        else:
            await look(browser, self._seen)
        state = replace(self._seen.state(), **capture.settings_of(browser))
        return replace(state, downloads=[], departed=None)


def restorable(kept: StoredSession, settings: Settings, refs: tuple[int, int]) -> SessionState:
    """A kept state as it may be restored: only what the rules of now allow. Refs go on above those that were printed."""
    state, rules = kept.state, settings.hosts
    origins = [
        origin
        for origin in state.storage.get("origins", [])
        if not (rules and rules.refused_page(str(origin.get("origin"))))
    ]
    tabs = [
        replace(tab, following=(max(tab.following[0], refs[0]), max(tab.following[1], refs[1])))
        for tab in state.tabs[: settings.max_tabs]
        if not (rules and rules.refused_page(tab.url))
    ]
    first = max(state.first_refs[0], refs[0]), max(state.first_refs[1], refs[1])
    storage = {"cookies": state.storage.get("cookies", []), "origins": origins}
    return replace(state, storage=storage, tabs=tabs, first_refs=first)


def told(state: SessionState, at: float) -> str:
    """`Restored 3 tabs and 12 cookies of 14:02`."""
    tabs, cookies = len(state.tabs), len(state.storage.get("cookies", []))
    return f"Restored {counted(tabs, 'tab')} and {counted(cookies, 'cookie')} of {clock(at)}"


def clock(at: float) -> str:
    """A moment of today as 14:02, of another day with its date."""
    then = time.localtime(at)
    is_today = time.strftime("%F", then) == time.strftime("%F")
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", then)
