"""HTTP archives of any origin: what can be replayed of them, and how an answer is chosen."""

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.network.shaping.har_file import (
    InvalidHar,
    RecordedAnswer,
    pack_archive,
    parse_har,
    unpack_archive,
)
from gstack_browse.network.shaping.replay import HarReplay
from tests.each import each_row
from tests.unit.hostile import damaged, json_values, tried

URL = "http://a.example/api"


def entry(
    method: str = "GET", url: str = URL, text: str = "x", status: int = 200, **more: Any
) -> dict[str, Any]:
    """Return an entry with the fields that the format asks for.

    `asked`, `answered`, `content` and `request` add to its parts.
    """
    request = {"method": method, "url": url, "headers": more.get("asked", [])}
    content = {"mimeType": "text/plain", "text": text, **more.get("content", {})}
    response = {"status": status, "headers": more.get("answered", []), "content": content}
    return {"request": request | more.get("request", {}), "response": response | more.get("response", {})}


def file(*entries: Any) -> bytes:
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


def read(*entries: Any) -> list[RecordedAnswer]:
    return list(parse_har(file(*entries)).answers)


def pairs(**headers: str) -> list[dict[str, str]]:
    return [{"name": name.replace("_", "-"), "value": value} for name, value in headers.items()]


@each_row(
    (b"[" * 100_000, "is no JSON"),
    (b"PK\x03\x04...", "is a zip file"),
    (b"[]", "has no log.entries"),
    (b'{"log": {"entries": {}}}', "has no log.entries"),
    (file(), "has no answer to replay"),
    (file(1, "x", {}, {"request": 3}), "has no answer to replay"),
    (file(*[1] * 20_001), "has more than 20,000 entries"),
)
def test_file_that_is_no_archive_is_refused_with_a_reason(content: bytes, why: str) -> None:
    with pytest.raises(InvalidHar, match=why):
        parse_har(content)


def test_entries_that_are_no_answers_are_counted() -> None:
    good = entry()
    bad = [
        entry(url="ws://a.example/live", status=101),
        entry(url="data:text/plain,x"),
        entry(status=99),
        entry(method=3),  # type: ignore[arg-type]
        {**good, "response": None},
        entry(status=304, content={"text": None}),
    ]
    found = parse_har(b"\xef\xbb\xbf" + file(good, *bad))
    assert (len(found.answers), found.left_out, found.bodiless) == (1, 6, 0)
    bare = parse_har(file(entry(content={"text": None, "size": 5}), entry(content={"text": None, "size": 0})))
    assert (len(bare.answers), bare.bodiless) == (2, 1)


def test_an_answer_is_given_unpacked_and_once() -> None:
    content = {"text": b64encode(b"\x00\xff").decode(), "encoding": "base64"}
    packed = {"content_encoding": "br", "Content_Length": "9", "Cache_Control": "max-age=9"}
    [image] = read(entry(content=content, answered=pairs(**packed, X_A="b\nc", Content_Type="image/png")))
    assert image.decode_body() == b"\x00\xff"
    expected = [("X-A", "b"), ("X-A", "c"), ("Content-Type", "image/png"), ("Cache-Control", "no-store")]
    assert image.headers == expected
    answered = pairs(content_type="text/html; charset=latin1", bad_value="a\r\x00b")
    [text] = read(entry(text="ü", answered=answered))
    assert text.decode_body() == "ü".encode()
    assert text.headers[:2] == [("content-type", "text/html; charset=utf-8"), ("bad-value", "a  b")]
    [broken] = read(entry(content={"text": "%%%", "encoding": "base64"}))
    assert broken.decode_body() == b""


def test_status_redirection_and_body_of_an_entry_are_read() -> None:
    failed, kept = read(entry(status=0, response={"_error": "net::ERR_FAILED"}), entry(status=304))
    assert (failed.status, kept.status) == (0, 200)
    [moved] = read(entry(status=302, response={"redirectURL": "/next"}, content={"text": None}))
    assert ("Location", "/next") in moved.headers
    [found] = read(entry(content={"text": None, "_file": "a1b2.html"}))
    assert (found.file, found.has_body) == ("a1b2.html", True)
    for name in ["../etc/passwd", "/etc/passwd", ".", "..", "a/b", "", "x\n"]:
        [found] = read(entry(content={"text": None, "_file": name, "size": 3}))
        assert (found.file, found.has_body) == ("", False)


