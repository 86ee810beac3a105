"""Write the requests of pages into the log and into the tabs, from Chromium's own events.

`Pages` maps pages to their tabs and documents, so that each log entry has both. Documents have numbers of ours, counted over all
pages. An entry is of the document at the time it was made.
"""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.browser.cdp.target_events import request_id_in
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.network.exchanges import EVENT_STREAM, EventStreams, Exchanges
from gstack_browse.browser.tab.effects import PageRequest, RefusedRequest
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.exchange.headers import find_value
from gstack_browse.network.logs import (
    ABORTED,
    PROXY_UNAUTHORIZED,
    REFUSED,
    ConsoleEntry,
    NetworkEntry,
    Ring,
    safe_url,
)
from gstack_browse.security.policy.hosts import EXTERNAL_REFUSAL, Refusal, is_external
from gstack_browse.text.json_bytes import decode
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, quote_unless_short

MOST_EARLY = 100
"""Limit for entries and requests of a page that are kept until it has a tab."""
MOST_RECENT = 50
"""Limit for requests of a page's documents, redirects included; a chain has at most 20."""

_numbers = itertools.count(1)
Entry = ConsoleEntry | NetworkEntry


@dataclass
class Page:
    """A page with its frames and workers; or a worker that belongs to no page."""

    document: int
    is_page: bool = True
    tab: Tab | None = None
    begun_by: tuple[int, int] | None = None
    """For a shared worker: the document that started it, and the number of its tab."""
    open: dict[str, PageRequest] = field(default_factory=dict)
    """Requests under way, by request id."""
    sockets: dict[str, tuple[NetworkEntry, float]] = field(default_factory=dict)
    """Open web sockets by request id, with the time each was opened (monotonic)."""
    recent_requests: deque[PageRequest] = field(default_factory=lambda: deque(maxlen=MOST_RECENT))
    """Requests for its last documents, each redirect included."""
    icons: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_RECENT))
    """Numbers of the last requests for a site's icon, which Chromium makes by itself."""
    refused: list[RefusedRequest] = field(default_factory=list)
    """Forbidden requests from before its tab was known."""
    early: list[tuple[Callable[[], None], Entry]] = field(default_factory=list)
    """Entries from before its tab was known, with a function that writes each."""


class Pages:
    """Records of a browser's pages by target id, with the tab and the document that log entries belong to."""

    def __init__(self) -> None:
        self._known: dict[str, Page] = {}

    def get(self, page_id: str) -> Page | None:
        """Return the record of a page; None before its first event."""
        return self._known.get(page_id)

    def find_by_request(self, request_id: str) -> Page | None:
        """Return the page with an unfinished request of this id; None if no page has it."""
        return next((page for page in self._known.values() if request_id in page.open), None)

    def find_or_add(self, target: Target) -> Page:
        """Return the record of the page that contains a target; make it if missing."""
        if target.page not in self._known:
            is_page = target.id != target.page or target.kind == "page"
            self._known[target.page] = Page(next(_numbers), is_page, begun_by=self._find_starter(target.id))
        return self._known[target.page]

    def _find_starter(self, worker: str) -> tuple[int, int] | None:
        """Return the numbers of the document and the tab that started a shared worker; None if unknown.

        `worker`: its target id, which is also the request id of its script.
        """
        page = self.find_by_request(worker)
        return (page.document, page.tab.id) if page and page.tab else None

    def log_entry(self, page: Page, entry: Entry, write: Callable[[], None]) -> None:
        """Set document and tab of a log entry, and call `write`, as soon as the page's tab is known.

        Entries of workers are written at once. While a page has no tab yet, at most MOST_EARLY entries wait; further ones
        are dropped.
        """
        entry.document = page.document
        if page.tab:
            entry.tab = page.tab.id
        elif page.begun_by:
            entry.document, entry.tab = page.begun_by
        if page.tab or not page.is_page:
            write()
        elif len(page.early) < MOST_EARLY:
            page.early.append((write, entry))

    def report_refusal(self, page: Page, refused: RefusedRequest) -> None:
        """Report a forbidden request to the page's tab, as soon as that is known."""
        if page.tab:
            page.tab.note_refusal(refused)
        elif len(page.refused) < MOST_EARLY:
            page.refused.append(refused)

    def assign_tab(self, page_id: str, tab: Tab) -> Page:
        """Note the tab of a page, and write the log entries and refusals that waited for it. Return the page."""
        page = self._known.get(page_id) or Page(next(_numbers))
        self._known[page_id] = page
        page.tab = tab
        tab.document = page.document
        for write, entry in page.early:
            entry.tab = tab.id
            write()
        page.early.clear()
        for refused in page.refused:
            tab.note_refusal(refused)
        page.refused.clear()
        return page

    def number_document(self, page: Page, loader: str) -> None:
        """Give the document that has arrived a new number, also in the log entries of its own requests.

        `loader`: the document's loader id.
        """
        page.document = next(_numbers)
        if page.tab:
            page.tab.document = page.document
        for request in page.recent_requests:
            if request.loader == loader:
                request.entry.document = page.document

    def forget(self, page_id: str) -> None:
        """Forget a page that has closed."""
        self._known.pop(page_id, None)


