"""Test which answers of a model that looks at a picture are a verdict: what is unclear passes nothing."""

import json

import pytest

from gstack_browse.design.image_service.connection import parse_chat_text, parse_verdict
from gstack_browse.errors import ServiceFailed
from tests.each import each


def verdict(score: object, findings: object = ()) -> str:
    return json.dumps({"score": score, "verdict": "Good", "findings": findings})


@each(
    [
        ["bad"], [None], [["high", "top", "cut"]], [{"where": "top", "what": "cut"}], [{"severity": 1, "what": "cut"}], [{"severity": ""}],
        [{"severity": "critical", "what": "cut"}], [{"severity": "High - must fix"}], [{"severity": "low", "what": "cut"}, "bad"],
        [*[{"severity": "low"}] * 60, {"severity": "blocker"}],
    ],
)  # fmt: skip
def test_finding_without_a_known_severity_makes_the_verdict_unclear(findings: list[object]) -> None:
    assert parse_verdict(verdict(95, findings)).findings is None


@each([("100", None), (True, None), (101, None), (-1, None), (88.6, 89), (0, 0)])
def test_score_is_a_number_up_to_100(case: tuple[object, int | None]) -> None:
    score, parsed = case
    assert parse_verdict(verdict(score)).score == parsed


def test_words_without_an_object_are_no_verdict() -> None:
    assert parse_verdict("Looks fine to me.").findings is None
    for content in (b"{}", b'{"choices": [{"message": {"content": " "}}]}'):
        with pytest.raises(ServiceFailed, match="without words"):
            parse_chat_text(content)
