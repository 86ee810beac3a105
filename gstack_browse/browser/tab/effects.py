"""Track what a tab's page starts, is about to start, or is refused: requests, windows, downloads."""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.devtools.page import Dialog
from gstack_browse.browser.engine.messages import FrameGone, JsonValue
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import DialogOpen, Refused
from gstack_browse.network.logs import ABORTED, PROXY_UNAUTHORIZED, DialogEntry, NetworkEntry
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count

_BACKGROUND = frozenset({"eventsource", "websocket", "ping", "media", "beacon", "cspviolationreport"})
"""Kinds of request that a page may keep open for ever, so commands do not wait for them."""
MOST_REFUSED_LINES = 3
MOST_DOCUMENTS = 10
"""Limit for documents whose status is remembered."""


@dataclass(slots=True)
class PageRequest:
    """A request under way.

    `began` is Chromium's clock in seconds; `head` is the size of the response's head in bytes.
    """

    entry: NetworkEntry
    began: float
    frame: str
    loader: str
    """The loader id of the requesting document, or of the requested one."""
    is_document: bool
    """Whether the request is for the document of the main frame."""
    head: float = 0.0
    is_from_service_worker: bool = False
    """Whether a service worker responds. Chromium's number of network bytes is not the size then."""
    has_arrived: bool = False
    """Whether that document is in the frame now."""
    is_attachment: bool = False
    """Whether its server says that it is to be saved (`Content-Disposition`)."""


@dataclass(slots=True)
class RefusedRequest:
    """A request that a rule forbids. `is_page`: for a document of the main frame, or a download.

    `after`: what became of the tab. `is_reported`: a tab knows of it.
    """

    url: str
    refusal: Refusal
    is_page: bool
    after: str = ""
    is_reported: bool = False

    def line(self) -> str:
        """Return the line about the refused request for a command's reply."""
        return f"refused: {one_line(shown_url(self.url), 150)} {self.refusal.why}"

    def failure(self) -> Refused:
        """Return the error of the command whose page made the refused request."""
        hint = ". ".join(words for words in (self.refusal.hint, self.after) if words)
        return Refused(f"{one_line(shown_url(self.url), 300)} {self.refusal.why}", hint)


def refused_lines(refused: Sequence[RefusedRequest]) -> list[str]:
    """Return a reply's lines about refused requests: one for each of the first, and how many more."""
    lines = [*dict.fromkeys(item.line() for item in refused)]
    if len(lines) > MOST_REFUSED_LINES:
        more = len(lines) - MOST_REFUSED_LINES
        lines = [*lines[:MOST_REFUSED_LINES], f"refused: {more} more, see 'network --failed'"]
    return lines


