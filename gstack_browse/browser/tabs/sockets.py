"""Logs the web sockets of pages and their workers as requests. No command waits for them."""

import time
from functools import partial
from typing import Any

from gstack_browse.browser.cdp.subscriber import Subscriber
from gstack_browse.browser.cdp.target_events import request_id_in
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.tabs.pages import Pages
from gstack_browse.browser.tabs.requests import RefusedRequest
from gstack_browse.browser.tabs.traffic import Traffic
from gstack_browse.logs.entries import REFUSED, NetworkEntry, safe_url
from gstack_browse.text.json_bytes import decode
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

SWITCHED = 101
"""The status of a response that accepts a web socket."""
MOST_ERROR_CHARACTERS = 200


class WebSockets:
    """The web sockets of all pages of a browser.

    `traffic` owns the log, and says why a host has no address.
    """

    def __init__(self, traffic: Traffic, pages: Pages) -> None:
        self._traffic = traffic
        self._pages = pages

    def follow(self, subscriber: Subscriber) -> None:
        """Log the web sockets of targets, from now on."""
        kept = self._traffic.exchanges
        subscriber.on_message("Network.webSocketCreated", self._created)
        subscriber.on_message(
            "Network.webSocketWillSendHandshakeRequest",
            lambda target, told: kept.sent(request_id_in(told), told),
        )
        subscriber.on_message("Network.webSocketHandshakeResponseReceived", self._answered)
        subscriber.on_message(
            "Network.webSocketFrameSent", lambda target, told: kept.frame(request_id_in(told), told)
        )
        subscriber.on_message(
            "Network.webSocketFrameReceived", lambda target, told: kept.frame(request_id_in(told), told)
        )
        subscriber.on("Network.webSocketFrameError", self._failed)
        subscriber.on_message("Network.webSocketClosed", self._closed)

    def _created(self, target: Target, message: bytes) -> None:
        event = decode(message)["params"]
        page = self._pages.of(target)
        entry = NetworkEntry(time.time(), 0, "GET", redact(safe_url(event["url"])), "websocket")
        page.sockets[event["requestId"]] = entry, time.monotonic()
        self._traffic.exchanges.began(event["requestId"], target, entry, message)
        self._pages.keep(page, entry, partial(self._traffic.write, entry))

    def _answered(self, target: Target, message: bytes) -> None:
        event = decode(message)["params"]
        self._traffic.exchanges.answered(event["requestId"], message)
        response = event["response"]
        if response["status"] >= 400:
            self._note_error(target, event["requestId"], f"{response['statusText']}: {response['status']}")

    def _failed(self, target: Target, event: dict[str, Any]) -> None:
        self._note_error(target, event["requestId"], event["errorMessage"])

    def _note_error(self, target: Target, number: str, error: str) -> None:
        page = self._pages.of(target)
        entry, _ = page.sockets.get(number, (None, 0.0))
        if entry is None:
            return
        entry.error = entry.error or one_line(error, MOST_ERROR_CHARACTERS)
        if refusal := self._traffic.unresolved(entry.url):
            entry.error = REFUSED + refusal.why
            self._pages.refuse(page, RefusedRequest(entry.url, refusal, is_page=False))

    def _closed(self, target: Target, message: bytes) -> None:
        event = decode(message)["params"]
        self._traffic.exchanges.ended(event["requestId"], message)
        entry, opened = self._pages.of(target).sockets.pop(event["requestId"], (None, 0.0))
        if entry:
            entry.status = entry.status or SWITCHED
            entry.milliseconds = round((time.monotonic() - opened) * 1000)
            self._traffic.log.notify_watchers()
