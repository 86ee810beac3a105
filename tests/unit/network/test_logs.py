from typing import Any

import pytest

from gstack_browse.browser.cdp import throttling
from gstack_browse.browser.cdp.throttling import MOST_CHARACTERS_A_SECOND, FloodDetector
from gstack_browse.browser.context.listener import Logs
from gstack_browse.network import logs
from gstack_browse.network.logs import (
    MAX_URL,
    MOST_CHARACTERS,
    ConsoleEntry,
    DialogEntry,
    NetworkEntry,
    Position,
    Ring,
    find_place,
    safe_url,
)
from tests.each import each_row


def test_a_ring_forgets_the_oldest_and_counts_them_all() -> None:
    ring: Ring[int] = Ring(3)
    for number in range(5):
        ring.add(number)
    assert (list(ring), ring.total) == ([2, 3, 4], 5)
    cursor = ring.total
    assert ring.entries_since(cursor) == []
    for number, since in ((5, [5]), (6, [5, 6]), (7, [5, 6, 7]), (8, [6, 7, 8])):
        ring.add(number)
        assert ring.entries_since(cursor) == since
    assert (ring.count_lost(cursor), ring.count_lost(cursor + 1)) == (1, 0)
    assert ring.remove(lambda entry: entry == 7) == 1
    assert (list(ring), ring.entries_since(cursor), ring.entries_since(cursor + 3)) == ([6, 8], [6, 8], [8])
    ring.remove(lambda entry: True)
    ring.continue_count(40)
    heard: list[int] = []
    with ring.watch(lambda: heard.append(ring.total)):
        ring.add(9)
        ring.notify_watchers()
    ring.add(10)
    assert (heard, ring.entries_since(40)) == ([41, 41], [9, 10])
    ring.continue_count(3)
    assert ring.total == 42, "never back"


