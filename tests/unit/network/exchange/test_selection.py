"""Which requests of the log are meant."""

from pathlib import Path

import pytest

from gstack_browse.errors import UsageError
from gstack_browse.network.exchange.report import Selection, to_record
from gstack_browse.network.logs import NetworkEntry
from gstack_browse.registry.values import requests
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.pattern import RequestGlob, StatusPattern
from tests.each import each_row


def entry(number: int, method: str, path: str, kind: str, status: int, error: str = "") -> NetworkEntry:
    return NetworkEntry(0.0, 1, method, f"http://shop.test{path}", kind, status, error, number=number)


LOG = [
    entry(1, "GET", "/", "document", 200),
    entry(2, "GET", "/app.js", "script", 200),
    entry(3, "POST", "/api/save", "fetch", 500),
    entry(4, "GET", "/api/list", "xhr", 404),
    entry(5, "GET", "/api/slow", "fetch", 0),
    entry(6, "GET", "/gone", "fetch", 0, "ERR_CONNECTION_REFUSED"),
]


@each_row(
    (Selection(), [1, 2, 3, 4, 5, 6]),
    (Selection(RequestGlob("/api/**")), [3, 4, 5]),
    (Selection(RequestGlob("POST **/save")), [3]),
    (Selection(method="POST"), [3]),
    (Selection(status=StatusPattern("4xx")), [4]),
    (Selection(status=StatusPattern("500")), [3]),
    (Selection(status=StatusPattern("failed")), [6]),
    (Selection(kinds=frozenset({"fetch", "xhr"})), [3, 4, 5, 6]),
    (Selection(since=4), [5, 6]),
    (Selection(failed=True), [3, 4, 6]),
    (Selection(RequestGlob("/api/**"), kinds=frozenset({"fetch"}), since=3), [5]),
)
def test_all_that_is_said_must_hold(selection: Selection, numbers: list[int]) -> None:
    assert [item.number for item in LOG if selection.matches(item)] == numbers


PATHS = CallerPaths(Path("/"), Path("/"))


def test_types_methods_and_numbers_may_be_typed_in_short() -> None:
    assert requests.types("js, CSS,xhr", PATHS) == {"script", "stylesheet", "xhr"}
    assert requests.method("post", PATHS) == "POST"
    with pytest.raises(UsageError):
        requests.method("GET /", PATHS)
    assert requests.number("41", PATHS) == requests.number("#41", PATHS) == 41
    for word in ("0", "-1", "4x", "", "##4", "9" * 12):
        with pytest.raises(UsageError, match="is no number of a request") as caught:
            requests.number(word, PATHS)
        assert "'network' lists them" in caught.value.hint
    for words in ("", ",", "ajax", "js,ajax"):
        with pytest.raises(UsageError, match="is no type of request"):
            requests.types(words, PATHS)


def test_unknown_fields_of_a_request_are_null() -> None:
    told = to_record(LOG[4])
    assert (told["number"], told["url"]) == (5, "http://shop.test/api/slow")
    assert [told[name] for name in ("status", "error", "milliseconds", "bytes")] == [None] * 4
