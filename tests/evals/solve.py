"""Does a task by commands alone, with any tool, without a model, and keeps what was typed and printed.

What comes out is what the task costs at best with that tool: calls, characters to type and to read, time.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from tests.bench.contestants import Tool, gbrowse
from tests.bench.machine import path_of_chromium
from tests.bench.peers import installed
from tests.bench.process import HungError
from tests.evals import shell
from tests.evals.conduct import Test
from tests.evals.live import Heartbeat
from tests.evals.result import CANNOT, SUCCESS, TIMEOUT, Result, ToolCall
from tests.evals.sets import OWN, TaskSet
from tests.evals.shell import OutOfTimeError, Shell
from tests.evals.store import EvidenceFolder, Store
from tests.evals.task import AGENT_BROWSER, GBROWSE, PLAYWRIGHT_CLI, Case, Outcome, Task, Verdict, opened
from tests.evals.tools.agent_browser import AgentBrowser
from tests.evals.tools.browser import Browser, CannotError, CommandFailedError, LostError
from tests.evals.tools.gbrowse import Gbrowse
from tests.evals.tools.playwright_cli import PlaywrightCli

ADAPTERS: dict[str, type[Browser]] = {
    GBROWSE: Gbrowse,
    AGENT_BROWSER: AgentBrowser,
    PLAYWRIGHT_CLI: PlaywrightCli,
}
FAILED = "failed"
"""The exit reason where a command failed or something was not found."""
MOST_PRINTED = 100_000
"""Characters of one reply that are kept."""


@dataclass(frozen=True)
class Scripted:
    """Solves tests of a run."""

    store: Store
    heartbeat: Heartbeat
    seed: int
    tasks: TaskSet = OWN

    def __call__(self, test: Test) -> Result:
        keeper = Keeper(self.store.evidence(test.key), self.heartbeat)
        return run_scripted(self.tasks.named(test.name), test.suite, self.seed, keeper)


@dataclass
class Keeper:
    """Keeps what a solver types and reads."""

    evidence: EvidenceFolder
    heartbeat: Heartbeat
    calls: int = 0

    def heard(self, call: ToolCall, printed: str) -> None:
        self.calls += 1
        said = {"typed": call.input, "code": call.code, "ms": call.ms, "printed": printed[:MOST_PRINTED]}
        self.evidence.spoken(json.dumps(said).encode() + b"\n")
        self.heartbeat.change(tools=self.calls, last_tool=call.input[:200])

    def failed(self, work: Shell) -> None:
        if not work.contestant.can("screenshot"):
            return
        with suppress(HungError):
            work.contestant.run("screenshot", deadline=20)
        if (shot := work.workspace / "shot.png").exists():
            self.evidence.picture(shot)


def run_scripted(task: Task, tool: str, seed: int, keeper: "Keeper") -> Result:
    """Solve a new case of a task with a tool's commands, and check the result."""
    if reason := task.cannot.get(tool):
        return _result(task, tool, None, Verdict((reason,)), CANNOT, 0)
    with opened(task, seed) as case, shell.opened(program(tool), task.limits.seconds) as work:
        case.lay_out(work.workspace)
        work.heard = keeper.heard
        begun = time.monotonic()
        answer, reason, error = _solved(task, case, tool, work)
        milliseconds = round((time.monotonic() - begun) * 1000)
        verdict = task.judge(case, Outcome(answer, work.workspace))
        if error:
            verdict = Verdict((error, *verdict.problems))
        if not verdict.passed and reason != CANNOT:
            keeper.failed(work)
        return _result(task, tool, work, verdict, reason, milliseconds)


def _solved(task: Task, case: Case, tool: str, work: Shell) -> tuple[str, str, str]:
    """The answer, how the work ended, and what went wrong."""
    try:
        return task.solver_for(tool)(ADAPTERS[tool](work), case.told), SUCCESS, ""
    except CannotError as error:
        return "", CANNOT, str(error)
    except OutOfTimeError as error:
        return "", TIMEOUT, str(error)
    except (CommandFailedError, LostError) as error:
        return "", FAILED, str(error)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return "", FAILED, f"what was printed could not be read: {error!r}"


def _result(
    task: Task, tool: str, work: Shell | None, verdict: Verdict, reason: str, milliseconds: int
) -> Result:
    calls = tuple(work.calls) if work else ()
    return Result(
        name=task.name,
        suite=tool,
        tier=2,
        passed=verdict.passed,
        duration_ms=milliseconds,
        turns_used=len(calls),
        tool_calls=calls,
        chars_in=work.chars_in if work else 0,
        chars_out=work.chars_out if work else 0,
        browse_errors=tuple(f"exit 6: {call.input}" for call in calls if tool == GBROWSE and call.code == 6),
        exit_reason=reason,
        last_tool_call=calls[-1].input if calls else None,
        detected_bugs=verdict.detected_bugs,
        missed_bugs=verdict.missed_bugs,
        false_positives=verdict.false_positives,
        evidence_quality=verdict.evidence_quality,
        error="; ".join(verdict.problems) or None,
    )


def program(tool: str) -> Tool:
    """How a tool is run. Peers are installed when first asked for, the newest release of each."""
    return gbrowse()[0] if tool == GBROWSE else _peers()[tool]


@cache
def _peers() -> dict[str, Tool]:
    return {tool.name: tool for tool in installed(path_of_chromium())}
