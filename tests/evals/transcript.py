"""Collect what is known of an agent's work so far. A format's reader (`streams.py`) reads its lines. Pure."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tests.evals.result import SUCCESS, TIMEOUT, Json, ToolCall

MOST_INPUT = 2_000
"""Characters of a call that are kept."""
Reader = Callable[[Json, "Transcript"], None]
"""Notes what an object of a format means."""


@dataclass(frozen=True)
class End:
    """The program says that it is done, and how."""

    reason: str
    error: str | None = None
    turns: int | None = None
    cost_usd: float | None = None


@dataclass
class Transcript:
    """Known facts of an agent's work so far."""

    read: Reader
    model: str | None = None
    answer: str = ""
    """The last words so far."""
    end: End | None = None
    faults: list[str] = field(default_factory=list)
    """Errors that the program may or may not get over."""
    calls: list[ToolCall] = field(default_factory=list)
    chars_in: int = 0
    chars_out: int = 0
    turn_ids: set[str] = field(default_factory=set)
    """Several objects of one turn have the same identity."""
    _places: dict[str, int] = field(default_factory=dict)
    """Calls that were made, by their identity: where they stand in `calls`."""

    @property
    def turns(self) -> int:
        """As the program counts them, else as they were heard."""
        return len(self.turn_ids) if self.end is None or self.end.turns is None else self.end.turns

    @property
    def cost_usd(self) -> float | None:
        return self.end.cost_usd if self.end else None

    def take_line(self, line: str | bytes) -> None:
        """Take a line. One that the reader cannot make sense of means nothing."""
        with suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
            self.read(json.loads(line), self)

    def add_call(self, call: str, tool: str, typed: str) -> None:
        """Add a call, unless it was told before: when it began."""
        if call not in self._places:
            self._places[call] = len(self.calls)
            self.calls.append(ToolCall(tool, typed[:MOST_INPUT]))
            self.chars_in += len(typed)

    def add_output(self, call: str, printed: str, code: int | None) -> None:
        """Add what a call that is known has printed."""
        if (place := self._places.get(call)) is not None:
            self.calls[place] = replace(self.calls[place], output_chars=len(printed), code=code)
            self.chars_out += len(printed)


def exit_reason(*, timed_out: bool, code: int, end: End | None) -> str:
    """Return why the program ended: what it said at its end, else that it had no time, else its exit code."""
    if end is not None:
        return end.reason
    if timed_out:
        return TIMEOUT
    return SUCCESS if code == 0 else f"exit_code_{128 - code if code < 0 else code}"
