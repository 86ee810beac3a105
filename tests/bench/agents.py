"""Measure many agents at once: each runs the same twenty commands.

Ours run in one browser, the peers' in one browser each.

bin/bench agents                              1, 2, 5, 10, 20 and 50 agents
bin/bench agents --count 1,2,5 --peers        beside agent-browser's sessions

An agent is a process of its own that starts one command after the other, as a coding agent's shell does. All have a browser or a
context with a page before the clock starts, and all begin at the same moment. Memory is measured at the end.
"""

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

from tests.bench.contestants import Contestant, Tool, entered, gbrowse
from tests.bench.memory import memory, processor_seconds
from tests.bench.pages import served
from tests.bench.process import TimedCommand, timed

COUNTS = (1, 2, 5, 10, 20, 50)
MOST_SECONDS = 600.0
SESSIONS = {"gbrowse": "BROWSE_AS", "agent-browser": "AGENT_BROWSER_SESSION"}
"""What tells each tool who an agent is."""
TASK = (
    *("goto", "snapshot", "fill", "select", "is", "click", "text", "js", "hover", "url"),
    *("goto", "text", "snapshot", "js", "url", "goto", "fill", "click", "attrs", "snapshot"),
)
_PAGES = ("/form", "/news", "/form")
"""Where each `goto` leads, in turn."""
_READ_BACK = "document.getElementById('name').value"
CommandLines = tuple[Path, Mapping[str, str], list[list[str]]]
"""The work of an agent: its directory, its environment, and the words of each command."""


class Done(NamedTuple):
    """The commands of an agent, and when it ran them: in seconds of the clock that all processes share."""

    commands: list[TimedCommand]
    clients_seconds: float
    """Processor time of the commands' own processes."""
    began: float
    ended: float


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
    mb: float
    """All processes, with every page still open."""
    cpu_ms: float
    """Of a command: processor time of all processes, clients among them. Other work on the machine does not change that much."""

    @property
    def rate(self) -> float:
        """Commands a second, of all agents together."""
        return self.agents * len(TASK) / self.seconds


COLUMNS: dict[str, Callable[[Row], str]] = {
    "agents": lambda row: str(row.agents),
    "tool": lambda row: row.tool,
    "commands/s": lambda row: f"{row.rate:.0f}",
    "p50 ms": lambda row: f"{row.p50:.0f}",
    "p99 ms": lambda row: f"{row.p99:.0f}",
    "task s": lambda row: f"{row.seconds:.1f}",
    "processor ms": lambda row: f"{row.cpu_ms:.1f}",
    "MB an agent": lambda row: f"{row.mb / row.agents:.0f}",
    "failed": lambda row: str(row.failed),
}


def table(rows: Sequence[Row]) -> str:
    cells = [[show(row) for show in COLUMNS.values()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(COLUMNS), ["---"] * len(COLUMNS), *cells])


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


def measure(tool: Tool, agents: int, base: str) -> Row:
    """Have so many agents do the task."""
    with entered(tool) as one:
        own = [_agent(one, number) for number in range(agents)]
        for agent in own:
            agent.run("start", url=f"{base}/form")
        try:
            spent = processor_seconds(one)
            done = _together([_command_lines(agent, number, base) for number, agent in enumerate(own)])
            spent = processor_seconds(one) - spent
            mb = sum(memory(one).values())
            failed = sum(command.code != 0 for each in done for command in each.commands)
            # Its page holds what it has typed, and not what another agent has.
            held = [agent.run("js", expression=_READ_BACK).output for agent in own]
            failed += sum(f"Ada {number}" not in text for number, text in enumerate(held))
        finally:
            for agent in own:
                if agent.name != "gbrowse":  # a browser of its own, which the tool's `stop` would leave
                    agent.run("stop")
    times = sorted(command.ms for each in done for command in each.commands)
    spent += sum(each.clients_seconds for each in done)
    return Row(
        tool.name,
        agents,
        failed,
        seconds=round(max(each.ended for each in done) - min(each.began for each in done), 2),
        p50=_share(times, 0.5),
        p99=_share(times, 0.99),
        mb=round(mb, 1),
        cpu_ms=round(spent * 1000 / len(times), 1),
    )


def _agent(one: Contestant, number: int) -> Contestant:
    """An agent with a session of its own."""
    agent = Contestant(one.tool, one.workspace)
    agent.environment[SESSIONS.get(one.name, "AGENT")] = f"agent-{number}"
    return agent


def _command_lines(agent: Contestant, number: int, base: str) -> CommandLines:
    """Return the task of an agent as its process gets it."""
    lines = [agent.command_line(action, values) for action, values in commands(number, base)]
    return agent.workspace, agent.environment, lines


def _together(work: Sequence[CommandLines]) -> list[Done]:
    """Do all of the work at once, in a process each."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(len(work), _keep_barrier, (context.Barrier(len(work)),)) as pool:
        return pool.map_async(_do, work, chunksize=1).get(MOST_SECONDS)


def _keep_barrier(barrier: Barrier) -> None:
    global _all_ready  # a pool hands such objects to its processes as they begin, and not with the work
    _all_ready = barrier


_all_ready: Barrier


def _do(work: CommandLines) -> Done:
    """Run the commands one after the other, as soon as all agents are ready."""
    workspace, environment, lines = work
    _all_ready.wait(MOST_SECONDS)
    began = time.monotonic()
    done = [timed(words, cwd=workspace, environment=environment) for words in lines]
    spent = os.times()
    return Done(done, spent.children_user + spent.children_system, began, time.monotonic())


def _share(times: Sequence[float], share: float) -> float:
    return times[min(int(len(times) * share), len(times) - 1)]


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
