"""Lines as agents' programs print them, for tests."""

import json
from collections.abc import Iterable


def lines(*objects: object) -> list[str]:
    return [json.dumps(each) for each in objects]


def claude_call(turn: str, call: str, command: str, *, parent: str | None = None) -> dict[str, object]:
    part = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    message = {"id": turn, "role": "assistant", "content": [part], "usage": {"output_tokens": 3}}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent}


def claude_output(call: str, printed: object, *, is_error: bool = False) -> dict[str, object]:
    part = {"type": "tool_result", "tool_use_id": call, "content": printed, "is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [part]}}


def claude_words(turn: str, words: str) -> dict[str, object]:
    message = {"id": turn, "content": [{"type": "text", "text": words}]}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None}


CLAUDE_BEGIN = {"type": "system", "subtype": "init", "model": "model-a", "tools": ["Bash"]}
CLAUDE_END = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 3,
    "result": "Ordered: 4711",
    "total_cost_usd": 0.25,
    "modelUsage": {
        "model-a": {"inputTokens": 10, "cacheReadInputTokens": 900, "outputTokens": 40},
        "model-b": {"inputTokens": 5, "outputTokens": 2},
    },
}


def claude_run(outputs: Iterable[tuple[str, str]]) -> list[str]:
    """A whole run in which each command prints its output."""
    steps = [
        event
        for number, (command, printed) in enumerate(outputs)
        for event in (claude_call(f"m{number}", f"c{number}", command), claude_output(f"c{number}", printed))
    ]
    return lines(CLAUDE_BEGIN, *steps, claude_words("last", "Ordered: 4711"), CLAUDE_END)
