"""Combine Chromium's messages about a request and its response into one value. Pure."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from gstack_browse.network.exchange.headers import Headers, find_value, parse_head, parse_media_type, to_headers
from gstack_browse.network.logs import Position, walk_calls

Event = Mapping[str, Any]
"""Parameters of an event of Chromium's `Network` domain, or an object in them."""


class Timing(NamedTuple):
    """Milliseconds of each phase, which add up to `total`; None for a missing phase.

    `queue`: the browser waited or was busy itself (its turn, a free connection, a proxy).
    """

    queue: float
    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    send: float | None = None
    first_byte: float | None = None
    download: float | None = None

    @property
    def total(self) -> float:
        """Return the sum of all phases, in milliseconds."""
        return sum(part or 0.0 for part in self)

    def render(self) -> str:
        """Render the total and all phases as text, in milliseconds."""
        names = ("queue", "DNS", "connect", "TLS", "send", "first byte", "download")
        parts = (f"{name} {part:.1f}" for name, part in zip(names, self, strict=True) if part is not None)
        return f"{self.total:.1f} ms: {', '.join(parts)}"


def compute_timing(began: float, resource: Event | None, ended: float) -> Timing:
    """Compute how long each phase of a request took. `began`, `ended`: seconds of Chromium's clock.

    `resource` is Chromium's `Network.ResourceTiming`, None for responses from memory. It is measured in several processes, so
    phases may overlap: nothing is counted twice.
    """
    whole = max(ended - began, 0.0) * 1000
    if not resource:
        return Timing(whole)
    offset = (resource["requestTime"] - began) * 1000
    counted = 0.0

    def count(start: float, end: float) -> float:
        """Return the milliseconds from `start` to `end`, within the request, that no earlier phase has."""
        nonlocal counted
        start = min(max(start, counted), whole)
        counted = min(max(end, start), whole)
        return counted - start

    def phase(start: str, end: str) -> float | None:
        if resource.get(start, -1) < 0 or resource.get(end, -1) < 0:
            return None
        return count(offset + resource[start], offset + resource[end])

    dns = phase("dnsStart", "dnsEnd")
    has_tls = resource.get("sslStart", -1) >= 0
    connect = phase("connectStart", "sslStart" if has_tls else "connectEnd")
    tls = phase("sslStart", "sslEnd")
    send = phase("sendStart", "sendEnd")
    first = "receiveHeadersStart" if resource.get("receiveHeadersStart", -1) > 0 else "receiveHeadersEnd"
    first_byte = phase("sendEnd", first)
    download = count(offset + resource[first], whole) if resource.get(first, -1) >= 0 else None
    spent = sum(part or 0.0 for part in (dns, connect, tls, send, first_byte, download))
    return Timing(max(whole - spent, 0.0), dns, connect, tls, send, first_byte, download)


_CACHES = (
    ("fromServiceWorker", "service worker"),
    ("fromDiskCache", "disk cache"),
    ("fromPrefetchCache", "prefetch cache"),
    ("fromEarlyHints", "early hints"),
)
MEMORY = "memory cache"
MOST_FRAMES = 10
"""Limit of a stack's calls."""


@dataclass(frozen=True)
class Initiator:
    """The cause of a request: `script`, `parser`, `preload`, `other` … `stack`: innermost call first."""

    kind: str = "other"
    url: str = ""
    line: int = 0
    column: int = 0
    stack: tuple[Position, ...] = ()


@dataclass(frozen=True)
class ExchangeFacts:
    """The facts of a request, and of its response if there is one. Times in seconds, sizes in bytes."""

    method: str
    url: str
    began: float
    """Chromium's monotonic clock."""
    wall_time: float
    """Seconds since 1970."""
    initiator: Initiator
    priority: str = ""
    request_headers: Headers = ()
    post: bytes | None = None
    """The request's body as far as Chromium reported it; None without one, or if unreported."""
    has_post: bool = False
    status: int = 0
    status_text: str = ""
    protocol: str = ""
    address: str = ""
    """IP address and port of the server."""
    connection: str = ""
    response_headers: Headers = ()
    media_type: str = ""
    charset: str = ""
    cache: str = ""
    """The source of the response, unless a server: `disk cache`, `memory cache`, `service worker` …"""
    head_bytes: int = -1
    wire_bytes: int = -1
    """Size of head and body as transferred; -1 if unknown."""
    is_over: bool = False
    timing: Timing | None = None
    """None until the response is complete."""
    redirected_to: str = ""


@dataclass(frozen=True)
class ExchangeMessages:
    """The parameters of Chromium's events about one request; None for those missing or yet to come.

    `response` is a `Network.Response`; `sent` and `received` are the ExtraInfo events, with the headers as transferred.
    """

    request: Event
    response: Event | None = None
    ended: Event | None = None
    sent: Event | None = None
    received: Event | None = None
    answered_at: float = 0.0
    redirected_to: str = ""
    is_from_memory: bool = False


