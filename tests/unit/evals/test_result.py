import json
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from tests.evals.result import Result, ToolCall, from_json
from tests.unit.hostile import tried

counts = st.none() | st.integers(0, 2**53)
words = st.text(max_size=20)
amounts = st.none() | st.floats(0, 1e6, allow_nan=False)
results = st.builds(
    Result,
    name=words,
    suite=words,
    tier=st.integers(1, 3),
    passed=st.booleans(),
    duration_ms=st.integers(0, 2**40),
    cost_usd=amounts,
    turns_used=counts,
    tool_calls=st.lists(st.builds(ToolCall, words, words, counts, counts, counts), max_size=3).map(tuple),
    judge_scores=st.none() | st.dictionaries(words, st.floats(1, 5), max_size=3),
    error=st.none() | words,
)


def test_unknown_fields_of_a_result_are_ignored_and_missing_ones_unknown() -> None:
    result = from_json(
        {"name": "order", "suite": "gbrowse", "tier": 2, "passed": True, "duration_ms": 5, "color": "red"}
    )
    assert (result.cost_usd, result.turns_used, result.chars_out) == (None, None, None)


@tried
@given(results)
def test_result_written_as_json_is_read_back(result: Result) -> None:
    assert from_json(json.loads(json.dumps(asdict(result)))) == result
