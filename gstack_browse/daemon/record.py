"""What is open, written down as it changes, so that the next daemon can say what was lost when this one dies.

A bound of the references that were printed, and of the tabs, is kept, too: the next daemon gives out others, so that an old number cannot
hit anything.

The file lies in the workspace: whatever is read from it is checked, and when it cannot be written (a full
disk, a directory that is gone) the daemon goes on without.
"""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.daemon.agent_context import AgentContext
from gstack_browse.errors import Refused, StateLost
from gstack_browse.protocol import is_context_name
from gstack_browse.state import SessionFile, WritableStateDir
from gstack_browse.state_fields import read_object
from gstack_browse.text.columns import format_count

_MAX_BYTES = 100_000
_BLANK = "about:blank"
_FIRST = (1, 1)
_HIGHEST_REF = 100_000_000
_HIGHEST_TAB = 1_000_000
_MOST_CONTEXTS = 500


class Record:
    """The record of the running sessions, and what an earlier daemon left behind.

    Each session has the name of its browser context, the default one "". `lost` says what an earlier daemon lost of that, as `3 tabs,
    last at URL`, until somebody has been told, and `was_idle` whether that daemon had only ended because nobody used it. `hide` takes
    secrets out of an address. `first_refs` are the first references (@e, @c) that no daemon has printed since one was stopped as it
    should, and `tab` is the first number of a tab in the same sense; `refs` are those of the next daemon.
    """

    def __init__(self, state: WritableStateDir, hide: Callable[[str], str] = str) -> None:
        self._hide = hide
        self._file = SessionFile(state)
        self._written = b""
        self._is_final = False
        left = self._left()
        self._open: dict[str, dict[str, Any]] = {}
        """What is open in each session, as it was last written."""
        self.untold = {name: fields for name, fields in _by_name(left).items() if _described(fields)}
        """Session → what was lost of it, as long as nobody has been told."""
        self.was_idle = left.get("idle") is True
        self.refs = self.first_refs = _refs(left)
        self.tab = _tab(left)

    @property
    def lost(self) -> str:
        """What an earlier daemon lost of the default session; "" for nothing."""
        return self.lost_of("")

    def lost_of(self, name: str) -> str:
        """The same of any session."""
        fields = self.untold.get(name)
        return _described(fields) if fields else ""

    @property
    def lost_names(self) -> list[str]:
        """The sessions of which something was lost that nobody has been told."""
        return list(self.untold)

    def written(self, name: str = "") -> str:
        """What the file says is open in a session, in words; "" when nothing is."""
        return _described(self._open.get(name, {}))

    def news(self, name: str = "") -> str:
        """What was lost, said once; "" when nothing was."""
        if not (lost := self.lost_of(name)):
            return ""
        was_connected = self._was_connected(name)
        self.told(name)
        if was_connected:
            return f"no longer connected to the browser that others have started ({lost}); 'connect' goes there again"
        return f"browser state was lost ({lost})"

    def _was_connected(self, name: str) -> bool:
        return self.untold.get(name, {}).get("connected") is True

    def failure(self, name: str = "") -> StateLost:
        """The same as a failure, which says how it was lost."""
        if self.was_idle:
            how = "The daemon had ended because nobody used it for long (BROWSE_IDLE_TIMEOUT)"
        else:
            how = "The browser before this one ended unexpectedly"
        back = "'connect' to go on there, or " if self._was_connected(name) else ""
        return StateLost(self.news(name), f"{how}. Run {back}'goto <url>' to begin again")

    def told(self, name: str) -> None:
        """Somebody knows now what was lost of a session. Forget it, also on a full disk: the old file makes room for the new one."""
        self.untold.pop(name, {})
        self._write_anyway()

    def _write_anyway(self) -> None:
        content = self._content()
        if not self._replace(content) and self._replace(b""):
            self._replace(content)

    def all_told(self) -> None:
        """The same of all sessions, those that are open too: they go on elsewhere, or begin with what was kept of them."""
        self.untold, self._open = {}, {}
        self._write_anyway()

    def settle(self, name: str) -> None:
        """The loss of a session that was open is being told right now: the next daemon has nothing to say of it."""
        if not self._is_final and self._open.pop(name, {}):
            self._write_anyway()

    def settle_all(self) -> None:
        """Nothing will be left to say: a successor goes on with the sessions."""
        if not self._is_final:
            self.all_told()
            self._is_final = True

    def remove(self) -> None:
        """The session ends as it should: references and tabs begin at 1 again."""
        self.refs, self.tab = _FIRST, 1
        self.settle_all()

    def write(self, browser: BrowserSession | None, others: Sequence[AgentContext] = ()) -> None:
        """Bring the file up to date; does nothing when nothing changed. An untold loss is kept instead of what is open.

        `browser` is the default session, `others` are the contexts beside it: those that are not open have their tabs, too.
        """
        if self._is_final:
            return
        sessions = {"": browser} if browser else {}
        sessions |= {context.name: holder for context in others if (holder := context.holder)}
        waiting = {context.name: context.carried for context in others if context.carried}
        self._open = {
            name: fields for name, session in sessions.items() if (fields := _open_in(session, self._hide))
        }
        self._open |= {
            name: fields
            for name, state in waiting.items()
            if (fields := _open_by([tab.url for tab in state.tabs], "", self._hide))
        }
        if sessions:
            bounds = [self.first_refs, *(session.reserve.bound for session in sessions.values())]
            self.refs = max(e for e, _ in bounds), max(c for _, c in bounds)
        if self._open and sessions:
            self.tab = next(iter(sessions.values())).tabs.next_id
        content = self._content()
        if content != self._written:
            self._replace(content)

    def finish(self, *, idle: bool) -> None:
        """The session ends without having been stopped: what the file says now, the next daemon says."""
        if idle and self._written and not self._is_final:
            self._replace(orjson.dumps(orjson.loads(self._written) | {"idle": True}))
        self._is_final = True
        self._file.forget_removed_workspace()

    def _content(self) -> bytes:
        every = {**self._open, **self.untold}
        default = every.pop("", {})
        refs = {} if self.refs == _FIRST else {"refs": self.refs}
        tab = {} if self.tab == 1 else {"tab": self.tab}
        contexts = {"contexts": every} if every else {}
        content: dict[str, Any] = default | refs | tab | contexts
        return orjson.dumps(content) if content else b""

    def _replace(self, content: bytes) -> bool:
        """Whether the file now has this content. If not, that is tried again at the next change."""
        try:
            if content:
                self._file.write(content)
            else:
                self._file.remove()
        except (OSError, Refused):
            return False
        self._written = content
        return True

    def _left(self) -> dict[str, Any]:
        """What an earlier daemon wrote."""
        return read_object(lambda: self._file.read(_MAX_BYTES))


