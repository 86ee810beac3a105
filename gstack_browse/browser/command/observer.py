"""Reports what an action caused, in short lines for the reply.

Covers messages of the page, navigation, new tabs, dialogs, downloads, errors and failed requests. It saves a second call
after every action, so it must never become a page dump. Messages are alerts, status lines and other live regions of the
main frame's document, outside of shadow trees: they are read before and after the action, so each read must be cheap.
"""

import asyncio
import re
import shlex
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal
from urllib.parse import urlsplit

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page_settling import ActionBaseline, PageSettler
from gstack_browse.browser.context import source_maps
from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.downloads import DownloadNews
from gstack_browse.browser.engine.failures import SET_PROXY_USER
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.network.loaded_documents import PDF
from gstack_browse.browser.tab.effects import refused_lines
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.tab.urls import NO_PAGE, shown_url
from gstack_browse.errors import Refused
from gstack_browse.network.logs import (
    ABORTED,
    LOST_LEVEL,
    PROXY_UNAUTHORIZED,
    ConsoleEntry,
    DialogEntry,
    NetworkEntry,
)
from gstack_browse.text.addresses import site_of
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count

MOST_MESSAGES = 2
"""Messages that a reply shows; they are what the page says last."""
_LONGEST = 120
_SECONDS = 0.5
"""Time limit for the page to tell its messages. A busy one has none that an agent could be told."""


class Announcements:
    """The messages in live regions of a tab (toasts, alerts) before and after an action."""

    def __init__(self, tab: Tab) -> None:
        """Begin an action: ask the page what it shows.

        The answer is not awaited: the page gives it before the action does anything, if the action sends its first
        question after this one.
        """
        self._tab = tab
        self._before: asyncio.Future[list[str]] | None = None
        self._since_input: Sequence[str] | None = None
        if not (tab.open_dialog or tab.closed_reason or tab.is_interrupted):
            self._before = asyncio.ensure_future(tab.world.call("rememberLiveTexts"))
            self._before.add_done_callback(consume_exception)

    def note(self, texts: Sequence[str]) -> None:
        """Note the texts that are new since the action began, as the page tells them right after its input."""
        self._since_input = texts

    async def list_new(self, seconds: float, *, has_waited: bool, is_other_page: bool) -> list[str]:
        """Return a line for each message since the action began: `says "Saved"`. MOST_MESSAGES at most.

        Args:
            seconds: time limit
            has_waited: time has passed since the page's last answer, so that it may say more by now
            is_other_page: a link led to another document; leave out messages that the earlier one had, too
        """
        if self._before is None or seconds <= 0 or self._tab.open_dialog or self._tab.closed_reason:
            return []
        now, before = self._since_input, list[str]()
        if now is None or has_waited:
            now = await self._read_new(seconds)
        if now and is_other_page:
            with suppress(FrameGone, PageScriptError, ProtocolError):  # an earlier document that has gone
                before = self._before.result() if self._before.done() else []
        new = [text for text in dict.fromkeys(now) if text not in before]
        return [f"says {quote_text(text, _LONGEST)}" for text in new[-MOST_MESSAGES:]]

    async def _read_new(self, seconds: float) -> list[str]:
        """Ask the page for the texts that are new; [] if it does not tell them in `seconds`, or _SECONDS."""
        with suppress(TimeoutError, FrameGone, PageScriptError, ProtocolError):
            async with asyncio.timeout(min(_SECONDS, seconds)):
                return await self._tab.work.await_until_dialog(self._tab.world.call("awaitLiveTexts")) or []
        return []


