"""Read what coding agents' programs print, one JSON object a line: a reader for each format. Pure.

A reader takes one object and yields what it means; a kind of object that it does not know means nothing. Objects come from
programs that change and from models: any field may be missing or of another type.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.evals.result import ERROR_API, SUCCESS, Json, mapping, real, sequence, text, whole_number


@dataclass(frozen=True)
class Started:
    """The program is ready."""

    model: str | None = None


@dataclass(frozen=True)
class Turn:
    """The model said something: several events of one turn have the same identity."""

    id: str


@dataclass(frozen=True)
class Call:
    """A tool is called."""

    id: str
    tool: str
    input: str


@dataclass(frozen=True)
class Output:
    """Answer of a tool."""

    id: str
    text: str
    code: int | None = None


@dataclass(frozen=True)
class LastWords:
    """The last words so far, which are the answer if no others follow."""

    text: str


@dataclass(frozen=True)
class Fault:
    """The program reports an error that it may or may not get over."""

    message: str


@dataclass(frozen=True)
class End:
    """The program says that it is done, and how."""

    reason: str
    error: str | None = None
    turns: int | None = None
    cost_usd: float | None = None
    answer: str | None = None


Event = Started | Turn | Call | Output | LastWords | Fault | End
Reader = Callable[[Json], Iterator[Event]]
_EXIT_CODE = re.compile(r"\s*(?:Error:\s*)?Exit code (-?\d{1,4})\b")
"""Claude Code puts this before what a failed command printed."""


def claude(line: Json) -> Iterator[Event]:
    """`claude -p --output-format stream-json --verbose`."""
    message = mapping(line.get("message"))
    match line.get("type"):
        case "system" if line.get("subtype") == "init":
            yield Started(text(line.get("model")))
        case "assistant":
            # A sub-agent's turns are not the agent's; its calls are calls all the same.
            if line.get("parent_tool_use_id") is None:
                yield Turn(str(message.get("id")))
            yield from _claude_content(message)
        case "user":
            for part in map(mapping, sequence(message.get("content"))):
                if part.get("type") == "tool_result":
                    yield _claude_output(part)
        case "result":
            yield _claude_end(line)


def _claude_content(message: Json) -> Iterator[Event]:
    for part in map(mapping, sequence(message.get("content"))):
        if part.get("type") == "tool_use":
            yield Call(str(part.get("id")), text(part.get("name")) or "?", _typed(part.get("input")))
        elif part.get("type") == "text":
            yield LastWords(text(part.get("text")) or "")


def _claude_output(part: Json) -> Output:
    words = _text_of(part.get("content"))
    found = _EXIT_CODE.match(words)
    code = int(found[1]) if found else None
    return Output(str(part.get("tool_use_id")), words, code if part.get("is_error") else 0)


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
        answer=text(line.get("result")),
    )


def codex(line: Json) -> Iterator[Event]:
    """`codex exec --json`. One turn per prompt: a finished step counts as a turn."""
    item = mapping(line.get("item"))
    match line.get("type"):
        case "thread.started":
            yield Started()
        case "item.started":
            yield from _codex_call(item)
        case "item.completed":
            yield from _codex_step(item)
        case "turn.completed":
            yield End(SUCCESS)
        case "turn.failed":
            yield End(ERROR_API, text(mapping(line.get("error")).get("message")))
        case "error":
            yield Fault(text(line.get("message")) or "error")


_CODEX_TOOLS = {
    "command_execution": "command",
    "mcp_tool_call": "tool",
    "web_search": "query",
    "file_change": "changes",
}
"""Kinds of items that are calls of tools, and the field that says what was asked."""


def _codex_call(item: Json) -> Iterator[Event]:
    kind = text(item.get("type")) or ""
    if kind in _CODEX_TOOLS:
        yield Call(str(item.get("id")), kind, _typed(item.get(_CODEX_TOOLS[kind])))


def _codex_step(item: Json) -> Iterator[Event]:
    step = str(item.get("id"))
    match item.get("type"):
        case "agent_message":
            yield Turn(step)
            yield LastWords(text(item.get("text")) or "")
        case "error":
            yield Fault(text(item.get("message")) or "error")
        case _ if list(_codex_call(item)):
            yield Turn(step)
            yield from _codex_call(item)
            yield Output(step, _text_of(item.get("aggregated_output")), whole_number(item.get("exit_code")))


READERS: dict[str, Reader] = {reader.__name__: reader for reader in (claude, codex)}


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
