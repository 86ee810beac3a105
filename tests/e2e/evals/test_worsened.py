"""Test that the run of a release with a worse reply shows a regression beside the run of this one."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.contestants import ROOT, gbrowse
from tests.evals import solve
from tests.evals.compare import compared
from tests.evals.result import Result
from tests.evals.run import Run, Setting
from tests.evals.solve import run_scripted
from tests.evals.task import GBROWSE
from tests.evals.tasks import named

CLIENT = "import sys; sys.path.append(sys.argv.pop(1)); from gstack_browse.client.main import main; main()"
Worsen = Callable[[str, str, str], None]


def solved(task: str) -> Run:
    result: Result = run_scripted(named(task), GBROWSE, seed=7)
    assert result.passed, result.error
    return Run("run", "", Setting(agent="scripted"), (result,))


@pytest.fixture
def worsen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Worsen:
    """Makes solvers use a copy of gbrowse in which some words of a file are others."""
    shutil.copytree(
        ROOT / "gstack_browse", tmp_path / "gstack_browse", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    program = [sys.executable, "-I", "-S", "-X", "utf8", "-c", CLIENT, str(tmp_path)]

    def change(file: str, old: str, new: str) -> None:
        path = tmp_path / "gstack_browse" / file
        content = path.read_text(encoding="utf-8")
        assert old in content
        path.write_text(content.replace(old, new), encoding="utf-8")
        monkeypatch.setattr(solve, "program", lambda tool: replace(gbrowse()[0], program=program))

    return change


@pytest.mark.slow  # four daemons; how runs are compared is in tests/unit/evals/test_compare.py
def test_snapshot_without_fields_and_buttons_is_a_regression_in_calls(worsen: Worsen) -> None:
    before = solved("wizard-complete")
    worsen("snapshot/tree.py", '"button", "link", "textbox",', '"link",')
    comparison = compared(before, solved("wizard-complete"))
    (pair,) = comparison.dearer
    assert comparison.is_worse
    assert pair.calls.difference >= 3
