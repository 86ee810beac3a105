"""Writes console messages, Chromium's own messages and uncaught errors of pages into the log.

By the time Chromium answers a request of ours, all that the page logged before is in the log.
"""

from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

from gstack_browse.browser.cdp.subscriber import Subscriber
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.tabs.pages import Pages
from gstack_browse.logs import said
from gstack_browse.logs.entries import MAX_MESSAGE, ConsoleEntry, safe_url
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

_LEVELS = {"warning": "warn"}
MOST_RECENT = 200
"""Recent errors that can still be downgraded: rejections that are handled later."""
MOST_THROWN = 150
"""Limit for an error's message in a reply, in characters."""
_ERRORS = frozenset({"error", "assert"})
_REQUEST_SOURCE = "network"
"""Source of Chromium's messages about failed requests. A reply has lines of its own for those requests."""


class Console:
    """Console messages of one browser's pages."""

    def __init__(self, log: Ring[ConsoleEntry], pages: Pages) -> None:
        self._log = log
        self._pages = pages
        self._recent: deque[tuple[str, int, ConsoleEntry]] = deque(maxlen=MOST_RECENT)

    def follow(self, subscriber: Subscriber) -> None:
        """Log what targets report, from now on."""
        subscriber.on_said = self._says

    def _says(self, target: Target, method: str, event: dict[str, Any]) -> None:
        if method == "Runtime.exceptionRevoked":
            self._handled(target, event["exceptionId"])
        elif method == "Runtime.exceptionThrown":
            self._thrown(target, event["timestamp"] / 1000, event["exceptionDetails"])
        elif method == "Log.entryAdded":
            self._logged(target, event["entry"])
        elif event["executionContextId"]:  # 0: kept by Chromium from an earlier document
            self._called(target, event)

    def _called(self, target: Target, event: dict[str, Any]) -> None:
        """Log a call of `console.log` or a similar method."""
        place = said.find_caller(event.get("stackTrace"))
        where = f"{safe_url(place.url)}:{place.line}" if place else ""
        entry = self._write(
            target, event["timestamp"] / 1000, event["type"], said.format_arguments(event["args"]), where
        )
        if event["executionContextId"] not in target.foreign_contexts:
            _mark_logged_error(entry)

    def _logged(self, target: Target, entry: dict[str, Any]) -> None:
        """Log a message of Chromium's own about the page: a failed load, a violated policy."""
        if entry.get("networkRequestId") in self._pages.of(target).icons:
            return
        url = safe_url(entry.get("url", ""))
        where = f"{url}:{entry.get('lineNumber', 0) + 1}" if url else ""
        written = self._write(target, entry["timestamp"] / 1000, entry["level"], entry["text"], where)
        if entry["source"] != _REQUEST_SOURCE:
            _mark_logged_error(written)

    def _thrown(self, target: Target, at: float, details: dict[str, Any]) -> None:
        """Log an uncaught exception, a script that cannot be parsed, or an unhandled rejection."""
        text, place = said.format_exception(details), said.find_error_position(details)
        where = str(replace(place, url=safe_url(place.url))) if place else ""
        entry = self._write(target, at, "error", f"Uncaught {text}", where)
        self._recent.append((target.id, details["exceptionId"], entry))
        if details.get("executionContextId") not in target.foreign_contexts:
            short = place.short if place else ""
            source = f" ({one_line(short, 80)})" if short else ""
            entry.thrown = one_line(redact(text[: 4 * MOST_THROWN]), MOST_THROWN) + source

    def _handled(self, target: Target, number: int) -> None:
        """Downgrade the entry of a rejection that was handled after the page's turn."""
        for other, exception, entry in self._recent:
            if (other, exception) == (target.id, number):
                entry.level, entry.thrown = "debug", ""

    def _write(self, target: Target, at: float, level: str, text: str, where: str) -> ConsoleEntry:
        entry = ConsoleEntry(at, 0, _LEVELS.get(level, level), redact(text[:MAX_MESSAGE]), where)
        self._pages.keep(self._pages.of(target), entry, partial(self._log.add, entry))
        return entry


def _mark_logged_error(entry: ConsoleEntry) -> None:
    """Set the text that a reply shows for an entry that is an error."""
    if entry.level in _ERRORS:
        entry.logged = one_line(entry.text[: 4 * MOST_THROWN], MOST_THROWN)
