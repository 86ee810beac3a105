"""Define the result of a test, which is stored, compared and shown. Pure.

Every solver makes it.

What is not known is None, never 0. Reading is tolerant: a field of another type is as one that is missing, and an unknown
field is left out, so that files of other versions, and broken ones, can still be shown.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TypeVar

SUCCESS, TIMEOUT, ERROR_API, ERROR_MAX_TURNS = "success", "timeout", "error_api", "error_max_turns"
CANNOT, UNJUDGED = "cannot", "unjudged"
"""Exit reasons; `cannot`: the tool has no way to do the task; `unjudged`: it takes a judge to say whether it is done; `exit_code_3` and what a program's own stream calls its end are others."""
T = TypeVar("T")
Json = Mapping[str, object]


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
class Tokens:
    """Tokens of a model, as its program counts them."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None


@dataclass(frozen=True)
class Result:
    """Result of a test in a run. `suite` and `name` together are its identity from run to run."""

    name: str
    suite: str
    """What is tested: `gbrowse` or a peer that the tasks are solved with, `skills` for static checks."""
    tier: int
    passed: bool
    duration_ms: int
    cost_usd: float | None = None
    turns_used: int | None = None
    tokens: Tokens | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    chars_in: int | None = None
    """Characters of all commands together."""
    chars_out: int | None = None
    """Characters that the commands printed: what an agent has to read."""
    browse_errors: tuple[str, ...] = ()
    """Failures of gbrowse that are nobody's mistake in the task: an unknown command, no daemon, exit 6, an internal error."""
    exit_reason: str = SUCCESS
    timeout_at_turn: int | None = None
    last_tool_call: str | None = None
    model: str | None = None
    first_response_ms: int | None = None
    longest_pause_ms: int | None = None
    judge_scores: Mapping[str, float] | None = None
    judge_reasoning: str | None = None
    detected_bugs: tuple[str, ...] | None = None
    """Identities of the planted bugs that were found; None where none are planted."""
    missed_bugs: tuple[str, ...] | None = None
    false_positives: int | None = None
    evidence_quality: float | None = None
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
        """Return whether the test neither passed nor failed.

        A tool has no way to do it, or it was not judged.
        """
        return self.exit_reason in (CANNOT, UNJUDGED)

    @property
    def why(self) -> str:
        """Why the test did not pass; empty where it did."""
        if self.passed:
            return ""
        end = "not done" if self.exit_reason == SUCCESS else self.exit_reason
        return f"{end}: {self.error or 'no reason is known'}"

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def from_json(raw: Json) -> Result:
    """Read a result. Raises ValueError for one without name, suite or outcome."""
    name, suite, passed = raw.get("name"), raw.get("suite"), raw.get("passed")
    if not isinstance(name, str) or not isinstance(suite, str) or not isinstance(passed, bool):
        raise ValueError("a result needs a name, a suite and an outcome")
    known = {
        field.name: value
        for field in fields(Result)
        if field.name in _READERS and (value := _READERS[field.name](raw.get(field.name))) is not None
    }
    required = {"tier": known.pop("tier", 2), "duration_ms": known.pop("duration_ms", 0)}
    return Result(name=name, suite=suite, passed=passed, **required, **known)  # type: ignore[arg-type]


def whole_number(value: object) -> int | None:
    """The value as a whole number, if it is a number."""
    number = real(value)
    return None if number is None else round(number)


def real(value: object) -> float | None:
    """The value if it is a finite number (JSON of other programs may hold NaN)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < float("inf") else None


def text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def mapping(value: object) -> Json:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[object]:
    """The value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None


def _scores(value: object) -> dict[str, float] | None:
    if not isinstance(value, dict):
        return None
    return {str(name): number for name, each in value.items() if (number := real(each)) is not None}


def _tokens(value: object) -> Tokens | None:
    if not isinstance(value, dict):
        return None
    return Tokens(
        whole_number(value.get("input")), whole_number(value.get("output")), whole_number(value.get("cached"))
    )


def _calls(value: object) -> tuple[ToolCall, ...]:
    calls = map(mapping, sequence(value))
    return tuple(
        ToolCall(
            text(call.get("tool")) or "",
            text(call.get("input")) or "",
            whole_number(call.get("output_chars")),
            whole_number(call.get("ms")),
            whole_number(call.get("code")),
        )
        for call in calls
    )


_READERS: dict[str, Callable[[object], object]] = {
    **dict.fromkeys(("tier", "duration_ms", "turns_used", "chars_in", "chars_out"), whole_number),
    **dict.fromkeys(
        ("timeout_at_turn", "first_response_ms", "longest_pause_ms", "false_positives"), whole_number
    ),
    **dict.fromkeys(("cost_usd", "evidence_quality"), real),
    **dict.fromkeys(("exit_reason", "last_tool_call", "model", "judge_reasoning", "error"), text),
    **dict.fromkeys(("browse_errors", "detected_bugs", "missed_bugs"), _texts),
    "tokens": _tokens,
    "tool_calls": _calls,
    "judge_scores": _scores,
}
