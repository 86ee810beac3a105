"""Do a task by commands alone, with any tool, without a model, and keep what was typed and printed.

What comes out is what the task costs at best with that tool: calls, characters to type and to read, time.
"""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from tests.bench.contestants import Tool, gbrowse
from tests.bench.machine import path_of_chromium
from tests.bench.peers import installed
from tests.bench.process import HungError
from tests.evals import shell
from tests.evals.conduct import Test
from tests.evals.result import CANNOT, SUCCESS, TIMEOUT, Result, ToolCall
from tests.evals.shell import OutOfTimeError, Shell
from tests.evals.store import Store
from tests.evals.task import GBROWSE, Case, Outcome, Task, opened
from tests.evals.tools.agent_browser import AgentBrowser
from tests.evals.tools.browser import Browser, CannotError, CommandFailedError, LostError
from tests.evals.tools.gbrowse import Gbrowse
from tests.evals.tools.playwright_cli import PlaywrightCli

ADAPTERS: dict[str, type[Browser]] = {each.name: each for each in (Gbrowse, AgentBrowser, PlaywrightCli)}
FAILED = "failed"
"""The exit reason where a command failed or something was not found."""
MOST_PRINTED = 100_000
"""Characters of one reply that are kept."""


@dataclass(frozen=True)
class Scripted:
    """Solves tests of a run: a new case of a task with a tool's commands, and a look at the result."""

    store: Store
    seed: int
    tasks: Mapping[str, Task]

    def __call__(self, test: Test) -> Result:
        task, tool = self.tasks[test.name], test.suite
        if reason := task.cannot.get(tool):
            return Result(test.name, tool, test.tier, False, 0, exit_reason=CANNOT, error=reason)
        with opened(task, self.seed) as case, shell.opened(program(tool), task.limits.seconds) as work:
            case.lay_out(work.workspace)
            work.heard = lambda call, printed: self._keep(test, call, printed)
            begun = time.monotonic()
            answer, reason, error = _solved(task, case, tool, work)
            milliseconds = round((time.monotonic() - begun) * 1000)
            problems = case.problems(Outcome(answer, work.workspace))
            if error:
                problems = [error, *problems]
            if problems and reason != CANNOT:
                self._keep_picture(test, work)
        return Result(
            test.name,
            tool,
            test.tier,
            passed=not problems,
            duration_ms=milliseconds,
            turns_used=len(work.calls),
            tool_calls=tuple(work.calls),
            chars_in=work.chars_in,
            chars_out=work.chars_out,
            exit_reason=reason,
            error="; ".join(problems) or None,
        )

    def _keep(self, test: Test, call: ToolCall, printed: str) -> None:
        said = {"typed": call.input, "code": call.code, "ms": call.ms, "printed": printed[:MOST_PRINTED]}
        self.store.keep_lines(test.key, json.dumps(said).encode() + b"\n")

    def _keep_picture(self, test: Test, work: Shell) -> None:
        with suppress(HungError):
            work.contestant.run("screenshot", deadline=20)
        if (shot := work.workspace / "shot.png").exists():
            self.store.keep_picture(test.key, shot)


def _solved(task: Task, case: Case, tool: str, work: Shell) -> tuple[str, str, str]:
    """The answer, how the work ended, and what went wrong."""
    try:
        return task.solve_with(ADAPTERS[tool](work), case.told), SUCCESS, ""
    except CannotError as error:
        return "", CANNOT, str(error)
    except OutOfTimeError as error:
        return "", TIMEOUT, str(error)
    except (CommandFailedError, LostError) as error:
        return "", FAILED, str(error)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return "", FAILED, f"what was printed could not be read: {error!r}"


def program(tool: str) -> Tool:
    """How a tool is run. Peers are installed when first asked for, the newest release of each."""
    return gbrowse()[0] if tool == GBROWSE else _peers()[tool]


@cache
def _peers() -> dict[str, Tool]:
    return {tool.name: tool for tool in installed(path_of_chromium())}
