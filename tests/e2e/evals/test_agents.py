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
from tests.evals import benchmarks, live, runner, store
from tests.evals.agents import AGENTS, Agent
from tests.evals.attempt import FLOOD, Attempt
from tests.evals.benchmarks.places import Places
from tests.evals.result import Result, Tokens
from tests.evals.run import Setting
from tests.evals.sites.rough import Rough
from tests.evals.sites.server import served
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

    def have(self, agent: Agent, prompt: str, *, seconds: float = 60, check: Check = check) -> Result:
        task = Task("visit", "fill", Wizard, prompt, pose, check, lambda browser, told: "", frozenset())
        return self.try_at(replace(task, limits=Limits(turns=7, seconds=seconds)), agent)

    def try_at(self, task: Task, agent: Agent = AGENTS["claude"]) -> Result:
        return Attempt(agent, "model-b", path_of_chromium(), self.store, self.heartbeat).at(task, 1)

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


def test_an_agent_that_stalls_is_a_timeout_with_its_turn_and_last_call(agent_runner: AgentRunner) -> None:
    prompt = "$ setsid sleep 300 >/dev/null 2>&1 &\n$ echo two\nIGNORE SIGTERM\nSTALL {url}"
    # on a busy machine the first words take one
    result = agent_runner.have(AGENTS["claude"], prompt, seconds=6)
    assert (result.passed, result.exit_reason, result.timeout_at_turn) == (False, "timeout", 2)
    assert result.last_tool_call == "Bash echo two"
    assert (result.cost_usd, result.tokens) == (None, None)
    assert result.longest_pause_ms is not None
    assert 0 < result.longest_pause_ms <= result.duration_ms
    assert agent_runner.read_failure()["exit_code"] == -9
    until(lambda: not left_behind())  # what was killed may take a moment to end


def test_ends_of_agents(agent_runner: AgentRunner) -> None:
    crashed = agent_runner.have(AGENTS["claude"], "CRASH {url}")
    assert (crashed.passed, crashed.exit_reason) == (False, "exit_code_1")
    assert "the connection was lost" in agent_runner.read_failure()["stderr"]
    assert agent_runner.have(AGENTS["claude"], "TURNS {url}").exit_reason == "error_max_turns"
    missing = agent_runner.have(replace(AGENTS["claude"], name="no-such-agent"), "{url}")
    assert (missing.passed, missing.exit_reason) == (False, "exit_code_127")
    assert missing.error == "no-such-agent could not be run: no program called no-such-agent is on the PATH"


def test_an_agent_that_floods_is_ended(agent_runner: AgentRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MOST_OUTPUT", 30_000)
    result = agent_runner.have(AGENTS["claude"], "BROKEN LINES\nSTALL {url}")
    assert (result.passed, result.exit_reason) == (False, FLOOD)


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


def test_a_task_of_webarena_is_opened_done_and_checked_in_its_browser(
    agent_runner: AgentRunner, tmp_path: Path
) -> None:
    """The file is our own, in WebArena's form."""
    rules = {
        "eval_types": ["string_match", "url_match", "program_html"],
        "reference_answers": {"must_include": ["saved"]},
        "reference_url": "__SHOPPING__/new",
        "program_html": [
            {"url": "last", "locator": "", "required_contents": {"must_include": ["Save ticket"]}},
            {"url": "last", "locator": "document.querySelector('input').value", "required_contents": {"exact_match": "Lamp"}},
            {"url": "__SHOPPING__/", "locator": "document.querySelector('h1').textContent", "required_contents": {"exact_match": "Tickets"}},
        ],
    }  # fmt: skip
    cookie = {"name": "who", "value": "ada", "domain": "127.0.0.1", "path": "/"}
    (tmp_path / "login.json").write_text(json.dumps({"cookies": [cookie], "origins": []}))
    raw = {
        "task_id": 3,
        "sites": ["shopping"],
        "start_url": "__SHOPPING__/new",
        "storage_state": "./login.json",
        "intent": "Fill in.\n$ gbrowse fill label=Title Lamp\n$ gbrowse cookies\nSAY Saved.",
        "eval": rules,
    }
    (tmp_path / "tasks.json").write_text(json.dumps([raw]))
    with served(Rough()) as (url, _):
        (task,) = benchmarks.tasks("webarena", str(tmp_path / "tasks.json"), Places((("SHOPPING", url),)))
        result = agent_runner.try_at(task)
    assert (result.error, result.passed, result.key) == (None, True, "gbrowse/webarena-3")
    assert '"who' in agent_runner.read_kept("gbrowse-webarena-3.ndjson").replace('\\"', '"')
    (unready,) = benchmarks.tasks("webarena", str(tmp_path / "tasks.json"), Places())
    result = agent_runner.try_at(unready)
    assert (result.exit_reason, result.error) == ("cannot", "no address is known: --site shopping=URL")
