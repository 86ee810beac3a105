import json

import pytest
from hypothesis import given

from gstack_browse.errors import ActionFailed
from gstack_browse.network.shaping import rules
from gstack_browse.network.shaping.rules import (
    RequestChange,
    RouteAction,
    RouteAnswer,
    RouteTable,
    add_cors_headers,
    choose_content_type,
    is_preflight,
    is_socket_pattern,
    preflight_headers,
    to_url_pattern,
)
from gstack_browse.text.pattern import RequestGlob
from tests.each import each_row
from tests.unit.hostile import damaged, tried

API = "http://a.example/api/user"


def rule_for(*actions: tuple[str, RouteAction]) -> RouteTable:
    made = RouteTable()
    for pattern, action in actions:
        made.add(RequestGlob(pattern), action)
    return made


def test_the_last_rule_that_fits_holds_until_it_was_applied_often_enough() -> None:
    made = rule_for(
        ("**/api/**", RouteAction(delay_ms=5)),
        ("POST **/user", RouteAction(error="failed")),
        ("**/other", RouteAction()),
    )
    chosen = [made.choose(method, API) for method in ("GET", "POST")]
    assert [rule and rule.number for rule in chosen] == [1, 2]
    assert made.choose("GET", "http://a.example/") is None
    made = rule_for(("/api/", RouteAction()), ("/api/", RouteAction(RouteAnswer(404), times=2)))
    for expected in (2, 2, 1, 1):
        rule = made.choose("GET", API)
        assert rule
        assert rule.number == expected
        rule.hits += 1
    assert [rule.describe_use() for rule in made] == ["hit 2 times", "hit 2 times, over"]
    made = rule_for(("a", RouteAction()), ("b", RouteAction()))
    removed = made.remove(1)
    assert (removed and str(removed), made.remove(1)) == ("a → sent", None)
    after = RouteTable()
    made.remove(made.add(RequestGlob("d"), RouteAction()).number)
    after.restore(made.to_state(), made.next_number)
    assert (after.add(RequestGlob("c"), RouteAction()).number, [rule.number for rule in after]) == (4, [2, 4])


@each_row(
    (RouteAction(RouteAnswer(500), delay_ms=800), "500 after 800ms"),
    (RouteAction(RouteAnswer(200, "x" * 99), times=1), f"200 {'x' * 39}…, 1 time at most"),
    (RouteAction(RouteAnswer(file="/w/fixture.json")), "200 file fixture.json"),
    (RouteAction(error="failed"), "aborted"),
    (RouteAction(change=RequestChange([("X-Key", "s3cret")], ["Cookie"])), "sent, with X-Key set, without Cookie"),
)  # fmt: skip
def test_an_action_in_words(action: RouteAction, words: str) -> None:
    assert action.summary == words


def test_headers_are_changed_in_any_case_and_rules_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    change = RequestChange([("X-Team", "blue"), ("accept", "a/b")], ["COOKIE"])
    expected = {"DNT": "1", "X-Team": "blue", "accept": "a/b"}
    assert change.apply({"Accept": "*/*", "Cookie": "a=b", "DNT": "1"}) == expected
    without = RequestChange(removed=["Accept-language"]).apply({})
    assert without == {"Accept-language": ""}, "Chromium would add one"
    monkeypatch.setattr(rules, "MOST_CHARACTERS", 10)
    monkeypatch.setattr(rules, "MOST_RULES", 2)
    made = rule_for(("a", RouteAction(RouteAnswer(body="12345"))))
    with pytest.raises(ActionFailed, match="more than 10 characters"):
        made.add(RequestGlob("b"), RouteAction(RouteAnswer(body="123456")))
    made.add(RequestGlob("b"), RouteAction())
    with pytest.raises(ActionFailed, match="2 routes"):
        made.add(RequestGlob("c"), RouteAction())


STATE = rule_for(
    ("POST **/a", RouteAction(RouteAnswer(201, "x", "", "text/plain", [("X-A", "b")]), delay_ms=3, times=2)),
    ("b", RouteAction(change=RequestChange([("X-B", "c")], ["Cookie"]))),
    ("c", RouteAction(error="dns")),
).to_state()


@tried
@given(damaged(json.dumps(STATE).encode()))
def test_rules_are_restored_and_damaged_ones_are_not_or_sound(content: bytes) -> None:
    after = RouteTable()
    after.restore(json.loads(json.dumps(STATE)), 1)
    assert json.dumps(after.to_state()) == json.dumps(STATE)
    made = rule_for(("before", RouteAction()))
    try:
        made.restore(json.loads(content), 1)
    except (TypeError, ValueError, KeyError, RecursionError):
        assert [str(rule.pattern) for rule in made] == ["before"]
    for rule in made:
        assert isinstance(str(rule) + rule.describe_use(), str)
        made.choose("GET", API)


@each_row(
    (RouteAnswer(body=' {"a": 1}'), "application/json; charset=utf-8"),
    (RouteAnswer(body="{a}"), "text/plain; charset=utf-8"),
    (RouteAnswer(body="<p>"), "text/html; charset=utf-8"),
    (RouteAnswer(file="/a/b.css"), "text/css; charset=utf-8"),
    (RouteAnswer(file="/a/b.unheard-of"), "application/octet-stream"),
    (RouteAnswer(body="{}", content_type="a/b"), "a/b"),
    (RouteAnswer(body="{}", headers=[("content-TYPE", "c/d")]), ""),
    (RouteAnswer(404), ""),
)
def test_the_type_of_an_answer(answer: RouteAnswer, kind: str) -> None:
    assert choose_content_type(answer) == kind


def test_another_origin_is_allowed_what_it_asks_unless_the_answer_speaks_of_that() -> None:
    request = {"Origin": "https://b.example"}
    added = add_cors_headers(request, API, [("X-A", "b")])
    assert ("Access-Control-Allow-Origin", "https://b.example") in added
    own = [("access-control-allow-origin", "https://c.example")]
    assert add_cors_headers(request, API, own) == own
    assert add_cors_headers({"origin": "http://a.example"}, API, []) == add_cors_headers({}, API, []) == []
    asked = {
        "Origin": "null",
        "Access-Control-Request-Method": "PUT",
        "access-control-request-headers": "x-a,x-b",
    }
    expected = (True, False, False)
    assert (is_preflight("OPTIONS", asked), is_preflight("PUT", asked), is_preflight("OPTIONS", {})) == expected
    told = dict(preflight_headers(asked))
    answers = [told[f"Access-Control-Allow-{name}"] for name in ("Origin", "Methods", "Headers")]
    assert answers == ["null", "PUT", "x-a,x-b"]


def test_a_typed_pattern() -> None:
    for typed, pattern in [
        ("ws://localhost:3000/**", "ws://localhost:3000/*"),
        ("wss://a.example/live", "wss://a.example/live"),
        ("ws://a.example", "ws://a.example/*"),
        ("GET WS://**/chat/*", "ws://*:*/chat/*"),
        ("ws://*:8080/a+b(c)", "ws://*:8080/a\\+b\\(c\\)"),
        ("ws://**", "ws://*:*/*"),
        ("ws://a/{b,c}", None),
        ("ws://a/b?c=d", None),
        ("POST ws://a/b", None),
        ("ws://", None),
    ]:
        assert (to_url_pattern(typed), is_socket_pattern(typed)) == (pattern, True)
    assert not any(map(is_socket_pattern, ("**/ws:", "/ws", "http://ws/", "POST **")))
