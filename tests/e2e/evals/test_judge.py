"""Test a judge of skills: a program that speaks the stream of claude and gives scores.

The scores are kept and compared.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evals import store
from tests.evals.cli import main

PROGRAM = """
import json, os, sys
asked = sys.stdin.read()
def say(value): print(json.dumps(value), flush=True)
say({"type": "system", "subtype": "init", "model": "model-j", "tools": []})
reason = "\\x1b[31m" + str(len(asked)) + " characters of " + ("qa" if "name: qa" in asked else "another")
scores = {"clarity": 5, "completeness": 4, "actionability": int(os.environ["TZ"][-1])}
answer = "Here it is:\\n" + json.dumps({name: {"score": score, "reason": reason} for name, score in scores.items()})
if "--disallowedTools" not in sys.argv or os.listdir() or "EVALS" in os.environ:
    answer = "a judge has neither tools nor files, and does not know of the run"
if os.environ["TZ"] == "UTC0":
    answer = "Quite good, really."
say({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": answer}]}})
used = {"model-j": {"inputTokens": 9, "outputTokens": 3, "cacheReadInputTokens": 0}}
say({"type": "result", "subtype": "success", "is_error": False, "result": answer, "num_turns": 1, "total_cost_usd": 0.01, "modelUsage": used})
"""
Have = Callable[[int], tuple[int, str]]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Have:
    """Return a function that has the skill `qa` judged with so many points for how actionable it is.

    The number goes by the time zone, which a judge gets to know.
    """
    program = tmp_path / "programs/claude"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path / "kept"))
    monkeypatch.setenv("EVALS", "1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")

    def have(points: int) -> tuple[int, str]:
        monkeypatch.setenv("TZ", f"UTC{points}")
        code = main(["run", "--tier", "3", "--solver", "claude", "--task", "qa"])
        return code, capsys.readouterr().out

    return have


def test_scores_and_reasons_are_kept_and_compared(
    judge: Have, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = judge(5)
    assert code == 0
    assert "✓ judge/qa  1 turn" in said
    code, said = judge(3)
    assert code == 1
    assert "actionability is 3 of 5" in said
    before, after = store.runs(tmp_path / "kept")
    assert [run.setting.tier for run in (before, after)] == [3, 3]
    (test,) = after.tests
    assert test.judge_scores == {"clarity": 5, "completeness": 4, "actionability": 3}
    assert (test.model, test.cost_usd, test.exit_reason) == ("model-j", 0.01, "success")
    assert str(test.judge_reasoning).splitlines()[2].startswith("actionability 3: ")
    assert str(test.judge_reasoning).endswith("characters of qa")
    kept = store.read_text(tmp_path / "kept", after.name, "judge-qa.ndjson")
    assert json.loads(kept.splitlines()[0])["model"] == "model-j"
    assert main(["compare"]) == 1
    said = capsys.readouterr().out
    assert "REGRESSION: judge/qa" in said
    assert "lower: judge/qa actionability 5 → 3" in said
    assert main(["show"]) == 0
    said = capsys.readouterr().out
    assert "clarity 5  completeness 4  actionability 3" in said
    assert "\x1b" not in said


def test_an_answer_without_scores_is_no_judgement(judge: Have, tmp_path: Path) -> None:
    assert judge(0)[0] == 1
    (run,) = store.runs(tmp_path / "kept")
    (test,) = run.tests
    assert (test.passed, test.exit_reason, test.judge_scores) == (False, "error_judge", None)
    assert test.error == "the judge gave no score from 1 to 5 for clarity: Quite good, really."


@pytest.mark.parametrize(
    ("unset", "words", "reason"),
    [
        ("EVALS", ["--solver", "claude"], "costs money: say so with EVALS=1"),
        ("ANTHROPIC_API_KEY", ["--solver", "claude"], "claude is let in by ANTHROPIC_API_KEY or"),
        ("", [], "tier 3 takes a model as a judge: --solver claude or codex"),
        ("", ["--solver", "gemini"], "tier 3 takes a model as a judge: --solver claude or codex"),
        ("", ["--solver", "claude", "--task", "none"], "no skill is called none"),
    ],
)
def test_a_judge_is_asked_only_by_who_says_so(
    judge: Have,
    unset: str,
    words: list[str],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", unset):
        monkeypatch.delenv(name, raising=False)
    assert main(["run", "--tier", "3", *words]) == 2
    assert reason in capsys.readouterr().err
