"""Reads the bodies of event streams that pages open by `fetch`, as they arrive.

Chromium reports no events for these. Most pages stream like this rather than by an `EventSource`. They end a stream by aborting it,
after which its body is gone.
"""

import asyncio
import codecs
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.browser.cdp.subscriber import Subscriber
from gstack_browse.browser.cdp.target_events import request_id_in
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.tabs.exchanges import Exchanges
from gstack_browse.text.json_bytes import decode, encode

EVENT_STREAM = "text/event-stream"
_DATA = "Network.dataReceived"
MOST_UNREAD = 1_000_000
"""Limit for an unfinished event, in characters."""


@dataclass
class _Stream:
    unread: str = ""
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )


class EventStreams:
    """The streams of a session that are open. Their events are kept as frames of their requests."""

    def __init__(self, exchanges: Exchanges) -> None:
        self._exchanges = exchanges
        self._open: dict[str, _Stream] = {}
        self._heard: Subscriber | None = None

    def follow(self, heard: Subscriber) -> None:
        """Read the event streams of a subscriber's pages."""
        self._heard = heard
        self._listen()

    def begin(self, target: Target, number: str, at: float) -> None:
        """Start reading a response that is an event stream. `at`: its start by Chromium's clock."""
        if number in self._open:
            return
        self._open[number] = _Stream()
        self._listen()
        asked = target.session.send("Network.streamResourceContent", {"requestId": number})
        asked.add_done_callback(lambda answer: self._began(number, at, answer))

    def end(self, number: str) -> None:
        """Stop reading the event stream of a request, if it is one."""
        if self._open.pop(number, None) and not self._open and self._heard:
            self._heard.readers.pop(_DATA, None)

    def _listen(self) -> None:
        if self._open and self._heard:
            self._heard.on_message(_DATA, self._came)

    def _began(self, number: str, at: float, answer: "asyncio.Future[dict[str, Any]]") -> None:
        if answer.cancelled() or answer.exception():
            self.end(number)  # it has ended already, or Chromium cannot stream it
        else:
            self._read(number, at, answer.result()["bufferedData"])

    def _came(self, target: Target, message: bytes) -> None:
        number = request_id_in(message)
        if number in self._open:
            told = decode(message)["params"]
            self._read(number, told["timestamp"], told.get("data", ""))

    def _read(self, number: str, at: float, data: str) -> None:
        stream = self._open.get(number)
        if stream is None or not data:
            return
        from gstack_browse.exchange.frames import split_events  # imported late: no start needs it

        events, stream.unread = split_events(stream.unread + stream.decoder.decode(b64decode(data)))
        stream.unread = stream.unread[-MOST_UNREAD:]
        for kind, text in events:
            told = {"requestId": number, "timestamp": at, "eventName": kind, "data": text}
            event = {"method": "Network.eventSourceMessageReceived", "params": told}
            self._exchanges.frame(number, encode(event))
