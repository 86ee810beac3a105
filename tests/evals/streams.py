"""Read what coding agents' programs print, one JSON object a line: a reader for each format. Pure.

A reader takes one object and notes what it means; a kind of object that it does not know means nothing. Objects come from
programs that change and from models: any field may be missing or of another type.
"""

import json
import re

from tests.evals.result import ERROR_API, SUCCESS, Json, mapping, real, sequence, text, whole_number
from tests.evals.transcript import MOST_INPUT, End, Transcript

_EXIT_CODE = re.compile(r"\s*(?:Error:\s*)?Exit code (-?\d{1,4})\b")
"""Claude Code puts this before what a failed command printed."""


def claude(line: Json, seen: Transcript) -> None:
    """`claude -p --output-format stream-json --verbose`."""
    message = mapping(line.get("message"))
    parts = list(map(mapping, sequence(message.get("content"))))
    match line.get("type"):
        case "system" if line.get("subtype") == "init":
            seen.model = text(line.get("model")) or seen.model
        case "assistant":
            # A sub-agent's turns are not the agent's; its calls are calls all the same.
            if line.get("parent_tool_use_id") is None:
                seen.turn_ids.add(str(message.get("id")))
            for part in parts:
                if part.get("type") == "tool_use":
                    tool = text(part.get("name")) or "?"
                    seen.add_call(str(part.get("id")), tool, _typed(part.get("input")))
                elif part.get("type") == "text":
                    seen.answer = text(part.get("text")) or seen.answer
        case "user":
            for part in parts:
                if part.get("type") == "tool_result":
                    printed = _text_of(part.get("content"))
                    found = _EXIT_CODE.match(printed)
                    code = int(found[1]) if found else None
                    seen.add_output(str(part.get("tool_use_id")), printed, code if part.get("is_error") else 0)
        case "result":
            seen.end = _claude_end(line)
            seen.answer = text(line.get("result")) or seen.answer


def _claude_end(line: Json) -> End:
    reason = text(line.get("subtype")) or SUCCESS
    if reason == SUCCESS and line.get("is_error"):
        reason = ERROR_API
    errors = "; ".join(map(str, sequence(line.get("errors")))) or text(line.get("result"))
    return End(
        reason,
        error=None if reason == SUCCESS else errors,
        turns=whole_number(line.get("num_turns")),
        cost_usd=real(line.get("total_cost_usd")),
    )


_CODEX_TOOLS = {
    "command_execution": "command",
    "mcp_tool_call": "tool",
    "web_search": "query",
    "file_change": "changes",
}
"""Kinds of items that are calls of tools, and the field that says what was asked."""


def codex(line: Json, seen: Transcript) -> None:
    """`codex exec --json`. One turn per prompt: a finished step counts as a turn."""
    item = mapping(line.get("item"))
    step, kind, of_line = str(item.get("id")), text(item.get("type")) or "", line.get("type")
    if of_line in ("item.started", "item.completed") and kind in _CODEX_TOOLS:
        seen.add_call(step, kind, _typed(item.get(_CODEX_TOOLS[kind])))
    match of_line, kind:
        case "item.completed", "agent_message":
            seen.turn_ids.add(step)
            seen.answer = text(item.get("text")) or seen.answer
        case "item.completed", _ if kind in _CODEX_TOOLS:
            seen.turn_ids.add(step)
            printed = _text_of(item.get("aggregated_output"))
            seen.add_output(step, printed, whole_number(item.get("exit_code")))
        case "turn.completed", _:
            seen.end = End(SUCCESS)
        case "turn.failed", _:
            seen.end = End(ERROR_API, text(mapping(line.get("error")).get("message")))
        case ("error", _) | ("item.completed", "error"):
            said = line if of_line == "error" else item
            seen.faults.append((text(said.get("message")) or "error")[:MOST_INPUT])


def _typed(given: object) -> str:
    """Return the input of a tool, as one line: the command of a shell, else JSON."""
    if isinstance(given, str):
        return given
    command = mapping(given).get("command")
    if isinstance(command, str):
        return command
    return "" if given is None else json.dumps(given, ensure_ascii=False, default=str)


def _text_of(content: object) -> str:
    """Return the text that a tool printed, or a model said: a string, or parts with texts."""
    if isinstance(content, str):
        return content
    parts = [text(mapping(part).get("text")) for part in sequence(content)]
    if any(part is not None for part in parts):
        return "\n".join(part for part in parts if part is not None)
    return "" if content is None else json.dumps(content, ensure_ascii=False, default=str)
