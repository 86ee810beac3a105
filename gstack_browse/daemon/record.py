"""What is open, written down as it changes, so that the next daemon can say what was lost when this one dies."""

from typing import Any

import orjson

from gstack_browse.browser.aftermath import shown_url
from gstack_browse.browser.session import BrowserSession
from gstack_browse.errors import Refused
from gstack_browse.state import WritableStateDir
from gstack_browse.workspace import SESSION_FILE

_MAX_BYTES = 100_000
_BLANK = "about:blank"


class Record:
    """The record of the running session, and what an earlier one left behind.

    `lost` says what an earlier daemon lost, as `3 tabs, last at URL`, until somebody has been told.
    """

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._written = b""
        self.lost = _described(_read(state))

    def told(self) -> None:
        """Somebody knows now. Forget what was lost."""
        self.lost = ""

    def write(self, browser: BrowserSession | None) -> None:
        """Bring the file up to date; does nothing when nothing changed. An untold loss is kept instead."""
        if self.lost:
            return
        content = _content(browser) if browser else b""
        if content == self._written:
            return
        if content:
            self._state.write_file(SESSION_FILE, content)
        else:
            self._state.remove(SESSION_FILE)
        self._written = content

    def clear(self) -> None:
        """Nothing is lost: the session ended as it should, or what was lost has been said."""
        self.lost = ""
        self._state.remove(SESSION_FILE)
        self._written = b""


def describe(browser: BrowserSession) -> str:
    """What would be lost with this browser: `3 tabs, last at URL`; "" when that is nothing."""
    return _described(orjson.loads(_content(browser) or b"{}"))


def _content(browser: BrowserSession) -> bytes:
    urls = [tab.url for tab in browser.tabs.values()]
    if all(url == _BLANK for url in urls):
        return b""
    active = browser.tabs.get(browser.active)
    last = (
        active.url if active and active.url != _BLANK else next(url for url in reversed(urls) if url != _BLANK)
    )
    return orjson.dumps({"tabs": len(urls), "last": shown_url(last)})


def _read(state: WritableStateDir) -> dict[str, Any]:
    """The record on disk. It lies in the workspace, so nothing in it is believed to be well-formed."""
    try:
        content = state.read_file(SESSION_FILE, _MAX_BYTES)
        fields = orjson.loads(content) if content else {}
    except (Refused, orjson.JSONDecodeError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _described(fields: dict[str, Any]) -> str:
    count, last = fields.get("tabs"), fields.get("last")
    if not isinstance(count, int) or not isinstance(last, str) or not 0 < count < 100_000:
        return ""
    return f"{count} tab{'s' if count > 1 else ''}, last at {shown_url(last)}"
