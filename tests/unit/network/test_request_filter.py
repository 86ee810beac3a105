from pathlib import Path

import pytest

from gstack_browse.commands.network.network import parse_method, parse_request_number, parse_request_types
from gstack_browse.errors import UsageError
from gstack_browse.network.logs import NetworkEntry, RequestFilter
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
    (RequestFilter(), [1, 2, 3, 4, 5, 6]),
    (RequestFilter(RequestGlob("POST **/save")), [3]),
    (RequestFilter(method="POST"), [3]),
    (RequestFilter(status=StatusPattern("4xx")), [4]),
    (RequestFilter(status=StatusPattern("failed")), [6]),
    (RequestFilter(kinds=frozenset({"fetch", "xhr"})), [3, 4, 5, 6]),
    (RequestFilter(since=4), [5, 6]),
    (RequestFilter(failed=True), [3, 4, 6]),
    (RequestFilter(RequestGlob("/api/**"), kinds=frozenset({"fetch"}), since=3), [5]),
)
def test_all_that_is_said_must_hold(chosen: RequestFilter, numbers: list[int]) -> None:
    assert [item.number for item in LOG if chosen.matches(item)] == numbers


PATHS = CallerPaths(Path("/"), Path("/"))


def test_types_methods_and_numbers_may_be_typed_in_short() -> None:
    assert parse_request_types("js, CSS,xhr", PATHS) == {"script", "stylesheet", "xhr"}
    assert parse_method("post", PATHS) == "POST"
    with pytest.raises(UsageError):
        parse_method("GET /", PATHS)
    assert parse_request_number("41", PATHS) == parse_request_number("#41", PATHS) == 41
    for word in ("0", "-1", "4x", "", "##4", "9" * 12):
        with pytest.raises(UsageError, match="is no number of a request") as caught:
            parse_request_number(word, PATHS)
        assert "'network' lists them" in caught.value.hint
    for words in ("", ",", "ajax", "js,ajax"):
        with pytest.raises(UsageError, match="is no type of request"):
            parse_request_types(words, PATHS)
