"""Define the result of a test, which is stored, compared and shown. Pure.

Every solver makes it.

What is not known is None, never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

SUCCESS, TIMEOUT, ERROR_API = "success", "timeout", "error_api"
CANNOT = "cannot"
"""Exit reasons; `cannot`: the tool has no way to do the task; `exit_code_3` and what a program's own stream calls its end are others."""
Json = Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool: for a scripted solver a command, for an agent what its stream tells."""

    tool: str
    """`gbrowse`, `agent-browser`, `Bash`, …"""
    input: str
    output_chars: int | None = None
    ms: int | None = None
    code: int | None = None
    """The exit code, where one is known."""


@dataclass(frozen=True)
class Result:
    """Result of a test in a run. `suite` and `name` together are its identity from run to run."""

    name: str
    suite: str
    """What is tested: `gbrowse` or a peer that the tasks are solved with, `judge` for skills."""
    tier: int
    passed: bool
    duration_ms: int
    cost_usd: float | None = None
    turns_used: int | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    chars_in: int | None = None
    """Characters of all commands together."""
    chars_out: int | None = None
    """Characters that the commands printed: what an agent has to read."""
    exit_reason: str = SUCCESS
    model: str | None = None
    judge_scores: Mapping[str, float] | None = None
    judge_reasoning: str | None = None
    error: str | None = None
    """Why the test failed, in words."""

    @property
    def key(self) -> str:
        """The identity of the test: `gbrowse/shop-order`."""
        return f"{self.suite}/{self.name}"

    @property
    def is_failure(self) -> bool:
        """Whether the test failed."""
        return not self.passed and not self.is_open

    @property
    def is_open(self) -> bool:
        """Return whether the test neither passed nor failed: the tool has no way to do it."""
        return self.exit_reason == CANNOT

    @property
    def why(self) -> str:
        """Why the test did not pass; empty where it did."""
        if self.passed:
            return ""
        end = "not done" if self.exit_reason == SUCCESS else self.exit_reason
        return f"{end}: {self.error or 'no reason is known'}"


def from_json(raw: Json) -> Result:
    """Read a result that was written as JSON. Raises LookupError or TypeError for other JSON."""
    known = {field.name: raw[field.name] for field in fields(Result) if field.name in raw}
    return Result(**known | {"tool_calls": tuple(ToolCall(**call) for call in raw.get("tool_calls", ()))})
