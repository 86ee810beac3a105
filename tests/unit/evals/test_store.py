"""Test runs on the disk: written after each test, kept when killed, never in a test's way.

They are read whatever the files hold.
"""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.evals.guard import Guard
from tests.evals.junit import junit
from tests.evals.result import Result
from tests.evals.run import Run, Setting, run_from_json
from tests.evals.store import PARTIAL, Store, file_name, runs
from tests.unit.hostile import tried

SETTING = Setting("0.3", "main", "abc", False, "host", 2, "scripted")
NOON = datetime(2026, 3, 14, 14, 30, 22, tzinfo=UTC)


def result(name: str = "order", *, passed: bool = True, **more: object) -> Result:
    return replace(Result(name, "gbrowse", 2, passed, 1500), **more)


def begin_store(root: Path, **more: object) -> Store:
    return Store(root, SETTING, now=NOON, **more)


def added(store: Store, *tests: Result) -> Run:
    for test in tests:
        store.add(store.run.with_test(test, 10))
    return store.run


def test_the_partial_run_is_there_after_each_test_and_after_the_end(tmp_path: Path) -> None:
    store = begin_store(tmp_path)
    partial = tmp_path / "evals" / PARTIAL
    assert json.loads(partial.read_text())["_partial"] is True
    run = added(store, result("one"), result("two", passed=False))
    assert [test["name"] for test in json.loads(partial.read_text())["tests"]] == ["one", "two"]
    assert [(each.name, each.is_partial, each.failed) for each in runs(tmp_path)] == [(run.name, True, 1)]
    written = store.finish(run)
    assert written == tmp_path / "evals/e2e-20260314-143022.json"
    assert [(each.name, each.is_partial) for each in runs(tmp_path)] == [(run.name, False)]
    assert partial.exists()


def test_a_run_file_is_read_back_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    run = added(begin_store(tmp_path, seed=7), result("one", cost_usd=0.5), result("two"))
    written = run.to_json()
    assert (written["total_cost_usd"], written["total_duration_ms"], written["total_tests"]) == (0.5, 3000, 2)
    assert run_from_json(json.loads(json.dumps(written)), "x") == run
    stores = [begin_store(tmp_path / "same second") for _ in range(3)]
    files = [store.finish(added(store, result())) for store in stores]
    expected = ["e2e-20260314-143022.json", "e2e-20260314-143022-2.json", "e2e-20260314-143022-3.json"]
    assert [file.name for file in files if file] == expected


@each([True, False])
def test_a_run_beside_another_or_after_a_killed_one_leaves_its_results(is_alone: bool, tmp_path: Path) -> None:
    place = tmp_path / str(is_alone)
    first = added(begin_store(place), result("one"))
    second = begin_store(place, alone=is_alone)
    second.finish(added(second, result("two")))
    expected = [(first.name, ["one"], True), (second.run.name, ["two"], False)]
    found = [(run.name, [test.name for test in run.tests], run.is_partial) for run in runs(place)]
    assert found == expected


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"schema_version": 2, "tests": []}', b"\xff", b"[" * 90_000, b'{"tests": 3}'],
)
def test_a_broken_file_hides_no_other(tmp_path: Path, content: bytes) -> None:
    store = begin_store(tmp_path)
    store.finish(added(store, result()))
    (tmp_path / "evals/e2e-20250101-000000.json").write_bytes(content)
    (tmp_path / "evals" / PARTIAL).write_bytes(content)
    assert [run.name for run in runs(tmp_path)] == [store.run.name]
    again = Store(tmp_path, SETTING)
    again.finish(added(again, result()))
    assert len(runs(tmp_path)) == 2


def test_broken_results_names_and_mistakes_of_ours_are_told_apart() -> None:
    raw = Run("e2e-1", "", SETTING, (result("one"),)).to_json()
    raw["tests"] = [3, {"name": 1}, *raw["tests"], {}]  # type: ignore[misc]
    assert [test.name for test in run_from_json(raw, "x").tests] == ["one"]
    raw = Run("../../etc", "", SETTING).to_json()
    assert run_from_json(raw, "e2e-1").name == "e2e-1"
    with pytest.raises(KeyError), Guard()("Anything"):
        raise KeyError


def test_a_directory_that_cannot_be_made_is_said_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    store = begin_store(tmp_path / "file")
    for _ in range(3):
        added(store, result())
        store.progress("x")
    assert store.finish(store.run) is None
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(set(said))
    assert any("The results so far could not be written, the run goes on" in line for line in said)


@tried
@given(st.text())
def test_any_name_of_a_test_is_one_files(name: str) -> None:
    made = file_name(name)
    assert made
    assert "/" not in made
    assert not made.startswith(".")
    assert len(made.encode()) <= 100


@tried
@given(st.text(), st.text())
def test_any_words_are_xml(name: str, error: str) -> None:
    run = Run("e2e-1", "", SETTING, (result(name, passed=False, error=error), result("other")))
    assert len(ET.fromstring(junit(run)).findall(".//testcase")) == 2


def test_a_task_not_solved_is_a_failure_and_a_run_that_broke_off_an_error() -> None:
    failed = result("b", passed=False, error="no order")
    tests = (result("a"), failed, result("c", passed=False, exit_reason="error_api"))
    read = ET.fromstring(junit(Run("e2e-1", "", SETTING, tests)))
    assert [(read.get(name)) for name in ("tests", "failures", "errors")] == ["3", "1", "1"]
    assert [case[0].tag if len(case) else "" for case in read.iter("testcase")] == ["", "failure", "error"]
