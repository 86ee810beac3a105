"""Measure many agents at once: each runs the same twenty commands.

Ours run in one browser, the peers' in one browser each.

bin/bench agents                              1, 2, 5, 10, 20 and 50 agents
bin/bench agents --count 1,2,5 --peers        beside agent-browser's sessions

An agent is a process of its own that starts one command after the other, as a coding agent's shell does. All have a browser or a
context with a page before the clock starts, and all begin at the same moment. Agents think between their commands: so memory is
measured at the end, and again after a pause.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.contestants import Contestant, Tool, entered, gbrowse
from tests.bench.memory import memory, processor_seconds
from tests.bench.pages import served
from tests.bench.process import timed

COUNTS = (1, 2, 5, 10, 20, 50)
MOST_SECONDS = 600.0
PAUSE_SECONDS = 15.0
"""How long nobody sends anything before memory is measured again."""
SESSIONS = {"gbrowse": "BROWSE_AS", "agent-browser": "AGENT_BROWSER_SESSION"}
"""What tells each tool who an agent is."""
TASK = (
    *("goto", "snapshot", "fill", "select", "is", "click", "text", "js", "hover", "url"),
    *("goto", "text", "snapshot", "js", "url", "goto", "fill", "click", "attrs", "snapshot"),
)
_PAGES = ("/form", "/news", "/form")
"""Where each `goto` leads, in turn."""
_READ_BACK = "document.getElementById('name').value"


@dataclass(frozen=True)
class Row:
    """Costs of a number of agents of one tool.

    Times are of one command, in milliseconds, but for `seconds`: of all together.
    """

    tool: str
    agents: int
    failed: int
    seconds: float
    p50: float
    p99: float
    ready_seconds: float
    """From nothing until the last one had a page."""
    mb: float
    """All processes, with every page still open."""
    rested_mb: float
    """The same after a pause."""
    cpu_ms: float
    """Of a command: processor time of all processes, clients among them. Other work on the machine does not change that much."""

    @property
    def rate(self) -> float:
        """Commands a second, of all agents together."""
        return self.agents * len(TASK) / self.seconds

    def cells(self) -> list[str]:
        """The row of the table."""
        return [
            str(self.agents),
            self.tool,
            f"{self.rate:.0f}",
            f"{self.p50:.0f}",
            f"{self.p99:.0f}",
            f"{self.seconds:.1f}",
            f"{self.ready_seconds + self.seconds:.1f}",
            f"{self.cpu_ms:.1f}",
            f"{self.mb / self.agents:.0f}",
            f"{self.rested_mb / self.agents:.0f}",
            str(self.failed),
        ]


HEAD = [
    *("agents", "tool", "commands/s", "p50 ms", "p99 ms", "task s", "from nothing s", "processor ms"),
    *("MB an agent", "after a pause", "failed"),
]


def table(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def commands(number: int, base: str) -> list[tuple[str, dict[str, str]]]:
    """The task of an agent: each action, and what its words are made with."""
    pages = iter(_PAGES)
    values = {
        "round": str(number),
        "option": "Germany" if number % 2 else "France",
        "element": "go",
        "expression": "document.title",
    }
    return [(action, values | ({"url": base + next(pages)} if action == "goto" else {})) for action in TASK]


def measure(tool: Tool, agents: int, base: str, pause: float = PAUSE_SECONDS) -> Row:
    """Have so many agents do the task, and then pause."""
    with entered(tool) as one:
        begun = time.perf_counter()
        own = [Agent(one, number, base) for number in range(agents)]
        for agent in own:
            agent.open()
        ready = time.perf_counter() - begun
        try:
            spent = processor_seconds(one)
            seconds = _together(own)
            spent = processor_seconds(one) - spent
            mb = sum(memory(one).values())
            taken = [agent.result() for agent in own]
            failed = sum(code != 0 for result in taken for _, _, code in result)
            failed += sum(not agent.is_itself() for agent in own)
            time.sleep(pause)
            rested_mb = sum(memory(one).values())
        finally:
            for agent in own:
                agent.close()
    times = sorted(ms for result in taken for _, ms, _ in result)
    spent += sum(agent.clients_seconds for agent in own)
    return Row(
        tool.name,
        agents,
        failed,
        round(seconds, 2),
        _share(times, 0.5),
        _share(times, 0.99),
        round(ready, 1),
        round(mb, 1),
        round(rested_mb, 1),
        round(spent * 1000 / len(times), 1),
    )


def _together(agents: Sequence["Agent"]) -> float:
    """Seconds from the moment at which all begin until the last one is done."""
    for agent in agents:
        agent.prepare()
    begun = time.perf_counter()
    for agent in agents:
        agent.go()
    for agent in agents:
        agent.wait()
    return time.perf_counter() - begun


def _share(times: Sequence[float], share: float) -> float:
    return times[min(int(len(times) * share), len(times) - 1)]


class Agent:
    """An agent with a session of its own."""

    def __init__(self, one: Contestant, number: int, base: str) -> None:
        self._one = one
        self._number = number
        self._base = base
        self._environment = one.environment | {SESSIONS.get(one.name, "AGENT"): f"agent-{number}"}
        self._process: subprocess.Popen[str] | None = None
        self._output = ""

    def run(self, action: str, **values: str) -> str:
        """Run a command before or after the task. Raises HungError."""
        words = [word.format_map(values) for word in self._one.tool.words[action]]
        done = timed([*self._one.tool.program, *words], cwd=self._one.workspace, environment=self._environment)
        return done.output

    def open(self) -> None:
        """Have a session with a page."""
        self.run("start", url=f"{self._base}/form")

    def close(self) -> None:
        """End what the tool's own `stop` would not: a browser of its own."""
        if self._one.name != "gbrowse":
            self.run("stop")

    def prepare(self) -> None:
        """Start the process, which waits for the word."""
        process = self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.agents", "--agent"],
            cwd=Path(__file__).parents[2],
            env={**os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        task = [
            [*self._one.tool.program, *(word.format_map(values) for word in self._one.tool.words[action])]
            for action, values in commands(self._number, self._base)
        ]
        assert process.stdin is not None
        assert process.stdout is not None
        about = {"cwd": str(self._one.workspace), "environment": self._environment, "task": task}
        process.stdin.write(json.dumps(about) + "\n")
        process.stdin.flush()
        process.stdout.readline()

    def go(self) -> None:
        """Let it begin."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def wait(self) -> None:
        """Return when it is done."""
        assert self._process is not None
        self._output, _ = self._process.communicate(timeout=MOST_SECONDS)

    def result(self) -> list[tuple[str, float, int]]:
        """Each action with its milliseconds and exit code."""
        told = json.loads(self._output)
        return [(action, ms, code) for action, (ms, code) in zip(TASK, told["done"], strict=True)]

    @property
    def clients_seconds(self) -> float:
        """Processor time of the commands' own processes."""
        return float(json.loads(self._output)["clients"])

    def is_itself(self) -> bool:
        """Return whether its page holds what it has typed, and not what another agent has."""
        return f"Ada {self._number}" in self.run("js", expression=_READ_BACK)


def _be_agent() -> None:
    """Run the commands from standard input, one after the other, and print the time of each.

    This is the agent's process.
    """
    about = json.loads(sys.stdin.readline())
    environment: Mapping[str, str] = about["environment"]
    print("ready", flush=True)
    sys.stdin.readline()
    done = [timed(words, cwd=Path(about["cwd"]), environment=environment) for words in about["task"]]
    spent = os.times()
    clients = spent.children_user + spent.children_system
    print(json.dumps({"done": [(each.ms, each.code) for each in done], "clients": clients}))


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bin/bench agents", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--count", default=",".join(map(str, COUNTS)), help="how many agents at once (default %(default)s)"
    )
    parser.add_argument(
        "--peers", action="store_true", help="measure agent-browser too, a session for each agent"
    )
    options = parser.parse_args(words)
    tools = gbrowse()[:1]
    if options.peers:
        from tests.bench.machine import path_of_chromium
        from tests.bench.peers import installed

        tools.append(installed(path_of_chromium())[0])
    rows: list[Row] = []
    with served() as base:
        for count in map(int, options.count.split(",")):
            for tool in tools:
                rows.append(measure(tool, count, base))
                print(f"{count} agents of {tool.name}: {rows[-1].seconds:g} s", file=sys.stderr)
    print(table(rows))


if __name__ == "__main__":
    _be_agent()
