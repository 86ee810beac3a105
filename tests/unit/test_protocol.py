import json
from typing import Any

import pytest

from gstack_browse.errors import StaleRef, UsageError
from gstack_browse.protocol import (
    Reply,
    Request,
    decode_request,
    encode_note,
    encode_reply,
    encode_request,
    failure,
    guess_reply_form,
)
from tests.each import each, each_row

RULES = {"BROWSE_ALLOW": "a.com", "BROWSE_CONFIRM": "js"}
FLAGS: dict[str, Any] = dict.fromkeys(("status", "stderr", "fence", "progress", "colour"), True)
WORDS: dict[str, Any] = {"tab": 3, "timeout": 100, "reply": "json", "id": 7, "as_": "ann", "share": "bob"}


@each(
    [
        Request("url"),
        Request("fill", ["@e3", 'a "quoted" \\ line\nbreak \x7f é 🙂'], cwd="/a b"),
        Request("chain", stdin="[]", rules=RULES, **FLAGS, **WORDS),
    ]
)
def test_encoded_request_is_decoded_again(request_: Request) -> None:
    line = encode_request(request_)
    assert line.count(b"\n") == 1
    again = decode_request(line)
    for name in Request.__slots__:
        assert getattr(again, name) == getattr(request_, name), name


def test_a_request_that_does_not_fit_on_a_line_is_not_sent() -> None:
    with pytest.raises(UsageError, match="at most 1048576"):
        encode_request(Request("type", ["x" * 1_100_000]))


@each_row(
    (b"", "The request is not JSON"),
    (b"[" * 100_000, "The request is not JSON"),
    (b"[1]", "The request must be a JSON object"),
    (b'{"cmd":"url","args":"x"}', '"args" must be a list of strings'),
    (b'{"cmd":"url","args":[1]}', '"args" must be a list of strings'),
    (b'{"cmd":""}', 'The request has no "cmd"'),
    (b'{"cmd":["url"]}', '"cmd" must be a string'),
    (b'{"cmd":"url","tab":true}', '"tab" must be a tab'),
    (b'{"cmd":"url","timeout":0}', '"timeout" must be a positive number'),
    (b'{"cmd":"url","reply":"xml"}', '"reply" must be "text" or "json"'),
    (b'{"cmd":"url","id":' + b"[" * 500 + b"]" * 500 + b"}", '"id" is nested too deeply'),
    (b'{"cmd":"\xff"}', "The request is not UTF-8"),
    (b'{"cmd":"eval","args":["a\\u0000b"]}', "A word cannot hold a NUL character"),
)
def test_anything_else_is_refused_in_one_line(line: bytes, said: str) -> None:
    with pytest.raises(UsageError) as refusal:
        decode_request(line)
    assert refusal.value.message.startswith(said)
    assert "\n" not in refusal.value.message


def test_a_json_reply_is_one_line() -> None:
    failed = failure(StaleRef("Gone", "Run 'snapshot'"))
    failed.text, failed.notes = "a\nb", ["n"]
    line = encode_reply(Request("x", reply="json", id="é"), failed)
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "id": "é", "ok": False, "code": 5, "error": "stale-ref", "text": "Gone", "hint": "Run 'snapshot'",
        "output": "a\nb", "notes": ["n"],
    }  # fmt: skip
    assert json.loads(encode_reply(Request("x", reply="json"), Reply("ok"))) == {
        "id": None, "ok": True, "code": 0, "text": "ok",
    }  # fmt: skip


def test_a_reply_has_the_form_that_was_asked_for() -> None:
    form = guess_reply_form(b'{"cmd":"url","reply":"json","status":true,')
    assert (form.reply, form.status, form.stderr) == ("json", True, False)
    failed = Reply(code=1, error="script-failed", message="Error: x", hint="Look there")
    assert encode_reply(Request("js"), failed) == b"Error: x\nLook there\n"
    failed.text, failed.notes = "[url] here", ["state was lost"]
    assert encode_reply(Request("x", status=True, stderr=True), failed) == (
        b"\x01Note: state was lost\n\x02[url] here\n\x01Error: x\nLook there\n\x02\x001\n"
    )
    assert json.loads(encode_reply(Request("js", reply="json"), failed))["text"] == "Error: x"
    assert encode_note("Chromium is starting") == b"\x01Chromium is starting\n\x02"
    assert encode_note("\rwait: 1s") == b"\x01\rwait: 1s\x02"