MOST_THROWN_ERRORS = 3
"""Different uncaught errors that a reply shows."""
MOST_LOGGED_ERRORS = 2
"""Different logged errors that a reply shows."""
MOST_NAMES = 3
OWN_LINE_KINDS = frozenset({"document", "fetch", "xhr"})
"""Kinds of request whose failure gets a line of its own."""
_SENDING_METHODS = frozenset({"POST", "PUT", "PATCH"})
"""Methods of requests that have a body."""
_SHARED_LINE_KINDS = frozenset({"script", "stylesheet"})
"""Kinds of request without which a page may not work; all that failed share a line."""
_CHALLENGE = re.compile(r"(?i)\b(?:basic|digest)\b(?:[^\n]*?\brealm=\"([^\"]*)\")?")
"""A challenge that `http-auth` can answer, and what the server calls the place."""
_BLOCKED = "ERR_BLOCKED_BY_"
"""How Chromium's errors begin for a response of which it shows nothing, as of a frame that may not be framed."""
_NO_CONTENT = frozenset({204, 205})
"""Statuses after which the browser stays on the page that it shows."""


def describe_console_errors(entries: Sequence[ConsoleEntry]) -> list[str]:
    """Return a reply line with errors that scripts threw, and one with those logged by `console.error`."""
    thrown = [entry.render_thrown() for entry in entries if entry.thrown]
    logged = [entry.logged for entry in entries if entry.logged]
    count = format_count(len(thrown), "error")
    if any(entry.level == LOST_LEVEL for entry in entries):
        count = f"at least {count}"
    lines = [_format_errors(count, thrown, MOST_THROWN_ERRORS)] if thrown else []
    if logged:
        title = "console error" if len(logged) == 1 else format_count(len(logged), "console error")
        lines.append(_format_errors(title, logged, MOST_LOGGED_ERRORS))
    return lines


def _format_errors(title: str, errors: Sequence[str], most: int) -> str:
    """Format errors as one reply line: `title`, and the first `most` different errors."""
    different = [*dict.fromkeys(errors)]
    more = "; … see 'console --errors'" if len(different) > most else ""
    return f"→ {title}: {'; '.join(different[:most])}{more}"


def describe_failed_requests(entries: Sequence[NetworkEntry], *, tells_of_documents: bool) -> list[str]:
    """Return a reply line for each failed request, and each document with an error status or no content.

    `tells_of_documents`: include documents; False if the reply itself has the status of its document.
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
            is_proxy = entry.status == PROXY_UNAUTHORIZED
            site = shlex.quote(one_line(site_of(entry.url), 150))
            way = SET_PROXY_USER if is_proxy else f"http-auth <user> --origin {site}"
            lines.append(f"→ {'the proxy ' * is_proxy}asks for a user and a password{realm}: {way}")
        if entry.kind == "document" and not tells_of_documents:
            continue
        if entry.kind == "document" and entry.status in _NO_CONTENT:
            lines.append(f"→ {entry.method} {one_line(entry.url, 150)} → {entry.status}, no page to show")
        elif not _has_failed(entry):
            continue
        elif entry.kind in OWN_LINE_KINDS:
            lines.append(f"→ failed: {entry.method} {one_line(entry.url, 150)} → {_failure_reason(entry)}")
        elif entry.kind in _SHARED_LINE_KINDS:
            parts.append(_name_resource(entry.url))
    lines = [f"{line} ({count} times)" if count > 1 else line for line, count in Counter(lines).items()]
    if parts:
        more = ", … see 'network --failed'" if len(parts) > MOST_NAMES else ""
        lines.append(f"→ {format_count(len(parts), 'request')} failed: {', '.join(parts[:MOST_NAMES])}{more}")
    return lines


def describe_sent_requests(entries: Sequence[NetworkEntry], kinds: frozenset[str]) -> list[str]:
    """Return reply lines on requests of these kinds that sent data (a POST) and have not failed."""
    sent = [
        f"→ {'sent' if entry.status else 'sending'}: {entry.method} {one_line(entry.url, 150)}"
        f"{f' → {entry.status}' if entry.status else ''}"
        for entry in entries
        if entry.method in _SENDING_METHODS and entry.kind in kinds and not entry.is_failed
    ]
    more = len(sent) - MOST_NAMES
    return [*sent[:MOST_NAMES], f"→ and {more} more: see 'network'"] if more > 0 else sent


def _has_broken_off(entry: NetworkEntry) -> bool:
    """Return whether a response's body ended too soon, or could not be decoded."""
    is_unread = entry.error == ABORTED or entry.error.startswith(_BLOCKED)
    return bool(entry.error) and 0 < entry.status < 400 and not is_unread and not entry.is_refused