def _by_name(left: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What was open, session by session. Names come from the workspace, too."""
    named = left.get("contexts")
    found = {"": left}
    for name, fields in named.items() if isinstance(named, dict) else ():
        if isinstance(fields, dict) and is_context_name(name) and len(found) <= _MOST_CONTEXTS:
            found[name] = fields
    return found


def _open_in(browser: BrowserSession, hide: Callable[[str], str]) -> dict[str, Any]:
    active = browser.tabs.get()
    fields = _open_by([tab.url for tab in browser.tabs], active.url if active else "", hide)
    return fields | {"connected": True} if fields and browser.running.is_shared else fields


def _open_by(urls: list[str], active: str, hide: Callable[[str], str]) -> dict[str, Any]:
    shown = [url for url in urls if url != _BLANK]
    if not shown:
        return {}
    last = active if active in shown else shown[-1]
    return {"tabs": len(urls), "last": hide(shown_url(last))}


def _described(fields: dict[str, Any]) -> str:
    count, last = fields.get("tabs"), fields.get("last")
    if not isinstance(count, int) or not isinstance(last, str) or not 0 < count < 100_000:
        return ""
    return f"{format_count(count, 'tab')}, last at {shown_url(last)}"


def _refs(fields: dict[str, Any]) -> tuple[int, int]:
    match fields.get("refs"):
        case [int(first_e), int(first_c)] if 0 < first_e < _HIGHEST_REF and 0 < first_c < _HIGHEST_REF:
            return first_e, first_c
    return _FIRST


def _tab(fields: dict[str, Any]) -> int:
    match fields.get("tab"):
        case int(first) if 0 < first < _HIGHEST_TAB:
            return first
    return 1
