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
from tests.unit.evals.made import outcome, run_of

SETTING = Setting(agent="scripted")
TESTS = [Test(name, "gbrowse") for name in ("one", "two", "three")]


def solve(test: Test) -> Result:
    return Result(test.name, test.suite, test.tier, test.name != "two", 5, turns_used=3)


def test_each_result_is_told_and_kept_before_the_next_test_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def record_and_solve(test: Test) -> Result:
        seen.append((test.key, [each.name for each in runs(tmp_path)[0].tests]))
        return solve(test)

    run = conduct(TESTS, record_and_solve, Store(tmp_path, SETTING))
    assert seen == [("gbrowse/one", []), ("gbrowse/two", ["one"]), ("gbrowse/three", ["one", "two"])]
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["✓ gbrowse/one  3 calls  0.0s", "✗ gbrowse/two  3 calls  0.0s"]
    assert run.passed == 2


def test_a_mistake_in_one_tests_code_fails_that_test_and_an_exit_all(tmp_path: Path) -> None:
    def mistaken(test: Test) -> Result:
        if test.name == "two":
            raise KeyError("policy")
        return solve(test)

    def interrupted(test: Test) -> Result:
        raise SystemExit(130)

    run = conduct(TESTS, mistaken, Store(tmp_path, SETTING))
    outcomes = [(test.passed, test.exit_reason) for test in run.tests]
    assert outcomes == [(True, "success"), (False, BROKEN), (True, "success")]
    assert "KeyError at mistaken" in (run.tests[1].error or "")
    with pytest.raises(SystemExit):
        conduct(TESTS, interrupted, Store(tmp_path, SETTING))


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


def test_compare_ends_with_1_on_a_regression_and_needs_runs(
    kept_runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare"]) == 1
    assert "REGRESSION" in capsys.readouterr().out
    assert main(["compare", kept_runs[1].name, kept_runs[0].name]) == 0
    assert "fixed" in capsys.readouterr().out
    assert main(["compare", kept_runs[0].name, kept_runs[0].name]) == 0
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path / "new"))
    assert main(["compare"]) == 2
    assert "There are no runs; the first one: bin/evals run" in capsys.readouterr().err
    _finished(tmp_path / "new", outcome())
    assert main(["compare"]) == 0
    assert "to compare it with" in capsys.readouterr().out


@pytest.mark.usefixtures("kept_runs")
def test_runs_are_listed_by_tier_and_name_and_sanitised(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in (["show"], ["list"], ["compare"]):
        assert main(words) == (words == ["compare"])
    assert "\x1b" not in capsys.readouterr().out
    assert main(["show", "nothing"]) == 2
    assert main(["list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_runs_of_different_seeds_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path))
    (folder := tmp_path / "evals").mkdir()
    runs = [replace(run_of(outcome(), after_minutes=at), seed=seed) for at, seed in enumerate((7, 8, 8))]
    for run in runs:
        (folder / f"{run.name}.json").write_text(json.dumps(run.to_json()))
    names = [run.name for run in runs]
    assert main(["compare", names[0], names[1]]) == 2
    said = capsys.readouterr().err
    assert f"{names[0]} has the seed 7 and {names[1]} 8: their tasks have other names and numbers" in said
    assert said.rstrip().endswith("bin/evals run --seed 7")
    assert main(["compare", names[1], names[2]]) == 0


KEY = {"EVALS": "1", "CODEX_API_KEY": "k", "PATH": "/nowhere"}


@pytest.mark.parametrize(("line", "set_", "said"), [
    ("run --solver claude", {}, "--solver claude costs money: say so with EVALS=1"),
    ("run --solver codex", {"EVALS": "1"}, "codex is let in by CODEX_API_KEY or OPENAI_API_KEY"),
    ("miniwob --solver codex", KEY, "no program called codex is on the PATH"),
    ("run --write-docs", {}, "--write-docs wants a whole scripted run with --tool all"),
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
