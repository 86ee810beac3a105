"""Test runs from their first test to their last, kept after each test."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evals.agents import AGENTS
from tests.evals.cli import main
from tests.evals.conduct import BROKEN, Test, conduct
from tests.evals.result import Result
from tests.evals.run import Run, Setting
from tests.evals.store import Store, runs
from tests.unit.evals.made import outcome

SETTING = Setting(agent="scripted")
TESTS = [Test(name, "gbrowse") for name in ("one", "two", "three")]


def solve(test: Test) -> Result:
    return Result(test.name, test.suite, test.tier, test.name != "two", 5, turns_used=3)


def test_each_result_is_kept_and_a_mistake_in_one_tests_code_fails_that_test(tmp_path: Path) -> None:
    seen = []

    def record_and_solve(test: Test) -> Result:
        seen.append((test.key, [each.name for each in runs(tmp_path)[0].tests]))
        return solve(test)

    run = conduct(TESTS, record_and_solve, Store(tmp_path, SETTING))
    assert seen == [("gbrowse/one", []), ("gbrowse/two", ["one"]), ("gbrowse/three", ["one", "two"])]
    assert run.passed == 2

    def mistaken(test: Test) -> Result:
        if test.name == "two":
            raise KeyError("policy")
        return solve(test)

    run = conduct(TESTS, mistaken, Store(tmp_path, SETTING))
    outcomes = [(test.passed, test.exit_reason) for test in run.tests]
    assert outcomes == [(True, "success"), (False, BROKEN), (True, "success")]
    assert "KeyError at mistaken" in (run.tests[1].error or "")


def _finished(root: Path, test: Result) -> Run:
    store = Store(root, Setting(agent="scripted", branch="main"))
    store.add(test, 5)
    store.finish()
    return store.run


@pytest.fixture
def kept_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Keep two runs, of which the second is worse."""
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path))
    return [_finished(tmp_path, outcome()), _finished(tmp_path, outcome(passed=False, error="\x1b[2Jno order"))]


def test_compare_ends_with_1_on_a_regression_and_needs_runs_of_one_seed(
    kept_runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare"]) == 1
    assert "REGRESSION" in capsys.readouterr().out
    assert main(["compare", kept_runs[1].name, kept_runs[0].name]) == 0
    assert "fixed" in capsys.readouterr().out
    other = replace(kept_runs[0], name="e2e-20270101-000000", seed=8)
    (tmp_path / "evals" / f"{other.name}.json").write_text(json.dumps(other.to_json()))
    assert main(["compare", kept_runs[0].name, other.name]) == 2
    assert f"{kept_runs[0].name} has the seed {kept_runs[0].seed} and {other.name} 8" in capsys.readouterr().err
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path / "new"))
    assert main(["compare"]) == 2
    assert "There are no runs; the first one: bin/evals run" in capsys.readouterr().err


KEY = {"EVALS": "1", "CODEX_API_KEY": "k", "PATH": "/nowhere"}


@pytest.mark.parametrize(("line", "set_", "said"), [
    ("run --solver claude", {}, "--solver claude costs money: say so with EVALS=1"),
    ("run --solver codex", {"EVALS": "1"}, "codex is let in by CODEX_API_KEY or OPENAI_API_KEY"),
    ("miniwob --solver codex", KEY, "no program called codex is on the PATH"),
    ("miniwob --task click-* --write-docs", {}, "--write-docs wants a whole scripted run"),
    ("run --task no-such-task", {}, "no task is called no-such-task"),
])  # fmt: skip
def test_a_run_that_may_not_be_is_refused_before_anything_is_written(
    line: str, set_: dict[str, str], said: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path / "kept"))
    for name in ("EVALS", *AGENTS["codex"].keys):
        monkeypatch.delenv(name, raising=False)
    for name, value in set_.items():
        monkeypatch.setenv(name, value)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        assert main(line.split()) == 2
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert said in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()
