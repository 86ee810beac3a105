"""What pages ask the network for, overheard from what Chromium tells the driver, written into the log and into the tabs.

Playwright could tell, too, but a request costs its driver half a millisecond, and it keeps 13 KB of each in the daemon, and
more in the driver, for as long as the page may want to know more of it; nobody here ever does. So of what the pages of
tabs ask for the driver hears only of the main frame's documents, by which it knows that a navigation has failed; and
not even of those where our own `goto` asks for them.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.browser.tabs.pages import Pages
from gstack_browse.browser.tabs.requests import PageRequest
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.logs.entries import NetworkEntry, safe_url
from gstack_browse.logs.ring import Ring
from gstack_browse.text.redact import redact

ASIDES = (
    "Network.requestServedFromCache",
    "Network.requestWillBeSentExtraInfo",
    "Network.responseReceivedExtraInfo",
)
"""Events about a request that tell us nothing."""
FRAMES = ("Network.webSocketFrameReceived", "Network.webSocketFrameSent")
"""What goes through a web socket: the driver would pass on all of it."""
ICON = "/favicon.ico"
"""Where Chromium looks for a site's icon."""
EXTENSION = "chrome-extension://"
_NUMBER = b'"requestId":"'


class Traffic:
    """The requests of all pages of a browser."""

    def __init__(self, log: Ring[NetworkEntry], pages: Pages) -> None:
        self._log = log
        self._pages = pages

    def follow(self, targets: Targets) -> None:
        """Hear of the requests of these, from now on."""
        targets.listen("Network.requestWillBeSent", self._began)
        targets.listen("Network.responseReceived", self._answered)
        targets.listen("Network.loadingFinished", self._finished)
        targets.listen("Network.loadingFailed", self._failed)
        for method in ASIDES:
            targets.sift(method, self._is_of_told)
        for method in FRAMES:
            targets.sift(method, lambda target, message: self.tab_of(target.page) is None)
        targets.left = self._left

    def bind(self, page_id: str, tab: Tab) -> None:
        """That page is in that tab: its requests so far are the tab's, and those to come."""
        for number, request in self._pages.bind(page_id, tab).open.items():
            tab.began(number, request)

    def tab_of(self, page_id: str) -> Tab | None:
        """The tab that a page is in, once that was said."""
        page = self._pages.get(page_id)
        return page.tab if page else None

    def _began(self, target: Target, event: dict[str, Any]) -> bool:
        asked, kind = event["request"], event.get("type", "Other")
        page = self._pages.of(target)
        number = event["requestId"]
        if _is_for_icon(event):
            page.icons.append(number)
            return page.tab is None
        if not _is_of_page(event):
            return page.tab is None
        before = page.open.get(number)
        if redirection := event.get("redirectResponse"):
            self._answered(target, {"requestId": number, "response": redirection})
            self._end(target, event, "")
        entry = NetworkEntry(time.time(), 0, asked["method"], redact(safe_url(asked["url"])), kind.lower())
        frame, loader = event.get("frameId", ""), event.get("loaderId", "")
        is_document = number == loader and frame == target.page
        is_told = page.tab is None or (is_document and not page.tab.own_goto)
        if before:
            is_told = before.is_told
        request = PageRequest(
            entry, event["timestamp"], frame, loader, is_document=is_document, is_told=is_told
        )
        page.open[number] = request
        if is_document:
            page.asked.append(request)
        self._pages.keep(page, entry, partial(self._log.add, entry))
        if page.tab:
            page.tab.began(number, request)
        return is_told

    def _request(self, target: Target, number: str) -> PageRequest | None:
        page = self._pages.get(target.page)
        return page.open.get(number) if page else None

    def _is_told(self, target: Target, request: PageRequest | None) -> bool:
        """Whether the driver is to hear more of a request: it has heard of the beginning."""
        return request.is_told if request else self.tab_of(target.page) is None

    def _is_of_told(self, target: Target, message: bytes) -> bool:
        begin = message.find(_NUMBER) + len(_NUMBER)
        number = message[begin : message.find(b'"', begin)].decode()
        return self._is_told(target, self._request(target, number))

    def _answered(self, target: Target, event: dict[str, Any]) -> bool:
        request = self._request(target, event["requestId"])
        if request:
            response = event["response"]
            request.entry.status = response["status"]
            request.entry.size = _announced(response["headers"])
            request.head = response["encodedDataLength"]
        return self._is_told(target, request)

    def _finished(self, target: Target, event: dict[str, Any]) -> bool:
        request = self._request(target, event["requestId"])
        if request and request.entry.size < 0 and request.entry.has_body:
            request.entry.size = max(round(event["encodedDataLength"] - request.head), 0)
        self._end(target, event, "")
        return self._is_told(target, request)

    def _failed(self, target: Target, event: dict[str, Any]) -> bool:
        request = self._request(target, event["requestId"])
        has_no_body = request is not None and request.entry.status == 204 and not request.is_document
        problem = event.get("errorText") or event.get("blockedReason") or "failed"
        self._end(target, event, "" if has_no_body else problem.removeprefix("net::"))
        return self._is_told(target, request)

    def _left(self, target: Target, frame: str, loader: str) -> None:
        """A frame is at another document: what the last one had asked for is over, though Chromium may not say so."""
        page = self._pages.get(target.page)
        if page is None:
            return
        if frame == target.page and loader:
            self._pages.arrived(page, loader)
        for number, request in list(page.open.items()):
            request.has_arrived = request.has_arrived or (frame == target.page and request.loader == loader)
            is_theirs = frame in (request.frame, target.page) and not request.is_document
            if is_theirs and request.loader != loader:
                del page.open[number]
                request.entry.error = request.entry.error or "ERR_ABORTED"
                if page.tab:
                    page.tab.ended(number)
        if page.tab:
            page.tab.touch()

    def _end(self, target: Target, event: dict[str, Any], error: str) -> None:
        page = self._pages.get(target.page)
        request = page.open.pop(event["requestId"], None) if page else None
        if page and request:
            entry = request.entry
            entry.error = entry.error or error
            entry.milliseconds = max(round((event["timestamp"] - request.began) * 1000), 0)
            if page.tab:
                page.tab.ended(event["requestId"])


def _is_of_page(event: dict[str, Any]) -> bool:
    """Whether a page has made that request of the network: not Chromium before one to another origin, nor an extension."""
    is_question = "preflight" in (event.get("type", "").lower(), _initiator(event))
    is_of_extension = any(url.startswith(EXTENSION) for url in _origins(event))
    return not (is_question or is_of_extension or event["request"]["url"].startswith("data:"))


def _origins(event: dict[str, Any]) -> Iterator[str]:
    """What is asked for, by which document, and from which line of which script."""
    initiator = event.get("initiator", {})
    yield event["request"]["url"]
    yield event.get("documentURL", "")
    yield initiator.get("url", "")
    yield from (frame["url"] for frame in initiator.get("stack", {}).get("callFrames", [])[:1])


def _is_for_icon(event: dict[str, Any]) -> bool:
    """Whether Chromium looks for the icon of a site that has not named one."""
    is_by_browser = event.get("type", "Other") == "Other" and _initiator(event) == "other"
    return is_by_browser and urlsplit(event["request"]["url"]).path == ICON


def _initiator(event: dict[str, Any]) -> str:
    return str(event.get("initiator", {}).get("type", ""))


def _announced(headers: dict[str, str]) -> int:
    """The length of the body as the server announced it, in bytes; -1 when it did not."""
    length = next((value for name, value in headers.items() if name.lower() == "content-length"), "")
    return int(length) if length.isascii() and length.isdigit() else -1
