"""Reports what an action caused, in short lines for the reply.

Covers navigation, new tabs, dialogs, downloads, errors and failed requests. It saves a second call after every action, so it must
never become a page dump.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal
from urllib.parse import urlsplit

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.timeouts import ANSWERS
from gstack_browse.browser.devtools.frame import Frame
from gstack_browse.browser.downloads.downloads import DownloadNews
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.session.listener import Logs
from gstack_browse.browser.tab import left_fields
from gstack_browse.browser.tab.requests import refused_lines
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.tab.urls import NO_PAGE, shown_url
from gstack_browse.errors import Refused
from gstack_browse.network.logs.entries import ABORTED, LOST_LEVEL, ConsoleEntry, DialogEntry, NetworkEntry
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


MOST_FRAMES = 2
"""Limit for frames named in a reply; pages with advertisements have dozens."""


def document_ids(tab: Tab) -> dict[Frame, str]:
    """Return the loader id of each subframe's document."""
    return {frame: frame.loader for frame in tab.page.frames if frame is not tab.page.main_frame}


async def lines(tab: Tab, before: Mapping[Frame, str]) -> list[str]:
    """Return a line for each frame that shows another document than before the action.

    Frames that are new or blank have no line. before: what `document_ids` returned before the action
    """
    moved = [
        frame
        for frame, loader in before.items()
        if not frame.is_detached() and frame.loader != loader and frame.url not in NO_PAGE
    ]
    told = [f"{await _name(tab, frame)} now at {shown_url(frame.url)}" for frame in moved[:MOST_FRAMES]]
    more = len(moved) - MOST_FRAMES
    return [*told, f"and {format_count(more, 'more frame')}"] if more > 0 else told


async def _name(tab: Tab, frame: Frame) -> str:
    """Return a frame's name for a reply: `frame @e6`; "a frame" for one inside another frame."""
    with suppress(ProtocolError, FrameGone, PageScriptError):
        node = 0 if tab.is_leaving else await tab.world.owner_of(frame.id)
        if node and (refs := await tab.refs.refs_of(tab.page.main_frame, [node])) and refs[0]:
            return f"frame {refs[0]}"
    return "a frame"


LOAD_SECONDS = 2.0
"""Time limit for a page with its document to go on loading before the command returns and says so."""
TURN_SECONDS = 2.0
"""Time limit for a page to answer a ping before it counts as stuck in a script."""
QUIET_SECONDS = 1.0
"""Time limit for requests and new tabs of an action before the command returns and says so."""
WINDOW_SECONDS = 5.0
"""Time limit for certain windows: those that the page has asked for, and the tab that replaces the last one. They come at
once, except on a busy machine."""
CUT = "→ stopped before all of the page was read: it is enormous or slow, and shows what was read (longer: --timeout <ms>)"
MOST_LINES = 5


Told = Literal["url", "tab", "status", "requests"]
"""What a command reports itself or leaves out: the new address, an opened tab, the document's status, requests."""


def untold_dialogs(tab: Tab, logs: Logs, *, until: int | None = None) -> list[DialogEntry]:
    """Take the unreported dialogs of a tab that we answered.

    until: the log's total before this action: later ones are reported elsewhere
    """
    total, begun = logs.dialog.total, tab.dialogs_told
    tab.dialogs_told = total
    if begun == total:
        return []
    fresh = [] if until is None else logs.dialog.entries_since(until)
    late = logs.dialog.entries_since(begun)[: -len(fresh) or None]
    return [entry for entry in late if entry.tab == tab.id and not entry.is_left_open]


def dialog_line(entry: DialogEntry) -> str:
    """Return what a reply says of an answered dialog."""
    return f"{entry.kind} {quote_text(entry.message, 120)}: {one_line(entry.answer, 60)}"


