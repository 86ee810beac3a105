"""Run all tools in turn on the same pages.

A command that hangs, fails or does nothing is noted and stops no other.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.bench.batches import hundred, requests
from tests.bench.contestants import Contestant, Tool, entered
from tests.bench.figures import OURS, Figures, Row, Runs
from tests.bench.memory import memory
from tests.bench.process import HungError, TimedCommand, timed
from tests.bench.steps import COOKIES, DOWNLOAD_BYTES, STEPS, Step, effect, values

LEAST_ROUNDS, MOST_ROUNDS = 3, 20
COLD_ROUNDS = 9
"""A cold start waits for the processors more than anything else does: the median of three went from 0.8 to 1.1 times a peer's."""
STEP_SECONDS = 2.0
"""What a tool may spend on a step once it has run LEAST_ROUNDS times …"""
SLOW_SECONDS = 4.0
"""… and a single run beyond this is not repeated."""


def everything(tools: Sequence[Tool], base: str, *, rounds: int, only: str) -> Figures:
    """Run all measurements, or those with `only` in their name.

    The first tools are OURS and share one daemon.
    """
    figures = Figures(tools=[tool.name for tool in tools])
    hosts = [tool for tool in tools if tool.name not in OURS[1:]]
    begun = time.monotonic()
    if only in "floor":
        figures.floor = floor()
    if only in "cold start":
        figures.cold = cold_starts(hosts, base)
    with ExitStack() as stack:
        contestants = list(_opened(stack, tools, base, figures.left_out))
        figures.steps = steps(contestants, base, rounds, only)
        for one in contestants:
            _go_to(one, base + "/form")
        if only in "memory":
            figures.memory = {one.name: memory(one) for one in contestants if one.tool in hosts}
        if only in "100 commands":
            _say("100 commands")
            figures.hundred = hundred(contestants)
        if only in "requests":
            _say("requests")
            figures.requests = requests(contestants[0].workspace)
    figures.seconds = round(time.monotonic() - begun, 1)
    return figures


def _opened(
    stack: ExitStack, tools: Sequence[Tool], base: str, left_out: dict[str, str]
) -> Iterator[Contestant]:
    """Yield all tools with the form open, each in a workspace of its own, but OURS in one.

    Notes the tools that cannot do that.
    """
    ours: Contestant | None = None
    for tool in tools:
        if ours and tool.name in OURS:
            yield Contestant(tool, ours.workspace)
            continue
        _say(f"starting {tool.name}")
        contestant = stack.enter_context(entered(tool))
        try:
            fault = _failure(contestant.start(base + "/form"))
            contestant.prepare()
        except HungError as error:
            fault = f"hung: {error}"
        if fault and not ours:
            sys.exit(f"gbrowse cannot open a page: {fault}")
        if fault:
            left_out[tool.name] = fault
            continue
        ours = ours or contestant
        yield contestant


def floor() -> dict[str, float]:
    """Measure a process that does nothing, and the least that a Python client takes: ms, medians."""
    programs = {"/bin/true": ["/bin/true"], "python -I -S -c pass": [sys.executable, "-I", "-S", "-c", "pass"]}
    row: Row = {name: Runs() for name in programs}
    for _ in range(50):
        for name, words in programs.items():
            row[name].ms.append(timed(words).ms)
    return {name: runs.median or 0 for name, runs in row.items()}


def cold_starts(hosts: Sequence[Tool], base: str) -> Row:
    """From nothing to a page: daemon, browser, goto."""
    row: Row = {tool.name: Runs() for tool in hosts}
    for turn in range(COLD_ROUNDS):
        for tool in hosts:
            runs = row[tool.name]
            if runs.fault:
                continue
            _say(f"cold start {turn + 1}: {tool.name}")
            with entered(tool) as contestant:
                try:
                    done = contestant.start(base + "/form")
                    runs.ms.append(done.ms)
                    runs.fault = _failure(done)
                except HungError as error:
                    runs.fault = f"hung: {error}"
    return row


