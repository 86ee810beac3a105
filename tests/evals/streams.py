"""Read what coding agents' programs print, one JSON object a line: a reader for each format. Pure.

A reader takes one object and notes what it means; a kind of object that it does not know means nothing. One whose fields are
missing or of another type raises an error, which `Transcript.take_line` ignores.
"""

import json
import re

from tests.evals.result import ERROR_API, SUCCESS, Json
from tests.evals.transcript import MOST_INPUT, End, Transcript

_EXIT_CODE = re.compile(r"\s*(?:Error:\s*)?Exit code (-?\d{1,4})\b")
"""Claude Code puts this before what a failed command printed."""


def claude(line: Json, seen: Transcript) -> None:
    """`claude -p --output-format stream-json --verbose`."""
    match line["type"]:
        case "system" if line["subtype"] == "init":
            seen.model = line["model"]
        case "assistant":
            # A sub-agent's turns are not the agent's; its calls are calls all the same.
            if line.get("parent_tool_use_id") is None:
                seen.turn_ids.add(line["message"]["id"])
            for part in line["message"]["content"]:
                if part["type"] == "tool_use":
                    seen.add_call(part["id"], part["name"], _typed(part["input"]))
                elif part["type"] == "text":
                    seen.answer = part["text"]
        case "user":
            for part in line["message"]["content"]:
                if part["type"] == "tool_result":
                    printed = _text_of(part["content"])
                    found = _EXIT_CODE.match(printed)
                    code = int(found[1]) if found else None
                    seen.add_output(part["tool_use_id"], printed, code if part.get("is_error") else 0)
        case "result":
            seen.end = _claude_end(line)
            seen.answer = line.get("result") or seen.answer


def _claude_end(line: Json) -> End:
    reason = line["subtype"]
    if reason == SUCCESS and line.get("is_error"):
        reason = ERROR_API
    errors = "; ".join(line.get("errors", [])) or line.get("result")
    error = None if reason == SUCCESS else errors
    return End(reason, error, turns=line.get("num_turns"), cost_usd=line.get("total_cost_usd"))


_CODEX_TOOLS = {
    "command_execution": "command",
    "mcp_tool_call": "tool",
    "web_search": "query",
    "file_change": "changes",
}
"""Kinds of items that are calls of tools, and the field that says what was asked."""


def codex(line: Json, seen: Transcript) -> None:
    """`codex exec --json`. One turn per prompt: a finished step counts as a turn."""
    item, of_line = line.get("item", {}), line["type"]
    step, kind = item.get("id"), item.get("type")
    if of_line in ("item.started", "item.completed") and kind in _CODEX_TOOLS:
        seen.add_call(step, kind, _typed(item.get(_CODEX_TOOLS[kind])))
    match of_line, kind:
        case "item.completed", "agent_message":
            seen.turn_ids.add(step)
            seen.answer = item["text"]
        case "item.completed", _ if kind in _CODEX_TOOLS:
            seen.turn_ids.add(step)
            seen.add_output(step, item.get("aggregated_output") or "", item.get("exit_code"))
        case "turn.completed", _:
            seen.end = End(SUCCESS)
        case "turn.failed", _:
            seen.end = End(ERROR_API, line["error"]["message"])
        case ("error", _) | ("item.completed", "error"):
            said = line if of_line == "error" else item
            seen.faults.append(said["message"][:MOST_INPUT])


def _typed(given: object) -> str:
    """Return the input of a tool, as one line: the command of a shell, else JSON."""
    command = given.get("command") if isinstance(given, dict) else given
    return command if isinstance(command, str) else json.dumps(given, ensure_ascii=False)


def _text_of(content: object) -> str:
    """Return the text that a tool printed: a string, or parts with texts, else JSON."""
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in content if "text" in part] if isinstance(content, list) else []
    return "\n".join(texts) or json.dumps(content, ensure_ascii=False)