class Requests:
    """The requests of a tab's page that are under way, by the protocol's id, and its last documents."""

    def __init__(self) -> None:
        self.inflight: dict[str, PageRequest] = {}
        self.documents = 0
        """Number of documents that the main frame has requested."""
        self._document_requests: deque[tuple[str, PageRequest]] = deque(maxlen=MOST_DOCUMENTS)

    def begin(self, request_id: str, request: PageRequest) -> None:
        """Note that the page has made a request. `request_id`: the protocol's."""
        self.inflight[request_id] = request
        if request.is_document:
            self.documents += 1
            self._document_requests.append((request_id, request))

    def end(self, request_id: str) -> None:
        """Note that the page's request with this id was answered or failed."""
        self.inflight.pop(request_id, None)

    def abandon(self) -> None:
        """Mark all requests under way as aborted, because the page is gone."""
        for request in self.inflight.values():
            request.entry.error = request.entry.error or ABORTED
        self.inflight.clear()

    def status_of(self, loader: str) -> int:
        """Return the HTTP status of the document with that loader id; 0 if no recent request brought it."""
        entries = (
            request.entry for request_id, request in reversed(self._document_requests) if request_id == loader
        )
        return next((entry.status for entry in entries), 0)

    def failed_since(self, documents: int) -> NetworkEntry | None:
        """Return the main frame's last document request if it failed and none arrived since; else None.

        documents: `self.documents` of the moment to count from: how many documents the frame had requested by then
        """
        before = max(len(self._document_requests) - (self.documents - documents), 0)
        recent = [request for _, request in self._document_requests][before:]
        if not recent or any(request.has_arrived for request in recent):
            return None
        return recent[-1].entry if recent[-1].entry.error else None

    def awaits_error_page(self, loader: str) -> bool:
        """Return whether the main frame's last document failed, and does not show as an error page yet.

        `loader`: Chromium's id of the document that the frame shows
        """
        if not self._document_requests:
            return False
        request_id, request = self._document_requests[-1]
        return request.entry.error not in ("", ABORTED) and request_id != loader

    def is_kept_by_proxy(self) -> bool:
        """Return whether the last document, by TLS, was not fetched because a proxy asks for a password.

        Chromium shows an empty page with that address then.
        """
        if not self._document_requests:
            return False
        entry = self._document_requests[-1][1].entry
        return entry.status == PROXY_UNAUTHORIZED and entry.url.startswith("https:")

    @property
    def awaited(self) -> NetworkEntry | None:
        """Return the request for the document that the main frame waits for, or None.

        Until it arrives Chromium runs no script of ours in the page.
        """
        for request in self.inflight.values():
            if request.is_document and not request.has_arrived:
                return request.entry
        return None

    @property
    def is_navigating(self) -> bool:
        """Return whether the main frame has requested a document that has not arrived."""
        return bool(self.inflight) and self.awaited is not None

    @property
    def awaits_server(self) -> bool:
        """Return whether the main frame waits for a document that the server has not answered yet."""
        awaited = self.awaited
        return awaited is not None and not awaited.status

    @property
    def for_frames(self) -> list[NetworkEntry]:
        """Return the requests under way that are for documents of child frames."""
        requests = (request for request in self.inflight.values() if not request.is_document)
        return [request.entry for request in requests if request.entry.kind == "document"]

    @property
    def pending(self) -> list[NetworkEntry]:
        """Return the requests under way, except kinds that pages keep open for ever (`_BACKGROUND`)."""
        entries = (request.entry for request in self.inflight.values())
        return [entry for entry in entries if entry.kind not in _BACKGROUND]


_PLACE = "geolocation"
_NAMES = frozenset(
    [
        "camera",
        "clipboard-read",
        "idle-detection",
        "local-fonts",
        "microphone",
        "midi",
        "notifications",
        "window-management",
    ]
) | {_PLACE}
"""All permissions that `asked-permissions.js` reports."""
_PRINT = "print"
"""What it reports when the page calls `print()`: Chromium without a window does nothing then."""


class AskedPermissions:
    """The requests of one tab's page that no command has granted: for permissions, and to be printed."""

    def __init__(self) -> None:
        self._documents: dict[str, int] = {}
        self._unreported: list[str] = []
        self._granted: frozenset[str] = frozenset()

    def note(self, name: str, document: int, granted: frozenset[str]) -> None:
        """Note the page's request: for a permission once a document, to be printed each time.

        name: as in `navigator.permissions`, or _PRINT. document: number of the tab's document. granted: the context's granted permissions, for which no reply needs a line.
        """
        if name == _PRINT and name not in self._unreported:
            self._unreported.append(name)
        if name in _NAMES - granted and self._documents.get(name) != document:
            self._documents[name] = document
            self._unreported.append(name)
            self._granted = granted

    def take_lines(self) -> list[str]:
        """Return the lines about requests that no reply has reported yet."""
        unreported, self._unreported = self._unreported, []
        names = [name for name in unreported if name in _NAMES - {_PLACE}]
        lines = ["asks to be printed: 'pdf' makes a file of it"] if _PRINT in unreported else []
        if _PLACE in unreported:
            lines.append(f"asks for permission: {_PLACE} (not granted: emulate --geo 52.52,13.4)")
        if names:
            grant = ",".join(sorted({*names, *self._granted} - {_PLACE}))
            lines.append(f"asks for permission: {', '.join(names)} (not granted: emulate --grant {grant})")
        return lines


_GROUP = "gbrowse-chooser"


