"""Test answers of an image service: when to ask again, and which are a verdict.

An unclear answer is no verdict: nothing passes by it.
"""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from gstack_browse.design.image_service.service import (
    parse_chat_text,
    parse_picture,
    parse_verdict,
    retry_seconds,
)
from gstack_browse.errors import ServiceFailed
from tests.each import each, each_row


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


@each_row((True, None), (101, None), (88.6, 89), (0, 0))
def test_score_is_a_number_up_to_100(score: object, parsed: int | None) -> None:
    assert parse_verdict(verdict(score)).score == parsed


def test_words_of_an_answer_are_put_together_and_none_are_refused() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "other"}, {"type": "text", "text": "b"}]
    assert parse_chat_text(json.dumps({"choices": [{"message": {"content": parts}}]}).encode()) == "ab"
    without = ["{}", '{"choices": []}', '{"choices": [1]}', '{"choices": [{"message": 1}]}', "nonsense"]
    for content in (*without, '{"choices": [{"message": {"content": " "}}]}'):
        with pytest.raises(ServiceFailed):
            parse_chat_text(content.encode())
    assert parse_verdict("Looks fine to me.").findings is None
    with pytest.raises(ServiceFailed):
        parse_picture(b'{"data":[{"url":""},{"url":7}]}')


def test_how_long_to_wait() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_seconds("7", 0, now) == 7
    assert retry_seconds(format_datetime(now + timedelta(seconds=30)), 0, now) == 30
    assert retry_seconds(format_datetime(now - timedelta(seconds=30)), 0, now) == 0
    assert [retry_seconds(header, 2, now) for header in (None, "soon", "", "-1")] == [4, 4, 4, 4]
