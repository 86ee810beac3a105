"""`bin/evals run` by commands alone: a whole run on a real site, and its files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evals.cli import main
from tests.evals.run import run_from_json

ROOT = Path(__file__).parents[3]
TASK = "wizard-complete"


def test_a_run_by_commands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path / "kept"))
    words = [sys.executable, "-m", "tests.evals", "run", "--task", TASK, "--seed", "7"]
    done = subprocess.run(
        words,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "GSTACK_EVAL_DIR": str(tmp_path / "kept")},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"✓ gbrowse/{TASK}" in done.stdout
    (file,) = (tmp_path / "kept/evals").glob("e2e-*.json")
    run = run_from_json(json.loads(file.read_text()))
    (test,) = run.tests
    assert (test.passed, run.seed, run.setting.agent) == (True, 7, "scripted")
    assert len(run.setting.git_sha) == 40
    stream = tmp_path / "kept/e2e-runs" / run.name / f"gbrowse-{TASK}.ndjson"
    said = [json.loads(line) for line in stream.read_text().splitlines()]
    assert [call["typed"] for call in said] == [call.input for call in test.tool_calls]
    assert "Your policy has the number" in said[-1]["printed"]
    assert not run.is_partial
    for command in ("list", "show"):
        assert main([command]) == 0
        assert run.name in capsys.readouterr().out
