"""Test how the protocol's console messages and errors become text."""

from typing import Any

from gstack_browse.network.logs import console_text
from gstack_browse.network.logs.console_text import Position
from tests.each import each_row


def string(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def preview(subtype: str = "", *, overflow: bool = False, **values: str) -> dict[str, Any]:
    properties = [
        {"name": name.lstrip("_"), "type": "string", "value": value} for name, value in values.items()
    ]
    described = f"Array({len(values)})" if subtype else "Object"
    shown = {"overflow": overflow, "properties": properties}
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
    assert console_text.format_arguments(arguments) == text


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
    assert console_text.format_exception(details) == text


def frame(url: str, line: int = 0, function: str = "") -> dict[str, Any]:
    return {"url": url, "lineNumber": line, "columnNumber": 7, "functionName": function}


def test_the_place_is_the_first_frame_with_a_url() -> None:
    stack = {"callFrames": [frame(""), frame("http://a/x.js", 16, "f"), frame("http://a/y.js")]}
    assert console_text.find_error_position({"stackTrace": stack}) == Position("http://a/x.js", 17, 8, "f")
    later = {"callFrames": [frame("")], "parent": stack}
    assert str(console_text.find_error_position({"stackTrace": later})) == "f (http://a/x.js:17:8)"
    at = {"url": "http://a/bad.js", "lineNumber": 1, "columnNumber": 4}
    assert str(console_text.find_error_position(at)) == "http://a/bad.js:2:5"
    unnamed = {"stackTrace": {"callFrames": [frame("", 1)]}}
    assert str(console_text.find_error_position(unnamed)) == "<anonymous>:2:8"
    assert console_text.find_error_position({}) is None
    endless: dict[str, Any] = {"callFrames": []}
    endless["parent"] = endless
    assert console_text.find_caller(endless) is None


@each_row(
("http://a/static/dash.js?v=1#x", "dash.js:1:2"), ("http://a:3000/", "/:1:2"), ("http://a/app/", "app/:1:2"), ("http://a", ""), ("", ""),
        ("blob:http://a/1-2", "blob:1:2"), ("data:text/javascript,throw 1", "data:1:2"), ("file:///tmp/x.html", "x.html:1:2"),
        ("http://[::1]:80/dash.js?x", "dash.js:1:2"), ("webpack:///src/app.ts", "app.ts:1:2"), ("http://[", "[:1:2"),
)  # fmt: skip
def test_a_place_in_short(url: str, short: str) -> None:
    assert Position(url, 1, 2).short == short
