"""Frames of web sockets and events of event streams, as values and lines. Pure."""

from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gstack_browse.text.secrets import hide_value

SENT, RECEIVED = "↑", "↓"
_OPCODES = {0: "more", 1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong"}
MOST_SHOWN = 500
"""Limit of characters of a frame in its line."""


@dataclass(frozen=True)
class Frame:
    """A message in one direction. `at`: seconds of Chromium's clock. `data`: text, or base64 for `binary`."""

    at: float
    way: str
    kind: str
    data: str
    characters: int

    @property
    def bytes(self) -> int:
        """Return the length of the payload in bytes, estimated if the data is cut."""
        if self.characters > len(self.data):
            return self.characters * 3 // 4 if self.kind == "binary" else self.characters
        if self.kind != "binary":
            return len(self.data.encode("utf-8", "surrogatepass"))
        try:
            return len(b64decode(self.data))
        except NoBase64:
            return len(self.data)

    def render(self, since: float, *, secrets: bool) -> str:
        """Render seconds since `since`, direction, kind, size, and the beginning of the data."""
        shown = self.data if secrets else hide_value("", self.data)
        more = "…" if len(shown) > MOST_SHOWN or self.characters > len(self.data) else ""
        return f"+{max(self.at - since, 0):.3f}s {self.way} {self.kind} {self.bytes}B {shown[:MOST_SHOWN]}{more}".rstrip()


def from_web_socket_event(method: str, event: Mapping[str, Any]) -> Frame:
    """Convert a webSocketFrameSent or webSocketFrameReceived event."""
    frame = event["response"]
    way = SENT if method.endswith("Sent") else RECEIVED
    kind = _OPCODES.get(round(frame["opcode"]), str(frame["opcode"]))
    data = frame["payloadData"]
    return Frame(event["timestamp"], way, kind, data, event.get("characters", len(data)))


def from_event_source_event(event: Mapping[str, Any]) -> Frame:
    """Convert an eventSourceMessageReceived event."""
    data = event.get("data", "")
    kind = event.get("eventName") or "message"
    return Frame(event["timestamp"], RECEIVED, kind, data, event.get("characters", len(data)))


def parse_event_stream(body: str, at: float) -> Iterator[Frame]:
    """Yield the events in the body of an event stream, all at the time `at`."""
    for kind, text in split_events(body)[0]:
        yield Frame(at, RECEIVED, kind, text, len(text))


def split_events(body: str) -> tuple[list[tuple[str, str]], str]:
    """Return (kind, data) of each complete event (HTML, 9.2.6), and the incomplete rest."""
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
