import json
from base64 import b64decode
from typing import Any

from gstack_browse.network.exchange.content import Frame
from gstack_browse.network.exchange.facts import ExchangeFacts, Initiator, Timing
from gstack_browse.network.exchange.har_renderer import RecordedExchange, build_har
from gstack_browse.network.logs import NetworkEntry
from tests.each import each

ASKED = {
    "log": {"version": str, "creator": dict, "entries": list},
    "creator": {"name": str, "version": str},
    "page": {"startedDateTime": str, "id": str, "title": str, "pageTimings": dict},
    "entry": {
        "startedDateTime": str, "time": (int, float), "request": dict, "response": dict, "cache": dict, "timings": dict,
    },
    "request": {
        "method": str, "url": str, "httpVersion": str, "cookies": list, "headers": list, "queryString": list,
        "headersSize": int, "bodySize": int,
    },
    "response": {
        "status": int, "statusText": str, "httpVersion": str, "cookies": list, "headers": list, "content": dict,
        "redirectURL": str, "headersSize": int, "bodySize": int,
    },
    "content": {"size": int, "mimeType": str},
    "timings": {"send": (int, float), "wait": (int, float), "receive": (int, float)},
}  # fmt: skip
"""What HAR 1.2 does not call optional, by the name of the object."""


def require(name: str, found: dict[str, Any]) -> dict[str, Any]:
    for field, kind in ASKED[name].items():  # type: ignore[attr-defined]
        assert isinstance(found[field], kind), (name, field, found.get(field))
    return found


def recorded(**more: Any) -> RecordedExchange:
    entry = NetworkEntry(1.0, 1, "POST", "http://a/?x=1", "fetch", 200, document=4, number=7)
    known = ExchangeFacts(
        "POST", "http://a/?x=1&y=", 10.0, 1_000.5, Initiator("script", "http://a/a.js", 3, 1),
        request_headers=[("Cookie", "sid=verysecret"), ("Content-Type", "application/json")],
        post=b'{"password":"hunter22"}', has_post=True, status=200, status_text="OK", protocol="h2",
        address="[::1]:80", connection="5", media_type="text/plain", head_bytes=90, wire_bytes=100, is_over=True,
        response_headers=[("Set-Cookie", "sid=othersecret; Path=/; HttpOnly")],
        timing=Timing(1.0, 2.0, 3.0, 4.0, 0.5, 6.0, 7.0),
    )  # fmt: skip
    return RecordedExchange(entry, known, **more)


def only_entry(item: RecordedExchange, *, secrets: bool = False) -> dict[str, Any]:
    log = require("log", build_har([item], "1", "156", secrets=secrets)["log"])
    require("creator", log["creator"])
    for page in log["pages"]:
        require("page", page)
    (entry,) = log["entries"]
    for name in ("request", "response", "timings"):
        require(name, entry[name])
    require("content", entry["response"]["content"])
    return require("entry", entry)


def test_entry_of_an_archive_has_the_fields_of_the_format() -> None:
    entry = only_entry(recorded(body=b"hello"))
    assert (entry["startedDateTime"], entry["pageref"]) == ("1970-01-01T00:16:40.500Z", "page_4")
    assert (entry["serverIPAddress"], entry["connection"]) == ("::1", "5")
    assert entry["request"]["queryString"] == [{"name": "x", "value": "1"}, {"name": "y", "value": ""}]
    assert entry["response"]["content"] == {"size": 5, "mimeType": "text/plain", "text": "hello"}
    assert (entry["response"]["headersSize"], entry["response"]["bodySize"]) == (90, 10)
    timings = entry["timings"]
    assert (timings["connect"], timings["ssl"]) == (7.0, 4.0), "the time of TLS is a part of connecting"
    assert sum(part for name, part in timings.items() if name != "ssl") == entry["time"] == 23.5


def test_secrets_are_left_out_of_an_archive_unless_asked_for() -> None:
    closed, opened = (json.dumps(only_entry(recorded(), secrets=secrets)) for secrets in (False, True))
    for secret in ("verysecret", "othersecret", "hunter22"):
        assert (secret in closed, secret in opened) == (False, True), secret
    assert "HttpOnly" in closed
    entry = NetworkEntry(1.0, 0, "GET", "http://a/", "fetch", error="ERR_FAILED")
    known = ExchangeFacts("GET", "http://a/", 10.0, 0.0, Initiator())
    made = only_entry(RecordedExchange(entry, known, remark="not complete yet"))
    assert (made["response"]["status"], made["response"]["_error"], made["comment"]) == (0, "ERR_FAILED", "not complete yet")  # fmt: skip
    assert "pageref" not in made
    item = recorded(frames=[Frame(10.25, "↑", "text", "hi", 2), Frame(10.5, "↓", "binary", "AQ==", 4)])
    item.entry.kind = "websocket"
    assert only_entry(item)["_webSocketMessages"] == [
        {"type": "send", "time": 1000.75, "opcode": 1, "data": "hi"},
        {"type": "receive", "time": 1001.0, "opcode": 2, "data": "AQ=="},
    ]


@each([b"caf\xc3\xa9", b"caf\xe9", b"\x00\xff", b"\xed\xa0\x80", b""])
def test_a_body_is_the_same_bytes(body: bytes) -> None:
    content = only_entry(recorded(body=body))["response"]["content"]
    text = content["text"]
    assert (b64decode(text) if content.get("encoding") == "base64" else text.encode()) == body
    assert content["size"] == len(body)
