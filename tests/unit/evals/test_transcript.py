import json

from tests.each import each_row
from tests.evals.result import ToolCall
from tests.evals.streams import claude, codex
from tests.evals.transcript import End, Reader, Transcript, exit_reason

CLAUDE_BEGIN = {"type": "system", "subtype": "init", "model": "model-a", "tools": ["Bash"]}
CLAUDE_END = {
    "type": "result", "subtype": "success", "is_error": False, "num_turns": 3, "result": "Ordered: 4711", "total_cost_usd": 0.25,
}  # fmt: skip


def claude_call(turn: str, call: str, command: str, *, parent: str | None = None) -> dict[str, object]:
    part = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    message = {"id": turn, "role": "assistant", "content": [part], "usage": {"output_tokens": 3}}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent}


def claude_output(call: str, printed: object, *, is_error: bool = False) -> dict[str, object]:
    part = {"type": "tool_result", "tool_use_id": call, "content": printed, "is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [part]}}


def read(*objects: object, by: Reader = claude) -> Transcript:
    """Read objects, and texts as they are."""
    transcript = Transcript(by)
    for line in objects:
        transcript.take_line(line if isinstance(line, str | bytes) else json.dumps(line))
    return transcript


def test_outputs_turns_and_ends_of_claude_are_put_together() -> None:
    call = claude_call("m1", "c1", "gbrowse click @e3")
    seen = read(call, claude_output("c1", "Exit code 5\nError: @e3 is gone", is_error=True))
    assert seen.calls[0].code == 5
    parts = [{"type": "text", "text": "one"}, {"type": "image", "source": {}}, {"type": "text", "text": "two"}]
    assert read(call, claude_output("c1", parts)).chars_out == len("one\ntwo")
    others = claude_call("s1", "c2", "ls", parent="c1"), claude_call("m2", "c3", "ls")
    seen = read(call, *others)
    assert (seen.turns, len(seen.calls)) == (2, 3)
    seen = read(CLAUDE_BEGIN, CLAUDE_END)
    assert (seen.answer, seen.cost_usd) == ("Ordered: 4711", 0.25)
    assert (end := read({**CLAUDE_END, "is_error": True, "result": "503"}).end) is not None
    assert (end.reason, end.error) == ("error_api", "503")
    stopped = {"type": "result", "subtype": "error_max_turns", "is_error": True, "num_turns": 60}
    assert (end := read(stopped).end) is not None
    assert (end.reason, end.turns) == ("error_max_turns", 60)
    broken = ["npm warn", '{"type":', "[1,2]", b"\xff\xfe", "[" * 100_000, {"type": "assistant", "message": 7}]
    assert read(*broken, CLAUDE_END).turns == 3


def test_a_run_of_codex_and_one_that_failed() -> None:
    def step(kind: str) -> dict[str, object]:
        item = {"id": "i1", "type": "command_execution", "command": "bash -lc 'gbrowse url'"}
        return {"type": kind, "item": item | {"aggregated_output": "http://shop\n", "exit_code": 0}}

    message = {"id": "i2", "type": "agent_message", "text": "At the shop"}
    seen = read(
        {"type": "error", "message": "reconnecting 1/5"},
        step("item.started"),
        step("item.completed"),
        {"type": "item.completed", "item": message},
        {"type": "turn.completed"},
        by=codex,
    )
    assert seen.calls == [ToolCall("command_execution", "bash -lc 'gbrowse url'", 12, None, 0)]
    assert (seen.turns, seen.answer, seen.cost_usd) == (2, "At the shop", None)
    assert seen.end == End("success")
    seen = read({"type": "turn.failed", "error": {"message": "quota"}}, by=codex)
    assert seen.end == End("error_api", "quota")


@each_row(
    (True, -15, None, "timeout"),
    (True, -15, End("success"), "success"),
    (False, 0, None, "success"),
    (False, 3, None, "exit_code_3"),
    (False, -15, None, "exit_code_143"),
    (False, 1, End("error_max_turns"), "error_max_turns"),
    (False, 1, End("success"), "success"),
)
def test_why_it_ended(timed_out: bool, code: int, end: End | None, reason: str) -> None:
    assert exit_reason(timed_out=timed_out, code=code, end=end) == reason
