"""Test agents at work on a site: a program that speaks their streams and really runs `gbrowse`.

The site's database judges them.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.bench.contestants import MARK
from tests.bench.machine import path_of_chromium
from tests.e2e.daemon.harness import until
from tests.evals import live, runner, store
from tests.evals.agents import AGENTS, Agent
from tests.evals.attempt import Attempt
from tests.evals.result import Result, Tokens
from tests.evals.run import Setting
from tests.evals.sites.wizard import Wizard
from tests.evals.store import Store
from tests.evals.task import Case, Facts, Limits, Outcome, Task

PROGRAM = Path(__file__).with_name("agent_program.py")
WORK = "$ gbrowse goto {url}\n$ gbrowse text h1\n$ gbrowse --timeout 300 click '#nothing'\nSAY I was there"


def pose(case: Case) -> Facts:
    return {}


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    if not case.count_requests("/"):
        yield "nobody came to the site"
    if outcome.answer != "I was there":
        yield f"the answer is {outcome.answer!r}"


Check = Callable[[Case, Outcome], Iterator[str]]


class AgentRunner:
    """Puts prompts to agents, as `bin/evals run --solver …` does."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root, Setting(agent="claude"))
        self.heartbeat = live.begin(root, self.store.run.name, 1, "claude", is_shown=True)

    def have(self, agent: Agent, prompt: str, *, check: Check = check) -> Result:
        task = Task("visit", "fill", Wizard, prompt, pose, check, lambda browser, told: "", frozenset())
        attempt = Attempt(agent, "model-b", path_of_chromium(), self.store, self.heartbeat)
        return attempt.at(replace(task, limits=Limits(turns=7, seconds=60)), 1)

    def read_failure(self) -> dict[str, Any]:
        """Return what is kept of the failed visit."""
        found: dict[str, Any] = json.loads(self.read_kept("gbrowse-visit-failure.json"))
        return found

    def read_kept(self, name: str) -> str:
        return store.read_text(self.root, self.store.run.name, name)


@pytest.fixture
def agent_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentRunner:
    """Return a runner whose programs are found on the PATH, as real ones are."""
    place = tmp_path / "programs"
    place.mkdir()
    for name in ("claude", "codex"):
        file = place / name
        file.write_text(f"#!{sys.executable}\n" + PROGRAM.read_text())
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.3)
    return AgentRunner(tmp_path / "kept")


def left_behind() -> list[psutil.Process]:
    """Processes of workshops: everything that is started in one has its mark."""
    return [each for each in psutil.process_iter() if "/eval-" in _environment(each).get(MARK, "")]


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.Error:
        return {}


def test_claude_does_a_task(agent_runner: AgentRunner) -> None:
    result = agent_runner.have(AGENTS["claude"], WORK + "\nBROKEN LINES\n$ gbrowse clikc")
    assert (result.passed, result.exit_reason, result.error) == (True, "success", None)
    assert [(call.tool, call.code) for call in result.tool_calls] == [("Bash", code) for code in (0, 0, 4, 2)]
    assert result.tool_calls[1].output_chars == len("Your policy\n")
    assert (result.turns_used, result.cost_usd, result.tokens) == (5, 0.02, Tokens(10, 5, 3))
    assert result.browse_errors == ("Error: Unknown command: clikc",)
    assert result.model == "model-a"
    assert result.first_response_ms is not None
    assert result.longest_pause_ms is not None
    stream = agent_runner.read_kept("gbrowse-visit.ndjson")
    assert '"subtype": "init"' in stream
    assert '"mess\n' in stream
    assert "gbrowse/visit Bash gbrowse text h1" in agent_runner.read_kept("progress.log")
    beat = live.read(agent_runner.root)
    assert beat is not None
    assert (beat.tools, beat.last_tool) == (4, "Bash gbrowse clikc")
    assert agent_runner.read_kept("gbrowse-visit-failure.json") == ""


def test_codex_fails_a_task_and_what_is_known_of_that_is_kept(agent_runner: AgentRunner) -> None:
    result = agent_runner.have(AGENTS["codex"], "$ gbrowse goto {url}\nSAY I saw nothing")
    assert (result.passed, result.exit_reason) == (False, "success")
    assert (result.turns_used, result.cost_usd) == (2, None)
    assert result.error == "the answer is 'I saw nothing'"
    assert [(call.tool, call.code) for call in result.tool_calls] == [("command_execution", 0)]
    known = agent_runner.read_failure()
    assert known["error"] == result.error
    assert len(known["prompt"]) <= 500
    assert (
        store.read_bytes(agent_runner.root, agent_runner.store.run.name, "gbrowse-visit.png", 4) == b"\x89PNG"
    )
    until(lambda: not left_behind())  # what was killed may take a moment to end


def test_an_agent_knows_of_its_user_what_its_record_names(
    agent_runner: AgentRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setenv("OPENAI_API_KEY", "other key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("BROWSE_ALLOW", "nowhere")
    seen: dict[str, object] = {}

    def check_workspace(case: Case, outcome: Outcome) -> Iterator[str]:
        seen.update(json.loads((outcome.workspace / "facts.json").read_text()))
        skill = outcome.workspace / ".claude/skills/browse/SKILL.md"
        seen["skill"] = skill.read_text()
        yield from ()

    result = agent_runner.have(AGENTS["claude"], "TELL {url}", check=check_workspace)
    assert result.passed, result.error
    environment = seen["environment"]
    assert isinstance(environment, dict)
    assert environment["ANTHROPIC_API_KEY"] == "key"
    assert not {"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "BROWSE_ALLOW"} & set(environment)
    assert environment["HOME"] == str(Path(str(seen["cwd"])).parent / "home")
    assert environment["CLAUDE_CONFIG_DIR"].startswith(environment["HOME"])
    assert seen["files"] == [".claude", ".git"]
    assert "gbrowse" in str(seen["skill"])
    words = seen["words"]
    assert isinstance(words, list)
    assert words[:4] == ["-p", "--output-format", "stream-json", "--verbose"]
    assert words[words.index("--max-turns") + 1] == "7"
    assert words[words.index("--model") + 1] == "model-b"
    assert not Path(str(seen["cwd"])).exists()