def _has_failed(entry: NetworkEntry) -> bool:
    """Return whether a request failed in a way to report: not if cancelled, or refused by the policy."""
    is_cancelled = entry.error == ABORTED and not entry.is_unread_error
    return entry.is_failed and not is_cancelled and not entry.is_refused


def _failure_reason(entry: NetworkEntry) -> str:
    """Return why a request failed: Chromium's error, or the status for an error status."""
    return str(entry.status) if entry.is_unread_error else entry.error or str(entry.status)


def describe_perhaps_stale(entries: Sequence[NetworkEntry]) -> list[str]:
    """Return a reply line that names kept files of which the server may have newer ones; [] without any.

    Of documents, scripts, style sheets and data; not of those that the same action has also fetched.
    """
    fetched = {entry.url for entry in entries if not entry.is_perhaps_stale}
    kinds = OWN_LINE_KINDS | _SHARED_LINE_KINDS
    stale = [entry for entry in entries if entry.url not in fetched and entry.kind in kinds]
    names = list(dict.fromkeys(_name_resource(entry.url) for entry in stale))
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return [
        f"→ from the cache, perhaps older than on the server: {', '.join(names[:MOST_NAMES])}{more};"
        " 'reload --no-cache' fetches all anew"
    ]


def _name_resource(url: str) -> str:
    """Return the last part of a URL's path as a short name for messages; the whole URL if that is empty."""
    return one_line(urlsplit(url).path.rpartition("/")[2] or url, 60)


MOST_FRAMES = 2
"""Limit for frames named in a reply; pages with advertisements have dozens."""


async def describe_navigated_frames(tab: Tab, before: Mapping[Frame, str]) -> list[str]:
    """Return a reply line for each frame that has navigated since an action began: `frame @e6 now at URL`.

    New and blank frames have none. `before`: frame → id of its document (loader) before the action.
    """
    moved = [
        frame
        for frame, loader in before.items()
        if not frame.is_detached() and frame.loader != loader and frame.url not in NO_PAGE
    ]
    moved_lines = [
        f"{await _frame_name(tab, frame)} now at {shown_url(frame.url)}" for frame in moved[:MOST_FRAMES]
    ]
    more = len(moved) - MOST_FRAMES
    return [*moved_lines, f"and {format_count(more, 'more frame')}"] if more > 0 else moved_lines


async def _frame_name(tab: Tab, frame: Frame) -> str:
    """Name a frame of the main frame by its ref, for a reply: `frame @e6`; a deeper one as "a frame"."""
    with suppress(ProtocolError, FrameGone, PageScriptError):
        node = 0 if tab.is_interrupted else await tab.world.owner_of(frame.id)
        if node and (refs := await tab.refs.refs_of(tab.page.main_frame, [node])) and refs[0]:
            return f"frame {refs[0]}"
    return "a frame"


CUT = "→ stopped before all of the page was read: it is enormous or slow, and shows what was read (longer: --timeout <ms>)"
MOST_LINES = 5
MOST_NAMED = 100
"""Errors of an action whose original positions are looked up; a reply shows the first ones."""


ReportedEffect = Literal["url", "tab", "status", "requests"]
"""What a command reports itself or leaves out: the new address, an opened tab, the document's status, requests."""


def take_unreported_dialogs(tab: Tab, logs: Logs, *, until: int | None = None) -> list[DialogEntry]:
    """Return the answered dialogs of a tab that no reply has reported yet, and mark all as reported.

    `until`: number of dialogs in the log when the action began; leave out those since, which the action itself reports. None:
    leave out none.
    """
    total, begun = logs.dialog.total, tab.dialogs.reported
    tab.dialogs.reported = total
    if begun == total:
        return []
    fresh = [] if until is None else logs.dialog.entries_since(until)
    late = logs.dialog.entries_since(begun)[: -len(fresh) or None]
    return [entry for entry in late if entry.tab == tab.id and not entry.is_left_open]


