"""Read what an agent's program printed, line by line, into what it did. Pure.

Turns, calls, failures of gbrowse, tokens, pauses.

`Transcript.hear` takes one line and when it came; `parse_ndjson` all of them. A line that is no JSON object is counted and left out.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tests.evals.result import SUCCESS, TIMEOUT, Tokens, ToolCall
from tests.evals.streams import (
    Call,
    End,
    Event,
    Fault,
    LastWords,
    Output,
    Reader,
    Started,
    Turn,
)

MOST_INPUT, MOST_CALLS, MOST_ERRORS = 2_000, 2_000, 50
"""Characters of a call that are kept; calls; failures."""
_CALLS_GBROWSE = re.compile(r"(?:^|[\s;&|(\"'/])gbrowse\b|\$\{?B\b")
"""By its name or path, or by the variable that the skills set."""
_OURS = re.compile(
    r"""^Error:\ (?:
        Unknown\ (?:command|option)
      | No\ daemon\ is\ running | [^\n]*\ did\ not\ start\b
      | There\ is\ no\ Chromium | No\ Chromium\ could\ be | BROWSE_CHROMIUM\ names
      | Internal\ error
    )[^\n]*""",
    re.M | re.X,
)
STATE_LOST = 6


@dataclass
class _Open:
    """A call that has not been answered yet."""

    number: int
    began_ms: int
    is_ours: bool


@dataclass
class Transcript:
    """Known facts of an agent's work so far."""

    read: Reader
    model: str | None = None
    answer: str = ""
    end: End | None = None
    faults: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    browse_errors: list[str] = field(default_factory=list)
    call_count: int = 0
    chars_in: int = 0
    chars_out: int = 0
    broken_lines: int = 0
    last_tool_call: str | None = None
    last_call_ms: int | None = None
    first_response_ms: int | None = None
    longest_pause_ms: int = 0
    _last_ms: int = 0
    _turns: set[str] = field(default_factory=set)
    _open: dict[str, _Open] = field(default_factory=dict)

    @property
    def turns(self) -> int:
        """As the program counts them, else as they were heard."""
        return len(self._turns) if self.end is None or self.end.turns is None else self.end.turns

    @property
    def tokens(self) -> Tokens | None:
        return self.end.tokens if self.end else None

    @property
    def cost_usd(self) -> float | None:
        return self.end.cost_usd if self.end else None

    def hear(self, line: str | bytes, at_ms: int) -> None:
        """Take a line that came `at_ms` after the program was started."""
        self.pause_until(at_ms)
        events = _events(line, self.read)
        if events is None:
            self.broken_lines += bool(line.strip())
            return
        for event in events:
            self._take(event, at_ms)

    def pause_until(self, at_ms: int) -> None:
        """Note that nothing came until now."""
        self.longest_pause_ms = max(self.longest_pause_ms, at_ms - self._last_ms)
        self._last_ms = max(self._last_ms, at_ms)

    def _take(self, event: Event, at_ms: int) -> None:
        if self.first_response_ms is None and isinstance(event, Turn | Call | LastWords):
            self.first_response_ms = at_ms
        match event:
            case Started(model):
                self.model = model or self.model
            case Turn(turn):
                self._turns.add(turn)
            case Call():
                self._called(event, at_ms)
            case Output():
                self._answered(event, at_ms)
            case LastWords(words):
                self.answer = words or self.answer
            case Fault(message):
                self.faults.append(message[:MOST_INPUT])
            case End():
                self.end = event
                self.answer = event.answer or self.answer

    def _called(self, call: Call, at_ms: int) -> None:
        # Told twice, when it begins and when it is done.
        if call.id in self._open:
            return
        self.call_count += 1
        self.chars_in += len(call.input)
        self.last_tool_call = f"{call.tool} {call.input}"[:200]
        self.last_call_ms = at_ms
        self._open[call.id] = _Open(len(self.calls), at_ms, bool(_CALLS_GBROWSE.search(call.input)))
        if len(self.calls) < MOST_CALLS:
            self.calls.append(ToolCall(call.tool, call.input[:MOST_INPUT]))

    def _answered(self, output: Output, at_ms: int) -> None:
        opened = self._open.get(output.id)
        if opened is None:
            return
        self.chars_out += len(output.text)
        if opened.is_ours:
            self.browse_errors += our_errors(output.text, output.code)
            del self.browse_errors[MOST_ERRORS:]
        if opened.number < len(self.calls):
            call = self.calls[opened.number]
            self.calls[opened.number] = replace(
                call, output_chars=len(output.text), ms=at_ms - opened.began_ms, code=output.code
            )


def parse_ndjson(lines: Iterable[str | bytes | tuple[int, str | bytes]], read: Reader) -> Transcript:
    """Read the lines.

    A pair is a line and when it came; without that, times are unknown, and 0.
    """
    transcript = Transcript(read)
    for each in lines:
        at_ms, line = each if isinstance(each, tuple) else (0, each)
        transcript.hear(line, at_ms)
    return transcript


def _events(line: str | bytes, read: Reader) -> list[Event] | None:
    """Return the events of a line; None for one that is no JSON object."""
    try:
        value = json.loads(line)
        return list(read(value)) if isinstance(value, dict) else None
    # Brackets by the thousand are a RecursionError.
    except (ValueError, RecursionError):
        return None


def our_errors(printed: str, code: int | None = None) -> list[str]:
    """Return failures in a command's output that no task asks for.

    An unknown command or option, no daemon, no Chromium, exit 6, …
    """
    found = [match[0][:300] for match in _OURS.finditer(printed)]
    if code == STATE_LOST and not found:
        lines = [line for line in printed.splitlines() if line.startswith("Error: ")]
        found = [f"exit 6: {(lines or ['browser state was lost'])[0][:300]}"]
    return found


def exit_reason(*, timed_out: bool, code: int | None, end: End | None) -> str:
    """Return why the program ended.

    A timeout before all; then what the program said at its end; then its exit code.
    """
    if timed_out:
        return TIMEOUT
    if end is not None:
        return end.reason
    if code is None:
        return "exit_code_unknown"
    if code < 0:
        code = 128 - code
    return SUCCESS if code == 0 else f"exit_code_{code}"
