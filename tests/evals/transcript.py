"""Read the transcript of an agent's work by a format's reader (`streams.py`), as far as known. Pure.

`Transcript.take_line` takes one line. One that is no JSON object is left out.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tests.evals.result import SUCCESS, TIMEOUT, ToolCall
from tests.evals.streams import Call, End, Event, Fault, LastWords, Output, Reader, Started, Turn

MOST_INPUT = 2_000
"""Characters of a call that are kept."""
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
class Transcript:
    """Known facts of an agent's work so far."""

    read: Reader
    model: str | None = None
    answer: str = ""
    end: End | None = None
    faults: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    browse_errors: list[str] = field(default_factory=list)
    chars_in: int = 0
    chars_out: int = 0
    _turns: set[str] = field(default_factory=set)
    _places: dict[str, int] = field(default_factory=dict)
    """Calls that were made, by their identity: where they stand in `calls`."""

    @property
    def turns(self) -> int:
        """As the program counts them, else as they were heard."""
        return len(self._turns) if self.end is None or self.end.turns is None else self.end.turns

    @property
    def cost_usd(self) -> float | None:
        return self.end.cost_usd if self.end else None

    def take_line(self, line: str | bytes) -> None:
        """Take a line."""
        for event in _events(line, self.read):
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case Started(model):
                self.model = model or self.model
            case Turn(turn):
                self._turns.add(turn)
            # A call is told twice, when it begins and when it is done.
            case Call() if event.id not in self._places:
                self._places[event.id] = len(self.calls)
                self.calls.append(ToolCall(event.tool, event.input[:MOST_INPUT]))
                self.chars_in += len(event.input)
            case Output() if event.id in self._places:
                place = self._places[event.id]
                call = replace(self.calls[place], output_chars=len(event.text), code=event.code)
                self.calls[place] = call
                self.chars_out += len(event.text)
                if _CALLS_GBROWSE.search(call.input):
                    self.browse_errors += our_errors(event.text, event.code)
            case LastWords(words):
                self.answer = words or self.answer
            case Fault(message):
                self.faults.append(message[:MOST_INPUT])
            case End():
                self.end = event
                self.answer = event.answer or self.answer


def parse_ndjson(lines: Iterable[str | bytes], read: Reader) -> Transcript:
    """Read the lines."""
    transcript = Transcript(read)
    for line in lines:
        transcript.take_line(line)
    return transcript


def _events(line: str | bytes, read: Reader) -> list[Event]:
    """Return the events of a line; none for one that is no JSON object."""
    try:
        value = json.loads(line)
        return list(read(value)) if isinstance(value, dict) else []
    # Brackets by the thousand are a RecursionError.
    except (ValueError, RecursionError):
        return []


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
