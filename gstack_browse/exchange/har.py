"""Requests as an HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), which the tools of browsers open. Pure."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gstack_browse.exchange.bodies import without_secrets as without_secrets_in_body
from gstack_browse.exchange.facts import ExchangeFacts
from gstack_browse.exchange.frames import SENT, Frame
from gstack_browse.exchange.headers import Headers, cookies, media_type, value_of, without_secrets
from gstack_browse.exchange.timing import Timing
from gstack_browse.logs.entries import NetworkEntry

UNKNOWN = -1
_OPCODES = {"more": 0, "text": 1, "binary": 2, "close": 8, "ping": 9, "pong": 10}


@dataclass(frozen=True)
class Recorded:
    """A request for the archive. `body` is None where it is not to be in the file; `remark` then says why."""

    entry: NetworkEntry
    known: ExchangeFacts
    frames: Sequence[Frame] = ()
    body: bytes | None = None
    body_bytes: int = UNKNOWN
    """How long the body was once it was unpacked."""
    remark: str = ""


def archive(recorded: Iterable[Recorded], creator: str, browser: str, *, secrets: bool) -> dict[str, Any]:
    """All of it. `creator` and `browser` are versions. `secrets`: with cookies, credentials, and what was sent as a password."""
    everything = list(recorded)
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "gbrowse", "version": creator},
            "browser": {"name": "Chromium", "version": browser},
            "pages": _pages(everything),
            "entries": [_entry(item, secrets=secrets) for item in everything],
        }
    }


def _pages(everything: Sequence[Recorded]) -> list[dict[str, Any]]:
    """A page for each document that a tab has shown."""
    first: dict[int, Recorded] = {}
    for item in everything:
        if item.entry.tab:
            known = first.get(item.entry.document)
            if known is None or (item.entry.kind == "document" and known.entry.kind != "document"):
                first[item.entry.document] = item
    return [
        {
            "startedDateTime": _date(item),
            "id": f"page_{document}",
            "title": item.known.url,
            "pageTimings": {},
        }
        for document, item in first.items()
    ]


def _entry(item: Recorded, *, secrets: bool) -> dict[str, Any]:
    entry, known = item.entry, item.known
    address, _, _ = known.address.rpartition(":")
    optional = {
        "pageref": f"page_{entry.document}" if entry.tab else "",
        "serverIPAddress": address.strip("[]"),
        "connection": known.connection,
        "_priority": known.priority,
        "_fromCache": known.cache,
        "_webSocketMessages": [_message(known, frame) for frame in item.frames]
        if entry.kind == "websocket"
        else [],
        "comment": item.remark,
    }
    return {
        "startedDateTime": _date(item),
        "time": round(known.timing.total, 3) if known.timing else 0,
        "request": _request(known, secrets=secrets),
        "response": _response(item, secrets=secrets),
        "cache": {},
        "timings": _timings(known.timing),
        "_resourceType": entry.kind,
        "_initiator": {
            "type": known.initiator.kind,
            "url": known.initiator.url,
            "lineNumber": known.initiator.line,
        },
        **{name: value for name, value in optional.items() if value},
    }


def _date(item: Recorded) -> str:
    """When the request began, in UTC, to the millisecond (ISO 8601)."""
    moment = datetime.fromtimestamp(item.known.wall_time or item.entry.at, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _request(known: ExchangeFacts, *, secrets: bool) -> dict[str, Any]:
    made = {
        "method": known.method,
        "url": known.url,
        "httpVersion": known.protocol or "unknown",
        "cookies": _cookies(known.request_headers, "cookie", secrets=secrets),
        "headers": _headers(known.request_headers, secrets=secrets),
        "queryString": _pairs(urlsplit(known.url).query),
        "headersSize": UNKNOWN,
        "bodySize": len(known.post) if known.post is not None else UNKNOWN if known.has_post else 0,
    }
    return {**made, "postData": _post(known, secrets=secrets)} if known.has_post else made


def _post(known: ExchangeFacts, *, secrets: bool) -> dict[str, Any]:
    kind = value_of(known.request_headers, "content-type")
    if known.post is None:
        return {"mimeType": kind, "text": "", "comment": "what was sent is not kept"}
    text = known.post.decode("utf-8", "replace")
    shown = text if secrets else without_secrets_in_body(text, media_type(kind))
    return {"mimeType": kind, "text": shown}


def _response(item: Recorded, *, secrets: bool) -> dict[str, Any]:
    known = item.known
    body_bytes = (
        known.wire_bytes - known.head_bytes if min(known.wire_bytes, known.head_bytes) >= 0 else UNKNOWN
    )
    optional = {"_error": item.entry.error, "_transferSize": max(known.wire_bytes, 0) or None}
    return {
        "status": known.status,
        "statusText": known.status_text,
        "httpVersion": known.protocol or "unknown",
        "cookies": _cookies(known.response_headers, "set-cookie", secrets=secrets),
        "headers": _headers(known.response_headers, secrets=secrets),
        "content": _content(item),
        "redirectURL": value_of(known.response_headers, "location"),
        "headersSize": known.head_bytes if not known.cache else UNKNOWN,
        "bodySize": 0 if known.cache else max(body_bytes, UNKNOWN),
        **{name: value for name, value in optional.items() if value},
    }


def _content(item: Recorded) -> dict[str, Any]:
    told = item.body_bytes if item.body_bytes > 0 else item.entry.size
    size = len(item.body) if item.body is not None else told if item.entry.has_body else 0
    content = {"size": size, "mimeType": item.known.media_type or "x-unknown"}
    if item.body is None:
        return content
    try:
        return {**content, "text": item.body.decode("utf-8")}
    except UnicodeDecodeError:
        return {**content, "text": b64encode(item.body).decode(), "encoding": "base64"}


def _headers(headers: Headers, *, secrets: bool) -> list[dict[str, str]]:
    shown = headers if secrets else without_secrets(headers)
    return [{"name": name, "value": value} for name, value in shown]


def _cookies(headers: Headers, name: str, *, secrets: bool) -> list[dict[str, Any]]:
    found = []
    for key, value, attributes in cookies(headers, name):
        cookie: dict[str, Any] = {"name": key, "value": value if secrets else "[redacted]"}
        cookie |= {field: attributes[field] for field in ("path", "domain") if attributes.get(field)}
        if name == "set-cookie":
            cookie |= {"httpOnly": "httponly" in attributes, "secure": "secure" in attributes}
        found.append(cookie)
    return found


def _pairs(query: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in parse_qsl(query, keep_blank_values=True)]


def _timings(phases: Timing | None) -> dict[str, float]:
    """As the format has them: `connect` contains `ssl`, and what there was not is -1."""
    if phases is None:
        return {"send": 0, "wait": 0, "receive": 0}
    connect = None if phases.connect is None else phases.connect + (phases.tls or 0.0)
    told = {"blocked": phases.queue, "dns": phases.dns, "connect": connect, "ssl": phases.tls}
    timings: dict[str, float] = {
        name: UNKNOWN if part is None else round(part, 3) for name, part in told.items()
    }
    for name, part in (("send", phases.send), ("wait", phases.first_byte), ("receive", phases.download)):
        timings[name] = round(part or 0.0, 3)
    return timings


def _message(known: ExchangeFacts, frame: Frame) -> dict[str, Any]:
    """A frame, as Chromium's own tools write it."""
    return {
        "type": "send" if frame.way == SENT else "receive",
        "time": round(known.wall_time + frame.at - known.began, 6),
        "opcode": _OPCODES.get(frame.kind, 1),
        "data": frame.data,
    }
