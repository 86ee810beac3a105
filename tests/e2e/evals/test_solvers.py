"""Tasks solved by gbrowse's commands alone. All of them: `bin/evals run`."""

import pytest

from tests.evals.solve import run_scripted
from tests.evals.task import AGENT_BROWSER, GBROWSE
from tests.evals.tasks import named


@pytest.mark.parametrize("name", ["frame-card", pytest.param("upload-drop", marks=pytest.mark.slow)])
def test_a_task_is_solved_by_commands(name: str) -> None:
    result = run_scripted(named(name), GBROWSE, seed=11)
    assert (result.error, result.passed, result.exit_reason) == (None, True, "success")
    assert (result.key, result.turns_used) == (f"gbrowse/{name}", len(result.tool_calls))
    assert result.tool_calls[0].input.startswith("gbrowse goto http://127.0.0.1:")
    assert result.chars_in == sum(len(call.input) for call in result.tool_calls)
    assert result.chars_out == sum(call.output_chars or 0 for call in result.tool_calls)
    assert not result.browse_errors


def test_task_that_a_tool_does_not_support_is_not_tried() -> None:
    result = run_scripted(named("upload-drop"), AGENT_BROWSER, seed=11)
    assert (result.passed, result.exit_reason, result.tool_calls) == (False, "cannot", ())
    assert "drops a file" in str(result.error)
