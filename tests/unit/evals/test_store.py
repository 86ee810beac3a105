"""Test runs on the disk: stored after each test without failing it, read whatever the files hold."""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.each import each
from tests.evals.result import Result, ToolCall, from_json
from tests.evals.run import Setting
from tests.evals.store import Store, runs

SETTING = Setting("0.3", "main", "abc", False, 2, "scripted")
NOON = datetime(2026, 3, 14, 14, 30, 22, tzinfo=UTC)


def result(name: str = "order", *, passed: bool = True, **more: object) -> Result:
    return replace(Result(name, "gbrowse", 2, passed, 1500), **more)


def test_a_run_is_read_after_each_test_and_after_the_end_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    store = Store(tmp_path, SETTING, seed=7, now=NOON)
    for number, test in enumerate((result("one", cost_usd=0.5), result("two", passed=False)), 1):
        store.add(test, 10)
        (run,) = runs(tmp_path)
        assert (run, len(run.tests), run.is_partial) == (store.run, number, True)
    assert store.finish()
    (run,) = runs(tmp_path)
    assert (run, run.is_partial, run.cost_usd) == (store.run, False, 0.5)
    assert Store(tmp_path, SETTING, now=NOON).run.name == "e2e-20260314-143022-2"


def test_result_written_as_json_is_read_back() -> None:
    call = ToolCall("gbrowse", "gbrowse url", 9, 5, 4)
    whole = result(
        cost_usd=0.5, turns_used=3, tool_calls=(call,), judge_scores={"clarity": 4.0}, error="no order"
    )
    assert from_json(json.loads(json.dumps(asdict(whole))) | {"color": "red"}) == whole


@each(
    [b"", b"{", b"[]", b"null", b'{"schema_version": 1, "tests": []}', b'{"schema_version": 2}', b"\xff"],
)
def test_a_broken_file_is_named_and_hides_no_other(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path, SETTING)
    (tmp_path / "evals/e2e-20250101-000000.json").write_bytes(content)
    assert store.run in runs(tmp_path)
    assert "e2e-20250101-000000.json: cannot be read: " in capsys.readouterr().err
