"""One request and its answer, put together from Chromium's messages about them. Pure."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gstack_browse.exchange.headers import Headers, fields, fields_of_text, media_type, value_of
from gstack_browse.exchange.timing import Timing, timing

Told = Mapping[str, Any]

_CACHES = (
    ("fromServiceWorker", "service worker"),
    ("fromDiskCache", "disk cache"),
    ("fromPrefetchCache", "prefetch cache"),
    ("fromEarlyHints", "early hints"),
)
MEMORY = "memory cache"
MOST_FRAMES = 10
"""Calls of a stack that are kept."""


class ScriptCall(NamedTuple):
    """A place in a script. Lines and columns count from 1 (Chromium counts from 0)."""

    function: str
    url: str
    line: int
    column: int


@dataclass(frozen=True)
class Initiator:
    """What made the browser ask: `script`, `parser`, `preload`, `other` … `stack` begins with the innermost call."""

    kind: str = "other"
    url: str = ""
    line: int = 0
    column: int = 0
    stack: tuple[ScriptCall, ...] = ()


@dataclass(frozen=True)
class ExchangeFacts:
    """What is known of a request, and of its answer as far as there is one. Times are seconds; sizes are bytes."""

    method: str
    url: str
    began: float
    """By Chromium's clock, which only goes forward."""
    wall_time: float
    """Since the epoch."""
    initiator: Initiator
    priority: str = ""
    request_headers: Headers = ()
    post: bytes | None = None
    """The body of the request, as far as Chromium told; None: there is none, or it was not told."""
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
    """Where the answer came from, if not from a server: `disk cache`, `memory cache`, `service worker` …"""
    head_bytes: int = -1
    wire_bytes: int = -1
    """Of head and body together, as they came through the network."""
    is_over: bool = False
    timing: Timing | None = None
    """None while the answer is not complete."""
    redirected_to: str = ""


@dataclass(frozen=True)
class Messages:
    """The parameters of Chromium's events about one request; None for what it did not tell, or not yet.

    `response` is a `Network.Response`; `sent` and `received` are the events with the heads as they went through the network.
    """

    asked: Told
    response: Told | None = None
    ended: Told | None = None
    sent: Told | None = None
    received: Told | None = None
    answered_at: float = 0.0
    redirected_to: str = ""
    is_from_memory: bool = False


def facts(told: Messages) -> ExchangeFacts:
    """A request of HTTP, or of a scheme that Chromium treats alike."""
    asked, request = told.asked, told.asked["request"]
    sent = told.sent["headers"] if told.sent else request["headers"]
    known = ExchangeFacts(
        request["method"],
        request["url"] + request.get("urlFragment", ""),
        asked["timestamp"],
        asked.get("wallTime", 0.0),
        _initiator(asked.get("initiator", {})),
        request.get("initialPriority", ""),
        fields(sent),
        _post(request),
        bool(request.get("hasPostData")),
        redirected_to=told.redirected_to,
    )
    if response := told.response or (_by_its_head(told.received) if told.received and told.ended else None):
        known = _with_answer(known, told, response)
    over_at = told.ended["timestamp"] if told.ended else told.answered_at if told.redirected_to else 0.0
    if not over_at:
        return known
    size = round(told.ended["encodedDataLength"]) if told.ended and "encodedDataLength" in told.ended else -1
    if told.redirected_to and told.response:
        size = round(told.response.get("encodedDataLength", -1))
    phases = (told.response or {}).get("timing")
    return replace(known, is_over=True, wire_bytes=size, timing=timing(known.began, phases, over_at))


def web_socket(created: Told, sent: Told | None, answered: Told | None, ended: Told | None) -> ExchangeFacts:
    """A web socket, which begins as a request of HTTP (RFC 6455)."""
    response = answered["response"] if answered else {}
    began = sent["timestamp"] if sent else 0.0
    asked = response.get("requestHeaders") or (sent["request"]["headers"] if sent else {})
    over_at = ended["timestamp"] if ended else 0.0
    return ExchangeFacts(
        "GET",
        created["url"],
        began,
        sent["wallTime"] if sent else 0.0,
        _initiator(created.get("initiator", {})),
        request_headers=fields(asked),
        status=response.get("status", 0),
        status_text=response.get("statusText", ""),
        protocol="websocket",
        response_headers=_received(response.get("headersText", ""), response.get("headers", {})),
        is_over=bool(over_at),
        timing=timing(began, None, over_at) if over_at and began else None,
    )


def _with_answer(known: ExchangeFacts, told: Messages, response: Told) -> ExchangeFacts:
    received = told.received or {}
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
        response_headers=_received(*told_heads),
        media_type=response.get("mimeType", ""),
        charset=response.get("charset", ""),
        cache=MEMORY if told.is_from_memory else cache,
        head_bytes=round(response.get("encodedDataLength", -1)),
    )


def _by_its_head(received: Told) -> Told:
    """An answer of which Chromium reported only head and end, as it does for some scripts of shared workers."""
    kind = value_of(fields(received["headers"]), "content-type")
    return {"status": received["statusCode"], "mimeType": media_type(kind), "headers": received["headers"]}


def _received(text: str, headers: Mapping[str, str]) -> Headers:
    return fields_of_text(text) if text else fields(headers)


def _post(request: Told) -> bytes | None:
    entries: Sequence[Told] = request.get("postDataEntries", ())
    if entries and all("bytes" in entry for entry in entries):
        return b"".join(b64decode(entry["bytes"]) for entry in entries)
    text: str | None = request.get("postData")
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _initiator(told: Told) -> Initiator:
    stack = tuple(_callers(told.get("stack")))[:MOST_FRAMES]
    url, line = told.get("url", ""), told.get("lineNumber", -1) + 1
    column = told.get("columnNumber", -1) + 1
    if stack and not url:
        _, url, line, column = stack[0]
    return Initiator(told.get("type", "other"), url, line, column, stack)


def _callers(stack: Told | None) -> Sequence[ScriptCall]:
    """The calls of a stack, then those that led to its turn."""
    found: list[ScriptCall] = []
    while stack and len(found) < MOST_FRAMES:
        found += (
            ScriptCall(call["functionName"], call["url"], call["lineNumber"] + 1, call["columnNumber"] + 1)
            for call in stack["callFrames"]
        )
        stack = stack.get("parent")
    return found