@dataclass(frozen=True)
class FileChooser:
    """A file chooser that a page has opened."""

    target: Target
    frame_id: str
    node: int
    """The file field, as the protocol numbers nodes; 0 for a picker of the File System Access API."""
    is_multiple: bool
    document: int
    """The number of the tab's document by then."""
    last_target: str
    """The target of the last action as it was typed; "" if it named none."""
    at: float = field(default_factory=time.monotonic)

    async def call_on_field(self, function: str, *arguments: JsonValue) -> Any:
        """Call a JavaScript function in our isolated world with the file field as `this`. Return its result.

        `function`: source code. Raises FrameGone, or ProtocolError.
        """
        context, send = self.target.contexts.get(self.frame_id), self.target.session.send
        if context is None:
            raise FrameGone("The document that asked for a file is gone")
        where = {"backendNodeId": self.node, "executionContextId": context.number, "objectGroup": _GROUP}
        found = await send("DOM.resolveNode", where)
        call = {
            "objectId": found["object"]["objectId"],
            "functionDeclaration": function,
            "arguments": [{"value": value} for value in arguments],
            "returnByValue": True,
            "awaitPromise": True,
        }
        reply = await send("Runtime.callFunctionOn", call)
        self.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        return reply["result"].get("value")


class FileChoosers:
    """The last file chooser of a tab that no reply has reported, or the command that waits for one."""

    def __init__(self) -> None:
        self.last: FileChooser | None = None
        self.last_target = ""
        """The target of the last action as it was typed; "" if it named none."""
        self.answer: Callable[[FileChooser], None] | None = None
        """Called with a chooser, which is not kept then, while `upload` waits for one."""

    def add(self, chooser: FileChooser) -> None:
        """Pass a chooser to the command that waits for it, or keep it for the next reply."""
        if self.answer:
            self.answer(chooser)
        else:
            self.last = chooser


@dataclass(frozen=True)
class WantedDownload:
    """A request of a command for the page's next download. `path` is where to save it, if given."""

    path: Path | None = None


class Effects:
    """Windows and downloads that a tab's page has started, is about to start, or was refused."""

    def __init__(self) -> None:
        self.opening = 0
        """Windows and downloads that were asked for and have not begun yet."""
        self.due_downloads = 0
        self.is_attachment_due = False
        """Responses that Chromium treats as files, but has not reported as downloads yet."""
        self._is_window_asked = False
        """Whether one of them is a window that the page has asked for. Others may turn out to be nothing."""
        self._is_sure = False
        """Whether one of them is certain though the page has not asked for it: Chromium opens it for a click."""
        self.blocked: Counter[str] = Counter()
        """Number of unreported windows of the page that were closed, by reason: see `popup_windows`."""
        self._last_blocked: dict[str, str] = {}
        """Reason → the address of the last of them; "" if it has none."""
        self._windows = 0
        self.refused: deque[RefusedRequest] = deque(maxlen=100)
        """Unreported requests that a rule forbids."""
        self.refused_downloads: Counter[str] = Counter()
        """Number of unreported refused downloads, by reason."""
        self.file_choosers = FileChoosers()
        """Unreported file choosers."""
        self.asked_permissions = AskedPermissions()
        self.wanted: WantedDownload | None = None
        """The file that a command waits for."""
        self.downloads_before = 0
        """Number of downloads when the last action began."""
        self.acted_at = math.inf
        """Start of the last action (monotonic); infinite after a command that itself navigated."""
        self._acting = 0
        """Number of commands that are acting in the page."""
        self._has_download_permit = True

    def expect_opening(self) -> None:
        """Make the running command wait for a window or download, which may begin a moment later."""
        self.opening += 1

    def expect_window(self) -> None:
        """Make the running command wait for a window that the page has asked for (`window.open`)."""
        self.opening += 1
        self._is_window_asked = True

    def note_opening_certain(self) -> None:
        """Note that an expected window is sure to appear: Chromium handled the click, or the window exists."""
        self._is_sure = True

    @property
    def is_opening_certain(self) -> bool:
        """Return whether a window or a download is expected and certain to come."""
        return (self._is_window_asked or self._is_sure) and self.opening > 0

    @property
    def lacks_window(self) -> bool:
        """Return whether a window that the page has asked for has not appeared yet."""
        return self._is_window_asked and self.opening > 0

    def expect_download(self, *, is_attachment: bool) -> None:
        """Make the command wait for a download: a response is a file, which Chromium reports a moment later.

        is_attachment: its server says so; otherwise the page may have broken a navigation off
        """
        if self._acting:
            self.due_downloads += 1
            self.is_attachment_due |= is_attachment

    def note_blocked(self, reason: str, address: str) -> None:
        """Count a window of the page that was closed. `address`: "" if it has none."""
        self.blocked[reason] += 1
        self._last_blocked[reason] = address

    def take_blocked_lines(self) -> list[str]:
        """Return a line for each reason why windows were closed, and mark these as reported."""
        blocked, self.blocked = +self.blocked, Counter()
        lines = list[str]()
        for reason, count in blocked.items():
            last = f"{'the last: ' if count > 1 else ''}{one_line(self._last_blocked[reason], 150)}"
            named = f" ({last})" if self._last_blocked[reason] else ""
            lines.append(f"blocked {format_count(count, 'window')} {reason}{named}")
        return lines

    def stop_expecting(self) -> None:
        """Stop waiting for windows and downloads that have not begun."""
        self.opening = self.due_downloads = 0
        self.is_attachment_due = False
        self._is_window_asked = self._is_sure = False

    def note_opened(self) -> None:
        """Note that a window or download has begun, so that one fewer is expected."""
        self.opening = max(self.opening - 1, 0)

    def note_download_begun(self) -> None:
        """Note a begun download: one fewer is expected. An expected window may turn out to be a download."""
        if self.due_downloads:
            self.due_downloads -= 1
        else:
            self.note_opened()

    def take_refused(self) -> list[RefusedRequest]:
        """Return the refused requests for the caller to report, and forget them."""
        taken = list(self.refused)
        self.refused.clear()
        return taken

    def begin_action(self) -> None:
        """Note that a command begins to act in the page, which may now open one window."""
        self._acting += 1
        self._windows = 0
        self.file_choosers.last_target = ""

    def use_window_permit(self) -> bool:
        """Count a new window. Return whether it is the first since the action began: only that one may stay."""
        self._windows += 1
        return self._windows == 1

    def end_action(self) -> None:
        """Note that a command's action has ended: no command waits for downloads that begin later."""
        self._acting = max(self._acting - 1, 0)

    def permit_download(self) -> None:
        """Let the page begin one download, as a command that acts or navigates does.

        Unused permits do not add up.
        """
        self._has_download_permit = True

    def use_download_permit(self) -> bool:
        """Use up the page's permit to begin a download. Return whether it had one."""
        had, self._has_download_permit = self._has_download_permit, False
        return had


