"""Render exchanges as an HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Pure."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gstack_browse.network.exchange.content import OPCODES, SENT, Frame, hide_body_secrets, mask_headers
from gstack_browse.network.exchange.facts import ExchangeFacts, Timing
from gstack_browse.network.exchange.headers import Headers, find_value, parse_cookies, parse_media_type
from gstack_browse.network.logs import NetworkEntry

UNKNOWN = -1
_OPCODES = {kind: number for number, kind in OPCODES.items()}


@dataclass(frozen=True)
class RecordedExchange:
    """An exchange for the archive. `body` None: left out; `remark` then says why."""

    entry: NetworkEntry
    known: ExchangeFacts
    frames: Sequence[Frame] = ()
    body: bytes | None = None
    body_bytes: int = UNKNOWN
    """Length of the unpacked body; -1 if unknown."""
    remark: str = ""


def build_har(
    recorded: Iterable[RecordedExchange], creator: str, browser: str, *, secrets: bool
) -> dict[str, Any]:
    """Build an HTTP Archive of exchanges. `creator`: gbrowse's version. `browser`: Chromium's.

    `secrets`: whether to include cookies, credentials and passwords.
    """
    everything = list(recorded)
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "gbrowse", "version": creator},
            "browser": {"name": "Chromium", "version": browser},
            "pages": _build_pages(everything),
            "entries": [_build_entry(item, secrets=secrets) for item in everything],
        }
    }


def _build_pages(everything: Sequence[RecordedExchange]) -> list[dict[str, Any]]:
    """Return the archive's `pages`: one for each document that a tab has shown."""
    first: dict[int, RecordedExchange] = {}
    for item in everything:
        if item.entry.tab:
            known = first.setdefault(item.entry.document, item)
            if item.entry.kind == "document" and known.entry.kind != "document":
                first[item.entry.document] = item
    return [
        {
            "startedDateTime": _format_start(item),
            "id": f"page_{document}",
            "title": item.known.url,
            "pageTimings": {},
        }
        for document, item in first.items()
    ]


def _build_entry(item: RecordedExchange, *, secrets: bool) -> dict[str, Any]:
    """Return an exchange as an entry of the archive. `secrets`: see `build_har`.

    Names that begin with `_` are Chrome's additions to HAR.
    """
    entry, known = item.entry, item.known
    address, _, _ = known.address.rpartition(":")
    optional = {
        "pageref": f"page_{entry.document}" if entry.tab else "",
        "serverIPAddress": address.strip("[]"),
        "connection": known.connection,
        "_priority": known.priority,
        "_fromCache": known.cache,
        "_webSocketMessages": [_build_frame(known, frame) for frame in item.frames]
        if entry.kind == "websocket"
        else [],
        "comment": item.remark,
    }
    return {
        "startedDateTime": _format_start(item),
        "time": round(known.timing.total, 3) if known.timing else 0,
        "request": _build_request(known, secrets=secrets),
        "response": _build_response(item, secrets=secrets),
        "cache": {},
        "timings": _build_timings(known.timing),
        "_resourceType": entry.kind,
        "_initiator": {
            "type": known.initiator.kind,
            "url": known.initiator.url,
            "lineNumber": known.initiator.line,
        },
        **{name: value for name, value in optional.items() if value},
    }


def _format_start(item: RecordedExchange) -> str:
    """Return when the request began, as text: UTC to the millisecond (ISO 8601)."""
    moment = datetime.fromtimestamp(item.known.wall_time or item.entry.at, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _build_request(known: ExchangeFacts, *, secrets: bool) -> dict[str, Any]:
    """Return the field `request` of an archive's entry."""
    made = {
        "method": known.method,
        "url": known.url,
        "httpVersion": known.protocol or "unknown",
        "cookies": _build_cookies(known.request_headers, "cookie", secrets=secrets),
        "headers": _build_headers(known.request_headers, secrets=secrets),
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(urlsplit(known.url).query, keep_blank_values=True)
        ],
        "headersSize": UNKNOWN,
        "bodySize": len(known.post) if known.post is not None else UNKNOWN if known.has_post else 0,
    }
    return {**made, "postData": _build_post_data(known, secrets=secrets)} if known.has_post else made