ICON = "/favicon.ico"
"""The path where Chromium looks for a site's icon."""
FETCHED_AHEAD = "Prefetch"
"""The kind of request that prefetches a document."""
UNRESOLVED = "net::ERR_NAME_NOT_RESOLVED"
EXTENSION = "chrome-extension://"
_FROM_MEMORY = 200
"""The status of a response from a blob. Chromium reports it, except for a shared worker's script."""
_CHALLENGE_HEADERS = {401: "www-authenticate", PROXY_UNAUTHORIZED: "proxy-authenticate"}
"""The header in which a response with that status asks for a user and a password."""
_WITHOUT_CONTENT = (204, 205)
"""The statuses of responses after which a frame keeps its document."""
READ_SECONDS = 0.1
"""Time limit for a script to read an arrived body. Chromium never reports the end of an unread one that its cache does not keep."""
READ_BY_SCRIPTS = ("Fetch", "XHR")
"""Kinds of requests whose event streams Chromium does not read itself."""


class Traffic:
    """Logs the requests of all pages of a browser."""

    def __init__(self, log: Ring[NetworkEntry], pages: Pages) -> None:
        self.refused: Callable[[str], RefusedRequest | None] = lambda request_id: None
        """Called with the id of a failed request; returns the refusal if a rule forbids it."""
        self.unresolved: Callable[[str], Refusal | None] = lambda url: None
        """Called with the URL of a request whose host has no address; returns the refusal if a rule forbids it."""
        self.answers: Callable[[Target, str], Refusal | None] = lambda target, address: None
        """Called with a response's target and remote address; returns the refusal if a rule forbids it."""
        self.refuses_external = True
        """Whether external programs are refused. Chromium asks a person who has the browser."""
        self.shaped: Callable[[str, str], tuple[str, int]] = lambda request_id, url: ("", -1)
        """Called with id and URL (as the log has it) of a request that has ended.

        Returns what shaped it, and the length of a made-up body or -1.
        """
        self.log = log
        self.exchanges = Exchanges()
        self._streams = EventStreams(self.exchanges)
        self._subscriber: Subscriber | None = None
        self._measures_bodies = False
        self._unread: dict[str, float] = {}
        """Scripts' requests with a response, and the announced bytes still to come."""
        self._last_event = 0.0
        """Chromium's clock when the last request began or was answered."""
        self._pages = pages

    def follow(self, subscriber: Subscriber) -> None:
        """Log the requests of targets whose events `subscriber` gets, from now on."""
        subscriber.on_message("Network.requestWillBeSent", self._on_request)
        subscriber.on_message("Network.responseReceived", self._on_response)
        subscriber.on_message("Network.loadingFinished", self._on_finished)
        subscriber.on_message("Network.loadingFailed", self._on_failed)
        kept = self.exchanges
        subscriber.on_message(
            "Network.requestWillBeSentExtraInfo",
            lambda target, message: kept.keep_request_head(request_id_in(message), message),
        )
        subscriber.on_message(
            "Network.responseReceivedExtraInfo",
            lambda target, message: kept.keep_response_head(request_id_in(message), message),
        )
        subscriber.on_message(
            "Network.requestServedFromCache",
            lambda target, message: kept.note_served_from_memory(request_id_in(message)),
        )
        subscriber.on_message(
            "Network.eventSourceMessageReceived",
            lambda target, message: kept.keep_frame(request_id_in(message), message),
        )
        subscriber.on_frame_left = self._on_frame_left
        subscriber.on_page_gone.append(self._on_target_closed)
        self._streams.follow(subscriber)
        self._subscriber = subscriber
        self.measure_bodies(is_wanted=self._measures_bodies)

    def measure_bodies(self, *, is_wanted: bool) -> None:
        """Turn the counting of bodies' bytes on or off. It costs an event for each received piece."""
        self._measures_bodies = is_wanted
        self._update_data_listener()

    def _update_data_listener(self) -> None:
        """Subscribe to `Network.dataReceived` only while it is needed: it is Chromium's most frequent event."""
        if self._subscriber and (self._measures_bodies or self._unread):
            self._subscriber.on("Network.dataReceived", self._on_data_received)
        elif self._subscriber:
            self._subscriber.handlers.pop("Network.dataReceived", None)

    def _on_data_received(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Network.dataReceived`: count a body's bytes, and soon end the request if all have come."""
        request_id = event["requestId"]
        if self._measures_bodies:
            self.exchanges.count_body_bytes(request_id, event["dataLength"])
        if request_id in self._unread:
            self._unread[request_id] -= event["encodedDataLength"] or event["dataLength"]
            if self._unread[request_id] <= 0:
                self._stop_counting_body(request_id)
                asyncio.get_running_loop().call_later(READ_SECONDS, self._end_request, target, event, "")

    def _stop_counting_body(self, request_id: str) -> None:
        """Stop waiting for the announced bytes of a request's body."""
        if self._unread.pop(request_id, None) is not None and not self._unread:
            self._update_data_listener()

    def _stop_reading(self, request_id: str) -> None:
        """Stop reading the response to a request that has ended, or whose page is gone."""
        self._streams.end(request_id)
        self._stop_counting_body(request_id)

    def assign_page(self, page_id: str, tab: Tab) -> None:
        """Note the tab of a page, and report the page's unfinished requests to the tab."""
        for request_id, request in self._pages.assign_tab(page_id, tab).open.items():
            tab.note_request(request_id, request)

    def tab_of(self, page_id: str) -> Tab | None:
        """Return the tab of a page by the page's target id; None if it is not known."""
        page = self._pages.get(page_id)
        return page.tab if page else None

    def write(self, entry: NetworkEntry) -> None:
        """Add a request to the log, under the next number."""
        entry.number = self.log.total + 1
        self.log.add(entry)

    def _on_request(self, target: Target, message: bytes) -> None:
        """Handle `Network.requestWillBeSent`: log the request; if it is a redirect, end the one before."""
        event = decode(message)["params"]
        details, kind = event["request"], event.get("type", "Other")
        page = self._pages.find_or_add(target)
        request_id, self._last_event = event["requestId"], event["timestamp"]
        if _initiator_type(event) == "other" and is_favicon_request(
            event.get("type", "Other"), event["request"]["url"]
        ):
            page.icons.append(request_id)
            return
        if not _is_page_request(event):
            return
        if redirection := event.get("redirectResponse"):
            self._note_response(target, request_id, redirection)
            self._end_request(target, event, "")
        if kind == "Document" and is_external(details["url"]):  # Chromium does not report its end
            if self.refuses_external:
                self._report_refusal(target, RefusedRequest(details["url"], EXTERNAL_REFUSAL, is_page=False))
            return
        entry = NetworkEntry(time.time(), 0, details["method"], redact(safe_url(details["url"])), kind.lower())
        frame, loader = event.get("frameId", ""), event.get("loaderId", "")
        is_document = request_id == loader and frame == target.page and kind != FETCHED_AHEAD
        request = PageRequest(entry, event["timestamp"], frame, loader, is_document=is_document)
        page.open[request_id] = request
        self.exchanges.keep_request(request_id, target, entry, message)
        if is_document:
            page.recent_requests.append(request)
        self._pages.log_entry(page, entry, partial(self.write, entry))
        if page.tab:
            page.tab.note_request(request_id, request)

    def _open_request(self, target: Target, request_id: str) -> PageRequest | None:
        """Return the unfinished request with this id of the page that contains the target, or None."""
        page = self._find_requesting_page(target, request_id)
        return page.open.get(request_id) if page else None

    def _find_requesting_page(self, target: Target, request_id: str) -> Page | None:
        """Return the page that made the request with this id; None if unknown.

        A shared worker's script is requested by a page, and its response comes in the worker's session.
        """
        page = self._pages.get(target.page)
        if page and request_id in page.open:
            return page
        if request_id == target.id and (asking := self._pages.find_by_request(request_id)):
            self._pages.find_or_add(target)  # while this request is open it shows whose worker it is
            return asking
        return page

    def _on_target_closed(self, target_id: str) -> None:
        """Forget a page or worker that has closed. End the request for a shared worker's script.

        If that script could not be loaded, Chromium reports nothing else.
        """
        if page := self._pages.find_by_request(target_id):
            request = page.open[target_id]
            if not request.entry.status:
                self._note_head(request, target_id)
            request.entry.milliseconds = max(round((self._last_event - request.began) * 1000), 0)
            self._complete_request(page, target_id, "" if request.entry.status else "ERR_FAILED")
        if page := self._pages.get(target_id):
            for request_id in page.open:
                self._stop_reading(request_id)
        self._pages.forget(target_id)

    def _on_response(self, target: Target, message: bytes) -> None:
        """Handle `Network.responseReceived`: log status and size, and begin to read an event stream."""
        event = decode(message)["params"]
        self._last_event = event["timestamp"]
        self.exchanges.keep_response(event["requestId"], message)
        self._note_response(target, event["requestId"], event["response"])
        if event["response"].get("mimeType") == EVENT_STREAM and event.get("type") in READ_BY_SCRIPTS:
            self._streams.begin(target, event["requestId"], event["timestamp"])

    def _note_response(self, target: Target, request_id: str, response: dict[str, Any]) -> None:
        """Log a response's status and size. If the policy forbids its server's address, log it as refused.

        `response`: the protocol's `Network.Response`.
        """
        request = self._open_request(target, request_id)
        if request:
            request.entry.status = response["status"]
            if request.entry.method != "HEAD":  # of HEAD the header tells the length that GET would have
                request.entry.size = _content_length(response["headers"])
            is_from_memory = self.exchanges.is_from_memory(request_id)
            request.entry.is_perhaps_stale = _is_perhaps_stale(response, is_from_memory=is_from_memory)
            if header := _CHALLENGE_HEADERS.get(response["status"]):
                request.entry.challenge = find_value(response["headers"].items(), header)
            request.head = response["encodedDataLength"]
            disposition = find_value(response["headers"].items(), "content-disposition")
            request.is_attachment = disposition.lower().startswith("attachment")
            if request.entry.kind == "fetch" and request.entry.has_body and request.entry.size > 0:
                self._unread[request_id] = request.entry.size
                self._update_data_listener()
            request.is_from_service_worker = bool(response.get("fromServiceWorker"))
            self.log.notify_watchers()
            if refusal := self.answers(target, response.get("remoteIPAddress", "")):
                request.entry.error = self._report_refusal(
                    target, RefusedRequest(request.entry.url, refusal, True)
                )

    def _on_finished(self, target: Target, message: bytes) -> None:
        """Handle `Network.loadingFinished`: log how many bytes came, and end the request."""
        event = decode(message)["params"]
        self.exchanges.keep_end(event["requestId"], message)
        request = self._open_request(target, event["requestId"])
        if request and not request.entry.status:
            self._note_head(request, event["requestId"])
        if request and request.entry.size < 0 and request.entry.has_body and not request.is_from_service_worker:
            request.entry.size = max(round(event["encodedDataLength"] - request.head), 0)
        self._end_request(target, event, "")

    def _note_head(self, request: PageRequest, request_id: str) -> None:
        """Set status and size from a response's raw headers, if Chromium has reported no response.

        That happens with some shared workers.
        """
        if head := self.exchanges.last_response_head(request_id):
            params = decode(head)["params"]
            request.entry.status = params["statusCode"]
            request.entry.size = _content_length(params["headers"])
        elif request.entry.url.startswith("blob:"):
            request.entry.status = _FROM_MEMORY

    def _on_failed(self, target: Target, message: bytes) -> None:
        """Handle `Network.loadingFailed`: log the error, or the policy's reason if that refused the request."""
        event = decode(message)["params"]
        self.exchanges.keep_end(event["requestId"], message)
        request = self._open_request(target, event["requestId"])
        entry = request.entry if request and not request.is_document else None
        has_no_body = entry is not None and bool(entry.status) and (not entry.has_body or entry.size == 0)
        problem = event.get("errorText") or event.get("blockedReason") or "failed"
        if refused := self.refused(event["requestId"]):
            problem = self._report_refusal(target, refused)
        elif request and problem == UNRESOLVED and (refusal := self.unresolved(request.entry.url)):
            problem = self._report_refusal(
                target, RefusedRequest(request.entry.url, refusal, request.is_document)
            )
        elif request and problem == f"net::{ABORTED}" and _is_download(request):
            # Chromium has given the document up because it is a download, which it reports next.
            page = self._find_requesting_page(target, event["requestId"])
            if page and page.tab:
                page.tab.effects.expect_download(is_attachment=request.is_attachment)
        self._end_request(target, event, "" if has_no_body else problem.removeprefix("net::"))

    def _report_refusal(self, target: Target, refused: RefusedRequest) -> str:
        """Report a refused request to the tab of its target. Return the error text for the log."""
        if not refused.is_reported:
            self._pages.report_refusal(self._pages.find_or_add(target), refused)
        return REFUSED + refused.refusal.why

    def _on_frame_left(self, target: Target, frame: str, loader: str) -> None:
        """End the unfinished requests of the document that a frame left: Chromium may not report their end.

        `loader`: loader id of the frame's next document; "" if the frame was removed.
        """
        page = self._pages.get(target.page)
        if page is None:
            return
        if frame == target.page and loader:
            self._pages.number_document(page, loader)
        for request_id, request in list(page.open.items()):
            request.has_arrived = request.has_arrived or (frame == request.frame and request.loader == loader)
            is_on_its_way = request.is_document and not request.has_arrived
            if frame in (request.frame, target.page) and request.loader != loader and not is_on_its_way:
                del page.open[request_id]
                self._stop_reading(request_id)
                if not request.is_document:  # an arrived document may have been read completely
                    request.entry.error = request.entry.error or ABORTED
                if page.tab:
                    page.tab.end_request(request_id)
        self.log.notify_watchers()
        if page.tab:
            page.tab.wake_waiters()

    def _end_request(self, target: Target, event: dict[str, Any], error: str) -> None:
        """Log a request's duration and error ("" for none), and end it. `event`: has its id and time stamp."""
        self._stop_reading(event["requestId"])
        page = self._find_requesting_page(target, event["requestId"])
        if page and (request := page.open.get(event["requestId"])):
            request.entry.milliseconds = max(round((event["timestamp"] - request.began) * 1000), 0)
            self._complete_request(page, event["requestId"], error)

    def _complete_request(self, page: Page, request_id: str, error: str) -> None:
        """Complete a request in the log and in its tab. `error`: why it failed, "" if it did not."""
        request = page.open.pop(request_id)
        entry = request.entry
        entry.shaped, size = self.shaped(request_id, entry.url)
        if size == 0 and entry.status and error == ABORTED and not request.is_document:
            error = ""  # Chromium breaks off an empty body that no script reads
        entry.error = entry.error or error
        if size >= 0 and entry.has_body:
            entry.size = size  # Chromium reports no length, or 0, for what it did not fetch
        self.log.notify_watchers()
        if page.tab:
            page.tab.end_request(request_id)


def _is_download(request: PageRequest) -> bool:
    """Return whether an aborted request for a document has become a download, which Chromium reports next."""
    is_answered = 200 <= request.entry.status < 300 and request.entry.status not in _WITHOUT_CONTENT
    return request.entry.kind == "document" and is_answered and not request.has_arrived


def _is_page_request(event: dict[str, Any]) -> bool:
    """Return whether a request belongs in the log: a page's own, no preflight, extension's or data: URL.

    `event`: parameters of `Network.requestWillBeSent`.
    """
    is_question = "preflight" in (event.get("type", "").lower(), _initiator_type(event))
    is_of_extension = any(url.startswith(EXTENSION) for url in _involved_urls(event))
    return not (is_question or is_of_extension or event["request"]["url"].startswith("data:"))


def _involved_urls(event: dict[str, Any]) -> Iterator[str]:
    """Yield the URLs of a request, its document, its initiator, and its initiator's top stack frame.

    `event`: parameters of `Network.requestWillBeSent`.
    """
    initiator = event.get("initiator", {})
    yield event["request"]["url"]
    yield event.get("documentURL", "")
    yield initiator.get("url", "")
    yield from (frame["url"] for frame in initiator.get("stack", {}).get("callFrames", [])[:1])


def is_favicon_request(kind: str, url: str) -> bool:
    """Return whether Chromium itself makes this request, for the site's icon (`/favicon.ico`).

    `kind`: the request's `Network.ResourceType`.
    """
    return kind == "Other" and urlsplit(url).path == ICON


def _initiator_type(event: dict[str, Any]) -> str:
    """Return the type of what caused a request, such as `script`; "" if unknown.

    `event`: parameters of `Network.requestWillBeSent`.
    """
    return str(event.get("initiator", {}).get("type", ""))


def _is_perhaps_stale(response: dict[str, Any], *, is_from_memory: bool) -> bool:
    """Return whether a response was kept, and the server may have a newer one.

    A service worker keeps what it likes. Chromium guesses how long a response holds where the server has not told: for a tenth
    of its age (heuristic freshness, RFC 9111, 4.2.2). `response`: the protocol's `Network.Response`.
    """
    if response.get("serviceWorkerResponseSource") == "cache-storage":
        return True
    if not (is_from_memory or response.get("fromDiskCache")) or response["status"] == PROXY_UNAUTHORIZED:
        return False  # Chromium says of a proxy's refusal to connect that it was cached
    headers = response["headers"].items()
    return "max-age" not in find_value(headers, "cache-control").lower() and not find_value(headers, "expires")


def _content_length(headers: dict[str, str]) -> int:
    """Return the `Content-Length` among a response's headers, in bytes; -1 without a valid one."""
    length = find_value(headers.items(), "content-length")
    return int(length) if length.isascii() and length.isdigit() else -1


SWITCHED = 101
"""The status of a response that accepts a web socket."""
MOST_ERROR_CHARACTERS = 200


class WebSockets:
    """Logs the web sockets of all pages of a browser.

    `traffic` owns the log, and says why a host has no address.
    """

    def __init__(self, traffic: Traffic, pages: Pages) -> None:
        self._traffic = traffic
        self._pages = pages

    def follow(self, subscriber: Subscriber) -> None:
        """Log the web sockets of targets whose events `subscriber` gets, from now on."""
        kept = self._traffic.exchanges
        subscriber.on_message("Network.webSocketCreated", self._on_created)
        subscriber.on_message(
            "Network.webSocketWillSendHandshakeRequest",
            lambda target, message: kept.keep_request_head(request_id_in(message), message),
        )
        subscriber.on_message("Network.webSocketHandshakeResponseReceived", self._on_response)
        subscriber.on_message(
            "Network.webSocketFrameSent",
            lambda target, message: kept.keep_frame(request_id_in(message), message),
        )
        subscriber.on_message(
            "Network.webSocketFrameReceived",
            lambda target, message: kept.keep_frame(request_id_in(message), message),
        )
        subscriber.on("Network.webSocketFrameError", self._on_failed)
        subscriber.on_message("Network.webSocketClosed", self._on_closed)

    def _on_created(self, target: Target, message: bytes) -> None:
        """Handle `Network.webSocketCreated`: log the web socket."""
        event = decode(message)["params"]
        page = self._pages.find_or_add(target)
        entry = NetworkEntry(time.time(), 0, "GET", redact(safe_url(event["url"])), "websocket")
        page.sockets[event["requestId"]] = entry, time.monotonic()
        self._traffic.exchanges.keep_request(event["requestId"], target, entry, message)
        self._pages.log_entry(page, entry, partial(self._traffic.write, entry))

    def _on_response(self, target: Target, message: bytes) -> None:
        """Handle `Network.webSocketHandshakeResponseReceived`: log a status from 400 on as an error."""
        event = decode(message)["params"]
        self._traffic.exchanges.keep_response(event["requestId"], message)
        response = event["response"]
        if response["status"] >= 400:
            words = quote_unless_short(response["statusText"], MOST_ERROR_CHARACTERS)
            self._note_error(target, event["requestId"], f"{words}: {response['status']}")

    def _on_failed(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Network.webSocketFrameError`: log the error."""
        self._note_error(target, event["requestId"], event["errorMessage"])

    def _note_error(self, target: Target, request_id: str, error: str) -> None:
        """Log the error of an open web socket, unless it has one; or the refusal if a rule forbids its host."""
        page = self._pages.find_or_add(target)
        entry, _ = page.sockets.get(request_id, (None, 0.0))
        if entry is None:
            return
        entry.error = entry.error or one_line(error, MOST_ERROR_CHARACTERS)
        if refusal := self._traffic.unresolved(entry.url):
            entry.error = REFUSED + refusal.why
            self._pages.report_refusal(page, RefusedRequest(entry.url, refusal, is_page=False))

    def _on_closed(self, target: Target, message: bytes) -> None:
        """Handle `Network.webSocketClosed`: complete the web socket's log entry with status and duration."""
        event = decode(message)["params"]
        self._traffic.exchanges.keep_end(event["requestId"], message)
        entry, opened = self._pages.find_or_add(target).sockets.pop(event["requestId"], (None, 0.0))
        if entry:
            entry.status = entry.status or SWITCHED
            entry.milliseconds = round((time.monotonic() - opened) * 1000)
            self._traffic.log.notify_watchers()