class OpenDialog:
    """An open dialog. `tab`: the number of its tab; `is_persons`: a person sees the dialog in a window."""

    def __init__(self, tab: int, dialog: Dialog, entry: DialogEntry, *, is_persons: bool) -> None:
        self.tab = tab
        self.dialog = dialog
        self.entry = entry
        self.is_persons = is_persons

    @property
    def name(self) -> str:
        """Return the dialog's kind and text for people: `confirm "Delete?"`."""
        return f"{self.entry.kind} {quote_text(self.entry.message, 120)}"

    def line(self, tab: int) -> str:
        """Return the line about the dialog for the reply of a command in tab number `tab`."""
        suggestion = self.dialog.default_value if self.entry.kind == "prompt" else ""
        suggests = f" (suggests {quote_text(suggestion, 60)})" if suggestion else ""
        where = "" if tab == self.tab else f" in tab {self.tab}"
        return f"{self.name}{suggests} is open{where}: {self._answering_commands(tab)}"

    def failure(self, tab: int, happened: str = "") -> DialogOpen:
        """Return the error of a command that the dialog blocks.

        Args:
            tab: the number of the command's tab
            happened: beginning of the message if the command had begun to act: `click did not finish`
        """
        message = f"{self.name} is open in tab {self.tab}"
        if happened:
            return DialogOpen(
                f"{happened}: {message}", f"Answer it: {self._answering_commands(tab)}; then look what was done"
            )
        still = "" if tab == self.tab else f", and tab {tab} does not answer meanwhile"
        return DialogOpen(message + still, f"Answer it: {self._answering_commands(tab)}")

    def _answering_commands(self, tab: int) -> str:
        """Return the commands that answer the dialog, for a hint. `tab`: the number of the caller's tab."""
        accept = "dialog-accept [TEXT]" if self.entry.kind == "prompt" else "dialog-accept"
        there = "" if tab == self.tab else f" (gbrowse --tab {self.tab} …)"
        persons = ", unless the person does" if self.is_persons else ""
        return f"{accept} or dialog-dismiss{there}{persons}"