def build_facts(messages: ExchangeMessages) -> ExchangeFacts:
    """Combine Chromium's messages about a request (HTTP, or a scheme such as data:) into its facts."""
    event, request = messages.request, messages.request["request"]
    sent = messages.sent["headers"] if messages.sent else request["headers"]
    known = ExchangeFacts(
        request["method"],
        request["url"] + request.get("urlFragment", ""),
        event["timestamp"],
        event.get("wallTime", 0.0),
        _parse_initiator(event.get("initiator", {})),
        request.get("initialPriority", ""),
        to_headers(sent),
        _decode_post(request),
        bool(request.get("hasPostData")),
        redirected_to=messages.redirected_to,
    )
    ended = messages.ended or {}
    response = messages.response
    if not response and messages.received and messages.ended:
        # for some scripts of workers Chromium reports nothing but the head
        head = messages.received["headers"]
        kind = parse_media_type(find_value(to_headers(head), "content-type"))
        response = {"status": messages.received["statusCode"], "mimeType": kind, "headers": head}
    if response:
        known = _add_response(known, messages, response)
    over_at = ended.get("timestamp") or (messages.answered_at if messages.redirected_to else 0.0)
    if not over_at:
        return known
    sized = messages.response if messages.redirected_to and messages.response else ended
    size = round(sized.get("encodedDataLength", -1))
    phases = (messages.response or {}).get("timing")
    return replace(known, is_over=True, wire_bytes=size, timing=compute_timing(known.began, phases, over_at))


def build_web_socket_facts(
    created: Event, sent: Event | None, answered: Event | None, ended: Event | None
) -> ExchangeFacts:
    """Combine Chromium's events about a web socket's HTTP request (RFC 6455) into its facts.

    They are webSocketCreated, …WillSendHandshakeRequest, …HandshakeResponseReceived and …Closed; None if yet to come.
    """
    response = answered["response"] if answered else {}
    began = sent["timestamp"] if sent else 0.0
    request_headers = response.get("requestHeaders") or (sent["request"]["headers"] if sent else {})
    over_at = ended["timestamp"] if ended else 0.0
    return ExchangeFacts(
        "GET",
        created["url"],
        began,
        sent["wallTime"] if sent else 0.0,
        _parse_initiator(created.get("initiator", {})),
        request_headers=to_headers(request_headers),
        status=response.get("status", 0),
        status_text=response.get("statusText", ""),
        protocol="websocket",
        response_headers=_parse_response_headers(response.get("headersText", ""), response.get("headers", {})),
        is_over=bool(over_at),
        timing=compute_timing(began, None, over_at) if over_at and began else None,
    )


def _add_response(known: ExchangeFacts, messages: ExchangeMessages, response: Event) -> ExchangeFacts:
    """Return a request's facts (`known`) with those of its response added (Chromium's `Network.Response`)."""
    received = messages.received or {}
    cache = next((name for key, name in _CACHES if response.get(key)), "")
    address, port = response.get("remoteIPAddress", ""), response.get("remotePort", 0)
    told_heads = received.get("headersText", ""), received.get("headers") or response.get("headers", {})
    return replace(
        known,
        status=received.get("statusCode", response["status"]) if not cache else response["status"],
        status_text=response.get("statusText", ""),
        protocol=response.get("protocol", ""),
        address=f"{address}:{port}" if address else "",
        connection=str(response.get("connectionId", "")),
        response_headers=_parse_response_headers(*told_heads),
        media_type=response.get("mimeType", ""),
        charset=response.get("charset", ""),
        cache=MEMORY if messages.is_from_memory else cache,
        head_bytes=round(response.get("encodedDataLength", -1)),
    )


def _parse_response_headers(text: str, headers: Mapping[str, str]) -> Headers:
    """Return a response's headers from its head as transferred (`text`).

    If that is "", from Chromium's mapping.
    """
    return parse_head(text) if text else to_headers(headers)


def _decode_post(request: Event) -> bytes | None:
    """Return the body in a `Network.Request`; None if it has none, or Chromium did not report all of it."""
    entries: Sequence[Event] = request.get("postDataEntries", ())
    if entries and all("bytes" in entry for entry in entries):
        return b"".join(b64decode(entry["bytes"]) for entry in entries)
    text: str | None = request.get("postData")
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _parse_initiator(initiator: Event) -> Initiator:
    """Convert Chromium's `Network.Initiator`: what caused a request, and where (from 1, 0 for unknown)."""
    stack = tuple(islice(walk_calls(initiator.get("stack")), MOST_FRAMES))
    url, line = initiator.get("url", ""), initiator.get("lineNumber", -1) + 1
    column = initiator.get("columnNumber", -1) + 1
    if stack and not url:
        url, line, column = stack[0].url, stack[0].line, stack[0].column
    return Initiator(initiator.get("type", "other"), url, line, column, stack)