def steps(contestants: Sequence[Contestant], base: str, rounds: int, only: str) -> dict[str, Row]:
    """Whole-process wall time of each step, for everyone that has the command."""
    table: dict[str, Row] = {}
    path = "/form"
    for step in STEPS:
        if only not in step.name:
            continue
        if step.path != path and step.action != "goto":
            for one in contestants:
                _go_to(one, base + step.path)
        path = step.path
        _say(step.name)
        table[step.name] = _step(step, [one for one in contestants if _takes_part(one, step)], base, rounds)
    return table


def _takes_part(one: Contestant, step: Step) -> bool:
    """Return whether the tool takes part in the step.

    The costs of a client show in small answers, the savings of folding in large ones.
    """
    if one.name in OURS[1:] and step.is_large != (one.name == "gbrowse --all"):
        return False
    return one.can(step.action)


def _step(step: Step, able: Sequence[Contestant], base: str, rounds: int) -> Row:
    row: Row = {one.name: Runs() for one in able}
    for turn in range(rounds):
        # Nobody always comes after the same one, who may still be busy.
        first = turn % len(able)
        for one in [*able[first:], *able[:first]]:
            runs = row[one.name]
            if not _has_enough(runs):
                _run_once(step, one, runs, base, turn)
    return row


def _has_enough(runs: Runs) -> bool:
    spent = sum(runs.ms) / 1000
    return bool(runs.fault) or spent > (STEP_SECONDS if len(runs.ms) >= LEAST_ROUNDS else SLOW_SECONDS)


def _run_once(step: Step, one: Contestant, runs: Runs, base: str, turn: int) -> None:
    filled = values(step, base, turn)
    try:
        done = one.run(step.action, **filled)
        runs.ms.append(done.ms)
        runs.characters = len(done.output)
        runs.fault = _failure(done)
        if turn == 0 and not runs.fault:
            runs.fault = _untruth(step, one, done, filled)
    except HungError as error:
        runs.fault = f"hung: {error}"
        _begin_again(one, base + "/form")
        _go_to(one, base + step.path)
    if runs.fault:
        _say(f"{step.name}: {one.name} {runs.fault}")


def _failure(done: TimedCommand) -> str:
    said = " ".join((done.complaint or done.output).split())
    return f"failed: exit {done.code}: {said[:100]}" if done.code else ""


def _untruth(step: Step, one: Contestant, done: TimedCommand, filled: dict[str, str]) -> str:
    """Return what is wrong with a command that claims success.

    A folded snapshot says how many rows it keeps for later.
    """
    if step.answer not in done.output and "more rows like these" not in done.output:
        return f"wrong: no {step.answer!r} in the answer"
    if step.action == "download" and not _is_whole(one.workspace / "large.bin"):
        return "no effect: the file is not there, or not whole"
    if step.action == "state-save" and not _has_all_cookies(one.workspace / "saved.json"):
        return "no effect: the file is not there, or lacks cookies"
    if step.action == "screenshot" and not _is_picture(one.workspace / "shot.png"):
        return "no effect: there is no picture"
    if step.effect and "true" not in one.run("js", expression=effect(step, filled)).output:
        return "no effect: the page did not notice"
    return ""


def _is_whole(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == DOWNLOAD_BYTES


def _has_all_cookies(path: Path) -> bool:
    return path.is_file() and len(json.loads(path.read_bytes())["cookies"]) >= COOKIES


def _is_picture(path: Path) -> bool:
    return path.exists() and path.read_bytes().startswith(b"\x89PNG")


def _begin_again(one: Contestant, url: str) -> None:
    """A new daemon and browser for a tool that hung. What they cannot do shows in the next step."""
    one.stop()
    try:
        one.start(url)
        one.prepare()
    except HungError as error:
        _say(f"{one.name} does not start again: {error}")


def _go_to(one: Contestant, url: str) -> None:
    if not one.can("goto"):
        return
    try:
        one.run("goto", url=url, deadline=60)
    except HungError as error:
        _say(f"{one.name} does not open {url}: {error}")


def _say(what: str) -> None:
    """Print progress."""
    print(what, file=sys.stderr, flush=True)