def describe_answered_dialog(entry: DialogEntry) -> str:
    """Return the reply line on an answered dialog: its kind, message and answer."""
    return f"{entry.kind} {quote_text(entry.message, 120)}: {one_line(entry.answer, 60)}"


def take_window_lines(tab: Tab, tabs: TabTable) -> list[str]:
    """Return lines on unreported windows of a tab's page, opened or blocked, and mark these as reported."""
    opened = [window for window in tabs if window.is_unreported and window.opener == tab.id]
    return [_describe_opened(window) for window in opened] + tab.effects.take_blocked_lines()


def _describe_opened(window: Tab) -> str:
    """Return the line that a page has opened a window, and mark it as reported."""
    window.is_unreported = False
    return f"opened tab {window.id}: {describe_awaited_document(window) or _name_document(window)}"


def describe_awaited_document(tab: Tab) -> str:
    """Return words on the document that a tab waits for; "" if it waits for none."""
    awaited = tab.requests.awaited
    return f"still waiting for {shown_url(awaited.url)}" if awaited else ""


def _describe_changed_tab(tab: Tab) -> str:
    """Return the line that another tab than the command's has navigated or closed."""
    if tab.closed_reason:
        return f"→ tab {tab.id} {tab.closed_reason}"
    if waits := describe_awaited_document(tab):
        return f"→ tab {tab.id} is {waits}"
    return f"→ tab {tab.id} now at {_name_document(tab)}"


def _name_document(tab: Tab) -> str:
    """Return the address of another tab's document; words where Chromium shows its error page instead."""
    unopened = tab.page.main_frame.unopened
    return f"the browser's error page for {shown_url(unopened)}" if unopened else shown_url(tab.url)


