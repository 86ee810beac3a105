"""Keep Chromium's undecoded events about the last requests, for a later command that asks for them.

Most requests are never asked about. Keeping a message costs a microsecond, parsing it twenty.
"""

import asyncio
import codecs
from base64 import b64decode
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.browser.cdp.target_events import request_id_in
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.network.logs import NetworkEntry
from gstack_browse.text.json_bytes import decode, encode

MOST_BYTES = 8_000_000
"""Limit for the messages of all requests of a browser. A news page with 200 requests has 1 MB."""
MOST_MESSAGE_BYTES = 1_000_000
"""A longer message is not kept: one with a whole upload in it."""
MOST_FRAMES = 200
MOST_FRAME_BYTES = 1_000_000
"""Limit for the kept frames of a web socket, or events of an event stream: the last ones."""
MOST_PAYLOAD = 50_000
"""Limit for the payload of one of them, in characters; the rest is cut off."""


@dataclass(slots=True, eq=False)
class Step:
    """A request with its response, as Chromium's messages; b"" for one that has not arrived."""

    entry: NetworkEntry
    request: bytes
    response: bytes = b""
    """Also empty for a redirect, whose response is in the next step's request."""
    ended: bytes = b""


@dataclass(slots=True, eq=False)
class Chain:
    """A request with those that it was redirected to, which have one id in the protocol."""

    id: str
    target: Target | None = None
    """The target that made the request."""
    steps: list[Step] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    """Raw heads of the requests that were sent to a server."""
    received: list[bytes] = field(default_factory=list)
    """Raw heads of the responses."""
    frames: deque[bytes] = field(default_factory=deque)
    """The last frames of a web socket, or events of an event stream."""
    frame_count: int = 0
    """Number of all frames or events."""
    frame_bytes: int = 0
    body_bytes: int = -1
    """Bytes of the decompressed body if counted (see `Traffic.measure_bodies`), else -1."""
    is_from_memory: bool = False
    """Whether the page had the response in memory."""
    size: int = 0
    """Bytes of all messages."""


class Exchanges:
    """Stores Chromium's undecoded events (`message`) about the last requests, by request id."""

    def __init__(self) -> None:
        self.most_bytes = MOST_BYTES
        self.most_frames = MOST_FRAMES
        self.dropped = 0
        """Number of dropped requests since this was last reset."""
        self._chains: dict[str, Chain] = {}
        self._size = 0

    def __iter__(self) -> Iterator[tuple[Chain, int]]:
        """Yield every step with its chain."""
        for chain in list(self._chains.values()):
            for index in range(len(chain.steps)):
                yield chain, index

    def find(self, number: int) -> tuple[Chain, int] | None:
        """Return the redirect chain with the request of this log number, and its index there; None if dropped."""
        for chain in reversed(self._chains.values()):
            for index, step in enumerate(chain.steps):
                if step.entry.number == number:
                    return chain, index
        return None

    def keep_request(self, request_id: str, target: Target, entry: NetworkEntry, message: bytes) -> None:
        """Keep the event with which a request, a redirect or a web socket begins.

        It is `Network.requestWillBeSent` or `Network.webSocketCreated`. `entry`: the request in the log.
        """
        chain = self._find_or_make_chain(request_id)
        chain.target = target
        if len(message) > MOST_MESSAGE_BYTES:
            return
        chain.steps.append(Step(entry, message))
        self._add_size(chain, len(message))

    def keep_response(self, request_id: str, message: bytes) -> None:
        """Keep the event with a response: `Network.responseReceived`, or a web socket's handshake response."""
        if (step := self._last_step(request_id)) and not step.response:
            step.response = message
            self._add_size(self._chains[request_id], len(message))

    def keep_end(self, request_id: str, message: bytes) -> None:
        """Keep the event with which a request ends, such as `Network.loadingFinished` or `loadingFailed`."""
        if (step := self._last_step(request_id)) and not step.ended:
            step.ended = message
            self._add_size(self._chains[request_id], len(message))

    def note_served_from_memory(self, request_id: str) -> None:
        """Note that a kept request's response came from the page's memory cache."""
        if chain := self._chains.get(request_id):  # requests of `data:` URLs are not kept
            chain.is_from_memory = True

    def is_from_memory(self, request_id: str) -> bool:
        """Return whether a kept request's response came from the page's memory cache."""
        chain = self._chains.get(request_id)
        return chain is not None and chain.is_from_memory

    def keep_request_head(self, request_id: str, message: bytes) -> None:
        """Keep the event of the sent headers (`requestWillBeSentExtraInfo`), even if before `keep_request`."""
        chain = self._find_or_make_chain(request_id)
        self._append_message(chain, chain.sent, message)

    def keep_response_head(self, request_id: str, message: bytes) -> None:
        """Keep the event with the headers as received (`Network.responseReceivedExtraInfo`)."""
        chain = self._find_or_make_chain(request_id)
        self._append_message(chain, chain.received, message)

    def last_response_head(self, request_id: str) -> bytes:
        """Return the event with the raw headers of a request's last response; b"" if Chromium sent none."""
        chain = self._chains.get(request_id)
        return chain.received[-1] if chain and chain.received else b""

    def keep_frame(self, request_id: str, message: bytes) -> None:
        """Keep an event about a web socket's frame, or about a message of an event stream; only the last ones."""
        chain = self._chains.pop(request_id, None)
        if chain is None:
            return
        self._chains[request_id] = chain  # moved to the end, so that it is dropped last: it is still open
        chain.frame_count += 1
        if len(message) > MOST_PAYLOAD:
            message = _truncate_payload(message)
        chain.frames.append(message)
        gone = 0
        chain.frame_bytes += len(message)
        while len(chain.frames) > self.most_frames or chain.frame_bytes - gone > MOST_FRAME_BYTES:
            gone += len(chain.frames.popleft())
        chain.frame_bytes -= gone
        self._add_size(chain, len(message) - gone)

    def count_body_bytes(self, request_id: str, count: int) -> None:
        """Add `count` bytes to the counted length of a response's decompressed body."""
        if chain := self._chains.get(request_id):
            chain.body_bytes = max(chain.body_bytes, 0) + count

    def shrink(self) -> None:
        """Drop the oldest requests while all events together exceed `most_bytes`."""
        while self._size > self.most_bytes and len(self._chains) > 1:
            self._drop_chain(next(iter(self._chains)))

    def forget(self, numbers: set[int]) -> None:
        """Drop all events about the requests with these log numbers, and about their redirects."""
        for request_id, chain in list(self._chains.items()):
            if any(step.entry.number in numbers for step in chain.steps):
                self._drop_chain(request_id)

    def _find_or_make_chain(self, request_id: str) -> Chain:
        """Return the redirect chain of a request (it and its redirects); make it if missing."""
        chain = self._chains.get(request_id)
        if chain is None:
            chain = self._chains[request_id] = Chain(request_id)
        return chain

    def _last_step(self, request_id: str) -> Step | None:
        """Return the last step of a request's redirect chain; None if nothing of it is kept."""
        chain = self._chains.get(request_id)
        return chain.steps[-1] if chain and chain.steps else None

    def _append_message(self, chain: Chain, messages: list[bytes], message: bytes) -> None:
        """Append an event to `messages`, one of the chain's lists, and count its size."""
        messages.append(message)
        self._add_size(chain, len(message))

    def _add_size(self, chain: Chain, size: int) -> None:
        """Count `size` more bytes for a chain. Above the limit drop the oldest chains, but not this one."""
        chain.size += size
        self._size += size
        while self._size > self.most_bytes and len(self._chains) > 1:
            oldest = next(iter(self._chains))
            if oldest == chain.id:
                self._chains[oldest] = self._chains.pop(oldest)
            else:
                self._drop_chain(oldest)
                self.dropped += 1

    def _drop_chain(self, request_id: str) -> None:
        """Drop a request's redirect chain with all its events."""
        self._size -= self._chains.pop(request_id).size


