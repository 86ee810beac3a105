"""Count calls of tools, by command of gbrowse or of a peer, through any shell. Pure."""

from collections import Counter

from tests.evals.result import Result, ToolCall
from tests.evals.run import Run

PEERS = ("agent-browser", "playwright-cli")
BROWSERS = ("gbrowse", *PEERS)


def steps(test: Result) -> int | None:
    """Turns of an agent; calls of a scripted solver, or of an agent that counts no turns."""
    if test.turns_used is not None:
        return test.turns_used
    return len(test.tool_calls) or None


def command_of(call: ToolCall) -> str:
    """Return the name that a call is counted under.

    `gbrowse click` where gbrowse is called, by any tool; else the tool.
    """
    words = call.input.replace("$B ", "gbrowse ").replace('"$B" ', "gbrowse ").split()
    for at, word in enumerate(words[:-1]):
        program = word.rsplit("/", 1)[-1].strip("'\"")
        if program in BROWSERS:
            named = next((each for each in words[at + 1 :] if not each.startswith("-")), "")
            return f"{program} {named.strip(chr(39) + chr(34) + ';')}"[:40]
    return call.tool[:40]


def by_command(run: Run) -> dict[str, tuple[int, int]]:
    """Calls of each command, and characters that they printed."""
    calls: Counter[str] = Counter()
    chars: Counter[str] = Counter()
    for test in run.tests:
        for call in test.tool_calls:
            command = command_of(call)
            calls[command] += 1
            chars[command] += call.output_chars or 0
    return {command: (count, chars[command]) for command, count in calls.items()}