class ActionObserver:
    """Records the state of a tab before an action, and reports in the reply what followed.

    Handlers get it from `page.action()`.
    """

    def __init__(
        self,
        browser: OpenContext,
        tab: Tab,
        cwd: str,
        reported: Sequence[ReportedEffect],
        *,
        tells_messages: bool = False,
    ) -> None:
        """`cwd`: the directory in which the command was typed; paths of downloads are relative to it.

        `reported`: what the command itself reports. `tells_messages`: also report new messages of the page.
        """
        self.baseline = ActionBaseline(tab, browser.tabs, browser.logs)
        self._downloads = DownloadNews(browser.downloads, tab, cwd)
        self.settler = PageSettler(self.baseline, self._downloads, browser.tab_factory.ensure_active_tab)
        self._browser = browser
        self._tab = tab
        self._reported = reported
        self._late_windows = take_window_lines(tab, browser.tabs)
        self._refused = tab.effects.take_refused()
        """Unreported requests that were refused before the action; in the end those of the action, too."""
        self._announcements = Announcements(tab) if tells_messages else None
        self._changes: list[str] = []
        """Lines about changes in the page: messages, fields that lost focus, and frames."""
        self._remarks: list[str] = []

    def note_messages(self, texts: Sequence[str]) -> None:
        """Note the page's new messages (`says "Saved"`), as it tells them right after the action's input."""
        if self._announcements:
            self._announcements.note(texts)

    def remark(self, line: str) -> None:
        """Add a line to the reply, before the lines about what the action caused."""
        self._remarks.append(f"→ {line}")

    def report(self, done: str, *, tells_sent: frozenset[str] = frozenset(), tells_stale: bool = False) -> str:
        """Return the reply: `done` (the line on what was done), then lines on what the action caused.

        `tells_sent`: include requests of these kinds that sent data. `tells_stale`: include what may be older than on the server.
        """
        entries = self._entries_of_action() if tells_sent or tells_stale else []
        sent = describe_sent_requests(entries, tells_sent)
        stale = describe_perhaps_stale(entries) if tells_stale else []
        return "\n".join([done, *self._remarks, *sent, *stale, *self.lines()])

    async def settle(self, seconds: float) -> None:
        """Wait until the navigation and the requests that the action started have ended. Note what changed.

        Takes at most `seconds`; requests without a navigation get QUIET_SECONDS together.
        """
        end = time.monotonic() + seconds
        await self.settler.settle(seconds)
        self._changes = await page_settling.list_field_changes(self._tab, self.baseline.written_in)
        self._changes += await describe_navigated_frames(self._tab, self.baseline.frames)
        if self._announcements and not self.settler.is_stuck:
            self._changes += await self._announcements.list_new(
                end - time.monotonic(),
                has_waited=self.settler.has_waited,
                is_other_page=self._is_led_by_link(),
            )

    def _is_led_by_link(self) -> bool:
        """Return whether the action followed a link: it led to another document, without data as a form sends."""
        return self.baseline.has_new_document and not any(
            entry.kind == "document" and entry.method in _SENDING_METHODS for entry in self.baseline.requests()
        )

    @property
    def has_downloaded(self) -> bool:
        """Return whether a download has begun since the action began."""
        return self._downloads.has_begun()

    def refused_page(self) -> Refused | None:
        """Return the error if the policy forbids a page that the action led to; None otherwise.

        Also takes the refused requests of the action, which `lines` reports.
        """
        of_action = [
            refused
            for tab in [self._tab, *self.baseline.opened_tabs()]
            for refused in tab.effects.take_refused()
        ]
        self._refused += of_action
        return next((refused.failure() for refused in of_action if refused.is_page), None)

    def lines(self) -> list[str]:
        """Return the reply lines about what the action caused, most important first."""
        found = self._open_dialog_lines() + self._navigation_lines()
        found += self._pdf_viewer_lines() + self._new_tab_lines()
        found += self._dialog_lines() + self._download_lines() + self._console_error_lines()
        found += [f"→ {line}" for line in self._tab.effects.asked_permissions.take_lines()]
        found += self._refusal_lines() + self._request_lines() + self._loading_lines()
        if len(found) > MOST_LINES:
            found = [
                *found[:MOST_LINES],
                f"→ and {len(found) - MOST_LINES} more: see 'console --errors', 'network --failed', 'dialog', 'tabs', 'downloads'",
            ]
        return [f"→ {line}" for line in self._changes] + found

    def _pdf_viewer_lines(self) -> list[str]:
        """Return the line that a PDF is in Chromium's viewer, where commands cannot read it; [] if none is."""
        if self.baseline.has_new_document and self._tab.page.main_frame.media_type == PDF:
            return ["→ a PDF in Chromium's viewer: 'reload' makes it a page that can be read"]
        return []

    def _open_dialog_lines(self) -> list[str]:
        """Return the line about an open dialog; [] without one."""
        question = self._tab.open_dialog
        return [f"→ {question.line(self._tab.id)}"] if question else []

    def _navigation_lines(self) -> list[str]:
        """Return the line that the tab closed, is navigating, or shows another document; [] if none of these."""
        if self._tab.closed_reason:
            return [
                f"→ the page {self._tab.closed_reason}{self.baseline.tabs.describe_active_after(self._tab.id)}"
            ]
        if waits := describe_awaited_document(self._tab):
            return [f"→ {waits}"]
        if "url" in self._reported:
            return []
        url = self._tab.url
        if self._tab.page.main_frame.unopened and self.baseline.has_new_document:
            return ["→ now at the browser's error page"]
        if url != self.baseline.url:
            return [f"→ now at {shown_url(url)}"]
        anew = self.baseline.has_new_document and self._tab.arrivals != self.baseline.arrivals
        return [f"→ now at {shown_url(url)}, loaded again"] if anew else []

    def _new_tab_lines(self) -> list[str]:
        """Return lines about windows that pages opened, or tried to; those before the action say "earlier"."""
        lines = [f"→ earlier: {line}" for line in self._late_windows]
        if "tab" in self._reported:
            return lines
        lines += [f"→ {_describe_opened(tab)}" for tab in self.baseline.opened_tabs()]
        if self.settler.is_opening:
            lines.append("→ a window that the page has asked for is not there yet: see 'tabs'")
        lines += [_describe_changed_tab(tab) for tab in self.baseline.changed_related_tabs()]
        return lines + [f"→ {line}" for line in self._tab.effects.take_blocked_lines()]

    def _download_lines(self) -> list[str]:
        """Return lines about downloads, and one for a file of which none has begun.

        Chromium says nothing of that.
        """
        lines = self._downloads.lines()
        if self.settler.lacks_download and not lines:
            why = "a frame with a sandbox may do so only with allow-downloads"
            lines.append(f"→ a file came, and no download began: {why}; 'download <target>' saves it")
        return lines

    def _dialog_lines(self) -> list[str]:
        """Return lines about dialogs answered since the last reply.

        Those from before the action are marked "earlier".
        """
        late = take_unreported_dialogs(self._tab, self._browser.logs, until=self.baseline.dialogs)
        open_entry = self._tab.open_dialog and self._tab.open_dialog.entry
        own = [entry for entry in self.baseline.dialog_entries() if entry is not open_entry]
        return [f"→ earlier: {describe_answered_dialog(entry)}" for entry in late] + [
            f"→ {describe_answered_dialog(entry)}{self._choice_remark(entry)}" for entry in own
        ]

    def _choice_remark(self, entry: DialogEntry) -> str:
        """Return a remark that names the commands for answering later dialogs otherwise.

        "" if the document has got that remark before, or a command has chosen the answers.
        """
        if not entry.is_unasked or self._tab.dialogs.choice_reported_at == self._tab.requests.documents:
            return ""
        self._tab.dialogs.choice_reported_at = self._tab.requests.documents
        return " (dialog-dismiss refuses later ones, dialog-hold leaves them open)"

    def _console_error_lines(self) -> list[str]:
        """Return lines about errors that the current document logged since the action began."""
        if not (entries := self.baseline.console_entries()):
            return []
        return describe_console_errors([entry for entry in entries if entry.document == self._tab.document])

    async def name_sources(self, seconds: float) -> None:
        """Look up where the logged errors are in the original sources (source maps), in at most `seconds`."""
        named, until = 0, time.monotonic() + min(seconds, source_maps.ERROR_SECONDS)
        for _ in range(2):  # errors that come meanwhile are mostly of scripts whose maps are there by then
            entries = self.baseline.console_entries()
            errors = [entry for entry in entries if entry.thrown or entry.logged][:MOST_NAMED]
            if len(errors) > named:
                await self._browser.source_maps.name_errors(self._tab, errors[named:], until - time.monotonic())
                named = len(errors)

    def _entries_of_action(self) -> list[NetworkEntry]:
        """Return the log's requests since the action began, without those of a page that it left."""
        entries = self.baseline.requests()
        return [entry for entry in entries if entry.tab == self._tab.id and not self._is_of_left_page(entry)]

    def _request_lines(self) -> list[str]:
        """Return lines about failed requests of the action."""
        if "requests" in self._reported or not (own := self._entries_of_action()):
            return []
        return describe_failed_requests(own, tells_of_documents="status" not in self._reported)

    def _refusal_lines(self) -> list[str]:
        """Return lines about requests of the action that the policy refused."""
        if self._tab.effects.refused:
            self._refused += self._tab.effects.take_refused()
        if not self._refused:
            return []
        return [f"→ {line}" for line in refused_lines(self._refused)]

    def _is_of_left_page(self, entry: NetworkEntry) -> bool:
        """Return whether a request was made by the page that the action's navigation has left.

        That page goes on sending requests until the new one is there.
        """
        return "url" in self._reported and entry.document == self.baseline.document != self._tab.document

    def _loading_lines(self) -> list[str]:
        """Return the line that the page hangs, was stopped or still loads; [] if none of these."""
        if self._tab.open_dialog:
            return []
        if self.settler.is_cut:
            return [CUT]
        if self.settler.is_stuck and not self._tab.closed_reason:
            return ["→ the page does not answer: a script keeps it busy"]
        if self._tab.closed_reason or self._tab.requests.is_navigating or "requests" in self._reported:
            return []
        waiting = len(self.baseline.pending_requests())
        return [f"→ still loading: {format_count(waiting, 'request')}"] if waiting else []
