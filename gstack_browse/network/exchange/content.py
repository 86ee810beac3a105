"""Describe bodies, web socket frames and server-sent events; mask secrets in bodies and headers. Pure."""

import re
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from gstack_browse.network.exchange.headers import Headers
from gstack_browse.network.logs import safe_url
from gstack_browse.text.charsets import find_codec
from gstack_browse.text.redact import REDACTED, redact
from gstack_browse.text.secrets import hide_value

_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_TEXT = re.compile(
    r"text/.*|application/(?:.*\+)?(?:json|xml|javascript|x-javascript|ecmascript|x-ndjson|graphql|manifest)|"
    r"application/x-www-form-urlencoded|multipart/form-data|image/svg\+xml|"
)
_PART = re.compile(r'(\bname="([^"\r\n]*)"(?:\r\n[^\r\n]+)*+)(?:(\r\n\r\n)(.*?)(?=\r\n--|\Z))?', re.DOTALL)
"""A part of a form: head, name, blank line and value. A head without the rest matches, too, and is not read again."""


def decode_body(body: bytes, media_type: str, charset: str = "") -> str | None:
    """Return the body of a request or response as text; None if it is not text. `charset`: "" for UTF-8."""
    if not _TEXT.fullmatch(media_type) and not _is_text(body):
        return None
    try:
        return body.decode(find_codec(charset) or "utf-8")
    except UnicodeDecodeError:
        return None if b"\0" in body[:1000] else body.decode("utf-8", "replace")


def _is_text(body: bytes) -> bool:
    """Return whether a body is text in UTF-8: it can be decoded, and has no NUL."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in body


def hide_body_secrets(text: str, media_type: str) -> str:
    """Mask secrets in a body: values of fields with secret names (form, JSON) and known kinds of tokens."""
    if media_type == _FORM:
        # A form without secrets stays as it is written. In any other the mask stays readable, not percent-encoded.
        pairs = parse_qsl(text, keep_blank_values=True)
        shown = [(name, hide_value(name, value)) for name, value in pairs]
        return text if shown == pairs else urlencode(shown).replace(urlencode({"": REDACTED})[1:], REDACTED)
    if media_type == _MULTIPART:
        return _PART.sub(
            lambda part: part[1] + part[3] + hide_value(part[2], part[4]) if part[3] else part[0], text
        )
    return hide_value("", text) if text[:1] in "{[" else text


def encode_body(text: str, charset: str) -> bytes:
    """Restore the bytes of a text that Chromium has decoded.

    As UTF-8 if the charset is unknown or does not fit.
    """
    try:
        return text.encode(find_codec(charset) or "utf-8", "surrogatepass")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


_COOKIES = ("cookie", "set-cookie")
_CREDENTIALS = ("authorization", "proxy-authorization")
_CHALLENGES = ("www-authenticate", "proxy-authenticate")
"""A server's requests for credentials: the names sound secret, the values are not."""
_ADDRESSES = ("location", "referer", ":path", "content-location")


def mask_headers(headers: Headers, *, secrets: bool) -> Headers:
    """Mask values of cookies and credentials in headers, but not cookies' names; nothing if `secrets`."""
    return headers if secrets else [(name, _hide_value(name.lower(), value)) for name, value in headers]


def _hide_value(name: str, value: str) -> str:
    """Return the value of the header `name` (in lower case) with its secrets masked."""
    if name in _COOKIES:
        return "; ".join(_hide_cookie_value(name, index, part) for index, part in enumerate(value.split("; ")))
    if name in _CREDENTIALS:
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {REDACTED}" if space else REDACTED
    if name in _ADDRESSES:
        return redact(safe_url(value))
    return value if name in _CHALLENGES else hide_value(name, value)


def _hide_cookie_value(name: str, index: int, part: str) -> str:
    """Mask the value in a part `name=value` of a cookie header; attributes of `Set-Cookie` stay.

    `name`: of the header, in lower case. `index`: of the part; from 1 on, `Set-Cookie` has attributes (RFC 6265, 4.1).
    """
    if name == "set-cookie" and index:
        return part
    key, equals, _ = part.partition("=")
    return f"{key}={REDACTED}" if equals else REDACTED


SENT, RECEIVED = "↑", "↓"
OPCODES = {0: "more", 1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong"}
MOST_SHOWN = 500
"""Limit of characters of a frame in its line."""


@dataclass(frozen=True)
class Frame:
    """A frame of a WebSocket, or an event of an event stream.

    `at`: seconds of Chromium's clock. `data`: text, or base64 for `binary`.
    """

    at: float
    way: str
    kind: str
    data: str
    characters: int

    @property
    def bytes(self) -> int:
        """Return the length of the frame's payload in bytes, estimated if `data` is cut."""
        if self.characters > len(self.data):
            return self.characters * 3 // 4 if self.kind == "binary" else self.characters
        if self.kind != "binary":
            return len(self.data.encode("utf-8", "surrogatepass"))
        try:
            return len(b64decode(self.data))
        except NoBase64:
            return len(self.data)

    def render(self, since: float, *, secrets: bool) -> str:
        """Render the frame as a line: seconds after `since`, direction, kind, size, beginning of the data.

        `since`: a time of Chromium's clock. `secrets`: whether known kinds of tokens are shown.
        """
        shown = self.data if secrets else hide_value("", self.data)
        more = "…" if len(shown) > MOST_SHOWN or self.characters > len(self.data) else ""
        return f"+{max(self.at - since, 0):.3f}s {self.way} {self.kind} {self.bytes}B {shown[:MOST_SHOWN]}{more}".rstrip()


def from_web_socket_event(method: str, event: Mapping[str, Any]) -> Frame:
    """Convert Chromium's event `method`, webSocketFrameSent or webSocketFrameReceived, to a frame."""
    frame = event["response"]
    way = SENT if method.endswith("Sent") else RECEIVED
    kind = OPCODES.get(round(frame["opcode"]), str(frame["opcode"]))
    data = frame["payloadData"]
    return Frame(event["timestamp"], way, kind, data, event.get("characters", len(data)))


def from_event_source_event(event: Mapping[str, Any]) -> Frame:
    """Convert Chromium's event eventSourceMessageReceived to a frame."""
    data = event.get("data", "")
    kind = event.get("eventName") or "message"
    return Frame(event["timestamp"], RECEIVED, kind, data, event.get("characters", len(data)))


def parse_event_stream(body: str, at: float) -> Iterator[Frame]:
    """Yield the complete events in the body of an event stream as frames, all with the time `at`."""
    for kind, text in split_events(body)[0]:
        yield Frame(at, RECEIVED, kind, text, len(text))


def split_events(body: str) -> tuple[list[tuple[str, str]], str]:
    """Split an event stream's body (HTML, 9.2.6) into (kind, data) of each complete event, and the rest."""
    held = "\r" if body.endswith("\r") else ""  # may be the first half of a line end
    text = body.removeprefix("\ufeff").removesuffix(held).replace("\r\n", "\n").replace("\r", "\n")
    whole, end, rest = text.rpartition("\n\n")
    events, kind, data = list[tuple[str, str]](), "", list[str]()
    for line in f"{whole}{end}".split("\n")[:-1]:
        name, _, value = line.partition(":")
        if line and name == "event":
            kind = value.removeprefix(" ")
        elif line and name == "data":
            data.append(value.removeprefix(" "))
        elif not line:
            if data:
                events.append((kind or "message", "\n".join(data)))
            kind, data = "", []
    return events, rest + held