class ActionObserver:
    """Looks at a tab before an action and says afterwards what followed.

    Handlers get it from `page.action()`. `present` makes sure that there is a tab, where the action closed the last one.
    """

    def __init__(
        self,
        tab: Tab,
        tabs: TabTable,
        logs: Logs,
        present: Callable[[], Awaitable[None]],
        downloads: DownloadNews,
        told: Sequence[Told] = (),
    ) -> None:
        self._tab = tab
        self._all = tabs
        self._logs = logs
        self._present = present
        self._told = told
        self._url = tab.url
        self._next_tab = tabs.next_id
        self._blocked = Counter(tab.effects.blocked)
        self._refused = tab.effects.take_refused()
        """Unreported requests that were refused before the action; in the end those of the action, too."""
        self._dialogs = logs.dialog.total
        self._requests = logs.network.total
        self._said = logs.console.total
        self._downloads = downloads
        self._documents = tab.requests.documents
        self._left = tab.document
        self._written_in = left_fields.frames_to_ask(tab)
        self._frames = document_ids(tab)
        self._changes: list[str] = []
        """Lines about changes in the page: fields that lost focus, and frames."""
        self._is_stuck = False
        self._arrivals = tab.arrivals
        self._turn: asyncio.Future[None] | None = None
        self._is_turn_over = False
        self._after_load: asyncio.Future[None] | None = None
        self._has_arrived = False
        self._is_cut = False
        self._remarks: list[str] = []
        self._is_opening = False
        """Whether a window that the page has asked for was late."""

    @property
    def has_new_document(self) -> bool:
        """Return whether the main frame has requested a document since the action began."""
        return self._tab.requests.documents != self._documents

    def remark(self, line: str) -> None:
        """Add a line to the reply, before the lines about what followed."""
        self._remarks.append(f"→ {line}")

    def report(self, done: str, *, tells_sent: bool = False) -> str:
        """Return the reply: what was done, then what followed.

        tells_sent: name the requests that sent something, too
        """
        sent = self._sent_lines() if tells_sent else []
        return "\n".join([done, *self._remarks, *sent, *self.lines()])

    @property
    def has_downloaded(self) -> bool:
        """Return whether a download has begun since the action did."""
        return self._downloads.has_begun()

    def end_turn(self) -> None:
        """Request the end of the page's turn now, so that `settle` need not request it again.

        An earlier request does not count: its answer may be under way, and be of an earlier turn.
        """
        self._is_turn_over = False
        self._turn = asyncio.ensure_future(self._tab.world.turn())
        self._turn.add_done_callback(consume_exception)

    def navigation_starting(self) -> None:
        """Note that the action is about to navigate.

        The end of the page's turn is then requested as soon as the document has loaded.
        """
        self._after_load = None
        self._tab.page.target.call_on_load(self._loads)

    def _loads(self) -> None:
        self._after_load = asyncio.ensure_future(self._tab.world.turn())
        self._after_load.add_done_callback(consume_exception)

    def arrived(self) -> None:
        """Note that the action itself waited for its document."""
        self._has_arrived = True

    def cut_loading(self) -> None:
        """Note that the action stopped its document from loading, so nothing more follows."""
        self._is_cut = True

    def turn_ended(self) -> None:
        """Note that the action itself saw the page end its turn."""
        self._is_turn_over = True

    async def settle(self, seconds: float) -> None:
        """Wait for the navigation and the requests that the action started, and for what those lead to.

        Takes at most `seconds`; requests without a navigation get QUIET_SECONDS together.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._settle()
                await self._next()
        except TimeoutError:
            pass  # `lines` reports what is still going on
        finally:
            self._no_more_opens()
            self._tab.page.target.call_on_load(lambda: None)
        self._changes = await left_fields.changes(self._tab, self._written_in)
        self._changes += await lines(self._tab, self._frames)

    def _no_more_opens(self) -> None:
        self._is_opening = self._tab.effects.lacks_window
        self._tab.effects.expect_nothing()

    async def navigated(self) -> None:
        """Wait for a started navigation, for windows that the page asked for, and for the next tab."""
        try:
            await self._navigated()
            if self._tab.effects.lacks_window:
                await self._tab.in_time(self._has_window, WINDOW_SECONDS)
            await self._next()
        finally:
            self._no_more_opens()

    async def _next(self) -> None:
        if self._tab.closed_reason:
            with suppress(TimeoutError):  # the next tab opens all the same
                async with asyncio.timeout(WINDOW_SECONDS):
                    await self._present()

    async def _navigated(self) -> None:
        if self._tab.closed_reason or self._tab.question or self._is_cut:
            return
        has_arrived, self._has_arrived = self._has_arrived, False
        if not has_arrived:
            await self._end_of_turn()
            if self._all.has_popup_of(self._tab):
                await self._end_of_turn()  # a window that the page closes is gone one turn later
            await self._tab.until(lambda: not self._tab.is_navigating or self._tab.question is not None)
        if self.has_new_document:
            if not has_arrived:
                await self._end_of_turn()
            await self._loaded()
            await self._end_of_turn()

    async def _settle(self) -> None:
        loop = asyncio.get_running_loop()
        quiet_until = loop.time() + QUIET_SECONDS
        while True:
            began = loop.time()
            await self._navigated()
            quiet_until += loop.time() - began
            left = quiet_until - loop.time()
            if self._is_quiet() or not await self._tab.in_time(self._is_quiet, left):
                await self._tab.in_time(self._has_window, left + WINDOW_SECONDS - QUIET_SECONDS)
                return

    async def _end_of_turn(self) -> None:
        """Let the page finish the turn it is in, with the timers that are due. A new document is waited for."""
        if self._is_turn_over:
            self._is_turn_over = False
            return
        turn, self._turn = self._turn, None
        if await self._has_ended(turn or self._tab.world.turn()) or self._tab.is_navigating:
            return  # Chromium answers nothing while a navigation begins
        self._is_stuck = await self._tab.world.stays_silent(ANSWERS)
        if not self._is_stuck:
            await self._has_ended(self._tab.world.turn())  # on a busy machine the first turn took longer

    async def _has_ended(self, turn: Awaitable[None]) -> bool:
        """Wait until a turn of the page has ended. False when it takes too long."""
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await self._tab.unless_asked(turn)
        except (ProtocolError, FrameGone, PageScriptError):
            pass  # the page went away: that is the navigation to wait for, or its end
        except TimeoutError:
            return False
        return True

    async def _loaded(self) -> None:
        """Wait for the document to load; `lines` reports if it still loads, or has crashed."""
        await self._tab.until_loaded(LOAD_SECONDS)
        if self._tab.requests.documents == self._documents + 1:
            self._turn, self._after_load = self._after_load, None

    def _has_window(self) -> bool:
        return bool(self._tab.closed_reason or self._tab.question) or not self._tab.effects.is_opening_sure

    def _is_quiet(self) -> bool:
        return bool(self._tab.closed_reason or self._tab.question) or not (
            self._tab.is_navigating
            or self._own_requests()
            or self._tab.effects.opening
            or self._tab.effects.due_downloads
            or self._downloads.is_waiting()
        )

    def _own_requests(self) -> list[str]:
        """Return the URLs of requests that the action began and that are still under way."""
        if self._logs.network.total == self._requests:
            return []
        begun = {id(entry) for entry in self._logs.network.entries_since(self._requests)}
        return [entry.url for entry in self._tab.requests.pending if id(entry) in begun]

    def refused_page(self) -> Refused | None:
        """Return the error if a rule forbids a document that the action led to; None otherwise."""
        of_action = [refused for tab in [self._tab, *self._fresh()] for refused in tab.effects.take_refused()]
        self._refused += of_action
        return (
            next((refused.failure() for refused in of_action if refused.is_page), None) if of_action else None
        )

    def lines(self) -> list[str]:
        """Return the lines about what followed, most important first."""
        found = self._question() + self._navigation() + self._new_tabs()
        found += self._dialog_lines() + self._downloads.lines() + self._console_lines()
        found += [f"→ {line}" for line in self._tab.effects.asked.take_lines()]
        found += self._refusals() + self._request_lines() + self._still_loading()
        if len(found) > MOST_LINES:
            found = [
                *found[:MOST_LINES],
                f"→ and {len(found) - MOST_LINES} more: see 'console --errors', 'network --failed', 'dialog', 'tabs', 'downloads'",
            ]
        return [f"→ {line}" for line in self._changes] + found

    def _question(self) -> list[str]:
        question = self._tab.question
        return [f"→ {question.line(self._tab.id)}"] if question else []

    def _navigation(self) -> list[str]:
        if self._tab.closed_reason:
            return [f"→ the page {self._tab.closed_reason}{self._all.active_after(self._tab.id)}"]
        if awaited := self._tab.requests.awaited:
            return [f"→ still waiting for {shown_url(awaited.url)}"]
        if "url" in self._told:
            return []
        url = self._tab.url
        if url != self._url:
            return [f"→ now at {shown_url(url)}"]
        anew = self.has_new_document and self._tab.arrivals != self._arrivals
        return [f"→ now at {shown_url(url)}, loaded again"] if anew else []

    def _new_tabs(self) -> list[str]:
        if "tab" in self._told:
            return []
        fresh, blocked = self._fresh(), self._tab.effects.blocked - self._blocked
        if not (fresh or blocked or self._is_opening):
            return []
        lines = [f"→ opened tab {tab.id}: {shown_url(tab.url)}" for tab in fresh]
        if self._is_opening:
            lines.append("→ a window that the page has asked for is not there yet: see 'tabs'")
        return lines + [f"→ blocked {format_count(count, 'window')} {why}" for why, count in blocked.items()]

    def _fresh(self) -> list[Tab]:
        """Return the tabs that the action has opened.

        A tab that replaces the last closed one has no opener, and does not count.
        """
        if self._all.next_id == self._next_tab:
            return []
        return [tab for tab in self._all if tab.id >= self._next_tab and tab.opener]

    def _dialog_lines(self) -> list[str]:
        """Return lines about dialogs answered since the last reply.

        Those from before the action are marked "earlier".
        """
        late = untold_dialogs(self._tab, self._logs, until=self._dialogs)
        open_entry = self._tab.question and self._tab.question.entry
        own = [
            entry
            for entry in self._logs.dialog.entries_since(self._dialogs)
            if entry.tab == self._tab.id and entry is not open_entry
        ]
        return [f"→ earlier: {dialog_line(entry)}" for entry in late] + [
            f"→ {dialog_line(entry)}{self._choice(entry)}" for entry in own
        ]

    def _choice(self, entry: DialogEntry) -> str:
        """Return a remark on how to answer the next dialog otherwise, once for a document."""
        if not entry.is_unasked or self._tab.choice_told == self._tab.requests.documents:
            return ""
        self._tab.choice_told = self._tab.requests.documents
        return " (dialog-dismiss refuses later ones, dialog-hold leaves them open)"

    def _console_lines(self) -> list[str]:
        """Return lines about errors of the current document."""
        if not (said := self._logs.console.entries_since(self._said)):
            return []
        return console_errors([entry for entry in said if entry.document == self._tab.document])

    def _sent_lines(self) -> list[str]:
        """Return lines about the requests of the action that sent something and have not failed."""
        return sent_requests(self._entries_of_action())

    def _entries_of_action(self) -> list[NetworkEntry]:
        entries = self._logs.network.entries_since(self._requests)
        return [entry for entry in entries if entry.tab == self._tab.id and not self._is_of_page_left(entry)]

    def _request_lines(self) -> list[str]:
        if "requests" in self._told or not (own := self._entries_of_action()):
            return []
        return failed_requests(own, tells_of_documents="status" not in self._told)

    def _refusals(self) -> list[str]:
        if self._tab.effects.refused:
            self._refused += self._tab.effects.take_refused()
        if not self._refused:
            return []
        return [f"→ {line}" for line in refused_lines(self._refused)]

    def _is_of_page_left(self, entry: NetworkEntry) -> bool:
        """Return whether a request is of the page that the navigation left.

        That page goes on sending requests until the new one is there.
        """
        return "url" in self._told and entry.document == self._left != self._tab.document

    def _still_loading(self) -> list[str]:
        if self._tab.question:
            return []
        if self._is_cut:
            return [CUT]
        if self._is_stuck and not self._tab.closed_reason:
            return ["→ the page does not answer: a script keeps it busy"]
        waiting = len(self._own_requests())
        if not waiting or self._tab.closed_reason or self._tab.is_navigating or "requests" in self._told:
            return []
        return [f"→ still loading: {format_count(waiting, 'request')}"]