def test_a_ring_holds_fewer_entries_that_are_long() -> None:
    logs, each, count = Logs(), "x" * (MOST_CHARACTERS // 10), 25
    for _ in range(count):
        logs.console.add(ConsoleEntry(0.0, 1, "log", each))
        logs.network.add(NetworkEntry(0.0, 1, "GET", each, "fetch"))
        logs.dialog.add(DialogEntry(0.0, 1, "alert", each, "accepted"))
    assert [len(log) for log in (logs.console, logs.network, logs.dialog)] == [10, 9, 10]
    logs.console.remove(lambda entry: True)
    logs.console.add(ConsoleEntry(0.0, 1, "log", each * 9))
    assert (logs.console.total, len(logs.console)) == (count + 1, 1), "there is room again"


def test_more_than_is_allowed_in_any_second_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads send messages whose times are not in order."""
    monkeypatch.setattr(throttling, "MOST_A_SECOND", 4)
    said = FloodDetector()
    assert [said.add_message(at, 1) for at in (10.0, 9.9, 10.1, 9.95, 10.0)] == [False] * 4 + [True]
    assert not said.add_message(3.0, 1)
    assert [said.add_message(3.1, 1) for _ in range(4)] == [False] * 3 + [True]
    said = FloodDetector()
    assert [said.add_message(at, 1) for at in (0.0, 0.9, 0.9, 1.1, 1.1, 1.1)] == [False] * 5 + [True]
    assert not said.add_message(2.5, MOST_CHARACTERS_A_SECOND)
    assert said.add_message(3.0, 1)
    assert not said.add_message(3.5, 1)


@each_row(
("http://a/?token=abc&page=2", "http://a/?token=[redacted]&page=2"), ("http://a/#access_token=abc", "http://a/#access_token=[redacted]"),
        ("http://a/?barcode=1&keyboard=2&monkey=3", "http://a/?barcode=1&keyboard=2&monkey=3"), ("data:text/plain," + "x" * 200, "data:text/plain," + "x" * 84 + "…"),
        ("http://a/" + "x" * 3000, ("http://a/" + "x" * 3000)[:MAX_URL] + "…"),
)  # fmt: skip
def test_urls_are_kept_without_secrets(url: str, kept: str) -> None:
    assert safe_url(url) == kept


LINES = [
    ("    at run (http://host/a.js:1:20)", ("http://host/a.js", 1, 20)),
    ("    at http://host:8000/a.js?b=1:3:4", ("http://host:8000/a.js?b=1", 3, 4)),
    ("run@https://host/a.js:1:2", None),
    ("    at Object.eval (webpack-internal:///./src/a.ts:13:21)", ("webpack-internal:///./src/a.ts", 13, 21)),
    ("    at <anonymous>:1:2", None),
    (f"http://host/{'a' * 3000}:1:2", None),
    ("http://host/a.js:1:12345678901", None),
]


@each_row(*LINES)
def test_a_place_is_found(line: str, place: tuple[str, int, int] | None) -> None:
    found = find_place(line)
    assert (found.place if found else None) == place


def test_places_are_replaced_where_an_original_is_known() -> None:
    stack = "Error: x\n    at a (http://h/a.js:1:2)\n    at b (http://h/a.js:3:4)"
    entry = ConsoleEntry(0.0, 1, "error", stack)
    named = entry.with_originals(lambda place: "src/a.ts:9:9" if place[1] == 1 else "")
    assert named.text == "Error: x\n    at a (src/a.ts:9:9)\n    at b (http://h/a.js:3:4)"
    assert entry.count_characters() == len(entry.text)


def string(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def preview(subtype: str = "", *, overflow: bool = False, **values: str) -> dict[str, Any]:
    properties = [
        {"name": name.lstrip("_"), "type": "string", "value": value} for name, value in values.items()
    ]
    described = f"Array({len(values)})" if subtype else "Object"
    shown = {"subtype": subtype, "overflow": overflow, "properties": properties}
    return {"type": "object", "subtype": subtype, "description": described, "preview": shown}


NUMBER = {"type": "number", "value": 2.0}
NODE = {"type": "object", "subtype": "node", "description": "div#id.class"}


@each_row(
([], ""), ([string("one"), {"type": "number", "value": 1}], "one 1"), ([NUMBER, {"type": "number", "value": 0.5}], "2 0.5"),
        ([{"type": "undefined"}, {"type": "object", "subtype": "null", "value": None}], "undefined null"),
        ([{"type": "boolean", "value": True}, {"type": "bigint", "unserializableValue": "9n"}], "true 9n"),
        ([preview(a="1", b="x"), preview("array", _0="1", _1="2")], "{a: 1, b: x} [1, 2]"),
        ([preview(a="1", overflow=True), preview("array", _0="1", overflow=True)], "{a: 1, …} [1, …]"),
        ([NODE, {"type": "function", "description": "() => 1"}], "div#id.class () => 1"), ([{"type": "symbol"}], "symbol"),
        ([string("%s is %d%% of %o%c, %s"), string("it"), NUMBER, NODE, string("color: red")], "it is 2% of div#id.class, %s"),
        ([string("%cred"), string("color: red"), string("more")], "red more"), ([string("100%"), string("sure")], "100% sure"), ([string("%s")], "%s"),
        ([{"type": "object", "subtype": "error", "description": "Error: Error: x\n    at f"}], "Error: x\n    at f"),
)  # fmt: skip
def test_arguments_of_a_message_become_one_text(arguments: list[dict[str, Any]], text: str) -> None:
    assert logs.format_arguments(arguments) == text


def error(described: str) -> dict[str, Any]:
    return {"text": "Uncaught", "exception": {"type": "object", "subtype": "error", "description": described}}


@each_row(
(error("TypeError: no\n    at f (http://a/x.js:1:2)"), "TypeError: no"), (error("Error: one\ntwo\n    at f"), "Error: one\ntwo"),
        (error("Error: Error: x"), "Error: x"), (error("Error: Error: Error: x"), "Error: x"), (error("Error: TypeError: x"), "Error: TypeError: x"),
        (error("Error"), "Error"), (error("a.b.MyError: a.b.MyError: x"), "a.b.MyError: x"), (error(""), ""),
        ({"text": "Uncaught (in promise)", "exception": string("Error: Error: x")}, "Error: Error: x"),
        ({"text": "Uncaught Error: Error: muted"}, "Error: muted"), ({"text": "Script error."}, "Script error."), ({"text": ""}, "Script error."),
)  # fmt: skip
def test_thrown_error_becomes_one_line(details: dict[str, Any], text: str) -> None:
    assert logs.format_exception(details) == text


def frame(url: str, line: int = 0, function: str = "") -> dict[str, Any]:
    return {"url": url, "lineNumber": line, "columnNumber": 7, "functionName": function}


def test_the_place_is_the_first_frame_with_a_url() -> None:
    stack = {"callFrames": [frame(""), frame("http://a/x.js", 16, "f"), frame("http://a/y.js")]}
    assert logs.find_error_position({"stackTrace": stack}) == Position("http://a/x.js", 17, 8, "f")
    later = {"callFrames": [frame("")], "parent": stack}
    assert str(logs.find_error_position({"stackTrace": later})) == "f (http://a/x.js:17:8)"
    at = {"url": "http://a/bad.js", "lineNumber": 1, "columnNumber": 4}
    assert str(logs.find_error_position(at)) == "http://a/bad.js:2:5"
    unnamed = {"stackTrace": {"callFrames": [frame("", 1)]}}
    assert str(logs.find_error_position(unnamed)) == "<anonymous>:2:8"
    assert logs.find_error_position({}) is None
    endless: dict[str, Any] = {"callFrames": []}
    endless["parent"] = endless
    assert logs.find_caller(endless) is None


@each_row(
("http://a/static/dash.js?v=1#x", "dash.js:1:2"), ("http://a:3000/", "/:1:2"), ("http://a/app/", "app/:1:2"), ("http://a", ""), ("", ""),
        ("blob:http://a/1-2", "blob:1:2"), ("data:text/javascript,throw 1", "data:1:2"), ("file:///tmp/x.html", "x.html:1:2"),
        ("http://[::1]:80/dash.js?x", "dash.js:1:2"), ("webpack:///src/app.ts", "app.ts:1:2"), ("http://[", "[:1:2"),
)  # fmt: skip
def test_a_place_in_short(url: str, short: str) -> None:
    assert Position(url, 1, 2).short == short
