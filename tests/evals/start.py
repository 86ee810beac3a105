"""Run `bin/evals run`.

It decides what is to be run, whether it may be, and with what; then runs it, to its end or until it is ended.
"""

import argparse
import fnmatch
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from platform import node

from gstack_browse import __version__
from gstack_browse.agent.skills import packaged
from tests.bench.machine import path_of_chromium
from tests.bench.process import leave_in_order
from tests.evals import costs, documents, live, static
from tests.evals.agents import AGENTS
from tests.evals.attempt import Attempt
from tests.evals.calls import BROWSERS
from tests.evals.compare import SCRIPTED
from tests.evals.conduct import Solve, Test, conducted
from tests.evals.guard import directory
from tests.evals.judge import SUITE, TIER, Judge
from tests.evals.junit import junit
from tests.evals.live import Heartbeat
from tests.evals.run import Run, Setting
from tests.evals.sets import OWN
from tests.evals.solve import Scripted, program
from tests.evals.store import Store

ROOT = Path(__file__).parents[2]


def start(options: argparse.Namespace) -> int:
    """Run what was asked for. Returns 1 if a test of ours failed.

    Raises ValueError for a run that is not allowed.
    """
    if options.write_docs:
        _check_whole(options)
    if options.tier > 1:
        _check_solver(options.solver, options.tier)
    leave_in_order("Ended; the results so far are kept: bin/evals show")
    # The daemon of whoever runs this is nobody's to measure.
    os.environ.pop("BROWSE_STATE_FILE", None)
    if options.tier == 1:
        return _report_end(options, _skills(options))
    if options.tier == 3:
        return _report_end(options, _judged(options))
    return _report_end(options, _tasks(options, _names(options)))


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


def _check_whole(options: argparse.Namespace) -> None:
    """Raises ValueError where the documents would get less than they show."""
    is_whole = not options.task and options.solver == SCRIPTED
    if not is_whole or (options.set == OWN and options.tool != "all"):
        raise ValueError(f"--write-docs wants a whole scripted run{' with --tool all' * (options.set == OWN)}")


def _report_end(options: argparse.Namespace, run: Run) -> int:
    if options.junit:
        options.junit.write_text(junit(run), encoding="utf-8")
    if options.tool == "all" and options.solver == SCRIPTED:
        print("\n" + costs.markdown(costs.costs(run), with_tasks=False))
    if options.write_docs:
        documents.write(run)
    ours = [test for test in run.tests if test.suite not in BROWSERS[1:]]
    failed = sum(test.is_failure for test in ours)
    counted = ours or run.tests
    print(f"{run.name}: {sum(test.passed for test in counted)} of {len(counted)} passed")
    return 1 if failed else 0


def _tasks(options: argparse.Namespace, names: Sequence[str]) -> Run:
    tools = _tools(options)
    for tool in tools:
        program(tool)
    tests = [Test(name, tool) for name in names for tool in tools]
    seed = options.seed
    store, heartbeat = _opened(options, len(tests), seed)
    if options.solver == SCRIPTED:
        return _conducted(tests, Scripted(store, heartbeat, seed, options.set), store, heartbeat)
    attempt = Attempt(AGENTS[options.solver], options.model, path_of_chromium(), store, heartbeat)
    return _conducted(tests, lambda test: attempt.at(options.set.named(test.name), seed), store, heartbeat)


def _skills(options: argparse.Namespace) -> Run:
    """Tier 1. The checks run together, in seconds; each is a test."""
    results = [result for result in static.checks() if _is_asked_for(result.name, options)]
    by_test = {Test(result.name, result.suite, 1): result for result in results}
    store, heartbeat = _opened(options, len(results), None)
    return _conducted(list(by_test), by_test.__getitem__, store, heartbeat)


def _judged(options: argparse.Namespace) -> Run:
    """Tier 3. Each skill is a test."""
    names = [name for name in packaged.list_names() if _is_asked_for(name, options)]
    if not names:
        raise ValueError(f"no skill is called {' or '.join(options.task)}: {', '.join(packaged.list_names())}")
    store, heartbeat = _opened(options, len(names), None)
    judge = Judge(AGENTS[options.solver], options.model, store, heartbeat)
    tests = [Test(name, SUITE, TIER) for name in names]
    return _conducted(tests, lambda test: judge.of(test.name), store, heartbeat)


def _conducted(tests: Sequence[Test], solve: Solve, store: Store, heartbeat: Heartbeat) -> Run:
    try:
        run = conducted(tests, solve, store, heartbeat)
    finally:
        heartbeat.stop()
    written = store.finish(run)
    print(f"Written to {written}" if written else "The run could not be written", file=sys.stderr)
    return run


def _opened(options: argparse.Namespace, total: int, seed: int | None) -> tuple[Store, Heartbeat]:
    root = directory()
    other = live.alive(root)
    if other:
        print(f"Another run is under way ({other.run}); `watch` shows that one", file=sys.stderr)
    store = Store(root, setting(options), seed=seed, alone=other is None)
    agent = SCRIPTED if options.tier == 1 else options.solver
    return store, live.begin(root, store.run.name, total, agent, is_shown=other is None)


def setting(options: argparse.Namespace) -> Setting:
    """Return the setting of the run."""
    return Setting(
        version=__version__,
        branch=_git("rev-parse", "--abbrev-ref", "HEAD"),
        git_sha=_git("rev-parse", "HEAD"),
        git_dirty=bool(_git("status", "--porcelain")),
        hostname=node(),
        tier=options.tier,
        agent=SCRIPTED if options.tier == 1 else options.solver,
        model=None if options.solver == SCRIPTED else options.model,
        tasks=options.set.label,
    )


def _tools(options: argparse.Namespace) -> Sequence[str]:
    if options.solver != SCRIPTED:
        if options.tool != BROWSERS[0]:
            raise ValueError("an agent works with gbrowse: --tool is for scripted solvers")
        return BROWSERS[:1]
    return BROWSERS if options.tool == "all" else (options.tool,)


def _names(options: argparse.Namespace) -> list[str]:
    """Return the tasks that were asked for. Raises ValueError for names that fit none."""
    every = [task.name for task in options.set.every()]
    names = [name for name in every if _is_asked_for(name, options)]
    if not names:
        raise ValueError(f"no task is called {' or '.join(options.task)}: {', '.join(every)}")
    return names


def _is_asked_for(name: str, options: argparse.Namespace) -> bool:
    return not options.task or any(fnmatch.fnmatchcase(name, each) for each in options.task)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
