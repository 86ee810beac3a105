"""What is open, written down as it changes, so that the next daemon can say what was lost when this one dies.

The file lies in the workspace: whatever is read from it is checked, and when it cannot be written (a full
disk, a directory that is gone) the daemon goes on without.
"""

from typing import Any

import orjson

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import Refused
from gstack_browse.state import SessionFile, WritableStateDir
from gstack_browse.text.columns import counted

_MAX_BYTES = 100_000
_BLANK = "about:blank"


class Record:
    """The record of the running session, and what an earlier one left behind.

    `lost` says what an earlier daemon lost, as `3 tabs, last at URL`, until somebody has been told, and `was_idle`
    whether that daemon had only ended because nobody used it.
    """

    def __init__(self, state: WritableStateDir) -> None:
        self._file = SessionFile(state)
        self._written = b""
        self._is_final = False
        left = self._left()
        self.lost = _described(left)
        self.was_idle = left.get("idle") is True

    @property
    def written(self) -> str:
        """What the file says is open, in words; "" when nothing is."""
        return _described(orjson.loads(self._written or b"{}"))

    def told(self) -> None:
        """Somebody knows now what was lost. Forget it."""
        self.lost = ""
        self._replace(b"")

    def settle(self) -> None:
        """Nothing will be left to say: the session ends as it should, or its loss is being told right now."""
        if not self._is_final:
            self.told()
            self._is_final = True

    def write(self, browser: BrowserSession | None) -> None:
        """Bring the file up to date; does nothing when nothing changed. An untold loss is kept instead."""
        if not self.lost and not self._is_final:
            content = _content(browser) if browser else b""
            if content != self._written:
                self._replace(content)

    def finish(self, *, idle: bool) -> None:
        """The session ends without having been stopped: what the file says now, the next daemon says."""
        if idle and self._written and not self._is_final:
            self._replace(orjson.dumps(orjson.loads(self._written) | {"idle": True}))
        self._is_final = True
        self._file.forget_removed_workspace()

    def _replace(self, content: bytes) -> None:
        try:
            if content:
                self._file.write(content)
            else:
                self._file.remove()
        except (OSError, Refused):
            return  # tried again at the next change
        self._written = content

    def _left(self) -> dict[str, Any]:
        """What an earlier daemon wrote. It lies in the workspace, so nothing in it is believed to be well-formed."""
        try:
            content = self._file.read(_MAX_BYTES)
            fields = orjson.loads(content) if content else {}
        except (OSError, Refused, orjson.JSONDecodeError):
            return {}
        return fields if isinstance(fields, dict) else {}


def _content(browser: BrowserSession) -> bytes:
    urls = [tab.url for tab in browser.tabs]
    if all(url == _BLANK for url in urls):
        return b""
    active = browser.tabs.get()
    last = (
        active.url if active and active.url != _BLANK else next(url for url in reversed(urls) if url != _BLANK)
    )
    return orjson.dumps({"tabs": len(urls), "last": shown_url(last)})


def _described(fields: dict[str, Any]) -> str:
    count, last = fields.get("tabs"), fields.get("last")
    if not isinstance(count, int) or not isinstance(last, str) or not 0 < count < 100_000:
        return ""
    return f"{counted(count, 'tab')}, last at {shown_url(last)}"
