"""Test what a task costs with each tool, and that the documents have the measured figures."""

from pathlib import Path

import pytest

from tests.evals import calls, costs, tasks
from tests.evals.result import ToolCall
from tests.evals.task import TOOLS
from tests.unit.evals.made import outcome, run_of

RUN = run_of(
    outcome("order", chars_in=50, tool_calls=tuple(ToolCall("gbrowse", "url", ms=ms) for ms in (500, 300, 40))),
    outcome("order", suite="agent-browser", chars=8000, chars_in=60),
    outcome("order", suite="playwright-cli", chars=16000, chars_in=70),
    outcome("upload", chars=100),
    outcome("upload", suite="agent-browser", passed=False, exit_reason="cannot"),
    outcome("upload", suite="playwright-cli", passed=False, error="no file"),
    outcome("other", suite="judge"),
)


def test_sums_are_over_what_every_tool_solved() -> None:
    assert costs.markdown(costs.costs(RUN), with_tasks=False) == (
        "| | gbrowse | agent-browser | playwright-cli |\n"
        "|---|---:|---:|---:|\n"
        "| tasks solved | 2 | 1 | 1 |\n"
        "| … failed | 0 | 0 | 1 |\n"
        "| … no way to do it | 0 | 1 | 0 |\n"
        "| calls | 3 | 0 | 0 |\n"
        "| … wasted | 0 | 0 | 0 |\n"
        "| characters to read | 4,000 | 8,000 | 16,000 |\n"
        "| … of the median task | 4,000 | 8,000 | 16,000 |\n"
        "| characters to type | 50 | 60 | 70 |\n"
        "| seconds | 3.0 | 3.0 | 3.0 |\n"
        "| … after the first 2 commands, in which the browser starts | 2.2 | 3.0 | 3.0 |\n"
        "\n"
        "The rows from `calls` on are of the 1 task that all of them solved.\n"
    )
    said = costs.markdown(costs.costs(RUN), with_tasks=True)
    assert "| `upload` | 0 · 100 · 3.0 | cannot | failed |" in said


def test_errors_and_looks_that_are_the_same_are_wasted() -> None:
    def call(words: str, code: int = 0, chars: int = 10, tool: str = "gbrowse") -> ToolCall:
        return ToolCall(tool, f"{tool} {words}", chars, code=code)

    said = [
        call("snapshot -i"),
        call("snapshot -i"),
        call("snapshot -i", chars=12),
        call("click @e3"),
        call("click @e3"),
        call("click @e3", code=5),
        call("expect text Paid", code=1),
        call("snapshot -i"),
    ]
    assert calls.wasted(outcome("order", tool_calls=tuple(said))) == 2
    peers = [call("click @e3", code=1, tool="agent-browser"), call("snapshot", tool="agent-browser")]
    assert calls.wasted(outcome("order", suite="agent-browser", tool_calls=tuple(peers))) == 1
    by_shell = ToolCall("Bash", "playwright-cli click e3", 10, code=1)
    assert calls.wasted(outcome("order", tool_calls=(by_shell,))) == 1


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "page.md"
    file.write_text(f"before\n{costs.BEGIN}old\n{costs.END}after\n")
    monkeypatch.setattr(costs, "FIGURES", tmp_path / "tasks.json")
    monkeypatch.setattr(costs, "DOCUMENTS", {file: True})
    return file


def test_only_a_whole_run_is_put_between_the_marks_and_can_be_made_again(document: Path) -> None:
    every = [outcome(task.name, suite=tool) for task in tasks.every() for tool in TOOLS]
    costs.write(run_of(*every))
    table = costs.markdown(costs.costs(run_of(*every)), with_tasks=True)
    assert f"| tasks solved | {' | '.join([str(len(tasks.every()))] * 3)} |" in table
    assert document.read_text() == f"before\n{costs.BEGIN}{table}{costs.END}after\n"
    assert costs.document_texts() == {document: document.read_text()}
    for run in (run_of(*every, partial=True), RUN):
        with pytest.raises(ValueError, match="is not a whole run"):
            costs.write(run)
    document.write_text("nothing")
    with pytest.raises(ValueError, match=r"page.md has no region"):
        costs.write(run_of(*every))


def test_documents_show_the_kept_figures() -> None:
    assert {path: path.read_text(encoding="utf-8") for path in costs.DOCUMENTS} == costs.document_texts()