def _truncate_payload(message: bytes) -> bytes:
    """Cut the payload in an event of a web socket or event stream to MOST_PAYLOAD characters.

    Add its full length to the event's parameters, as `characters`.
    """
    event = decode(message)
    holder = event["params"].get("response", event["params"])
    name = "payloadData" if "payloadData" in holder else "data"
    carried = holder.get(name, "")
    holder[name], event["params"]["characters"] = carried[:MOST_PAYLOAD], len(carried)
    return encode(event)


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
    """Reads event streams (`text/event-stream`) and keeps their events as frames of the requests."""

    def __init__(self, exchanges: Exchanges) -> None:
        self._exchanges = exchanges
        self._open: dict[str, _Stream] = {}
        self._subscriber: Subscriber | None = None

    def follow(self, subscriber: Subscriber) -> None:
        """Read the event streams of pages whose events `subscriber` gets, from now on."""
        self._subscriber = subscriber
        self._update_listener()

    def begin(self, target: Target, request_id: str, at: float) -> None:
        """Start to read a response that is an event stream. `at`: its time stamp by Chromium's clock."""
        if request_id in self._open:
            return
        self._open[request_id] = _Stream()
        self._update_listener()
        reply = target.session.send("Network.streamResourceContent", {"requestId": request_id})
        reply.add_done_callback(lambda answer: self._on_streaming_begun(request_id, at, answer))

    def end(self, request_id: str) -> None:
        """Stop reading the event stream of a request, if it is one."""
        if self._open.pop(request_id, None) and not self._open and self._subscriber:
            self._subscriber.readers.pop(_DATA, None)

    def _update_listener(self) -> None:
        """Subscribe to `Network.dataReceived` if an event stream is open."""
        if self._open and self._subscriber:
            self._subscriber.on_message(_DATA, self._on_data_received)

    def _on_streaming_begun(self, request_id: str, at: float, answer: "asyncio.Future[dict[str, Any]]") -> None:
        """Record the part of an event stream that Chromium had received before it was asked to report it.

        `answer`: that of `Network.streamResourceContent`. `at`: the response's time stamp.
        """
        if answer.cancelled() or answer.exception():
            self.end(request_id)  # it has ended already, or Chromium cannot stream it
        else:
            self._record_events(request_id, at, answer.result()["bufferedData"])

    def _on_data_received(self, target: Target, message: bytes) -> None:
        """Handle `Network.dataReceived`: record the server-sent events in a piece of an open event stream."""
        request_id = request_id_in(message)
        if request_id in self._open:
            params = decode(message)["params"]
            self._record_events(request_id, params["timestamp"], params.get("data", ""))

    def _record_events(self, request_id: str, at: float, data: str) -> None:
        """Record the server-sent events that a received piece of a response completes.

        `at`: timestamp of the piece. `data`: the piece, in Base64.
        Chromium reports events of `EventSource` itself, but not those that scripts read with `fetch`.
        """
        stream = self._open.get(request_id)
        if stream is None or not data:
            return
        from gstack_browse.network.exchange.content import (
            split_events,  # imported late: no start needs it
        )

        events, stream.unread = split_events(stream.unread + stream.decoder.decode(b64decode(data)))
        stream.unread = stream.unread[-MOST_UNREAD:]
        for kind, text in events:
            params = {"requestId": request_id, "timestamp": at, "eventName": kind, "data": text}
            event = {"method": "Network.eventSourceMessageReceived", "params": params}
            self._exchanges.keep_frame(request_id, encode(event))
