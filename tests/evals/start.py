"""Run `bin/evals run`.

It decides what is to be run, whether it may be, and with what; then runs it, to its end or until it is ended.
"""

import argparse
import fnmatch
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from gstack_browse import __version__
from gstack_browse.agent.skills import packaged
from tests.bench.machine import path_of_chromium
from tests.bench.process import leave_in_order
from tests.evals import costs
from tests.evals.agents import AGENTS
from tests.evals.attempt import AgentRun, Attempt
from tests.evals.compare import SCRIPTED
from tests.evals.conduct import Solve, Test, conduct
from tests.evals.judge import SUITE, TIER, Judge
from tests.evals.run import Run, Setting
from tests.evals.solve import Scripted, program
from tests.evals.store import Store, directory
from tests.evals.task import TOOLS

ROOT = Path(__file__).parents[2]


def start(options: argparse.Namespace) -> int:
    """Run what was asked for. Returns 1 if a test of ours failed.

    Raises ValueError for a run that is not allowed.
    """
    is_ours = not options.tasks
    if options.write_docs and (
        options.task or options.solver != SCRIPTED or (is_ours and options.tool != "all")
    ):
        raise ValueError(f"--write-docs wants a whole scripted run{' with --tool all' * is_ours}")
    _check_solver(options.solver, options.tier)
    leave_in_order("Ended; the results so far are kept: bin/evals show")
    # The daemon of whoever runs this is nobody's to measure.
    os.environ.pop("BROWSE_STATE_FILE", None)
    run = (_judge_skills if options.tier == TIER else _do_tasks)(options)
    if options.tool == "all" and options.solver == SCRIPTED:
        print("\n" + costs.markdown(costs.costs(run), with_tasks=False))
    if options.write_docs and is_ours:
        costs.write(run)
    elif options.write_docs:
        from tests.evals.miniwob import figures

        figures.write(run)
    ours = [test for test in run.tests if test.suite not in TOOLS[1:]]
    counted = ours or run.tests
    print(f"{run.name}: {sum(test.passed for test in counted)} of {len(counted)} passed")
    return 1 if any(test.is_failure for test in ours) else 0


def _check_solver(solver: str, tier: int) -> None:
    """Raise ValueError where an agent may not be asked, or cannot be.

    Each test would fail, one after the other.
    """
    if solver != SCRIPTED and os.environ.get("EVALS") != "1":
        raise ValueError(f"--solver {solver} costs money: say so with EVALS=1")
    if solver == SCRIPTED:
        if tier == TIER:
            raise ValueError(f"tier 3 takes a model as a judge: --solver {' or '.join(AGENTS)}")
        return
    if not any(os.environ.get(key) for key in AGENTS[solver].keys):
        raise ValueError(f"{solver} is let in by {' or '.join(AGENTS[solver].keys)}: none is set")
    if shutil.which(solver) is None:
        raise ValueError(f"no program called {solver} is on the PATH")


def _do_tasks(options: argparse.Namespace) -> Run:
    """Tier 2."""
    is_scripted = options.solver == SCRIPTED
    if not is_scripted and options.tool != TOOLS[0]:
        raise ValueError("an agent works with gbrowse: --tool is for scripted solvers")
    tasks = {task.name: task for task in options.every()}
    names = _chosen("task", tasks, options)
    tools = TOOLS if options.tool == "all" else (options.tool,)
    for tool in tools:
        program(tool)
    tests = [Test(name, tool) for name in names for tool in tools]
    store = _open_store(options, options.seed)
    if is_scripted:
        return _conduct(tests, Scripted(store, options.seed, tasks), store)
    agent = AgentRun(AGENTS[options.solver], options.model, store)
    return _conduct(tests, Attempt(agent, path_of_chromium(), options.seed, tasks), store)


def _judge_skills(options: argparse.Namespace) -> Run:
    """Tier 3. Each skill is a test."""
    tests = [Test(name, SUITE, TIER) for name in _chosen("skill", packaged.list_names(), options)]
    store = _open_store(options)
    return _conduct(tests, Judge(AgentRun(AGENTS[options.solver], options.model, store)), store)


def _chosen(kind: str, every: Iterable[str], options: argparse.Namespace) -> list[str]:
    """Return the names that were asked for. Raises ValueError where none fits."""
    names = list(every)
    patterns = options.task or ["*"]
    chosen = [name for name in names if any(fnmatch.fnmatchcase(name, each) for each in patterns)]
    if not chosen:
        raise ValueError(f"no {kind} is called {' or '.join(patterns)}: {', '.join(names)}")
    return chosen


def _conduct(tests: list[Test], solve: Solve, store: Store) -> Run:
    conduct(tests, solve, store)
    written = store.finish()
    print(f"Kept as {store.run.name}" if written else "The run could not be written", file=sys.stderr)
    return store.run


def _open_store(options: argparse.Namespace, seed: int | None = None) -> Store:
    setting = Setting(
        version=__version__,
        branch=_git("rev-parse", "--abbrev-ref", "HEAD"),
        git_sha=_git("rev-parse", "HEAD"),
        git_dirty=bool(_git("status", "--porcelain")),
        tier=options.tier,
        agent=options.solver,
        model=None if options.solver == SCRIPTED else options.model,
        tasks=options.tasks,
    )
    return Store(directory(), setting, seed=seed)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
