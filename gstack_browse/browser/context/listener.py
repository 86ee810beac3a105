"""Write console messages, errors and requests of pages into the logs of a context."""

import time
from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.network.traffic import Pages, Traffic, WebSockets
from gstack_browse.network import logs
from gstack_browse.network.logs import (
    LOST_LEVEL,
    MAX_MESSAGE,
    MAX_URL,
    MOST_THROWN,
    SCRIPT_SCHEMES,
    ConsoleEntry,
    DialogEntry,
    NetworkEntry,
    Place,
    Ring,
    logged_message,
    safe_url,
)
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

_LEVELS = {"warning": "warn"}
MOST_RECENT = 200
"""Recent errors that can still be downgraded: rejections that are handled later."""
_ERRORS = frozenset({"error", "assert"})
_REQUEST_SOURCE = "network"
"""Source of Chromium's messages about failed requests. A reply has lines of its own for those requests."""


class Console:
    """Logs the console messages and exceptions of a context's pages."""

    def __init__(self, log: Ring[ConsoleEntry], pages: Pages) -> None:
        self._log = log
        self._pages = pages
        self._recent: deque[tuple[str, int, ConsoleEntry]] = deque(maxlen=MOST_RECENT)

    def follow(self, subscriber: Subscriber) -> None:
        """Log the console events that `subscriber` gets of its pages and workers, from now on."""
        subscriber.on_console_event = self._on_event

    def _on_event(self, target: Target, method: str, event: dict[str, Any]) -> None:
        """Pass a console event to the handler of its kind."""
        if method == "Runtime.exceptionRevoked":
            # A promise's rejection was handled after all, so that its entry is no error any more.
            for other, exception, entry in self._recent:
                if (other, exception) == (target.id, event["exceptionId"]):
                    entry.level, entry.thrown = "debug", ""
        elif method == "Runtime.exceptionThrown":
            self._on_exception(target, event["timestamp"] / 1000, event["exceptionDetails"])
        elif method == "Log.entryAdded":
            self._on_log_entry(target, event["entry"])
        elif event["executionContextId"]:  # 0: kept by Chromium from an earlier document
            self._on_console_call(target, event)

    def _on_console_call(self, target: Target, event: dict[str, Any]) -> None:
        """Log a call of `console.log` or a similar method."""
        place = logs.find_caller(event.get("stackTrace"))
        where = f"{safe_url(place.url)}:{place.line}" if place else ""
        entry = self._add_entry(
            target,
            event["timestamp"] / 1000,
            event["type"],
            logs.format_arguments(event["args"]),
            where,
        )
        entry.place = _mappable_place(place)
        if event["executionContextId"] not in target.foreign_contexts:
            _mark_logged_error(entry)

    def _on_log_entry(self, target: Target, entry: dict[str, Any]) -> None:
        """Log a message of Chromium's own about the page: a failed load, a violated policy."""
        if entry.get("networkRequestId") in self._pages.find_or_add(target).icons:
            return
        url = safe_url(entry.get("url", ""))
        where = f"{url}:{entry.get('lineNumber', 0) + 1}" if url else ""
        written = self._add_entry(target, entry["timestamp"] / 1000, entry["level"], entry["text"], where)
        if entry["source"] != _REQUEST_SOURCE:
            _mark_logged_error(written)

    def _on_exception(self, target: Target, at: float, details: dict[str, Any]) -> None:
        """Log an uncaught exception, an unparsable script or an unhandled rejection. `at`: its Unix time."""
        text, place = logs.format_exception(details), logs.find_error_position(details)
        where = str(replace(place, url=safe_url(place.url))) if place else ""
        entry = self._add_entry(target, at, "error", f"Uncaught {text}", where)
        entry.place = _mappable_place(place)
        self._recent.append((target.id, details["exceptionId"], entry))
        if details.get("executionContextId") not in target.foreign_contexts:
            short = place.short if place else ""
            source = f" ({one_line(short, 80)})" if short else ""
            entry.thrown = one_line(redact(text[: 4 * MOST_THROWN]), MOST_THROWN) + source

    def _add_entry(self, target: Target, at: float, level: str, text: str, where: str) -> ConsoleEntry:
        """Add a message to the log, without secrets and cut to MAX_MESSAGE characters. Return its entry.

        `at`: Unix time; `where`: URL and line of the script.
        """
        entry = ConsoleEntry(at, 0, _LEVELS.get(level, level), redact(text[:MAX_MESSAGE]), where)
        self._pages.log_entry(self._pages.find_or_add(target), entry, partial(self._log.add, entry))
        return entry


def _mappable_place(position: logs.Position | None) -> Place | None:
    """Return a position for source maps as (URL, line, column); None if its script cannot have a map."""
    if position is None or not position.url.startswith(SCRIPT_SCHEMES) or len(position.url) > MAX_URL:
        return None
    return position.url, position.line, position.column


def _mark_logged_error(entry: ConsoleEntry) -> None:
    """Set the text that a command's reply shows for a console entry, if that is an error."""
    if entry.level in _ERRORS:
        entry.logged = logged_message(entry.text)


class Logs:
    """The logs of console, requests and dialogs: the last entries of each. They outlive browser contexts."""

    def __init__(self) -> None:
        self.console: Ring[ConsoleEntry] = Ring(characters=ConsoleEntry.count_characters)
        self.network: Ring[NetworkEntry] = Ring(characters=NetworkEntry.count_characters)
        self.dialog: Ring[DialogEntry] = Ring(characters=DialogEntry.count_characters)


class Listener:
    """Writes what Chromium reports about a context's pages into the logs and the tabs."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._pages = Pages()
        self.traffic = Traffic(logs.network, self._pages)
        self._sockets = WebSockets(self.traffic, self._pages)
        self._console = Console(logs.console, self._pages)

    def attach(self, running: RunningBrowser, subscriber: Subscriber) -> None:
        """Log what Chromium reports to `subscriber` about targets of `running`, from now on."""
        self._console.follow(subscriber)
        self.traffic.follow(subscriber)
        self._sockets.follow(subscriber)
        dialogs.intercept_choosers(running, subscriber, self.traffic.tab_of)
        subscriber.on_messages_lost = self._log_lost_messages

    def _log_lost_messages(self, page_id: str, words: str) -> None:
        """Log `words`, which say how many console messages of a page were dropped."""
        entry = ConsoleEntry(time.time(), 0, LOST_LEVEL, words)
        if page := self._pages.get(page_id):
            self._pages.log_entry(page, entry, partial(self._logs.console.add, entry))
