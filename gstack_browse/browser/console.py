"""Listens to what pages say: console messages and uncaught errors."""

import time

from playwright.async_api import BrowserContext, ConsoleMessage, Page, WebError

from gstack_browse.browser.tab import Tab
from gstack_browse.logs.entries import MAX_MESSAGE, ConsoleEntry, safe_url
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact

_LEVELS = {"warning": "warn"}


class Console:
    """Writes what the pages of one browser context say into the log, each entry with its tab."""

    def __init__(self, context: BrowserContext, log: Ring[ConsoleEntry], tabs: dict[Page, Tab]) -> None:
        self._log = log
        self._tabs = tabs
        context.on("console", self._message)
        context.on("weberror", self._error)

    def _message(self, message: ConsoleMessage) -> None:
        place = message.location
        url = safe_url(str(place.get("url", "")))
        where = f"{url}:{int(place.get('lineNumber', 0)) + 1}" if url else ""
        self._write(message.page, _LEVELS.get(message.type, message.type), message.text, where)

    def _error(self, failure: WebError) -> None:
        """An uncaught exception or unhandled rejection: its message, and the first place in its stack."""
        error = failure.error
        text = f"Uncaught {error.name}: {error.message}" if error.name else f"Uncaught {error.message}"
        stack = getattr(error, "stack", None) or ""
        where = next((line.strip()[3:] for line in stack.splitlines() if line.strip().startswith("at ")), "")
        place = failure.location
        if not where and place["url"]:
            where = f"{place['url']}:{place['line'] + 1}"
        self._write(failure.page, "error", text, safe_url(where))

    def _write(self, page: Page | None, level: str, text: str, where: str = "") -> None:
        tab = self._tabs.get(page) if page else None
        entry = ConsoleEntry(time.time(), tab.id if tab else 0, level, redact(text[:MAX_MESSAGE]), where)
        self._log.add(entry)