def _build_post_data(known: ExchangeFacts, *, secrets: bool) -> dict[str, Any]:
    """Return the field `postData` of a HAR entry's request: media type and body, with secrets masked.

    `secrets`: leave them unmasked. Empty text and a comment if the body was not kept. Called only for requests that have one.
    """
    kind = find_value(known.request_headers, "content-type")
    if known.post is None:
        return {"mimeType": kind, "text": "", "comment": "what was sent is not kept"}
    text = known.post.decode("utf-8", "replace")
    shown = text if secrets else hide_body_secrets(text, parse_media_type(kind))
    return {"mimeType": kind, "text": shown}


def _build_response(item: RecordedExchange, *, secrets: bool) -> dict[str, Any]:
    """Return the field `response` of an archive's entry."""
    known = item.known
    is_measured = min(known.wire_bytes, known.head_bytes) >= 0 and not _is_redirect(item)
    body_bytes = known.wire_bytes - known.head_bytes if is_measured else UNKNOWN
    optional = {"_error": item.entry.error, "_transferSize": max(known.wire_bytes, 0) or None}
    return {
        "status": known.status,
        "statusText": known.status_text,
        "httpVersion": known.protocol or "unknown",
        "cookies": _build_cookies(known.response_headers, "set-cookie", secrets=secrets),
        "headers": _build_headers(known.response_headers, secrets=secrets),
        "content": _build_content(item),
        "redirectURL": find_value(known.response_headers, "location"),
        "headersSize": known.head_bytes if not known.cache else UNKNOWN,
        "bodySize": 0 if known.cache else max(body_bytes, UNKNOWN),
        **{name: value for name, value in optional.items() if value},
    }


def _is_redirect(item: RecordedExchange) -> bool:
    """Return whether the response is a redirect, whose body Chromium does not read."""
    return 300 <= item.known.status < 400 and item.known.status != 304


def _build_content(item: RecordedExchange) -> dict[str, Any]:
    """Return the field `content` of an archive's entry: the response's body, in Base64 if it is not UTF-8."""
    byte_count = item.body_bytes if item.body_bytes > 0 else item.entry.size
    without_body = UNKNOWN if _is_redirect(item) else 0
    size = len(item.body) if item.body is not None else byte_count if item.entry.has_body else without_body
    content = {"size": size, "mimeType": item.known.media_type or "x-unknown"}
    if item.body is None:
        return content
    try:
        return {**content, "text": item.body.decode("utf-8")}
    except UnicodeDecodeError:
        return {**content, "text": b64encode(item.body).decode(), "encoding": "base64"}


def _build_headers(headers: Headers, *, secrets: bool) -> list[dict[str, str]]:
    """Return headers in HAR's form. `secrets`: whether secret values are shown."""
    return [{"name": name, "value": value} for name, value in mask_headers(headers, secrets=secrets)]


def _build_cookies(headers: Headers, name: str, *, secrets: bool) -> list[dict[str, Any]]:
    """Return the cookies in headers in HAR's form. `name`: of these headers, `cookie` or `set-cookie`."""
    found = []
    for key, value, attributes in parse_cookies(headers, name):
        cookie: dict[str, Any] = {"name": key, "value": value if secrets else "[redacted]"}
        cookie |= {field: attributes[field] for field in ("path", "domain") if attributes.get(field)}
        if name == "set-cookie":
            cookie |= {"httpOnly": "httponly" in attributes, "secure": "secure" in attributes}
        found.append(cookie)
    return found


def _build_timings(phases: Timing | None) -> dict[str, float]:
    """Return the field `timings` of an archive's entry: `connect` includes `ssl`, a missing phase is -1."""
    if phases is None:
        return {"send": 0, "wait": 0, "receive": 0}
    connect = None if phases.connect is None else phases.connect + (phases.tls or 0.0)
    durations = {"blocked": phases.queue, "dns": phases.dns, "connect": connect, "ssl": phases.tls}
    timings: dict[str, float] = {
        name: UNKNOWN if part is None else round(part, 3) for name, part in durations.items()
    }
    for name, part in (("send", phases.send), ("wait", phases.first_byte), ("receive", phases.download)):
        timings[name] = round(part or 0.0, 3)
    return timings


def _build_frame(known: ExchangeFacts, frame: Frame) -> dict[str, Any]:
    """Return a frame for `_webSocketMessages` of an archive's entry. `known`: the web socket's facts."""
    return {
        "type": "send" if frame.way == SENT else "receive",
        "time": round(known.wall_time + frame.at - known.began, 6),
        "opcode": _OPCODES.get(frame.kind, 1),
        "data": frame.data,
    }
