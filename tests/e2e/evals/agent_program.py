"""Speak the streams of claude and codex, and really run the commands that the prompt holds.

It stands in for a model's decisions, which cost money, and for nothing else: each line of the prompt that begins with `$ ` is run by
a shell, as those programs do, and `SAY` gives the answer. Other words make it misbehave. Which stream it speaks is its own name.
"""

import json
import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    prompt = sys.stdin.read()
    name = Path(sys.argv[0]).name
    speak = {"claude": Claude, "codex": Codex}[name]()
    speak.begin()
    for number, line in enumerate(line for line in prompt.splitlines() if line.startswith("$ ")):
        command = line.removeprefix("$ ")
        speak.call(number, command)
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        speak.output(number, command, done.stdout + done.stderr, done.returncode)
    if "BROKEN LINES" in prompt:
        os.write(1, b'\xff\xfe\n{"type": "assistant", "mess\n[]\n\n' + b"[" * 50_000 + b"\n")
    if "TELL" in prompt:
        facts = {"cwd": os.getcwd(), "files": sorted(os.listdir()), "environment": dict(os.environ)}
        facts["words"] = sys.argv[1:]
        Path("facts.json").write_text(json.dumps(facts))
    said = next((line.removeprefix("SAY ") for line in prompt.splitlines() if line.startswith("SAY ")), "")
    speak.end(said)


class Claude:
    turns = 0

    def begin(self) -> None:
        say({"type": "system", "subtype": "init", "model": "model-a", "tools": ["Bash"]})

    def call(self, number: int, command: str) -> None:
        self.turns += 1
        part = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": command}}
        message = {"id": f"m{number}", "content": [part]}
        say({"type": "assistant", "message": message, "parent_tool_use_id": None})

    def output(self, number: int, command: str, printed: str, code: int) -> None:
        words = printed if code == 0 else f"Exit code {code}\n{printed}"
        part = {"type": "tool_result", "tool_use_id": f"c{number}", "content": words, "is_error": code != 0}
        say({"type": "user", "message": {"content": [part]}})

    def end(self, answer: str) -> None:
        ended = {"type": "result", "subtype": "success", "is_error": False, "result": answer}
        used = {"model-a": {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 3}}
        say({**ended, "num_turns": self.turns + 1, "total_cost_usd": 0.02, "modelUsage": used})


class Codex:
    def begin(self) -> None:
        say({"type": "thread.started", "thread_id": "t"})
        say({"type": "turn.started"})

    def call(self, number: int, command: str) -> None:
        item = {"id": f"i{number}", "type": "command_execution", "command": command, "status": "in_progress"}
        say({"type": "item.started", "item": item})

    def output(self, number: int, command: str, printed: str, code: int) -> None:
        item = {"id": f"i{number}", "type": "command_execution", "command": command, "exit_code": code}
        say({"type": "item.completed", "item": {**item, "aggregated_output": printed}})

    def end(self, answer: str) -> None:
        say({"type": "item.completed", "item": {"id": "last", "type": "agent_message", "text": answer}})
        used = {"input_tokens": 10, "output_tokens": 5, "cached_input_tokens": 3}
        say({"type": "turn.completed", "usage": used})


def say(event: object) -> None:
    print(json.dumps(event), flush=True)


main()
