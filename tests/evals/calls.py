"""Count the calls of a test, and those that were wasted. Pure."""

from tests.evals.result import Result, ToolCall
from tests.evals.task import TOOLS

PEERS = TOOLS[1:]


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
        if program in TOOLS:
            named = next((each for each in words[at + 1 :] if not each.startswith("-")), "")
            return f"{program} {named.strip(chr(39) + chr(34) + ';')}"[:40]
    return call.tool[:40]


LOOKS = frozenset((
    "snapshot", "text", "html", "links", "forms", "table", "title", "url", "value", "attrs", "is", "get",
    "count", "tabs", "console", "network",
))  # fmt: skip
"""Commands of gbrowse and its peers that only look."""
_APPLICATIONS_ERROR = 1
"""Exit code of gbrowse for what the page or its server did: a failed request, an expectation that did not hold."""


def wasted(test: Result) -> int:
    """Count the calls of a test that brought its solver no further.

    A call is wasted that ended in an error which the application did not cause, and a look that is the same as the one before. Of
    gbrowse exit 1 is the application's; peers have one code for every error, so all of theirs count.
    """
    count = 0
    before: ToolCall | None = None
    for call in test.tool_calls:
        is_ours = not command_of(call).startswith(PEERS)
        is_error = call.code not in (None, 0, _APPLICATIONS_ERROR if is_ours else 0)
        count += is_error or (before is not None and _is_same_look(before, call))
        before = call
    return count


def _is_same_look(before: ToolCall, call: ToolCall) -> bool:
    name = command_of(call).rpartition(" ")[2]
    return name in LOOKS and (before.input, before.output_chars) == (call.input, call.output_chars)