def chosen_text(
    replay: HarReplay, method: str = "GET", url: str = URL, post: str | None = None, **headers: str
) -> str | None:
    """The text of the answer that is chosen."""
    found = replay.choose(method, url, {name.replace("_", "-"): value for name, value in headers.items()}, post)
    return found and found.text


def replay(*entries: Any) -> HarReplay:
    return HarReplay("/w/shop.har", parse_har(file(*entries)), passes_on=False)


def test_an_answer_is_chosen_by_method_address_order_and_headers() -> None:
    shop = replay(entry(text="get"), entry("POST", text="post"), entry(url="http://a.example", text="root"))
    assert [chosen_text(shop), chosen_text(shop, "POST")] == ["get", "post"]
    assert chosen_text(shop, url="http://a.example/#top") == "root"
    assert (
        chosen_text(replay(entry(url="http://a.example?b", text="root")), url="http://a.example/?b") == "root"
    )
    assert (chosen_text(shop, "PUT"), chosen_text(shop, url=f"{URL}?a")) == (None, None)
    assert shop.summary() == "3 requests answered"
    for number in range(7):
        shop.record_miss("GET", f"http://a.example/{number}")
    assert shop.summary() == "3 requests answered; 7 not in the file and refused"
    lines = shop.render_missed([*shop.missed])
    assert (lines[0], lines[5:]) == ("not in the file: GET http://a.example/0", ["not in the file: 2 more"])
    shop = replay(entry(text="1"), entry(text="2"))
    assert [chosen_text(shop) for _ in range(4)] == ["1", "2", "2", "2"]
    as_html = entry(text="html", asked=pairs(accept="text/html"))
    shop = replay(entry(text="json", asked=pairs(Accept="application/json")), as_html)
    kinds = ("text/html", "application/json", "text/html")
    assert [chosen_text(shop, Accept=kind) for kind in kinds] == ["html", "json", "html"]
    assert len(replay(*[entry()] * 3000)._by_request["GET", URL]) == 1000


def sent(text: str, kind: str = "text/plain") -> dict[str, Any]:
    return {"request": {"postData": {"text": text}}, "asked": pairs(Content_Type=kind)}


def test_entry_is_chosen_by_the_sent_body_where_both_are_known() -> None:
    shop = replay(entry("POST", text="a", **sent("n=1")), entry("POST", text="b", **sent("n=2")))
    expected = ["b", "a", None, "b"]
    assert [chosen_text(shop, "POST", post=post) for post in ("n=2", "n=1", "n=3", None)] == expected
    secret = replay(entry("POST", text="in", **sent('{"user":"ann","pw":"[redacted]","x":1}')))
    assert chosen_text(secret, "POST", post='{"user":"ann","pw":"horse","x":1}') == "in"
    assert chosen_text(secret, "POST", post='{"user":"bob","pw":"horse","x":1}') is None
    assert chosen_text(secret, "POST", post='{"user":"ann","pw":"horse","x":2}') is None
    form = "--{0}\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--{0}--"
    kind = "multipart/form-data; boundary={}"
    shop = replay(entry("POST", text="ok", **sent(form.format("one"), kind.format("one"))))
    assert chosen_text(shop, "POST", post=form.format("two"), Content_Type=kind.format("two")) == "ok"


SEED = file(
    entry("POST", answered=pairs(Content_Type="a/b", X_Y="z"), **sent("a=b")),
    entry(status=302, response={"redirectURL": "/x", "_error": ""}, content={"_file": "a.html", "size": 3}),
)


ENTRIES = st.lists(st.dictionaries(st.sampled_from(["request", "response", "x"]), json_values))


@tried
@given(damaged(SEED) | ENTRIES.map(lambda entries: file(*entries)))
def test_a_damaged_file_or_any_entry_is_refused_or_replayed(content: bytes) -> None:
    try:
        found = parse_har(content)
    except InvalidHar:
        return
    assert unpack_archive(pack_archive(found)) == found
    shop = HarReplay("x", found, passes_on=True)
    for answer in found.answers:
        assert answer.url.startswith("http")
        assert isinstance(answer.decode_body(), bytes)
        assert all("\n" not in name + value for name, value in answer.headers)
        assert shop.choose(answer.method, answer.url, answer.request_headers, answer.post) is not None
