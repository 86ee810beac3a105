"""Solve tasks by commands alone within a run.

Typed words and output are kept, the heartbeat is told, failures are pictured.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.process import HungError
from tests.evals.conduct import Test
from tests.evals.guard import Guard
from tests.evals.live import Heartbeat
from tests.evals.result import Result, ToolCall
from tests.evals.sets import OWN, TaskSet
from tests.evals.shell import Shell
from tests.evals.solve import Observer, run_scripted
from tests.evals.store import EvidenceFolder

MOST_PRINTED = 100_000
"""Characters of one reply that are kept."""


@dataclass(frozen=True)
class Scripted:
    """Solves tests of a run; in processes of its own with `--jobs`, where there is no heartbeat to tell."""

    root: Path
    run: str
    seed: int
    heartbeat: Heartbeat | None = None
    tasks: TaskSet = OWN
    guard: Guard = field(default_factory=Guard)

    def __call__(self, test: Test) -> Result:
        keeper = Keeper(EvidenceFolder(self.root, self.run, test.key, self.guard), self.heartbeat)
        return run_scripted(self.tasks.named(test.name), test.suite, self.seed, keeper)


@dataclass
class Keeper(Observer):
    """Keeps what a solver types and reads."""

    evidence: EvidenceFolder
    heartbeat: Heartbeat | None
    calls: int = 0

    def heard(self, call: ToolCall, printed: str) -> None:
        self.calls += 1
        said = {"typed": call.input, "code": call.code, "ms": call.ms, "printed": printed[:MOST_PRINTED]}
        self.evidence.spoken(json.dumps(said).encode() + b"\n")
        if self.heartbeat:
            self.heartbeat.change(tools=self.calls, last_tool=call.input[:200])

    def failed(self, work: Shell) -> None:
        if not work.contestant.can("screenshot"):
            return
        with suppress(HungError):
            work.contestant.run("screenshot", deadline=20)
        if (shot := work.workspace / "shot.png").exists():
            self.evidence.picture(shot)
