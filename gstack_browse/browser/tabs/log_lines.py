"""Makes the lines of a reply about errors and failed requests after an action. Uses no browser."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from gstack_browse.logs.entries import ABORTED, LOST_LEVEL, ConsoleEntry, NetworkEntry
from gstack_browse.text.columns import format_count
from gstack_browse.text.sanitise import one_line, quote_text

MOST_THROWN_ERRORS = 3
"""Different uncaught errors that a reply shows."""
MOST_LOGGED_ERRORS = 2
"""Different logged errors that a reply shows."""
MOST_NAMES = 3
_OWN_LINE_KINDS = frozenset({"document", "fetch", "xhr"})
"""Kinds of request whose failure gets a line of its own."""
_SENDING_METHODS = frozenset({"POST", "PUT", "PATCH"})
"""Methods of requests that have a body."""
_SHARED_LINE_KINDS = frozenset({"script", "stylesheet"})
"""Kinds of request without which a page may not work; all that failed share a line."""
_CHALLENGE = re.compile(r"(?i)\b(?:basic|digest)\b(?:[^\n]*?\brealm=\"([^\"]*)\")?")
"""A challenge that `http-auth` can answer, and what the server calls the place."""
_NO_CONTENT = frozenset({204, 205})
"""Statuses after which the browser stays on the page that it shows."""


def console_errors(entries: Sequence[ConsoleEntry]) -> list[str]:
    """Return a line for errors that scripts threw, and one for errors that were logged."""
    thrown = [entry.thrown for entry in entries if entry.thrown]
    logged = [entry.logged for entry in entries if entry.logged]
    count = format_count(len(thrown), "error")
    if any(entry.level == LOST_LEVEL for entry in entries):
        count = f"at least {count}"
    lines = [_error_line(count, thrown, MOST_THROWN_ERRORS)] if thrown else []
    if logged:
        title = "console error" if len(logged) == 1 else format_count(len(logged), "console error")
        lines.append(_error_line(title, logged, MOST_LOGGED_ERRORS))
    return lines


def _error_line(title: str, errors: Sequence[str], most: int) -> str:
    different = [*dict.fromkeys(errors)]
    more = "; … see 'console --errors'" if len(different) > most else ""
    return f"→ {title}: {'; '.join(different[:most])}{more}"


def failed_requests(entries: Sequence[NetworkEntry], *, tells_of_documents: bool) -> list[str]:
    """Return lines for requests that failed, and for documents that a server answered without a page.

    `tells_of_documents`: include the statuses of documents; False if the reply itself says what became of its document.
    """
    lines: list[str] = []
    parts: list[str] = []
    for entry in entries:
        if entry.kind == "document" and _has_broken_off(entry):
            lines.append(
                f"→ broken off: {one_line(entry.url, 150)} ({entry.error}); the page shows what was read of it"
            )
            continue
        if entry.kind == "document" and (challenge := _CHALLENGE.search(entry.challenge)):
            realm = f" ({quote_text(challenge[1], 80)})" if challenge[1] else ""
            site = "/".join(entry.url.split("/", 3)[:3])
            lines.append(
                f"→ asks for a user and a password{realm}: http-auth <user> --origin {one_line(site, 150)}"
            )
        if entry.kind == "document" and not tells_of_documents:
            continue
        if entry.kind == "document" and entry.status in _NO_CONTENT:
            lines.append(f"→ {entry.method} {one_line(entry.url, 150)} → {entry.status}, no page to show")
        elif not _has_failed(entry):
            continue
        elif entry.kind in _OWN_LINE_KINDS:
            lines.append(f"→ failed: {entry.method} {one_line(entry.url, 150)} → {_reason(entry)}")
        elif entry.kind in _SHARED_LINE_KINDS:
            parts.append(_file_name(entry.url))
    if parts:
        more = ", … see 'network --failed'" if len(parts) > MOST_NAMES else ""
        lines.append(f"→ {format_count(len(parts), 'request')} failed: {', '.join(parts[:MOST_NAMES])}{more}")
    return lines


def sent_requests(entries: Sequence[NetworkEntry]) -> list[str]:
    """Return a line for each request that sent something and has not failed, MOST_NAMES at most."""
    sent = [
        f"→ {'sent' if entry.status else 'sending'}: {entry.method} {one_line(entry.url, 150)}"
        f"{f' → {entry.status}' if entry.status else ''}"
        for entry in entries
        if entry.method in _SENDING_METHODS and entry.kind in _OWN_LINE_KINDS and not entry.is_failed
    ]
    more = len(sent) - MOST_NAMES
    return [*sent[:MOST_NAMES], f"→ and {more} more: see 'network'"] if more > 0 else sent


def _has_broken_off(entry: NetworkEntry) -> bool:
    """Return whether the body of a page's answer ended too soon, or could not be decoded."""
    return bool(entry.error) and 0 < entry.status < 400 and entry.error != ABORTED and not entry.is_refused


def _has_failed(entry: NetworkEntry) -> bool:
    is_cancelled = entry.error == ABORTED and not _was_refused_unread(entry)
    return entry.is_failed and not is_cancelled and not entry.is_refused


def _was_refused_unread(entry: NetworkEntry) -> bool:
    """Return whether a server refused a request, and the page was left before it read the answer."""
    return entry.error == ABORTED and entry.status >= 400


def _reason(entry: NetworkEntry) -> str:
    return str(entry.status) if _was_refused_unread(entry) else entry.error or str(entry.status)


def _file_name(url: str) -> str:
    return one_line(urlsplit(url).path.rpartition("/")[2] or url, 60)
