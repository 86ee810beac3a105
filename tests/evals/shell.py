"""Runs a tool's commands as an agent's shell would, in a workspace of its own, and records each."""

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.contestants import Contestant, Tool, entered
from tests.bench.process import HungError, TimedCommand, timed
from tests.evals.result import ToolCall

MOST_SECONDS = 60.0
"""For one command."""


class OutOfTimeError(Exception):
    """The task's time is over."""


@dataclass
class Shell:
    """Processes in a workspace, and what an agent has typed and read so far."""

    contestant: Contestant
    seconds: float = 300
    calls: list[ToolCall] = field(default_factory=list)
    chars_in: int = 0
    chars_out: int = 0
    begun: float = field(default_factory=time.monotonic)
    heard: Callable[[ToolCall, str], object] = lambda call, printed: None
    """Told of each call and of what it printed."""

    @property
    def workspace(self) -> Path:
        return self.contestant.workspace

    def tool(self, *words: str, stdin: str = "") -> TimedCommand:
        """Run a command of the tool. Raises OutOfTimeError."""
        tool = self.contestant.tool
        return self._run([*tool.program, *words], tool.name, shlex.join([tool.name, *words]), stdin)

    def program(self, *words: str) -> TimedCommand:
        """Run another program, such as `grep`. Raises OutOfTimeError."""
        return self._run(list(words), words[0], shlex.join(words), "")

    def _run(self, command: list[str], tool: str, typed: str, stdin: str) -> TimedCommand:
        left = self.seconds - (time.monotonic() - self.begun)
        environment = {**self.contestant.environment, "GSTACK_HOME": str(self.workspace / "home")}
        try:
            done = timed(
                command,
                cwd=self.workspace,
                environment=environment,
                stdin=stdin,
                deadline=max(min(left, MOST_SECONDS), 0.001),
            )
        except HungError as error:
            self._record(ToolCall(tool, typed, 0, round(min(left, MOST_SECONDS) * 1000), None), stdin, "")
            raise OutOfTimeError(f"no answer to: {typed}") from error
        read = len(done.output) + len(done.complaint)
        self._record(
            ToolCall(tool, typed, read, round(done.ms), done.code), stdin, done.output + done.complaint
        )
        return done

    def _record(self, call: ToolCall, stdin: str, printed: str) -> None:
        self.calls.append(call)
        self.heard(call, printed)
        self.chars_in += len(call.input) + len(stdin)
        self.chars_out += call.output_chars or 0


@contextmanager
def opened(tool: Tool, seconds: float) -> Iterator[Shell]:
    """A shell in a new workspace. Afterwards nothing that it started is left."""
    with entered(tool) as contestant:
        yield Shell(contestant, seconds)
